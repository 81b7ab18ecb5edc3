"""Bounds of parts in runs: where each run is cut, and the proof that parts follow one another."""

from __future__ import annotations

from sortwell.cluster import _cuts
from sortwell.cluster._spec import proof_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._cuts import Cut
    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import Run, Spec


def find(cluster: Cluster, spec: Spec, runs: list[Run], parts: int) -> dict[int, list[int]]:
    """Returns the offsets between which each run, by its split, is part of each part."""
    cuts = _cuts.choose(runs, parts)
    bounds, of_nodes = {}, _by_node(runs)
    asked = {
        node: [
            (run.path, [(cut.key, cut.is_after(run.split, spec.groups)) for cut in cuts])
            for run in own
        ]
        for node, own in of_nodes.items()
    }
    offsets = cluster.call_each("find_cuts", {node: (spec, own) for node, own in asked.items()})
    for node, own in of_nodes.items():
        for run, found in zip(own, offsets[node], strict=True):
            exact = [
                cut.offset if cut.split == run.split and not spec.groups else offset
                for cut, offset in zip(cuts, found, strict=True)
            ]
            # A part without records has the same offsets at both ends.
            bounds[run.split] = [0, *exact] + [run.bytes] * (parts - len(cuts))
    _prove(cluster, spec, runs, cuts, bounds)
    return bounds if bounds else {-1: [0] * (parts + 1)}


def _by_node(runs: list[Run]) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.node, []).append(run)
    return found


def _prove(
    cluster: Cluster, spec: Spec, runs: list[Run], cuts: list[Cut], bounds: dict[int, list[int]]
) -> None:
    """Checks at each cut that no record before it in any run comes after one that follows it."""
    if not cuts:
        return
    last: list[tuple[bytes, int] | None] = [None] * len(cuts)
    first: list[tuple[bytes, int] | None] = [None] * len(cuts)
    of_nodes = _by_node(runs)
    asked = {
        node: [(run.path, bounds[run.split][1 : len(cuts) + 1]) for run in own]
        for node, own in of_nodes.items()
    }
    found = cluster.call_each("keys_around", {node: (spec, own) for node, own in asked.items()})
    for node, own in of_nodes.items():
        for run, around in zip(own, found[node], strict=True):
            for cut, (before, after) in enumerate(around):
                if before is not None:
                    place = (before, run.split)
                    last[cut] = max(last[cut] or place, place)
                if after is not None:
                    place = (after, run.split)
                    first[cut] = min(first[cut] or place, place)
    for number, (before_cut, after_cut) in enumerate(zip(last, first, strict=True)):
        if before_cut is None or after_cut is None:
            continue
        is_ordered = before_cut <= after_cut
        if spec.groups:
            is_ordered = before_cut[0] < after_cut[0]
        if not is_ordered:
            raise proof_error(f"part {number} has a record that comes after one of the next part")
