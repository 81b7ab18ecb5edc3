"""The output and the inputs of a cluster sort, with stand-ins for its nodes."""

import contextlib
import dataclasses
import errno
import itertools
import os
import pathlib
import shutil
import tempfile
import time
import unittest
from unittest import mock

import sortwell
from sortwell import _errors, _native
from sortwell.cluster import (
    _claims,
    _driver,
    _exchange,
    _inputs,
    _janitor,
    _nodes,
    _placement,
    _run_folders,
    _running,
    _spec,
    _tasks,
)
from sortwell.cluster._losses import NodeLost, PartLost, RunLost, SourceLost
from sortwell.cluster._output import OutputFolder
from sortwell.cluster._spec import MadePart, Run, Spec, Split, Work, state_of

JOB = "0123456789ab"


class Nodes:
    """Stand-in for a cluster: exchanges in this process."""

    def __init__(self, folder, spec, names):
        """Begins the sort on each node."""
        self.nodes, self.exchanges, self.claimed = [], {}, set()
        self.lost = set()
        for name in names:
            exchange = _exchange.Exchange("127.0.0.1")
            exchange.begin(spec, name, 1, str(folder))
            self.exchanges[name] = exchange
            self.nodes.append(mock.Mock(id=name, address=name))
            self.nodes[-1].name = name

    def call(self, node, method, *arguments):
        """Calls an exchange."""
        if node in self.lost:
            raise NodeLost(f"node {node} is lost")
        return getattr(self.exchanges[node], method)(*arguments)

    def call_each(self, method, arguments):
        """Calls the exchanges of nodes one after another."""
        return {node: self.call(node, method, *own) for node, own in arguments.items()}

    def call_any(self, method, *arguments):
        """Calls the exchange of a node that is alive."""
        return _nodes.Cluster.call_any(self, method, *arguments)

    def drop_lost(self):
        """Forgets the nodes that are lost."""
        self.nodes = [node for node in self.nodes if node.id not in self.lost]

    def named(self, name):
        """Returns the nodes of a name."""
        found = [node for node in self.nodes if name in ("*", node.name)]
        if not found:
            raise _spec.usage_error(f"no node is named '{name}'")
        return found

    def name(self, node):
        """Returns the name of a node."""
        return node

    def end(self, keeps_runs=False):
        """Ends the sort as a driver does."""
        for exchange in self.exchanges.values():
            exchange.end(keeps_runs)

    def die(self):
        """Ends the processes of the nodes."""
        for exchange in self.exchanges.values():
            exchange._claim.close()
            for lock in exchange._locks:
                os.close(lock)


