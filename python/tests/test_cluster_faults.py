"""Faults in the middle of a cluster sort: killed processes, lost nodes, cut connections."""

import contextlib
import dataclasses
import fcntl
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import ray
from cluster_trial import (
    NODES,
    WithRoots,
    add_node,
    end_nodes,
    merged_by_nodes,
    records,
    runs_in_memory,
    start_nodes,
)
from ray.cluster_utils import Cluster

import sortwell
import sortwell.cluster
from sortwell import _native
from sortwell.cluster import (
    _exchange,
    _janitor,
    _nodes,
    _placement,
    _reception,
    _run_folders,
    _running,
)
from sortwell.cluster._losses import NotBegun, SourceLost
from sortwell.cluster._output import OutputFolder
from sortwell.cluster._spec import Source, Spec


def setUpModule():
    """Starts four nodes, which all tests share."""
    global CLUSTER
    CLUSTER = start_nodes()


def tearDownModule():
    """Ends the nodes."""
    end_nodes(CLUSTER)


def stat_of(process):
    """Returns the fields of a process from its state on, as proc(5) lists them."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def start_of(process):
    """Returns when a process was started, in clock ticks since the machine was."""
    return int(stat_of(process)[19])


def processes(title):
    """Returns the processes of Ray whose title contains these words, started after this one."""
    found, begun = [], start_of("self")
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words, process = path.read_bytes(), int(path.parent.name)
            if words.startswith(b"ray::") and title in words and start_of(process) >= begun:
                found.append(process)
    return found


def kill(title, sign=signal.SIGKILL):
    """Sends a signal to a process of Ray with such a title. Returns whether there was one."""
    for process in processes(title):
        with contextlib.suppress(OSError):
            os.kill(process, sign)
            return True
    return False


def remove_at_once(node):
    """Ends a node and its workers, which otherwise serve for a while after it."""
    (raylet,) = node.all_processes["raylet"]
    parent = str(raylet.process.pid)
    workers = [process for process in processes(b"") if stat_of(process)[1] == parent]
    CLUSTER.remove_node(node, allow_graceful=False)
    for worker in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def damage(run, found=b"?", place=150):
    """Changes a byte of a run."""
    with open(run, "r+b") as file:
        file.seek(place, os.SEEK_END if place < 0 else os.SEEK_SET)
        file.write(found)


def may_mount():
    """Returns whether this program may mount a disk for some of its processes."""
    words = ["unshare", "--mount", "true"]
    try:
        return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


class Faults(WithRoots):
    """Processes and nodes that end in the middle."""

    def sort_while(self, act, count=100_000, **options):
        """Sorts, with `act` called for each progress. Compares with the sort of one machine."""
        path = self.write("in", records(count, "uniform", seed=6))
        options |= {"format": "fixed:100", "key": "0..10"}
        sortwell.sort(path, self.folder / "expected", format="fixed:100", key="0..10")
        found, statistics = self.sorted(path, progress=act, **options)
        self.assertTrue(found == self.folder.joinpath("expected").read_bytes(), "other bytes")
        return statistics

    def fail_in_reduce(self, path, **options):
        """Fails a sort when its runs are made."""

        def fail(progress):
            if progress.phase == "reduce":
                raise ArithmeticError

        with self.assertRaises(ArithmeticError):
            self.sorted(path, progress=fail, **options)

    def test_the_only_copy_is_lost(self):
        path = self.write("in", records(100_000, "uniform", seed=7))
        words = f"the node of {path} is lost, and no other node has this input"
        for phase in ("split", "map", "reduce"):
            node = add_node(CLUSTER, "lost")
            CLUSTER.wait_for_nodes()
            lost = []

            def act(progress, phase=phase, node=node, lost=lost):
                if progress.phase == phase and not lost:
                    lost.append(progress)
                    remove_at_once(node)

            with self.assertRaisesRegex(sortwell.StorageError, words):
                self.sorted(f"node://lost{path}", progress=act, format="fixed:100", parts=6)
            self.assertEqual(list(self.folder.joinpath("out").glob("*")), [])

    def test_a_slow_task_is_tried_elsewhere(self):
        stopped = []

        def act(progress):
            # A stopped process is as slow as can be.
            until = time.monotonic() + 10
            while progress.phase == "reduce" and not stopped and time.monotonic() < until:
                if kill(b"sortwell reduce", signal.SIGSTOP):
                    stopped.append(progress)

        with mock.patch.object(_running, "SLOW", 2.0):
            statistics = self.sort_while(act, parts=4)
        self.assertEqual(statistics.second_attempts, 1)

    def test_a_full_disk(self):
        if not may_mount():
            print("LEFT OUT: a full disk of a node: it needs root and 'unshare --mount'")
            self.skipTest("no small disk")
        # The node sees a disk of 4 MB in the place of the folder for runs.
        mount = f"mount -t tmpfs -o size=4m tmpfs {self.folder}/temp"
        ray_command = pathlib.Path(sys.executable).with_name("ray")
        start = f"{ray_command} start --address {CLUSTER.address} --num-cpus 1 --block"
        start += " --labels sortwell-node=full --object-store-memory 100000000"
        node = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", f"{mount} && exec {start}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            until = time.monotonic() + 60
            while len(_nodes.alive()) < 5 and time.monotonic() < until:
                time.sleep(0.2)
            # Runs that are kept are never in memory.
            statistics = self.sort_while(lambda _: None, count=400_000, resume=True)
        finally:
            # It takes half a minute to end when asked to.
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()
            until = time.monotonic() + 60
            while len(_nodes.alive()) > 4 and time.monotonic() < until:
                time.sleep(0.2)
        self.assertEqual(statistics.maps_done_again, 1)
        self.assertEqual(len(statistics.nodes), 5)

    def test_a_limit_notices_a_lost_source(self):
        killed = []

        def act(progress):
            # The exchange of a node dies before its records are asked for.
            if progress.phase == "reduce" and not killed and kill(b"Exchange"):
                killed.append(progress)

        path = self.write("in", records(100_000, "uniform", seed=6))
        options = {"format": "fixed:100", "key": "0..10", "limit": 70_000}
        sortwell.sort(path, self.folder / "expected", **options)
        found, _ = self.sorted(path, progress=act, **options)
        self.assertTrue(found == self.folder.joinpath("expected").read_bytes(), "other bytes")

    def lose_run(self, phase):
        """Sorts while a run is removed in a phase, as if a janitor had waited in vain."""
        removed = []

        def act(progress):
            if progress.phase == phase and not removed:
                index = next(pathlib.Path("/dev/shm").glob("sortwell-cluster-*/*/run-*.index"))
                for path in (index, index.with_suffix("")):
                    path.unlink()
                    removed.append(path)

        self.assertEqual(self.sort_while(act).maps_done_again, 1)
        shutil.rmtree(self.folder / "out")

    def test_runs_that_vanish(self):
        self.lose_run("cut")
        self.lose_run("reduce")

    def test_a_finished_part_that_vanishes(self):
        removed = []

        def act(progress):
            if progress.phase == "reduce" and progress.done == progress.tasks and not removed:
                removed.append(next(self.folder.joinpath("out").glob(".part-*")))
                removed[0].unlink()

        self.assertEqual(self.sort_while(act).parts_done_again, 1)
        self.assertTrue(removed)

    def test_a_node_that_is_busy(self):
        @ray.remote(num_cpus=1)
        def hold(path):
            while os.path.exists(path):
                time.sleep(0.1)

        held = self.write("held", b"")
        (node, *_) = _nodes.alive()
        holding = hold.options(scheduling_strategy=_nodes.on(node.id)).remote(str(held))

        def let_go():
            ended = time.monotonic() + 60
            while not warned.warnings and time.monotonic() < ended:
                time.sleep(0.05)
            held.unlink()

        words = f"'map .' has waited for 1 s for all 1 CPUs of node {node.name}; "
        warned = self.assertWarnsRegex(RuntimeWarning, words)
        with mock.patch.object(_running, "WAIT", 1.0), warned:
            watching = threading.Thread(target=let_go)
            watching.start()
            self.sort_while(lambda _: None)
        ray.get(holding)
        watching.join()

    def test_an_exchange_that_begins_again(self):
        (self.folder / "out").mkdir()
        spec = Spec("0123456789ab", "token", 352 << 20, str(self.folder / "temp"), ())
        cluster = _nodes.Cluster(spec, str(self.folder / "out"))
        try:
            before = {node.id: cluster.url(node.id) for node in cluster.nodes}
            self.assertTrue(kill(b"Exchange"))
            until = time.monotonic() + 60
            with mock.patch.object(_nodes, "_KEEP", 0.2):
                while before == cluster._urls and time.monotonic() < until:
                    cluster.keep_exchanges()
                    time.sleep(0.1)
            changed = [node for node, url in before.items() if cluster.url(node) != url]
            self.assertEqual(len(changed), 1)
        finally:
            cluster.close(keeps_runs=False, keeps_exchanges=False, removes_parts=False)

    def test_exchanges_that_die_at_the_end_leave_no_runs(self):
        killed = []

        def act(progress):
            if progress.phase == "reduce" and progress.done == progress.tasks:
                for process in processes(b"Exchange"):
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

        self.sort_while(act)
        self.assertTrue(killed)

    def test_resume(self):
        path = self.write("in", records(100_000, "uniform", seed=8))
        options = {"format": "fixed:100", "key": "0..10", "resume": True}
        self.fail_in_reduce(path, **options)
        self.assertEqual(list(self.folder.joinpath("out").glob("*")), [])
        found, statistics = self.sorted(path, **options)
        self.assertEqual(statistics.maps_kept, 4)
        sortwell.sort(path, self.folder / "expected", format="fixed:100", key="0..10")
        self.assertTrue(found == self.folder.joinpath("expected").read_bytes(), "other bytes")
        # An input that has changed since is sorted again.
        os.remove(self.folder / "out" / "manifest.json")
        for part in statistics.parts:
            os.remove(part.path)
        self.fail_in_reduce(path, **options)
        self.write("in", records(100_000, "uniform", seed=9))
        _, statistics = self.sorted(path, **options)
        self.assertEqual(statistics.maps_kept, 0)

    def test_resume_with_a_list_that_has_changed(self):
        path = self.write("in", b"".join(b"%d\n" % (n * 7919 % 1009) for n in range(100_000)))
        values = [b"%d\n" % number for number in range(1009)]
        known = self.write("known", b"".join(values))
        options = {"include": f"1:order=@{known} >= '500'", "resume": True}
        self.fail_in_reduce(path, **options)
        self.write("known", b"".join(reversed(values)))
        # The runs of the other sort stay until somebody removes them.
        folders = {"output": self.folder / "out", "temp": self.folder / "temp"}
        statistics = sortwell.cluster.sort(path, **folders, **options)
        self.assertEqual(statistics.maps_kept, 0)
        found = [pathlib.Path(part.path).read_bytes() for part in statistics.parts]
        self.assertEqual({int(line) for line in b"".join(found).split()}, set(range(501)))

    def test_a_run_that_was_kept_is_damaged(self):
        path = self.write("in", records(100_000, "uniform", seed=12))
        options = {"format": "fixed:100", "key": "0..10", "resume": True}
        self.fail_in_reduce(path, **options)
        run = next(path for path in self.folder.glob("temp/*/*/run-*") if not path.suffix)
        damage(run)
        with self.assertRaises(sortwell.ProofError):
            self.sorted(path, **options)
        found, statistics = self.sorted(path, **options)
        self.assertEqual(statistics.maps_kept, 0)
        sortwell.sort(path, self.folder / "expected", format="fixed:100", key="0..10")
        self.assertTrue(found == self.folder.joinpath("expected").read_bytes(), "other bytes")

    def test_damage_where_records_are_combined(self):
        path = self.write("in.csv", b"id,n\n" + b"".join(b"%d,1\n" % n for n in range(9000)))
        options = {"format": "csv", "key": "id:int", "resume": True, "parts": 2}
        options["unique"] = True
        self.fail_in_reduce(path, **options)
        runs = self.folder.glob("temp/*/*/run-*")
        damage(next(run for run in runs if not run.suffix), b"2", -2)
        with self.assertRaisesRegex(sortwell.ProofError, "records became parts of"):
            self.sorted(path, **options)

    def test_runs_that_a_janitor_watches_stay(self):
        folder = self.folder / "sortwell-cluster-1" / "node"
        folder.mkdir(parents=True)
        with open(folder / _janitor.WATCHED, "w") as watched:
            fcntl.flock(watched, fcntl.LOCK_SH)
            _run_folders.sweep(str(self.folder))
            self.assertTrue(folder.exists())
        _run_folders.sweep(str(self.folder))
        self.assertFalse(folder.parent.exists())


class Ends(WithRoots):
    """Sorts in a process of their own that is ended."""

    def end(self, act, cluster, *options, parts=40):
        """Calls `act` with the command in its reduces. Returns its status and its words.

        With many parts it has many reduces: a busy machine may call late.
        """
        path = self.folder / "in"
        if not path.exists():
            self.write("in", records(300_000, "uniform", seed=10))
        words = [sys.executable, "-m", "sortwell.cluster", "sort", "-F", "fixed:100", "-k", "0..10"]
        words += ["--address", cluster.address, "-M", "352MiB", "--parts", str(parts), *options]
        words += ["-T", str(self.folder / "temp"), "-o", str(self.folder / "out"), str(path)]
        # These tests may be a job in the background, which ignores Ctrl-C, as its children do.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        command = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        signal.signal(signal.SIGINT, before)
        self.addCleanup(command.stderr.close)
        until = time.monotonic() + 60
        while not list(self.folder.glob("out/.part-*")) and time.monotonic() < until:
            time.sleep(0.01)
        act(command)
        status = command.wait(60)
        return status, command.stderr.read()

    def assert_nothing_left(self, seconds, words=""):
        """Checks that processes, parts and runs are gone in a while, after a program said this."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            left = processes(b"sortwell") + list(self.folder.glob("out/.*"))
            left += list(self.folder.glob("temp/*"))
            # These go last, and their removal takes a while.
            left += runs_in_memory()
            if not left:
                break
            time.sleep(0.2)
        self.assertEqual(left, [], words)
        self.assertEqual(list(self.folder.glob("out/*")), [])
        self.assert_no_runs()

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                status, words = self.end(
                    lambda program, n=number: program.send_signal(n), CLUSTER, parts=400
                )
                # Ray's own code fails a check at times while its tasks are ended, and ends the
                # program.
                has_failed = "(core_worker" in words or " C " in words
                if not has_failed:
                    self.assertEqual((status, words), (-number, "sortwell: interrupted\n"))
                # A program that has failed leaves it to the janitors, which wait for a while.
                self.assert_nothing_left(60 if has_failed else 15, words)

    def test_death_of_the_driver(self):
        status, _ = self.end(subprocess.Popen.kill, CLUSTER, parts=400)
        self.assertEqual(status, -signal.SIGKILL)
        self.assert_nothing_left(60)

    def test_death_of_the_head(self):
        other = Cluster()
        self.addCleanup(other.shutdown)
        add_node(other, "alone")
        kill_head = other.head_node.kill_gcs_server
        status, words = self.end(lambda _: kill_head(check_alive=False), other, "--resume")
        self.assertEqual(status, 4)
        self.assertRegex(words, "the head of the cluster at .* is lost; start the cluster again")
        self.assertEqual(len(list(self.folder.glob("temp/*/*/run-*.done"))), 1)
        # Another cluster continues the sort, once the processes of this one are gone.
        other.shutdown()
        until = time.monotonic() + 60
        while processes(b"sortwell") and time.monotonic() < until:
            time.sleep(0.2)
        another = Cluster()
        self.addCleanup(another.shutdown)
        add_node(another, "alone")
        status, words = self.end(lambda _: None, another, "--resume")
        self.assertEqual(status, 0, words)
        manifest = json.loads(self.folder.joinpath("out/manifest.json").read_text())
        self.assertEqual((manifest["maps_kept"], len(manifest["parts"])), (1, 40))
        found = [pathlib.Path(part["path"]).read_bytes() for part in manifest["parts"]]
        sortwell.sort(self.folder / "in", self.folder / "expected", format="fixed:100", key="0..10")
        expected = self.folder.joinpath("expected").read_bytes()
        self.assertTrue(b"".join(found) == expected, "other bytes")


