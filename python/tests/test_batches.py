"""`sortwell.sort_batches` beside the model, pyarrow, Polars, NumPy and nanoarrow."""

import ctypes
import datetime
import decimal
import gc
import os
import random
import threading
import time
import unittest
import unittest.mock
import uuid

import batch_model
import nanoarrow
import numpy
import polars
import pyarrow
import pyarrow.compute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_errors import WithFolder

import sortwell

settings.register_profile(
    "sortwell", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("sortwell")

NUMBERS = [0.0, -0.0, 1.5, -2.0, float("nan"), float("inf"), float("-inf")]
TEXTS = st.one_of(
    st.sampled_from(["", "a", "b"]),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace").decode()),
)
BYTES = st.one_of(st.sampled_from([b"", b"\0", b"\0\0"]), st.binary(max_size=40))


def whole(bits, is_signed):
    """Returns integers of a width, often equal ones and those at the ends."""
    least = -(1 << bits - 1) if is_signed else 0
    most = least + (1 << bits) - 1
    return st.one_of(st.integers(least, most), st.sampled_from([0, 1, least, most]))


def floats(width):
    """Returns floats of a width."""
    return st.one_of(st.floats(width=width), st.sampled_from(NUMBERS))


def decimals(digits, scale):
    """Returns decimal numbers with a number of digits."""
    most = 10**digits - 1
    context = decimal.Context(prec=digits + 1)
    return st.integers(-most, most).map(
        lambda number: decimal.Decimal(number).scaleb(-scale, context)
    )


INSTANTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1))
FIELDS = [
    *((getattr(pyarrow, f"int{bits}")(), whole(bits, True)) for bits in (8, 16, 32, 64)),
    *((getattr(pyarrow, f"uint{bits}")(), whole(bits, False)) for bits in (8, 16, 32, 64)),
    (pyarrow.float16(), floats(16).map(numpy.float16)),
    (pyarrow.float32(), floats(32)),
    (pyarrow.float64(), floats(64)),
    (pyarrow.bool_(), st.booleans()),
    (pyarrow.string(), TEXTS),
    (pyarrow.large_string(), TEXTS),
    (pyarrow.string_view(), TEXTS),
    (pyarrow.binary(), BYTES),
    (pyarrow.large_binary(), BYTES),
    (pyarrow.binary_view(), BYTES),
    (pyarrow.binary(3), st.binary(min_size=3, max_size=3)),
    (pyarrow.date32(), st.dates()),
    (pyarrow.timestamp("us"), INSTANTS),
    (pyarrow.timestamp("ms", "Europe/Oslo"), INSTANTS),
    (pyarrow.time64("us"), st.times()),
    (pyarrow.duration("us"), st.timedeltas(datetime.timedelta(-9999), datetime.timedelta(9999))),
    (pyarrow.decimal128(12, 3), decimals(12, 3)),
    (pyarrow.decimal256(40, 5), decimals(40, 5)),
    (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), st.sampled_from("abc")),
    (pyarrow.dictionary(pyarrow.int32(), pyarrow.float64()), st.sampled_from(NUMBERS)),
]
# Types that cannot be keys.
PAYLOADS = [
    (pyarrow.list_(pyarrow.int16()), st.lists(st.integers(0, 9), max_size=3)),
    (
        pyarrow.struct([("a", pyarrow.string()), ("b", pyarrow.bool_())]),
        st.fixed_dictionaries({"a": TEXTS, "b": st.booleans()}),
    ),
    (
        pyarrow.map_(pyarrow.string(), pyarrow.int8()),
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)).map(lambda d: list(d.items())),
    ),
    (pyarrow.list_(pyarrow.int8(), 2), st.lists(st.integers(0, 9), min_size=2, max_size=2)),
    (pyarrow.null(), st.none()),
]


@st.composite
def tables(draw):
    """Returns a table of batches that are slices, keys, and options."""
    rows = draw(st.integers(0, 50))
    kinds = draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4))
    key_count = len(kinds)
    kinds += draw(st.lists(st.sampled_from(FIELDS + PAYLOADS), max_size=3))
    fields, columns = [], []
    for number, (kind, values) in enumerate(kinds):
        is_nullable = kind == pyarrow.null() or draw(st.booleans())
        if is_nullable and draw(st.booleans()):
            values = st.one_of(st.none(), values)
        # A few values, so that keys are often equal.
        pool = draw(st.lists(values, min_size=1, max_size=6))
        chosen = draw(st.lists(st.sampled_from(pool), min_size=rows + 3, max_size=rows + 3))
        columns.append(pyarrow.array(chosen, kind).slice(2, rows))
        metadata = {"number": str(number)} if number % 2 else None
        fields.append(pyarrow.field(f"c{number}", kind, is_nullable, metadata))
    schema = pyarrow.schema(fields, {"of": "all"})
    table = pyarrow.Table.from_arrays(columns, schema=schema)
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=3)))
    pieces = [table.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, rows], strict=True)]
    table = pyarrow.concat_tables(pieces)
    names = draw(st.permutations(range(key_count)))[: draw(st.integers(1, 3))]
    by = [(f"c{number}", draw(st.sampled_from(["asc", "desc"]))) for number in names]
    return table, by, draw(st.sampled_from(["last", "first"])), draw(st.integers(1, 60))


