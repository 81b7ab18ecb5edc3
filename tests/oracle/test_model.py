"""Tests of the model by examples that were worked out by hand from the documentation."""

from __future__ import annotations

import struct
import unittest

from lz4_frames import blocks, one_frame, xxh32
from model import Job, Outcome, Unspecified, acceptable, expected


def lines(text: str) -> bytes:
    """Returns the words of a text as lines; ~ stands for a space, and . for an empty line."""
    words = [word.replace("~", " ") for word in text.split()]
    return b"".join((b"" if word == "_" else word.encode()) + b"\n" for word in words)


def outcome(*arguments: str, data: bytes = b"", command: str = "sort", more=(), files=()):
    """Returns what a job of the model comes to."""
    return expected(Job(command, arguments, (data, *more), files))


class ModelCase(unittest.TestCase):
    """Assertions about jobs."""

    def assert_sorts(self, before: str, after: str, *arguments: str, files=()):
        """Checks that lines are put in an order."""
        found = outcome(*arguments, data=lines(before), files=files)
        self.assertEqual(found, Outcome(0, {"": lines(after)}))

    def assert_output(self, data: bytes, output: bytes, *arguments: str, more=(), files=()):
        """Checks the bytes of the output."""
        found = outcome(*arguments, data=data, more=more, files=files)
        self.assertEqual(found, Outcome(0, {"": output}))

    def assert_status(self, status: int, data: bytes, *arguments: str, command="sort", more=()):
        """Checks the exit status of a job without output."""
        found = outcome(*arguments, data=data, command=command, more=more)
        self.assertEqual(found, Outcome(status, {}))

    def assert_unspecified(self, data: bytes, *arguments: str):
        """Checks that the model leaves a job open."""
        with self.assertRaises(Unspecified):
            outcome(*arguments, data=data)


