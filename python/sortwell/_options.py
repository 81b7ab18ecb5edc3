"""Options as keyword arguments: the words that they are for the command."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
    Paths: TypeAlias = Path | Iterable[Path]
    Value: TypeAlias = str | int | float | os.PathLike[str]
    Option: TypeAlias = Value | bool | Iterable[Value] | None


def words(options: dict[str, Option]) -> list[tuple[str, str | None]]:
    """Returns the names and values of options.

    `True` is a flag without a value; `False` and `None` leave the option out. Each element of a
    list or another iterable is a value of its own.
    """
    found: list[tuple[str, str | None]] = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            found.append((name, None))
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