class BesideTheModel(unittest.TestCase):
    """Random tables."""

    def assert_same(self, found, expected):
        """Checks that two tables have the same schema and the same bits."""
        self.assertTrue(found.schema.equals(expected.schema, check_metadata=True), found.schema)
        found.validate(full=True)
        for name in expected.column_names:
            columns = [batch_model.bits(table[name]) for table in (found, expected)]
            self.assertTrue(columns[0].equals(columns[1]), (name, *columns))

    @settings(max_examples=300)
    @given(tables())
    def test_random(self, case):
        table, by, nulls, batch_rows = case
        sorted_batches = sortwell.sort_batches(table, by, nulls=nulls, batch_rows=batch_rows)
        found = pyarrow.table(sorted_batches)
        self.assertTrue(all(chunk <= batch_rows for chunk in map(len, found[0].chunks)))
        self.assert_same(found, self.by_model(table, by, nulls))
        self.assertEqual(sorted_batches.statistics.records, table.num_rows)

    def by_model(self, table, by, nulls):
        """Returns the rows in the order of the model."""
        order = pyarrow.array(batch_model.indices(table, by, nulls), pyarrow.int64())
        columns = [batch_model.take(column, order) for column in table.columns]
        return pyarrow.Table.from_arrays(columns, schema=table.schema)

    def large(self, seed, rows, has_text):
        """Returns a table of random columns in batches of random lengths."""
        seeded = numpy.random.default_rng(seed)
        columns = {
            "id": pyarrow.array(seeded.integers(-50, 50, rows, numpy.int64)),
            "value": pyarrow.array(
                seeded.choice([*NUMBERS, *range(90)], rows), mask=seeded.random(rows) < 0.1
            ),
            "number": pyarrow.array(numpy.arange(rows, dtype=numpy.uint32)),
        }
        if has_text:
            texts = pyarrow.array([f"{n % 7919:0{n % 70}d}" for n in range(rows)])
            columns["text"] = texts.take(pyarrow.array(seeded.permutation(rows)))
            columns["kind"] = pyarrow.array(seeded.choice(["x", "y", "z"], rows))
            columns["kind"] = columns["kind"].dictionary_encode()
        table = pyarrow.table(columns)
        batches, start, lengths = [], 0, random.Random(seed)
        while start < rows:
            count = lengths.choice([1, 100, 70_000])
            batches.append(table.slice(start, count))
            start += count
        return pyarrow.concat_tables(batches)

    def test_runs(self):
        for seed, has_text in ((1, False), (2, True)):
            rows = 400_000 if has_text else 1_500_000
            table = self.large(seed, rows, has_text)
            keys = [("value", "descending"), ("id", "ascending")]
            keys += [("text", "ascending")] if has_text else []
            by = [(name, "desc" if way == "descending" else "asc") for name, way in keys]
            for nulls in ("last", "first"):
                with self.subTest(seed=seed, nulls=nulls):
                    it = sortwell.sort_batches(table, by, nulls=nulls, memory="24MiB")
                    found = pyarrow.table(it)
                    self.assertGreater(it.statistics.passes, 1)
                    self.assert_same(found, self.by_pyarrow(table, keys, nulls))

    def by_pyarrow(self, table, keys, nulls):
        """Returns the rows in the order of pyarrow, which the number of the row makes stable."""
        # For pyarrow too, NaN stands beside the nulls.
        place = "at_end" if nulls == "last" else "at_start"
        keys = [(name, way, place) for name, way in [*keys, ("number", "ascending")]]
        return table.take(pyarrow.compute.sort_indices(table, keys))


TABLE = pyarrow.table({"key": [3, 1, None, 2], "text": ["c", "a", "n", "b"]})
IN_ORDER = [
    {"key": 1, "text": "a"},
    {"key": 2, "text": "b"},
    {"key": 3, "text": "c"},
    {"key": None, "text": "n"},
]


