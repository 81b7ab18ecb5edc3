"""Whether an output is right, found without the help of the program under test."""

from __future__ import annotations

import operator
import sys
import zlib
from pathlib import Path

from measuring.process import in_child, run
from measuring.records import AT_ONCE, blocks, split
from measuring.suites import Bench, Suite


def check(bench: Bench, suite: Suite, source: Path) -> None:
    """Ends everything unless the output holds the records of the source, in order."""
    form = (suite.record_bytes, suite.ordered_bytes)
    before, after = in_child(digest, (source, *form), (bench.output, *form))
    if before[:2] != after[:2]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: (records, sum) {before[:2]} became {after[:2]}")
    if not after[2]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: {source.name} is not in order")
    if suite.record_bytes == 100:
        run([str(bench.binary), "validate", str(bench.output)])


def digest(path: Path, record_bytes: int, ordered_bytes: int) -> tuple[int, int, bool]:
    """Number of records, sum of their CRC-32s, and whether their leading bytes ascend."""
    count, total, is_ordered, last = 0, 0, True, b""
    for block in blocks(path, AT_ONCE, record_bytes):
        records = split(block, record_bytes)
        keys = [record[:ordered_bytes] for record in records]
        count += len(records)
        total += sum(map(zlib.crc32, records))
        is_ordered = is_ordered and last <= keys[0] and all(map(operator.le, keys, keys[1:]))
        last = keys[-1]
    return count, total, is_ordered
