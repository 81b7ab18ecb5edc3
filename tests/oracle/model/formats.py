"""Formats: how an input is cut into records, and how records are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .command import Options, parse_byte, parse_delimiter
from .errors import MalformedError, Unspecified, UsageError
from .json_lines import parse

# "Blanks (spaces, tabs, and line feeds where these do not end lines)".
BLANKS = b" \t\n"


@dataclass(frozen=True)
class Cell:
    """One cell of a row: as it was read, and what it stands for."""

    raw: bytes
    value: bytes


@dataclass(frozen=True)
class Record:
    """One record: its bytes without end or length, its line end, and its cells in CSV.

    Of a keyed record, the bytes are those of the key, and the end is the payload.
    """

    body: bytes
    end: bytes = b""
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format with all that says how it is read; `kind` is lines, csv, json, fixed or length."""

    kind: str
    end: bytes = b"\n"
    length: int = 0
    prefix: int = 0
    order: str = "big"
    counts_itself: bool = False
    descriptor: bool = False
    keyed: bool = False
    # What separates fields; of a group of lines, these are its fields.
    separator: int | None = None
    # The lines of a record, if they are several, and what separates the fields of one.
    group: int = 0
    within: int | None = None
    quote: int | None = None
    lenient: bool = False
    has_header: bool = False
    ragged: bool = False
    drops: bool = False
    unites: bool = False

    @property
    def is_text(self) -> bool:
        """Returns whether records are text: lines or rows."""
        return self.kind in ("lines", "csv", "json")


def parse_format(options: Options) -> Format:
    """Makes the format of --format and of the options that are about formats."""
    text = options.format
    if text in ("csv", "tsv"):
        return parse_table(text, options)
    of_tables = (options.quote is not None, options.no_header, options.ragged)
    if any(of_tables) or options.union_by_name:
        raise UsageError("options of csv and tsv with another format")
    if text == "lines" or text.startswith("lines:"):
        grouped = re.fullmatch(r"lines:(?:(.+),)?group=([0-9]+)", text)
        if grouped:
            return parse_group(grouped[1], int(grouped[2]), options)
        end = bytes([parse_byte(text[6:])]) if text != "lines" else b"\n"
        separator = options.separator
        if separator is not None and parse_delimiter(separator, "separator") == end[0]:
            raise Unspecified("a separator that is the end of the line")
        return Format(
            "lines",
            end=end,
            separator=None if separator is None else parse_delimiter(separator, "separator"),
        )
    if options.separator is not None:
        raise UsageError("--separator with a format that has no fields")
    if options.header not in (None, "0"):
        raise UsageError("--header with a format that has no lines")
    if text == "jsonl":
        return Format("json")
    if re.fullmatch(r"fixed:[0-9]+", text):
        length = int(text[6:])
        if not 1 <= length <= 1 << 20:
            raise UsageError(f"{text}: from 1 to 1048576")
        return Format("fixed", length=length)
    if text == "rdw":
        return Format("length", prefix=4, counts_itself=True, descriptor=True)
    if text == "keyed":
        return parse_keyed(options)
    match = re.fullmatch(r"u(16|32)(le|be)(:self)?", text)
    if not match:
        raise UsageError(f"no format '{text}'")
    return Format(
        "length",
        prefix=int(match[1]) // 8,
        order="little" if match[2] == "le" else "big",
        counts_itself=bool(match[3]),
    )


def parse_keyed(options: Options) -> Format:
    """Makes the format of records that hold their key."""
    makes = (options.count, options.aggregates, options.select, options.split_by)
    if any(makes):
        raise UsageError("a keyed record has no places")
    return Format("length", prefix=8, order="little", keyed=True)


def parse_group(byte: str | None, lines: int, options: Options) -> Format:
    """Makes the format of records of several lines: "lines:group=N or lines:BYTE,group=N"."""
    if not 1 <= lines <= 1_000_000:
        raise UsageError("a record has from 1 to 1000000 lines")
    end = b"\n" if byte is None else bytes([parse_byte(byte)])
    within = None
    if options.separator is not None:
        within = parse_delimiter(options.separator, "separator")
        if within == end[0]:
            raise Unspecified("a separator that is the end of the line")
    return Format("lines", end=end, separator=end[0], group=lines, within=within)