def framed(block, checksum=None):
    """Returns a block as exchanges send it."""
    checksum = _native.block_checksum(block) if checksum is None else checksum
    return struct.pack("<IQ", len(block), checksum) + block


class Connections(unittest.TestCase):
    """Answers of an exchange that are cut or damaged."""

    def received(self, body, length=None):
        """Returns what is received of an answer with this body."""
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (length or len(body)) + body
        with socket.create_server(("127.0.0.1", 0)) as server:

            def serve():
                connection, _ = server.accept()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            self.addCleanup(thread.join)
            url = f"http://127.0.0.1:{server.getsockname()[1]}/ranges"
            spec = Spec("job", "token", 1 << 28, "/nowhere", (), header=b"id\n")
            source = Source("node", url, (("run", 0, 4),))
            return b"".join(_reception._blocks(spec, source))

    def test_whole_and_damaged_answers(self):
        end = struct.pack("<IQ", 0, 7)
        whole = framed(b"id\n") + framed(b"1\n2\n") + end
        self.assertEqual(self.received(whole), b"id\n1\n2\n")
        for cut in range(len(whole)):
            with self.subTest(cut=cut), self.assertRaises(SourceLost):
                self.received(whole[:cut], len(whole))
        with self.assertRaisesRegex(SourceLost, "another checksum"):
            self.received(framed(b"id\n") + framed(b"1\n2\n", 5) + end)
        for less in [framed(b"id\n") + end, framed(b"id\n") + struct.pack("<IQ", 0, 3)]:
            with self.assertRaisesRegex(SourceLost, "bytes of 7 came"):
                self.received(less)

    def test_nobody_answers(self):
        spec = Spec("job", "token", 1 << 28, "/nowhere", ())
        source = Source("node", "http://127.0.0.1:9/ranges", (("run", 0, 4),))
        with self.assertRaisesRegex(SourceLost, "Refused"):
            list(_reception._blocks(spec, source))

    def test_a_machine_that_has_vanished(self):
        with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
            address = server.getsockname()
            # The system does not answer once the queue is full.
            with contextlib.ExitStack() as stack, contextlib.suppress(TimeoutError):
                for _ in range(10):
                    stack.enter_context(socket.create_connection(address, timeout=0.5))
                    queue = stack.pop_all()
                    self.addCleanup(queue.close)
            spec = Spec("job", "token", 1 << 28, "/nowhere", ())
            source = Source("node", f"http://127.0.0.1:{address[1]}/ranges", (("run", 0, 4),))
            begun = time.monotonic()
            with (
                mock.patch.object(_reception, "_CONNECT", 0.5),
                mock.patch.object(_reception, "_SILENCE", 20),
                self.assertRaisesRegex(SourceLost, "timed out"),
            ):
                list(_reception._blocks(spec, source))
            self.assertLess(time.monotonic() - begun, 10)


