"""Key types of all formats that name things: months, addresses, UUIDs, yes and no."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from .errors import Unspecified
from .types import INVALID, Notation

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


def month_number(word: str) -> int:
    """Returns the number of a month by its name or the first three letters of it, or 0."""
    for number, name in enumerate(MONTHS, 1):
        if word.lower() in (name, name[:3]):
            return number
    return 0


class Month(Notation):
    """`month`: the name of a month, by its first three letters ("Mar")."""

    name = "month"
    is_lenient_in_lines = True

    def read_text(self, text: str) -> Any:
        """Returns the number of the month."""
        number = month_number(text)
        if not number and month_number(text[:3]):
            raise Unspecified("more than the name of a month")
        return number or INVALID

    def read_leniently(self, raw: bytes) -> Any:
        """Returns the month that the text begins with, where "nothing is 0"."""
        return month_number(raw.decode("latin-1").lstrip(" \t\n")[:3])


class Address(Notation):
    """`ip`: "version 4 before 6"."""

    name = "ip"

    def read_text(self, text: str) -> Any:
        """Returns version and number of the address."""
        if re.search(r"[/%]", text) or re.search(r"(^|\.)0[0-9]+(\.|$)", text):
            raise Unspecified("addresses with zones, masks or zeros in front")
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return INVALID
        return address.version, int(address)


class Uuid(Notation):
    """`uuid`: a number of 128 bits, with or without hyphens, braces and urn:uuid:."""

    name = "uuid"

    def read_text(self, text: str) -> Any:
        """Returns the number of the digits, in groups or not."""
        bare = text.lower()
        if bare.startswith("urn:uuid:"):
            bare = bare.removeprefix("urn:uuid:")
        elif bare.startswith("{") and bare.endswith("}"):
            bare = bare[1:-1]
        digits = bare.replace("-", "")
        if not re.fullmatch(r"[0-9a-f]{32}", digits):
            return INVALID
        grouped = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        if bare not in (digits, grouped):
            raise Unspecified("UUIDs with hyphens elsewhere")
        return int(digits, 16)


class Truth(Notation):
    """`bool`: "yes true on 1 y t, and their opposites, which come first"."""

    name = "bool"
    WORDS = ("no", "false", "off", "0", "n", "f"), ("yes", "true", "on", "1", "y", "t")

    def read_text(self, text: str) -> Any:
        """Returns 1 for yes and 0 for no."""
        for value, words in enumerate(self.WORDS):
            if text.lower() in words:
                return value
        return INVALID
