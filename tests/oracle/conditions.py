"""Conditions as `--include` and `--exclude` take them."""

from __future__ import annotations

from random import Random

from .data import FURTHER, Column, Table
from .formats import Shape
from .keys import is_binary, place_of, several_fields
from .machine import INTEGERS
from .values import chance

SIGNS = ("==", "!=", "<", "<=", ">", ">=")
TEXTUAL = ("text", "bytes")
BARE = ("int", "decimal", "float", "size", "date", "time", "timestamp")
PATTERNS = ("^a", "b$", "a.*b", "^$", "[0-9]+", "^[ab]*$", "x|y", "a{2,3}")


def draw_condition(rng: Random, shape: Shape, table: Table, depth: int = 0) -> str:
    """Draws a condition; those that are joined of others are up to three deep."""
    if depth < 3 and chance(rng, 0.3):
        one = draw_condition(rng, shape, table, depth + 1)
        if chance(rng, 0.25):
            return f"not ({one})"
        other = draw_condition(rng, shape, table, depth + 1)
        joined = f"{one} {rng.choice(('and', 'or'))} {other}"
        return f"({joined})" if depth else joined
    number = rng.randrange(len(table.columns))
    column = table.columns[number]
    place = several_fields(rng, shape, place_of(rng, shape, table, number))
    if chance(rng, 0.12):
        return f"{place} is {rng.choice(('', 'not '))}empty"
    if column.kind.name in TEXTUAL and chance(rng, 0.6):
        return draw_search(rng, place, column)
    if column.kind.name in INTEGERS and chance(rng, 0.8):
        return f"{place}:{column.kind.name} {rng.choice(SIGNS)} {rng.randint(0, 30)}"
    if column.kind.form and chance(rng, 0.6):
        value = quoted(rng.choice([value for value in column.pool if value] or [b"x"]))
        return f"{place}:{column.kind.name} {rng.choice(SIGNS)} {value}"
    if is_binary(column.kind.name) or column.kind.form:
        return f"{place} {rng.choice(SIGNS)} {quoted(rng.choice(column.pool))}"
    return draw_comparison(rng, place, column)


def draw_search(rng: Random, place: str, column: Column) -> str:
    """Draws a condition on the text of a column."""
    ignoring = rng.choice(("", "", ":ci"))
    if chance(rng, 0.3):
        return f'{place}{ignoring} {rng.choice(("matches", "=~"))} "{rng.choice(PATTERNS)}"'
    value = printable(rng.choice(column.pool))
    start = rng.randint(0, min(3, len(value)))
    part = value[start : start + rng.randint(1, 3)] or b"a"
    verb = rng.choice(("contains", "starts with", "ends with"))
    return f"{place}{ignoring} {verb} {quoted(part)}"


def draw_comparison(rng: Random, place: str, column: Column) -> str:
    """Draws a comparison with one of a column's values, or a value near by."""
    name = column.kind.name
    faulty = column.kind.faulty
    pool = [value for value in column.pool if value and value not in faulty]
    pool = [value for value in pool if not value.endswith(FURTHER)]
    value = rng.choice(pool or [b"1"])
    sign = rng.choice(SIGNS)
    if name == "order":
        return f'{place}:order=low|mid|high|Top {sign} "{rng.choice(("low", "mid", "high"))}"'
    said = "" if name == "bytes" else f":{name}"
    is_sayable = value[:1].isdigit() and value == printable(value)
    is_bare = name in BARE and is_sayable and chance(rng, 0.6)
    return f"{place}{said} {sign} {value.decode() if is_bare else quoted(value)}"


def printable(value: bytes) -> bytes:
    """Returns the printable characters of a value: what a command line can say."""
    return bytes(byte for byte in value[:40] if 32 <= byte < 127)


def quoted(value: bytes) -> str:
    """Returns a value in quotes, with backslashes where they are needed."""
    text = printable(value).decode()
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
