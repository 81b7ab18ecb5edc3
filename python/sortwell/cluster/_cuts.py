"""Cuts between the parts of the output.

A cut is a record among all: its key, the number of its split, its offset in the run of the split.
So cuts are exact, and a key that most records have can be cut as well.

    runs of earlier splits   are cut after the last record with the key
    the run of the split     is cut before the record
    runs of later splits     are cut before the first record with the key

Where equal keys must stay together, all runs are cut before the first record with the key.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._spec import Run


@dataclass(frozen=True)
class Cut:
    """The first record of a part."""

    key: bytes
    split: int
    offset: int

    def is_after(self, split: int, keeps_keys: bool) -> bool:
        """Returns whether a run is cut after the records with the key."""
        return not keeps_keys and split < self.split


def choose(runs: list[Run], parts: int) -> list[Cut]:
    """Returns the cuts that make parts of about equal size, at most one fewer than `parts`."""
    keys = [(key, run.split, at, size) for run in runs for key, at, size in run.keys]
    keys.sort()
    total = sum(size for *_, size in keys)
    cuts: list[Cut] = []
    passed = 0
    for key, split, offset, size in keys:
        # Part n ends nearest to n shares of all bytes.
        is_near = (passed + size / 2) * parts >= total * (len(cuts) + 1)
        if is_near and passed > 0 and len(cuts) < parts - 1:
            cuts.append(Cut(key, split, offset))
        passed += size
    return cuts
