"""What is made of the records in their order: groups, sums, counts, selections, several files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .command import Options
from .errors import MalformedError, Unspecified, UsageError
from .formats import BLANKS, Cell, Format, Record, last_of_row, write_record
from .keys import Key, Setting, parse_key
from .numbers import decimal_text, parse_decimal
from .places import (
    Place,
    bytes_at,
    cell_at,
    parse_place,
    resolve_place,
    split_fields,
    split_outside_quotes,
)
from .types import INVALID, KeyType
from .types_binary import BinaryInteger, Ebcdic, Packed, Sequence, Zoned
from .types_text import DecimalNumber, Integer, WrittenNumber

NOT_FOR_VALUES = re.compile(r"desc|asc|nulls-first|nulls-last|pad=.*")


@dataclass(frozen=True)
class Aggregate:
    """One --sum, --min or --max: its function, its place and the key that its type makes."""

    function: str
    place: Place
    key: Key

    @property
    def type(self) -> KeyType:
        """The type of the values."""
        return self.key.type

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers in plain notation."""
        return isinstance(self.type, (DecimalNumber, Integer))

    def is_there(self, value: bytes) -> bool:
        """Returns whether a value takes part: no empty one, and no blanks of a notation."""
        if self.key.trims:
            if isinstance(self.type, (Ebcdic, Sequence)):
                raise Unspecified("trim of bytes that are no ASCII")
            value = value.strip(BLANKS)
        return bool(value.strip(BLANKS) if self.type.has_notation else value)

    def read(self, value: bytes) -> Any:
        """Returns what a value means; one that is none "is an error"."""
        found = self.type.read(value.strip(BLANKS) if self.key.trims else value)
        if found is INVALID:
            raise MalformedError(f"a value that is no {self.type.name}")
        return found


@dataclass(frozen=True)
class Operators:
    """All operators of a job, with their columns found."""

    form: Format
    aggregates: tuple[Aggregate, ...]
    selected: tuple[Place, ...] | None
    counts: bool
    width: int | None

    def places(self) -> list[Place]:
        """Returns the places that are written."""
        return [aggregate.place for aggregate in self.aggregates] + list(self.selected or ())


def parse_operators(options: Options, form: Format, columns: list[bytes] | None) -> Operators:
    """Reads the operators of the command line."""
    aggregates = tuple(
        parse_aggregate(function, text, form, columns, options)
        for function, text in options.aggregates
    )
    refuse_overlaps([aggregate.place for aggregate in aggregates])
    selected = None
    if options.select is not None:
        selected = tuple(
            resolve_place(parse_written_place(text, form), form, columns)
            for text in split_outside_quotes(options.select, ",")
        )
    if options.count and form.kind == "fixed":
        ranges = selected or (Place(start=0, end=form.length),)
        lengths = [
            (form.length if place.end is None else place.end) - (place.start or 0)
            for place in ranges
        ]
        if sum(lengths) + 8 > 1 << 20:
            raise UsageError("--count makes records that are too long")
    # "A first row without anything in it" says nothing of the others.
    width = len(columns) if columns and columns != [b""] else None
    return Operators(form, aggregates, selected, options.count, width)


def parse_written_place(text: str, form: Format) -> Place:
    """Reads a place of --sum and --select: a column, a field "with --separator", or a range."""
    place = parse_place(text, form)
    if place.line is not None:
        raise UsageError("operators take lines by their numbers")
    if form.is_text and (place.is_range or not place.is_whole):
        raise UsageError("bytes of a field, or a range of bytes, of text")
    if form.kind in ("lines", "json") and form.separator is None:
        raise UsageError("fields to be written need --separator")
    return place


def parse_aggregate(
    function: str, text: str, form: Format, columns: list[bytes] | None, options: Options
) -> Aggregate:
    """Reads PLACE[:TYPE]."""
    location, *words = split_outside_quotes(text, ":")
    place = resolve_place(parse_written_place(location, form), form, columns)
    written = ":".join(words)
    if any(NOT_FOR_VALUES.fullmatch(word) for word in words) or "random" in words:
        raise UsageError(f"'{text}': what is said of keys alone")
    if re.search(r"order=@|sequence=", written):
        raise Unspecified("values in an order that a file names")
    setting = Setting(form, {}, "error", options.date_format)
    if form.is_text:
        key = parse_key(f"..:{written or 'decimal'}", setting)
        sums = (DecimalNumber, Integer, WrittenNumber)
    else:
        end = form.length if place.end is None and form.kind == "fixed" else place.end
        if end is None:
            raise Unspecified(f"--{function} of a range without an end")
        if not words or (function == "sum" and len(words) > 1):
            raise UsageError(f"'{text}': a range of bytes without a type")
        key = parse_key(f"0..{end - (place.start or 0)}:{written}", setting)
        sums = (BinaryInteger, Packed, Zoned)
    if function == "sum" and not isinstance(key.type, sums):
        raise UsageError(f"--sum of type {written}")
    return Aggregate(function, place, key)