class Libraries(unittest.TestCase):
    """Producers and consumers."""

    def test_producers(self):
        batch = TABLE.to_batches()[0]
        producers = {
            "table": TABLE,
            "batch": batch,
            "reader": pyarrow.RecordBatchReader.from_batches(TABLE.schema, [batch, batch][:1]),
            "struct": batch.to_struct_array(),
            "polars": polars.DataFrame(TABLE),
            "nanoarrow": nanoarrow.ArrayStream(TABLE),
            "nanoarrow array": nanoarrow.c_array(batch),
            "sortwell": sortwell.sort_batches(TABLE, "text"),
            "batch of sortwell": next(sortwell.sort_batches(TABLE, "text")),
        }
        for name, data in producers.items():
            with self.subTest(name):
                found = pyarrow.table(sortwell.sort_batches(data, "key"))
                self.assertEqual(found.to_pylist(), IN_ORDER)

    def test_consumers(self):
        def sorted_batches():
            return sortwell.sort_batches(TABLE, ["key"], batch_rows=3)

        self.assertEqual(polars.DataFrame(sorted_batches()).to_dicts(), IN_ORDER)
        self.assertEqual(list(nanoarrow.ArrayStream(sorted_batches()).to_pylist()), IN_ORDER)
        reader = pyarrow.RecordBatchReader.from_stream(sorted_batches())
        self.assertEqual([batch.num_rows for batch in reader], [3, 1])
        batches = list(sorted_batches())
        self.assertEqual([len(batch) for batch in batches], [3, 1])
        self.assertIn("3 rows, 2 columns", repr(batches[0]))
        rows = [row for batch in batches for row in pyarrow.record_batch(batch).to_pylist()]
        self.assertEqual(rows, IN_ORDER)
        schema = pyarrow.schema(sorted_batches())
        self.assertEqual(schema, TABLE.schema)
        self.assertEqual(pyarrow.schema(batches[0]), TABLE.schema)

    def test_numpy(self):
        values = numpy.random.default_rng(1).integers(0, 1000, 10_000)
        table = pyarrow.table({"value": values, "number": numpy.arange(10_000)})
        found = pyarrow.table(sortwell.sort_batches(table, [("value", "desc")]))
        order = numpy.argsort(-values, kind="stable")
        self.assertTrue(numpy.array_equal(found["number"].to_numpy(), order))

    def test_polars(self):
        frame = polars.DataFrame(
            {"a": ["x", None, "y", "x"], "b": [1.0, 2.0, float("nan"), None], "c": [True] * 4},
            schema_overrides={"a": polars.Categorical},
        )
        found = polars.DataFrame(sortwell.sort_batches(frame, ["a", ("b", "desc")]))
        self.assertEqual(found.schema, frame.schema)
        self.assertEqual(found["a"].to_list(), ["x", "x", "y", None])
        self.assertEqual(found["b"].to_list()[:2], [1.0, None])

    def test_polars_without_values(self):
        columns = {
            "key": [3, 1, 2],
            "null": [None] * 3,
            "list": polars.Series([[None, None], [], None], dtype=polars.List(polars.Null)),
            "struct": polars.Series(
                [{"a": None, "b": 1}, None, {"a": None, "b": 2}],
                dtype=polars.Struct({"a": polars.Null, "b": polars.Int8}),
            ),
        }
        frame = polars.DataFrame(columns)
        found = polars.DataFrame(sortwell.sort_batches(frame, "key"))
        self.assertEqual(found.schema, frame.schema)
        self.assertTrue(found.equals(frame.sort("key")), found)
        self.assertTrue(polars.DataFrame(sortwell.sort_batches(frame, "null")).equals(frame))

    def test_another_thread(self):
        it = sortwell.sort_batches(TABLE, "key")
        rows = []
        thread = threading.Thread(target=lambda: rows.extend(pyarrow.table(it).to_pylist()))
        thread.start()
        thread.join()
        self.assertEqual(rows, IN_ORDER)
        self.assertEqual(it.statistics.records, 4)


class WithCapsules:
    """Data that passes the same capsules on each time."""

    def __init__(self, data):
        """Takes the capsules of an object."""
        if hasattr(data, "__arrow_c_array__"):
            self.capsules = data.__arrow_c_array__()
            self.__arrow_c_array__ = lambda requested_schema=None: self.capsules
        else:
            self.capsules = data.__arrow_c_stream__()
            self.__arrow_c_stream__ = lambda requested_schema=None: self.capsules

    def read(self):
        """Has pyarrow take what the capsules hold."""
        if isinstance(self.capsules, tuple):
            return pyarrow.RecordBatch._import_from_c_capsule(*self.capsules)
        return pyarrow.RecordBatchReader._import_from_c_capsule(self.capsules).read_all()


