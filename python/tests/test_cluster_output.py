"""The output and the inputs of a cluster sort, with stand-ins for its nodes."""

import itertools
import os
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

import sortwell
from sortwell import _native
from sortwell.cluster import _claims, _driver, _exchange, _spec, _tasks
from sortwell.cluster._output import OutputFolder
from sortwell.cluster._spec import MadePart, Run, Spec, Split, Work, state_of

JOB = "0123456789ab"


class Nodes:
    """Stand-in for a cluster: exchanges in this process."""

    def __init__(self, folder, spec, names):
        """Begins the sort on each node."""
        self.nodes, self.exchanges = [], {}
        for name in names:
            exchange = _exchange.Exchange("127.0.0.1")
            exchange.begin(spec, name, 1, str(folder))
            self.exchanges[name] = exchange
            self.nodes.append(mock.Mock(id=name))
            self.nodes[-1].name = name

    def call(self, node, method, *arguments):
        """Calls an exchange."""
        return getattr(self.exchanges[node], method)(*arguments)

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
        output.remove_parts(late)
        late.end()
        self.assertEqual(self.names(), done)

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

    def run_of(self, change):
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
            return _tasks.make_run(self.spec, split, 1, False)

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

    def test_temporary_files(self):
        self.run_of(lambda _: None)
        # They go with the runs.
        self.assertEqual(self.words["temp"], self.spec.folder("n1"))
        self.assertIn(("temp", "here"), self.spec.merge_words(1 << 28, "here", is_last=True))

    def test_a_run_that_is_made_again(self):
        work = Work("map", "n1", 0.0, 0.0, [])
        run = Run(0, "lost", "run", 4, 2, "1f", [], work)
        split = Split(0, "in", None, 0, 4, False, "")
        sort = _driver._Sort(self.spec, str(self.out), None)
        cluster = mock.Mock(nodes=[mock.Mock(id="n1")])
        with mock.patch.object(sort, "_missing", return_value=set()):
            for made in (
                Run(0, "n1", "run", 4, 2, "2f", [], work),
                Run(0, "n1", "run", 6, 2, "1f", [], work),
            ):
                with (
                    mock.patch.object(sort, "_make_runs", return_value={0: made}),
                    self.assertRaisesRegex(sortwell.StorageError, "in: the input has changed"),
                ):
                    sort._recover(cluster, [split], {0: run})
            made, runs = Run(0, "n1", "run", 4, 2, "1f", [], work), {0: run}
            with mock.patch.object(sort, "_make_runs", return_value={0: made}):
                sort._recover(cluster, [split], runs)
            self.assertEqual(runs, {0: made})


if __name__ == "__main__":
    unittest.main()