class SlowMerge:
    """A merge in an exchange whose block takes three seconds."""

    def __init__(self, *_):
        """Begins to merge."""
        self.blocks = [b"1\n2\n"]
        SlowMerge.closed = threading.Event()

    def next_block(self):
        """Returns the next block and its checksum."""
        if not self.blocks:
            return self.end()
        time.sleep(3)
        block = self.blocks.pop()
        return block, _native.block_checksum(block)

    def end(self):
        """Returns that there is no block left."""

    def close(self):
        """Ends the merge."""
        self.closed.set()


class EndlessMerge(SlowMerge):
    """A merge that has a second block only once it is closed."""

    def end(self):
        """Waits until the merge is closed."""
        self.closed.wait(30)


class Answers(WithRoots):
    """Answers of an exchange in this process."""

    def asked(self, contents, **options):
        """Returns the settings of a sort, and a source of these runs."""
        words = tuple(options.items())
        spec = Spec("0123456789ab", "token", 1 << 28, str(self.folder / "temp"), words)
        exchange = _exchange.Exchange("127.0.0.1")
        url = exchange.begin(spec, "node", 1, str(self.folder / "out"))
        self.addCleanup(exchange.end, False)
        ranges = []
        for number, content in enumerate(contents):
            path = pathlib.Path(spec.folder("node"), f"run-{number}")
            path.write_bytes(content)
            ranges.append((str(path), 0, len(content)))
        return spec, Source("node", url, tuple(ranges))

    def test_a_merge_that_takes_its_time(self):
        spec, source = self.asked([b"1\n", b"2\n"])
        with (
            mock.patch.object(_native, "MergedRanges", SlowMerge),
            mock.patch.object(_exchange, "_BEAT", 0.05),
            mock.patch.object(_reception, "_SILENCE", 2),
        ):
            self.assertEqual(b"".join(_reception._blocks(spec, source)), b"1\n2\n")
        with (
            mock.patch.object(_native, "MergedRanges", EndlessMerge),
            mock.patch.object(_exchange, "_BEAT", 0.05),
        ):
            blocks = _reception._blocks(spec, source)
            next(blocks)
            blocks.close()
            self.assertTrue(SlowMerge.closed.wait(10), "it ends as its receiver is gone")

    def test_requests_that_are_refused(self):
        spec, source = self.asked([b"1\n"])
        runs = pathlib.Path(source.ranges[0][0]).parent
        runs.parent.joinpath("secret").write_bytes(b"x")
        outside = dataclasses.replace(source, ranges=((str(runs.parent / "secret"), 0, 1),))
        path = source.ranges[0][0]
        backwards = dataclasses.replace(source, ranges=((path, 2, 1),))
        dots = dataclasses.replace(source, ranges=((f"{runs}/../secret", 0, 1),))
        other_job = dataclasses.replace(source, url=source.url.replace(spec.job, "other"))
        for asked, settings, reason in [
            (source, dataclasses.replace(spec, token="wrong"), "wrong token"),
            (source, dataclasses.replace(spec, token=""), "wrong token"),
            (outside, spec, "no range of a run"),
            (backwards, spec, "no range of a run"),
            (dots, spec, "no range of a run"),
            (other_job, spec, "no such sort"),
        ]:
            with self.subTest(reason), self.assertRaisesRegex(SourceLost, reason):
                list(_reception._blocks(settings, asked))
        self.assertEqual(b"".join(_reception._blocks(spec, source)), b"1\n")

    def test_calls_before_the_sort_begins(self):
        # Ray has started the exchange again.
        exchange = _exchange.Exchange("127.0.0.1")
        spec = Spec("0123456789ab", "token", 1 << 28, str(self.folder / "temp"), ())
        for method, *arguments in [
            ("tops", []),
            ("adopt", spec),
            ("check_options", spec),
            ("cut_input", "in", 0, 1),
            ("has_begun", "map 0"),
            ("claim", ["node"]),
            ("commit", []),
            ("seal", []),
            ("take_back_names",),
            ("give_up_names", []),
            ("clean",),
            ("end", False, False),
        ]:
            with self.subTest(method), self.assertRaises(NotBegun):
                getattr(exchange, method)(*arguments)
        out = self.folder / "out"
        exchange.begin(spec, "node", 1, str(out))
        exchange.claim(["node"])
        path = out / f".part-00000.{spec.part_end('node')}"
        path.touch()
        exchange.commit([(str(path), str(out / "part-00000"))])
        # The sort has failed.
        exchange.end(False, removes_parts=True)
        self.assertFalse(out.exists())

    def test_named_files_that_differ(self):
        known = self.write("known", b"a\n")
        words = (("key", f"1:order=@{known}"),)
        spec = Spec("0123456789ab", "t", 1 << 28, str(self.folder / "temp"), words, named_files="1")
        exchange = _exchange.Exchange("127.0.0.1")
        with self.assertRaisesRegex(sortwell.UsageError, f"another content .*: {known}; give all"):
            exchange.begin(spec, "node", 1, str(self.folder / "out"))

    def test_the_folder_of_the_manifest(self):
        spec = Spec("0123456789ab", "token", 1 << 28, str(self.folder / "temp"), ())
        # The nodes of the output are other machines.
        cluster = mock.Mock(named=lambda _: [])
        path = self.folder / "out"
        output = OutputFolder(f"node://*{path}", spec)
        output.claim(cluster)
        self.assertTrue(path.is_dir())
        output.remove_parts(cluster)
        self.assertFalse(path.exists())
        path.mkdir()
        path.joinpath("manifest.json").touch()
        with self.assertRaisesRegex(sortwell.UsageError, "on this machine, .* manifest.json"):
            output.claim(cluster)

    def test_sources_that_memory_is_too_little_for(self):
        spec = Spec("0123456789ab", "token", 1 << 30, "/nowhere", (), form="interleaved")
        self.assertEqual(_reception.form_of(spec, 64, 0), "interleaved")
        self.assertEqual(_reception.form_of(spec, 65, 0), "synchronous")
        self.assertEqual(_reception.form_of(spec, 42, 499 << 20), "synchronous")

    def test_errors_of_a_run(self):
        spec, source = self.asked([b"1\n2\n"])
        path = source.ranges[0][0]
        with self.assertRaisesRegex(sortwell.MalformedError, "the run ends at byte 4") as raised:
            list(_reception._blocks(spec, dataclasses.replace(source, ranges=((path, 0, 6),))))
        self.assertEqual(raised.exception.file, path)

    def test_errors_of_a_merge(self):
        spec, source = self.asked([b"1\n", b"x\n"], key="1:int", invalid="error")
        with self.assertRaisesRegex(sortwell.MalformedError, "not an int") as raised:
            list(_reception._blocks(spec, source))
        self.assertEqual(raised.exception.code, 3)
        # A run that has vanished is a matter of its node.
        os.remove(source.ranges[0][0])
        with self.assertRaisesRegex(SourceLost, "no such run"):
            list(_reception._blocks(spec, source))


