"""The two tasks of Ray: a split becomes a run, and ranges of runs become a part."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import uuid
from dataclasses import asdict

import ray

from sortwell import _errors, _native
from sortwell.cluster import _budget
from sortwell.cluster._exchange import raise_open_files
from sortwell.cluster._janitor import LOCK
from sortwell.cluster._losses import RunLost
from sortwell.cluster._reception import Reception
from sortwell.cluster._recorder import Recorder
from sortwell.cluster._run_folders import NOTE
from sortwell.cluster._spec import (
    RUN_ENDS,
    MadePart,
    Run,
    is_space,
    proof_error,
    reworded,
    state_of,
    storage_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sortwell.cluster._spec import Source, Spec, Split


# Bytes by which a run may be longer than its split: a last line gets an end.
_LINE_ENDS = 16


def here() -> str:
    """Returns the id of the node that runs this."""
    node: str = ray.get_runtime_context().get_node_id()
    return node


def _note_begin(spec: Spec, node: str, task: str) -> None:
    """Notes that a task has the processors of its node."""
    # The exchange has made the folder, unless it has been dead for long.
    with contextlib.suppress(OSError):
        pathlib.Path(spec.note_of_begin(node, task)).touch()


def make_run(spec: Spec, split: Split, threads: int, in_memory: int) -> Run:
    """Sorts a split into a run on this node.

    `in_memory` is the bytes of runs that stay in the memory of each node, 0 if they are on disk. A
    run that would exceed this is written to disk, for example that of a second attempt.

    Raises `RunLost` if a janitor has removed the folder meanwhile.
    """
    lock = _lock_of(spec, here())
    try:
        return _made_run(spec, split, threads, in_memory, may_be_in_memory=in_memory > 0)
    except OSError as error:
        if lock is not None and _lock_of(spec, here()) != lock:
            raise RunLost(f"the folder of run {split.number} was removed") from error
        if not in_memory or not is_space(error):
            raise
        # Something else has taken the memory since the sort began.
        return _made_run(spec, split, threads, in_memory, may_be_in_memory=False)


def _made_run(
    spec: Spec, split: Split, threads: int, in_memory: int, may_be_in_memory: bool
) -> Run:
    if split.is_compressed:
        spec = spec.with_header(split.header)
    node, task = here(), f"map {split.number}"
    _note_begin(spec, node, task)
    recorder = Recorder(task, node)
    _remove_dead(spec, node, split)
    held = _budget.held(spec.memory_folder(node))
    has_room = held + split.bytes <= in_memory + _LINE_ENDS
    temp = spec.folder(node)
    folder = spec.memory_folder(node) if may_be_in_memory and has_room else temp
    for path in (folder, temp):
        os.makedirs(path, exist_ok=True)
    path = os.path.join(folder, f"{_name(split)}-{uuid.uuid4().hex[:8]}")
    memory = _budget.of_sort(spec.memory, max(in_memory, held))
    _check_unchanged(split)
    try:
        size, records, checksum, keys, findings = _native.make_run(
            spec.sort_words(threads, memory, temp),
            spec.cut_words(),
            (split.path, split.start, split.end, split.is_compressed),
            spec.header,
            path,
            spec.key_bytes,
            recorder,
        )
    except _errors.Error as error:
        for end in RUN_ENDS:
            with contextlib.suppress(OSError):
                os.remove(path + end)
        _check_unchanged(split)
        if isinstance(error, _errors.MalformedError):
            raise _of_file(error, split, len(spec.header)) from None
        if split.node and split.path in str(error):
            raise reworded(error, f"{error} (on node {split.node_name})") from None
        raise
    _check_unchanged(split)
    made = (size, records, checksum, findings, keys)
    run = Run(split.number, node, path, *made, recorder.work())
    if spec.keeps:
        _note(spec, split, run)
    return run


def _remove_dead(spec: Spec, node: str, split: Split) -> None:
    """Removes files in memory of a dead attempt to make this run on this node."""
    for path in pathlib.Path(spec.memory_folder(node)).glob(f"{_name(split)}-*"):
        with contextlib.suppress(OSError):
            path.unlink()


def _name(split: Split) -> str:
    """Returns the beginning of the names of the runs of a split."""
    return f"run-{split.number:06}"


def _check_unchanged(split: Split) -> None:
    """Raises an error if the input of a split is not the file that was cut."""
    on_node = f" on node {split.node_name}" if split.node_name else ""
    try:
        state = state_of(split.path)
    except OSError as error:
        raise storage_error(f"cannot read {split.path}{on_node}: {error.strerror}") from error
    if state != split.state:
        # Of a shared path, a node may have another file.
        raise storage_error(
            f"{split.path}: the input{on_node} has changed since the sort began; sort it again "
            "when nothing writes to it, and all nodes have the same file there"
        )


def _of_file(error: _errors.Error, split: Split, header: int) -> BaseException:
    """Returns an error in a split, which is read after the header, as one in its file."""
    kind, message, code, file, offset, record, number = _errors.content(error)
    if split.node:
        message = f"{message} (on node {split.node_name})"
    if split.is_compressed or split.start <= header:
        return _errors.make(kind, message, code, file, offset, record, number)
    top = "its header and " if header else ""
    message = f"{message} (lines are counted as if {top}byte {split.start} began the file)"
    offset = None if offset is None else offset + split.start - header
    return _errors.make(kind, message, code, file, offset, None, number)


def _note(spec: Spec, split: Split, run: Run) -> None:
    """Notes that a run is finished, for a sort that continues this one."""
    values = asdict(run)
    for name in ("keys", "work", "node", "path"):
        del values[name]
    for end in RUN_ENDS:
        with open(run.path + end, "rb+") as file:
            os.fsync(file.fileno())
    with open(f"{run.path}.tmp", "w", encoding="utf-8") as file:
        json.dump({"identity": spec.identity_of(split), "run": values}, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(f"{run.path}.tmp", f"{run.path}{NOTE}")


def make_part(
    spec: Spec, number: int, path: str, sources: list[Source], threads: int, nodes: int
) -> MadePart:
    """Merges what nodes send into a part of the output. Returns what was written.

    This node may send merges to `nodes` nodes meanwhile.

    A file of this name is that of another attempt, which has the same bytes. Raises `RunLost` if a
    janitor has removed the folder of this node meanwhile.
    """
    node, task = here(), f"reduce {number}"
    _note_begin(spec, node, task)
    recorder = Recorder(task, node)
    raise_open_files()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{uuid.uuid4().hex[:8]}.tmp"
    lock = _lock_of(spec, node)
    try:
        _check_continues(spec, node, lock)
        statistics = _merged(spec, sources, temporary, threads, nodes, recorder)
        size = os.path.getsize(temporary)
        header_bytes = size - _written(statistics, "bytes")
        with open(temporary, "rb") as file:
            header = file.read(header_bytes)
        _check_continues(spec, node, lock)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if isinstance(error, OSError):
            _check_continues(spec, node, lock)
        raise
    received = {source.node: 0 for source in sources}
    for source in sources:
        received[source.node] += source.bytes
    proof = statistics["proof"] or {"records": statistics["records"], "checksum": ""}
    return MadePart(
        number=number,
        node=node,
        path=path,
        records=_written(statistics, "records"),
        records_read=proof["records"],
        bytes=size,
        header=header,
        checksum=str(proof["checksum"]),
        received=received,
        work=recorder.work(),
    )


def _written(statistics: dict[str, Any], name: str) -> int:
    """Returns the records or the bytes of the output of a merge, by the name of the statistic."""
    selected = statistics[name + "_selected"]
    return int(statistics[name] if selected is None else selected)


def _lock_of(spec: Spec, node: str) -> tuple[int, int] | None:
    """Returns what tells the lock of the exchange from one that was made again, if there is one."""
    with contextlib.suppress(OSError):
        found = os.stat(os.path.join(spec.folder(node), LOCK))
        return found.st_ino, found.st_ctime_ns
    return None


def _check_continues(spec: Spec, node: str, lock: tuple[int, int] | None) -> None:
    """Raises `RunLost` if this lock is gone: no process would remove the part."""
    if lock is None or _lock_of(spec, node) != lock:
        raise RunLost("the sort has ended, or its exchange was dead for long")


def _merged(
    spec: Spec, sources: list[Source], output: str, threads: int, nodes: int, recorder: Recorder
) -> dict[str, Any]:
    """Merges sources into a file, and returns the statistics."""
    folder = spec.folder(here())
    held = _budget.held(spec.memory_folder(here()))
    memory = _budget.of_part(spec.memory, held, nodes, len(sources))
    words = spec.merge_words(memory, folder, is_last=True)
    words.append(("threads", str(threads)))
    reception = Reception(spec, sources, folder, held)
    try:
        made = _native.run_task("merge", words, reception.inputs, output, recorder)
    except Exception as error:
        # A source that ended too early is the reason for a record that lacks its end.
        reception.close()
        reception.check()
        raise reception.of_input(error) from None
    finally:
        reception.close()
    # A merge may have ended early; a source that was lost before is found here.
    reception.check()
    if spec.writes_all:
        expected = sum(source.bytes for source in sources) + len(spec.header)
        if os.path.getsize(output) != expected:
            raise proof_error(f"{output} has not the {expected} bytes that its runs have")
    found: dict[str, Any] = json.loads(made)
    return found