class Formats(ModelCase):
    """Inputs that are cut into records and written again."""

    def test_lines(self):
        """Lines get their last end; carriage returns are data; inputs are one."""
        self.assert_output(b"b\r\n\na", b"\na\nb\r\n")
        self.assert_output(b"", b"")
        self.assert_output(b"b;a", b"a;b;", "-F", "lines:;")
        self.assert_output(b"b\0a\n\0", b"a\n\0b\0", "-F", "lines:0")
        self.assert_output(b"b\nd", b"a\nb\nc\nd\n", more=(b"c\na\n",))
        self.assert_output(b"t\nb\na\n", b"t\na\nb\nc\n", "--header", "1", more=(b"u\nc\n",))
        self.assert_output(b"b\n#a\n", b"#t\n#a\na\nb\n", "--header", "#", more=(b"#t\na\n",))
        longest = b"x" * ((1 << 20) - 1) + b"\n"
        self.assert_output(longest + b"1\n", longest + b"1\n", "--header", "1")
        self.assert_status(3, b"x" + longest, "--header", "1")
        cut = ("-t", ",", "--select", "2", "--header", "#")
        self.assert_output(b"#t,u\nb,1\na,2\n", b"#t,u\n2\n1\n", *cut)

    def test_groups_of_lines(self):
        """Records of several lines: keys name a line, or a field of one; headers are lines."""
        group = ("-F", "lines:group=2")
        self.assert_output(b"b\n1\na\n2", b"a\n2\nb\n1\n", *group)
        self.assert_output(b"b\n2\na\n10\n", b"a\n10\nb\n2\n", *group, "-k", "2")
        self.assert_output(b"x 2\n\ny 1\n\n", b"y 1\n\nx 2\n\n", *group, "-k", "1.2:int")
        zeros = ("-F", "lines:0,group=2", "-t", ":")
        self.assert_output(b"a:2\0b\0c:1\0d\0", b"c:1\0d\0a:2\0b\0", *zeros, "-k", "1.2")
        top = (*group, "--header", "1")
        self.assert_output(b"t\nb\n1\na\n2\n", b"t\na\n2\nb\n1\n", *top)
        self.assert_output(b"a\n1\na\n2\n", b"a\n3\n", *group, "-k", "1", "--sum", "2")
        self.assert_output(b"a\n1\na\n1\n", b"      2 a\n1\n", *group, "--count")
        self.assert_output(b"b\n1\na\n2\n", b"2\n1\n", *group, "--select", "2")
        self.assert_output(b"b\n1\n", b"a\n2\nb\n1\n", *group, more=(b"a\n2\n",))
        self.assert_output(b"", b"", *group)
        self.assert_status(3, b"a\n1\nb\n", *group)
        self.assert_status(3, b"a\n1\nb\n", *group, more=(b"2\n",))
        self.assert_status(3, b"a\n1\nb\n", *group, command="check")
        for key in ("3", "1-3", "3.1", "name", "1.0", "0.1"):
            self.assert_status(2, b"a\n1\n", *group, "-k", key)
        self.assert_status(2, b"a\n1\n", *group, "--sum", "1.1")
        self.assert_status(2, b"", "-F", "lines:group=0")

    def test_tables(self):
        """Rows keep their quotes and ends; headers are shared by what they say."""
        first = b'name,city,amount\n"Lee, Ann",Oslo,10.50\nBob,"Rome\n(old town)",2\nCy,,7\n'
        second = b'"name",city,amount\nDee,Bern,-3.25\n'
        self.assert_output(
            first,
            b'name,city,amount\n"Lee, Ann",Oslo,10.50\nCy,,7\n'
            b'Bob,"Rome\n(old town)",2\nDee,Bern,-3.25\n',
            *("-F", "csv", "-k", "amount:decimal:desc"),
            more=(second,),
        )
        # Empty cells come last, whichever direction, unless the key says otherwise.
        table = b"k\r\nb\r\n\r\na\r\n"
        self.assert_output(table, b"k\r\na\r\nb\r\n\r\n", "-F", "csv", "-k", "k")
        self.assert_output(table, b"k\r\nb\r\na\r\n\r\n", "-F", "csv", "-k", "k:desc")
        self.assert_output(table, b"k\r\n\r\na\r\nb\r\n", "-F", "csv", "-k", "k:nulls-first")
        self.assert_output(b"b\t2\na\t1\n", b"a\t1\nb\t2\n", "-F", "tsv", "--no-header", "-k1")
        self.assert_output(b'"\n"a\n', b'"\n"a\n', "-F", "csv", "--quote", "none", "-k", "1")
        self.assert_output(
            b'w,n\n"a"b",3\n4" x,2\n"\n"",",1\n',
            b'w,n\n"\n"",",1\n4" x,2\n"a"b",3\n',
            *("-F", "csv", "--quote", "lenient", "-k", "n:int"),
        )
        self.assert_output(b'k\n"a""b"\n"a"\n', b'k\n"a"\n"a""b"\n', "-F", "csv", "-k", "k")

    def test_malformed_tables(self):
        """Quotes, widths and headers that do not fit are malformed."""
        for table in (b'a\nx"y\n', b'a\n"x"y\n', b'a\n"x\n', b"a,b\n1\n", b"a\n1,2\n"):
            self.assert_status(3, table, "-F", "csv", "-k", "1")
        self.assert_status(3, b"a\n1\n", "-F", "csv", "-k", "1", more=(b"b\n1\n",))
        self.assert_status(3, b"1,2\n3\n", "-F", "csv", "--no-header")
        self.assert_status(2, b"a\n1\n", "-F", "csv", "-k", "b")
        self.assert_output(b"", b"k\na\n", "-F", "csv", "-k", "k", more=(b"k\na\n",))
        ragged = ("-F", "csv", "-k", "b", "--ragged", "keep")
        self.assert_output(b"a,b\n1\n2,x,y\n", b"a,b\n2,x,y\n1\n", *ragged)

    def test_records_of_bytes(self):
        """Records have a fixed length, or their length in front."""
        self.assert_output(b"b2a1", b"a1b2", "-F", "fixed:2")
        self.assert_output(b"\0\2bb\0\1a", b"\0\1a\0\2bb", "-F", "u16be")
        self.assert_output(b"\4\0bb\3\0a", b"\3\0a\4\0bb", "-F", "u16le:self")
        self.assert_output(b"\0\5\0\0b\0\5\0\0a", b"\0\5\0\0a\0\5\0\0b", "-F", "rdw")
        for form, data in (("fixed:2", b"abc"), ("u16be", b"\0\2a"), ("u16be:self", b"\0\1")):
            self.assert_status(3, data, "-F", form)
        for form in ("fixed:0", "fixed:1048577", "u8", "lines:ab", "lines:256"):
            self.assert_status(2, b"", "-F", form)


