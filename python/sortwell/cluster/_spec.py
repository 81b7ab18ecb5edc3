"""Settings of a cluster sort, and what tasks exchange about it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from sortwell import _errors, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    # Fields of classes here have the name of the type.
    Raw: TypeAlias = bytes

    from sortwell._options import Option

    Words: TypeAlias = list[tuple[str, str | None]]

# Options that merges have too: what says how records are read and ordered.
_ORDER = {
    "date-format",
    "format",
    "header",
    "invalid",
    "key",
    "no-header",
    "pad",
    "quote",
    "ragged",
    "random-seed",
    "reverse",
    "separator",
}

# Options that tasks choose themselves, or that a cluster does not have, with the reason.
_REFUSED = {
    "algorithm": None,
    "count": "count records with a job of one machine",
    "compress": "compress the parts afterwards",
    "decompress": "expand the inputs first",
    "having": "groups are made by a job of one machine",
    "in-place": "name an output",
    "limit": "take the first records of the first parts",
    "max": "groups are made by a job of one machine",
    "min": "groups are made by a job of one machine",
    "resume": "a cluster sort begins from the start",
    "select": "choose columns with a job of one machine",
    "skip": "leave out the first records of the first parts",
    "split": "'parts' is the number of parts",
    "threads": "a task takes all processors of its node",
    "split-by": "'parts' is the number of parts",
    "sum": "groups are made by a job of one machine",
    "union-by-name": "give files with the same columns",
    "unique-by": "'unique' compares all keys",
    "verify": "a cluster sort always proves its result",
}

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}

# Memory of a node without the option.
_MEMORY = "1GiB"

# Least memory of a node: that of an exchange, of a sort, and of two interpreters.
_MEMORY_LEAST = 256 << 20


def usage_error(message: str) -> BaseException:
    """Returns the error of a wrong request."""
    return _errors.make("UsageError", message, 2, None, None, None, None)


def storage_error(message: str) -> BaseException:
    """Returns the error of data that cannot be read or written."""
    return _errors.make("StorageError", message, 4, None, None, None, None)


def proof_error(message: str) -> BaseException:
    """Returns the error of a result that is not that of the inputs."""
    return _errors.make("ProofError", message, 5, None, None, None, None)


def bytes_of(size: str | int) -> int:
    """Returns a size as a number of bytes, as in "512MiB"."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?)b?", str(size).strip().lower())
    if found is None or found[2] == "i":
        raise usage_error(f"'{size}' is not a size; write a number of bytes, or as in 512MiB")
    return int(float(found[1]) * _UNITS[found[2]])


@dataclass(frozen=True)
class Spec:
    """Settings that all tasks of a sort have.

    `job` names the sort, and its folders on the nodes. `memory` is the limit of a node, in bytes.
    `options` are those of `sortwell sort` that say how records are read, chosen and ordered.
    """

    job: str
    token: str
    memory: int
    temp: str
    options: tuple[tuple[str, str | None], ...]
    header: bytes = b""
    extension: str = ""

    def with_header(self, header: bytes) -> Spec:
        """Returns the same settings for inputs with these first lines."""
        return replace(self, header=header)

    @property
    def is_unique(self) -> bool:
        """True if only the first record of each key is written."""
        return any(name == "unique" for name, _ in self.options)

    def sort_words(self, threads: int) -> Words:
        """Returns the options of the sort of one split."""
        words = [word for word in self.options if word[0] != "unique"]
        # The node's exchange and two interpreters have the rest.
        memory = max(self.memory - (192 << 20), 64 << 20)
        return [*words, ("memory", str(memory)), ("threads", str(threads)), ("temp", self.temp)]

    def search_words(self) -> Words:
        """Returns the options of a search in runs."""
        return [word for word in self.options if word[0] in _ORDER]

    def merge_words(self, memory: int, is_last: bool) -> Words:
        """Returns the options of a merge of runs, or of the last merge."""
        words = [*self.search_words(), ("memory", str(max(memory, 40 << 20)))]
        if is_last and self.is_unique:
            words.append(("unique", None))
        if not is_last:
            # The last merge proves the order, and the sum of all parts is compared with the runs.
            words += [("verify", "off"), ("threads", "1")]
        return words

    def folder(self, node: str) -> str:
        """Returns the folder of the runs on a node."""
        return os.path.join(self.temp, f"sortwell-cluster-{self.job}", node)


def checked_options(options: dict[str, Option]) -> tuple[tuple[str, str | None], ...]:
    """Returns the options as words. Raises `UsageError` for one that a cluster does not have."""
    words = _options.words(options)
    for name, value in words:
        if name in _REFUSED:
            reason = _REFUSED[name]
            raise usage_error(
                f"a cluster sort has no option '{name}'" + (f": {reason}" if reason else "")
            )
        if name == "unique" and value not in (None, "first", "true", ""):
            raise usage_error(f"'unique' keeps the first record of each key; '{value}' is refused")
    return tuple(words)


def checked_memory(memory: str | int | None) -> int:
    """Returns the memory of a node in bytes."""
    size = bytes_of(_MEMORY if memory is None else memory)
    if size < _MEMORY_LEAST:
        raise usage_error(f"a node needs 256 MiB at least; {size} bytes were given")
    return size


@dataclass(frozen=True)
class InputFile:
    """An input file. `node` is the id of the node that has it, or None for a shared path."""

    path: str
    node: str | None
    bytes: int
    header: Raw


@dataclass(frozen=True)
class Split:
    """A part of an input file that one task sorts. Numbers follow the order of the inputs."""

    number: int
    path: str
    node: str | None
    start: int
    end: int

    @property
    def bytes(self) -> int:
        """Bytes of the split."""
        return self.end - self.start


@dataclass(frozen=True)
class Run:
    """A sorted split on a node. `keys` are of some records: key, offset, bytes to the next one."""

    split: int
    node: str
    path: str
    bytes: int
    records: int
    checksum: str
    keys: list[tuple[Raw, int, int]]


@dataclass(frozen=True)
class Source:
    """Ranges of neighbouring runs of a node: path, start, end."""

    node: str
    url: str
    ranges: tuple[tuple[str, int, int], ...]

    @property
    def bytes(self) -> int:
        """Bytes of records in the ranges."""
        return sum(end - start for _, start, end in self.ranges)


@dataclass(frozen=True)
class MadePart:
    """A part that was written on a node, and the bytes that came from each node."""

    number: int
    node: str
    path: str
    records: int
    bytes: int
    checksum: str
    received: dict[str, int]


class NodeLost(Exception):
    """A node is not part of the cluster any more."""


class SourceLost(Exception):
    """A node did not deliver the records of its runs."""

    def __init__(self, node: str, reason: str) -> None:
        super().__init__(node, reason)
        self.node = node
        self.reason = reason
