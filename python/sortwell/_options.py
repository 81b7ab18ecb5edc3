"""Options as keyword arguments: the words that they are for the command."""

from __future__ import annotations

import operator
import os

from sortwell import _errors, _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, SupportsIndex, TypeAlias

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
        truth = as_bool(value)
        if truth is not None:
            found.extend(_native.switch_words(command, name, truth))
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
        return digits(number, f"{key}=")
    fraction = real(value)
    if fraction is not None:
        return float.__repr__(fraction)
    kind = type(value).__name__
    kind = "" if value is None or isinstance(value, bool) else f" of type {kind}"
    raise usage(f"{key}= has the value {value!r}{kind}; use texts, paths or numbers")


def as_bool(value: object) -> bool | None:
    """Returns the truth that an object is, also one of NumPy, or None."""
    kind = type(value)
    is_of_numpy = kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
    return bool(value) if is_of_numpy or isinstance(value, bool) else None


def real(value: object) -> float | None:
    """Returns the number that an object is as a float, or None."""
    number: Any = value  # float() says whether it can be one
    if isinstance(value, (str, bytes, bytearray)) or as_bool(value) is not None:
        return None
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError):
        return None


def whole(value: object) -> int | None:
    """Returns the whole number that an object is, such as a scalar of NumPy, or None."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    number = real(value)
    return int(number) if number is not None and number.is_integer() else None


def digits(number: int, name: str) -> str:
    """Returns a whole number as text, also one whose class has another text.

    Raises `UsageError` for one of more digits than Python writes.
    """
    try:
        return int.__repr__(number)
    except ValueError as error:
        raise usage(f"{name} is a number of too many digits") from error


def usage(message: str) -> BaseException:
    """Returns the exception for a wrong argument."""
    return _errors.make("UsageError", message, 2, None, None, None, None)


def paths(inputs: Paths) -> list[str]:
    """Returns the names of files. Raises `TypeError` for an open file, whose elements are lines."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    elif hasattr(inputs, "read"):
        raise TypeError(f"the input is a {type(inputs).__name__}; pass the name of the file")
    return [os.fsdecode(path) for path in inputs]
