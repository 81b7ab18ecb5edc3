"""Files cut into records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# Records handled at a time: a few megabytes of them, whatever their length.
AT_ONCE = 40_000


def blocks(path: Path, records: int, record_bytes: int) -> Iterator[bytes]:
    """The file in blocks of so many records; the last may be shorter."""
    with open(path, "rb") as file:
        while block := file.read(records * record_bytes):
            yield block


def batches(path: Path, record_bytes: int | None) -> Iterator[list[bytes]]:
    """The records of the file, many at a time: of one length, or lines for None."""
    if record_bytes is not None:
        for block in blocks(path, AT_ONCE, record_bytes):
            yield split(block, record_bytes)
        return
    with open(path, "rb") as file:
        while lines := file.readlines(AT_ONCE * 100):
            yield lines


def split(block: bytes, record_bytes: int) -> list[bytes]:
    """The records of a block."""
    return [block[at : at + record_bytes] for at in range(0, len(block), record_bytes)]