class Dictionaries(unittest.TestCase):
    """Dictionaries of batches."""

    def test_one_dictionary_is_kept(self):
        kind = pyarrow.dictionary(pyarrow.int8(), pyarrow.string(), ordered=True)
        values = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([2, 0, None, 2], pyarrow.int8()), ["z", "unused", "a"], ordered=True
        )
        table = pyarrow.table({"d": values, "n": [0, 1, 2, 3]})
        found = pyarrow.table(sortwell.sort_batches(table, "d"))
        self.assertEqual(found["d"].type, kind)
        self.assertEqual(found["n"].to_pylist(), [0, 3, 1, 2])
        column = found["d"].combine_chunks()
        self.assertEqual(column.dictionary.to_pylist(), ["z", "unused", "a"])

    def test_dictionaries_are_put_together(self):
        kind = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
        batches = [
            pyarrow.record_batch({"d": pyarrow.array(texts, kind)}) for texts in ("ba", "cb", "d")
        ]
        reader = pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)
        found = pyarrow.table(sortwell.sort_batches(reader, [("d", "desc")]))
        self.assertEqual(found["d"].to_pylist(), ["d", "c", "b", "b", "a"])

    def test_a_dictionary_as_key(self):
        # Nulls among the values, among the rows, and as all of them.
        dictionary = pyarrow.array(["b", None, "a", "c"])
        rows = pyarrow.array([0, 1, None, 2, 3, 0], pyarrow.int32())
        expected = {"asc": [3, 0, 5, 4, 1, 2], "desc": [4, 0, 5, 3, 1, 2]}
        for kind in (pyarrow.string(), pyarrow.string_view(), pyarrow.large_binary()):
            encoded = pyarrow.DictionaryArray.from_arrays(rows, dictionary.cast(kind))
            table = pyarrow.table({"d": encoded, "n": range(6)})
            for way, order in expected.items():
                found = pyarrow.table(sortwell.sort_batches(table, [("d", way)]))
                self.assertEqual(found["n"].to_pylist(), order, (kind, way))
        encoded = pyarrow.DictionaryArray.from_arrays(rows[2:3].take([0, 0]), dictionary[:0])
        table = pyarrow.table({"d": encoded, "n": [2, 1]})
        found = pyarrow.table(sortwell.sort_batches(table, ["d", "n"]))
        self.assertEqual(found["n"].to_pylist(), [1, 2])

    def test_a_large_dictionary_as_key(self):
        # It would take twenty times as long if each batch converted the whole dictionary.
        count = 200_000
        dictionary = pyarrow.array([f"value {n * 7919 % count:06}" for n in range(count)])
        rows = pyarrow.array(numpy.arange(count, dtype=numpy.int32))
        table = pyarrow.table({"d": pyarrow.DictionaryArray.from_arrays(rows, dictionary)})
        batches = pyarrow.concat_tables([table] * 5).to_batches(max_chunksize=1000)
        batches = pyarrow.Table.from_batches(batches)
        began = time.process_time()
        found = pyarrow.table(sortwell.sort_batches(batches, "d"))
        took = time.process_time() - began
        began = time.process_time()
        plain = pyarrow.table({"d": batches["d"].cast(pyarrow.string())})
        expected = pyarrow.table(sortwell.sort_batches(plain, "d"))
        self.assertLess(took, 5 * (time.process_time() - began) + 1)
        self.assertTrue(found["d"].cast(pyarrow.string()).equals(expected["d"]))

    def test_too_many_values(self):
        kind = pyarrow.dictionary(pyarrow.int8(), pyarrow.int64())
        batches = [
            pyarrow.record_batch({"d": pyarrow.array(range(start, start + 100), kind)})
            for start in (0, 100)
        ]
        reader = pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)
        with self.assertRaisesRegex(sortwell.UsageError, "'d' of type .*more than 128 values"):
            sortwell.sort_batches(reader, "d")

    def test_extension_types(self):
        ids = pyarrow.array([uuid.UUID(int=n) for n in (2, 1, 2)], pyarrow.uuid())
        table = pyarrow.table({"n": [3, 1, 2], "id": ids})
        found = pyarrow.table(sortwell.sort_batches(table, "n"))
        self.assertEqual(found.schema, table.schema)
        self.assertEqual(found["id"].to_pylist(), [uuid.UUID(int=n) for n in (1, 2, 2)])
        encoded = pyarrow.DictionaryArray.from_arrays([1, 0, 1], ids[:2])
        table = pyarrow.table({"n": [3, 1, 2], "id": encoded})
        for data in (table, table.to_batches()[0], table.to_reader()):
            with self.assertRaisesRegex(sortwell.UsageError, "'id' is a dictionary .*'arrow.uuid'"):
                sortwell.sort_batches(data, "n")


class Empty(unittest.TestCase):
    """Few rows, batches and columns."""

    def test_no_rows(self):
        schema = pyarrow.schema([("a", pyarrow.int64(), False), ("b", pyarrow.string())])
        dictionary = pyarrow.schema(
            [("a", pyarrow.int8()), ("b", pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))]
        )
        for data in (
            schema.empty_table(),
            dictionary.empty_table(),
            pyarrow.RecordBatchReader.from_batches(schema, []),
            pyarrow.RecordBatchReader.from_batches(schema, schema.empty_table().to_batches()),
        ):
            it = sortwell.sort_batches(data, "a")
            found = pyarrow.table(it)
            self.assertEqual((found.num_rows, found.schema), (0, data.schema))
            self.assertEqual(it.statistics.records, 0)

    def test_null_columns(self):
        table = pyarrow.table({"a": pyarrow.nulls(3), "b": [3, 1, 2]})
        for by, order in ((["a"], [3, 1, 2]), (["a", "b"], [1, 2, 3])):
            found = pyarrow.table(sortwell.sort_batches(table, by))
            self.assertEqual(found["b"].to_pylist(), order)
            self.assertEqual(found.schema, table.schema)

    def test_values_without_bytes(self):
        field = pyarrow.field("a", pyarrow.binary(0), nullable=False)
        table = pyarrow.table(
            [pyarrow.array([b"", b""], pyarrow.binary(0))], pyarrow.schema([field])
        )
        self.assertEqual(pyarrow.table(sortwell.sort_batches(table, "a")), table)
        for values in (["y", "x"], [2, 1]):
            more = table.append_column("more", [values])
            self.assertEqual(pyarrow.table(sortwell.sort_batches(more, "a")), more)
            found = pyarrow.table(sortwell.sort_batches(more, ["a", "more"]))
            self.assertEqual(found["more"].to_pylist(), values[::-1])