class Keys(ModelCase):
    """Locations, modifiers, and what is no key."""

    def test_locations(self):
        """Fields, bytes of fields and of records are found."""
        self.assert_sorts("a~2 b~1", "b~1 a~2", "-k", "2")
        self.assert_sorts("a,bx c,ay", "c,ay a,bx", "-t", ",", "-k", "2[0..1]")
        self.assert_sorts("xb2 xb1 xa9", "xa9 xb2 xb1", "-k", "1..2")
        self.assert_sorts("xb2 xb1 xa9", "xa9 xb1 xb2", "-k", "1..")
        self.assert_sorts("b1 a1 a", "a b1 a1", "-k", "1[1..]")
        # A field begins at the blanks in front of it.
        self.assert_output(b"x b\nx  c\n", b"x  c\nx b\n", "-k", "2")
        self.assert_output(b'a,"a:b"\n1,2\n3,1\n', b'a,"a:b"\n3,1\n1,2\n', "-Fcsv", "-k", '"a:b"')

    def test_refused(self):
        """Keys that there cannot be are refused."""
        for key in ("0", "3..2", "1:nothing", "1:desc:int", "1:u8", "name", "1:int=4", ""):
            self.assert_status(2, b"", "-k", key)
        for key in ("1", "0..3:u16le", "2..5", "0..1:int:up"):
            self.assert_status(2, b"", "-F", "fixed:4", "-k", key)

    def test_short_records(self):
        """A record that ends before a key's range is an error, or is padded."""
        data = b"\0\2ab\0\1a"
        self.assert_status(3, data, "-F", "u16be", "-k", "0..2")
        late = "--invalid", "last"
        self.assert_output(b"\0\1a\0\2ab", b"\0\2ab\0\1a", "-Fu16be", "-k0..2", *late)
        padded = b"\0\1a\0\2ab"
        self.assert_output(data, padded, "-F", "u16be", "-k", "0..2", "--pad", "0x20")
        self.assert_output(padded, data, "-F", "u16be", "-k", "0..2:pad=z")

    def test_modifiers(self):
        """Direction, case, blanks and nulls."""
        self.assert_sorts("a c b", "c b a", "-r")
        self.assert_sorts("a c b", "a b c", "-r", "-k", "1:desc")
        self.assert_sorts("b A a B", "A a b B", "-k", "1:ci")
        self.assert_output(b"  b\na \n", b"a \n  b\n", "-k", "..:trim")
        self.assert_sorts("a _ b", "_ a b", "-k", "..")
        self.assert_sorts("a _ b", "a b _", "-k", "..:nulls-last")
        self.assert_sorts("a _ b", "_ b a", "-k", "..:nulls-first:desc")
        self.assert_sorts("a _ b", "b a _", "-r", "-k", "..:nulls-last")

    def test_lines_of_json(self):
        """Values by path or pointer; missing ones, null and "" have no value."""
        data = b'{"a":{"b.c":10}}\n{"a":{"b.c":"9"}}\n{"a":null}\n{"a":{"b.c":-1,"b.c":99}}\n'
        rows = data.splitlines(keepends=True)
        wanted = b"".join(rows[place] for place in (3, 1, 0, 2))
        self.assert_output(data, wanted, "-F", "jsonl", "-k", "/a/b.c:int")
        self.assert_output(
            b'{"a":"\\u0062"}\n{"a":"a"}', b'{"a":"a"}\n{"a":"\\u0062"}\n', "-Fjsonl", "-ka"
        )
        self.assert_status(3, b'{"a":1\n', "-F", "jsonl", "-k", "a")
        self.assert_status(2, b"{}\n", "-F", "jsonl", "-k", "1")

    def test_stability(self):
        """Records with equal keys keep the order of the input, also in reverse."""
        self.assert_sorts("b2 a1 b1 a2", "a1 a2 b2 b1", "-k", "0..1")
        self.assert_sorts("b2 a1 b1 a2", "b2 b1 a1 a2", "-r", "-k", "0..1")

    def test_invalid(self):
        """Keys that are no values end the sort, or put their records at an end."""
        self.assert_sorts("x 2 _ -1 10y", "-1 x _ 2 10y", "-k", "1:int")
        self.assert_status(3, lines("1 x"), "-k", "1:int", "--invalid", "error")
        self.assert_sorts("x 2 y -1", "-1 2 x y", "-k", "1:int", "--invalid", "last")
        self.assert_sorts("2 x y -1", "x y 2 -1", "-r", "-k1:int", "--invalid", "first")
        self.assert_status(3, lines("2026-11-22 soon"), "-k", "1:date")
        # An empty key that cannot be a value is null, and not invalid.
        self.assert_sorts("a, b,2", "b,2 a,", "-t,", "-k", "2:date", "--date-format", "%s")
        self.assert_sorts("x 1 y", "1 x", "-k", "1:int", "--invalid", "last", "-u")
        two = "-t,", "-k1", "-k2:int", "--invalid"
        self.assert_sorts("b,y a,x b,1 c,", "b,1 c, a,x b,y", *two, "last")
        self.assert_sorts("b,y a,x c, b,1", "a,x b,y b,1 c,", *two, "first")
        versions = "1.0.0 1.0.0-rc.1 v0.9.0 1.0.0-rc.a 1.0.0-2+b"
        in_order = "v0.9.0 1.0.0-2+b 1.0.0-rc.1 1.0.0-rc.a 1.0.0"
        self.assert_sorts(versions, in_order, "-k1:semver")
        prices = "1.000 12.34 -0,5 7,5"
        last = "-k1:decimal=,:thousands=.", "--invalid", "last"
        self.assert_sorts(prices, "-0,5 7,5 1.000 12.34", *last)
        self.assert_status(3, b"k\n1\nx\n", "-F", "csv", "-k", "k:int")


