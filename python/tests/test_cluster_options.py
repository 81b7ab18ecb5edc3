"""The command, options and findings of a cluster sort."""

import contextlib
import gzip
import importlib.util
import io
import json
import os
import shutil
import sys
import unittest
from unittest import mock

from cluster_trial import WithRoots, end_nodes, merged_by_nodes, start_nodes

import sortwell
import sortwell.cluster
from sortwell.cluster import __main__ as _command
from sortwell.cluster import _connection, _driver, _inputs
from sortwell.cluster.__main__ import main
from sortwell.cluster._results import ClusterProgress
from sortwell.cluster._spec import FORMS, Spec


def setUpModule():
    """Starts four nodes, which all tests share."""
    global CLUSTER
    CLUSTER = start_nodes()


def tearDownModule():
    """Ends the nodes."""
    end_nodes(CLUSTER)


class Findings(WithRoots):
    """Rows that are left out, and keys that are no values of their types."""

    def assert_same_findings(self, inputs, **options):
        """Compares the findings with those of the sort on one machine. Returns the messages."""
        with contextlib.suppress(FileNotFoundError):
            self.folder.joinpath("one").unlink()
        one = sortwell.sort(inputs, self.folder / "one", **options).as_dict()
        statistics = self.assert_as_one(inputs, **options)
        found = statistics.as_dict()
        for name in ("ragged_rows_dropped", "keys"):
            self.assertEqual(found[name], one[name], options)
        return statistics.messages

    def test_rows_that_are_left_out(self):
        plain = self.write("a.csv", b"id,n\n3,a\n1\n7,b,c\nx,d\n")
        packed = self.write("b.csv.gz", gzip.compress(b"id,n\n2\n,e\n9,f\n"))
        options = {"format": "csv", "key": "id:int", "ragged": "drop", "invalid": "last"}
        messages = self.assert_same_findings([plain, packed], **options)
        self.assertIn("left out 3 rows with a different number of cells", messages[0])
        self.assertIn("1 of 4 records has an invalid key, and comes last", messages[1])
        whole = self.write("c.csv", b"id,n\n3,a\n")
        self.assertEqual(self.assert_same_findings([whole], **(options | {"key": "n"})), [])

    def test_rows_without_a_header(self):
        plain = self.write("a.csv", b"3,a\n1\n7,b,c\n")
        packed = self.write("b.csv.gz", gzip.compress(b"x\n2\n\n,e\n9,f\n9,f\n"))
        empty = self.write("c.csv", b"")
        blank = self.write("d.csv", b"\n2,b\n1\n1\n")
        options = {"format": "csv", "no_header": True, "invalid": "last"}
        for inputs, dropped in [
            ([plain, packed, blank], 6),
            ([empty, packed, plain], 5),
            # Such a first row says nothing, and a row without anything has any number of cells.
            ([blank, plain, packed], 0),
        ]:
            with self.subTest(str(inputs)), merged_by_nodes():
                named = [path if path == empty else f"node://north{path}" for path in inputs]
                for more in ({"ragged": "drop"}, {"ragged": "drop", "count": True}):
                    found = self.assert_as_one(named, inputs, key="1:int", **options, **more)
                    self.assertEqual(found.ragged_rows_dropped or 0, dropped)
                more = {"ragged": "keep", "key": "2"}
                self.assert_as_one(named, inputs, **options, **more)
                try:
                    self.assert_as_one(named, inputs, **options, **more, count=True)
                except sortwell.MalformedError:
                    # A row is longer than the first one.
                    self.assertGreater(dropped, 0)
                    with self.assertRaisesRegex(sortwell.MalformedError, "its count would have"):
                        self.sorted(named, **options, **more, count=True)
                if dropped:
                    with self.assertRaisesRegex(sortwell.MalformedError, "the first row has"):
                        self.sorted(named, key="1:int", **options)
                else:
                    self.assert_as_one(named, inputs, key="1:int", **options)

    def test_headers_of_the_same_columns(self):
        rows = [b"id,a\rb\n3,4\r\n", b'"id","a\rb"\r\n1,2\n', b'\xef\xbb\xbfid,"a\rb"\n']
        files = [self.write(f"{n}.csv", text) for n, text in enumerate(rows)]
        files.append(self.write("4.csv.gz", gzip.compress(rows[1])))
        for inputs in (files, files[::-1]):
            self.assert_as_one(inputs, format="csv", key="id:int")
        for inputs in (files[2:3], files[3:]):
            self.assert_as_one(inputs, format="csv", key="2:int")

    def test_columns_without_a_header(self):
        path = self.write("a.csv", b"3,a\n1,b\n")
        options = {"format": "csv", "no_header": True}
        self.assert_as_one([path], key="1:int", select=["2"], **options)
        for wrong in ({"key": "1:int", "select": ["3"]}, {"key": "1", "sum": "3"}):
            with self.assertRaises(sortwell.UsageError) as one:
                sortwell.sort([path], self.folder / "one", **wrong, **options)
            with self.assertRaises(sortwell.UsageError) as many:
                self.sorted([path], **wrong, **options)
            self.assertEqual(str(one.exception), str(many.exception))

    def test_kept_runs_of_other_first_rows(self):
        """A run is made again if the first row, which is in another file, has other cells."""
        first, second = self.write("a.csv", b"3,a\n"), self.write("b.csv", b"1\n2,b\n4,c,d\n")
        options = {"format": "csv", "no_header": True, "key": "1:int", "ragged": "drop"}
        failure = mock.patch.object(_driver._Sort, "_make_parts", side_effect=OSError("no parts"))
        with failure, self.assertRaises(sortwell.StorageError):
            self.sorted([first, second], resume=True, **options)
        first.write_bytes(b"3,a,b\n")
        statistics = self.assert_as_one([first, second], resume=True, **options)
        self.assertEqual((statistics.maps_kept, statistics.ragged_rows_dropped), (0, 2))

    def test_keys_without_values(self):
        files = [self.write(f"in{n}", b"a,%d.5,x\nb,%d.5,y\n" % (n, n)) for n in range(5)]
        options = {"separator": ",", "invalid": "first"}
        messages = self.assert_same_findings(files, key="2:int", **options)
        self.assertIn("10 of 10 records have an invalid key", messages[0])
        self.assertIn("warning: field 2 has no valid value in any record", messages[1])
        self.assertIn("all values fit type decimal", messages[1])
        # A value in one run is enough.
        files.append(self.write("in5", b"c,7,z\n"))
        self.assertEqual(len(self.assert_same_findings(files, key="2:int", **options)), 1)
        options |= {"key": ["2:int", "3:int"], "unique": True}
        for more in ({}, {"unique_by": "2:int"}, {"unique_by": "2:int", "count": True}):
            self.assert_same_findings(files, **(options | more))

    def test_the_command_and_kept_runs(self):
        path = self.write("in.csv", b"id,n\n3,a\n1\nx,d\n")
        words = ["sort", "-q", "-F", "csv", "-k", "id:int", "--ragged", "drop", "--invalid=last"]
        words += ["-T", str(self.folder / "temp"), "-M", "352MiB", "--resume"]
        words += ["-o", str(self.folder / "out"), str(path)]
        failure = mock.patch.object(_driver._Sort, "_make_parts", side_effect=OSError("no parts"))
        for stats in ([], ["--stats=json"]):
            errors = io.StringIO()
            with self.subTest(stats), contextlib.redirect_stderr(errors):
                with failure:
                    self.assertEqual(main(words), 4)
                self.assertEqual(main(words + stats), 0)
            lines = errors.getvalue().splitlines()[1:]
            if stats:
                values = json.loads(lines[0])
                self.assertEqual((values["maps_kept"], values["ragged_rows_dropped"]), (1, 1))
                self.assertEqual(values["keys"]["invalid"]["records"], 1)
            else:
                self.assertIn("sortwell: left out 1 row with a different number", lines[0])
                self.assertIn("sortwell: 1 of 2 records has an invalid key", lines[1])
            self.assertEqual(len(lines), 1 if stats else 2)
            shutil.rmtree(self.folder / "out")