def parse_table(text: str, options: Options) -> Format:
    """Makes the format of csv or tsv."""
    if options.header not in (None, "0"):
        raise UsageError("--header with csv and tsv, which have a header of their own")
    separator = options.separator or ("," if text == "csv" else "tab")
    quote = options.quote or '"'
    lenient = quote == "lenient" or quote.startswith("lenient:")
    if lenient:
        quote = quote[8:] or '"'
    found = Format(
        "csv",
        separator=parse_delimiter(separator, "separator"),
        quote=None if quote == "none" else parse_delimiter(quote, "quote"),
        lenient=lenient,
        has_header=not options.no_header,
        ragged=options.ragged == "keep",
        drops=options.ragged == "drop",
        unites=options.union_by_name,
    )
    if found.separator == found.quote:
        raise UsageError("separator and quote are the same byte")
    if found.unites and not found.has_header:
        raise UsageError("--union-by-name without a header")
    return found


def read_records(form: Format, data: bytes) -> list[Record]:
    """Cuts one input into records, the header of a table among them."""
    if form.kind in ("lines", "json"):
        # "a last line without its end gets one"
        lines = data.split(form.end)
        if not lines[-1]:
            lines.pop()
        if form.group:
            return group_lines(form, [Record(line, form.end) for line in lines])
        if form.kind == "json":
            for line in lines:
                parse(line)
        return [Record(line, form.end) for line in lines]
    if form.kind == "fixed":
        if len(data) % form.length:
            raise MalformedError("the last record is cut off")
        step = form.length
        return [Record(data[at : at + step]) for at in range(0, len(data), step)]
    if form.kind == "length":
        return read_with_lengths(form, data)
    return read_rows(form, data)


def group_lines(form: Format, lines: list[Record]) -> list[Record]:
    """Joins lines to records: "an input that ends within a record is an error"."""
    if len(lines) % form.group:
        raise MalformedError("a last record with too few lines")
    starts = range(0, len(lines), form.group)
    parts = [[line.body for line in lines[start : start + form.group]] for start in starts]
    return [Record(form.end.join(part), form.end) for part in parts]


def read_with_lengths(form: Format, data: bytes) -> list[Record]:
    """Cuts records that begin "with the number of bytes that follow, or with its own length"."""
    records = []
    at = 0
    while at < len(data):
        head = data[at : at + form.prefix]
        if len(head) < form.prefix:
            raise MalformedError("a length is cut off")
        if form.descriptor:
            if head[2:] != b"\0\0":
                raise Unspecified("a record descriptor word whose last two bytes are not 0")
            head = head[:2]
        if form.keyed:
            records.append(read_keyed(data, at))
            at += 8 + len(records[-1].body) + len(records[-1].end)
            continue
        length = int.from_bytes(head, form.order)
        if form.counts_itself:
            length -= form.prefix
        start = at + form.prefix
        if length < 0 or start + length > len(data):
            raise MalformedError("a length that is too small, or a record that is cut off")
        records.append(Record(data[start : start + length]))
        at = start + length
    return records


def read_keyed(data: bytes, at: int) -> Record:
    """Reads "u32le bytes that follow, u32le bytes of the key, the key, and a payload"."""
    follows, key = (int.from_bytes(data[place : place + 4], "little") for place in (at, at + 4))
    start, end = at + 8, at + 4 + follows
    if start + key > end or end > len(data):
        raise MalformedError("a key longer than its record, or a record that is cut off")
    return Record(data[start : start + key], data[start + key : end])


def write_record(form: Format, body: bytes, end: bytes) -> bytes:
    """Returns the bytes of a record in the output: with its end, or a length in front."""
    if form.kind != "length":
        return body + end
    if form.keyed:
        numbers = (4 + len(body) + len(end), len(body))
        return b"".join(number.to_bytes(4, "little") for number in numbers) + body + end
    length = len(body) + (form.prefix if form.counts_itself else 0)
    if length >> (16 if form.descriptor else 8 * form.prefix):
        raise MalformedError("a record that is too long for its length")
    if form.descriptor:
        return length.to_bytes(2, "big") + b"\0\0" + body
    return length.to_bytes(form.prefix, form.order) + body