class TextTypes(ModelCase):
    """Types of all formats."""

    def test_numbers(self):
        """Decimals are exact, floats have exponents, sizes have units."""
        self.assert_sorts("10 9 -1 0.5", "-1 0.5 9 10", "-k", "1:decimal")
        long = "0.1000000000000000000000000000000"
        self.assert_sorts(f"{long}2 {long}1", f"{long}1 {long}2", "-k", "1:decimal")
        self.assert_sorts("1.50 1.5 1.500", "1.50 1.5 1.500", "-k", "1:decimal")
        self.assert_sorts("+5 1 -2 +0.5 +", "-2 + +0.5 1 +5", "-k", "1:decimal")
        self.assert_sorts("1e2 inf 99 -inf", "-inf 99 1e2 inf", "-k", "1:float")
        self.assert_sorts("1Ki 1K 2.5Gi 999 -1M", "-1M 999 1K 1Ki 2.5Gi", "-k", "1:size")
        self.assert_sorts("1kib 1kb 10min 3pieces", "3pieces 10min 1kb 1kib", "-k", "1:size")
        self.assert_sorts("1K 1e3 3e-1 2K2", "1e3 2K2 3e-1 1K", "-k", "1:size")

    def test_words(self):
        """Months, versions, digits in text, yes and no, and lists."""
        self.assert_sorts("Mar jan dec x", "x jan Mar dec", "-k", "1:month")
        self.assert_sorts("1.10.2 1.9 1.10", "1.9 1.10 1.10.2", "-k", "1:version")
        self.assert_sorts("file10 file9 file", "file file9 file10", "-k", "1:natural")
        self.assert_sorts("yes no on f 1 0", "no f 0 yes on 1", "-k", "1:bool")
        self.assert_sorts("high low mid", "low mid high", "-k", "1:order=low|mid|high")
        listed = (("list", b"high\nlow\n"),)
        self.assert_sorts("low high", "high low", "-k", "1:order=@list", files=listed)
        self.assert_status(3, lines("low other"), "-k", "1:order=low|mid|high")
        self.assert_sorts("B a A b", "a A b B", "-k", "1:text:locale=de")

    def test_addresses(self):
        """Version 4 comes before 6; UUIDs have several spellings."""
        addresses = "::1 10.0.0.1 9.0.0.1 ::", "9.0.0.1 10.0.0.1 :: ::1"
        self.assert_sorts(*addresses, "-k", "1:ip")
        one = "00000000-0000-0000-0000-00000000000a"
        two = "{00000000-0000-0000-0000-00000000000B}"
        self.assert_sorts(f"{two} {one}", f"{one} {two}", "-k", "1:uuid")
        urn = "URN:uuid:00000000-0000-0000-0000-00000000000A"
        self.assert_sorts(f"{two} {urn} {one}", f"{urn} {one} {two}", "-k", "1:uuid")

    def test_times(self):
        """Days, times of day, and instants."""
        self.assert_sorts("2026-11-22 2025-12-01", "2025-12-01 2026-11-22", "-k", "1:date")
        self.assert_status(3, lines("2026-02-29"), "-k", "1:date")
        self.assert_sorts("13:45:06.789 13:45:06", "13:45:06 13:45:06.789", "-k", "1:time")
        # 13:45:06+01:00 is 12:45:06 in UTC.
        late, early = "2026-11-22T13:00:00", "2026-11-22T13:45:06+01:00"
        self.assert_sorts(f"{late} {early}", f"{early} {late}", "-k", "1:timestamp")
        arguments = "-t,", "-k", "2:date", "--date-format", "%d.%m.%Y", "--invalid", "last"
        days = "b,22.11.2026 a,01.12.2025 c,soon"
        self.assert_sorts(days, "a,01.12.2025 b,22.11.2026 c,soon", *arguments)
        clock = "-k", "..:timestamp", "--date-format", "%m/%d/%y %I:%M %p"
        noon, midnight = "1/2/26~12:00~PM", "1/2/26~12:30~AM"
        self.assert_sorts(f"{noon} {midnight}", f"{midnight} {noon}", *clock)
        self.assert_sorts("100 99", "99 100", "-k", "1:timestamp", "--date-format", "%s")
        last, before = "12/31/9999~11:59~PM", "12/30/9999~10:00~PM"
        ever = "-k", "..:timestamp", "--date-format", "%m/%d/%Y %I:%M %p"
        self.assert_sorts(f"{last} {before}", f"{before} {last}", *ever)

    def test_ragged_rows_that_are_dropped(self):
        """Rows with another number of cells are left out and counted, with a header or without."""
        words = ("-F", "csv", "-k", "2", "--ragged", "drop")
        job = Job("sort", words, (b"a,b\n1\n2,z\n", b"a,b\n3,y\n4,x,w\n"))
        self.assertEqual(expected(job), Outcome(0, {"": b"a,b\n3,y\n2,z\n"}, 2))
        bare = Job("sort", (*words, "--no-header"), (b"1,q\n2\n0,p\n",))
        self.assertEqual(expected(bare), Outcome(0, {"": b"0,p\n1,q\n"}, 1))
        even = Job("check", words, (b"a,b\n1,b\n0\n2,c\n",))
        self.assertEqual(expected(even), Outcome(0, {}, 1))

    def test_tables_whose_columns_differ(self):
        """Columns are found by their names; cells keep their bytes, and missing ones are empty."""
        words = ("-F", "csv", "-k", "a", "--union-by-name")
        first, other = b'a,"b"\n2,"x"\n', b'c,b,"a"\n"7",y,1\n,,3\n'
        found = expected(Job("sort", words, (first, other)))
        self.assertEqual(found, Outcome(0, {"": b'a,"b",c\n1,y,"7"\n2,"x",\n3,,\n'}))
        twice = expected(Job("sort", words, (b"a,b,a\n",)))
        self.assertEqual(twice, Outcome(3, {}))
        bare = expected(Job("sort", (*words, "--no-header"), (first,)))
        self.assertEqual(bare, Outcome(2, {}))
        kept = expected(Job("sort", (*words, "--ragged", "keep"), (b"a,b\n", b"b,a\nx\ny,1,z\n")))
        self.assertEqual(kept, Outcome(0, {"": b"a,b\n1,y,z\n,x\n"}))
        returns = expected(Job("sort", words, (b"a,b\n", b"b,a\nx\r,2\ny\r,1\r\n")))
        self.assertEqual(returns, Outcome(0, {"": b'a,b\n1,y\r\r\n2,"x\r"\n'}))
        bare = (*words, "--quote", "none")
        self.assertEqual(expected(Job("sort", bare, (b"a,b\n", b"b,a\nx\r,2\n"))), Outcome(3, {}))
        dropped = (*words, "--ragged", "drop")
        found = expected(Job("sort", dropped, (b"a,b\n", b"a\n1\n2,3\n0\n")))
        self.assertEqual(found, Outcome(0, {"": b"a,b\n0,\n1,\n"}, 1))

    def test_random(self):
        """A shuffle keeps equal keys together, in the order of the input."""
        job = Job("sort", ("-k", "1:random"), (b"a 1\nb 1\na 2\n",))
        self.assertTrue(acceptable(job, Outcome(0, {"": b"a 1\na 2\nb 1\n"})))
        self.assertTrue(acceptable(job, Outcome(0, {"": b"b 1\na 1\na 2\n"})))
        self.assertFalse(acceptable(job, Outcome(0, {"": b"b 1\na 2\na 1\n"})))
        self.assertFalse(acceptable(job, Outcome(0, {"": b"a 1\nb 1\na 2\n"})))
        self.assertFalse(acceptable(job, Outcome(0, {"": b"a 1\na 2\n"})))
        later = Job("sort", ("-k", "0..1", "-k", "1..:random"), (b"a2\nb2\na1\nb1\n",))
        self.assertTrue(acceptable(later, Outcome(0, {"": b"a1\na2\nb2\nb1\n"})))
        self.assertFalse(acceptable(later, Outcome(0, {"": b"a1\nb2\na2\nb1\n"})))