# What is killed, and the phase in which it is.
STAGES = [
    ("find", "node"),
    ("split", "exchange"),
    ("map", "task"),
    ("map", "node"),
    ("cut", "exchange"),
    ("cut", "node"),
    ("reduce", "task"),
    ("reduce", "node"),
    ("commit", "exchange"),
    ("commit", "node"),
    ("find", "exchange"),
    ("split", "node"),
    ("map", "exchange"),
    ("reduce", "exchange"),
]

# Node that is lost. The first one by name does what any node can do.
LOST = "a lost one"


class Kills(WithRoots):
    """Kills that a seed draws, spread evenly over stages: CLUSTER_KILLS, CLUSTER_SEED.

    The driver waits while it strikes, so it is in the stage until something is killed. The sorts
    have one pass and two in turn, and inputs that are shared or on nodes that stay. Nodes send runs
    or merges.
    """

    def test_kills(self):
        count = int(os.environ.get("CLUSTER_KILLS", "10"))
        seed = int(os.environ.get("CLUSTER_SEED", "1"))
        paths = [self.write(f"in-{n}", records(50_000, "skewed", seed=12 + n)) for n in range(2)]
        sortwell.sort(paths, self.folder / "expected", format="fixed:100", key="0..10")
        expected = self.folder.joinpath("expected").read_bytes()
        named = [f"node://{name}{path}" for name, path in zip(NODES, paths, strict=False)]
        done = []
        for number, stage in zip(range(count), itertools.cycle(STAGES), strict=False):
            inputs, passes = paths if number % 3 else named, 1 + number // 2 % 2
            begun = time.monotonic()
            with self.subTest(f"kill {number} of seed {seed}", stage=stage, passes=passes):
                source = random.Random(f"{seed} {number}")
                killed = self.sort_with_kill(inputs, expected, (*stage, passes), source)
                where = "of nodes" if inputs is named else "shared"
                seconds = time.monotonic() - begun
                what = f"{killed} in {stage[0]} ({passes} pass, inputs {where}, {seconds:.0f} s)"
                done.append(what)
        print(f"kills of seed {seed}, all with the right answer: {'; '.join(done)}")
        self.assertEqual(len(done), count)

    def sort_with_kill(self, inputs, expected, stage, source):
        """Sorts while something is killed in a phase. Returns what was, and compares the bytes."""
        phase, kind, passes = stage
        node = add_node(CLUSTER, LOST) if kind == "node" else None
        CLUSTER.wait_for_nodes()
        killed, parts = [], source.choice([4, 9])

        def act(progress):
            if progress.phase == phase and not killed:
                if kind != "task":
                    time.sleep(source.uniform(0, 0.2))
                killed.extend(self.strike(phase, kind, node, source))

        self.loses_nodes = True
        options = {"format": "fixed:100", "key": "0..10", "parts": parts, "progress": act}
        fits = mock.patch.object(_placement, "_bytes_in_memory", return_value=0)
        sent = source.choice([contextlib.nullcontext, merged_by_nodes])
        try:
            with sent(), fits if passes == 2 else contextlib.nullcontext():
                found, statistics = self.sorted(inputs, **options)
        finally:
            if node is not None and not killed:
                remove_at_once(node)
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.assertTrue(found == expected, "other bytes")
        self.assertEqual(len(killed), 1, "nothing was killed")
        # Runs that are made again, and those of second attempts, may be on disk.
        is_repeated = statistics.maps_done_again or statistics.second_attempts
        self.assertIn(statistics.passes, {passes, 2 if is_repeated else passes})
        return killed[0]

    def strike(self, phase, kind, node, source):
        """Kills a node, an exchange or a task. Returns what was killed."""
        if kind == "node":
            remove_at_once(node)
            return [f"node {LOST!r}"]
        title = b"Exchange" if kind == "exchange" else b"sortwell " + phase.encode()
        until = time.monotonic() + 5
        while time.monotonic() < until:
            if found := processes(title):
                process = source.choice(sorted(found))
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
                os.kill(process, signal.SIGKILL)
                return [words.rstrip(b"\0 ").decode().removeprefix("ray::")]
        return []


if __name__ == "__main__":
    unittest.main()
