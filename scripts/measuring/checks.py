"""Whether an output is right, found without the help of the program under test."""

from __future__ import annotations

import heapq
import operator
import sys
import zlib
from pathlib import Path

from measuring.process import in_child, run
from measuring.records import batches
from measuring.suites import Bench, Suite


def check(bench: Bench, suite: Suite, source: Path) -> None:
    """Ends everything unless the output holds the records of the source, in order."""
    if suite.options:
        in_child(check_text, (suite, source, bench.output))
        return
    form = (None if suite.is_varying else suite.record_bytes, suite.ordered_bytes)
    before, after = in_child(digest, (source, *form), (bench.output, *form))
    if before[:2] != after[:2]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: (records, sum) {before[:2]} became {after[:2]}")
    if not after[2]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: {source.name} is not in order")
    if suite.record_bytes == 100:
        run([str(bench.binary), "validate", str(bench.output)])


def digest(path: Path, record_bytes: int | None, ordered_bytes: int) -> tuple[int, int, bool]:
    """Number of records, sum of their CRC-32s, and whether their leading bytes ascend."""
    count, total, is_ordered, last = 0, 0, True, b""
    for records in batches(path, record_bytes):
        keys = [record[:ordered_bytes] for record in records]
        count += len(records)
        total += sum(map(zlib.crc32, records))
        is_ordered = is_ordered and last <= keys[0] and all(map(operator.le, keys, keys[1:]))
        last = keys[-1]
    return count, total, is_ordered


def check_text(suite: Suite, source: Path, output: Path) -> None:
    """The same for tables, and for lines of which not all are written."""
    if suite.column:
        before, after = table_digest(source, suite.column), table_digest(output, suite.column)
        is_right = before[0] == after[0] and after[1]
    else:
        is_unique = "--unique" in suite.options
        with open(source, "rb") as file:
            wanted = sorted(set(file)) if is_unique else heapq.nsmallest(1000, file)
        with open(output, "rb") as file:
            is_right = all(map(operator.eq, file, wanted)) and not file.read(1)
        is_right = is_right and output.stat().st_size == sum(map(len, wanted))
    if not is_right:
        sys.exit(f"{suite.name}: WRONG OUTPUT of {source.name}")


def table_digest(path: Path, column: str) -> tuple[tuple[bytes, int, int], bool]:
    """The header, the number of rows and the sum of their CRC-32s; whether they ascend."""
    count, total, is_ordered, last = 0, 0, True, None
    with open(path, "rb") as file:
        header = next(file) if "." not in column else b""
        for row in file:
            while row.count(b'"') % 2:
                row += next(file)
            key = cell(row, column)
            is_ordered = is_ordered and (last is None or last <= key)
            count, total, last = count + 1, total + zlib.crc32(row), key
    return (header, count, total), is_ordered


def cell(row: bytes, column: str) -> tuple[bool, int] | bytes:
    """Returns the key of a row of `texts.write_table`, a count or none or a note; or of a line of
    `texts.write_events`, the number of a user."""
    if column == "user.id":
        return (True, int(row.partition(b'"id":')[2].partition(b",")[0]))
    if column == "count":
        text = row.split(b",", 2)[1]
        return (text != b"", int(text or 0))
    text = row.split(b",", 4)[4].rstrip(b"\r\n")
    return text[1:-1].replace(b'""', b'"') if text.startswith(b'"') else text
