"""Prediction of a cluster sort."""

from __future__ import annotations

from dataclasses import dataclass

from sortwell.cluster import _budget
from sortwell.cluster._spec import bytes_of, usage_error

# Bytes a second that a disk reads and writes, that a network carries each way, and that a processor
# sorts, merges, and sends and receives, without other figures. The processor's are of records of
# 100 bytes.
_DISK = 1e9
_NETWORK = 1.25e9
_SORT = 0.8e9
_MERGE = 0.85e9
_SEND = 1e9


@dataclass(frozen=True)
class PhasePrediction:
    """A phase: bytes that a node moves, seconds of each resource, and which one limits it."""

    name: str
    bytes_read: int
    bytes_written: int
    bytes_received: int
    disk_seconds: float
    network_seconds: float
    processor_seconds: float

    @property
    def seconds(self) -> float:
        """Seconds of the phase: its resources work at the same time."""
        return max(self.disk_seconds, self.network_seconds, self.processor_seconds)

    @property
    def limit(self) -> str:
        """Name of the resource that limits the phase."""
        times = {
            "disk": self.disk_seconds,
            "network": self.network_seconds,
            "processor": self.processor_seconds,
        }
        return max(times, key=lambda name: times[name])


@dataclass(frozen=True)
class ClusterPrediction:
    """Prediction of a sort of `bytes` bytes on `nodes` nodes.

    `passes` is 1 if the runs stay in memory, otherwise 2. `bytes_between_nodes` is that of all
    nodes together.
    """

    bytes: int
    nodes: int
    passes: int
    bytes_between_nodes: int
    phases: list[PhasePrediction]

    @property
    def seconds(self) -> float:
        """Seconds of all phases."""
        return sum(phase.seconds for phase in self.phases)


def explain(
    size: int | str,
    *,
    nodes: int,
    cpus: int = 1,
    memory: str | int | None = None,
    disk: str | int | None = None,
    network: str | int | None = None,
) -> ClusterPrediction:
    """Predicts a cluster sort of plain files of `size` bytes on equal nodes, without `resume`.

    It assumes that /dev/shm of the nodes has room for one pass.

    `cpus` is the number of processors of a node, and `memory` the limit of a node, as of `sort`.
    `disk` and `network` are bytes a second of a node, each way; by default 1 GB and 1.25 GB.

        print(sortwell.cluster.explain("1TB", nodes=40, cpus=16, memory="8GiB").seconds)

    Raises `UsageError` for numbers that make no sense, and for too little memory.
    """
    if nodes < 1 or cpus < 1:
        raise usage_error("a cluster has one node at least, and a node one processor")
    limit = _budget.checked(memory)
    _budget.check(limit, nodes)
    total = bytes_of(size)
    share = -(-total // nodes)
    rate = _DISK if disk is None else bytes_of(disk)
    line = _NETWORK if network is None else bytes_of(network)
    if rate <= 0 or line <= 0:
        raise usage_error("a disk and a network carry one byte a second at least")
    is_in_memory = share <= _budget.of_runs(limit, nodes)
    away = share * (nodes - 1) // nodes
    # Runs in memory are neither written to the disk nor read from it.
    of_runs = 0 if is_in_memory else share
    runs = nodes * -(-share // _budget.split_length(limit, nodes, share, keeps=False))
    merges = 1 if runs <= _budget.runs_at_once(limit, share if is_in_memory else 0) else 2
    map_processor = share / _SORT / cpus
    reduce_processor = (share / _SEND + merges * share / _MERGE) / cpus
    phases = [
        PhasePrediction("map", share, of_runs, 0, (share + of_runs) / rate, 0.0, map_processor),
        PhasePrediction(
            "reduce", of_runs, share, away, (of_runs + share) / rate, away / line, reduce_processor
        ),
    ]
    return ClusterPrediction(total, nodes, 1 if is_in_memory else 2, away * nodes, phases)
