"""Placement of a sort: splits of its inputs, their nodes, and what each part is merged of."""

from __future__ import annotations

import itertools
import operator

from sortwell.cluster import _budget, _inputs
from sortwell.cluster._losses import NodeLost
from sortwell.cluster._spec import Source, lost_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import InputFile, Run, Spec, Split


def splits(cluster: Cluster, spec: Spec, files: list[InputFile]) -> list[Split]:
    """Returns the splits of the inputs. Raises an error if a node with an input is lost."""
    nodes = len(cluster.nodes)
    share = -(-sum(file.bytes for file in files) // nodes)
    length = _budget.split_length(spec.memory, nodes, share, spec.keeps)

    def cut(file: InputFile, start: int, length: int) -> list[int]:
        asked = ("cut_input", file.path, start, length)
        found: list[int]
        try:
            found = cluster.call(file.node, *asked) if file.node else cluster.call_any(*asked)
        except NodeLost as error:
            raise lost_input(file.path) from error
        return found

    return _inputs.splits(files, length, spec, cut)


def place(cluster: Cluster, spec: Spec, splits: list[Split]) -> tuple[dict[int, str], int]:
    """Returns the node of each split, and the bytes of runs in the memory of a node.

    They are 0 if runs are on disk.
    """
    while True:
        check_owners(cluster, splits)
        chosen = _inputs.assign(splits, [node.id for node in cluster.nodes])
        try:
            return chosen, _bytes_in_memory(cluster, spec, splits, chosen)
        except NodeLost:
            cluster.drop_lost()


def check_owners(cluster: Cluster, splits: Iterable[Split]) -> None:
    """Raises an error if the only node that has the input of a split is lost."""
    known = {None, *(node.id for node in cluster.nodes)}
    for split in splits:
        if split.node not in known:
            raise lost_input(split.path)


def _bytes_in_memory(
    cluster: Cluster, spec: Spec, splits: list[Split], chosen: dict[int, str]
) -> int:
    """Returns the bytes of the runs of the node that has most, or 0 if they are on disk."""
    shares = dict.fromkeys(chosen.values(), 0)
    for split in splits:
        shares[chosen[split.number]] += split.bytes
    # A compressed file makes a run of unknown length; a kept run has to outlive a reboot.
    if any(split.is_compressed for split in splits) or spec.keeps or not shares:
        return 0
    most = max(shares.values())
    if most > _budget.of_runs(spec.memory, len(cluster.nodes)):
        return 0
    # Nodes of one machine share the file system of its memory.
    wanted = dict.fromkeys((node.address for node in cluster.nodes), 0)
    for node in cluster.nodes:
        wanted[node.address] += shares.get(node.id, 0)
    free = cluster.call_each("free_in_memory", {node.id: () for node in cluster.nodes})
    fits = all(free[node.id] > 2 * wanted[node.address] for node in cluster.nodes)
    return most if fits else 0


def most_runs(bounds: dict[int, list[int]]) -> int:
    """Returns the number of runs of which the part with most of them has records."""
    parts = range(len(next(iter(bounds.values()))) - 1)
    return max(sum(ends[part] < ends[part + 1] for ends in bounds.values()) for part in parts)


def sources(
    cluster: Cluster,
    runs: dict[int, Run],
    bounds: dict[int, list[int]],
    part: int,
    nodes_merge: bool,
) -> list[Source]:
    """Returns what a part is merged of: its range of each run.

    With `nodes_merge`, neighbouring runs of a node are one source, which the node merges.
    """
    ranges = []
    for number in sorted(runs):
        run, (start, end) = runs[number], bounds[number][part : part + 2]
        if start < end:
            ranges.append((run.node, (run.path, start, end)))
    if not nodes_merge:
        return [Source(node, cluster.url(node), (piece,)) for node, piece in ranges]
    return [
        Source(node, cluster.url(node), tuple(piece for _, piece in neighbours))
        for node, neighbours in itertools.groupby(ranges, operator.itemgetter(0))
    ]
