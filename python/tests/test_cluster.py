"""`sortwell.cluster` on four nodes of this machine, beside the sort of one machine."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time
import unittest
import warnings

import ray
from ray.cluster_utils import Cluster

import sortwell
import sortwell.cluster

NODES = ["north", "east", "south", "west"]


def setUpModule():
    """Starts four nodes, which all tests share."""
    warnings.simplefilter("ignore", ResourceWarning)
    global CLUSTER
    ray.shutdown()
    CLUSTER = Cluster()
    for name in NODES:
        CLUSTER.add_node(num_cpus=1, labels={"sortwell-node": name}, object_store_memory=100 << 20)
    ray.init(address=CLUSTER.address, log_to_driver=False, logging_level="error")


def tearDownModule():
    """Ends the nodes."""
    ray.shutdown()
    CLUSTER.shutdown()


class WithRoots(unittest.TestCase):
    """A folder for each node, and one that all share."""

    # The runs of a lost node stay on it until the next sort.
    loses_nodes = False

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in [*NODES, "temp"]:
            self.folder.joinpath(name).mkdir()

    def write(self, name, content):
        """Writes an input, and returns its path."""
        path = self.folder / name
        path.write_bytes(content)
        return path

    def sorted(self, inputs, output="out", **options):
        """Sorts on the cluster, and returns the records of all parts, and the statistics."""
        options.setdefault("memory", "320MiB")
        statistics = sortwell.cluster.sort(
            inputs, self.folder / output, temp=self.folder / "temp", **options
        )
        contents = []
        for part in statistics.parts:
            content = pathlib.Path(part.path).read_bytes()
            self.assertEqual(len(content), part.bytes)
            self.assertTrue(content.startswith(statistics.header))
            contents.append(content[len(statistics.header) :])
        self.assertEqual(sum(part.records for part in statistics.parts), statistics.records)
        names = {path.name for path in self.folder.joinpath(output).iterdir()}
        expected = {pathlib.Path(part.path).name for part in statistics.parts}
        self.assertEqual(names, expected | {"manifest.json"})
        if not self.loses_nodes:
            self.assertEqual(list(self.folder.joinpath("temp").iterdir()), [], "runs are removed")
        return statistics.header + b"".join(contents), statistics

    def assert_as_one(self, inputs, files=None, **options):
        """Compares with the sort of one machine. `files` are the inputs as paths of this one."""
        options_of_one = {name: value for name, value in options.items() if name != "parts"}
        sortwell.sort(files or inputs, self.folder / "expected", **options_of_one)
        found, statistics = self.sorted(inputs, **options)
        expected = self.folder.joinpath("expected").read_bytes()
        self.assertEqual(len(found), len(expected))
        self.assertTrue(found == expected, "other bytes")
        shutil.rmtree(self.folder / "out")
        return statistics


def records(count, kind, seed=1, length=100):
    """Returns records of fixed length, whose first ten bytes are the key."""
    source = random.Random(seed)
    made = []
    for number in range(count):
        key = {
            "uniform": source.randbytes(10),
            "skewed": (b"hot key !!" if source.random() < 0.9 else source.randbytes(1) + bytes(9)),
            "equal": b"the same !",
            "sorted": number.to_bytes(10, "big"),
        }[kind]
        made.append(key + b"%012d" % number + bytes(length - 22))
    return b"".join(made)


class Sorts(WithRoots):
    """The bytes of one machine, for inputs of all kinds."""

    def test_fixed_records(self):
        options = {"format": "fixed:100", "key": "0..10"}
        for kind, parts in [("uniform", 4), ("skewed", 7), ("equal", 3), ("sorted", 1)]:
            path = self.write("in", records(60_000, kind))
            statistics = self.assert_as_one(path, parts=parts, **options)
            self.assertEqual(len(statistics.parts), parts)
            self.assertLess(statistics.skew, 1.2, f"{kind} in {parts} parts")

    def test_lines(self):
        source = random.Random(2)
        lines = [
            b"%d %d %s\n" % (number, source.randrange(300), b"x" * source.randrange(80))
            for number in range(120_000)
        ]
        first = self.write("first", b"".join(lines[:70_000]))
        # The last line lacks its end.
        second = self.write("second", b"".join(lines[70_000:])[:-1])
        empty = self.write("empty", b"")
        self.assert_as_one([first, empty, second], key="2:int", parts=5)
        self.assert_as_one([second, first], key="2:int:desc", unique=True, parts=3)
        self.assert_as_one([first], include="2:int < 20", key="3", parts=4)

    def test_rows(self):
        source = random.Random(3)
        rows = [
            b'%d,"a ""%d""\nline",%d\n' % (source.randrange(40), number, number)
            for number in range(90_000)
        ]
        header = b"id,words,number\n"
        first = self.write("a.csv", header + b"".join(rows[:80_000]))
        second = self.write("b.csv", header + b"".join(rows[80_000:]))
        self.assert_as_one([first, second], format="csv", key="id:int", parts=6)
        statistics = self.assert_as_one([second], format="csv", key=["number:int:desc"], parts=2)
        self.assertEqual(statistics.header, header)

    def test_keyed_records(self):
        source = random.Random(4)
        made = []
        for number in range(50_000):
            key = source.randbytes(source.randrange(1, 4))
            body = key + b"%d" % number
            made.append(
                (4 + len(body)).to_bytes(4, "little") + len(key).to_bytes(4, "little") + body
            )
        path = self.write("keyed", b"".join(made))
        self.assert_as_one(path, format="keyed", parts=3)

    def test_few_records(self):
        empty = self.write("in", b"")
        statistics = self.assert_as_one(empty, parts=3)
        self.assertEqual((statistics.records, len(statistics.parts)), (0, 3))
        one = self.write("in", b"a\n")
        self.assert_as_one(one, parts=20)
        rows = self.write("in", b"id\n")
        self.assert_as_one(rows, format="csv", key="id", parts=2)

    def test_inputs_of_nodes(self):
        source = random.Random(5)
        files = []
        for place, name in enumerate(["east", "north", "west"]):
            content = b"".join(
                b"%d\n" % source.randrange(500) for _ in range(3000 + 40_000 * place)
            )
            path = self.folder / name / "part.txt"
            path.write_bytes(content)
            files.append(path)
        inputs = [f"node://{path.parent.name}{path}" for path in files]
        statistics = self.assert_as_one(inputs, files, key="1:int", parts=4)
        runs = {node.name: node.runs for node in statistics.nodes}
        self.assertEqual(runs["south"], 0)
        self.assertGreater(runs["west"], 0)
        # A pattern names files of each node, in the order of the nodes.
        pattern = f"node://*{self.folder}/*/part.txt"
        statistics = sortwell.cluster.sort(
            pattern,
            f"node://*{self.folder}/out",
            key="1:int",
            temp=self.folder / "temp",
            memory="320MiB",
        )
        self.assertEqual(statistics.records, 4 * sum(3000 + 40_000 * place for place in range(3)))
        self.assertTrue(all(part.path.startswith("node://") for part in statistics.parts))
        manifest = json.loads(self.folder.joinpath("out", "manifest.json").read_bytes())
        self.assertEqual([part["number"] for part in manifest["parts"]], [0, 1, 2, 3])

    def test_bytes_between_nodes(self):
        path = self.write("in", records(80_000, "uniform"))
        _, statistics = self.sorted(path, format="fixed:100", key="0..10")
        self.assertLessEqual(statistics.bytes_between_nodes, 8_000_000)
        self.assertGreater(statistics.bytes_between_nodes, 4_000_000)
        self.assertEqual([node.name for node in statistics.nodes], sorted(NODES))


def kill(title):
    """Kills a process of Ray whose title contains these words. Returns whether there was one."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().startswith(b"ray::") and title in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
                return True
    return False


