"""Tables of adversarial values: few distinct ones, long common prefixes, hard orders and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .machine import binary_kind, binary_kinds
from .values import DATED, KINDS, TEXT, Kind, chance, formed_kind

SHORT, SPILLING, EDGE, LARGE, LONG = "short", "spilling", "edge", "large", "long"
EDGES = (4096, 8192, 65536)
PREFIX_REPEATS = (1, 4, 8, 16, 60, 140)
# What follows the blanks after a value that is none because of it.
FURTHER = b'"x'


@dataclass(frozen=True)
class Column:
    """A column of a table; `width` is 0 where its values have any length."""

    name: str
    kind: Kind
    pool: tuple[bytes, ...]
    width: int = 0


@dataclass(frozen=True)
class Layout:
    """How many records a case has at most, and about how much they are together (0: any)."""

    size: str
    most: int
    bytes: int

    def count(self, average: float) -> int:
        """Returns how many records of this average length there are."""
        if not self.bytes:
            return self.most
        return min(self.most, int(self.bytes / max(1, average)) + 1)


@dataclass
class Table:
    """Columns, and rows that hold a value of each; few rows where values are long."""

    columns: list[Column]
    rows: list[list[bytes]]
    is_long: bool = False


def draw_layout(rng: Random, size: str) -> Layout:
    """Draws how many records there are."""
    if size == SHORT:
        counts = (0, 1, 1, 2, 2, 3, rng.randint(4, 20), rng.randint(20, 200))
        return Layout(size, rng.choice(counts), 0)
    if size == LONG:
        return Layout(size, rng.randint(2, 20), 0)
    if size == EDGE:
        return Layout(size, 6000, rng.choice(EDGES))
    if size == LARGE:
        return Layout(size, 20_000, 3 << 20)
    return Layout(size, 6000, rng.randint(40_000, 80_000))


def pool_of(rng: Random, kind: Kind, is_faulty: bool) -> tuple[bytes, ...]:
    """Draws the distinct values of a column, few or many of them."""
    count = rng.choice((1, 2, 3, 8, 30, 200))
    values = [rng.choice(kind.edges) for _ in range(min(count, 6)) if kind.edges]
    values += [kind.draw(rng) for _ in range(max(1, count - len(values)))]
    if is_faulty and kind.faulty:
        values += [draw_faulty(rng, kind) for _ in range(rng.randint(1, 3))]
    return tuple(values)


def draw_faulty(rng: Random, kind: Kind) -> bytes:
    """Draws a text that is no value of a type, or a value with more text after blanks.

    In a table, the quote in that text is doubled, so that the cell does not stand as it is read.
    """
    if chance(rng, 0.8):
        return rng.choice(kind.faulty)
    return rng.choice(kind.edges or (kind.draw(rng),)) + rng.choice((b" ", b"   ")) + FURTHER


def draw_long_prefix(rng: Random) -> bytes:
    """Draws what records with equal first bytes of up to megabytes begin with."""
    return rng.choice((b"a", b"xy", b"aB c", b"x1", b"\xfe")) * rng.randint(50_000, 500_000)


def draw_long_column(rng: Random, name: str) -> Column:
    """Draws a column of texts with equal first bytes of up to megabytes."""
    prefix = draw_long_prefix(rng)
    values = pool_of(rng, TEXT, False)[: rng.choice((1, 3, 8))]
    longs = [prefix[: rng.choice((-1, len(prefix)))] + value for value in values]
    return Column(name, TEXT, tuple(longs))


def draw_columns(rng: Random, count: int, has_long: bool) -> list[Column]:
    """Draws columns of text of any length, each with values of one type."""
    columns = []
    for number in range(count):
        kind = rng.choice((TEXT, KINDS["int"], *KINDS.values(), *KINDS.values()))
        if kind.name in DATED and chance(rng, 0.3):
            kind = formed_kind(rng)
        pool = list(pool_of(rng, kind, chance(rng, 0.12)))
        if kind.name in ("text", "bytes", "natural") and chance(rng, 0.25):
            prefix = rng.choice((b"a", b"ab", b"\xff", b"x1")) * rng.choice(PREFIX_REPEATS)
            pool = [prefix + value for value in pool]
        if has_long and number == count - 1:
            longer = rng.choice((b"a", b"xy", b"\xfe")) * rng.randint(500, 20_000)
            pool += [longer + value for value in pool[:2]]
        if chance(rng, 0.1):
            pool.append(b"")
        if kind.name in ("text", "int", "decimal") and chance(rng, 0.05):
            pool += [b" " + pool[0], pool[0] + b"  ", b"\t" + pool[-1]]
        columns.append(Column(f"c{number + 1}", kind, tuple(pool)))
    return columns


def draw_fields(rng: Random, length: int) -> list[Column]:
    """Draws columns that take up exactly `length` bytes, of binary types and of padded text."""
    columns: list[Column] = []
    left = length
    while left > 0:
        most = min(left, rng.choice((1, 2, 4, 8, 8, 16, 20, 40)))
        width = left if len(columns) == 5 else rng.randint(max(1, most // 2), most)
        if width in (3, 5, 6, 7) and chance(rng, 0.4):
            width = 2 if width == 3 else 4
        names = binary_kinds(width)
        if width <= 16 and chance(rng, 0.65):
            kind = binary_kind(rng.choice(names), width)
            pool = pool_of(rng, kind, chance(rng, 0.12))
        else:
            kind, pool = draw_padded(rng, width)
        columns.append(Column(f"c{len(columns) + 1}", kind, pool, width))
        left -= width
    return columns


def draw_padded(rng: Random, width: int) -> tuple[Kind, tuple[bytes, ...]]:
    """Draws a type of text, and values of it that fill `width` bytes."""
    kind = rng.choice((TEXT, *KINDS.values()))
    values = pool_of(rng, kind, chance(rng, 0.12))
    fitting = [value for value in values if len(value) == width]
    if kind.name not in ("text", "bytes", "random", "natural") and len(fitting) >= 1:
        return kind, tuple(fitting)
    fill = rng.choice((b" ", b" ", b"0", b"\x00"))
    if kind.name in ("int", "decimal", "float"):
        return kind, tuple(value[:width].rjust(width, b"0") for value in values)
    return kind, tuple(value[:width].ljust(width, fill) for value in values)


def draw_rows(rng: Random, columns: list[Column], count: int) -> list[list[bytes]]:
    """Draws rows, in an order that is hard for some sort."""
    rows = [[rng.choice(column.pool) for column in columns] for _ in range(count)]
    order = rng.choice(("random", "random", "sorted", "reversed", "sawtooth", "pipe", "nearly"))
    if order == "random":
        return rows
    rows.sort()
    if order == "reversed":
        rows.reverse()
    elif order == "sawtooth":
        teeth = rng.randint(2, 40)
        rows = [row for tooth in range(teeth) for row in rows[tooth::teeth]]
    elif order == "pipe":
        rows = rows[::2] + rows[1::2][::-1]
    elif order == "nearly" and rows:
        for _ in range(max(1, count // 50)):
            one, other = rng.randrange(count), rng.randrange(count)
            rows[one], rows[other] = rows[other], rows[one]
    return rows
