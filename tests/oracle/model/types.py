"""What all key types have in common, and the table of their names."""

from __future__ import annotations

from typing import Any

from .errors import UsageError
from .formats import BLANKS


class Invalid:
    """The mark of a key that is no value of its type."""


INVALID = Invalid()


def order_of(first: Any, second: Any) -> int:
    """Compares two values that Python can compare: -1, 0 or 1."""
    return (first > second) - (first < second)


class KeyType:
    """A type of key: how its bytes are read, and how its values compare.

    This class itself is `bytes`, the default.
    """

    name = "bytes"
    # Types of binary formats alone: "TYPE in records of bytes".
    is_binary = False
    # "int, decimal, float, size and month in lines: there, what can be read of the text is
    # taken, and nothing is 0".
    is_lenient_in_lines = False
    # Whether values have a notation: blanks around it do not count, and an empty or blank key,
    # which cannot be a value, is null and comes last unless its key says otherwise.
    has_notation = False
    # Whether literals of expressions are written in quotes, as text is.
    is_quoted = True
    # Whether `ci` means something for it.
    has_case = True
    # The number of bytes that it needs, if it needs a certain one.
    width: int | None = None

    def read(self, raw: bytes) -> Any:
        """Returns the value of the bytes of a key, or INVALID."""
        return raw

    def read_leniently(self, raw: bytes) -> Any:
        """Returns what can be read of the bytes of a key in lines."""
        return self.read(raw)

    def read_literal(self, text: str) -> Any:
        """Returns the value of a literal of an expression, or INVALID."""
        return self.read(text.encode())

    def compare(self, first: Any, second: Any) -> int:
        """Compares two values: negative, 0 or positive."""
        return order_of(first, second)


class Notation(KeyType):
    """A type whose values have a notation: blanks around it do not count, nor does case."""

    has_notation = True
    is_quoted = False
    has_case = False

    def read(self, raw: bytes) -> Any:
        """Returns the value of the notation between the blanks."""
        try:
            text = raw.strip(BLANKS).decode("ascii")
        except UnicodeDecodeError:
            return INVALID
        return self.read_text(text)

    def read_text(self, text: str) -> Any:
        """Returns the value of a text without blanks at its ends, or INVALID."""
        raise NotImplementedError


def refuse_parameter(name: str, parameter: str | None) -> None:
    """Refuses a parameter of a type that takes none."""
    if parameter is not None:
        raise UsageError(f"type {name} takes no parameter")
