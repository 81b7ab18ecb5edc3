"""Options that say what is made of sorted records, and in which files it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from .conditions import draw_condition
from .data import Table
from .formats import Shape
from .keys import named, place_of
from .machine import INTEGERS, ZONED
from .values import LEVELS, chance

Options = list[tuple[str, ...]]
STYLED = ("decimal:decimal=,:thousands=.:currency", "thousands=,", "int:thousands=.")
NUMERIC = ("int", "decimal", *STYLED)


@dataclass
class Operators:
    """Options, and what they are called in the coverage."""

    options: Options = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, name: str, *words: str) -> None:
        """Adds an option."""
        self.options.append(words)
        self.names.append(name)

    @property
    def are_split(self) -> bool:
        """Says whether there are several output files."""
        return any(name in self.names for name in ("--split", "--split-by"))


def plain_place(shape: Shape, table: Table, rng: Random, number: int) -> str:
    """Returns how operators name a column."""
    if shape.group:
        return str(shape.lines[number]) if chance(rng, 0.98) else f"{shape.lines[number]}.1"
    column = table.columns[number]
    if shape.has_names and chance(rng, 0.5):
        return named(column.name)
    return place_of(rng, Shape(shape.name, shape.family), table, number)


def draw_operators(
    rng: Random, shape: Shape, table: Table, keys: Options, command: str
) -> Operators:
    """Draws what is made of the sorted records; it may change the first key for `--split-by`.

    A merge has one output of all records.
    """
    chosen = Operators()
    draw_grouping(rng, shape, table, chosen)
    draw_range(rng, table, chosen)
    has_places = shape.family in ("fixed", "prefixed") and shape.name != "keyed"
    has_fields = shape.group or shape.separator or has_places
    if chance(rng, 0.1) and has_fields:
        numbers = [rng.randrange(len(table.columns)) for _ in range(rng.randint(1, 4))]
        places = ",".join(plain_place(shape, table, rng, number) for number in numbers)
        chosen.add("--select", "--select", places)
    if command == "merge":
        return chosen
    is_grouping = any(name not in ("--skip", "--limit", "--select") for name in chosen.names)
    if chance(rng, 0.06) and (not is_grouping or chance(rng, 0.05)):
        chosen.add("--split", "--split", str(rng.choice((1, 2, 3, 5))))
    elif chance(rng, 0.05) and has_fields:
        number = rng.randrange(len(table.columns))
        place = plain_place(shape, table, rng, number)
        keys[:] = [key for key in keys if key[0] != "-k" or chance(rng, 0.5)]
        keys.insert(0, ("-k", place + rng.choice(("", "", ":desc"))))
        chosen.add("--split-by", "--split-by", place)
    for name in ("--include", "--exclude"):
        while chance(rng, 0.09):
            chosen.add(name, name, draw_condition(rng, shape, table))
    return chosen


def draw_header(rng: Random, shape: Shape, records: list[bytes], chosen: Operators) -> None:
    """Draws which lines at the top of each input are its header."""
    if shape.group and shape.top:
        word = rng.choice((str(len(shape.top)),) * 5 + ("#", "#", "#", "1"))
        chosen.add("--header of groups", "--header", word)
        return
    if shape.family != "lines" or not chance(rng, 0.02 if shape.group else 0.1):
        return
    start = records[0][:1].decode("ascii", "replace") if records else "#"
    if chance(rng, 0.5) and start.isprintable() and start.isascii() and start.encode() != shape.end:
        chosen.add("--header=PREFIX", "--header=prefix:" + start)
    else:
        chosen.add("--header", "--header", str(rng.choice((0, 1, 1, 2, 3))))


def draw_grouping(rng: Random, shape: Shape, table: Table, chosen: Operators) -> None:
    """Draws what makes one record of those with equal keys."""
    if chance(rng, 0.16):
        word = rng.choice(("-u", "--unique", "--unique=first", "--unique=last", "--unique=last"))
        if chance(rng, 0.1):
            word = "--unique=error"
        chosen.add("--unique=" + (word.split("=")[1:] or ["first"])[0], word)
    if shape.family != "json" and chance(rng, 0.08):
        chosen.add("--count", "--count")
    if chance(rng, 0.14):
        for _ in range(rng.choice((1, 1, 2))):
            draw_fold(rng, shape, table, chosen)
    if chance(rng, 0.25 if chosen.options else 0.005):
        chosen.add("--having", "--having", draw_having(rng, shape, table))


def draw_having(rng: Random, shape: Shape, table: Table) -> str:
    """Draws a condition on groups."""
    count = f"count {rng.choice(('>', '>=', '==', '<', '!='))} {rng.choice((1, 1, 2, 3))}"
    if chance(rng, 0.5):
        return count
    other = draw_condition(rng, shape, table, 2)
    return rng.choice((other, f"{count} and {other}", f"{other} or not {count}"))


def draw_fold(rng: Random, shape: Shape, table: Table, chosen: Operators) -> None:
    """Draws a sum, or a least or greatest value, of a column that has such values."""
    option = rng.choice(("--sum", "--min", "--max"))
    columns = table.columns
    numbers = list(range(len(columns)))
    is_text = shape.family in ("lines", "csv")
    if option == "--sum":
        names = NUMERIC if is_text else (*INTEGERS, "packed")
        zoned = () if is_text else ZONED
        numbers = [
            number
            for number in numbers
            if columns[number].kind.name in names or columns[number].kind.name.startswith(zoned)
        ]
    if shape.group:
        numbers = [number for number in numbers if shape.is_alone(number)]
    if not numbers or (shape.family == "lines" and not (shape.separator or shape.group)):
        return
    number = rng.choice(numbers)
    place = plain_place(shape, table, rng, number)
    name = type_of_value(rng, columns[number].kind.name)
    is_said = not is_text or name != "decimal" or chance(rng, 0.3)
    chosen.add(option, option, f"{place}:{name}" if is_said else place)
    chosen.names.append(f"{option} {columns[number].kind.name}")


def type_of_value(rng: Random, name: str) -> str:
    """Returns the type of a column's values, at times with modifiers, as operators name it."""
    if name == "order":
        levels = [level.decode() for level in LEVELS if b" " not in level]
        rng.shuffle(levels)
        name = "order=" + "|".join(levels)
    if name == "sequence" or name == "random":
        name = "bytes"
    if name in ("text", "bytes", "natural", "version") and chance(rng, 0.25):
        return f"{name}:ci"
    if name == "text" and chance(rng, 0.2):
        return rng.choice(("text:locale=de", "text:trim"))
    if chance(rng, 0.01):
        return rng.choice((f"{name}:desc", "random", "u32le", "packed"))
    return name


def draw_range(rng: Random, table: Table, chosen: Operators) -> None:
    """Draws which of the sorted records are written."""
    count = len(table.rows)
    counts = (0, 1, 2, count // 2, max(0, count - 1), count, count + 1, rng.randint(0, 50))
    if chance(rng, 0.07):
        chosen.add("--skip", "--skip", str(rng.choice(counts)))
    if chance(rng, 0.11):
        chosen.add("--limit", "--limit", str(rng.choice(counts)))