def refuse_overlaps(places: list[Place]) -> None:
    """Refuses places that several operators would write."""
    for number, place in enumerate(places):
        for other in places[:number]:
            apart = (place.field, place.name) != (other.field, other.name) or (
                place.is_range
                and (
                    (place.end is not None and place.end <= (other.start or 0))
                    or (other.end is not None and other.end <= (place.start or 0))
                )
            )
            if not apart:
                raise UsageError("one place for two values")


def make_row(operators: Operators, kept: Record, group: list[Record]) -> bytes:
    """Returns what is written for a group: its kept record with sums, count and selection."""
    form = operators.form
    if not form.is_text:
        body = make_bytes(operators, kept, group)
        if operators.counts:
            # "eight bytes more at their end, the number as u64be"
            body += len(group).to_bytes(8, "big")
        return write_record(form, body, kept.end)
    body = kept.body
    if operators.aggregates or operators.selected is not None or form.kind == "csv":
        cells = fields_of(form, kept)
        for aggregate in operators.aggregates:
            value = aggregate_cells(form, aggregate, group)
            put_cell(form, kept, cells, aggregate, value)
        if operators.selected is not None:
            cells = [pick(cells, place) for place in operators.selected]
            if form.kind == "csv" and not operators.counts:
                cells[-1] = last_of_row(form, cells[-1], kept.end)
            if cells == [b""] and form.kind == "csv" and not operators.counts:
                cells = [empty_row(form)]
        elif operators.counts and form.kind == "csv" and operators.width is not None:
            if len(cells) > operators.width:
                raise MalformedError(
                    "a row with more cells than the table has no column for counts"
                )
            cells += [b""] * (operators.width - len(cells))
        if operators.counts and form.kind == "csv":
            cells.append(str(len(group)).encode())
        body = bytes([form.separator or 0]).join(cells)
    if operators.counts and form.kind in ("lines", "json"):
        # "Before lines, as uniq -c does"
        body = b"%7d " % len(group) + body
    return write_record(form, body, kept.end)


def empty_row(form: Format) -> bytes:
    """Returns a row of one empty cell, which is in quotes so that it is no empty line."""
    if form.quote is None:
        raise Unspecified("a row of one empty cell where there are no quotes")
    return bytes([form.quote]) * 2


def fields_of(form: Format, record: Record) -> list[bytes]:
    """Returns the cells or fields of a record as they were read."""
    if form.kind == "csv":
        return [cell.raw for cell in record.cells]
    return split_fields(form, record.body)


def pick(cells: list[bytes], place: Place) -> bytes:
    """Returns one of the cells; one that a row lacks is empty."""
    index = (place.field or 1) - 1
    return cells[index] if index < len(cells) else b""


def put_cell(
    form: Format, kept: Record, cells: list[bytes], aggregate: Aggregate, value: bytes | None
) -> None:
    """Writes the outcome of an aggregate into the kept record; nothing if all cells are empty."""
    index = (aggregate.place.field or 1) - 1
    if value is None:
        return
    plain = value
    if index >= len(cells):
        raise Unspecified(f"--{aggregate.function} where the kept record has no such field")
    special = {form.separator, form.quote, 10, 13, form.end[0]}
    if form.kind == "csv" and special & set(value):
        if form.quote is None or aggregate.is_number:
            raise Unspecified("a value that cannot be written without quotes")
        quote = bytes([form.quote])
        value = quote + value.replace(quote, quote * 2) + quote
    elif special & set(value):
        raise Unspecified("a number that holds the separator")
    own = kept.cells[index].value if form.kind == "csv" else cells[index]
    if own == plain and cells[index] != value:
        raise Unspecified("whether a value that stays is written as it was read")
    cells[index] = value


