"""Prediction of a cluster sort."""

from __future__ import annotations

from dataclasses import dataclass

from sortwell.cluster._spec import bytes_of, usage_error

# Bytes a second that a disk reads and writes, that a network carries each way, and that a processor
# sorts and merges, without other figures. The processor's are of records of 100 bytes.
_DISK = 1e9
_NETWORK = 1.25e9
_SORT = 0.8e9
_MERGE = 0.6e9


@dataclass(frozen=True)
class PhasePrediction:
    """A phase: seconds that each resource of a node takes, and which one limits it."""

    name: str
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
    """Prediction of a sort of `bytes` bytes on `nodes` nodes."""

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
    disk: str | int | None = None,
    network: str | int | None = None,
) -> ClusterPrediction:
    """Predicts a cluster sort of `size` bytes on equal nodes.

    `cpus` is the number of processors of a node. `disk` and `network` are bytes a second of a node,
    each way; by default 1 GB and 1.25 GB.

        print(sortwell.cluster.explain("1TB", nodes=40, cpus=16).seconds)

    Raises `UsageError` for numbers that make no sense.
    """
    if nodes < 1 or cpus < 1:
        raise usage_error("a cluster has one node at least, and a node one processor")
    total = bytes_of(size)
    share = total / nodes
    rate = _DISK if disk is None else bytes_of(disk)
    line = _NETWORK if network is None else bytes_of(network)
    if rate <= 0 or line <= 0:
        raise usage_error("a disk and a network carry one byte a second at least")
    away = share * (nodes - 1) / nodes
    phases = [
        PhasePrediction("map", 2 * share / rate, 0.0, share / _SORT / cpus),
        PhasePrediction("reduce", 2 * share / rate, away / line, 2 * share / _MERGE / cpus),
    ]
    return ClusterPrediction(total, nodes, 2, int(away * nodes), phases)
