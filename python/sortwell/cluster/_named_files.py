"""Files that options name, such as lists of values: every node reads its own copy."""

from __future__ import annotations

import os
import re

from sortwell import _errors, _native
from sortwell.cluster._spec import storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._spec import Words


def with_absolute_paths(words: Words) -> Words:
    """Returns options that name their files by absolute paths: nodes have other folders."""
    names = _native.named_files(words)
    if all(os.path.isabs(name) for name in names):
        return words
    changed = [(word, value and _absolute(value, names)) for word, value in words]
    wanted = [os.path.abspath(name) for name in names]
    if _native.named_files(changed) != wanted:
        raise usage_error(
            f"an option names a file by a relative path, one of {', '.join(names)}; write the "
            "absolute path, which all nodes have"
        )
    return changed


def _absolute(value: str, names: list[str]) -> str:
    """Returns the value of an option with absolute paths for the relative ones of these."""
    for name in sorted({name for name in names if not os.path.isabs(name)}, key=len, reverse=True):
        # In quotes, the path may have any characters.
        quoted = '"' + os.path.abspath(name).replace('"', '""') + '"'
        place = rf'(@|sequence=)("?){re.escape(name)}\2(?![^\s:|)])'
        value = re.sub(place, "\\1" + quoted.replace("\\", "\\\\"), value)
    return value


def checksum(words: Words) -> str:
    """Returns a checksum of the files here; it is empty without files."""
    return _native.named_files_checksum(words) if _native.named_files(words) else ""


def check_same(words: Words, expected: str, place: str) -> None:
    """Raises `UsageError` if the files here have another checksum than where the sort was called.

    `place` says in the message where this is.
    """
    try:
        is_same = not expected or checksum(words) == expected
    except _errors.StorageError as error:
        raise storage_error(f"{error} {place}") from error
    if not is_same:
        names = ", ".join(_native.named_files(words))
        raise usage_error(
            f"a file that an option names has another content {place} than where the sort was "
            f"called: {names}; give all nodes the same file"
        )
