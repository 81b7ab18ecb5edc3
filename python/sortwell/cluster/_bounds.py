"""Bounds of parts in runs: where each run is cut, and the proof that parts follow one another.

Keys may be long. So a few cuts are made at a time, and each node compares the records around the
cuts of its runs with the keys of the cuts.
"""

from __future__ import annotations

import itertools

from sortwell.cluster import _cuts
from sortwell.cluster._spec import proof_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sortwell.cluster._cuts import Cut
    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import Run, Spec

# Bytes of the keys of cuts that are made at a time.
_AT_ONCE = 1 << 20


def find(cluster: Cluster, spec: Spec, runs: list[Run], parts: int) -> dict[int, list[int]]:
    """Returns the offsets between which each run, by its split, is part of each part."""
    cuts = _cuts.choose(runs, parts)
    bounds = {run.split: [0] for run in runs}
    of_nodes: dict[str, list[Run]] = {}
    for run in runs:
        of_nodes.setdefault(run.node, []).append(run)
    part = 0
    for group in _groups(cuts):
        _add_offsets(cluster, spec, of_nodes, group, bounds)
        _prove(cluster, spec, of_nodes, part, group, bounds)
        part += len(group)
    for run in runs:
        # A part without records has the same offsets at both ends.
        bounds[run.split] += [run.bytes] * (parts - len(cuts))
    return bounds if bounds else {-1: [0] * (parts + 1)}


def _groups(cuts: list[Cut]) -> Iterator[list[Cut]]:
    """Yields the cuts in groups whose keys have few bytes, or of one cut."""
    group: list[Cut] = []
    size = 0
    for cut in cuts:
        if group and size + len(cut.key) > _AT_ONCE:
            yield group
            group, size = [], 0
        group.append(cut)
        size += len(cut.key)
    if group:
        yield group


def _add_offsets(
    cluster: Cluster,
    spec: Spec,
    of_nodes: dict[str, list[Run]],
    cuts: list[Cut],
    bounds: dict[int, list[int]],
) -> None:
    """Adds the offsets of cuts to the bounds of each run."""
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
            bounds[run.split] += [
                cut.offset if cut.offset is not None and cut.is_of(run.split, spec.groups) else at
                for cut, at in zip(cuts, found, strict=True)
            ]


def _prove(
    cluster: Cluster,
    spec: Spec,
    of_nodes: dict[str, list[Run]],
    part: int,
    cuts: list[Cut],
    bounds: dict[int, list[int]],
) -> None:
    """Checks in each run that no record before one of the last cuts comes after the cut.

    Neither does a record after it come before it. So parts follow one another. `part` is the number
    of the part before the first of these cuts.
    """
    asked = {
        node: [
            (
                run.path,
                [
                    (offset, cut.key, *cut.may_equal(run.split, spec.groups))
                    for offset, cut in zip(bounds[run.split][-len(cuts) :], cuts, strict=True)
                ],
            )
            for run in own
        ]
        for node, own in of_nodes.items()
    }
    found = cluster.call_each("check_cuts", {node: (spec, own) for node, own in asked.items()})
    for of_run in itertools.chain.from_iterable(found.values()):
        for number, is_ordered in enumerate(of_run, part):
            if not is_ordered:
                raise proof_error(
                    f"part {number} has a record that comes after one of the next part"
                )
