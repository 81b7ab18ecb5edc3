"""The memory of a sort."""

import subprocess
import sys
import unittest

MIB = 1 << 20
ALLOWANCE = 32 * MIB

SORT = """
import random, sys
import sortwell

def size(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

list(sortwell.sorted(range(1000)))
memory, count, padding = map(int, sys.argv[1:])
seeded, text = random.Random(1), "x" * padding
before = size("VmRSS")
items = ((seeded.random(), f"{n}{text}") for n in range(count))
last, found = -1.0, 0
for key, _ in sortwell.sorted(items, key=lambda item: item[0], memory=memory):
    assert key >= last
    last, found = key, found + 1
assert found == count
print(size("VmHWM") - before)
"""

BATCHES = """
import sys
import numpy, pyarrow, sortwell

def size(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

memory, count, is_fixed = map(int, sys.argv[1:])
seeded = numpy.random.default_rng(1)

def batch():
    keys = seeded.integers(0, 1 << 60, 1 << 16)
    return pyarrow.record_batch({"key": keys, "more": keys if is_fixed else keys.astype(str)})

first = batch()
list(sortwell.sort_batches(first, "key"))
before = size("VmRSS")
source = pyarrow.RecordBatchReader.from_batches(first.schema, (batch() for _ in range(count)))
found = sortwell.sort_batches(source, "key", memory=memory)
rows = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(found))
assert rows == count << 16
print(size("VmHWM") - before)
"""

# Rows that share their bytes, or have very different ones.
SHAPES = """
import sys
import numpy, polars, pyarrow, sortwell

def size(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

memory, shape = int(sys.argv[1]), sys.argv[2]
count, text = 1500, "x" * 60_000
texts, by = pyarrow.array([f"{number:06}" * 10_000 for number in range(count)]), "id"
if shape == "run ends":
    column = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([count], "int32"), [text])
elif shape == "dictionary":
    values, by = [text, *map(str, range(10_000))], "column"
    column = pyarrow.DictionaryArray.from_arrays(numpy.zeros(count, "int32"), values)
elif shape == "views":
    column = range(count)
elif shape == "dense union":
    places = pyarrow.array(range(count), "int32")
    column = pyarrow.UnionArray.from_dense(pyarrow.array([0] * count, "int8"), places, [texts])
elif shape == "list views":
    places = pyarrow.array(range(count), "int32")
    sizes = pyarrow.array([1] * count, "int32")
    column = pyarrow.ListViewArray.from_arrays(places.take(places[::-1]), sizes, texts)
elif shape == "long rows first":
    column = pyarrow.concat_arrays([texts, pyarrow.array([""] * 100_000)])
else:
    column = pyarrow.concat_arrays([pyarrow.array([""] * 100_000), texts])
del texts
ids = numpy.random.default_rng(1).permutation(len(column))
if shape == "views":
    table = polars.DataFrame({"id": ids}).with_columns(column=polars.lit(text))
else:
    table = pyarrow.table({"id": ids, "column": column})
list(sortwell.sort_batches(table.slice(0, 1), by))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before, rows = size("VmRSS"), 0
for batch in sortwell.sort_batches(table, by, memory=memory):
    rows += len(batch)
    del batch
assert rows == len(column)
print(size("VmHWM") - before)
"""


def run(*words):
    """Returns what a program of Python prints."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=True
    ).stdout


class Memory(unittest.TestCase):
    """The promise of `memory=`."""

    def test_peak(self):
        for memory, count, padding in ((64, 60_000, 3000), (128, 1_000_000, 100)):
            with self.subTest(memory=memory):
                peak = int(run("-c", SORT, str(memory * MIB), str(count), str(padding)))
                self.assertLess(peak, memory * MIB + ALLOWANCE)

    def test_peak_of_batches(self):
        for memory, count, is_fixed in ((64, 90, 1), (64, 30, 0)):
            with self.subTest(is_fixed=is_fixed):
                words = [str(memory * MIB), str(count), str(is_fixed)]
                self.assertLess(int(run("-c", BATCHES, *words)), memory * MIB + ALLOWANCE)

    def test_peak_of_rows_that_share_bytes(self):
        for shape in (
            "run ends",
            "dictionary",
            "views",
            "dense union",
            "list views",
            "long rows first",
            "long rows last",
        ):
            with self.subTest(shape):
                peak = int(run("-c", SHAPES, str(32 * MIB), shape))
                self.assertLess(peak, 32 * MIB + ALLOWANCE)


if __name__ == "__main__":
    unittest.main()
