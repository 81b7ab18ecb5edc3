"""Options as keyword arguments: the words that they are for the command."""

from __future__ import annotations

import os

from sortwell import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
    Paths: TypeAlias = Path | Iterable[Path]
    Value: TypeAlias = str | int | float | os.PathLike[str]
    Option: TypeAlias = Value | bool | Iterable[Value] | None


def words(command: str, options: dict[str, Option]) -> list[tuple[str, str | None]]:
    """Returns the names and values of options for a subcommand.

    `True` and `False` are the words "on" and "off" for an option that takes them. `True` sets a
    flag, and `False` leaves it out, as `None` does with each option. Each element of a list or
    another iterable is a value of its own.

    Raises `UsageError` for `True` or `False` where an option takes only other values.
    """
    found: list[tuple[str, str | None]] = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            found.extend(_native.switch_words(command, name, value))
        elif isinstance(value, (str, int, float, os.PathLike)):
            found.append((name, _word(value)))
        else:
            found.extend((name, _word(element)) for element in value)
    return found


def _word(value: Value) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def paths(inputs: Paths) -> list[str]:
    """Returns the names of files."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    return [os.fsdecode(path) for path in inputs]
