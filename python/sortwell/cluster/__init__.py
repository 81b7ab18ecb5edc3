"""Sorts on a cluster of machines, with Ray.

    pip install './python[cluster]'  # in a copy of the repository

`sort` reads files that lie on shared paths or on nodes, and writes parts that are sorted and come
one after another. Ray starts and watches the tasks. The records move between nodes by HTTP, and
neither the driver nor Ray's object store has them.
"""

from __future__ import annotations

from sortwell.cluster._driver import sort
from sortwell.cluster._explain import explain
from sortwell.cluster._results import ClusterStatistics, NodeStatistics, Part, Phase

__all__ = ["ClusterStatistics", "NodeStatistics", "Part", "Phase", "explain", "sort"]
