"""Results and progress of a cluster sort."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from sortwell.cluster._spec import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # A field of a class here has the name of the type.
    Raw: TypeAlias = bytes


def text_of_bytes(count: int) -> str:
    """Returns a number of bytes as text with a unit."""
    for unit, size in [("GB", 10**9), ("MB", 10**6), ("kB", 10**3)]:
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


@dataclass(frozen=True)
class ClusterProgress:
    """Progress of a cluster sort: the phase, and how many tasks of all phases are done.

    Each run and each part is a task. Their number, `tasks`, is 0 until the inputs are split. If a
    node is lost, what was done on it no longer counts.
    """

    phase: str
    done: int
    tasks: int

    @property
    def share(self) -> float | None:
        """Part of the tasks that is done, from 0 to 1, or `None` until inputs are split."""
        return self.done / self.tasks if self.tasks else None


@dataclass(frozen=True)
class Part:
    """One file of the output.

    `path` is a path, or `node://NAME/path` if it lies on a node. `records` counts its records, and
    `bytes` all bytes of the file, with the header. `checksum` is the sum of the hashes of the
    records that it was merged of, as 32 hexadecimal digits.
    """

    number: int
    path: str
    records: int
    bytes: int
    checksum: str


@dataclass(frozen=True)
class Phase:
    """A phase of the sort: its name, the seconds from its beginning to its end, and its tasks."""

    name: str
    seconds: float
    tasks: int


@dataclass
class NodeStatistics:
    """Work of one node, in bytes, and its numbers of runs and parts.

    `received_from` is the bytes that each node, by its name, has sent to this one.
    """

    name: str
    bytes_sorted: int = 0
    bytes_received: int = 0
    bytes_from_other_nodes: int = 0
    runs: int = 0
    parts: int = 0
    received_from: dict[str, int] = field(default_factory=dict)


@dataclass
class ClusterStatistics:
    """Result of a cluster sort.

    `records` and `bytes` are those of all parts together. `checksum` is that of all records of the
    parts before equal ones became one, and was compared with that of the inputs; it is empty if
    records were left out by their number. `parts` are in order. `skew` is the size of the largest
    part, divided by the mean of all parts. `passes` is 1 if the runs stayed in memory. `maps_kept`
    counts the runs of an earlier sort that this one continued. `header` is that of each part.
    `work` is what each task did.

    `ragged_rows_dropped` and `keys` are those of the statistics of one machine: rows that
    `ragged="drop"` has left out, and keys that are no values of their types. `messages` says the
    same in the words of the command.
    """

    records: int
    bytes: int
    checksum: str
    seconds: float
    passes: int
    parts: list[Part]
    nodes: list[NodeStatistics]
    phases: list[Phase]
    maps_done_again: int = 0
    parts_done_again: int = 0
    maps_kept: int = 0
    second_attempts: int = 0
    ragged_rows_dropped: int | None = None
    keys: dict[str, Any] = field(default_factory=lambda: {"invalid": None, "unmatched": []})
    messages: list[str] = field(default_factory=list, repr=False)
    header: Raw = field(default=b"", repr=False)
    work: list[Work] = field(default_factory=list, repr=False)

    @property
    def skew(self) -> float:
        """Size of the largest part, divided by the mean."""
        sizes = [part.bytes for part in self.parts]
        return max(sizes) * len(sizes) / sum(sizes) if sum(sizes) else 1.0

    @property
    def bytes_between_nodes(self) -> int:
        """Bytes that came from another node."""
        return sum(node.bytes_from_other_nodes for node in self.nodes)

    def as_dict(self) -> dict[str, Any]:
        """Returns all values, for JSON."""
        values = asdict(self)
        del values["work"], values["messages"]
        values["header"] = self.header.decode(errors="backslashreplace")
        values["skew"] = self.skew
        values["bytes_between_nodes"] = self.bytes_between_nodes
        return values
