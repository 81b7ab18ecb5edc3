"""Keys over the columns of a table, of the types of their values and, at times, of others."""

from __future__ import annotations

from random import Random

from .data import Column, Table
from .formats import Shape
from .machine import binary_kinds
from .values import CASED, DATED, KINDS, LEVELS, chance

TEXT_TYPES = tuple(KINDS)
MACHINE_ONLY = ("packed", "zoned", "sequence")
BINARY = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64")


def place_of(rng: Random, shape: Shape, table: Table, number: int) -> str:
    """Returns how a key names a column of the table."""
    column = table.columns[number]
    if shape.family in ("fixed", "prefixed"):
        start = sum(column.width for column in table.columns[:number])
        end = start + column.width
        is_last = number == len(table.columns) - 1
        is_open = is_last and not column.kind.name.startswith(BINARY) and chance(rng, 0.2)
        return f"{start}.." if is_open else f"{start}..{end}"
    if shape.family == "json":
        return json_path(rng, shape, column)
    if shape.has_names and chance(rng, 0.5):
        return named(column.name)
    if shape.group:
        line = shape.lines[number]
        if shape.is_alone(number) and chance(rng, 0.7):
            return str(line)
        return f"{line}.{number + 1 - shape.lines.index(line)}"
    return str(number + 1)


def json_path(rng: Random, shape: Shape, column: Column) -> str:
    """Returns the path to a column's value in lines of JSON, at times one that leads nowhere."""
    steps = [*shape.nest, column.name]
    if chance(rng, 0.03):
        steps.append("0")
    is_pointer = chance(rng, 0.25) or "." in column.name
    path = "".join("/" + step for step in steps) if is_pointer else ".".join(steps)
    letters = path.replace(".", "")
    return path if letters.isalnum() and not letters.isdigit() else named(path)


def named(name: str) -> str:
    """Returns a column's name as keys have it, in quotes where it may be misread."""
    quoted = '"' + name.replace('"', '""') + '"'
    return name if name.isalnum() and not name.isdigit() else quoted


def several_fields(rng: Random, shape: Shape, place: str) -> str:
    """Returns the place of a field of lines, or now and then that and some fields behind it."""
    if shape.family != "lines" or not chance(rng, 0.12):
        return place
    first = int(place.split(".")[-1])
    return f"{place}-{rng.choice(('', first + 1, first + 2))}"


def is_binary(name: str) -> bool:
    """Returns whether a type means bytes that lines and rows cannot hold."""
    return name.startswith((*MACHINE_ONLY, *BINARY, "ebcdic"))


def type_of(rng: Random, shape: Shape, column: Column) -> str:
    """Returns a type for a column: mostly that of its values."""
    if chance(rng, 0.8):
        return column.kind.name
    if shape.family in ("fixed", "prefixed") and chance(rng, 0.5):
        return rng.choice(binary_kinds(column.width))
    return rng.choice(("text", "bytes", rng.choice(TEXT_TYPES)))


def excerpt(rng: Random, place: str, column: Column) -> str:
    """Returns the place of some of a column's bytes."""
    if ".." in place:
        start = int(place.split("..")[0])
        first = rng.randint(0, column.width - 1)
        return f"{start + first}..{start + rng.randint(first + 1, column.width)}"
    start = rng.choice((0, 0, 1, 3))
    return f"{place}[{start}..{start + rng.choice((1, 2, 4, 8, 300))}]"


def typed(rng: Random, name: str, files: dict[str, bytes]) -> str:
    """Returns a type with what it needs: the values of `order`, and the files that keys name."""
    if name == "order":
        levels = list(LEVELS)
        rng.shuffle(levels)
        levels = levels[: rng.choice((2, 4, 6, 6))]
        if chance(rng, 0.5) or any(b" " in level for level in levels):
            files["levels"] = b"".join(level + b"\n" for level in levels)
            return "order=@levels"
        return "order=" + "|".join(level.decode() for level in levels)
    if name == "sequence":
        table = list(range(256))
        rng.shuffle(table)
        if chance(rng, 0.4):
            table = [value // 16 for value in table]
        files["table"] = bytes(table)
        return "sequence=table"
    return name


def draw_key(rng: Random, shape: Shape, table: Table, files: dict[str, bytes]) -> str:
    """Draws a key, and puts the files that it names among `files`."""
    if shape.family in ("lines", "csv", "json") and chance(rng, 0.12):
        start = rng.choice((0, 0, 1, 5))
        place = rng.choice((f"{start}..{start + rng.choice((1, 4, 10))}", f"{start}..", ".."))
        name = rng.choice(("bytes", "text", "natural", rng.choice(TEXT_TYPES)))
    else:
        number = rng.randrange(len(table.columns))
        column = table.columns[number]
        place = several_fields(rng, shape, place_of(rng, shape, table, number))
        name = type_of(rng, shape, column)
        if not is_binary(name) and chance(rng, 0.02 if shape.family == "json" else 0.12):
            place = excerpt(rng, place, column)
    words = [place]
    if name != "bytes" or chance(rng, 0.3):
        words.append(typed(rng, name, files))
    return ":".join(words + modifiers(rng, shape, name))


def modifiers(rng: Random, shape: Shape, name: str) -> list[str]:
    """Draws what is said of a key besides its place and type."""
    said = ["desc"] if chance(rng, 0.3) else []
    if (name in CASED or name.startswith(("ebcdic", "sequence"))) and chance(rng, 0.2):
        said.append("ci")
    if not name.startswith(("packed", "zoned", *BINARY)) and chance(rng, 0.15):
        said.append("trim")
    if chance(rng, 0.12):
        said.append(rng.choice(("nulls-first", "nulls-last")))
    if shape.family == "prefixed" and chance(rng, 0.15):
        said.append(f"pad={rng.choice((0, 32, 255))}")
    if name == "text" and chance(rng, 0.01):
        # Keys of the second one are compared in another way.
        said.append(rng.choice(("locale=de", "locale=fr-CA")))
    rng.shuffle(said)
    return said


def draw_keys(
    rng: Random, shape: Shape, table: Table, files: dict[str, bytes]
) -> list[tuple[str, ...]]:
    """Draws up to four keys, and what is said of all of them."""
    count = rng.choice((0, 1, 1, 1, 1, 2, 2, 3, 4))
    keys = [draw_key(rng, shape, table, files) for _ in range(count)]
    options: list[tuple[str, ...]] = [("-k", key) for key in keys]
    if chance(rng, 0.12):
        options.append(("-r",))
    is_checked = any(":" in key and "bytes" not in key and "text" not in key for key in keys)
    if is_checked and chance(rng, 0.6):
        options.append(("--invalid", rng.choice(("last", "first", "last", "first", "error"))))
    if shape.family == "prefixed" and keys and chance(rng, 0.6):
        options.append(("--pad", rng.choice(("0", "32", "0x40", "x", "255"))))
    forms = [column.kind.form for column in table.columns if column.kind.form]
    if forms and DATED & {word for key in keys for word in key.split(":")[1:]}:
        options.append(("--date-format", forms[0]))
    is_shuffle = any("random" in key.split(":") for key in keys)
    if chance(rng, 0.5 if is_shuffle else 0.01):
        options.append(("--random-seed", str(rng.choice((0, 1, 7, 2**64 - 1)))))
    return options
