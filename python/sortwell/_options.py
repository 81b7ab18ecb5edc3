"""Options as keyword arguments: the words that they are for the command."""

from __future__ import annotations

import operator
import os

from sortwell import _errors, _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import SupportsIndex, TypeAlias

    Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
    Paths: TypeAlias = Path | Iterable[Path]
    Value: TypeAlias = Path | SupportsIndex | float
    Option: TypeAlias = Value | bool | Iterable[Value] | None


def words(command: str, options: dict[str, Option]) -> list[tuple[str, str | None]]:
    """Returns the names and values of options for a subcommand.

    `True` and `False` are the words "on" and "off" for an option that takes them. `True` sets a
    flag, and `False` leaves it out, as `None` does with each option. Each element of a list or
    another iterable is a value of its own.

    Raises `UsageError` for `True` or `False` where an option takes only other values, and for a
    value of another type.
    """
    found: list[tuple[str, str | None]] = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            found.extend(_native.switch_words(command, name, value))
            continue
        elements = _elements(value)
        if elements is None:
            found.append((name, _word(key, value)))
        else:
            found.extend((name, _word(key, element)) for element in elements)
    return found


def _elements(value: object) -> Iterator[object] | None:
    """Returns the elements of an iterable. An array of NumPy without dimensions has none."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return None
    try:
        elements: Iterator[object] = iter(value)  # type: ignore[call-overload]
    except TypeError:
        return None
    return elements


def _word(key: str, value: object) -> str:
    """Returns a value as text."""
    if isinstance(value, str):
        # The text of an enumeration is its name.
        return str.__str__(value)
    if isinstance(value, (bytes, os.PathLike)):
        return os.fsdecode(value)
    number = whole(value)
    if number is not None:
        return str(number)
    if hasattr(value, "__float__"):
        return float.__repr__(float(value))
    kind = type(value).__name__
    kind = "" if value is None or isinstance(value, bool) else f" of type {kind}"
    raise usage(f"{key}= has the value {value!r}{kind}; use texts, paths or numbers")


def whole(value: object) -> int | None:
    """Returns the whole number that an object is, such as a scalar of NumPy, or None."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    if hasattr(value, "__float__"):
        number = float(value)
        return int(number) if number.is_integer() else None
    return None


def usage(message: str) -> BaseException:
    """Returns the exception for a wrong argument."""
    return _errors.make("UsageError", message, 2, None, None, None, None)


def paths(inputs: Paths) -> list[str]:
    """Returns the names of files."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    return [os.fsdecode(path) for path in inputs]
