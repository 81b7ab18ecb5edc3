"""Draws whole cases. Case k of seed S depends on S, k and the model alone.

The model has a part in `merge` and `check`: their inputs have to be sorted, and it sorts them.
"""

from __future__ import annotations

import re
from random import Random

from .case import Case
from .circumstances import Traits, draw_circumstances
from .data import EDGE, LARGE, LONG, SHORT, SPILLING, Table, draw_layout
from .formats import Shape, draw_shape, draw_table, encode, scatter
from .keys import draw_keys, is_binary
from .model import Job, Unspecified, expected
from .model.headers import MARK
from .operators import Operators, draw_header, draw_operators
from .records import split_records
from .values import DATED, chance

SIZES = (SHORT,) * 30 + (SPILLING,) * 66 + (EDGE,) * 4
RARE = (LARGE, LONG)


def draw_case(seed: int, number: int) -> Case:
    """Returns a case of a seed."""
    rng = Random(f"{seed}/{number}")
    command = rng.choice(("sort",) * 17 + ("merge", "merge", "check"))
    size = rng.choice(RARE) if chance(rng, 0.008) else rng.choice(SIZES)
    layout = draw_layout(rng, size)
    shape = draw_shape(rng)
    table = draw_table(rng, shape, layout)
    files: dict[str, bytes] = {}
    keys = draw_keys(rng, shape, table, files)
    operators = Operators()
    if command != "check":
        operators = draw_operators(rng, shape, table, keys, command)
        said = [word for option in operators.options for word in option]
        keys += date_format(rng, table, keys, said)
    elif chance(rng, 0.2):
        operators.add("--unique", "-u")
    if command != "check" and chance(rng, 0.08):
        lead_groups(rng, keys, operators)
    records = encode(rng, shape, table)
    if size == EDGE and shape.family == "lines" and not shape.group and records:
        records = fit(rng, records, layout.bytes, shape.end)
    draw_header(rng, shape, records, operators)
    options = [*shape.options, *keys]
    inputs = deal(rng, shape, records, command)
    if command != "sort" and chance(rng, 0.95):
        # Lines above groups of lines are no records, and no row with names.
        tops = len(shape.top) if shape.group else 0
        inputs = [[*part[:tops], *presorted(shape, options, files, part[tops:])] for part in inputs]
        if command == "check" and chance(rng, 0.5):
            inputs = [disturbed(rng, part, len(shape.top)) for part in inputs]
    if shape.unites:
        # Of a merge the first input says the order in which all are sorted.
        fixed = 1 if command != "sort" else 0
        moved = [scatter(rng, shape, part, bool(fixed)) for part in inputs[fixed:]]
        inputs = [*inputs[:fixed], *moved]
    inputs = [cut_end(rng, shape, part) for part in inputs]
    if shape.is_marked:
        inputs = [marked(rng, part) for part in inputs]
    traits = Traits(
        command=command,
        size=size,
        inputs=len(inputs),
        is_split=operators.are_split,
        unites=shape.unites,
        is_in_place=command == "sort" and not operators.options and is_sure(shape, keys),
    )
    return Case(
        command,
        (*options, *operators.options),
        tuple(map(tuple, inputs)),
        tuple(sorted(files.items())),
        len(shape.top),
        draw_circumstances(rng, traits),
        tags_of(command, size, shape, keys, operators),
    )


def lead_groups(rng: Random, keys: list[tuple[str, ...]], operators: Operators) -> None:
    """Makes the first keys those of --unique-by."""
    places = [place for place, option in enumerate(keys) if option[0] == "-k"]
    for place in places[: rng.choice((1, 1, 2))]:
        keys[place] = ("--unique-by", keys[place][1])
        operators.names.append("--unique-by")


def date_format(
    rng: Random, table: Table, keys: list[tuple[str, ...]], conditions: list[str]
) -> list[tuple[str, ...]]:
    """Returns the --date-format that operators need, unless keys have one; at times none."""
    forms = [column.kind.form for column in table.columns if column.kind.form]
    types = "|".join(sorted(DATED))
    is_wanted = forms and any(re.search(rf":({types})\b", text) for text in conditions)
    is_said = any(option[0] == "--date-format" for option in keys)
    return [("--date-format", forms[0])] if is_wanted and not is_said and chance(rng, 0.9) else []


def fit(rng: Random, records: list[bytes], total: int, end: bytes) -> list[bytes]:
    """Returns lines that are as long together as a block, or one byte shorter or longer."""
    total += rng.choice((-1, 0, 1))
    while records and sum(map(len, records)) + 1 > total:
        records.pop()
    missing = total - sum(map(len, records)) - 1
    return [*records, b"x" * missing + end]


