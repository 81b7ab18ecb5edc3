"""What is said of keys that are no values of their types: how many records, and which keys."""

from __future__ import annotations

from dataclasses import dataclass

from .formats import Record
from .keys import NULL, Key, is_lenient
from .sort import Entry, Work, takes_part
from .types import INVALID


@dataclass(frozen=True)
class Findings:
    """What statistics say of keys: "keys" of --stats json."""

    invalid: int
    of_records: int
    by_key: tuple[int, ...]
    unmatched: int


def find_keys(work: Work) -> Findings:
    """Counts records with a key that is no value, and keys of which no record has a value."""
    taken = [record for part in work.inputs for record in part if takes_part(work, record)]
    entries = work.entries(taken)
    counts: tuple[int, ...] = ()
    invalid = 0
    if work.options.invalid in ("first", "last"):
        leading = len(work.options.unique_by) or len(work.keys)
        placed = [entry for entry in entries if work.is_placed(entry)]
        each = (sum(entry.values[at] is INVALID for entry in placed) for at in range(leading))
        counts = tuple(count for count in each if count)
        invalid = len(placed)
    unmatched = sum(is_unmatched(key, at, entries, taken) for at, key in enumerate(work.keys))
    return Findings(invalid, len(taken), counts, unmatched)


def is_unmatched(key: Key, at: int, entries: list[Entry], records: list[Record]) -> bool:
    """Returns whether no record has a value of a key, and some record has what is not empty.

    Where what can be read of the text is taken, it is a value only if all of the text is one.
    """
    if is_lenient(key.type, key.setting):
        found = [strict(key, record) for record in records]
    else:
        found = [entry.values[at] for entry in entries]
    others = [value for value in found if value is not NULL]
    return bool(others) and all(value is INVALID for value in others)


def strict(key: Key, record: Record) -> object:
    """Returns the value of a key if all of its text is one, NULL if it is blank."""
    raw = key.raw(record)
    return NULL if not raw.strip(b" \t\n") else key.type.read(raw)
