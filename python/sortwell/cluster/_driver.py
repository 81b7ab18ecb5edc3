"""The driver of a cluster sort.

    find inputs --> splits --> runs --> cuts --> parts --> proof --> names --> manifest
                               a task   of the   a task
                               each     keys     each

Ray places the tasks, and starts a task of a dead process again. If a node is lost, the driver has
its runs made on other nodes, and repeats the parts that asked for them. That is all the scheduling
there is here.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import replace

from sortwell import _errors, _options
from sortwell.cluster import (
    _bounds,
    _budget,
    _connection,
    _findings,
    _inputs,
    _named_files,
    _placement,
    _report,
)
from sortwell.cluster._losses import NodeLost
from sortwell.cluster._output import OutputFolder
from sortwell.cluster._results import (
    ClusterProgress,
    ClusterStatistics,
    NodeStatistics,
    Part,
    Phase,
)
from sortwell.cluster._spec import (
    FORMS,
    MEMORY_FOLDER,
    RUN_ENDS,
    Spec,
    checked_form,
    checked_options,
    own_error,
    proof_error,
    storage_error,
    usage_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from sortwell._options import Option, Path, Paths
    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import MadePart, Run, Split, Work

_NO_RAY = (
    "Ray is not installed; install it from a copy of the repository of sortwell with: "
    "pip install './python[cluster]'"
)


def sort(
    inputs: Paths,
    output: Path,
    *,
    parts: int | None = None,
    memory: str | int | None = None,
    temp: Path | None = None,
    address: str | None = None,
    form: str = FORMS[0],
    resume: bool = False,
    report: Path | None = None,
    progress: Callable[[ClusterProgress], object] | None = None,
    **options: Option,
) -> ClusterStatistics:
    """Sorts files on a cluster of Ray into parts that come one after another.

    `inputs` are paths that all nodes share, or `node://NAME/path` for files of one node, where
    NAME is the node's label `sortwell-node` or its id, and `*` means all nodes. Both may be
    patterns. `output` is the folder of the parts: a shared path, or `node://*/path`, which leaves
    each part on the node that made it. The folder gets the file `manifest.json` last, which names
    the parts in order. Of CSV, each part has the header.

    `parts` is the number of parts, by default one for each node, and one with `limit` or `skip`.
    `memory` is the limit of each node, 1 GiB by default. `temp` is each node's folder for runs,
    /var/tmp by default.

    `address` is that of a cluster of Ray. By default it is the address in RAY_ADDRESS, or that of
    the cluster that runs on this machine; without one, a new cluster starts, and ends with the
    call. A program that has called `ray.init` uses that cluster.

    `form` says how a part receives records: "threaded" while it merges, "interleaved" from all
    sources in turn before, or "synchronous" from one source after another before.

    `resume` keeps the runs after a failure. The same call again then makes only those that are
    missing. `report` is the path of a page with what each node and task did.

    The other arguments are the options of `sortwell sort` that say how records are read, chosen,
    ordered and combined: `key`, `format`, `include`, `unique`, `sum`, `limit` and others.

        sortwell.cluster.sort("node://*/data/*.csv", "/shared/sorted", key="id:int", format="csv")

    Raises `UsageError`, `MalformedError`, `StorageError`, `NoSpaceError` or `ProofError`. After an
    error there is no manifest and no part of this sort, and, without `resume`, no run.
    """
    try:
        import ray
    except ImportError as error:
        raise usage_error(_NO_RAY) from error
    names = _options.paths(inputs)
    words = checked_options(options, names)
    words = tuple(_named_files.with_absolute_paths(list(words)))
    if not names:
        raise usage_error("there is no input; name the files to sort")
    for path in [*names, os.fsdecode(output)]:
        _inputs.place(path)
    if progress is not None and not callable(progress):
        kind = type(progress).__name__
        raise TypeError(f"progress= must be a function, and has the type {kind}")
    page = _path("report", report)
    if page is not None:
        _report.check_place(page, names, os.fsdecode(output))
    folder = os.path.abspath(_path("temp", temp) or "/var/tmp")
    spec = Spec(
        job=secrets.token_hex(6),
        token=secrets.token_hex(16),
        memory=_budget.checked(memory),
        temp=folder,
        options=words,
        form=checked_form(form),
        keeps=resume,
        named_files=_named_files.checksum(list(words)),
    )
    parts = _checked_parts(spec, parts)
    if resume:
        spec = replace(spec, job=_inputs.identity(names, os.fsdecode(output), spec))
    is_ours = not ray.is_initialized()
    if is_ours:
        _connection.connect(address)
    try:
        statistics = _Sort(spec, os.fsdecode(output), progress).run(names, parts)
    finally:
        if is_ours:
            ray.shutdown()
    if page is not None:
        try:
            _report.write(page, statistics)
        except OSError as error:
            # All parts have their names, and the manifest is written.
            what = f"the sort is done, but its report cannot be written to {page}"
            raise storage_error(f"{what}: {error}") from error
    return statistics


def _path(name: str, path: Path | None) -> str | None:
    """Returns the path that an argument names."""
    try:
        found = None if path is None else os.fsdecode(path)
    except TypeError as error:
        raise usage_error(f"'{name}' is one path; {path!r} was given") from error
    if found == "":
        raise usage_error(f"'{name}' needs a value, and is empty")
    return found


def _checked_parts(spec: Spec, parts: int | None) -> int | None:
    """Returns the number of parts that is asked for."""
    if parts is not None and parts < 1:
        raise usage_error(f"the output needs one part at least; {parts} were asked for")
    if not spec.is_partial:
        return parts
    if parts not in (None, 1):
        raise usage_error("'limit' and 'skip' count records of one part; leave 'parts' out")
    return 1


class _Sort:
    """One sort on the cluster."""

    def __init__(
        self, spec: Spec, output: str, progress: Callable[[ClusterProgress], object] | None
    ) -> None:
        self._spec = spec
        self._output = OutputFolder(output, spec)
        self._progress = progress
        self._phases: list[Phase] = []
        self._redone_maps = self._redone_parts = self._kept_maps = self._second_attempts = 0
        self._in_memory = self._held = self._tasks = 0
        self._made: dict[int, MadePart] = {}
        self._work: list[Work] = []

    def run(self, names: list[str], parts: int | None) -> ClusterStatistics:
        """Sorts."""
        from sortwell.cluster._nodes import Cluster

        begun = time.monotonic()
        try:
            cluster = Cluster(self._spec, self._output.folder)
        except BaseException as error:
            raise own_error(error) from error.__cause__
        is_done = is_damaged = is_refused = False
        try:
            is_done = self._output.clean(cluster)
            self._output.claim(cluster)
            self._notify("find")
            files = _inputs.find(cluster, names)
            self._spec = _inputs.with_top(self._spec, files)
            cluster.call_any("check_options", self._spec)
            self._notify("split")
            splits = _placement.splits(cluster, self._spec, files)
            self._spec = replace(self._spec, key_bytes=_budget.of_keys(len(splits)))
            parts = parts or len(cluster.nodes)
            self._tasks = len(splits) + parts
            runs = self._kept_runs(cluster, splits)
            chosen, self._in_memory = _placement.place(cluster, self._spec, splits)
            self._held = self._in_memory
            chosen = {number: node for number, node in chosen.items() if number not in runs}
            runs |= self._make_runs(cluster, splits, chosen)
            bounds = self._kept_bounds(cluster, splits, runs, parts)
            statistics = self._finish(cluster, splits, runs, bounds, begun)
            is_done = True
        except BaseException as error:
            self._output.remove_parts(cluster)
            # Runs that are damaged would be so next time, too.
            is_damaged = isinstance(error, (_errors.ProofError, _errors.MalformedError))
            # Nothing is wrong with the exchanges then.
            is_refused = isinstance(error, (_errors.UsageError, _errors.MalformedError))
            raise own_error(error) from error.__cause__
        finally:
            keeps_runs = self._spec.keeps and not is_done and not is_damaged
            cluster.close(keeps_runs, is_done or is_refused, removes_parts=not is_done)
        return statistics

    def _finish(
        self,
        cluster: Cluster,
        splits: list[Split],
        runs: dict[int, Run],
        bounds: dict[int, list[int]],
        begun: float,
    ) -> ClusterStatistics:
        """Has parts made, named and listed in the manifest.

        If a node is lost while parts get their names, the names are taken back, and all parts are
        made again.
        """
        from sortwell.cluster._running import ATTEMPTS

        for _ in range(ATTEMPTS):
            self._make_parts(cluster, splits, runs, bounds)
            statistics = self._prove(cluster, runs, time.monotonic() - begun)
            try:
                self._notify("commit", self._tasks)
                self._output.commit(cluster, list(self._made.values()))
                self._output.write_manifest(cluster, statistics)
            except NodeLost as error:
                reason = str(error)
            else:
                return statistics
            self._redone_parts += len(self._made)
            self._made.clear()
            with contextlib.suppress(NodeLost):
                cluster.drop_lost()
                self._output.take_back(cluster)
        raise storage_error(f"parts could not be named in {ATTEMPTS} attempts: {reason}")

    def _ids(self, cluster: Cluster) -> list[str]:
        return [node.id for node in cluster.nodes]

    def _notify(self, phase: str, done: int = 0) -> None:
        if self._progress is not None:
            self._progress(ClusterProgress(phase, done, self._tasks))

    def _kept_runs(self, cluster: Cluster, splits: list[Split]) -> dict[int, Run]:
        """Returns the runs that an interrupted sort has left."""
        if not self._spec.keeps:
            return {}
        wanted = {self._spec.identity_of(split): split.number for split in splits}
        found = {}
        for node in cluster.nodes:
            try:
                adopted = cluster.call(node.id, "adopt", self._spec)
            except NodeLost:
                cluster.drop_lost()
                continue
            for identity, run in adopted:
                if identity in wanted:
                    found[wanted[identity]] = run
        self._kept_maps = len(found)
        return found

    def _make_runs(
        self, cluster: Cluster, splits: list[Split], chosen: dict[int, str]
    ) -> dict[int, Run]:
        """Has a run made of each chosen split. Returns them by the numbers of their splits."""
        from sortwell.cluster._running import Tasks, task_on
        from sortwell.cluster._tasks import make_run

        begun = time.monotonic()
        numbered = {split.number: split for split in splits}

        def start(number: int, node: str) -> Any:
            split, threads = (
                replace(numbered[number], node_name=cluster.name(node)),
                cluster.cpus(node),
            )
            task = task_on(make_run, f"map {number}", node, threads)
            return task.remote(self._spec, split, threads, self._in_memory)

        runs = Tasks(
            cluster,
            "map",
            start,
            chosen,
            notify=lambda done: self._notify("map", len(splits) - len(chosen) + done),
            may_move=lambda number: self._ids(cluster) if numbered[number].node is None else [],
            owned=lambda number: numbered[number] if numbered[number].node else None,
        )
        made: dict[int, Run] = runs.finish()
        self._redone_maps += runs.repeated
        self._second_attempts += runs.second_attempts
        self._work += [run.work for run in made.values()]
        self._phases.append(Phase("map", time.monotonic() - begun, len(chosen)))
        return made

    def _kept_bounds(
        self, cluster: Cluster, splits: list[Split], runs: dict[int, Run], parts: int
    ) -> dict[int, list[int]]:
        """Returns the bounds of all runs. Makes runs that are lost again first."""
        from sortwell.cluster._running import ATTEMPTS

        begun = time.monotonic()
        for _ in range(ATTEMPTS):
            self._notify("cut", len(splits))
            with contextlib.suppress(NodeLost):
                bounds = _bounds.find(cluster, self._spec, list(runs.values()), parts)
                self._phases.append(Phase("cut", time.monotonic() - begun, len(runs)))
                return bounds
            self._recover(cluster, splits, runs)
        raise storage_error(f"nodes or runs were lost in {ATTEMPTS} attempts to cut the runs")

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
        most = _budget.runs_at_once(self._spec.memory, self._held)
        nodes_merge = _placement.most_runs(bounds) > most

        def start(number: int, node: str) -> Any:
            path = self._output.unnamed(number, node)
            sources = _placement.sources(cluster, runs, bounds, number, nodes_merge)
            merging = len(cluster.nodes) if nodes_merge else 0
            threads = cluster.cpus(node)
            task = task_on(make_part, f"reduce {number}", node, threads)
            return task.remote(self._spec, number, path, sources, threads, merging)

        def notify(done: int) -> None:
            self._notify("reduce", self._tasks - parts + len(self._made) + done)

        left, reason, failed = set(range(parts)) - set(self._made), "", 0
        while failed < ATTEMPTS:
            nodes = [node.id for node in self._output.owners(cluster)]
            tasks = Tasks(
                cluster,
                "reduce",
                start,
                {number: nodes[number * len(nodes) // parts] for number in sorted(left)},
                notify=notify,
                may_move=lambda _: [node.id for node in self._output.owners(cluster)],
                owned=lambda _: None,
            )
            made: dict[int, MadePart] = tasks.finish()
            self._made.update(made)
            self._redone_parts += tasks.repeated
            self._second_attempts += tasks.second_attempts
            self._work += [part.work for part in made.values()]
            reason = tasks.reason or reason
            failed = 0 if made else failed + 1
            cluster.drop_lost()
            # On a shared path too: a process of the lost node may still remove them.
            known = self._ids(cluster)
            missing = self._missing(cluster, self._made.values())
            self._made = {
                number: part
                for number, part in self._made.items()
                if part.node in known and part.path not in missing
            }
            left = set(range(parts)) - set(self._made)
            if not left:
                self._phases.append(Phase("reduce", time.monotonic() - begun, parts))
                return
            self._redone_parts += len(left)
            self._recover(cluster, splits, runs)
        raise storage_error(
            f"{len(left)} parts could not be made in {ATTEMPTS} attempts; the last fault: {reason}"
        )

    def _recover(self, cluster: Cluster, splits: list[Split], runs: dict[int, Run]) -> None:
        """Makes runs again that are lost. They have the same bytes, so offsets stay."""
        cluster.drop_lost()
        cluster.begin_exchanges()
        known = {node.id for node in cluster.nodes}
        missing = self._missing(cluster, runs.values(), RUN_ENDS)
        lost = [
            split
            for split in splits
            if runs[split.number].node not in known or runs[split.number].path in missing
        ]
        # The nodes that are left may have no memory for runs of others.
        self._in_memory = 0 if lost else self._in_memory
        _placement.check_owners(cluster, lost)
        if lost:
            self._redone_maps += len(lost)
            chosen = _inputs.assign(lost, self._ids(cluster))
            made = self._make_runs(cluster, splits, chosen)
            for split in lost:
                if not made[split.number].has_records_of(runs[split.number]):
                    raise storage_error(
                        f"{split.path}: the input has changed since the sort began: the run that "
                        "replaces a lost one has other records"
                    )
            runs.update(made)

    def _missing(
        self, cluster: Cluster, made: Collection[Run | MadePart], ends: tuple[str, ...] = ("",)
    ) -> set[str]:
        """Returns the paths of what was made and is gone from nodes that are alive."""
        found: set[str] = set()
        for node in self._ids(cluster):
            paths = [one.path for one in made if one.node == node]
            # A node that is lost now is found so by the next attempt.
            with contextlib.suppress(NodeLost):
                found.update(cluster.call(node, "missing", paths, ends))
        return found

    def _prove(self, cluster: Cluster, runs: dict[int, Run], seconds: float) -> ClusterStatistics:
        """Compares what parts were merged of with runs, and returns the statistics."""
        parts = [self._made[number] for number in sorted(self._made)]
        sorted_records = sum(run.records for run in runs.values())
        merged = sum(part.records_read for part in parts)
        total = sum(int(run.checksum, 16) for run in runs.values()) % (1 << 128)
        checksum = sum(int(part.checksum or "0", 16) for part in parts) % (1 << 128)
        # A part counts what it was merged of, before equal records became one.
        if (sorted_records, total) != (merged, checksum) and not self._spec.is_partial:
            raise proof_error(f"runs of {sorted_records} records became parts of {merged} others")
        is_in_memory = all(run.path.startswith(MEMORY_FOLDER) for run in runs.values())
        nodes = {node.id: NodeStatistics(node.name) for node in cluster.nodes}
        for run in runs.values():
            node = nodes.setdefault(run.node, NodeStatistics(cluster.name(run.node)))
            node.runs += 1
            node.bytes_sorted += run.bytes
        for part in parts:
            node = nodes.setdefault(part.node, NodeStatistics(cluster.name(part.node)))
            node.parts += 1
            for source, size in part.received.items():
                name = cluster.name(source)
                node.received_from[name] = node.received_from.get(name, 0) + size
                node.bytes_received += size
                node.bytes_from_other_nodes += size if source != part.node else 0
        return ClusterStatistics(
            records=sum(part.records for part in parts),
            bytes=sum(part.bytes for part in parts),
            checksum="" if self._spec.is_partial else f"{checksum:032x}",
            seconds=seconds,
            passes=1 if self._in_memory and is_in_memory else 2,
            parts=[
                Part(p.number, self._output.final(cluster, p), p.records, p.bytes, p.checksum)
                for p in parts
            ],
            nodes=list(nodes.values()),
            phases=self._phases,
            maps_done_again=self._redone_maps,
            parts_done_again=self._redone_parts,
            maps_kept=self._kept_maps,
            second_attempts=self._second_attempts,
            header=parts[0].header,
            work=[replace(work, node=cluster.name(work.node)) for work in self._work],
            **_findings.of_runs(self._spec, runs.values()),
        )