def aggregate_cells(form: Format, aggregate: Aggregate, group: list[Record]) -> bytes | None:
    """Returns the sum, the least or the greatest of a group's cells, or None if all are empty.

    "Numbers are exact and of any length. Empty cells are skipped, and any other cell that is not
    such a number is an error. sortwell writes the sum in plain notation."
    """
    found = [cell_at(aggregate.place, form, record) or Cell(b"", b"") for record in group]
    cells = [cell for cell in found if cell.value]
    if aggregate.function != "sum" or not aggregate.is_number:
        return aggregate_values(aggregate, [cell.value for cell in cells], len(group))
    if not cells:
        return None
    is_whole = isinstance(aggregate.type, Integer)
    numbers = [parse_decimal(cell.value, is_whole) for cell in cells]
    scale = max(scale for _, scale in numbers)
    scaled = [mantissa * 10 ** (scale - own) for mantissa, own in numbers]
    total = decimal_text(sum(scaled), scale)
    if len(group) == 1 and total != cells[0].value:
        raise Unspecified("whether the sum of one number is written as it was read")
    return total


def aggregate_values(aggregate: Aggregate, values: list[bytes], count: int) -> bytes | None:
    """Returns what is made of values that are no numbers in plain notation, or None if none are.

    A record that is alone stays as it is.
    """
    values = [value for value in values if aggregate.is_there(value)]
    meanings = [aggregate.read(value) for value in values]
    if not values or count == 1:
        return None
    if aggregate.function == "sum":
        return sum_of(aggregate.type, values, meanings)
    best = 0
    for at, meaning in enumerate(meanings):
        order = aggregate.type.compare(meaning, meanings[best])
        if order < 0 if aggregate.function == "min" else order > 0:
            best = at
    return values[best]


def sum_of(kind: KeyType, values: list[bytes], meanings: list[Any]) -> bytes:
    """Returns a sum as its type writes it; one that does not fit is an error."""
    if isinstance(kind, WrittenNumber):
        # "in the notation of the column, without separators of thousands and signs of currencies"
        scale = max(kind.scale(value) for value in values)
        total = decimal_text(int(sum(meanings) * 10**scale), scale)
        return total.replace(b".", kind.radix.encode())
    if isinstance(kind, Packed) and any(
        kind.write(meaning, len(value)) != value for value, meaning in zip(values, meanings)
    ):
        raise Unspecified("packed numbers with other signs than C and D, or with -0")
    total = sum(meanings)
    if isinstance(kind, BinaryInteger):
        made = kind.write(total)
    else:
        made = kind.write(total, len(values[0]))
    if made is None:
        raise MalformedError("a sum that does not fit")
    return made


def make_bytes(operators: Operators, kept: Record, group: list[Record]) -> bytes:
    """Returns the body of a record of bytes with its sums, and the ranges that are selected."""
    form = operators.form
    body = bytearray(kept.body)
    for aggregate in operators.aggregates:
        start = aggregate.place.start or 0
        end = form.length if aggregate.place.end is None else aggregate.place.end
        values = [bytes_at(aggregate.place, form, record) for record in group]
        made = aggregate_values(aggregate, values, len(group))
        body[start:end] = body[start:end] if made is None else made
    if operators.selected is None:
        return bytes(body)
    return b"".join(bytes(body[place.start : place.end]) for place in operators.selected)


def make_header(operators: Operators, header: Record) -> bytes:
    """Returns the header of a table, with the columns that are selected, and `count`."""
    form = operators.form
    cells = fields_of(form, header)
    if operators.selected is not None:
        cells = [pick(cells, place) for place in operators.selected]
        if form.quote is None and cells[-1].endswith(b"\r"):
            raise Unspecified("a name that ends with a carriage return, without quotes")
        if not operators.counts:
            cells[-1] = last_of_row(form, cells[-1], header.end)
    if operators.counts:
        cells.append(b"count")
    return bytes([form.separator or 0]).join(cells) + header.end


def split_evenly(rows: list[bytes], files: int) -> dict[str, list[bytes]]:
    """Deals rows to files "in order and with as equal numbers of records as can be"."""
    share, more = divmod(len(rows), files)
    parts = {}
    at = 0
    for number in range(files):
        size = share + (number < more)
        parts[f"-{number + 1}"] = rows[at : at + size]
        at += size
    return parts


def name_of_value(value: bytes) -> str:
    """Returns a value in the name of a file: "signs that are no letters or digits, - _ or .

    become _".
    """
    if not value.isascii() or len(value) > 100:
        raise Unspecified("names of files for values that are long or beyond ASCII")
    if value.strip(b" \t\n\v\f\r") != value:
        raise Unspecified("names of files for values with blanks at the ends")
    if not value:
        return "-empty"
    return "-" + re.sub(r"[^A-Za-z0-9_.-]", "_", value.decode())
