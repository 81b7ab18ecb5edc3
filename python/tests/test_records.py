"""`sortwell.Sorter` with NumPy and others, and jobs of files beside the command."""

import ctypes
import decimal
import itertools
import mmap
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from random import Random

import numpy

import sortwell

DTYPE = numpy.dtype([("key", ">u8"), ("value", "<i4"), ("text", "S4")])


def rows(count, seed=1):
    """Returns records in no order, many with equal keys."""
    random = numpy.random.default_rng(seed)
    array = numpy.empty(count, DTYPE)
    array["key"] = random.integers(0, max(count // 2, 1), count)
    array["value"] = numpy.arange(count)
    array["text"] = b"ab"
    return array


def joined(blocks):
    """Returns all records of blocks, each of which has whole ones."""
    parts = [numpy.frombuffer(block, DTYPE) for block in blocks]
    return numpy.concatenate([numpy.empty(0, DTYPE), *parts])


def records_of(name, count, random):
    """Returns records of a format in one piece, and those in order of their bytes."""
    if name == "fixed:16":
        numbers = [random.randbytes(16) for _ in range(count)]
    else:
        numbers = [b"%x" % random.getrandbits(random.choice((8, 40, 400))) for _ in range(count)]
    if name == "csv":
        numbers = [b'"%b\n""",%b' % (number, number) for number in numbers]
    end = b"" if name == "fixed:16" else b"\n"
    return b"".join(number + end for number in numbers), [
        number + end for number in sorted(numbers)
    ]


class Records(unittest.TestCase):
    """Records that are pushed."""

    def check_pieces(self, seed):
        """Pushes pieces of random lengths, and keeps some of the blocks."""
        random = Random(seed)
        name = random.choice(("fixed:16", "lines", "csv"))
        data, expected = records_of(name, random.choice((9, 3000, 200_000, 900_000)), random)
        memory = random.choice(("32MiB", "48MiB", "256MiB"))
        lengths = (1, 16, 999, 65_536, 65_537, 1 << 20, (4 << 20) - 1, 4 << 20, (9 << 20) + 3)
        kept, start, count = [], 0, 0
        options = {"key": "1", "no_header": True} if name == "csv" else {}
        with sortwell.Sorter(
            format=name, memory=memory, threads=random.randint(1, 3), **options
        ) as sorter:
            while start < len(data):
                length = max(random.choice(lengths), len(data) // 40)
                piece = bytearray(data[start : start + length])
                sorter.push(piece)
                piece[:] = bytes(len(piece))  # a copy was taken
                start += length
            found = bytearray()
            for block in sorter.finish():
                found += block
                whole = len(block) % 16 == 0 if name == "fixed:16" else bytes(block)[-1:] == b"\n"
                self.assertTrue(whole, (seed, name))
                count += 1
                if random.random() < 0.3:
                    kept.append((block, bytes(block)))
        same = bytes(found) == b"".join(expected)
        self.assertTrue(same, f"seed {seed}: {name}, {len(data)} bytes within {memory}")
        for block, then in kept:
            self.assertEqual(bytes(block), then, f"seed {seed}: a block has changed")
        return count

    def test_pieces_and_blocks_at_random(self):
        self.assertGreater(sum(self.check_pieces(seed) for seed in range(20)), 50)

    def check_numpy(self, count, **options):
        """Sorts structured records, and compares with NumPy's stable sort."""
        array = rows(count)
        with sortwell.Sorter(format="fixed:16", key="0..8", **options) as sorter:
            for part in numpy.array_split(array, 7):
                sorter.push(part)
            found = joined(sorter.finish())
        expected = array[numpy.argsort(array["key"], kind="stable")]
        self.assertTrue(numpy.array_equal(found, expected))
        self.assertEqual(sorter.statistics.records, count)
        return sorter.statistics

    def test_numpy(self):
        for count in (0, 1, 10, 65_536, 200_000):
            self.check_numpy(count)

    def test_numpy_spilled(self):
        statistics = self.check_numpy(4_000_000, memory="32MiB", threads=2)
        self.assertGreaterEqual(statistics.passes, 2)

    def test_blocks_are_not_copied(self):
        sorter = sortwell.Sorter(format="fixed:16", key="0..8")
        sorter.push(rows(100))
        (block,) = sorter.finish()
        first, second = numpy.frombuffer(block, DTYPE), numpy.frombuffer(block, numpy.uint8)
        self.assertEqual(first.ctypes.data, second.ctypes.data)
        self.assertFalse(first.flags.writeable)
        self.assertEqual(len(block), 1600)
        self.assertEqual(bytes(block), memoryview(block).tobytes())

    def test_all_kinds_of_buffers(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"c\nb\n")
            file.flush()
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            sorter = sortwell.Sorter(format="lines")
            for buffer in (b"z\n", bytearray(b"y\n"), memoryview(b"--x\n")[2:], mapped, b"a"):
                sorter.push(buffer)
            self.assertEqual(b"".join(sorter.finish()), b"a\nb\nc\nx\ny\nz\n")

    def test_arrays_of_ctypes(self):
        class Row(ctypes.Structure):
            """A record of the array of rows."""

            _fields_ = (("key", ctypes.c_uint32), ("value", ctypes.c_uint32))

        rows = (Row * 2)(Row(2, 1), Row(1, 2))
        numbers = multiprocessing.RawArray("B", bytes(range(16))[::-1])
        for array in (rows, numbers, (ctypes.c_char * 8)(), (ctypes.c_uint64 * 2)(2, 1)):
            with sortwell.Sorter(format="fixed:8", key="0..4:u32le") as sorter:
                sorter.push(array)
                found = b"".join(map(bytes, sorter.finish()))
            records = [bytes(array)[n : n + 8] for n in range(0, len(bytes(array)), 8)]
            records.sort(key=lambda record: int.from_bytes(record[:4], "little"))
            self.assertEqual(found, b"".join(records))

    def test_records_of_any_length_in_whole_blocks(self):
        lines = [b"%d%s\n" % (n * 7919 % 100_003, b"x" * (n % 90)) for n in range(60_000)]
        sorter = sortwell.Sorter(format="lines")
        for line in lines:
            sorter.push(line)
        blocks = [bytes(block) for block in sorter.finish()]
        self.assertGreater(len(blocks), 1)
        self.assertTrue(all(block.endswith(b"\n") for block in blocks))
        self.assertEqual(b"".join(blocks), b"".join(sorted(lines)))

    def test_selected_and_counted_records_in_whole_blocks(self):
        # The options, the length of a record of the output, and that record: made of the first
        # record of a group and the number of records in it.
        cases = (
            ({"select": "2..6"}, 4, lambda record, _: record[2:]),
            ({"select": ["4..", "0..3"]}, 5, lambda record, _: record[4:] + record[:3]),
            ({"select": "0..2", "unique": True}, 2, lambda record, _: record[:2]),
            ({"count": True}, 14, lambda record, size: record + size.to_bytes(8, "big")),
            (
                {"count": True, "select": "1..2"},
                9,
                lambda record, size: record[1:2] + size.to_bytes(8, "big"),
            ),
        )
        for count in (0, 1, 2, 3, 40, 300_000):
            records = [b"%02d%04d" % (n * 7 % 10, n % 10_000) for n in range(count)]
            in_order = sorted(records, key=lambda record: record[:2])
            groups = itertools.groupby(in_order, lambda record: record[:2])
            groups = [list(group) for _, group in groups]
            for options, length, made in cases:
                is_grouped = "unique" in options or "count" in options
                parts = groups if is_grouped else ([record] for record in in_order)
                expected = b"".join(made(part[0], len(part)) for part in parts)
                sorter = sortwell.Sorter(format="fixed:6", key="0..2", **options)
                sorter.push(b"".join(records))
                blocks = [bytes(block) for block in sorter.finish()]
                self.assertTrue(b"".join(blocks) == expected, (count, options))
                self.assertEqual([b for b in blocks if len(b) % length], [], (count, options))

    def test_groups_of_lines_after_a_header_in_whole_blocks(self):
        records = [b"@%d\nseq%d\n" % (n * 7919 % 200_003, n) for n in range(200_000)]
        for header in (0, 1, 2, 3):
            sorter = sortwell.Sorter(format="lines:group=2", header=header)
            top = b"".join(b"top %d\n" % n for n in range(header))
            sorter.push(top + b"".join(records))
            blocks = [bytes(block) for block in sorter.finish()]
            self.assertTrue(b"".join(blocks) == top + b"".join(sorted(records)), header)
            lines = [block.count(b"\n") for block in blocks]
            self.assertGreater(len(lines), 1)
            self.assertEqual([n for n in [lines[0] - header, *lines[1:]] if n % 2], [])
        sorter = sortwell.Sorter(format="lines:group=2", header="prefix:#")
        sorter.push(b"# top\n1\n2\n")
        with self.assertRaisesRegex(sortwell.UsageError, "write its number of lines"):
            list(sorter.finish())

    def test_keyed(self):
        with sortwell.Sorter() as sorter:
            for key in (b"b", b"", b"a\0", b"a"):
                sorter.push_keyed(key, b"<" + key + b">")
            data = b"".join(sorter.finish())
        found = []
        while data:
            follows, key = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4))
            found.append((data[8 : 8 + key], data[8 + key : 4 + follows]))
            data = data[4 + follows :]
        self.assertEqual(found, [(k, b"<" + k + b">") for k in (b"", b"a", b"a\0", b"b")])

    def test_large_keyed(self):
        with sortwell.Sorter(memory="64MiB") as sorter:
            for number in range(40):
                sorter.push_keyed(b"%02d" % (number * 7 % 40), bytes(1_000_000))
            self.assertEqual(sum(map(len, sorter.finish())), 40 * (1_000_000 + 10))

    def test_progress(self):
        seen = []
        sorter = sortwell.Sorter(format="fixed:16", memory="32MiB", progress=seen.append)
        sorter.push(rows(2_000_000))
        joined(sorter.finish())
        self.assertTrue(seen)
        self.assertGreater(seen[-1].done, 32_000_000)
        last = seen[-1]
        self.assertEqual((last.share, last.seconds_left, last.total), (1.0, 0.0, last.done))
        self.assertIsInstance(seen[-1].phase, str)
        self.assertIn("bytes", repr(seen[-1]))


class Files(unittest.TestCase):
    """Jobs of files."""

    def setUp(self):
        """Makes two inputs."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rows = self.folder / "rows.csv"
        self.rows.write_text('name,amount\n"Lee, Ann",10.50\nBob,2\nDee,-3.25\n')
        self.output = self.folder / "out"

    def test_numbers_that_are_no_options(self):
        for memory in (10**5000, decimal.Decimal("sNaN"), decimal.Decimal("NaN")):
            for call in (sortwell.sort, sortwell.explain):
                with self.assertRaisesRegex(sortwell.UsageError, "memory"):
                    call(self.rows, self.output, memory=memory)
        done = sortwell.sort(self.rows, self.output, unique=numpy.True_, sync=numpy.False_)
        self.assertIn("--unique --sync=off", done.job.command)

    def test_progress_that_is_no_function(self):
        table = numpy.zeros(1, [("n", "u1")])
        for call in (
            lambda: sortwell.sort(self.rows, self.output, progress=5),
            lambda: sortwell.check(self.rows, progress=5),
            lambda: sortwell.sorted([1], progress=5),
            lambda: sortwell.Sorter(progress=5),
            lambda: sortwell.sort_batches(table, "n", progress=5),
        ):
            with self.assertRaisesRegex(TypeError, "progress= must be a function, .* type int"):
                call()
        self.assertFalse(os.path.exists(self.output))

    def test_an_exception_after_a_check(self):
        def show(progress):
            raise LookupError("late")

        with self.assertRaises(LookupError) as caught:
            sortwell.check(self.rows, progress=show)
        self.assertEqual(caught.exception.__notes__, ["the check had ended"])

    def test_sort(self):
        seen = []
        statistics = sortwell.sort(
            self.rows, self.output, key="amount:decimal:desc", format="csv", progress=seen.append
        )
        expected = 'name,amount\n"Lee, Ann",10.50\nBob,2\nDee,-3.25\n'
        self.assertEqual(self.output.read_text(), expected)
        self.assertEqual((statistics.records, statistics.passes), (3, 1))
        last = seen[-1]
        self.assertEqual((last.share, last.seconds_left, last.total), (1.0, 0.0, last.done))

    def test_options(self):
        (self.folder / "a").write_text("b 1\na 2\nb 1\n")
        sortwell.sort(
            [str(self.folder / "a"), bytes(self.folder / "a")],
            self.output,
            key=["2:int:desc", "1"],
            separator=" ",
            unique=True,
            memory=64 << 20,
            threads=1,
            resume=None,
            force=False,
        )
        self.assertEqual(self.output.read_text(), "a 2\nb 1\n")
        sortwell.sort(self.folder / "a", in_place=True)
        self.assertEqual((self.folder / "a").read_text(), "a 2\nb 1\nb 1\n")

    def test_merge_and_check(self):
        for name, lines in (("a", "1\n3\n"), ("b", "2\n3\n"), ("wrong", "2\n1\n")):
            (self.folder / name).write_text(lines)
        sortwell.merge([self.folder / "a", self.folder / "b"], self.output)
        self.assertEqual(self.output.read_text(), "1\n2\n3\n3\n")
        checked = sortwell.check(self.output)
        self.assertTrue(checked)
        self.assertEqual((checked.records, checked.bytes, checked.disorder), (4, 8, None))
        checked = sortwell.check([self.output, self.folder / "wrong"])
        self.assertFalse(checked.is_sorted)
        place = checked.disorder
        self.assertEqual((place.offset, place.record), (2, 2))
        self.assertEqual(place.file, str(self.folder / "wrong"))
        self.assertIn("belongs before", place.message)
        self.assertFalse(sortwell.check(self.output, unique=True))

    def test_statistics(self):
        statistics = sortwell.sort(self.rows, self.output)
        self.assertEqual(statistics.as_dict()["records"], statistics.records)
        self.assertEqual(statistics.streams.input_read, self.rows.stat().st_size)
        self.assertIn("<html", statistics.report())
        self.assertIn("<iframe srcdoc=", statistics._repr_html_())
        self.assertIsNone(statistics.streams._repr_html_())
        self.assertIn("records=", repr(statistics))
        self.assertIn("passes", dir(statistics))
        with self.assertRaises(AttributeError):
            _ = statistics.nothing

    def test_benchmark_records(self):
        records = self.folder / "records"
        self.assertIsInstance(sortwell.generate(1000, records, checksum=True), int)
        self.assertFalse(sortwell.validate(records))
        sortwell.sort(records, self.output, format="fixed:100", key="0..10")
        self.assertTrue(sortwell.validate(self.output))
        plan = sortwell.explain(records, self.output, format="fixed:100", memory="64MiB")
        self.assertEqual(plan["passes"] if "passes" in plan else plan["outlook"]["passes"], 1)
        with self.assertRaises(sortwell.UsageError) as caught:
            sortwell.generate(1, self.folder / "x.gz")
        self.assertIn("does not compress", str(caught.exception))
        with self.assertRaises(sortwell.StorageError) as caught:
            sortwell.validate(self.folder / "missing")
        error = caught.exception
        self.assertEqual(
            (error.code, error.errno, error.file, error.filename), (4, None, None, None)
        )

    def test_options_that_print_another_text(self):
        records = self.folder / "records"
        sortwell.generate(2, records)
        for name, value in (("help", True), ("help", ""), ("version", True)):
            for call in (
                lambda **options: sortwell.validate(records, **options),
                lambda **options: sortwell.explain(records, self.output, **options),
                lambda **options: sortwell.generate(1, self.output, **options),
                lambda **options: sortwell.calibrate("cpu", **options),
            ):
                with self.assertRaisesRegex(sortwell.UsageError, f"--{name} is an option of the"):
                    call(**{name: value})
        with self.assertRaisesRegex(sortwell.UsageError, "'--help' is not one of 'disk'"):
            sortwell.calibrate("--help")
        with self.assertRaisesRegex(sortwell.UsageError, "is not the name of an option"):
            sortwell.validate(records, **{"output=sums": "x"})

    def test_operands_that_look_like_options(self):
        with self.assertRaisesRegex(sortwell.UsageError, "'--help' is not a whole number"):
            sortwell.generate("--help", self.output)
        for inputs, message in (([], "the job has no input"), ("-", "'-' is a standard stream")):
            for call in (sortwell.explain, sortwell.sort):
                with self.assertRaisesRegex(sortwell.UsageError, message):
                    call(inputs, self.output)

    def test_open_files_are_no_names(self):
        with self.rows.open() as file:
            for call in (sortwell.sort, sortwell.merge, sortwell.explain, sortwell.build_index):
                with self.assertRaisesRegex(TypeError, "is a TextIOWrapper; pass the name of the"):
                    call(file, self.output)

    def test_messages_in_every_locale(self):
        code = (
            "import sortwell\n"
            "try: sortwell.validate(b'n\\xc3\\xa9')\n"
            "except sortwell.StorageError as error: print(ascii(str(error)))\n"
        )
        locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        words = [sys.executable, "-c", code]
        found = subprocess.run(
            words, env=os.environ | locale, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        self.assertIn("n\\xe9", found)

    def test_calibrate(self):
        profile = self.folder / "machine.toml"
        words = sortwell.calibrate("cpu", self.folder, seconds=1, profile=profile)
        self.assertIn("profile", words)
        self.assertTrue(profile.exists())

    def test_module_is_the_command(self):
        pipe = subprocess.PIPE
        words = [sys.executable, "-m", "sortwell", "--version"]
        found = subprocess.run(words, stdout=pipe, text=True, check=True).stdout
        self.assertEqual(found, f"sortwell {sortwell.__version__}\n")


if __name__ == "__main__":
    unittest.main()