def deal(rng: Random, shape: Shape, records: list[bytes], command: str) -> list[list[bytes]]:
    """Deals records out to several inputs, some of them empty."""
    count = rng.choice((1, 1, 1, 2, 3, 5) if command == "sort" else (1, 2, 3, 5))
    ends = sorted(rng.choice((0, len(records), rng.randint(0, len(records)))) for _ in range(count))
    inputs = []
    for start, end in zip([0, *ends], [*ends[:-1], len(records)]):
        part = records[start:end]
        is_bare = not part and chance(rng, 0.3)
        inputs.append(part if is_bare else [*shape.top, *part])
    if shape.top and len(inputs) > 1 and chance(rng, 0.02) and inputs[-1]:
        inputs[-1][0] = b"other" + shape.separator + inputs[-1][0]
    return inputs


def marked(rng: Random, records: list[bytes]) -> list[bytes]:
    """Returns an input with a byte order mark above its rows, at times without one."""
    if chance(rng, 0.3):
        return records
    first, *others = records or [b""]
    return [MARK + first, *others]


def presorted(
    shape: Shape, options: list[tuple[str, ...]], files: dict[str, bytes], records: list[bytes]
) -> list[bytes]:
    """Returns records in the order that the model gives them."""
    # Rows that the command is to leave out stay in its inputs.
    kept = [
        ("--ragged", "keep") if option == ("--ragged", "drop") else option for option in options
    ]
    # Those that are combined are still apart.
    groups = [("-k", option[1]) for option in kept if option[0] == "--unique-by"]
    kept = groups + [option for option in kept if option[0] != "--unique-by"]
    words = tuple(word for option in kept for word in option)
    try:
        outcome = expected(Job("sort", words, (b"".join(records),), tuple(sorted(files.items()))))
    except Unspecified:
        return records
    return split_records(shape, outcome.outputs[""]) if outcome.status == 0 else records


def disturbed(rng: Random, records: list[bytes], tops: int) -> list[bytes]:
    """Returns records of which one has another place."""
    if len(records) <= tops:
        return records
    moved = list(records)
    record = moved.pop(rng.randrange(tops, len(moved)))
    moved.insert(rng.randint(tops, len(moved)), record)
    return moved


def cut_end(rng: Random, shape: Shape, records: list[bytes]) -> list[bytes]:
    """Returns records of which the last has lost its end, or is cut off where that is a fault."""
    if not records or not chance(rng, 0.25 if shape.end else 0.01):
        return records
    last = records[-1][: -len(shape.end)] if shape.end else records[-1][:-1]
    if shape.group > 1 and chance(rng, 0.1):
        last = last[: last.rfind(shape.end, 0, -1) + 1] if chance(rng, 0.5) else b""
    return [*records[:-1], last]


def is_sure(shape: Shape, keys: list[tuple[str, ...]]) -> bool:
    """Returns whether every record has the keys, so that the job can be done in place."""
    if shape.family not in ("lines", "fixed") or shape.group:
        return False
    return all(is_sure_key(shape, option) for option in keys)


def is_sure_key(shape: Shape, option: tuple[str, ...]) -> bool:
    """Returns whether every record has a value of this key."""
    if option[0] != "-k":
        return option[0] == "-r"
    words = option[1].split(":")
    if any(word.startswith("locale") for word in words):
        return False
    if shape.family == "fixed" and is_binary(words[-1]):
        return words[-1][0] in "uif"
    kinds = ("bytes", "desc") if shape.family == "fixed" else ("bytes", "text", "natural", "desc")
    return len(words) == 1 or words[1] in kinds


def tags_of(
    command: str, size: str, shape: Shape, keys: list[tuple[str, ...]], operators: Operators
) -> tuple[str, ...]:
    """Returns what the coverage counts of a case."""
    tags = [f"command {command}", f"size {size}", f"format {shape.name.split(':')[0]}"]
    if shape.group:
        tags.append("format lines:group")
    tags.append(f"keys {sum(option[0] == '-k' for option in keys)}")
    for option in keys:
        if option[0] != "-k":
            tags.append(f"option {option[0]}")
            continue
        words = option[1].replace('"a:b"', "").split(":")[1:]
        known = [word.split("=@")[0].split("=low")[0] for word in words]
        tags += [f"key {word.split('|')[0] if 'order' in word else word}" for word in known]
        if not words:
            tags.append("key untyped")
    tags += [f"operator {name}" for name in operators.names]
    shown = ("--ragged", "--union-by-name")
    tags += [f"option {' '.join(option)}" for option in shape.options if option[0] in shown]
    tags += ["format with a byte order mark"] * shape.is_marked
    return tuple(dict.fromkeys(tags))