class Faults(WithRoots):
    """Processes and nodes that end in the middle."""

    def sort_while(self, act, **options):
        """Sorts, with `act` called for each progress. Compares with the sort of one machine."""
        path = self.write("in", records(100_000, "uniform", seed=6))
        options |= {"format": "fixed:100", "key": "0..10"}
        sortwell.sort(path, self.folder / "expected", format="fixed:100", key="0..10")
        found, statistics = self.sorted(path, progress=act, **options)
        self.assertTrue(found == self.folder.joinpath("expected").read_bytes(), "other bytes")
        return statistics

    def kill_at(self, phase, title):
        """Kills a process while a phase runs."""
        killed = []

        def act(progress):
            until = time.monotonic() + 10
            while progress.phase == phase and not killed and time.monotonic() < until:
                if kill(title):
                    killed.append(title)

        self.sort_while(act, parts=6)
        self.assertEqual(killed, [title])

    def test_map(self):
        self.kill_at("map", b"sortwell map")

    def test_reduce(self):
        self.kill_at("reduce", b"sortwell reduce")

    def test_exchange(self):
        self.kill_at("reduce", b"Exchange")

    def lose_at(self, phase, done):
        """Removes a node when `done` tasks of a phase are done."""
        node = CLUSTER.add_node(
            num_cpus=1, labels={"sortwell-node": "lost"}, object_store_memory=100 << 20
        )
        CLUSTER.wait_for_nodes()
        lost = []

        def act(progress):
            if (progress.phase, progress.done) == (phase, done) and not lost:
                lost.append(phase)
                CLUSTER.remove_node(node, allow_graceful=False)

        self.loses_nodes = True
        statistics = self.sort_while(act, parts=40)
        self.assertEqual(lost, [phase])
        self.loses_nodes = False
        self.sorted(self.write("few", b"b\na\n"), "another")
        self.assertGreater(statistics.maps_done_again, 0)

    def test_a_node_is_lost_after_its_map(self):
        self.lose_at("map", 5)

    def test_a_node_is_lost_before_parts_are_made(self):
        self.lose_at("reduce", 1)

    def test_the_only_copy_is_lost(self):
        node = CLUSTER.add_node(
            num_cpus=1, labels={"sortwell-node": "lost"}, object_store_memory=100 << 20
        )
        CLUSTER.wait_for_nodes()
        path = self.write("in", records(100_000, "uniform", seed=7))
        lost = []

        def act(progress):
            if progress.phase == "reduce" and not lost:
                lost.append(progress)
                CLUSTER.remove_node(node, allow_graceful=False)

        with self.assertRaisesRegex(sortwell.StorageError, "no other node has this input"):
            self.sorted(f"node://lost{path}", progress=act, format="fixed:100", parts=6)
        self.assertEqual(list(self.folder.joinpath("out").glob("*")), [])


