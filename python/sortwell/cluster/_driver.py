"""The driver of a cluster sort.

    find inputs --> splits --> runs --> cuts --> parts --> proof --> manifest
                               a task   of the   a task
                               each     keys     each

Ray places the tasks, and starts a task of a dead process again. If a node is lost, the driver has
its runs made on other nodes, and repeats the parts that asked for them. That is all the scheduling
there is here.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import time
from dataclasses import dataclass

from sortwell import _options
from sortwell.cluster import _cuts, _inputs
from sortwell.cluster._results import ClusterStatistics, NodeStatistics, Part, Phase
from sortwell.cluster._spec import (
    NodeLost,
    Source,
    Spec,
    checked_memory,
    checked_options,
    proof_error,
    storage_error,
    usage_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell._options import Option, Path, Paths
    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import InputFile, MadePart, Run, Split

# Part of the memory of a sort that a split takes: its records and their entries fit.
_SPLIT_SHARE = 0.4

_NO_RAY = "Ray is not installed; install it with: pip install 'sortwell[cluster]'"


@dataclass(frozen=True)
class ClusterProgress:
    """Progress of a cluster sort: the phase, and how many of its tasks are done."""

    phase: str
    done: int
    tasks: int


def sort(
    inputs: Paths,
    output: Path,
    *,
    parts: int | None = None,
    memory: str | int | None = None,
    temp: Path | None = None,
    address: str | None = None,
    progress: Callable[[ClusterProgress], object] | None = None,
    **options: Option,
) -> ClusterStatistics:
    """Sorts files on a cluster of Ray into parts that come one after another.

    `inputs` are paths that all nodes share, or `node://NAME/path` for files of one node, where
    NAME is the node's label `sortwell-node` or its id, and `*` means all nodes. Both may be
    patterns. `output` is the folder of the parts: a shared path, or `node://*/path`, which leaves
    each part on the node that made it. The folder gets the file `manifest.json` last, which names
    the parts in order. Of CSV, each part has the header.

    `parts` is the number of parts, by default one for each node. `memory` is the limit of each
    node, 1 GiB by default. `temp` is the folder for runs on each node. `address` is that of a
    cluster of Ray; by default that of the environment, or a new one on this machine, which ends
    with the call. A program that has called `ray.init` uses that cluster.

    The other arguments are the options of `sortwell sort` that say how records are read, chosen
    and ordered: `key`, `format`, `include`, `unique` and others.

        sortwell.cluster.sort("node://*/data/*.csv", "/shared/sorted", key="id:int", format="csv")

    Raises `UsageError`, `MalformedError`, `StorageError`, `NoSpaceError` or `ProofError`. After an
    error there is no manifest, and no part and no run of this sort.
    """
    try:
        import ray
    except ImportError as error:
        raise usage_error(_NO_RAY) from error
    words = checked_options(options)
    if parts is not None and parts < 1:
        raise usage_error(f"the output needs one part at least; {parts} were asked for")
    names = _options.paths(inputs)
    if not names:
        raise usage_error("there is no input; name the files to sort")
    folder = os.path.abspath(os.fsdecode(temp)) if temp is not None else "/var/tmp"
    spec = Spec(secrets.token_hex(6), secrets.token_hex(16), checked_memory(memory), folder, words)
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        return _Sort(spec, os.fsdecode(output), progress).run(names, parts)
    finally:
        if is_ours:
            ray.shutdown()


class _Sort:
    """One sort on the cluster."""

    def __init__(
        self, spec: Spec, output: str, progress: Callable[[ClusterProgress], object] | None
    ) -> None:
        self._spec = spec
        self._output = output
        self._node, self._folder = _inputs.place(output)
        self._progress = progress
        self._phases: list[Phase] = []
        self._redone_maps = 0
        self._redone_parts = 0
        self._made: dict[int, MadePart] = {}

    def run(self, names: list[str], parts: int | None) -> ClusterStatistics:
        """Sorts."""
        from sortwell.cluster._nodes import Cluster

        begun = time.monotonic()
        cluster = Cluster(self._spec)
        try:
            self._check_output(cluster)
            files = _inputs.find(cluster, names)
            self._spec = self._spec.with_header(_inputs.common_header(files))
            splits = self._splits(cluster, files)
            runs = self._make_runs(cluster, splits, _inputs.assign(splits, self._ids(cluster)))
            bounds = self._kept_bounds(cluster, splits, runs, parts or len(cluster.nodes))
            self._make_parts(cluster, splits, runs, bounds)
            self._remove_unfinished(cluster)
            statistics = self._prove(cluster, runs, time.monotonic() - begun)
            self._write_manifest(statistics)
        except NodeLost as error:
            self._remove_parts(cluster)
            raise storage_error(str(error)) from error
        except BaseException:
            self._remove_parts(cluster)
            raise
        finally:
            cluster.close()
        return statistics

    def _ids(self, cluster: Cluster) -> list[str]:
        return [node.id for node in cluster.nodes]

    def _check_output(self, cluster: Cluster) -> None:
        """Checks that the folder of the output is empty: no old part may look like a new one."""
        for node in self._owners(cluster):
            if names := cluster.call(node.id, "names", self._folder):
                raise usage_error(
                    f"the folder {self._folder} on node {node.name} is not empty: it has "
                    f"{names[0]}; name a new folder"
                )

    def _tell(self, phase: str, done: int, tasks: int) -> None:
        if self._progress is not None:
            self._progress(ClusterProgress(phase, done, tasks))

    def _splits(self, cluster: Cluster, files: list[InputFile]) -> list[Split]:
        nodes = self._ids(cluster)
        most = int(max(self._spec.memory - (192 << 20), 64 << 20) * _SPLIT_SHARE)
        total = sum(file.bytes for file in files)
        length = max(min(most, -(-total // len(nodes))), 1 << 20)

        def cut(file: InputFile, start: int, length: int) -> list[int]:
            found: list[int] = cluster.call(
                file.node or nodes[0], "cut_input", file.path, start, length
            )
            return found

        return _inputs.splits(files, length, cut)

    def _make_runs(
        self, cluster: Cluster, splits: list[Split], chosen: dict[int, str]
    ) -> dict[int, Run]:
        """Has a run made of each split. Returns them by the numbers of their splits."""
        from sortwell.cluster._running import Tasks, task_on
        from sortwell.cluster._tasks import make_run

        begun = time.monotonic()
        waiting = {split.number: split for split in splits}

        def start(number: int, node: str) -> Any:
            split, threads = waiting[number], cluster.cpus(node)
            return task_on(make_run, f"map {number}", node, threads, split.node is None).remote(
                self._spec, split, threads
            )

        runs = Tasks(cluster, start, chosen, lambda done: self._tell("map", done, len(splits)))
        made = runs.finish(lambda number: waiting[number].node)
        self._redone_maps += runs.repeated
        self._phases.append(Phase("map", time.monotonic() - begun, len(splits)))
        return made

    def _kept_bounds(
        self, cluster: Cluster, splits: list[Split], runs: dict[int, Run], parts: int
    ) -> dict[int, list[int]]:
        """Returns the bounds of all runs. Makes the runs of lost nodes again first."""
        from sortwell.cluster._running import ATTEMPTS

        for _ in range(ATTEMPTS):
            with contextlib.suppress(NodeLost):
                return self._find_bounds(cluster, runs, parts)
            self._recover(cluster, splits, runs)
        raise storage_error(f"nodes were lost in {ATTEMPTS} attempts to cut the runs")

    def _find_bounds(
        self, cluster: Cluster, runs: dict[int, Run], parts: int
    ) -> dict[int, list[int]]:
        """Returns the offsets between which each run is part of each part."""
        begun = time.monotonic()
        keeps_keys = self._spec.is_unique
        cuts = _cuts.choose(list(runs.values()), parts)
        by_node: dict[str, list[Run]] = {}
        for run in runs.values():
            by_node.setdefault(run.node, []).append(run)
        bounds = {}
        for node, own in by_node.items():
            asked = [
                (run.path, [(cut.key, cut.is_after(run.split, keeps_keys)) for cut in cuts])
                for run in own
            ]
            offsets = cluster.call(node, "find_cuts", self._spec, asked)
            for run, found in zip(own, offsets, strict=True):
                exact = [
                    cut.offset if cut.split == run.split and not keeps_keys else offset
                    for cut, offset in zip(cuts, found, strict=True)
                ]
                # A part without records has the same offsets at both ends.
                bounds[run.split] = [0, *exact] + [run.bytes] * (parts - len(cuts))
        self._phases.append(Phase("cut", time.monotonic() - begun, len(by_node)))
        return bounds if bounds else {-1: [0] * (parts + 1)}

    def _sources(
        self, cluster: Cluster, runs: dict[int, Run], bounds: dict[int, list[int]], part: int
    ) -> list[Source]:
        """Returns what a part is merged of: neighbouring runs of a node are one source."""
        sources: list[Source] = []
        for number in sorted(runs):
            run, (start, end) = runs[number], bounds[number][part : part + 2]
            if start == end:
                continue
            piece = (run.path, start, end)
            if sources and sources[-1].node == run.node:
                last = sources.pop()
                sources.append(Source(run.node, last.url, (*last.ranges, piece)))
            else:
                sources.append(Source(run.node, cluster.url(run.node), (piece,)))
        return sources

    def _make_parts(
        self,
        cluster: Cluster,
        splits: list[Split],
        runs: dict[int, Run],
        bounds: dict[int, list[int]],
    ) -> None:
        """Has all parts made."""
        from sortwell.cluster._running import ATTEMPTS, Tasks, task_on
        from sortwell.cluster._tasks import make_part

        begun = time.monotonic()
        parts = len(next(iter(bounds.values()))) - 1
        width = max(5, len(str(parts)))

        def start(number: int, node: str) -> Any:
            path = os.path.join(self._folder, f"part-{number:0{width}}")
            sources = self._sources(cluster, runs, bounds, number)
            threads = cluster.cpus(node)
            task = task_on(make_part, f"reduce {number}", node, threads, False)
            return task.remote(self._spec, number, path, sources, threads)

        left, reason = set(range(parts)), ""
        for _ in range(ATTEMPTS):
            nodes = [node.id for node in self._owners(cluster)]
            chosen = {number: nodes[number * len(nodes) // parts] for number in left}
            tasks = Tasks(
                cluster, start, chosen, lambda done: self._tell("reduce", done, parts), left
            )
            made: dict[int, MadePart] = tasks.finish(lambda _: None)
            self._made.update(made)
            self._redone_parts += tasks.repeated
            reason = tasks.reason or reason
            lost = cluster.drop_lost()
            if self._node is not None:
                self._made = {k: part for k, part in self._made.items() if part.node not in lost}
            left = set(range(parts)) - set(self._made)
            if not left:
                self._phases.append(Phase("reduce", time.monotonic() - begun, parts))
                return
            self._redone_parts += len(left)
            self._recover(cluster, splits, runs)
        raise storage_error(
            f"{len(left)} parts could not be made in {ATTEMPTS} attempts; the last fault: {reason}"
        )

    def _owners(self, cluster: Cluster) -> list[Any]:
        return cluster.nodes if self._node is None else cluster.named(self._node)

    def _recover(self, cluster: Cluster, splits: list[Split], runs: dict[int, Run]) -> None:
        """Makes the runs of lost nodes again. They have the same bytes, so offsets stay."""
        cluster.drop_lost()
        cluster.read_urls()
        known = {node.id for node in cluster.nodes}
        lost = [split for split in splits if runs[split.number].node not in known]
        for split in lost:
            if split.node is not None and split.node not in known:
                raise storage_error(
                    f"the node of {split.path} is lost, and no other node has this input"
                )
        if lost:
            self._redone_maps += len(lost)
            chosen = _inputs.assign(lost, self._ids(cluster))
            runs.update(self._make_runs(cluster, lost, chosen))

    def _prove(self, cluster: Cluster, runs: dict[int, Run], seconds: float) -> ClusterStatistics:
        """Compares parts with runs, and returns the statistics."""
        parts = [self._made[number] for number in sorted(self._made)]
        records = sum(run.records for run in runs.values())
        written = sum(part.records for part in parts)
        total = sum(int(run.checksum, 16) for run in runs.values()) % (1 << 128)
        checksum = sum(int(part.checksum, 16) for part in parts) % (1 << 128)
        if not self._spec.is_unique and (records, total) != (written, checksum):
            raise proof_error(f"{records} records were read, and {written} others were written")
        nodes = {node.id: NodeStatistics(node.name) for node in cluster.nodes}
        for run in runs.values():
            node = nodes.setdefault(run.node, NodeStatistics(cluster.name(run.node)))
            node.runs += 1
            node.bytes_sorted += run.bytes
        for part in parts:
            node = nodes.setdefault(part.node, NodeStatistics(cluster.name(part.node)))
            node.parts += 1
            node.bytes_received += sum(part.received.values())
            node.bytes_from_other_nodes += sum(
                size for source, size in part.received.items() if source != part.node
            )
        return ClusterStatistics(
            records=written,
            bytes=sum(part.bytes for part in parts),
            checksum=f"{checksum:032x}",
            seconds=seconds,
            passes=2,
            parts=[self._named(cluster, part) for part in parts],
            nodes=list(nodes.values()),
            phases=self._phases,
            maps_done_again=self._redone_maps,
            parts_done_again=self._redone_parts,
            header=self._spec.header,
        )

    def _named(self, cluster: Cluster, part: MadePart) -> Part:
        path = part.path
        if self._node is not None:
            path = f"node://{cluster.name(part.node)}{path}"
        return Part(part.number, path, part.records, part.bytes, part.checksum)

    def _write_manifest(self, statistics: ClusterStatistics) -> None:
        os.makedirs(self._folder, exist_ok=True)
        path = os.path.join(self._folder, "manifest.json")
        temporary = f"{path}.{self._spec.job}.tmp"
        with open(temporary, "x", encoding="utf-8") as file:
            json.dump(statistics.as_dict(), file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)

    def _remove_parts(self, cluster: Cluster) -> None:
        """Removes the parts that were made."""
        self._remove_unfinished(cluster)
        for part in self._made.values():
            with contextlib.suppress(Exception):
                cluster.call(part.node, "remove", part.path)

    def _remove_unfinished(self, cluster: Cluster) -> None:
        """Removes the files of killed tasks from the folder of the output."""
        for node in self._owners(cluster):
            with contextlib.suppress(Exception):
                cluster.call(node.id, "remove_unfinished", self._folder)