class BinaryTypes(ModelCase):
    """Types of records of bytes."""

    def assert_orders(self, values: list[bytes], *types: str, files=()):
        """Checks that values sort in the order in which they stand here."""
        for kind in types:
            data = b"".join(reversed(values))
            width = len(values[0])
            key = ("-F", f"fixed:{width}", "-k", f"0..{width}:{kind}")
            self.assert_output(data, b"".join(values), *key, files=files)

    def test_integers(self):
        """Integers of both orders of bytes, with and without a sign."""
        self.assert_orders([b"\0", b"\1", b"\x80", b"\xff"], "u8")
        self.assert_orders([b"\x80", b"\xff", b"\0", b"\1"], "i8")
        for kind, form in (("u16le", "<H"), ("u32be", ">I"), ("u64le", "<Q")):
            self.assert_orders([struct.pack(form, number) for number in (0, 255, 256)], kind)
        for kind, form in (("i16be", ">h"), ("i32le", "<i"), ("i64be", ">q")):
            self.assert_orders([struct.pack(form, number) for number in (-256, -1, 0, 9)], kind)

    def test_floats(self):
        """The whole order: -NaN, -inf, negative, -0, +0, positive, inf, NaN."""
        for kind, form in (("f32le", "<f"), ("f64be", ">d")):
            numbers = [float("-inf"), -1.5, -0.0, 0.0, 1e-9, 2.0, float("inf")]
            values = [struct.pack(form, number) for number in numbers]
            nan = struct.pack(form, float("nan"))
            sign = bytearray(nan)
            sign[-1 if form[0] == "<" else 0] |= 0x80
            self.assert_orders([bytes(sign), *values, nan], kind)

    def test_mainframes(self):
        """Packed and zoned numbers, text in EBCDIC, and collating sequences."""
        self.assert_orders([b"\x12\x3d", b"\x00\x1d", b"\x00\x0c", b"\x01\x0f"], "packed")
        self.assert_status(3, b"\x1a\x0c", "-F", "fixed:2", "-k", "0..2:packed")
        self.assert_orders([b"1}", b"0J", b"0{", b"01", b"1A"], "zoned")
        self.assert_orders([b"J0", b"A0", b"20"], "zoned-leading")
        self.assert_orders([b"12-", b"01+"], "zoned-separate")
        self.assert_orders([b"-12", b"+01"], "zoned-leading-separate")
        self.assert_orders([b"\xf1\xd0", b"\xf0\xc0", b"\xf0\xf1"], "zoned=ebcdic")
        # Digits come before letters, capital ones first: 1, A, a, b in EBCDIC.
        letters = [b"\xf1", b"\xc1", b"\x81", b"\x82"]
        self.assert_orders(letters, "ebcdic", "ebcdic=500", "ebcdic=1047")
        # A bracket of code page 1047 is a letter with an accent in 037.
        self.assert_orders([b"\xad", b"\x81"], "ebcdic=1047")
        self.assert_orders([b"\x81", b"\xad"], "ebcdic")
        table = (("table", bytes(reversed(range(256)))),)
        self.assert_orders([b"b", b"a"], "sequence=table", files=table)

    def test_readme(self):
        """The records of the guide of binary records, by amount and by name."""
        items = bytes.fromhex("00007c8193850001 2d82a49500300c839684".replace(" ", ""))
        sorted_items = items[12:] + items[:6] + items[6:12]
        keys = "-F", "fixed:6", "-k", "0..3:packed:desc", "-k", "3..6:ebcdic"
        self.assert_output(items, sorted_items, *keys)


