"""Settings of a cluster sort, and what tasks exchange about it."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass, replace

from sortwell import _errors, _native, _options
from sortwell.cluster._losses import HeadLost, NodeLost

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

# Options of the records that are written: the last merge has them.
_SELECTION = {
    "count",
    "having",
    "limit",
    "max",
    "min",
    "select",
    "skip",
    "sum",
    "unique",
    "unique-by",
}

# Those of them that make one record of several with equal keys.
_GROUPS = {"count", "max", "min", "sum", "unique", "unique-by"}

# Options of the records that are read, which maps have.
_FILTERS = {"include", "exclude"}

# Options that may have several values.
_REPEATED = {"key", "having", "max", "min", "select", "sum", "unique-by", *_FILTERS}

# What to do instead of some options that a cluster does not have.
_INSTEAD = {
    "compress": "compress the parts afterwards",
    "decompress": "compressed inputs are found by their names and first bytes",
    "in-place": "name an output",
    "split": "'parts' is the number of parts",
    "split-by": "'parts' is the number of parts",
    "threads": "a task takes all processors of its node",
    "union-by-name": "give files with the same columns",
    "verify": "a cluster sort always proves its result",
}

# Options that are an error where no key and no condition has one of these types.
_USED_BY = {"date-format": "date|time|timestamp", "random-seed": "random"}

# Forms of the exchange: the paper's.
FORMS = ("threaded", "interleaved", "synchronous")

# Greatest number of records that an option takes.
_RECORDS_MAX = (1 << 64) - 1

# First letters of units: each is 1024 times the one before, or 1000 times.
_UNITS = "kmgtp"

# Beginning of the names of folders for runs.
PREFIX = "sortwell-cluster-"

# Ends of the names of a run's files.
RUN_ENDS = ("", ".index")

# Folder whose files are in memory.
MEMORY_FOLDER = "/dev/shm"


def usage_error(message: str) -> BaseException:
    """Returns the error of a wrong request."""
    return _errors.make("UsageError", message, 2, None, None, None, None)


def malformed_error(message: str, path: str) -> BaseException:
    """Returns the error of an input file that has not the form of the inputs."""
    return _errors.make("MalformedError", message, 3, path, None, None, None)


def storage_error(message: str) -> BaseException:
    """Returns the error of data that cannot be read or written."""
    return _errors.make("StorageError", message, 4, None, None, None, None)


def proof_error(message: str) -> BaseException:
    """Returns the error of a result that is not that of the inputs."""
    return _errors.make("ProofError", message, 5, None, None, None, None)


def lost_input(path: str) -> BaseException:
    """Returns the error of an input whose only node is lost."""
    return storage_error(f"the node of {path} is lost, and no other node has this input")


def reworded(error: _errors.Error, message: str) -> BaseException:
    """Returns an error with another message."""
    kind, _, code, file, offset, record, number = _errors.content(error)
    return _errors.make(kind, message, code, file, offset, record, number)


def is_space(error: BaseException) -> bool:
    """Returns whether a disk or a quota of this node was full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def own_error(error: BaseException) -> BaseException:
    """Returns an error of the system as one of the package, and others as they are."""
    if isinstance(error, HeadLost):
        how = "start the cluster again, and repeat the sort with 'resume' if it had that"
        return storage_error(f"{error}; {how}")
    if isinstance(error, NodeLost):
        return storage_error(str(error))
    if not isinstance(error, OSError) or isinstance(error, _errors.Error):
        return error
    is_space = error.errno in (errno.ENOSPC, errno.EDQUOT)
    kind = "NoSpaceError" if is_space else "StorageError"
    return _errors.make(kind, str(error), 4, None, None, None, error.errno)


def bytes_of(size: str | int) -> int:
    """Returns a size as a number of bytes.

    Units are those of the command: "4G", "4Gi" and "4GiB" are binary, and "4GB" is decimal.
    """
    form = rf"([0-9]+(?:\.[0-9]+)?)\s*(?:([{_UNITS}])(i?b?)|b?)"
    found = re.fullmatch(form, str(size).strip().lower())
    if found is None:
        raise usage_error(f"'{size}' is not a size; write a number of bytes, or as in 512MiB")
    base = 1000 if found[3] == "b" else 1024
    power = _UNITS.index(found[2]) + 1 if found[2] else 0
    return int(float(found[1]) * base**power)


