"""Formats, and how the rows of a table become the records of one."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from random import Random

from .data import (
    LONG,
    Column,
    Layout,
    Table,
    draw_columns,
    draw_fields,
    draw_long_column,
    draw_long_prefix,
    draw_rows,
)
from .model.errors import RefusedError, Unspecified
from .model.formats import Format, read_records
from .values import chance

PREFIXES = ("u16le", "u16be", "u32le", "u32be", "u16le:self", "u16be:self", "u32le:self")
# Characters that two escapes of JSON stand for, one for each half.
ASTRAL = {byte: 0x1F400 + byte for byte in range(128, 256)}
SPARE_NAMES = ("amount", "city", "2024", "a:b", "two words", "Name", "id", "x[0]", "a,b", "c, d")


@dataclass
class Shape:
    """A format, its options, and the records that stand on top of each input."""

    name: str
    family: str
    options: list[tuple[str, ...]] = field(default_factory=list)
    separator: bytes = b""
    end: bytes = b""
    quote: bytes = b""
    is_lenient: bool = False
    has_names: bool = False
    is_ragged: bool = False
    is_marked: bool = False
    unites: bool = False
    length: int = 0
    top: list[bytes] = field(default_factory=list)
    nest: tuple[str, ...] = ()
    # Of records of several lines, how many, and the columns' lines, from 1.
    group: int = 0
    lines: list[int] = field(default_factory=list)

    def is_alone(self, number: int) -> bool:
        """Returns whether no other column of a group of lines is in the line of this one."""
        return self.lines.count(self.lines[number]) == 1


def draw_shape(rng: Random) -> Shape:
    """Draws a format."""
    families = ("lines", "lines", "csv", "csv", "fixed", "fixed", "fixed", "prefixed", "json")
    family = rng.choice(families)
    if family == "json":
        nest = rng.choice(((), (), ("u",), ("u", "v w")))
        return Shape("jsonl", family, [("-F", "jsonl")], end=b"\n", has_names=True, nest=nest)
    if family == "lines":
        shape = draw_lines(rng)
        return draw_group(rng, shape) if chance(rng, 0.25) else shape
    if family == "csv":
        return draw_csv(rng)
    if family == "fixed":
        usual = (rng.randint(1, 16), rng.randint(1, 40), rng.randint(1, 40))
        length = rng.choice((*usual, rng.choice((64, 100, 255, 300, 1000, 5000))))
        name = f"fixed:{length}"
        return Shape(name, family, [("-F", name)], length=length)
    name = rng.choice((*PREFIXES, "u32be:self", "rdw", "keyed", "keyed"))
    return Shape(name, family, [("-F", name)])


def draw_lines(rng: Random) -> Shape:
    """Draws lines, with their ends and with what separates their fields."""
    name, end = rng.choice((("lines", b"\n"),) * 5 + (("lines:0", b"\0"), ("lines:;", b";")))
    shape = Shape(name, "lines", [] if name == "lines" else [("-F", name)], end=end)
    separator = rng.choice((b"", b"", b",", b"\t", b"|", b":"))
    if separator:
        text = "tab" if separator == b"\t" else separator.decode()
        shape.options.append(("-t", text))
    shape.separator = separator
    return shape


def draw_group(rng: Random, shape: Shape) -> Shape:
    """Makes records of several lines of a shape of lines."""
    shape.group = rng.choice((1, 2, 2, 3, 4, 4, 4, 5, 9))
    word = f"group={shape.group}"
    shape.name = f"lines:{word}" if shape.name == "lines" else f"{shape.name},{word}"
    shape.options = [("-F", shape.name), *(pair for pair in shape.options if pair[0] == "-t")]
    return shape


def draw_csv(rng: Random) -> Shape:
    """Draws rows of cells, with their header or without, and with quotes of some kind."""
    name, separator = rng.choice((("csv", b","), ("csv", b","), ("tsv", b"\t")))
    shape = Shape(name, "csv", [("-F", name)], separator, rng.choice((b"\n",) * 6 + (b"\r\n",)))
    if chance(rng, 0.2):
        shape.separator = rng.choice((b";", b"|", b"\t", b":"))
        text = "tab" if shape.separator == b"\t" else shape.separator.decode()
        shape.options.append(("-t", text))
    shape.quote = b'"'
    if chance(rng, 0.15):
        quote = rng.choice(("none", "'", "~"))
        shape.options.append(("--quote", quote))
        shape.quote = b"" if quote == "none" else quote.encode()
    elif chance(rng, 0.2):
        quote, sign = rng.choice((("lenient", b'"'), ("lenient", b'"'), ("lenient:'", b"'")))
        shape.options.append(("--quote", quote))
        shape.quote, shape.is_lenient = sign, True
    shape.has_names = chance(rng, 0.75)
    if not shape.has_names:
        shape.options.append(("--no-header",))
    elif chance(rng, 0.25):
        shape.unites = True
        shape.options.append(("--union-by-name",))
    shape.is_marked = chance(rng, 0.08)
    if chance(rng, 0.2):
        shape.is_ragged = True
        if chance(rng, 0.85):
            shape.options.append(("--ragged", rng.choice(("keep", "drop", "drop"))))
    return shape


def draw_table(rng: Random, shape: Shape, layout: Layout) -> Table:
    """Draws columns and rows that go with a format."""
    if shape.family in ("lines", "csv", "json"):
        count = rng.choice((1, 1, 2, 2, 3, 4, 5))
        columns = draw_columns(rng, count, chance(rng, 0.04))
        if layout.size == LONG:
            place = rng.randrange(count)
            columns[place] = draw_long_column(rng, columns[place].name)
        if shape.has_names:
            spare = rng.sample(
                [name for name in SPARE_NAMES if shape.quote or "," not in name], count
            )
            columns = [
                Column(rng.choice((column.name, name)), column.kind, column.pool)
                for column, name in zip(columns, spare)
            ]
    else:
        length = shape.length or rng.choice((rng.randint(1, 16), rng.randint(1, 40), 100, 600))
        columns = draw_fields(rng, length)
    if shape.group:
        shape.lines = sorted(rng.randint(1, shape.group) for _ in columns)
    sample = draw_rows(rng, columns, 8)
    average = sum(len(b"".join(row)) + len(row) for row in sample) / 8
    rows = draw_rows(rng, columns, layout.count(average))
    return Table(columns, rows, layout.size == LONG)


def encode(rng: Random, shape: Shape, table: Table) -> list[bytes]:
    """Returns the rows of a table as records, and sets what stands on top of each input."""
    if shape.family == "csv":
        if shape.has_names:
            names = [column.name.encode() for column in table.columns]
            shape.top = [row_of(rng, shape, names)]
        return [ragged_row(rng, shape, row) for row in table.rows]
    if shape.group:
        if chance(rng, 0.15):
            shape.top = [rng.choice((b"#a b", b"#", b"#1")) + shape.end] * rng.randint(1, 3)
        return [group_of(rng, shape, row) for row in table.rows]
    if shape.family == "lines":
        return [line_of(rng, shape, row) for row in table.rows]
    if shape.family == "json":
        return [json_line(rng, shape, table.columns, row) for row in table.rows]
    if shape.family == "fixed":
        return [b"".join(row) for row in table.rows]
    cuts = rng.choice((0, 0, 0.05, 0.4))
    bodies = [cut(rng, b"".join(row), cuts) for row in table.rows]
    if shape.name == "keyed" and table.is_long:
        prefix = draw_long_prefix(rng)
        bodies = [prefix + body for body in bodies]
    if shape.name == "keyed":
        return [keyed(body, rng.randbytes(rng.choice((0, 1, 8, 20)))) for body in bodies]
    return [prefixed(shape.name, body) for body in bodies]


def line_of(rng: Random, shape: Shape, row: list[bytes]) -> bytes:
    """Returns a row as a line; blanks between fields are one or several."""
    separator = shape.separator or rng.choice((b" ",) * 6 + (b"  ", b" \t"))
    cells = [cell.replace(shape.end, b"").replace(separator, b"_") for cell in row]
    return separator.join(cells) + shape.end


def group_of(rng: Random, shape: Shape, row: list[bytes]) -> bytes:
    """Returns a row as several lines; those without a column are nearly empty."""
    lines = []
    for number in range(1, shape.group + 1):
        cells = [cell for cell, line in zip(row, shape.lines) if line == number]
        lines.append(line_of(rng, shape, cells or [rng.choice((b"+", b"+", b"+", b""))]))
    return b"".join(lines)


NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


# Members that no key names: half of a surrogate pair, no name, a number beyond any float.
ODD_MEMBERS = (
    '"\\ud800": 1',
    '"": "\\udc00\\\\"',
    '"deep": [[[{"a": "}\\""}]], []]',
    '"big": -1e999',
)


def json_line(rng: Random, shape: Shape, columns: list[Column], row: list[bytes]) -> bytes:
    """Returns a row as a line of JSON: numbers and strings, members missing or null."""
    members = [json_member(rng, column.name, cell) for column, cell in zip(columns, row)]
    members = [member for member in members if member]
    if chance(rng, 0.1):
        rng.shuffle(members)
    if chance(rng, 0.03) and members:
        members.append(rng.choice(members).split(":")[0] + ": 1")
    if chance(rng, 0.05):
        members.insert(rng.randint(0, len(members)), rng.choice(ODD_MEMBERS))
    blank = rng.choice(("", " ", "\t"))
    text = "{" + f",{blank}".join(members) + "}"
    for step in reversed(shape.nest):
        text = f'{{"skipped":{blank}[1, {{"a": "}}"}}], {json.dumps(step)}:{blank}{text}}}'
    if chance(rng, 0.01):
        text = rng.choice(("", " ", "[]", "7", '"text"'))
    if chance(rng, 0.02):
        text += rng.choice(("\r", " ", "\t"))
    return text.encode("utf-8") + shape.end


def json_member(rng: Random, name: str, cell: bytes) -> str:
    """Returns a member of an object; an empty text where it is left out."""
    if chance(rng, 0.04):
        return ""
    text = cell.decode("latin-1")
    if chance(rng, 0.1):
        text = text.translate(ASTRAL)
    value = json.dumps(text, ensure_ascii=chance(rng, 0.5))
    if chance(rng, 0.04):
        value = rng.choice(("null", "true", '""', "-0.5e3"))
    elif NUMBER.fullmatch(cell) and chance(rng, 0.7):
        value = cell.decode()
    elif chance(rng, 0.1):
        value = '"' + "".join(f"\\u{byte:04x}" for byte in cell) + '"'
    return f"{json.dumps(name)}: {value}"


def ragged_row(rng: Random, shape: Shape, row: list[bytes]) -> bytes:
    """Returns a row of CSV, one with a cell too many or too few where the shape has such rows."""
    if shape.is_ragged and chance(rng, 0.1):
        row = row[:-1] if chance(rng, 0.5) and len(row) > 1 else [*row, b"more"]
    return row_of(rng, shape, row)


def scatter(rng: Random, shape: Shape, records: list[bytes], keeps_all: bool) -> list[bytes]:
    """Returns a table with its columns in another order, at times without some or with others.

    Rows that cannot be read, or have another number of cells, stay as they are.
    """
    quote = shape.quote[0] if shape.quote else None
    form = Format("csv", separator=shape.separator[0], quote=quote, has_header=True)
    if not records or chance(rng, 0.2):
        return records
    try:
        rows = [read_records(form, record)[0] for record in records]
    except (RefusedError, Unspecified):
        return records
    count = len(rows[0].cells)
    order = rng.sample(range(count), count)
    if not keeps_all and chance(rng, 0.6):
        order = order[: rng.randint(1, count)]
    more = [] if keeps_all or chance(rng, 0.7) else [rng.choice((b"other", b'"more"', b"x y"))]
    if more and shape.quote != b'"':
        more = [b"more"]
    scattered = []
    for number, row in enumerate(rows):
        if len(row.cells) != count:
            scattered.append(row.body + row.end)
            continue
        cells = [row.cells[at].raw for at in order]
        cells += more if number == 0 else [b"m%d" % (number % 7)] * len(more)
        scattered.append(shape.separator.join(cells) + row.end)
    return scattered


def row_of(rng: Random, shape: Shape, row: list[bytes]) -> bytes:
    """Returns a row of CSV, with quotes around cells that need them and around some others."""
    quote = shape.quote
    cells = []
    for cell in row:
        if shape.is_lenient and chance(rng, 0.2):
            cell = stray(rng, shape, cell)
        elif not quote:
            for byte in (shape.separator, b"\n", b"\r"):
                cell = cell.replace(byte, b"_")
        elif chance(rng, 0.05) or any(
            byte in cell for byte in (quote, shape.separator, b"\n", b"\r")
        ):
            cell = quote + cell.replace(quote, quote * 2) + quote
        cells.append(cell)
    return shape.separator.join(cells) + shape.end


def stray(rng: Random, shape: Shape, cell: bytes) -> bytes:
    """Returns a cell with quotes that are data: within it, or behind quotes that close early."""
    quote = shape.quote
    for byte in (shape.separator, b"\n", b"\r"):
        cell = cell.replace(byte, b"_")
    place = rng.randint(0, len(cell))
    head, tail = cell[:place], cell[place:]
    if chance(rng, 0.3):
        head = head.replace(quote, quote * 2)
        within = rng.choice((b"", shape.separator, b"\n", quote * 2))
        return quote + head + within + quote + rng.choice((b"", b" ", tail, tail + quote))
    return rng.choice((b"x", b"4", b" ")) + head + quote * rng.randint(1, 3) + tail


def cut(rng: Random, body: bytes, share: float) -> bytes:
    """Returns a record, at times cut off or with more behind it."""
    if not chance(rng, share):
        return body
    return rng.choice((body[: rng.randint(0, len(body))], body + b"tail"))


def keyed(key: bytes, payload: bytes) -> bytes:
    """Returns a record that holds its key."""
    numbers = (4 + len(key) + len(payload), len(key))
    return b"".join(number.to_bytes(4, "little") for number in numbers) + key + payload


def prefixed(name: str, body: bytes) -> bytes:
    """Returns a record behind its length, as the format has it."""
    if name == "rdw":
        return (len(body) + 4).to_bytes(2, "big") + b"\0\0" + body
    width = 2 if name.startswith("u16") else 4
    order = "little" if "le" in name else "big"
    counted = len(body) + (width if name.endswith(":self") else 0)
    return counted.to_bytes(width, order) + body