class Conditions(ModelCase):
    """--include and --exclude."""

    def assert_takes(self, condition: str, before: str, after: str, *arguments: str):
        """Checks which lines, in their order, a condition takes."""
        self.assert_sorts(before, after, "-t,", "--include", condition, *arguments)

    def test_comparisons(self):
        """Numbers by value, text by bytes, keys with keys."""
        self.assert_takes("2:int >= 10", "a,10 b,9 c,x d", "a,10")
        self.assert_takes("2:int>=10", "a,10 b,9", "a,10")
        self.assert_takes("1:decimal != -0.5", "-0.50 1 x", "1")
        self.assert_takes('1 == "Smith"', "Smith smith", "Smith")
        self.assert_takes("1:ci == 'smith'", "SMITH smith x", "SMITH smith", "-k", "1:ci")
        self.assert_takes("1:int < 2:int", "1,2 2,1 1,x", "1,2")
        self.assert_takes("1:date > 2026-01-01", "2026-01-02 2025-01-01", "2026-01-02")
        self.assert_takes('1:order=low|mid|high > "low"', "mid low high", "high mid")

    def test_searches(self):
        """What a value contains, begins or ends with, or matches, and empty values."""
        self.assert_takes('1 contains "x"', "axb ab", "axb")
        self.assert_takes('1 starts with "a"', "ab ba", "ab")
        self.assert_takes('1 ends with "a"', "ab ba", "ba")
        self.assert_takes('1 matches "^a.*z$"', "abz abzz abx", "abz abzz")
        self.assert_takes('1 =~ "[0-9]+"', "a a1", "a1")
        self.assert_takes('1:ci contains "X"', "axb ab", "axb")
        self.assert_takes("2 is empty", "a, b,1 c", "a, c")
        self.assert_takes("2 is not empty", "a, b,1 c", "b,1")
        self.assert_takes(r'1 == "a\"b\\"', 'a"b\\ x', 'a"b\\')

    def test_logic(self):
        """Not binds most, or least; unknown is neither included nor excluded."""
        text = "1 2 3 x"
        self.assert_takes("1:int == 1 or 1:int > 1 and 1:int < 3", text, "1 2")
        self.assert_takes("(1:int == 1 or 1:int > 1) and 1:int < 3", text, "1 2")
        self.assert_takes("not (1:int == 1)", text, "2 3")
        self.assert_takes("not 1:int == 1 or 1 == 'x'", text, "2 3 x")
        self.assert_sorts(text, "2 3 x", "--exclude", "1:int == 1")
        self.assert_sorts(text, "3", "--include", "1:int > 1", "--include", "1:int > 2")
        for wrong in ("1 ==", "1:int == x", "(1 is empty", "1:desc is empty", "1:int == 2:date"):
            self.assert_status(2, b"", "--include", wrong)


