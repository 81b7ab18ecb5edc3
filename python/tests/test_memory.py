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


if __name__ == "__main__":
    unittest.main()
