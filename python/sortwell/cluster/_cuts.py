"""Cuts between the parts of the output.

A cut is a record among all: its key, the number of its split, its offset in the run of the split.
So cuts are exact, and a key that most records have can be cut as well.

    runs of earlier splits   are cut after the last record with the key
    the run of the split     is cut before the record
    runs of later splits     are cut before the first record with the key

Where equal keys must stay together, all runs are cut before the first record with the key. So they
are if the cut has only the beginning of a long key, which is a key of no record.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._spec import Run


@dataclass(frozen=True)
class Cut:
    """The first record of a part. Without an offset, the key is the beginning of that record's."""

    key: bytes
    split: int
    offset: int | None

    def is_after(self, split: int, keeps_keys: bool) -> bool:
        """Returns whether a run is cut after the records with the key."""
        return self._is_record(keeps_keys) and split < self.split

    def is_of(self, split: int, keeps_keys: bool) -> bool:
        """Returns whether a run is cut at the offset."""
        return self._is_record(keeps_keys) and split == self.split

    def may_equal(self, split: int, keeps_keys: bool) -> tuple[bool, bool]:
        """Returns whether records of a run before the cut, and after it, may have its key."""
        if not self._is_record(keeps_keys):
            return False, True
        return split <= self.split, split >= self.split

    def _is_record(self, keeps_keys: bool) -> bool:
        return self.offset is not None and not keeps_keys


def choose(runs: list[Run], parts: int) -> list[Cut]:
    """Returns the cuts that make parts of about equal size, at most one fewer than `parts`."""
    # The beginning of a long key comes before a key that is equal to it. A run is in order.
    keys = [
        (key, at is not None, run.split, number, at, size)
        for run in runs
        for number, (key, at, size) in enumerate(run.keys)
    ]
    keys.sort(key=lambda placed: placed[:4])
    total = sum(size for *_, size in keys)
    cuts: list[Cut] = []
    passed = 0
    for key, _, split, _, offset, size in keys:
        # Part n ends nearest to n shares of all bytes.
        is_near = (passed + size / 2) * parts >= total * (len(cuts) + 1)
        if is_near and passed > 0 and len(cuts) < parts - 1:
            cuts.append(Cut(key, split, offset))
        passed += size
    return cuts