@dataclass(frozen=True)
class Spec:
    """Settings that all tasks of a sort have.

    `job` names the sort, and its folders on the nodes. `memory` is the limit of a node, in bytes.
    `options` are those of `sortwell sort` that say how records are read, chosen and ordered.
    `form` is one of `FORMS`. `keeps` is true if the runs stay after a failure. `named_files` is a
    checksum of the files that options name. `has_comments` is true if header lines are known by
    their prefix, so that selected parts leave them as they are. `first_row_cells` is that of the
    first file with rows. `key_bytes` limits the keys of a run that the driver gets.
    """

    job: str
    token: str
    memory: int
    temp: str
    options: tuple[tuple[str, str | None], ...]
    form: str = FORMS[0]
    keeps: bool = False
    header: bytes = b""
    named_files: str = ""
    has_comments: bool = False
    first_row_cells: int | None = None
    key_bytes: int = 1 << 20

    def with_header(self, header: bytes) -> Spec:
        """Returns the same settings for inputs with these first lines.

        A header that is known by its prefix has a number of lines from here on: sorted records may
        begin with the prefix, too.
        """
        lines = str(header.count(b"\n"))
        options = tuple((n, lines if n == "header" else value) for n, value in self.options)
        known = "".join(str(value) for value in self._values("header"))
        is_prefix = re.fullmatch("[0-9]*", known) is None
        has_comments = (is_prefix or self.has_comments) and header != b""
        return replace(self, header=header, options=options, has_comments=has_comments)

    @property
    def groups(self) -> bool:
        """True if records with equal keys become one."""
        return any(name in _GROUPS for name, _ in self.options)

    @property
    def has_cells(self) -> bool:
        """True if records are rows of cells."""
        found = self._values("format")
        return bool(found) and found[-1] in ("csv", "tsv")

    @property
    def has_header_row(self) -> bool:
        """True if the header says what the columns are."""
        return self.has_cells and not self._values("no-header")

    @property
    def has_header_lines(self) -> bool:
        """True if inputs begin with lines that are not records."""
        return self.has_header_row or bool(self._values("header"))

    @property
    def is_partial(self) -> bool:
        """True if some records are left out by their number in the order."""
        return self._numbers("skip", "limit") != [None, None]

    @property
    def writes_all(self) -> bool:
        """True if every record of the runs is written as it is."""
        return not any(name in _SELECTION for name, _ in self.options)

    def _values(self, name: str) -> list[str | None]:
        return [value for known, value in self.options if known == name]

    def _numbers(self, *names: str) -> list[int | None]:
        values = [self._values(name) for name in names]
        return [int(found[-1] or 0) if found else None for found in values]

    def _order(self) -> Words:
        return [word for word in self.options if word[0] in _ORDER] + self._cells()

    def _cells(self) -> Words:
        """Returns the setting of the cells of the first row, which one task alone reads."""
        cells = self.first_row_cells
        return [] if cells is None else [("first-row-cells", str(cells))]

    def whole_words(self) -> Words:
        """Returns all options that the sort has on one machine."""
        return [*self.options, *self._cells()]

    def order_words(self) -> Words:
        """Returns the options of the order of runs: records that become one are neighbours."""
        words: Words = [("unique-by", key) for key in self._values("unique-by")]
        if words:
            # All records are kept, but only these keys place an invalid one.
            words.append(("order-only", None))
        return words + self._order()

    def cut_words(self) -> Words:
        """Returns the options of cuts: records that become one are in the same part."""
        if not (groups := self._values("unique-by")):
            return _without_unused(self._order())
        words: Words = [("key", key) for key in groups]
        return _without_unused(words + [w for w in self._order() if w[0] != "key"])

    def sort_words(self, threads: int, memory: int, temp: str) -> Words:
        """Returns the options of the sort of one split."""
        words = [word for word in self.options if word[0] in _FILTERS]
        counts = {"count", "having", "max", "min", "sum"}
        if not self.groups:
            words += self.order_words()
            skip, limit = self._numbers("skip", "limit")
            if limit is not None:
                words.append(("limit", str(min((skip or 0) + limit, _RECORDS_MAX))))
        elif any(name in counts for name, _ in self.options):
            words += self.order_words()
        else:
            # One record of each key in a split is enough.
            words += self._order()
            words += [word for word in self.options if word[0] in ("unique", "unique-by")]
        words = _without_unused(words)
        return [*words, ("memory", str(memory)), ("threads", str(threads)), ("temp", temp)]

    def merge_words(self, memory: int, temp: str, is_last: bool) -> Words:
        """Returns the options of a merge of runs, or of the last merge."""
        limit: Words = [("memory", str(memory)), ("temp", temp)]
        if is_last:
            selection = [word for word in self.options if word[0] in _SELECTION]
            comments: Words = [("has-comments", None)] if self.has_comments else []
            return _without_unused(self._order() + selection) + comments + limit
        # The last merge proves the order, and the sum of all parts is compared with the runs.
        words = _without_unused(self.order_words())
        return [*words, *limit, ("verify", "off"), ("threads", "1")]

    def identity_of(self, split: Split) -> str:
        """Returns a text that is the same for the same run of a split."""
        return f"{self.first_row_cells} {split.identity}"

    def part_end(self, node: str) -> str:
        """Returns the end of the names of unfinished parts that a node makes."""
        return f"{self.job}.{node[:12]}"

    def folder(self, node: str) -> str:
        """Returns the folder of the runs on a node."""
        return os.path.join(self.temp, self.name, node)

    def memory_folder(self, node: str) -> str:
        """Returns the folder of the runs on a node that stay in memory."""
        return os.path.join(MEMORY_FOLDER, self.name, node)

    def note_of_begin(self, node: str, task: str) -> str:
        """Returns the path of the file that says that a task of this call has begun on a node."""
        return os.path.join(self.folder(node), f"begun-{task}-{self.token[:8]}")

    @property
    def name(self) -> str:
        """Name of the folder that has the folders of nodes."""
        return f"{PREFIX}{self.job}"


