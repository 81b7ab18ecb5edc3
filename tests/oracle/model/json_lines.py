"""Lines of JSON: their values by path, as the reference has them.

"Every line is checked; a line that is not JSON is an error that names it." "A string counts without
its quotes and escapes, anything else as it is written. Missing, null and "" are empty. Of two
members of one name the first counts."
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from .errors import MalformedError, Unspecified, UsageError


class Written(str):
    """A number as it is written."""


def first_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object; of two members of one name the first counts."""
    return dict(reversed(pairs))


def refuse_constant(name: str) -> Any:
    """Refuses NaN and infinities, which JSON does not have."""
    raise ValueError(name)


@lru_cache(maxsize=1 << 16)
def parse(line: bytes) -> Any:
    """Returns the value of a line; numbers stay as they are written."""
    try:
        text = line.decode("utf-8")
        if not text.strip(" \t\n\r"):
            return {}
        return json.loads(
            text,
            object_pairs_hook=first_members,
            parse_int=Written,
            parse_float=Written,
            parse_constant=refuse_constant,
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise MalformedError(f"a line that is not JSON: {error}") from error


def steps_of(path: str) -> list[str]:
    """Returns the names in `user.id`, or in the JSON Pointer `/user/id`."""
    if path.startswith("/"):
        return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
    steps = path.split(".")
    if not all(steps):
        raise UsageError(f"'{path}' has an empty name")
    return steps


def value_at(line: bytes, path: str) -> bytes:
    """Returns what the value at a path says; nothing where it is missing or null."""
    value = parse(line)
    for step in steps_of(path):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list):
            value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
        else:
            return b""
    if isinstance(value, (dict, list)):
        raise Unspecified("the blanks in the text of an object or array")
    if value is None:
        return b""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return value.encode("utf-8")