class Nested(unittest.TestCase):
    """Columns of types within types."""

    def of_runs(self, bits, rows):
        """Returns a run-end encoded column of a number of rows, in pieces, and its values."""
        ends = pyarrow.array([500, 1000], getattr(pyarrow, f"int{bits}")())
        pieces = [
            pyarrow.RunEndEncodedArray.from_arrays(ends, [n % 7, n]) for n in range(rows // 1000)
        ]
        return pyarrow.chunked_array(pieces)

    def test_run_ends(self):
        for bits, most in ((16, 32767), (32, 65536)):
            rows = 150_000
            runs = self.of_runs(bits, rows)
            table = pyarrow.table({"key": numpy.arange(rows)[::-1], "runs": runs})
            found = pyarrow.table(sortwell.sort_batches(table, "key"))
            self.assertEqual(found["runs"].type, runs.type)
            self.assertEqual(found["runs"].to_pylist(), runs.to_pylist()[::-1])
            # A record takes 36 bytes, and those of a batch take 1 MiB.
            self.assertEqual(max(map(len, found["key"].chunks)), -(-(1 << 20) // 36))
            found = sortwell.sort_batches(table, "key", batch_rows=100_000)
            self.assertEqual(max(map(len, found)), 100_000 if bits > 16 else most)

    def test_run_ends_in_types(self):
        runs = self.of_runs(16, 1000).chunk(0)
        rows = pyarrow.StructArray.from_arrays([runs], ["runs"])
        table = pyarrow.concat_tables([pyarrow.table({"n": range(1000), "rows": rows})] * 70)
        found = pyarrow.table(sortwell.sort_batches(table, "n"))
        self.assertEqual(found["rows"][-1].as_py(), rows[999].as_py())
        lists = pyarrow.ListArray.from_arrays([0, 1000], runs)
        with self.assertRaisesRegex(sortwell.UsageError, "'lists' .*run ends of 16 bits inside"):
            sortwell.sort_batches(pyarrow.table({"n": [1], "lists": lists}), "n")

    def test_unions(self):
        codes = pyarrow.array([5, 100, 5, 100], pyarrow.int8())
        texts, numbers = pyarrow.array(["a", "b"]), pyarrow.array([1.5, 2.5])
        places = pyarrow.array([0, 0, 1, 1], pyarrow.int32())
        names, types = ["t", "n"], [5, 100]
        unions = {
            "dense": pyarrow.UnionArray.from_dense(codes, places, [texts, numbers], names, types),
            "sparse": pyarrow.UnionArray.from_sparse(
                codes,
                [texts.take(pyarrow.array(places)), numbers.take(pyarrow.array(places))],
                names,
                types,
            ),
        }
        for name, union in unions.items():
            with self.subTest(name):
                table = pyarrow.table({"key": [4, 3, 2, 1], "union": union})
                found = pyarrow.table(sortwell.sort_batches(table, "key"))
                self.assertEqual(found["union"].type, union.type)
                self.assertEqual(found["union"].to_pylist(), [2.5, "b", 1.5, "a"])

    def test_nulls_inside_elements_that_are_not_nullable(self):
        runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([2], pyarrow.int32()), [None])
        element = pyarrow.field("item", runs.type, nullable=False)
        for kind in (
            pyarrow.list_(element),
            pyarrow.struct([("a", pyarrow.list_(element, 1))]),
            pyarrow.map_(pyarrow.int8(), element),
            pyarrow.list_(pyarrow.field("item", pyarrow.sparse_union([element]), nullable=False)),
        ):
            schema = pyarrow.schema([("key", pyarrow.int8()), ("c", kind)])
            reader = pyarrow.RecordBatchReader.from_batches(schema, [])
            with self.assertRaisesRegex(sortwell.UsageError, "column 'c' .* are not nullable"):
                sortwell.sort_batches(reader, "key")
        plain = pyarrow.ListArray.from_arrays([0, 1, 2], runs)
        table = pyarrow.table({"key": [1, 2], "c": plain})
        self.assertEqual(pyarrow.table(sortwell.sort_batches(table, "key")), table)

    def test_values_apart_from_their_rows(self):
        """Values that rows share, or whose order is another one, in many pieces."""
        source, count = numpy.random.default_rng(5), 12_000
        places = pyarrow.array(source.integers(0, 500, count), pyarrow.int32())
        texts = pyarrow.array([f"{number:04}" * (1 + number % 90) for number in range(500)])
        codes = pyarrow.array(source.integers(0, 2, count), pyarrow.int8())
        sizes = pyarrow.array(source.integers(0, 4, count), pyarrow.int32())
        ends = pyarrow.array(range(30, count + 1, 30), pyarrow.int32())
        columns = {
            "key": source.permutation(count),
            "dictionary": pyarrow.DictionaryArray.from_arrays(places, texts),
            "view": texts.take(places).cast(pyarrow.string_view()),
            "lists": pyarrow.ListViewArray.from_arrays(
                places, sizes, pyarrow.array(range(510)).cast(pyarrow.string())
            ),
            "union": pyarrow.UnionArray.from_dense(
                codes, places, [texts, pyarrow.array(range(500))], ["t", "n"], [0, 1]
            ),
            "runs": pyarrow.RunEndEncodedArray.from_arrays(ends, texts.take(places[: count // 30])),
        }
        whole = pyarrow.table(columns)
        for table in (whole, whole.slice(777, 9_000)):
            rows = table.to_pylist()
            found = pyarrow.table(sortwell.sort_batches(table, "key"))
            self.assertEqual(found.to_pylist(), sorted(rows, key=lambda row: row["key"]))

    def test_streams_without_functions(self):
        """A stream that cannot return an array is an error, and not empty."""
        stream = pyarrow.table({"key": [1]}).__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        functions = (ctypes.c_void_p * 5).from_address(pointer(stream, b"arrow_array_stream"))
        functions[1] = None
        data = unittest.mock.Mock(spec=["__arrow_c_stream__"])
        data.__arrow_c_stream__ = lambda requested_schema=None: stream
        with self.assertRaisesRegex(sortwell.Error, "no next array"):
            sortwell.sort_batches(data, "key")


class Faults(WithFolder):
    """Errors, and what is left after them."""

    def large(self, rows=1_000_000):
        """Returns a table that does not fit into the memory of the tests."""
        numbers = numpy.arange(rows) * 7919 % 100_003
        return pyarrow.table({"key": numbers, "more": numbers, "text": numbers.astype("S")})

    def test_keys(self):
        table = pyarrow.table({"a": [1], "b": ["x"], "list": [[1]]})
        cases = {
            "no column 'c'; the columns are 'a', 'b', 'list'": "c",
            "it names no column": [],
            "direction of 'a' is 'down'": [("a", "down")],
            r"\('a', 'asc', 'b'\) is neither a name": [("a", "asc", "b")],
            "by: 1 is neither a name": [1],
            "by: 97 is neither a name": b"a",
            "by= is None": None,
            "by= is {'a': 'desc'}": {"a": "desc"},
            "column 'list' of type List.* has no order": ["a", "list"],
        }
        for message, by in cases.items():
            with self.assertRaisesRegex(sortwell.UsageError, message):
                sortwell.sort_batches(table, by)
        runs = pyarrow.RunEndEncodedArray.from_arrays([1], [0.5])
        with self.assertRaisesRegex(
            sortwell.UsageError, "'r' of type RunEndEncoded.* has no order"
        ):
            sortwell.sort_batches(pyarrow.table({"r": runs}), "r")
        twice = pyarrow.Table.from_arrays([[1], [2]], names=["a", "a"])
        with self.assertRaisesRegex(sortwell.UsageError, "several columns have the name 'a'"):
            sortwell.sort_batches(twice, "a")
        self.assertEqual(pyarrow.table(sortwell.sort_batches(table, ["a", "a"])), table)

    def test_options(self):
        for name, value in (
            ("nulls", "middle"),
            ("batch_rows", 0),
            ("batch_rows", "x"),
            ("batch_rows", 1.5),
            ("batch_rows", True),
            ("memory", "x"),
        ):
            with self.assertRaisesRegex(sortwell.UsageError, name):
                sortwell.sort_batches(TABLE, "key", **{name: value})
        for rows in (numpy.int32(2), 2.0, 1 << 70):
            found = pyarrow.table(sortwell.sort_batches(TABLE, "key", batch_rows=rows))
            self.assertEqual(found.to_pylist(), IN_ORDER)

    def test_data(self):
        for data in (7, [1, 2], {"key": [1]}):
            with self.assertRaisesRegex(TypeError, "__arrow_c_stream__"):
                sortwell.sort_batches(data, "key")
        for data in (pyarrow.chunked_array([[1, 2]]), pyarrow.array([1, 2])):
            with self.assertRaisesRegex(sortwell.Error, "elements are of type Int64, not rows"):
                sortwell.sort_batches(data, "key")
        rows = pyarrow.array([{"key": 3}, None, {"key": 1}])
        for data in (rows, rows[1:], pyarrow.chunked_array([rows])):
            with self.assertRaisesRegex(sortwell.Error, "row [01] of a batch.* is null as a whole"):
                sortwell.sort_batches(data, "key")
        whole = pyarrow.table(sortwell.sort_batches(rows[2:], "key"))
        self.assertEqual(whole["key"].to_pylist(), [1])
        inside = pyarrow.array([["a"]], pyarrow.list_(pyarrow.string()))
        inside = pyarrow.ListArray.from_arrays([0, 1], inside.values.dictionary_encode())
        with self.assertRaisesRegex(sortwell.UsageError, "'d' .*dictionary inside another type"):
            sortwell.sort_batches(pyarrow.table({"a": [1], "d": inside}), "a")

    def test_what_a_schema_cannot_have(self):
        frame = polars.DataFrame({"key": [1]})
        wide = polars.lit(1, dtype=polars.Int128)
        for column in (wide, wide.implode()):
            with self.assertRaisesRegex(sortwell.UsageError, "column 'wide' .* format '_pli128'"):
                sortwell.sort_batches(frame.with_columns(wide=column), "key")
        field = pyarrow.field("key", pyarrow.string(), metadata={"name": b"\xff"})
        of_column = TABLE.select(["key"]).cast(pyarrow.schema([field]))
        of_schema = TABLE.replace_schema_metadata({b"\xff": "value"})
        for table, place in ((of_column, "column 'key'"), (of_schema, "the schema")):
            for data in (table, table.to_batches()[0]):
                with self.assertRaisesRegex(sortwell.UsageError, f"metadata of {place} is not UTF"):
                    sortwell.sort_batches(data, "key")

    def test_texts_that_are_not_utf8(self):
        binary = pyarrow.array([b"a", None, b"caf\xe9", "\xe9".encode()])
        texts = binary.view(pyarrow.string())
        places = pyarrow.array([0, 1, 2, 3, 4], pyarrow.int32())
        rows = pyarrow.array([0, 1, 0, 2], pyarrow.int32())
        view = binary.cast(pyarrow.binary_view())
        columns = {
            "string": texts,
            "large": binary.cast(pyarrow.large_binary()).view(pyarrow.large_string()),
            "view": pyarrow.Array.from_buffers(pyarrow.string_view(), 4, view.buffers()),
            "list": pyarrow.ListArray.from_arrays(places, texts),
            "struct": pyarrow.StructArray.from_arrays([texts], ["text"]),
            "dictionary": pyarrow.DictionaryArray.from_arrays(rows, texts),
            # The bytes of all texts together are UTF-8.
            "halves": pyarrow.Array.from_buffers(
                pyarrow.string(),
                4,
                [None, places.buffers()[1], pyarrow.py_buffer("ab\xe9".encode())],
            ),
        }
        for name, column in columns.items():
            table = pyarrow.table({"key": range(4), name: column})
            place = "value 2 of a dictionary" if name == "dictionary" else "row 2 of a batch"
            for by in ("key",) if name in ("list", "struct") else ("key", name):
                with self.assertRaisesRegex(sortwell.Error, f"column '{name}' .*{place}"):
                    sortwell.sort_batches(table, by)
        # The bytes of a null mean nothing.
        nulls = pyarrow.array([True, True, False, True]).buffers()[1]
        nulls = pyarrow.Array.from_buffers(pyarrow.string(), 4, [nulls, *texts.buffers()[1:]])
        table = pyarrow.table({"key": range(4), "text": nulls})
        self.assertEqual(pyarrow.table(sortwell.sort_batches(table, "key")), table)

    def test_batches_that_do_not_fit_the_schema(self):
        one = pyarrow.array([2, 1])
        parts = (one, one.cast(pyarrow.string()), one.dictionary_encode())
        parts += (pyarrow.array([[1], [2]]), pyarrow.array([{"a": 1, "b": 2}] * 2))
        for number, wanted in enumerate(parts):
            for column in parts[:number] + parts[number + 1 :]:
                if {wanted.type, column.type} == {one.type, one.dictionary_encode().type}:
                    continue
                self.refuse_misfit(wanted, column)
        self.refuse_misfit(one.dictionary_encode(), one)
        self.refuse_misfit(one, None)

    def refuse_misfit(self, wanted, column):
        """Checks that a batch with another column than that of the schema is an error."""
        batch = pyarrow.record_batch({"key": [2, 1]} | ({} if column is None else {"c": column}))
        schema = pyarrow.schema([("key", pyarrow.int64()), ("c", wanted.type)])
        data = unittest.mock.Mock(spec=["__arrow_c_array__"])
        capsules = schema.__arrow_c_schema__(), batch.__arrow_c_array__()[1]
        data.__arrow_c_array__.return_value = capsules
        with self.assertRaisesRegex(sortwell.Error, "a batch does not fit the schema: an array of"):
            sortwell.sort_batches(data, "key")

    def test_structures_that_were_taken(self):
        batch = TABLE.to_batches()[0]
        for number, name in ((None, "stream"), (0, "schema"), (1, "array")):
            taken = WithCapsules(batch if number is not None else TABLE)
            if number == 0:
                pyarrow.Schema._import_from_c_capsule(taken.capsules[0])
            else:
                self.assertEqual(len(taken.read()), 4)
                if number == 1:
                    taken.capsules = (batch.__arrow_c_array__()[0], taken.capsules[1])
            with self.subTest(name):
                message = f"the {name} of the data was taken before"
                with self.assertRaisesRegex(sortwell.UsageError, message):
                    sortwell.sort_batches(taken, "key")

    def test_a_source_that_fails(self):
        table = self.large(300_000)

        def batches():
            yield from table.to_batches(max_chunksize=10_000)
            raise LookupError("the source is gone")

        reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
        with self.assertRaisesRegex(sortwell.Error, "the source is gone"):
            sortwell.sort_batches(reader, "key", memory="24MiB", temp=self.folder)
        self.assert_nothing_left()

    def test_a_consumer_that_stops(self):
        before = len(os.listdir("/proc/self/task"))
        table = self.large()
        for end in ("close", "with", "drop", "stream", "capsule", "closed stream"):
            it = sortwell.sort_batches(table, "key", memory="24MiB", temp=self.folder)
            self.assertTrue(list(self.folder.iterdir()))
            if end == "close":
                self.assertGreater(len(next(it)), 0)
                it.close()
                with self.assertRaisesRegex(sortwell.UsageError, "closed"):
                    next(it)
            elif end == "with":
                with it:
                    pass
            elif end == "stream":
                reader = pyarrow.RecordBatchReader.from_stream(it)
                del it
                reader.read_next_batch()
                reader.close()
                del reader
            elif end == "closed stream":
                reader = pyarrow.RecordBatchReader.from_stream(it)
                reader.read_next_batch()
                it.close()
                with self.assertRaisesRegex(Exception, "closed"):
                    reader.read_next_batch()
            elif end == "capsule":
                capsule = it.__arrow_c_stream__()
                del it, capsule
            else:
                del it
            gc.collect()
            self.assert_nothing_left()
            self.assertLessEqual(len(os.listdir("/proc/self/task")), before + 2, end)

    def test_batches_are_taken_once(self):
        it = sortwell.sort_batches(TABLE, "key", batch_rows=1)
        self.assertEqual(len(next(it)), 1)
        # The stream has the batches that are left.
        self.assertEqual(pyarrow.table(it).num_rows, 3)
        for take in (next, pyarrow.table):
            with self.assertRaisesRegex(sortwell.UsageError, "once"):
                take(it)

    def test_no_space(self):
        it = sortwell.sort_batches
        with self.assertRaises(sortwell.StorageError):
            it(self.large(), "key", memory="24MiB", temp=self.folder / "missing")

    def test_a_progress_callback(self):
        seen = []
        it = sortwell.sort_batches(self.large(), "key", memory="24MiB", progress=seen.append)
        pyarrow.table(it)
        self.assertEqual((seen[-1].share, seen[-1].seconds_left), (1.0, 0.0))
        del seen[:]
        it = sortwell.sort_batches(TABLE, "key", progress=seen.append)
        self.assertEqual(len([*it, *it, *it]), 1)
        self.assertEqual([progress.share for progress in seen].count(1.0), 1)

        def show(progress):
            raise LookupError("no more")

        with self.assertRaisesRegex(Exception, "no more"):
            pyarrow.table(sortwell.sort_batches(self.large(), "key", progress=show))

    def test_interrupts(self):
        begin = (
            "import numpy, pyarrow, signal, sortwell\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "n = numpy.arange(100_000) * 7919 % 100_003\n"
            "batch = pyarrow.record_batch({'key': n, 'more': n})\n"
            "def forever():\n"
            "    while True: yield batch\n"
            "def reader(): return pyarrow.RecordBatchReader.from_batches(batch.schema, forever())\n"
            "table = pyarrow.Table.from_batches([batch] * 50)\n"
            "print('begun', flush=True)\n"
            "try:\n"
        )
        end = "except KeyboardInterrupt:\n    print('interrupted')\n"
        programs = {
            "input": "    sortwell.sort_batches(reader(), 'key', memory='24MiB', temp='.')\n",
            "output": "    try:\n"
            "        while True:\n"
            "            it = sortwell.sort_batches(table, 'key', batch_rows=100)\n"
            "            pyarrow.table(it)\n"
            "    except pyarrow.ArrowInvalid as error:\n"
            "        assert 'interrupted' in str(error)\n"
            "        raise KeyboardInterrupt()\n",
        }
        for name, program in programs.items():
            with self.subTest(name):
                status, out, err, _ = self.interrupt_python(begin + program + end, after=0.7)
                self.assertEqual((status, out), (0, "interrupted\n"), err)
                self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