class Operators(ModelCase):
    """What is made of records with equal keys, and which are written where."""

    def test_groups(self):
        """The first, the last, none, or how many."""
        data = lines("b,1 a,1 b,2")
        key = "-t,", "-k", "1"
        self.assert_output(data, lines("a,1 b,1"), *key, "-u")
        self.assert_output(data, lines("a,1 b,2"), *key, "--unique=last")
        self.assert_status(3, data, *key, "--unique=error")
        counted = b"      1 a,1\n      2 b,1\n"
        self.assert_output(data, counted, *key, "--count")
        table = b"k,v\r\nb,1\r\na,2\r\nb,3\r\n"
        summed = b"k,v,count\r\na,2,1\r\nb,4,2\r\n"
        self.assert_output(table, summed, "-Fcsv", "-kk", "--count", "--sum", "v")

    def test_aggregates(self):
        """Sums are exact; empty cells take no part; others than numbers are errors."""
        data = b"a,1.5,x\na,,z\na,-0.25,y\n"
        key = "-t,", "-k1"
        self.assert_output(data, b"a,1.25,x\n", *key, "--sum", "2")
        self.assert_output(data, b"a,-0.25,z\n", *key, "--min", "2", "--max", "3:text")
        self.assert_status(3, data, *key, "--sum", "3")
        self.assert_status(2, data, "-k1", "--sum", "2")
        records = b"a\1b\2a\3"
        form = "-F", "fixed:2", "-k", "0..1"
        self.assert_output(records, b"a\4b\2", *form, "--sum", "1..2:u8")
        self.assert_output(records, b"a\3b\2", *form, "--max", "1..2:u8")
        self.assert_status(3, b"a\xffa\1", *form, "--sum", "1..2:u8")
        self.assert_output(b"a\x9da\x3c", b"a\x6d", *form, "--sum", "1..2:packed")

    def test_selection(self):
        """Parts of records, and parts of their order."""
        table = b"a,b,c\n1,2,3\n"
        self.assert_output(table, b"c,a\n3,1\n", "-Fcsv", "-ka", "--select", "c,1")
        self.assert_output(b"1,2,3\n", b"3,1\n", "-t,", "--select", "3,1")
        returns = b"a,b\nx\r,1\ny\r,2\r\n"
        self.assert_output(returns, b'a\n"x\r"\ny\r\r\n', "-Fcsv", "-kb", "--select", "a")
        self.assert_status(3, returns, "-Fcsv", "-kb", "--select", "a", "--quote", "none")
        self.assert_output(b"\0\4abcd", b"\0\2da", "-F", "u16be", "--select", "3..4,0..1")
        self.assert_sorts("c b a d", "b c", "--skip", "1", "--limit", "2")
        self.assert_sorts("c b a b", "b c", "-u", "--skip", "1")

    def test_two_faults(self):
        """A wrong command line is reported first, but a missing column after the headers."""
        wrong = ("-F", "fixed:2", "--include", '0..1:ip == "f"')
        self.assert_status(2, b"abc", *wrong)
        self.assert_status(2, b"abc", "-F", "fixed:2", "-k", "0..3", command="check")
        self.assert_status(3, b"abc", "-F", "fixed:2")
        self.assert_status(2, b"a,b\n1\n", "-Fcsv", "-k", "c")
        self.assert_status(3, b"a,b\n1\n", "-Fcsv", "-k", "b")
        # An input without any byte has no header.
        for named in (("-k", "b"), ("--include", "b:int > 1"), ("--select", "b")):
            self.assert_status(2, b"", "-Fcsv", *named)
        self.assert_unspecified(b'a,b"\n1,2\n', "-Fcsv", "-k", "a:int:pad=0")

    def test_several_outputs(self):
        """Equal numbers of records, or a file for each value."""
        table = b"k,v\nb,1\na,2\nb,3\n"
        by_value = {"-a": b"k,v\na,2\n", "-b": b"k,v\nb,1\nb,3\n"}
        found = outcome("-Fcsv", "-kk", "--split-by", "k", data=table)
        self.assertEqual(found, Outcome(0, by_value))
        job = Job("sort", ("--split", "2"), (b"c\nb\na\n",))
        self.assertTrue(acceptable(job, Outcome(0, {"-1": b"a\nb\n", "-2": b"c\n"})))
        self.assertTrue(acceptable(job, Outcome(0, {"-1": b"a\n", "-2": b"b\nc\n"})))
        self.assertFalse(acceptable(job, Outcome(0, {"-1": b"", "-2": b"a\nb\nc\n"})))
        self.assert_status(2, b"", "--split", "2", "-u")
        apart = b"1,a\n01,b\n1,c\n"
        self.assert_status(2, apart, "-t,", "-k1:int", "--split-by", "1")
        clash = b"a/b,1\na?b,2\n"
        self.assert_status(2, clash, "-t,", "-k1", "--split-by", "1")


