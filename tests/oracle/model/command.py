"""The command line: which options each command has, and what their values are.

Values that need a grammar of their own (keys, places, expressions) stay text here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .errors import Unspecified, UsageError

LONG = {
    "-F": "--format",
    "-k": "--key",
    "-t": "--separator",
    "-r": "--reverse",
    "-u": "--unique",
    "-q": "--quiet",
}
SHARED_VALUES = {
    "--header",
    "--format",
    "--quote",
    "--ragged",
    "--key",
    "--separator",
    "--invalid",
    "--date-format",
    "--random-seed",
    "--pad",
}
SELECTION_VALUES = {
    "--unique-by",
    "--skip",
    "--limit",
    "--sum",
    "--min",
    "--max",
    "--select",
    "--having",
}
SORT_VALUES = SELECTION_VALUES | {"--include", "--exclude", "--split", "--split-by"}
VALUES = {
    "sort": SHARED_VALUES | SORT_VALUES,
    "merge": SHARED_VALUES | SELECTION_VALUES,
    "check": SHARED_VALUES,
}
SHARED_FLAGS = {"--no-header", "--reverse", "--union-by-name"}
FLAGS = {
    "sort": SHARED_FLAGS | {"--count"},
    "merge": SHARED_FLAGS | {"--count", "--check"},
    "check": SHARED_FLAGS | {"--unique", "--quiet"},
}
REPEATABLE = {
    "--key",
    "--unique-by",
    "--include",
    "--exclude",
    "--having",
    "--sum",
    "--min",
    "--max",
}


@dataclass
class Options:
    """The options of one job, as text where they have a grammar of their own."""

    command: str
    format: str = "lines"
    quote: str | None = None
    no_header: bool = False
    ragged: str | None = None
    union_by_name: bool = False
    keys: list[str] = field(default_factory=list)
    separator: str | None = None
    invalid: str | None = None
    date_format: str | None = None
    random_seed: str | None = None
    pad: str | None = None
    reverse: bool = False
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    unique: str | None = None
    skip: int | None = None
    limit: int | None = None
    unique_by: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)
    count: bool = False
    aggregates: list[tuple[str, str]] = field(default_factory=list)
    select: str | None = None
    split: int | None = None
    split_by: str | None = None
    header: str | None = None
    check: bool = False
    quiet: bool = False

    @property
    def order(self) -> list[str]:
        """Returns the keys of the order: as if those of --unique-by "stood before" the others."""
        return [*self.unique_by, *self.keys]

    @property
    def groups(self) -> bool:
        """Returns whether one record is made of those with equal keys."""
        return bool(self.unique or self.unique_by or self.count or self.aggregates)


def parse_arguments(command: str, arguments: tuple[str, ...]) -> Options:
    """Reads the command line of `command`; raises UsageError for what it does not have."""
    if command not in VALUES:
        raise UsageError(f"no command '{command}'")
    options = Options(command)
    seen: set[str] = set()
    for name, value in split_arguments(command, arguments):
        if name in seen and name not in REPEATABLE:
            raise Unspecified(f"{name} given twice")
        seen.add(name)
        set_option(options, name, value)
    check_conflicts(options)
    return options


def split_arguments(command: str, arguments: tuple[str, ...]) -> list[tuple[str, str | None]]:
    """Splits arguments into options and their values, short options in groups too."""
    found: list[tuple[str, str | None]] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument.startswith("--"):
            name, equals, value = argument.partition("=")
            found.append(take_long(command, name, value if equals else None, rest))
        elif argument.startswith("-") and len(argument) > 1:
            found.extend(take_short(command, argument[1:], rest))
        else:
            raise UsageError(f"'{argument}' is an input")
    return found


def take_long(
    command: str, name: str, value: str | None, rest: list[str]
) -> tuple[str, str | None]:
    """Returns a long option with its value, taken from `rest` if it is not in the argument."""
    if name in VALUES[command]:
        return name, take_value(name, rest) if value is None else value
    if command != "check" and name == "--unique":
        return name, "first" if value is None else value
    if name in FLAGS[command] and value is None:
        return name, None
    raise UsageError(f"{command} has no {name} of this form")


def take_short(command: str, letters: str, rest: list[str]) -> list[tuple[str, str | None]]:
    """Returns the options of a group of letters; the last may have a value."""
    found = []
    while letters:
        name = LONG.get("-" + letters[0], "-" + letters[0])
        letters = letters[1:]
        if name in VALUES[command]:
            value = letters.removeprefix("=") if letters else take_value(name, rest)
            return [*found, (name, value)]
        if letters.startswith("="):
            return [*found, take_long(command, name, letters[1:], rest)]
        found.append(take_long(command, name, None, rest))
    return found


def take_value(name: str, rest: list[str]) -> str:
    """Takes the next argument as the value of an option."""
    if not rest:
        raise UsageError(f"{name} needs a value")
    if rest[0].startswith("-") and rest[0] != "-":
        raise Unspecified(f"a value of {name} that begins with '-'")
    return rest.pop(0)


def set_option(options: Options, name: str, value: str | None) -> None:
    """Stores one option; checks values that are words of a list or numbers."""
    choices = {
        "--ragged": ("error", "keep", "drop"),
        "--invalid": ("error", "last", "first"),
        "--unique": (None, "first", "last", "error"),
    }
    if name in choices and value not in choices[name]:
        raise UsageError(f"{name} {value}")
    attribute = name.removeprefix("--").replace("-", "_")
    if name in ("--include", "--exclude", "--having", "--unique-by"):
        getattr(options, attribute).append(value)
    elif name == "--key":
        options.keys.append(value or "")
    elif name in ("--sum", "--min", "--max"):
        options.aggregates.append((attribute, value or ""))
    elif name in ("--skip", "--limit", "--split"):
        setattr(options, attribute, parse_count(name, value or ""))
    elif name == "--unique":
        options.unique = value or "first"
    else:
        setattr(options, attribute, True if value is None else value)


def parse_count(name: str, text: str) -> int:
    """Reads a number of records or lines."""
    if not re.fullmatch(r"[0-9]+", text):
        raise UsageError(f"{name} {text}: not a number")
    if int(text) >= 1 << 63:
        raise Unspecified(f"{name} {text}: how large it may be")
    return int(text)


def check_conflicts(options: Options) -> None:
    """Refuses options that do not go together."""
    if options.split is not None:
        # "Not with options that make one record of equal ones."
        if options.groups or options.split_by is not None or options.split == 0:
            raise UsageError("--split with what it does not go with")
        if options.split > 1000:
            raise Unspecified("how many files --split may make")
    if options.having and not options.groups:
        raise UsageError("--having without options that make one record of equal ones")
    if options.unique == "error" and options.having:
        raise Unspecified("--having with --unique=error")
    if options.unique == "error" and (options.count or options.aggregates):
        raise Unspecified("--unique=error with options that make one record of equal ones")


def parse_byte(text: str) -> int:
    """Reads a byte "as a number (0, 64, 0x40) or as itself"."""
    if re.fullmatch(r"[0-9]+", text):
        number = int(text)
    elif re.fullmatch(r"0x[0-9a-fA-F]+", text):
        number = int(text, 16)
    elif len(text) == 1 and ord(text) < 128:
        number = ord(text)
    else:
        raise UsageError(f"'{text}' is no byte")
    if number > 255:
        raise UsageError(f"{text} is no byte")
    return number


def parse_delimiter(text: str, what: str) -> int:
    """Reads the byte of --separator or --quote: one byte, as itself, or `tab`."""
    if text == "tab" and what == "separator":
        return 9
    if text.isdigit() or text.startswith(("0x", "\\")):
        raise Unspecified(f"whether --{what} {text} is a number or the sign itself")
    if len(text) != 1 or ord(text) >= 128:
        raise UsageError(f"--{what} '{text}': not one byte")
    if text in "\n\r":
        raise Unspecified(f"a line end as --{what}")
    return ord(text)