class Commands(unittest.TestCase):
    """The command."""

    def test_options_that_are_given_twice(self):
        words = ["sort", "-T", "/a", "-o", "/b", "--temp", "/c", "in"]
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as raised:
            main(words)
        self.assertEqual(raised.exception.code, 2)
        self.assertIn("--temp is given twice", errors.getvalue())
        for words in (
            ["sort", "-r", "--reverse", "-o", "/b", "in"],
            ["sort", "--unique=first", "--unique=last", "-o", "/b", "in"],
            ["sort", "-u", "--unique=last", "-o", "/b", "in"],
            ["sort", "--limit", "2", "--limit", "1", "-o", "/b", "in"],
            ["explain", "--bytes", "1", "--bytes", "2", "--nodes", "1"],
        ):
            errors = io.StringIO()
            with self.subTest(words), contextlib.redirect_stderr(errors):
                try:
                    self.assertEqual(main(words), 2)
                except SystemExit as raised:
                    self.assertEqual(raised.code, 2)
            self.assertIn("given twice", errors.getvalue())

    def test_options_that_the_command_lacks(self):
        for option in ("progress=never", "inputs=x", "nonsense", "threads=2"):
            errors = io.StringIO()
            with self.subTest(option), contextlib.redirect_stderr(errors):
                self.assertEqual(main(["sort", "-o", "/nowhere", f"--{option}", "in"]), 2)
            self.assertIn(option.partition("=")[0], errors.getvalue())

    def test_text_after_the_progress(self):
        errors = io.StringIO()
        with (
            contextlib.redirect_stderr(errors),
            mock.patch.object(_command, "_columns", return_value=20),
        ):
            screen = _command._Screen()
            screen.say("before")
            screen.show(ClusterProgress("map", 1, 2))
            screen.warn("slow", RuntimeWarning, "", 0)
            screen.say("sortwell: failed")
            screen.show(ClusterProgress("cut", 1, 1))
            screen.say("after")
        expected = "before\n\rmap    [###########\nsortwell: slow\nsortwell: failed\n"
        self.assertEqual(errors.getvalue(), f"{expected}\rcut    [###########\nafter\n")

    def test_the_line_of_the_progress(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            screen = _command._Screen()
            screen.show(ClusterProgress("find", 0, 0))
            screen.show(ClusterProgress("reduce", 10, 12))
            screen.show(ClusterProgress("map", 6, 12))
            screen.close()
            screen.close()
        lines = [
            f"find   [{30 * '.'}] ",
            f"reduce [{25 * '#'}{5 * '.'}] 10/12 tasks",
            f"map    [{15 * '#'}{15 * '.'}] 6/12 tasks ",
        ]
        self.assertEqual(errors.getvalue(), "".join(f"\r{line}" for line in lines) + "\n")

    def test_explain(self):
        printed = io.StringIO()
        words = ["explain", "--bytes", "400MB", "--nodes", "4", "--cpus", "2"]
        words += ["--disk", "50MB", "--network", "10MB"]
        with contextlib.redirect_stdout(printed):
            self.assertEqual(main([*words, "-M", "1GiB"]), 0)
            self.assertEqual(main([*words, "-M", "352MiB"]), 0)
        one = """\
passes          1
between nodes   300.00 MB
map             2.0 s, limited by the disk
  each node     100.00 MB read
reduce          7.5 s, limited by the network
  each node     100.00 MB written, 75.00 MB received
time            9.5 s
"""
        two = """\
passes          2
between nodes   300.00 MB
map             4.0 s, limited by the disk
  each node     100.00 MB read, 100.00 MB written
reduce          7.5 s, limited by the network
  each node     100.00 MB read, 100.00 MB written, 75.00 MB received
time            11.5 s
"""
        self.assertEqual(printed.getvalue(), one + two)
        # A node of the cluster has all processors and all memory of it.
        alone = sortwell.cluster.explain("8GB", nodes=1, disk="100GB", memory="64GiB")
        self.assertEqual((alone.passes, alone.bytes_between_nodes), (1, 0))
        self.assertEqual({phase.limit for phase in alone.phases}, {"processor"})
        for wrong, what in [
            ({"nodes": 0}, "one node at least"),
            ({"nodes": 2, "cpus": 0}, "one processor"),
            ({"nodes": 40}, "each needs 1728 MiB at least"),
            ({"nodes": 2, "disk": 0}, "one byte a second"),
            ({"nodes": 2, "memory": "much"}, "size"),
        ]:
            with self.subTest(wrong), self.assertRaisesRegex(sortwell.UsageError, what):
                sortwell.cluster.explain("1GB", **wrong)

    def test_missing_packages(self):
        find = importlib.util.find_spec
        for name in ("ray", "aiohttp"):
            errors = io.StringIO()
            lacking = mock.Mock(
                side_effect=lambda asked, no=name: None if asked == no else find(asked)
            )
            with (
                mock.patch.object(importlib.util, "find_spec", lacking),
                contextlib.redirect_stderr(errors),
            ):
                self.assertEqual(main(["sort", "-o", "out", "in"]), 2)
            self.assertIn("pip install './python[cluster]'", errors.getvalue())
        with (
            mock.patch.dict(sys.modules, {"ray": None}),
            self.assertRaisesRegex(sortwell.UsageError, "pip install './python.cluster.'"),
        ):
            sortwell.cluster.sort("in", "out")

    def test_names_of_a_sort_that_is_resumed(self):
        spec = Spec("job", "token", 1 << 28, "/nowhere", ())
        folder = os.getcwd()
        found = _inputs.identity(["in", "node://a/in"], "out", spec)
        whole = _inputs.identity([f"{folder}/in", "node://a/in"], f"{folder}/out", spec)
        self.assertEqual(found, whole)
        self.assertNotEqual(found, _inputs.identity(["/in", "node://a/in"], "out", spec))

    def test_addresses_that_are_none(self):
        with self.assertRaisesRegex(sortwell.UsageError, "'here' is no address"):
            _connection.connect("here")


class Checks(WithRoots):
    """Options that are found wrong before runs are made."""

    def test_names_that_are_empty(self):
        path = self.write("in", b"1\n")
        for inputs, output, options, message in (
            (path, "", {}, "the name of a file is empty"),
            ([path, ""], "out", {}, "the name of a file is empty"),
            (path, "out", {"temp": ""}, "'temp' needs a value"),
            (path, "out", {"report": ""}, "'report' needs a value"),
            (path, "out", {"memory": "1KiB"}, "1024 bytes were given"),
        ):
            with self.subTest(options), self.assertRaisesRegex(sortwell.UsageError, message):
                sortwell.cluster.sort(inputs, output and self.folder / output, **options)
            self.assertFalse(self.folder.joinpath("out").exists())

    def test_errors_about_records_name_no_file_of_a_task(self):
        path = self.write("in.csv", b"id,city\n1,a\n1,b\n")
        for form in FORMS:
            with self.assertRaises(sortwell.MalformedError) as raised:
                self.sorted(path, form=form, format="csv", key="id:int", sum="city", parts=1)
            self.assertRegex(str(raised.exception), "^the input: 'a' in column city")
            self.assertIsNone(raised.exception.file)

    def test_options_that_do_not_fit_the_inputs(self):
        table = self.write("in.csv", b"id,n\n3,a\n1,b\n")
        path = self.write("in", b"abcd")
        rows = {"format": "csv", "key": "id:int"}
        for options in (
            rows | {"include": "nosuch == 'x'"},
            rows | {"select": "nosuch"},
            rows | {"sum": "nosuch"},
            rows | {"max": "nosuch"},
            rows | {"having": "n == 'a'"},
            rows | {"count": True, "having": "nosuch == 'x'"},
            {"key": "1", "sum": "2"},
            {"key": "1", "select": "2"},
            {"format": "keyed", "key": "0..4", "count": True},
            {"format": "jsonl", "key": "id", "select": "id"},
        ):
            inputs = table if options.get("format") == "csv" else path
            with self.subTest(options):
                with self.assertRaises(sortwell.UsageError) as one:
                    sortwell.sort(inputs, self.folder / "one", **options)
                phases = []
                with self.assertRaises(sortwell.UsageError) as raised:
                    self.sorted(
                        inputs,
                        resume=True,
                        progress=lambda progress, seen=phases: seen.append(progress.phase),
                        **options,
                    )
                self.assertEqual(str(raised.exception), str(one.exception))
                self.assertEqual(phases, ["find"])
                self.assert_no_runs()
                self.assertFalse(self.folder.joinpath("out").exists())