def last_of_row(form: Format, raw: bytes, end: bytes) -> bytes:
    """Returns a cell as it is written where it becomes the last of a row.

    "A cell that ends with a carriage return gets quotes if it becomes the last of a row that ends
    with a line feed alone. With --quote none, it is an error."
    """
    if not raw.endswith(b"\r") or end != b"\n":
        return raw
    if form.quote is None:
        raise MalformedError("a carriage return at the end of a cell that has no quotes")
    quote = bytes([form.quote])
    return quote + raw.replace(quote, quote * 2) + quote


def read_rows(form: Format, data: bytes) -> list[Record]:
    """Cuts a table into "rows of cells as RFC 4180 has them"."""
    rows: list[Record] = []
    at = 0
    while at < len(data):
        row, at = read_row(form, data, at)
        # "A last row without a line end gets a line feed."
        rows.append(row if row.end else replace(row, end=b"\n"))
    return rows


def read_row(form: Format, data: bytes, at: int) -> tuple[Record, int]:
    """Reads one row, whose end is empty at the end of the data; returns where the next starts."""
    start = at
    cells = []
    ended_by = form.separator
    while ended_by == form.separator:
        cell, at = read_cell(form, data, at)
        cells.append(cell)
        ended_by = data[at] if at < len(data) else None
        at += 1
    # at is now behind the line feed, or one behind the end of the data
    end = b"\n" if ended_by is not None else b""
    body = data[start : at - 1]
    if end and cells[-1].raw.endswith(b"\r"):
        end = b"\r\n"
        body = body[:-1]
        cells[-1] = drop_return(cells[-1])
    elif not end and cells[-1].raw.endswith(b"\r"):
        raise Unspecified("a carriage return at the end of a table")
    return Record(body, end, tuple(cells)), at


def drop_return(cell: Cell) -> Cell:
    """Returns a cell without the carriage return of the line end behind it."""
    value = cell.value
    return Cell(cell.raw[:-1], value[:-1] if value == cell.raw else value)


def read_cell(form: Format, data: bytes, at: int) -> tuple[Cell, int]:
    """Reads one cell; returns it and where the separator or line feed behind it stands.

    "Cells in quotes may hold separators, line ends and doubled quotes." A "quote that stands
    where none may" is malformed, except with `--quote lenient`: it has its meaning "only at the
    start of a cell, and until the next one that is not doubled. Anywhere else it is data. A cell
    that continues after its closing quote is taken as it is written, quotes and all."
    """
    start = at
    quote = form.quote
    if quote is not None and at < len(data) and data[at] == quote:
        value = bytearray()
        at += 1
        while True:
            close = data.find(bytes([quote]), at)
            if close < 0:
                raise MalformedError("a quote that is not closed")
            value += data[at:close]
            at = close + 1
            if at >= len(data) or data[at] != quote:
                break
            value.append(quote)
            at += 1
        after = data[at : at + 2]
        if after == b"\r":
            raise Unspecified("a carriage return at the end of a table")
        if after == b"\r\n":
            at += 1
        elif after and after[0] not in (form.separator, 10):
            if not form.lenient:
                raise MalformedError("something behind the closing quote")
            # It may be a quote again: `"a"b"` has gone on behind the second one.
            while at < len(data) and data[at] not in (form.separator, 10):
                at += 1
            value = data[start:at]
        return Cell(data[start:at], bytes(value)), at
    while at < len(data) and data[at] not in (form.separator, 10):
        if quote is not None and data[at] == quote and not form.lenient:
            raise MalformedError("a quote within a cell that has none around it")
        at += 1
    return Cell(data[start:at], data[start:at]), at


def split_fields(form: Format, body: bytes) -> list[bytes]:
    """Splits a line into fields.

    "Without [--separator], fields are divided by blanks (spaces, tabs, and line feeds where these
    do not end lines): each begins at the first blank after the one before, and has its leading
    blanks." Line feeds that end lines are not in the body.
    """
    if form.separator is not None:
        return body.split(bytes([form.separator]))
    return re.findall(rb"[ \t\n]*[^ \t\n]+|[ \t\n]+", body)
