"""The memory of a sort, the time of its import, and what the wheel has installed."""

import subprocess
import sys
import sysconfig
import unittest
from pathlib import Path

import sortwell

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


class Installed(unittest.TestCase):
    """The package as pip installs it."""

    def test_import_time(self):
        # Processor time, as other tests run at the same time.
        code = (
            "import time; b = time.process_time(); import sortwell; print(time.process_time() - b)"
        )
        times = [float(run("-c", code)) for _ in range(7)]
        # Other processes only make it longer.
        self.assertLess(min(times), 0.05)

    def test_no_dependency_is_imported(self):
        others = "('numpy', 'pyarrow', 'polars', 'pandas')"
        code = f"import sys, sortwell; print([m for m in {others} if m in sys.modules])"
        self.assertEqual(run("-c", code), "[]\n")

    def test_command_and_its_pages(self):
        self.assertEqual(
            Path(sysconfig.get_path("scripts"), "sortwell").read_bytes()[:4], b"\x7fELF"
        )
        share = Path(sysconfig.get_path("data"), "share")
        for name in ("sortwell", "sortwell-sort"):
            self.assertIn(".TH", (share / "man/man1" / f"{name}.1").read_text())
        self.assertIn("sortwell", (share / "bash-completion/completions/sortwell").read_text())

    def test_documentation(self):
        for name in sortwell.__all__:
            with self.subTest(name):
                self.assertTrue(name == "__version__" or getattr(sortwell, name).__doc__)
        self.assertTrue(Path(sortwell.__file__).with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()