class WithFolder(unittest.TestCase):
    """A folder for outputs and runs."""

    def setUp(self):
        """Makes the folders."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out"
        self.temp = self.folder / "temp"
        self.temp.mkdir()
        self.spec = Spec(JOB, "token", 1 << 28, str(self.temp), (), keeps=True)

    def tearDown(self):
        """Removes what is in memory."""
        shutil.rmtree(f"/dev/shm/{self.spec.name}", ignore_errors=True)

    def begun(self, names, output=None, spec=None):
        """Returns nodes on which a sort has claimed the output, and the output."""
        nodes = Nodes(self.out, spec or self.spec, names)
        folder = OutputFolder(str(output or self.out), spec or self.spec)
        folder.claim(nodes)
        return nodes, folder

    def made(self, folder, nodes, count=3):
        """Returns parts that nodes have made."""
        parts = []
        for number, node in zip(range(count), itertools.cycle(nodes.exchanges)):
            path = pathlib.Path(folder.unnamed(number, node))
            path.write_bytes(b"%d\n" % number)
            work = Work("reduce", node, 0.0, 0.0, [])
            parts.append(MadePart(number, node, str(path), 1, 1, 2, b"", "", {}, work))
        return parts

    def names(self):
        """Returns the names in the folder of the output, if it is there."""
        return sorted(path.name for path in self.out.glob("*"))


class Outputs(WithFolder):
    """The folder of the parts."""

    def test_the_same_sort_twice(self):
        # A cluster of its own has other nodes.
        first, folder = self.begun(["n1", "n2"])
        parts = self.made(folder, first)
        before = self.names()
        second = Nodes(self.out, self.spec, ["n3"])
        with self.assertRaisesRegex(sortwell.UsageError, r"under way: it has locked .*\.claim\."):
            OutputFolder(str(self.out), self.spec).claim(second)
        second.end()
        self.assertEqual(self.names(), before)
        folder.commit(first, parts)
        folder.write_manifest(first, mock.Mock(as_dict=dict))
        first.end()
        done = ["manifest.json", "part-00000", "part-00001", "part-00002"]
        self.assertEqual(self.names(), done)
        late = Nodes(self.out, self.spec, ["n3"])
        output = OutputFolder(str(self.out), self.spec)
        with self.assertRaisesRegex(sortwell.UsageError, "it has manifest.json; name a new"):
            output.claim(late)
        with (
            mock.patch.object(_run_folders.time, "sleep"),
            self.assertRaisesRegex(sortwell.UsageError, "under way: it has locked .*/n3/lock"),
        ):
            Nodes(self.out, self.spec, ["n3"])
        output.remove_parts(late)
        late.end(keeps_runs=True)
        self.assertEqual(self.names(), done)
        self.assertEqual(list(self.temp.iterdir()), [], "there are no runs to keep")

    def test_names_that_are_taken(self):
        nodes, folder = self.begun(["n1"])
        parts = self.made(folder, nodes)
        self.out.joinpath("part-00001").write_bytes(b"of another program")
        with self.assertRaisesRegex(sortwell.UsageError, "part-00001 has been written meanwhile"):
            folder.commit(nodes, parts)
        folder.remove_parts(nodes)
        nodes.end()
        self.assertEqual(self.names(), ["part-00001"])

    def test_file_systems_without_links(self):
        with mock.patch.object(os, "link", side_effect=PermissionError(1, "no links")):
            nodes, folder = self.begun(["n1"])
            folder.commit(nodes, self.made(folder, nodes))
            other = self.folder / "other"
            other.touch()
            with self.assertRaisesRegex(sortwell.UsageError, "written meanwhile"):
                _claims.give_name(str(other), str(self.out / "part-00000"))
            nodes.end()
        self.assertEqual(self.names(), ["part-00000", "part-00001", "part-00002"])

    def test_names_that_are_given_twice(self):
        nodes, folder = self.begun(["n1"])
        parts = self.made(folder, nodes)
        folder.commit(nodes, parts)
        # The exchange died before it could answer.
        folder.commit(nodes, parts)
        nodes.exchanges["n1"].give_up_names([])
        with self.assertRaisesRegex(sortwell.StorageError, "the sort has ended"):
            folder.commit(nodes, self.made(folder, nodes))
        nodes.end()
        self.assertEqual(self.names(), [])

    def test_errors_at_the_end(self):
        for place in (f"node://*{self.out}", self.out):
            for error in (KeyboardInterrupt, OSError(5, "the disk")):
                with self.subTest(place=place, error=error):
                    nodes, folder = self.begun(["n1", "n2"], output=place)
                    folder.commit(nodes, self.made(folder, nodes))
                    with (
                        mock.patch.object(_claims, "sync_folder", side_effect=error),
                        self.assertRaises((KeyboardInterrupt, OSError)),
                    ):
                        folder.write_manifest(nodes, mock.Mock(as_dict=dict))
                    self.assertIn("manifest.json", self.names())
                    folder.remove_parts(nodes)
                    nodes.end()
                    self.assertEqual(self.names(), [])

    def test_a_sort_that_died_while_it_named_parts(self):
        for names in (["n1", "n2"], ["n3"]):
            nodes, folder = self.begun(["n1", "n2"])
            folder.commit(nodes, self.made(folder, nodes)[:2])
            nodes.die()
            self.assertIn("part-00000", self.names())
            # Another sort is not allowed to remove this.
            spec = Spec("another00000", "token", 1 << 28, str(self.temp), (), keeps=True)
            other = Nodes(self.out, spec, ["n4"])
            words = rf"has \.claim\.{JOB}.*'resume'.* remove .*\.{JOB}\..*{self.spec.name}"
            with self.assertRaisesRegex(sortwell.UsageError, words):
                OutputFolder(str(self.out), spec).claim(other)
            other.end()
            again, _ = self.begun(names)
            left = [f".claim.{self.spec.part_end(name)}" for name in names]
            self.assertEqual(self.names(), left)
            again.end()
            self.assertEqual(self.names(), [])

    def end_of_driver(self, nodes, node="n1"):
        """Ends all processes but the janitor of a node, which then waits in vain."""
        nodes.die()
        with mock.patch.object(_janitor, "PATIENCE", 0):
            folders = [self.spec.folder(node), self.spec.memory_folder(node)]
            _janitor._watch(folders, str(self.out), self.spec.part_end(node))

    def test_parts_that_are_gone_at_the_end(self):
        for change in (
            lambda path: path.unlink(),
            lambda path: shutil.copy(path, f"{path}.1") and os.replace(f"{path}.1", path),
        ):
            nodes, folder = self.begun(["n1", "n2"])
            folder.commit(nodes, self.made(folder, nodes))
            change(self.out / "part-00001")
            with self.assertRaisesRegex(PartLost, "part-00001 was removed"):
                folder.write_manifest(nodes, mock.Mock(as_dict=dict))
            self.assertNotIn("manifest.json", self.names())
            nodes.end()
            shutil.rmtree(self.out)

    def test_a_driver_that_is_killed_at_the_end(self):
        parts = ["part-00000", "part-00001", "part-00002"]
        # The manifest has no name yet.
        nodes, folder = self.begun(["n1"])
        folder.commit(nodes, self.made(folder, nodes))
        temporary = pathlib.Path(_janitor.unfinished_manifest(str(self.out), JOB))
        temporary.touch()
        nodes.call("n1", "seal", folder._committed["n1"])
        self.assertIn("part-00000", self.names())
        self.end_of_driver(nodes)
        self.assertEqual(self.names(), [])
        # It has its name.
        nodes, folder = self.begun(["n1"])
        folder.commit(nodes, self.made(folder, nodes))
        folder.write_manifest(nodes, mock.Mock(as_dict=dict))
        self.end_of_driver(nodes)
        self.assertEqual(self.names(), ["manifest.json", *parts])

    def test_a_call_of_a_sort_that_is_done(self):
        parts = ["part-00000", "part-00001", "part-00002"]
        for place, names in itertools.product(
            (str(self.out), f"node://*{self.out}"), (["n1"], ["n2"])
        ):
            with self.subTest(place=place, names=names):
                # The driver was killed after the manifest had its name.
                nodes, folder = self.begun(["n1"], output=place)
                folder.commit(nodes, self.made(folder, nodes))
                folder.write_manifest(nodes, mock.Mock(as_dict=dict))
                pathlib.Path(self.spec.folder("n1"), "run-000000-1.done").touch()
                nodes.die()
                again = Nodes(self.out, self.spec, names)
                output = OutputFolder(place, self.spec)
                self.assertTrue(output.clean(again))
                with self.assertRaisesRegex(sortwell.UsageError, "the sort is done: .*manifest"):
                    output.claim(again)
                again.end()
                self.assertEqual(self.names(), ["manifest.json", *parts])
                self.assertEqual(list(self.temp.iterdir()), [])
                again = Nodes(self.out, self.spec, names)
                self.assertFalse(OutputFolder(place, self.spec).clean(again))
                again.end()
                shutil.rmtree(self.out)

    def test_a_sort_that_died_when_its_parts_were_to_stay(self):
        for is_here in (True, False):
            # On another machine, there is no manifest to look for.
            with self.subTest(is_here=is_here):
                nodes, folder = self.begun(["n1"])
                folder.commit(nodes, self.made(folder, nodes))
                if is_here:
                    temporary = _janitor.unfinished_manifest(str(self.out), JOB)
                    pathlib.Path(temporary).touch()
                for _ in range(2):
                    nodes.call("n1", "seal", folder._committed["n1"])
                nodes.die()
                again, _ = self.begun(["n2"])
                self.assertEqual(self.names(), [f".claim.{self.spec.part_end('n2')}"])
                again.end()

    def test_parts_on_another_machine_stay(self):
        nodes, folder = self.begun(["n1"])
        folder.commit(nodes, self.made(folder, nodes))
        nodes.call("n1", "seal", folder._committed["n1"])
        self.end_of_driver(nodes)
        sealed = f".sealed.{self.spec.part_end('n1')}"
        self.assertEqual(self.names(), [sealed, "part-00000", "part-00001", "part-00002"])
        another = dataclasses.replace(self.spec, job="another")
        self.addCleanup(shutil.rmtree, f"/dev/shm/{another.name}", ignore_errors=True)
        message = f"it has {sealed}; it lists parts whose manifest is on another machine"
        with self.assertRaisesRegex(sortwell.UsageError, message):
            self.begun(["n1"], spec=another)

    def test_a_janitor_before_the_manifest(self):
        nodes, folder = self.begun(["n1"])
        folder.commit(nodes, self.made(folder, nodes))
        give_name = _claims.give_name

        def give_up_before(*names):
            self.end_of_driver(nodes)
            give_name(*names)

        with (
            mock.patch.object(_claims, "give_name", give_up_before),
            self.assertRaisesRegex(PartLost, "a janitor has removed"),
        ):
            folder.write_manifest(nodes, mock.Mock(as_dict=dict))
        self.assertEqual(self.names(), [])

    def finish(self, lose, output=None):
        """Has parts made and named, while `lose` is called with each method of an exchange."""
        nodes, _ = self.begun(["n1", "n2"], output)
        sort = _driver._Sort(self.spec, str(output or self.out), None)
        call, made = nodes.call, []

        def make_parts(*_):
            live = mock.Mock(exchanges=[node.id for node in nodes.nodes])
            sort._made = {part.number: part for part in self.made(sort._output, live)}
            made.append(list(sort._made))

        def call_with_losses(node, method, *arguments):
            lose(nodes, node, method)
            return call(node, method, *arguments)

        with (
            mock.patch.object(sort, "_make_parts", make_parts),
            mock.patch.object(sort, "_prove", return_value=mock.Mock(as_dict=dict)),
            mock.patch.object(nodes, "call", call_with_losses),
        ):
            sort._finish(nodes, [], {}, {}, 0.0)
        nodes.end()
        done = ["manifest.json", "part-00000", "part-00001", "part-00002"]
        self.assertEqual(self.names(), done)
        shutil.rmtree(self.out)
        self.assertEqual(len(made), 2)
        self.assertEqual(sort._redone_parts, 3)

    def test_nodes_that_are_lost_while_parts_are_named(self):
        for place in (self.out, f"node://*{self.out}"):
            for lost in ("commit", "seal"):

                def lose(nodes, node, method, lost=lost):
                    if method == lost and node == "n1":
                        nodes.lost.add("n1")

                with self.subTest(place=place, lost=lost):
                    self.finish(lose, place)

    def test_parts_that_vanish_while_they_are_named(self):
        for lost, name in (("commit", f".part-00001.{JOB}.n2"), ("seal", "part-00001")):
            removed = []

            def lose(nodes, node, method, lost=lost, name=name, removed=removed):
                if method == lost and not removed:
                    removed.append(name)
                    self.out.joinpath(name).unlink()

            self.finish(lose)

    def test_a_folder_that_is_not_shared(self):
        nodes = Nodes(self.out, self.spec, ["n1", "n2"])
        local = self.folder / "local"
        nodes.exchanges["n2"]._output = str(local)
        nodes.exchanges["n2"]._claim = _claims.Claim(str(local), self.spec, "n2")
        with self.assertRaisesRegex(
            sortwell.UsageError,
            rf"node n1 does not .* node n2 writes .*; write node://\*{self.out}",
        ):
            OutputFolder(str(self.out), self.spec).claim(nodes)
        nodes.end()
        self.assertEqual((self.out.exists(), local.exists()), (False, False))

    def test_nodes_that_are_lost_before_the_claim(self):
        for place in (self.out, f"node://*{self.out}"):
            nodes = Nodes(self.out, self.spec, ["n1", "n2"])
            nodes.lost.add("n1")
            OutputFolder(str(place), self.spec).claim(nodes)
            self.assertEqual(nodes.claimed, {"n2"})
            nodes.end()
        nodes = Nodes(self.out, self.spec, ["n1", "n2"])
        nodes.lost.add("n1")
        with self.assertRaisesRegex(sortwell.StorageError, "node n1 of the output is lost"):
            OutputFolder(f"node://n1{self.out}", self.spec).claim(nodes)
        nodes.end()

    def test_a_claim_that_a_janitor_has_removed(self):
        nodes, _ = self.begun(["n1"])
        name = f".claim.{self.spec.part_end('n1')}"
        nodes.end(keeps_runs=True)
        self.assertEqual(self.names(), [])
        exchange = nodes.exchanges["n1"]
        exchange.begin(self.spec, "n1", 1, str(self.out), True)
        self.assertEqual((self.names(), exchange._claim.is_held), ([name], True))
        exchange.end(keeps_runs=True)
        self.out.mkdir(exist_ok=True)
        self.out.joinpath(".claim.another00000.n4").touch()
        with self.assertRaisesRegex(sortwell.StorageError, r"has made \.claim\.another"):
            exchange.begin(self.spec, "n1", 1, str(self.out), True)
        self.assertEqual(self.names(), [".claim.another00000.n4"])
        for lock in exchange._locks:
            os.close(lock)

    def test_a_node_of_the_output_that_is_lost(self):
        nodes, folder = self.begun(["n1", "n2"], output=f"node://n2{self.out}")
        nodes.nodes.pop()
        with self.assertRaisesRegex(sortwell.StorageError, "node n2 of the output is lost"):
            folder.owners(nodes)
        nodes.end()
        with self.assertRaisesRegex(sortwell.UsageError, "no node is named"):
            OutputFolder("node://x/out", self.spec).owners(nodes)


class Inputs(WithFolder):
    """Inputs that change while they are sorted."""

    def run_of(self, change, in_memory=0):
        """Makes a run of a file that changes meanwhile."""
        path = self.folder / "in"
        path.write_bytes(b"b\na\n")
        split = Split(0, str(path), None, 0, 4, False, state_of(str(path)))
        make, self.words = _native.make_run, {}

        def make_run(words, *others):
            self.words = dict(words)
            made = make(words, *others)
            change(path)
            return made

        with (
            mock.patch.object(_tasks, "here", return_value="n1"),
            mock.patch.object(_native, "make_run", make_run),
        ):
            return _tasks.make_run(self.spec, split, 1, in_memory)

    def test_inputs_that_change(self):
        run = self.run_of(lambda _: None)
        self.assertEqual(pathlib.Path(run.path).read_bytes(), b"a\nb\n")

        def replace(path):
            path.with_name("new").write_bytes(b"c\nd\n")
            os.utime(path.with_name("new"), ns=(0, os.stat(path).st_mtime_ns))
            os.rename(path.with_name("new"), path)

        for change in (
            replace,
            lambda path: path.write_bytes(b"c\nd\n"),
            lambda path: os.truncate(path, 5),
        ):
            with self.assertRaisesRegex(sortwell.StorageError, "in: the input has changed since"):
                self.run_of(change)

    def test_an_input_on_another_device(self):
        path = self.folder / "in"
        path.write_bytes(b"a\n")
        found = os.stat(path)
        names = ("st_ino", "st_size", "st_mtime_ns")
        other = mock.Mock(st_dev=found.st_dev + 1, **{name: getattr(found, name) for name in names})
        splits = [Split(0, str(path), None, 0, 2, False, state_of(str(path)))]
        with mock.patch.object(os, "stat", return_value=other):
            splits.append(Split(0, str(path), None, 0, 2, False, state_of(str(path))))
        self.assertEqual(*[split.identity for split in splits])

    def test_memory_that_is_full(self):
        failed = []

        def fail(_):
            if not failed:
                failed.append(os.listdir(self.spec.memory_folder("n1")))
                raise _errors.make("NoSpaceError", "full", 4, None, None, None, errno.ENOSPC)

        run = self.run_of(fail, in_memory=4)
        self.assertEqual(len(failed), 1)
        self.assertEqual(pathlib.Path(run.path).read_bytes(), b"a\nb\n")
        self.assertEqual(os.path.dirname(run.path), self.spec.folder("n1"))
        self.assertEqual(os.listdir(self.spec.memory_folder("n1")), [])

    def test_runs_beyond_the_share_of_memory(self):
        memory = pathlib.Path(self.spec.memory_folder("n1"))
        for others, folder in [(b"", str(memory)), (b"1" * 100, self.spec.folder("n1"))]:
            seen = []

            def look(_, seen=seen):
                seen.append(memory.joinpath("run-000000-dead").exists())

            memory.mkdir(parents=True, exist_ok=True)
            memory.joinpath("run-000000-dead").write_bytes(b"a\n")
            memory.joinpath("run-000001-other").write_bytes(others)
            run = self.run_of(look, in_memory=4)
            self.assertEqual(os.path.dirname(run.path), folder)
            self.assertFalse(seen[0], "files of a dead attempt are removed")
            shutil.rmtree(memory)
        # The sort takes what the runs of others leave. A file of holes takes no memory.
        self.spec = dataclasses.replace(self.spec, memory=1 << 30)
        memory.mkdir()
        for name, size in [("run-000009-x", 300 << 20), ("run-000009-x.index", 100 << 20)]:
            memory.joinpath(name).touch()
            os.truncate(memory / name, size)
        for in_memory, most in [(0, 300 << 20), (200 << 20, 300 << 20), (310 << 20, 310 << 20)]:
            run = self.run_of(lambda _: None, in_memory=in_memory)
            folder = memory if in_memory == most else pathlib.Path(self.spec.folder("n1"))
            self.assertEqual(pathlib.Path(run.path).parent, folder)
            self.assertEqual(int(self.words["memory"]), (1 << 30) - (192 << 20) - most)

    def test_folders_that_a_janitor_has_removed(self):
        for is_made_again in (False, True):
            nodes = Nodes(self.out, self.spec, ["n1"])

            def remove(*_, nodes=nodes, is_made_again=is_made_again):
                nodes.end()
                if is_made_again:
                    nodes.exchanges["n1"].begin(self.spec, "n1", 1, str(self.out))
                raise FileNotFoundError(2, "no folder")

            with self.assertRaisesRegex(RunLost, "the folder of run 0 was removed"):
                self.run_of(remove)
            if is_made_again:
                nodes.end()
            again = Nodes(self.out, self.spec, ["n1"])
            with (
                mock.patch.object(_tasks, "here", return_value="n1"),
                mock.patch.object(_tasks, "_merged", lambda *_, again=again: again.end()),
                self.assertRaisesRegex(RunLost, "its exchange was dead"),
            ):
                _tasks.make_part(self.spec, 0, str(self.out / ".part-00000"), [], 1, 1)

    def test_nodes_of_inputs_that_are_lost(self):
        path = self.folder / "in"
        path.write_bytes(b"a\n" * 4_000_000)
        for node in (None, "n1"):
            for lost in ("tops", "cut_input", "free_in_memory"):
                nodes = Nodes(self.out, self.spec, ["n1", "n2"])
                call = nodes.call

                def call_with_losses(node, method, *words, nodes=nodes, lost=lost, call=call):
                    if method == lost and node == "n1":
                        nodes.lost.add("n1")
                    return call(node, method, *words)

                name = str(path) if node is None else f"node://n1{path}"
                wrong = self.assertRaisesRegex(
                    sortwell.StorageError, f"the node of {path} is lost, and no other node has"
                )
                spec = dataclasses.replace(self.spec, keeps=False, memory=1 << 30)
                with (
                    self.subTest(node=node, lost=lost),
                    mock.patch.object(nodes, "call", call_with_losses),
                    contextlib.nullcontext() if node is None else wrong,
                ):
                    splits = _placement.splits(nodes, spec, _inputs.find(nodes, [name]))
                    chosen, _ = _placement.place(nodes, spec, splits)
                    self.assertEqual(set(chosen.values()), {"n2"})
                self.assertEqual(nodes.lost, {"n1"})
                nodes.end()

    def test_temporary_files(self):
        self.run_of(lambda _: None)
        # They go with the runs.
        self.assertEqual(self.words["temp"], self.spec.folder("n1"))
        self.assertIn(("temp", "here"), self.spec.merge_words(1 << 28, "here", is_last=True))

    def test_a_run_that_is_made_again(self):
        work = Work("map", "n1", 0.0, 0.0, [])
        run = Run(0, "lost", "run", 4, 2, "1f", "", [], work)
        split = Split(0, "in", None, 0, 4, False, "")
        sort = _driver._Sort(self.spec, str(self.out), None)
        cluster = mock.Mock(nodes=[mock.Mock(id="n1")])
        with mock.patch.object(sort, "_missing", return_value=set()):
            for made in (
                Run(0, "n1", "run", 4, 2, "2f", "", [], work),
                Run(0, "n1", "run", 6, 2, "1f", "", [], work),
            ):
                with (
                    mock.patch.object(sort, "_make_runs", return_value={0: made}),
                    self.assertRaisesRegex(sortwell.StorageError, "in: the input has changed"),
                ):
                    sort._recover(cluster, [split], {0: run})
            made, runs = Run(0, "n1", "run", 4, 2, "1f", "", [], work), {0: run}
            with mock.patch.object(sort, "_make_runs", return_value={0: made}):
                sort._recover(cluster, [split], runs)
            self.assertEqual(runs, {0: made})


class Settings(unittest.TestCase):
    """Options of tasks."""

    def test_a_large_number_to_skip(self):
        most = (1 << 64) - 1
        words = (("skip", str(most)), ("limit", "5"))
        spec = Spec("0123456789ab", "token", 1 << 30, "/nowhere", words)
        self.assertIn(("limit", str(most)), spec.sort_words(1, 1 << 20, "/nowhere"))


class Attempts(unittest.TestCase):
    """Tasks that fail because of nodes."""

    def setUp(self):
        """Makes tasks of two nodes."""
        self.cluster = mock.Mock()
        self.split = Split(0, "/data/in", "n1", 0, 4, False, "")
        self.alive = [mock.Mock(id="n1"), mock.Mock(id="n2")]
        patched = mock.patch.object(_running, "alive", lambda: self.alive)
        patched.start()
        self.addCleanup(patched.stop)

    def tasks(self, chosen, owned=lambda _: None):
        """Returns tasks that may move to both nodes."""
        ids = ["n1", "n2"]
        start = mock.Mock(side_effect=lambda number, node: f"{number} on {node}")
        words = (start, chosen, lambda _: None, lambda _: ids, owned)
        return _running.Tasks(self.cluster, "map", *words)

    def fail(self, tasks, error, number=0):
        """Has an attempt of a task on the first node fail."""
        with mock.patch.object(_running.ray, "get", side_effect=error):
            done = {}
            attempt = _running._Attempt(number, "n1", 0.0)
            tasks._result("reference", attempt, done)
            self.assertEqual(done, {})

    def error_of_task(self, error):
        """Returns an error of a task as Ray raises it."""
        return _running.ray.exceptions.RayTaskError("map", "", error)

    def test_the_only_node_of_an_input_is_lost(self):
        tasks = self.tasks({}, lambda _: self.split)
        tasks._failed[0] = 0
        self.alive.pop(0)
        with self.assertRaisesRegex(sortwell.StorageError, "node of /data/in is lost, and no"):
            self.fail(tasks, _running.ray.exceptions.WorkerCrashedError())

    def test_a_loss_that_is_noticed_late(self):
        tasks = self.tasks({0: "n1"}, lambda _: self.split)
        waits = []
        for _ in range(_running.ATTEMPTS):
            self.fail(tasks, _running.ray.exceptions.WorkerCrashedError())
            waits.append(round(tasks._not_before[0] - time.monotonic()))
            self.assertEqual(tasks._waiting, {0: "n1"})
        self.assertEqual(waits, [0, 1, 3, 7, 15])
        self.assertFalse(tasks._begin_waiting())
        self.assertEqual(tasks._waiting, {0: "n1"})
        with self.assertRaisesRegex(sortwell.StorageError, "'map 0 of /data/in' could not"):
            self.fail(tasks, _running.ray.exceptions.WorkerCrashedError())

    def test_a_folder_that_a_janitor_has_removed(self):
        tasks = self.tasks({0: "n1"})
        del tasks._waiting[0]
        self.fail(tasks, self.error_of_task(RunLost("removed")))
        self.cluster.begin_exchanges.assert_called_once_with()
        self.assertEqual(tasks._waiting, {0: "n2"})

    def test_a_source_that_is_lost(self):
        tasks = self.tasks({0: "n1", 1: "n2", 2: "n2"})
        tasks._begin_waiting()
        self.assertEqual(tasks._waiting, {2: "n2"})
        del tasks._under_way["0 on n1"]
        self.fail(tasks, self.error_of_task(SourceLost("n1", "silence")))
        self.assertEqual((tasks._waiting, tasks.reason), ({}, "silence"))
        with (
            mock.patch.object(_running.ray, "cancel") as cancel,
            mock.patch.object(_running.ray, "wait"),
        ):
            tasks._end_without_sources()
            self.assertEqual(list(tasks._under_way), ["1 on n2"])
            # The others wait for a machine that has vanished.
            self.alive.pop(0)
            tasks._end_without_sources()
            cancel.assert_called_once_with("1 on n2", force=True)
        self.assertEqual(tasks._under_way, {})

    def test_an_interrupt_while_exchanges_begin(self):
        spec = Spec("0123456789ab", "token", 1 << 30, "/nowhere", ())
        node = mock.Mock(id="n1")
        killed = []

        def begin(cluster):
            cluster._urls["n1"] = "http://n1"
            raise KeyboardInterrupt

        with (
            mock.patch.object(_nodes, "alive", lambda: [node]),
            mock.patch.object(_nodes, "check_head"),
            mock.patch.object(_nodes, "_exchange_of") as exchange_of,
            mock.patch.object(_nodes.Cluster, "begin_exchanges", begin),
            mock.patch.object(_nodes.ray, "get") as get,
            mock.patch.object(_nodes.ray, "kill", killed.append),
        ):
            with self.assertRaises(KeyboardInterrupt):
                _nodes.Cluster(spec, "/nowhere")
            # The exchange is asked to end before it is killed.
            get.assert_called_once()
            self.assertEqual(killed, [exchange_of.return_value])

    def test_nodes_with_one_label(self):
        def listed(number, label=None, cpus=2.0, is_alive=True):
            labels = {} if label is None else {"sortwell-node": label}
            resources = {"CPU": cpus}
            known = {"NodeID": number, "Labels": labels, "Resources": resources, "Alive": is_alive}
            return known | {"NodeManagerAddress": "127.0.0.1"}

        rows = [listed("5a", "b"), listed("3c", "a"), listed("4b", "a"), listed("2d")]
        rows += [listed("6e", "b", is_alive=False), listed("7f", "b", cpus=0.0)]
        with (
            mock.patch.object(_nodes, "check_head"),
            mock.patch.object(_nodes.ray, "nodes", lambda: rows),
        ):
            found = _nodes.alive()
        names = [(node.name, node.id) for node in found]
        self.assertEqual(names, [("2d", "2d"), ("3c", "3c"), ("4b", "4b"), ("b", "5a")])
        cluster = _nodes.Cluster.__new__(_nodes.Cluster)
        cluster.nodes = found
        for name, ids in (("a", "3c 4b"), ("b", "5a"), ("4b", "4b"), ("*", "2d 3c 4b 5a")):
            self.assertEqual(" ".join(node.id for node in cluster.named(name)), ids)
        with self.assertRaisesRegex(sortwell.UsageError, "no node is named 'c'.* 2d, 3c, 4b, b$"):
            cluster.named("c")

    def test_an_exchange_that_takes_its_time(self):
        cluster = _nodes.Cluster.__new__(_nodes.Cluster)
        answers = [_nodes.ray.exceptions.GetTimeoutError("no answer"), "splits"]
        with (
            mock.patch.object(cluster, "keep_exchanges") as keep,
            mock.patch.object(_nodes, "alive", lambda: self.alive),
            mock.patch.object(_nodes.ray, "get", side_effect=answers),
        ):
            self.assertEqual(cluster._answer("n1", "reference", mock.Mock()), "splits")
        keep.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
