"""`sortwell.sorted` beside the built-in `sorted` and beside the model."""

import collections
import datetime
import decimal
import enum
import json
import marshal
import pickle
import random
import unittest
import uuid

import numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model import model

import sortwell

# Tests run on machines of all speeds.
settings.register_profile(
    "sortwell", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("sortwell")

UTC = datetime.UTC
ZONES = st.sampled_from(
    [UTC, *(datetime.timezone(datetime.timedelta(minutes=m)) for m in (-721, -30, 1, 840))]
)
LEAST, MOST = datetime.datetime(2, 1, 1), datetime.datetime(9998, 1, 1)

NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.sampled_from([0.0, -0.0, 2.0**53, float(2**63), 5e-324, -1.5]),
    st.builds(lambda power, more: 2**power + more, st.integers(0, 200), st.integers(-1, 1)),
    st.builds(lambda power, more: -(2**power) - more, st.integers(0, 200), st.integers(-1, 1)),
)
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="\0\x01\x02a\ud800\ue000\U00010000", max_size=4),
)
SCALARS = [
    NUMBERS,
    TEXTS,
    st.one_of(st.binary(max_size=12), st.text("\0\x01\x02", max_size=4).map(str.encode)),
    st.dates(),
    st.datetimes(),
    st.datetimes(LEAST, MOST, timezones=ZONES),
    st.decimals(),
    st.decimals(places=2, min_value=-3, max_value=3),
    st.uuids(),
]
OPTIONAL = [st.one_of(st.none(), scalar) for scalar in SCALARS]


# A strategy of keys of one shape, chosen anew for each example.
KEYS = st.recursive(
    st.sampled_from(SCALARS + OPTIONAL),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda chosen: st.one_of(st.none(), st.tuples(*chosen), st.tuples(*chosen[:-1]))
    ),
    max_leaves=5,
)
PAYLOADS = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(),
        st.binary(),
        st.decimals(allow_nan=False),
        st.dates(),
        st.builds(range, st.integers(-9, 9)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(), inner, max_size=3),
    ),
    max_leaves=8,
)


def key_of(pair):
    """Returns the first element."""
    return pair[0]


def repr_bytes(value):
    """Returns what the base of a class writes, as bytes."""
    return (int if isinstance(value, int) else str).__repr__(value).encode()


class Name(str):
    """A str with the order of str."""


class Upset(str):
    """A str with an order of its own."""

    def __lt__(self, other):
        """Reverses the order."""
        return str.__gt__(self, other)


Point = collections.namedtuple("Point", "x y")


class Word(enum.StrEnum):
    """Texts with names."""

    B = "b"
    A = "a"


class Flag(enum.IntFlag):
    """Bits with names."""

    LOW = 1
    HIGH = 2


class Level(enum.IntEnum):
    """Integers with names."""

    LOW = 1
    HIGH = 2


class Orders(unittest.TestCase):
    """Any keys, payloads, options."""

    @settings(max_examples=200)
    @given(KEYS.flatmap(lambda keys: st.lists(keys, max_size=12)), st.booleans())
    def test_keys(self, keys, reverse):
        numbered = list(zip(keys, range(len(keys)), strict=True))
        found = list(sortwell.sorted(numbered, key=key_of, reverse=reverse))
        expected = model(numbered, key_of, reverse)
        self.assertEqual([n for _, n in found], [n for _, n in expected], (keys, reverse))
        self.assertEqual([repr(key) for key, _ in found], [repr(key) for key, _ in expected])

    @settings(max_examples=200)
    @given(st.lists(st.tuples(TEXTS, NUMBERS.filter(lambda n: n == n))), st.booleans())
    def test_items_that_are_their_keys(self, items, reverse):
        found = list(sortwell.sorted(iter(items), reverse=reverse))
        self.assertEqual(found, sorted(items, reverse=reverse))

    @settings(max_examples=150)
    @given(st.lists(st.tuples(st.integers(0, 3), PAYLOADS), max_size=20))
    def test_payloads(self, items):
        found = list(sortwell.sorted(items, key=key_of))
        expected = sorted(items, key=key_of)
        self.assertEqual(found, expected)
        self.assertEqual(repr(found), repr(expected))

    @settings(max_examples=8)
    @given(
        st.integers(0, 2**32),
        st.sampled_from(SCALARS).flatmap(lambda keys: st.lists(keys, min_size=1, max_size=9)),
        st.booleans(),
        st.sampled_from([None, pickle, (pickle.dumps, pickle.loads)]),
        st.sampled_from(["22MiB", 26 << 20]),
        st.integers(1, 3),
    )
    def test_spilled(self, seed, few, reverse, serializer, memory, threads):
        seeded = random.Random(seed)
        padding = "x" * 3000
        items = [(seeded.choice(few), number, padding) for number in range(8_000)]
        found = sortwell.sorted(
            items,
            key=key_of,
            reverse=reverse,
            memory=memory,
            threads=threads,
            serializer=serializer,
        )
        numbers = [number for _, number, _ in found]
        expected = [number for _, number, _ in model(items, key_of, reverse)]
        self.assertTrue(numbers == expected)
        self.assertGreaterEqual(found.statistics.passes, 2)

    def test_large_random(self):
        seeded = random.Random(1)
        items = [
            (seeded.choice("abc") * seeded.randrange(9), seeded.randrange(-(2**66), 2**66), -0.5)
            for _ in range(100_000)
        ]
        self.assertTrue(list(sortwell.sorted(items)) == sorted(items))
        self.assertTrue(list(sortwell.sorted(items, reverse=True)) == sorted(items, reverse=True))


