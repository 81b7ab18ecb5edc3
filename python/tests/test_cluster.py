"""`sortwell.cluster` on four nodes of this machine, beside the sort of one machine."""

import contextlib
import gzip
import itertools
import json
import os
import pickle
import random
import re
import unittest
from unittest import mock

import ray
from cluster_trial import NODES, WithRoots, end_nodes, merged_by_nodes, records, start_nodes

import sortwell
import sortwell.cluster
from sortwell import _errors
from sortwell.cluster import (
    _bounds,
    _budget,
    _named_files,
    _nodes,
    _placement,
    _report,
    _tasks,
)
from sortwell.cluster._spec import InputFile, Run, Spec, Split, Work, bytes_of


def setUpModule():
    """Starts four nodes, which all tests share."""
    global CLUSTER
    CLUSTER = start_nodes()


def tearDownModule():
    """Ends the nodes."""
    end_nodes(CLUSTER)


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

    def test_header_by_prefix(self):
        lines = [b"#%d\n" % (number * 7919 % 50_021) for number in range(50_000)]
        first = self.write("first", b"#top\n#second\n0\n" + b"".join(lines))
        second = self.write("second", b"1\n" + b"".join(lines[:9]))
        self.assert_as_one([first, second], header="#", parts=3)
        self.assert_as_one([second, first], header="prefix:#", unique=True, parts=2)

    def test_header_by_prefix_with_selected_fields(self):
        first = self.write("a", b"#a,b\n#c\n3,x\n1,y\n")
        second = self.write("b", b"#d,e\n2,z\n")
        options = {"header": "#", "separator": ",", "key": "1:int"}
        for fields in ("2", "2,1"):
            self.assert_as_one([first, second], select=fields, **options)
        options["header"] = 1
        self.assert_as_one([first], select="2", **options)

    def test_header_by_prefix_of_several_runs_of_a_node(self):
        # Sorted records begin with the prefix, and an exchange merges them.
        files = [self.write("north/a", b"#top\n0\n#x\n"), self.write("north/b", b"1\n#y\n")]
        named = [f"node://north{path}" for path in files]
        self.assert_as_one(named, files, header="#", parts=1)
        with merged_by_nodes():
            self.assert_as_one(named, files, header="#", parts=1)

    def test_marks_of_the_byte_order(self):
        rows = b"".join(b"%d,%d\n" % (n * 7919 % 10_007, n) for n in range(10_000))
        mark = b"\xef\xbb\xbf"
        bare = self.write("bare.csv", mark)
        for top, options in [
            (b"", {"no_header": True, "key": "1:int"}),
            (b"id,n\n", {"key": "id"}),
        ]:
            marked = self.write("marked.csv", mark + top + rows)
            plain = self.write("plain.csv", top + b"3,4\n")
            options |= {"format": "csv"}
            self.assert_as_one([bare, marked, plain], parts=3, **options)
            self.assert_as_one([plain, marked, bare], parts=2, **options)
            self.assert_as_one([marked, plain], skip=3, limit=9000, **options)

    def test_invalid_later_keys(self):
        rows = [b"%d,%s,7\n" % (n % 20, b"x" if n % 7 == 0 else b"%d" % n) for n in range(5000)]
        files = [
            self.write(f"north/{n}.csv", b"id,n,amount\n" + b"".join(rows[n::3])) for n in range(3)
        ]
        options = {"format": "csv", "unique_by": "id:int", "key": "n:int", "parts": 3}
        for operator in [{}, {"count": True}, {"sum": "amount"}]:
            for place in ("first", "last"):
                named = [f"node://north{path}" for path in files]
                self.assert_as_one(named, files, invalid=place, **options | operator)

    def test_files_that_options_name(self):
        self.write("known values", b"c\nb\na\n")
        path = self.write("in", b"a\nc\nb\nz\n")
        with contextlib.chdir(self.folder):
            self.assert_as_one(path, key='1:order=@"known values"', invalid="last")
            condition = '1:order=@"./known values" >= "b"'
            self.assert_as_one(path, key="1", include=condition)

    def test_headers_without_a_line_end(self):
        rows = b"".join(b"%d\n" % (number * 7919 % 10_007) for number in range(10_000))
        for options in [{"header": 1}, {"format": "csv", "key": "id:int"}]:
            bare = self.write("bare.csv", b"id")
            whole = self.write("whole.csv", b"id\n" + rows)
            self.assert_as_one([bare, whole], parts=3, **options)
            self.assert_as_one([whole, bare], parts=2, **options)
        other = self.write("other", b"another\n" + rows)
        self.assert_as_one([whole, other], parts=2, header=1)

    def test_dates(self):
        rows = [b"%d,%02d.%02d.2026\n" % (n % 90, n % 28 + 1, n % 12 + 1) for n in range(9000)]
        path = self.write("dates.csv", b"id,when\n" + b"".join(rows))
        dated = {"format": "csv", "date_format": "%d.%m.%Y", "parts": 3}
        self.assert_as_one(path, unique_by="id", key="when:date:desc", **dated)
        self.assert_as_one(path, key="id", include='when:date > "01.06.2026"', **dated)
        self.assert_as_one(path, key=["when:date", "id:int"], **dated)
        self.assert_as_one(path, key="id", min="when:date", **dated)

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

    def test_formats_by_names(self):
        rows = b"".join(b"%d\n" % (number * 7919 % 10_007) for number in range(10_000))
        path = self.write("rows.csv", b"id\n" + rows)
        self.assert_as_one(path, key="id:int", parts=2)
        # A pattern has a name, too.
        self.sorted(f"{path.parent}/r*.csv", key="id:int", output="by-pattern")
        # A key of another kind reads lines.
        self.assert_as_one(path, key="1", parts=2)

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

    def test_operators(self):
        source = random.Random(11)
        rows = [
            b"%s,%d,%d\n" % (source.choice([b"Oslo", b"Rome", b"Bern"]), number % 700, number)
            for number in range(60_000)
        ]
        path = self.write("in.csv", b"city,day,amount\n" + b"".join(rows))
        options = {"format": "csv", "key": ["day:int", "city"], "parts": 5}
        for operator in [
            {"unique": True},
            {"unique": "last", "having": "amount:int > 59000"},
            {"unique_by": "day:int", "key": "amount:int:desc"},
            {"sum": "amount", "min": "day:int", "unique_by": ["city"]},
            {"count": True, "having": "count > 28"},
            {"select": ["amount", "city"], "include": "day:int < 9"},
        ]:
            with self.subTest(operator):
                statistics = self.assert_as_one(path, **options | operator)
                self.assertEqual(len(statistics.parts), 5)
        del options["parts"]
        for operator in [{"limit": 1000}, {"skip": 59_000}, {"skip": 5, "limit": 0}]:
            with self.subTest(operator):
                statistics = self.assert_as_one(path, **options | operator)
                self.assertEqual(len(statistics.parts), 1)
        self.assert_as_one(path, unique_by="city", count=True, skip=1, limit=1, **options)

    def test_compressed_inputs(self):
        lines = b"".join(b"%d\n" % (number * 7919 % 100_003) for number in range(60_000))
        packed = self.write("packed.gz", gzip.compress(lines[:200_000]))
        plain = self.write("plain", lines[200_000:])
        self.assert_as_one([packed, plain], key="1:int", parts=3)
        rows = self.write("rows.csv.gz", gzip.compress(b"id\n" + lines))
        statistics = self.assert_as_one(rows, format="csv", key="id:int", parts=2)
        self.assertEqual(statistics.header, b"id\n")

    def test_compressed_binary_inputs(self):
        for name, content, options in [
            ("r.gz", bytes(400), {"format": "fixed:1"}),
            ("u.gz", b"".join(b"\0\x01%d" % (number % 10) for number in range(900)), {}),
            # The content decides for text only.
            ("r", gzip.compress(bytes(400)), {"format": "fixed:1"}),
        ]:
            with self.subTest(name):
                content = gzip.compress(content) if name.endswith(".gz") else content
                path = self.write(name, content)
                self.assert_as_one(path, **{"format": "u16be", **options})
        path = self.write("text.gz", b"a\n")
        with self.assertRaisesRegex(sortwell.MalformedError, "text.gz"):
            sortwell.cluster.sort(path, self.folder / "out", temp=self.folder / "temp")

    def test_compressed_inputs_without_rows(self):
        first = self.write("a.csv", b"id\n2\n1\n")
        for content in (b"", b"\xef\xbb\xbf"):
            empty = self.write("e.csv.gz", gzip.compress(content))
            for inputs in ([first, empty], [empty, first], [empty]):
                key = {"key": "id:int"} if first in inputs else {}
                self.assert_as_one(inputs, format="csv", **key)
        self.assert_as_one(self.write("e.gz", gzip.compress(b"")))

    def test_headers_of_compressed_inputs(self):
        numbers = b"".join(b"%d\n" % (number * 7919 % 10_007) for number in range(10_000))
        for own, other, options in [
            (b"#x\n", b"", {"header": "#", "key": "1:int"}),
            (b"", b"#x\n#y\n", {"header": "#", "key": "1:int"}),
            (b"a long header\n", b"h\n", {"header": 1, "key": "1:int"}),
            (b"h\n", b"a long header\n", {"header": 1, "unique": True}),
            (b"id\n", b"id\r\n", {"format": "csv", "key": "id:int", "unique": True}),
        ]:
            with self.subTest(own=own, other=other):
                plain = self.write("plain", own + numbers)
                packed = self.write(
                    "packed", gzip.compress(other + numbers[::-1].lstrip() + b"7\n")
                )
                self.assert_as_one([plain, packed], parts=2, **options)
                self.assert_as_one([packed, plain], parts=3, **options)

    def test_forms_and_passes(self):
        path = self.write("in", records(100_000, "uniform"))
        options = {"format": "fixed:100", "key": "0..10"}
        for form, resume, passes in [
            ("threaded", False, 1),
            ("interleaved", True, 2),
            ("synchronous", True, 2),
        ]:
            with self.subTest(form):
                # Runs that are kept are never in memory.
                statistics = self.assert_as_one(path, form=form, resume=resume, **options)
                self.assertEqual(statistics.passes, passes)
                with merged_by_nodes():
                    self.assert_as_one(path, form=form, resume=resume, **options)

    def test_many_parts(self):
        path = self.write("in", records(30_000, "uniform"))
        statistics = self.assert_as_one(path, format="fixed:100", key="0..10", parts=64)
        self.assertEqual(len(statistics.parts), 64)
        self.assertGreater(min(part.records for part in statistics.parts), 0)

    def test_long_keys(self):
        keys = [b"%04d" % (number * 7919 % 4000) + b"x" * 3000 for number in range(4000)]
        # Many have a key that is equal to the beginning of others.
        keys += [b"0700" + b"x" * 1020] * 500
        path, sizes = self.write("in", b"\n".join([*keys, b""])), []
        call_each = _nodes.Cluster.call_each

        def measured(cluster, method, arguments):
            found = call_each(cluster, method, arguments)
            passed = [*arguments.values(), *found.values()]
            sizes.append(max(len(pickle.dumps(one)) for one in passed))
            return found

        choose = mock.patch.object(_bounds._cuts, "choose", wraps=_bounds._cuts.choose)
        for key_bytes, longest in ((_budget._KEYS, 3100), (0, 1100)):
            with (
                self.subTest(longest),
                mock.patch.object(_nodes.Cluster, "call_each", measured),
                mock.patch.object(_bounds, "_AT_ONCE", 2 * longest),
                mock.patch.multiple(_budget, _KEYS=key_bytes, _KEYS_LEAST=key_bytes),
                choose as chosen,
            ):
                for options in ({}, {"unique": True}):
                    statistics = self.assert_as_one(path, parts=8, **options)
                    self.assertLess(statistics.skew, 1.5)
                for runs, _ in (call.args for call in chosen.call_args_list):
                    lengths = [len(key) for run in runs for key, *_ in run.keys]
                    self.assertLess(max(lengths), longest)
                # The keys of two cuts, and some other values.
                self.assertLess(max(sizes), 2 * longest + 2000)
                sizes.clear()

    def test_wrong_cuts(self):
        path = self.write("in", records(9000, "uniform"))
        add_offsets = _bounds._add_offsets
        # The record of the cut itself may be on either side.
        for change in (200, -100):

            def moved(*arguments, change=change):
                add_offsets(*arguments)
                next(iter(arguments[-1].values()))[-1] += change

            message = "part 2 has a record that comes after one of the next part"
            with (
                mock.patch.object(_bounds, "_add_offsets", moved),
                self.assertRaisesRegex(sortwell.ProofError, message),
            ):
                self.sorted(path, format="fixed:100", key="0..10", parts=4)

    def test_report(self):
        path = self.write("in", records(60_000, "uniform"))
        page, seen = self.folder / "page.html", []
        options = {"report": page, "progress": seen.append}
        _, statistics = self.sorted(path, format="fixed:100", key="0..10", **options)
        phases = list(dict.fromkeys(progress.phase for progress in seen))
        self.assertEqual(phases, ["find", "split", "map", "cut", "reduce", "commit"])
        shares = [progress.share for progress in seen if progress.share is not None]
        self.assertEqual(shares, sorted(shares))
        self.assertEqual((shares[0], shares[-1]), (0, 1))
        # Runs are in memory: each task reads its records, and writes them.
        for kind in ("map", "reduce"):
            moved = [work.moved[-1][1] for work in statistics.work if work.name.startswith(kind)]
            self.assertGreaterEqual(sum(moved), 12_000_000)
        content = page.read_text()
        for name in [*NODES, "part-00003", "map 0", "reduce 3"]:
            self.assertIn(name, content)
        table = content.partition("sender and receiver</h2>")[2].partition("</table>")[0]
        head, *rows = table.split("<tr>")[1:]
        self.assertEqual(head.count("<th>"), 1 + len(NODES))
        sent = [re.findall("<td>([0-9.]+ [kM]B)</td>", row) for row in rows]
        self.assertEqual([len(row) for row in sent], [len(NODES)] * len(NODES))
        received = sum(sum(node.received_from.values()) for node in statistics.nodes)
        own = sum(node.received_from[node.name] for node in statistics.nodes)
        self.assertEqual(received - own, statistics.bytes_between_nodes)

    def test_names_of_tasks(self):
        path = self.write("in", records(30_000, "uniform"))
        self.sorted(path, format="fixed:100", key="0..10", parts=2)
        names = {event["cat"] for event in ray.timeline()}
        for name in ["map 0", "reduce 0", "reduce 1"]:
            self.assertIn(f"task::sortwell {name}", names)

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
            memory="352MiB",
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