def random_case(source):
    """Returns a format, a key, a header, and what makes a record of a number."""
    keys = source.choice([3, 50, 10**9])
    ends = source.choice(["", ":desc"])

    def amount():
        return source.randrange(-keys, keys)

    def line(number):
        return b"%d\t%s\t%d\n" % (amount(), source.randbytes(2).hex().encode(), number)

    def row(number):
        cell = source.choice([b"", b"a", b'"b,\n""c"""', b"\xc3\xa9"])
        return b"%s,%d,%d\n" % (cell, amount(), number)

    def record(number):
        return source.choice([b"ab", b"zz"]) + amount().to_bytes(8, "big", signed=True) + bytes(6)

    def prefixed(number):
        body = b"%d" % (number % keys) * source.randrange(1, 9)
        return len(body).to_bytes(2, "big") + body

    header = {"header": 1} if source.random() < 0.3 else {}
    return source.choice(
        [
            ({"key": [f"1:int{ends}"], "separator": "\t"} | header, b"top\n" * len(header), line),
            ({"key": ["2", f"1:int{ends}"], "separator": "\t"}, b"", line),
            ({}, b"", line),
            ({"format": "csv", "key": [f"cell{ends}"]}, b"cell,amount,number\n", row),
            ({"format": "csv", "key": ["amount:int", "cell:desc"]}, b"cell,amount,number\n", row),
            ({"format": "csv", "no_header": True, "key": "1:random"}, b"", row),
            ({"format": "fixed:16", "key": f"2..10:i64be{ends}"}, b"", record),
            ({"format": "fixed:16", "key": "0..2"}, b"", record),
            ({"format": "u16be", "key": "0..2", "pad": "0"}, b"", prefixed),
        ]
    )