class Documented(unittest.TestCase):
    """Each sentence of the documentation that the built-in does not decide."""

    def test_nothing_and_one(self):
        self.assertEqual(list(sortwell.sorted([])), [])
        self.assertEqual(list(sortwell.sorted("x")), ["x"])
        self.assertEqual(list(sortwell.sorted(range(3), reverse=True)), [2, 1, 0])

    def test_none_and_nan(self):
        nan = float("nan")
        found = list(sortwell.sorted([None, nan, float("inf"), -1]))
        self.assertEqual(repr(found), "[-1, inf, nan, None]")
        found = list(sortwell.sorted([-1, None, nan], reverse=True))
        self.assertEqual(repr(found), "[None, nan, -1]")

    def test_zeros_and_truths_are_equal(self):
        items = [0.0, -0.0, 0, False, True, 1.0, 1]
        self.assertEqual(repr(list(sortwell.sorted(items))), repr(items))
        self.assertEqual(
            repr(list(sortwell.sorted(items, reverse=True))), repr(sorted(items, reverse=True))
        )

    def test_subclasses(self):
        items = [Point(2, "b"), Point(1, "a"), (1, "b")]
        self.assertEqual(list(sortwell.sorted(items)), sorted(items))
        self.assertIsInstance(next(sortwell.sorted(items)), Point)
        self.assertEqual(list(sortwell.sorted([Name("b"), "a"])), ["a", "b"])
        self.assertEqual(list(sortwell.sorted([Level.HIGH, Level.LOW])), [Level.LOW, Level.HIGH])
        with self.assertRaisesRegex(TypeError, r"item 1, counted from 0: key is a \S*Upset"):
            sortwell.sorted(["a", Upset("b")])
        self.assertEqual(list(sortwell.sorted(Word)), [Word.A, Word.B])
        self.assertEqual(list(sortwell.sorted([Flag.HIGH, Flag.LOW])), [Flag.LOW, Flag.HIGH])

    def test_an_item_that_is_too_large(self):
        for before in (0, 3, 30_000):
            items = [bytes(100)] * before + [bytes(4 << 20), b"a"]
            with self.assertRaises(sortwell.MalformedError) as caught:
                sortwell.sorted(items, memory="21MiB")
            note = f"it is item {before}, counted from 0; give more with memory="
            self.assertEqual(caught.exception.__notes__, [note])

    def test_types_of_results(self):
        self.assertIs(sortwell.Sorted[int].__origin__, sortwell.Sorted)
        found = sortwell.sorted([2, 1, 3], memory=numpy.int64(1 << 30), temp=b".")
        self.assertEqual((next(found), *found), (1, 2, 3))

    def test_subclasses_with_other_methods(self):
        def wrong(*_):
            return 5

        for base, values in ((int, (1 << 70, -1 << 80)), (str, ("\ud800b", "\ud800a"))):
            names = ("__abs__", "__neg__", "bit_length", "to_bytes", "encode")
            own = type("Own", (base,), dict.fromkeys(names, wrong))
            found = sortwell.sorted(map(own, values), serializer=(repr_bytes, bytes))
            expected = [repr_bytes(value) for value in sorted(values)]
            self.assertEqual(list(found), expected)

    def test_subclasses_that_compare_otherwise(self):
        def compare(one, other):
            return False

        for base, value in ((int, 1), (str, "a"), (tuple, ()), (uuid.UUID, "0" * 32)):
            for name in ("__lt__", "__gt__", "__eq__", "__le__", "__ge__"):
                own = type("Own", (base,), {name: compare, "__hash__": base.__hash__})
                with self.assertRaisesRegex(TypeError, r"key\[1\] is a \S*Own, which is no type"):
                    sortwell.sorted([(0, own(value))])

    def test_numpy_scalars(self):
        items = [numpy.float64(2.5), numpy.int8(-3), 1, numpy.bool_(True)]
        self.assertEqual(list(sortwell.sorted(items)), sorted(items))
        self.assertEqual(list(sortwell.sorted([numpy.str_("b"), "a"])), ["a", "b"])
        with self.assertRaisesRegex(TypeError, "numpy.ndarray, which is no type of keys"):
            sortwell.sorted([numpy.array([1, 2])])

    def test_numpy_times(self):
        texts = ["2020-01-02T03:04:05", "1999-12-31", "2020-01-02"]
        times = [numpy.datetime64(text, "s") for text in texts]
        for unit in ("us", "ms", "s", "h"):
            items = [time.astype(f"datetime64[{unit}]") for time in times]
            self.assertEqual(list(sortwell.sorted(items)), sorted(items))
        days = [t.astype(f"datetime64[{unit}]") for t, unit in zip(times, "DMY", strict=True)]
        self.assertEqual(list(sortwell.sorted(days)), [days[1], days[2], days[0]])
        found = list(sortwell.sorted([numpy.datetime64("NaT", "ns"), times[0]]))
        self.assertEqual(found[0], times[0])
        self.assertTrue(numpy.isnat(found[1]))
        fine = [numpy.datetime64(5000, "ps"), numpy.datetime64(100, "ns")]
        for items, message in (
            (fine, r"item 0, counted from 0: key is a numpy.datetime64 .*datetime64\[us\]"),
            ([1, fine[1]], "item 1, counted from 0: key is a numpy.datetime64"),
            ([(1, fine[1])], r"key\[1\] is a numpy.datetime64"),
            ([numpy.datetime64("12000-01-01", "s")], "year is not from 1 to 9999"),
            ([numpy.timedelta64(1, "Y"), numpy.timedelta64(2, "M")], "a numpy.timedelta64, which"),
            ([numpy.timedelta64(1, "ns")], "a numpy.timedelta64, which is no type of keys"),
            ([numpy.timedelta64(1, "s")], "a numpy.timedelta64, which is no type of keys"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                sortwell.sorted(items)
        found = sortwell.sorted(fine, key=lambda time: time.astype("datetime64[us]"))
        self.assertEqual(list(found), fine)
        nanoseconds = numpy.array([100, 5], "datetime64[ns]")
        found = sortwell.sorted(nanoseconds, key=lambda time: time.astype("int64"))
        self.assertEqual(list(found), sorted(nanoseconds))

    def test_mixed_types(self):
        cases = [
            ([1, "a"], "item 1, counted from 0: key is a str, and in an item before it a number"),
            ([(1, "a"), (2, b"a")], r"item 1, .* key\[1\] is bytes, and .* a str"),
            ([((1, 2), 3), ((1, "x"), 3)], r"key\[0\]\[1\] is a str, and in .* a number"),
            ([datetime.datetime(2000, 1, 1), datetime.datetime(2000, 1, 1, tzinfo=UTC)], "zone"),
            ([datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1)], "datetime without"),
            ([decimal.Decimal(1), 1], "a number .* and in an item before it a Decimal"),
            ([1, (1,)], "key is a tuple"),
            ([{}], "item 0, counted from 0: key is a dict, which is no type of keys"),
            ([(1, [2])], r"key\[1\] is a list"),
        ]
        for items, message in cases:
            with self.assertRaisesRegex(TypeError, message):
                sortwell.sorted(items)

    def test_deep_keys(self):
        key = ()
        for _ in range(100):
            key = (key,)
        with self.assertRaisesRegex(ValueError, "more than 64 tuples within each other"):
            sortwell.sorted([key])

    def test_objects_in_an_item_stay_one(self):
        inner = [1]
        (found,) = sortwell.sorted([(1, inner, inner)], key=key_of)
        self.assertIs(found[1], found[2])
        loop = [1]
        loop.append(loop)
        (found,) = sortwell.sorted([loop], key=lambda item: item[0])
        self.assertIs(found[1], found)

    def test_serializers(self):
        items = [{"b": [1, 2]}, {"a": None}]
        for serializer in (pickle, marshal, (pickle.dumps, pickle.loads)):
            found = sortwell.sorted(items, key=lambda row: min(row), serializer=serializer)
            self.assertEqual(list(found), [{"a": None}, {"b": [1, 2]}])
        with self.assertRaisesRegex(TypeError, "returned str, not bytes"):
            sortwell.sorted(items, key=lambda row: min(row), serializer=json)
        with self.assertRaises(ValueError):
            sortwell.sorted([print, lambda: 0], key=str, serializer=marshal)
        items = [uuid.UUID(int=2), uuid.UUID(int=1)]
        self.assertEqual(list(sortwell.sorted(items)), sorted(items))


if __name__ == "__main__":
    unittest.main()