class Sizes(unittest.TestCase):
    """Sizes as the command reads them."""

    def test_units(self):
        sizes = {"8G": 8 << 30, "8g": 8 << 30, "8Gi": 8 << 30, "8GiB": 8 << 30, "1.5 GiB": 3 << 29}
        sizes |= {"64k": 64 << 10, "512M": 512 << 20, "2T": 2 << 40, "1p": 1 << 50}
        sizes |= {"2gb": 2 * 10**9, "1TB": 10**12, "7B": 7, "4096": 4096}
        self.assertEqual({text: bytes_of(text) for text in sizes}, sizes)
        self.assertEqual(bytes_of(64 << 20), 64 << 20)

    def test_texts_that_are_no_sizes(self):
        for text in ["", "GiB", "1iB", "12X", "1Gx", "1bk", "-1GiB", "1..2MiB", "50%"]:
            with self.assertRaisesRegex(sortwell.UsageError, "is not a size"):
                bytes_of(text)


class Budgets(unittest.TestCase):
    """The memory of a node."""

    def test_all_steps_fit(self):
        for mib, nodes in itertools.product([256, 352, 512, 1024, 9000], [1, 2, 4, 12, 16, 40]):
            memory, least = mib << 20, (232 + 40 * nodes) << 20
            if memory < least:
                continue
            most = _budget.of_runs(memory, nodes)
            for held in [0, most // 3, most]:
                with self.subTest(mib=mib, nodes=nodes, held=held):
                    merges = _budget.of_part(memory, held, nodes, nodes)
                    merges += nodes * _budget.of_sent_merge(memory, nodes, held)
                    if held > 16 << 20:
                        self.assertLessEqual((192 << 20) + held + merges, memory)
                    sources = _budget.runs_at_once(memory, held)
                    unmerged = _budget.of_part(memory, held, 0, sources) + sources * (4 << 20)
                    if held > 16 << 20:
                        self.assertLessEqual((192 << 20) + held + unmerged, memory)
                    sort = _budget.of_sort(memory, held)
                    self.assertLessEqual((192 << 20) + held + sort, memory)
                    self.assertLess(_budget.of_split(memory, held), sort // 2)

    def test_one_gibibyte(self):
        found = [_budget.of_runs(1 << 30, nodes) >> 20 for nodes in (1, 4, 12, 40)]
        self.assertEqual(found, [499, 499, 312, 16])

    def test_splits(self):
        def lengths(nodes, **options):
            spec = Spec("job", "token", 1 << 30, "/nowhere", (), **options)
            files = [InputFile("in", None, 10 << 30, b"", False, None, "")]
            cluster = mock.Mock(nodes=[mock.Mock()] * nodes)
            with mock.patch.object(_placement._inputs, "splits") as splits:
                _placement.splits(cluster, spec, files)
            return splits.call_args.args[1]

        # A sort that continues on fewer nodes has the same splits.
        self.assertEqual(lengths(3, keeps=True), lengths(4, keeps=True))
        self.assertEqual(-(-(10 << 30) // lengths(4)) % 4, 0)

    def test_sources(self):
        work = Work("", "", 0.0, 0.0, [])
        cluster = mock.Mock(url=lambda node: f"http://{node}")

        def ranges(nodes, empty=(), nodes_merge=False):
            runs = {
                n: Run(n, node, f"r{n}", 9, 1, "", "", [], work) for n, node in enumerate(nodes)
            }
            bounds = {n: [0, 0, 2, 2 if n in empty else 9] for n in runs}
            self.assertEqual(_placement.most_runs(bounds), len(nodes))
            found = _placement.sources(cluster, runs, bounds, 2, nodes_merge)
            for source in found:
                self.assertEqual(source.url, f"http://{source.node}")
            return [(source.node, [path for path, *_ in source.ranges]) for source in found]

        each = [("a", ["r0"]), ("a", ["r1"]), ("b", ["r2"]), ("a", ["r3"])]
        self.assertEqual(ranges("aaba"), each)
        self.assertEqual(ranges("aabab", {4}), each)
        found = [("a", ["r0", "r1"]), ("b", ["r2"]), ("a", ["r3", "r5"])]
        self.assertEqual(ranges("aababa", {4}, nodes_merge=True), found)
        self.assertEqual(ranges("ab", {0, 1}), [])
        self.assertEqual(ranges("ab", {0, 1}, nodes_merge=True), [])

    def test_sources_at_once(self):
        for memory, held, expected in [(256, 0, 8), (512, 0, 32), (1024, 499, 41), (65536, 0, 64)]:
            found = _budget.runs_at_once(memory << 20, held << 20)
            self.assertEqual(found, expected, f"{memory} MiB, {held} held")


class NamedFiles(unittest.TestCase):
    """Files that options name."""

    def test_relative_names(self):
        folder = os.getcwd()
        for name, value, expected in [
            ("key", "1:order=@list:desc", f'1:order=@"{folder}/list":desc'),
            ("key", '1:order=@"a: b"', f'1:order=@"{folder}/a: b"'),
            ("key", "1:sequence=table", f'1:sequence="{folder}/table"'),
            ("include", "1:order=@list >= M", f'1:order=@"{folder}/list" >= M'),
            ("key", "1:order=@/list", "1:order=@/list"),
        ]:
            found = _named_files.with_absolute_paths([(name, value)])
            self.assertEqual(found, [(name, expected)])


class Refusals(WithRoots):
    """Errors, after which there is nothing."""

    def refused(self, kind, words, inputs, **options):
        """Checks an error, which is returned, and that it leaves no part and no run."""
        with self.assertRaisesRegex(kind, words) as raised:
            self.sorted(inputs, **options)
        folder = self.folder / "out"
        self.assertEqual(list(folder.iterdir()) if folder.exists() else [], [])
        self.assertEqual(list(self.folder.joinpath("temp").iterdir()), [])
        return raised.exception

    def test_wrong_requests(self):
        path = self.write("in", b"a\n")
        self.refused(sortwell.UsageError, "no option 'split': 'parts' is", path, split=3)
        self.refused(sortwell.UsageError, "no option 'temp-limit'$", path, temp_limit="1GiB")
        self.refused(sortwell.UsageError, "records of one part", path, limit=3, parts=2)
        self.refused(sortwell.UsageError, "is a number of records", path, limit="x")
        self.refused(sortwell.UsageError, "no form of the exchange", path, form="fast")
        self.refused(sortwell.UsageError, "is for one machine", path, unique="error")
        self.refused(sortwell.UsageError, "one part at least", path, parts=0)
        with self.assertRaisesRegex(sortwell.UsageError, "'temp' is one path"):
            sortwell.cluster.sort(path, self.folder / "out", temp=["/a", "/b"])
        with self.assertRaisesRegex(TypeError, "progress= must be a function, .* type int"):
            sortwell.cluster.sort(path, self.folder / "out", progress=5)
        self.refused(sortwell.UsageError, "no node is named 'up'", f"node://up{path}")
        self.refused(sortwell.UsageError, "288 MiB at least", path, memory="10MiB")
        self.refused(sortwell.UsageError, "of type date or time", path, date_format="%Y")
        self.refused(sortwell.StorageError, "no file has a name like", str(path) + "*x")
        self.refused(sortwell.StorageError, "cannot open", str(path) + "x")
        words = rf"^{re.escape(str(path))}: .*'nothing'"
        self.refused(sortwell.UsageError, words, path, format="csv", key="nothing")
        path = self.write("north/in", b"id\nx\n")
        words, place = r"north/in.* \(on node north\)$", f"node://north{path}"
        for kind, name, options in [
            (sortwell.MalformedError, place, {"key": "id:int", "format": "csv"}),
            (sortwell.UsageError, place, {"key": "nothing", "format": "csv"}),
            (sortwell.StorageError, f"{place}x", {}),
        ]:
            self.refused(kind, words, name, **options)

    def test_wrong_inputs(self):
        # The place is that in the file, not in the split.
        rows = b"id\n" + b"12345\n" * 500_000 + b"x\n"
        path = self.write("in", rows + b"2\n" * 1000)
        words = "not an int.*lines are counted as if its header and byte"
        error = self.refused(sortwell.MalformedError, words, path, format="csv", key="id:int")
        self.assertEqual((error.file, error.record), (str(path), None))
        self.assertIn(error.offset, (None, len(rows) - 2))
        # A split is read after the header of four bytes.
        found = _errors.make("MalformedError", "x", 3, str(path), 10, 3, None)
        found = _tasks._of_file(found, Split(1, str(path), None, 1000, 2000, False, ""), 4)
        self.assertEqual((found.offset, found.record), (1006, None))
        other = self.write("other", b"id,name\n1,a\n")
        words = "other: its header is not that of"
        self.refused(sortwell.MalformedError, words, [path, other], format="csv", key="id")
        # The file is larger than the memory of a task, but has holes.
        quoted = self.write("quoted.csv", b'id\n"')
        os.truncate(quoted, 200 << 20)
        words = "the row at byte 3 has more than 160 MiB.* look for an unclosed quote there"
        options = {"format": "csv", "key": "id", "memory": "352MiB"}
        self.refused(sortwell.MalformedError, words, quoted, **options)
        packed = self.write("packed.gz", gzip.compress(b"a\n" * 90_000)[:100])
        self.refused(sortwell.MalformedError, "packed.gz", packed)

    def test_an_output_that_is_there(self):
        path = self.write("in", b"a\n")
        self.sorted(path)
        with self.assertRaisesRegex(sortwell.UsageError, "is not empty: it has manifest.json"):
            self.sorted(path)

    def test_two_sorts_into_one_folder(self):
        path, refused = self.write("in", b"a\nb\n"), []

        def act(progress):
            if progress.phase == "map" and not refused:
                refused.append(progress)
                with self.assertRaisesRegex(sortwell.UsageError, r"is not empty: it has \.claim\."):
                    sortwell.cluster.sort(path, self.folder / "out", temp=self.folder / "temp")

        found, _ = self.sorted(path, progress=act)
        self.assertEqual((found, len(refused)), (b"a\nb\n", 1))

    def test_pages_that_would_replace_a_file(self):
        path = self.write("in", b"a\n")
        self.folder.joinpath("link").hardlink_to(path)
        for inputs, page, words in [
            (path, "in", "the page would replace .*/in; give the page another name"),
            (path, "link", "would replace"),
            (f"node://*{self.folder}/i*", "in", "would replace"),
            (path, "out", "would replace"),
            (path, "out/part-00000", "among the parts"),
        ]:
            with self.subTest(page):
                kind, page = sortwell.UsageError, self.folder / page
                self.refused(kind, words, inputs, report=page)
        self.assertEqual(path.read_bytes(), b"a\n")
        page = self.folder / "page"
        page.mkdir()
        with self.assertRaises(IsADirectoryError), mock.patch.object(_report, "page", str):
            _report.write(str(page), "text")
        self.assertEqual(list(self.folder.glob("page.*")), [], "no temporary file")

    def test_folders_that_are_missing(self):
        path = self.write("in", b"a\n")
        self.refused(sortwell.StorageError, "no report", path, report="/no report/page.html")
        missing = self.folder / "no folder"
        with self.assertRaisesRegex(sortwell.StorageError, "no folder"):
            sortwell.cluster.sort(path, self.folder / "out", temp=missing)
        self.assertFalse(self.folder.joinpath("out").exists())
        self.assert_no_runs()


if __name__ == "__main__":
    unittest.main()
