"""Threads of Python during calls of the package, which releases the interpreter lock."""

import itertools
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy
import pyarrow

import sortwell

# Time between two counts, in seconds. A sleeping thread takes no processor from the sort.
TICK = 0.002

RANDOM = numpy.random.default_rng(1)

# Shortest time of a call in which a pause shows.
SECONDS_MIN = 0.05


class Ticks:
    """Thread that notes the time about every two milliseconds, while it gets the lock."""

    def __init__(self):
        """Prepares."""
        self.times = []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._count)

    def __enter__(self):
        """Begins."""
        self._thread.start()
        return self

    def __exit__(self, *_):
        """Ends."""
        self._ends.set()
        self._thread.join()

    def _count(self):
        while not self._ends.is_set():
            self.times.append(time.perf_counter())
            time.sleep(TICK)

    def longest_pause(self, begun, ended):
        """Returns the longest time without a count between two moments."""
        within = [begun, *(moment for moment in self.times if begun < moment < ended), ended]
        return max(later - before for before, later in itertools.pairwise(within))


class LockReleased(unittest.TestCase):
    """Calls during which another thread advances.

    A call that kept the lock would be one pause from its beginning to its end.
    """

    def setUp(self):
        """Makes a folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_released(self, call, prepare=lambda: ()):
        """Checks a call. `prepare` makes its arguments."""
        shares = []
        # Other programs may run: one of three times has to be without a long pause.
        while len(shares) < 3 and min(shares, default=1) >= 0.5:
            arguments = prepare()
            with Ticks() as ticks:
                begun = time.perf_counter()
                result = call(*arguments)
                ended = time.perf_counter()
            self.assertGreater(ended - begun, SECONDS_MIN, "too short to show a pause")
            shares.append(ticks.longest_pause(begun, ended) / (ended - begun))
            for closable in (*arguments, result):
                if isinstance(closable, (sortwell.Sorter, sortwell.Sorted, sortwell.SortedBatches)):
                    closable.close()
        self.assertLess(min(shares), 0.5, shares)

    def test_sort(self):
        data, output = self.folder / "in", self.folder / "out"
        data.write_bytes(RANDOM.bytes(100_000_000))
        self.assert_released(lambda: sortwell.sort(data, output, format="fixed:100", force=True))

    def test_push_and_finish(self):
        records = RANDOM.bytes(100_000_000)
        options = {"format": "fixed:100", "memory": "64MiB", "temp": self.folder}

        def pushed():
            sorter = sortwell.Sorter(merge_width=2, **options)
            sorter.push(records)
            return (sorter,)

        self.assert_released(
            lambda sorter: sorter.push(records), lambda: (sortwell.Sorter(**options),)
        )
        # Passes before the last one are those of the first block.
        self.assert_released(lambda sorter: next(sorter.finish()), pushed)

    def test_sorted(self):
        # Neither the iterator of a list nor a missing key runs Python, which would let others run.
        items = [f"{number:030}" for number in RANDOM.integers(1 << 60, size=1_000_000).tolist()]
        self.assert_released(lambda: sortwell.sorted(items, memory="24MiB", temp=self.folder))

    def test_progress_while_a_slow_iterable_is_read(self):
        def slow():
            for number in range(10_000):
                taken.append(number)
                time.sleep(0.01)
                yield number

        def show(progress):
            raise LookupError("stopped")

        taken = []
        with self.assertRaisesRegex(LookupError, "stopped"):
            sortwell.sorted(slow(), progress=show)
        self.assertLess(len(taken), 1000)

    def test_sort_batches(self):
        table = pyarrow.table({"n": RANDOM.integers(1 << 60, size=2_000_000)})
        self.assert_released(lambda: sortwell.sort_batches(table, "n", temp=self.folder))


if __name__ == "__main__":
    unittest.main()
