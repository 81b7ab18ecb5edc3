"""Regular expressions of conditions, as far as all dialects agree on them."""

from __future__ import annotations

import re
from typing import Callable

from .errors import Unspecified

# What is known to mean the same everywhere: literals, classes, groups, alternatives, repetition.
COMMON = re.compile(
    r"(?:[A-Za-z0-9 _@%:;,=\"'/<>~`!&#-]|\\[.*+?()|\[\]{}^$\\dwsDWS]|\.|\^|\$|\||\(|\)"
    r"|\[\^?(?:[A-Za-z0-9 _@%:;,=./]|\\[dws]|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9])+\]"
    r"|(?<![*+?}|(^])(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)*"
)


def compile_pattern(text: str, fold: bool) -> Callable[[bytes], bool]:
    """Returns a test whether the pattern is found anywhere in a value.

    `$` is the end of the value alone. Values beyond ASCII are left open, as what is one sign of
    them is not said.
    """
    if not text.isascii() or not COMMON.fullmatch(text):
        raise Unspecified(f"how the pattern {text!r} is read")
    dollar = re.sub(r"\\.|\$", lambda match: r"\Z" if match[0] == "$" else match[0], text)
    try:
        pattern = re.compile(dollar.encode(), re.IGNORECASE if fold else 0)
    except re.error:
        raise Unspecified(f"whether {text!r} is a pattern") from None

    def test(value: bytes) -> bool:
        """Returns whether the pattern is found in the value."""
        if not value.isascii():
            raise Unspecified("regular expressions on bytes beyond ASCII")
        return pattern.search(value) is not None

    return test
