"""Headers: the lines that stay on top, and the rows that name the columns of tables."""

from __future__ import annotations

import re
from dataclasses import replace

from .command import Options, parse_count
from .errors import MalformedError, Unspecified, UsageError
from .formats import Cell, Format, Record, last_of_row

# "A header has at most 1 MiB."
TOP_MAX = 1 << 20
MARK = b"\xef\xbb\xbf"


def take_marks(form: Format, inputs: tuple[bytes, ...]) -> tuple[bytes, tuple[bytes, ...]]:
    """Takes "a byte order mark at the start of an input" off a table: it is "no part of its rows".

    Returns the mark of the output, "that of the first input that has a row", and the rest.
    """
    if form.kind != "csv":
        return b"", inputs
    first = next((data for data in inputs if data.removeprefix(MARK)), b"")
    mark = MARK if first.startswith(MARK) else b""
    return mark, tuple(data.removeprefix(MARK) for data in inputs)


def take_headers(
    options: Options, form: Format, inputs: list[list[Record]]
) -> tuple[bytes, Record | None, list[bytes] | None, list[list[Record]]]:
    """Takes the headers off the inputs.

    Returns the lines that stay on top, the header of a table, its column names, and the rest.
    """
    if form.kind == "lines":
        # Of the first input that has such lines they are kept.
        counts = [count_top(options.header or "0", part) for part in inputs]
        tops = [part[:count] for part, count in zip(inputs, counts) if count]
        joined = [b"".join(line.body + line.end for line in lines) for lines in tops]
        if any(len(lines) > TOP_MAX for lines in joined):
            raise MalformedError("a header of more than 1 MiB")
        top = joined[0] if joined else b""
        return top, None, None, [part[count:] for part, count in zip(inputs, counts)]
    if form.kind != "csv":
        return b"", None, None, inputs
    if not form.has_header:
        first = next((part[0] for part in inputs if part), None)
        # "With more than 1 MiB, the first row does not set the number of cells"
        if first is None or len(first.body + first.end) > TOP_MAX:
            return b"", None, None, inputs
        return b"", None, [cell.value for cell in first.cells], inputs
    # Inputs without any byte have no header and no rows.
    inputs = [part for part in inputs if part]
    if not inputs:
        return b"", None, None, []
    if form.unites:
        return b"", *unite(form, inputs)
    header = inputs[0][0]
    columns = [cell.value for cell in header.cells]
    for part in inputs[1:]:
        if [cell.value for cell in part[0].cells] != columns:
            if options.command == "check":
                raise Unspecified("check of tables with different headers")
            raise MalformedError("a header that is not that of the first input")
    rows = [part[1:] for part in inputs]
    return b"", header, columns, rows


def is_number(header: str | None) -> bool:
    """Returns whether a header is a number of lines, not their prefix."""
    return header is not None and re.fullmatch(r"[0-9]+", header) is not None


def count_top(header: str, lines: list[Record]) -> int:
    """Returns how many lines at the top of an input are its header."""
    if is_number(header):
        return min(parse_count("--header", header), len(lines))
    prefix = header.removeprefix("prefix:").encode()
    if not prefix:
        raise UsageError("--header with an empty prefix")
    starts = [line.body.startswith(prefix) for line in lines]
    return starts.index(False) if False in starts else len(lines)


def unite(
    form: Format, inputs: list[list[Record]]
) -> tuple[Record, list[bytes], list[list[Record]]]:
    """Makes one table of several, whose columns are found by their names.

    Returns the header, its names, and the rows of each input: with "the columns of the first input,
    followed by those that only later inputs have".
    """
    header: dict[bytes, bytes] = {}
    tables = []
    for part in inputs:
        names = [cell.value for cell in part[0].cells]
        if len(set(names)) < len(names):
            raise MalformedError("a name that stands twice in a header")
        for cell in part[0].cells:
            header.setdefault(cell.value, cell.raw)
        tables.append(names)
    columns = list(header)
    if any(names == [b""] for names in tables) and len(columns) > 1:
        raise MalformedError("a header that is an empty row, beside others")
    rows = [
        part[1:] if names == columns else [move(form, row, names, columns) for row in part[1:]]
        for names, part in zip(tables, inputs)
    ]
    between = bytes([form.separator or 0])
    end = inputs[0][0].end
    header[columns[-1]] = last_of_row(form, header[columns[-1]], end)
    cells = tuple(Cell(raw, value) for value, raw in header.items())
    top = Record(between.join(header.values()), end, cells)
    return top, columns, rows


def move(form: Format, row: Record, names: list[bytes], columns: list[bytes]) -> Record:
    """Returns a row with its cells where the columns are; "cells keep their bytes".

    The last one may get quotes (see `last_of_row`).
    An empty row stays one. One with another number of cells than its header has none that fits
    here: "with --ragged keep, cells beyond the header of an input come after all columns".
    """
    if not row.body:
        return row
    cells = list(row.cells)
    if len(cells) != len(names) and not form.ragged:
        return replace(row, cells=tuple(cells * 2 if len(cells) == len(columns) else cells))
    known = dict(zip(names, cells))
    empty = Cell(b"", b"")
    moved = [known.get(name, empty) for name in columns] + cells[len(names) :]
    moved[-1] = replace(moved[-1], raw=last_of_row(form, moved[-1].raw, row.end))
    body = bytes([form.separator or 0]).join(cell.raw for cell in moved)
    return replace(row, body=body, cells=tuple(moved))


def drop_ragged(
    form: Format, columns: list[bytes] | None, inputs: list[list[Record]]
) -> tuple[list[list[Record]], int | None]:
    """Leaves rows with more or fewer cells out, where --ragged drop says so, and counts them.

    "An empty row is a row of empty cells, and never one of these."
    """
    if not form.drops:
        return inputs, None
    if columns is None or columns == [b""]:
        return inputs, 0
    kept = [
        [row for row in part if len(row.cells) == len(columns) or not row.body] for part in inputs
    ]
    return kept, sum(map(len, inputs)) - sum(map(len, kept))


def check_widths(form: Format, columns: list[bytes] | None, inputs: list[list[Record]]) -> None:
    """Refuses "rows that have more or fewer cells than the header"; --ragged keep takes them.

    Without a header, the first row of the first input says how many they are; "an empty one says
    nothing".
    """
    if form.ragged or columns is None or columns == [b""]:
        return
    rows = (row for part in inputs for row in part if row.body)
    if any(len(row.cells) != len(columns) for row in rows):
        raise MalformedError("a row that has more or fewer cells than the header")


def refuse_empty_rows(records: list[list[Record]]) -> None:
    """Leaves open whether an empty row is an empty key where the whole row is the key."""
    if any(not record.body for part in records for record in part):
        raise Unspecified("empty rows without a key")