class RandomSorts(WithRoots):
    """Sorts drawn from a seed, beside those of one machine."""

    def test_random_sorts(self):
        cases = int(os.environ.get("CLUSTER_CASES", "4"))
        seed = int(os.environ.get("CLUSTER_SEED", "1"))
        for number in range(cases):
            source = random.Random(f"{seed} {number}")
            options, header, made = random_case(source)
            files = []
            for file in range(source.randrange(1, 4)):
                records = source.choice([0, 1, 700, 30_000])
                content = header + b"".join(made(at) for at in range(records))
                is_cut = source.random() < 0.2 and "format" not in options
                place = source.choice([".", *NODES])
                files.append(self.write(f"{place}/in{file}", content[:-1] if is_cut else content))
            named = [
                path if path.parent == self.folder else f"node://{path.parent.name}{path}"
                for path in files
            ]
            if source.random() < 0.2:
                options["unique"] = True
            parts = source.choice([1, 2, 5, 9])
            with self.subTest(f"case {number} of seed {seed}", options=options, parts=parts):
                self.assert_as_one(named, files, parts=parts, **options)


class Refusals(WithRoots):
    """Errors, after which there is nothing."""

    def refused(self, kind, words, inputs, **options):
        """Checks an error, and that it leaves no part and no run."""
        with self.assertRaisesRegex(kind, words):
            self.sorted(inputs, **options)
        folder = self.folder / "out"
        self.assertEqual(list(folder.iterdir()) if folder.exists() else [], [])
        self.assertEqual(list(self.folder.joinpath("temp").iterdir()), [])

    def test_wrong_requests(self):
        path = self.write("in", b"a\n")
        self.refused(sortwell.UsageError, "no option 'limit'", path, limit=3)
        self.refused(sortwell.UsageError, "one part at least", path, parts=0)
        self.refused(sortwell.UsageError, "no node is named 'up'", f"node://up{path}")
        self.refused(sortwell.UsageError, "256 MiB at least", path, memory="10MiB")
        self.refused(sortwell.StorageError, "no file has a name like", str(path) + "*x")
        self.refused(sortwell.StorageError, "cannot open", str(path) + "x")
        self.refused(sortwell.UsageError, "'nothing'", path, format="csv", key="nothing")

    def test_wrong_inputs(self):
        path = self.write("in", b"id\n1\nx\n")
        self.refused(sortwell.MalformedError, "not an int", path, format="csv", key="id:int")
        other = self.write("other", b"id,name\n1,a\n")
        words = "another header"
        self.refused(sortwell.UsageError, words, [path, other], format="csv", key="id")
        packed = self.write("packed.gz", b"\x1f\x8b\x08rest")
        self.refused(sortwell.MalformedError, "compressed with gzip", packed)

    def test_an_output_that_is_there(self):
        path = self.write("in", b"a\n")
        self.sorted(path)
        with self.assertRaisesRegex(sortwell.UsageError, "is not empty: it has manifest.json"):
            self.sorted(path)


if __name__ == "__main__":
    unittest.main()
