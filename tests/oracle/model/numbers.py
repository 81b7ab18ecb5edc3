"""Decimal numbers of any length, as sums read and write them."""

from __future__ import annotations

import re

from .errors import MalformedError, Unspecified


def parse_decimal(text: bytes, whole: bool) -> tuple[int, int]:
    """Returns a number as digits and how many of them stand behind the point."""
    match = re.fullmatch(rb"[ \t]*([+-]?)([0-9]*)(?:\.([0-9]*))?[ \t]*", text)
    if not match or not (match[2] or match[3]) or (whole and match[3] is not None):
        raise MalformedError("a cell that is not a number")
    if text.strip(b" \t") != text or not match[2] or match[3] == b"":
        raise Unspecified("sums of numbers with blanks, or without digits beside the point")
    fraction = match[3] or b""
    number = int(match[2] + fraction)
    return (-number if match[1] == b"-" else number), len(fraction)


def decimal_text(number: int, scale: int) -> bytes:
    """Returns a number in plain notation, with `scale` digits behind the point."""
    digits = str(abs(number)).rjust(scale + 1, "0")
    text = digits if not scale else f"{digits[:-scale]}.{digits[-scale:]}"
    return (f"-{text}" if number < 0 else text).encode()