class Lz4Frames(unittest.TestCase):
    """Frames that the command does not write."""

    def test_xxh32(self):
        """Known values of the hash."""
        found = [
            xxh32(data) for data in (b"", b"a", b"abc", b"Nobody inspects the spammish repetition")
        ]
        self.assertEqual(found, [0x02CC5D05, 0x550D7456, 0x32D153FF, 0xE2293B2F])

    def test_blocks_of_several_frames_come_into_one(self):
        """The order of blocks, and each optional field."""

        def frame(*texts):
            blocks = [struct.pack("<I", len(text) | 1 << 31) + text for text in texts]
            return b"\x04\x22\x4d\x18\x60\x50\0" + b"".join(blocks) + bytes(4)

        one = one_frame(frame(b"ab", b"c") + frame(b"d"), b"abcd", 0)
        self.assertEqual(one[7:], frame(b"ab", b"c", b"d")[7:])
        self.assertEqual([data for _, data in blocks(one)], [b"ab", b"c", b"d"])
        checked = one_frame(frame(b"ab"), b"ab", 7)
        self.assertEqual(checked[4:14], b"\x7c\x50\x02" + bytes(7))
        self.assertTrue(checked.endswith(bytes(4) + struct.pack("<I", xxh32(b"ab"))))


class OtherCommands(ModelCase):
    """merge and check."""

    def test_merge(self):
        """Earlier inputs go first; inputs out of order are refused."""
        job = Job("merge", ("-k", "0..1"), (b"a1\nc1\n", b"a2\nb2\n"))
        self.assertEqual(expected(job), Outcome(0, {"": b"a1\na2\nb2\nc1\n"}))
        first = Job("merge", ("-u", "-k", "0..1"), (b"a1\nc1\n", b"a2\nb2\n"))
        self.assertEqual(expected(first), Outcome(0, {"": b"a1\nb2\nc1\n"}))
        self.assert_status(3, b"b\na\n", command="merge")
        self.assert_status(3, b"b\na\n", "--check", command="merge")
        self.assert_status(2, b"", "--split", "2", command="merge")
        some = Job("merge", ("--skip", "1", "--limit", "2"), (b"a\nc\n", b"b\nd\n"))
        self.assertEqual(expected(some), Outcome(0, {"": b"b\nc\n"}))
        sums = ("-t,", "-k1", "--sum", "2:int", "--unique=last")
        groups = Job("merge", sums, (b"a,1\nb,2\n", b"a,3\n"))
        self.assertEqual(expected(groups), Outcome(0, {"": b"a,4\nb,2\n"}))

    def test_check(self):
        """Each input by itself: 0 if it is sorted, 1 if not."""
        self.assert_status(0, b"b\nb\n", command="check", more=(b"a\n",))
        self.assert_status(1, b"b\na\n", "-q", command="check")
        self.assert_status(1, b"b\nb\n", "-u", command="check")
        self.assert_status(0, b"b\na\n", "-r", "-u", command="check")
        self.assert_status(3, b"abc", "-F", "fixed:2", command="check")


if __name__ == "__main__":
    unittest.main()
