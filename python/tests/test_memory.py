"""The memory of a sort, the time of its import, and what the wheel has installed."""

import statistics
import subprocess
import sys
import sysconfig
import unittest
from pathlib import Path

import sortwell

MIB = 1 << 20
ALLOWANCE = 32 * MIB

SORT = """
import random, resource, sys
import sortwell

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

list(sortwell.sorted(range(1000)))
memory, count, padding = map(int, sys.argv[1:])
seeded, text = random.Random(1), "x" * padding
before = resident()
items = ((seeded.random(), f"{n}{text}") for n in range(count))
last, found = -1.0, 0
for key, _ in sortwell.sorted(items, key=lambda item: item[0], memory=memory):
    assert key >= last
    last, found = key, found + 1
assert found == count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before)
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


class Installed(unittest.TestCase):
    """The package as pip installs it."""

    def test_import_time(self):
        code = (
            "import time; b = time.perf_counter(); import sortwell; print(time.perf_counter() - b)"
        )
        times = [float(run("-c", code)) for _ in range(7)]
        self.assertLess(statistics.median(times), 0.05)

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