def _without_unused(words: Words) -> Words:
    """Leaves out options that no key and no condition among the words uses."""
    text = " ".join(value or "" for _, value in words)
    unused = {name for name, types in _USED_BY.items() if not re.search(rf":({types})\b", text)}
    return [word for word in words if word[0] not in unused]


def checked_options(
    options: dict[str, Option], names: list[str]
) -> tuple[tuple[str, str | None], ...]:
    """Returns the options as words, with the format that the names of the inputs say.

    Raises `UsageError` for an option that a cluster does not have.
    """
    words = _options.words("sort", options)
    given: set[str] = set()
    for name, value in words:
        if name in given - _REPEATED:
            raise usage_error(f"'{name}' is given twice; a cluster sort takes one")
        given.add(name)
        if name not in _ORDER | _SELECTION | _FILTERS:
            # Tasks choose all that is not about records.
            instead = _INSTEAD.get(name)
            raise usage_error(
                f"a cluster sort has no option '{name}'" + (f": {instead}" if instead else "")
            )
        if name == "unique" and value == "error":
            raise usage_error("'unique=error' is for one machine; use 'unique' and compare counts")
        if name in ("skip", "limit") and not str(value).isdecimal():
            raise usage_error(f"'{name}' is a number of records; {value} was given")
    if unused := [word for word in words if word not in _without_unused(words)]:
        types = _USED_BY[unused[0][0]].replace("|", " or ")
        raise usage_error(f"'{unused[0][0]}' needs a key or a condition of type {types}")
    if format_ := _native.format_by_names(words, names):
        words.append(("format", format_))
    values = dict(words)
    if "header" in values and str(values.get("format", "lines")) != "lines":
        raise usage_error("a cluster sort has 'header' for lines that end with a line feed alone")
    return tuple(words)


def checked_form(form: str) -> str:
    """Returns the form of the exchange. Raises `UsageError` for one that there is not."""
    if form not in FORMS:
        raise usage_error(f"'{form}' is no form of the exchange; use one of {', '.join(FORMS)}")
    return form


def state_of(path: str) -> str:
    """Returns a text that changes with the content of a file: inode, size, time.

    The device differs between nodes, and changes when a disk is mounted again.
    """
    data = os.stat(path)
    return f"{data.st_ino} {data.st_size} {data.st_mtime_ns}"


@dataclass(frozen=True)
class InputFile:
    """An input file. `node` is the id of the node that has it, or None for a shared path.

    `first_row_cells` is the number of cells of the first row of a table without a header, 0 if that
    row does not tell, and None without rows and for others. `state` changes with the content. A
    compressed file is one split.
    """

    path: str
    node: str | None
    bytes: int
    header: Raw
    is_compressed: bool
    first_row_cells: int | None
    state: str


@dataclass(frozen=True)
class Split:
    """A part of an input file that one task sorts. Numbers follow the order of the inputs.

    A compressed file is one split. It is read with the header that it has itself. `node_name` is
    that of the node that reads it.
    """

    number: int
    path: str
    node: str | None
    start: int
    end: int
    is_compressed: bool
    state: str
    header: Raw = b""
    node_name: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of the split."""
        return self.end - self.start

    @property
    def identity(self) -> str:
        """Text that is the same for the same bytes."""
        return f"{self.number} {self.start} {self.end} {self.state} {self.path}"


@dataclass(frozen=True)
class Work:
    """Work of a task: its times in seconds since 1970, and the bytes it had moved at times."""

    name: str
    node: str
    begun: float
    ended: float
    moved: list[tuple[float, int]]


@dataclass(frozen=True)
class Run:
    """A sorted split on a node. `keys` are of some records: key, offset, bytes to the next one.

    A long key may be cut short, and has no offset then. `findings` are those about the records that
    were read, as text for `sum_findings`.
    """

    split: int
    node: str
    path: str
    bytes: int
    records: int
    checksum: str
    findings: str
    keys: list[tuple[Raw, int | None, int]]
    work: Work

    def has_records_of(self, other: Run) -> bool:
        """Returns whether the run has the records of another one."""
        own = (self.bytes, self.records, self.checksum)
        return own == (other.bytes, other.records, other.checksum)


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
    """A part that was written on a node, and the bytes that came from each node.

    `records_read` are those that it was merged of. The checksum is that of all of them; it is empty
    if some were left out by their number.
    """

    number: int
    node: str
    path: str
    records: int
    records_read: int
    bytes: int
    header: Raw
    checksum: str
    received: dict[str, int]
    work: Work
