"""Folders of runs: their locks, what dead sorts have left, and runs that are adopted."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import json
import os
import shutil
import stat
import time

from sortwell import _errors, _native
from sortwell.cluster import _janitor
from sortwell.cluster._spec import PREFIX, RUN_ENDS, Run, Work, storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sortwell.cluster._spec import Spec

# End of the name of the file that says what a finished run is of.
NOTE = ".done"

# Name of the file in the folder of runs that says to keep them after a failure.
KEPT = "kept"


def _is_own(folder: str) -> bool:
    """Returns whether a path is a folder of this user, and no link to one."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _make_own(folder: str) -> None:
    """Makes a folder of runs, and the one around it, that other users cannot read."""
    for path in (os.path.dirname(folder), folder):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
        with contextlib.suppress(FileNotFoundError):
            if not _is_own(path):
                raise storage_error(f"{path} is no folder of this user; remove it")


def locked(folder: str) -> int:
    """Makes a folder, and returns a descriptor with a lock on it, which ends with the process."""
    path = os.path.join(folder, _janitor.LOCK)
    for _ in range(50):
        _make_own(folder)
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Another node may have removed the folder before it was locked.
                if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                    return descriptor
                os.close(descriptor)
            except OSError:
                os.close(descriptor)
                raise
        # A janitor holds it for a moment.
        time.sleep(0.1)
    raise usage_error(
        f"another call of the same sort is under way: it has locked {path}; wait until it ends, or "
        "name a new folder"
    )


@contextlib.contextmanager
def lock_of(folder: str, name: str) -> Iterator[None]:
    """Holds a lock of another folder. Raises `OSError` if a process has it."""
    if not (_is_own(folder) and _is_own(os.path.dirname(folder))):
        raise PermissionError(folder)
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW
    descriptor = os.open(os.path.join(folder, name), flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def sweep(root: str) -> None:
    """Removes the folders of sorts that ended without removing them, unless they are kept.

    Those that have a janitor are left to it: their exchange may be started again.
    """
    for folder in glob.glob(os.path.join(glob.escape(root), f"{PREFIX}*", "*")):
        if os.path.exists(os.path.join(folder, KEPT)):
            continue
        with (
            contextlib.suppress(OSError),
            lock_of(folder, _janitor.LOCK),
            lock_of(folder, _janitor.WATCHED),
        ):
            _janitor.remove_runs([folder])


def notes(folder: str) -> list[str]:
    """Returns the notes of the finished runs in a folder that are kept."""
    return glob.glob(os.path.join(glob.escape(folder), f"*{NOTE}"))


def adopt(spec: Spec, own: str) -> list[tuple[str, Run]]:
    """Moves the finished runs of a sort on this machine to the folder of a node.

    Returns each with the identity of its split.
    """
    found = _adopted(own, own, spec.key_bytes)
    for other in _others(spec, own):
        found += _adopted(other, own, spec.key_bytes)
    return found


def remove_others(spec: Spec, own: str) -> None:
    """Removes the folders of a sort on this machine that no process uses, except that of a node."""
    for _ in _others(spec, own):
        pass


def _others(spec: Spec, own: str) -> Iterator[str]:
    """Returns the other folders of a sort on this machine, and removes each after its use."""
    for other in glob.glob(os.path.join(glob.escape(spec.temp), spec.name, "*")):
        if other != own:
            with contextlib.suppress(OSError), lock_of(other, _janitor.LOCK):
                yield other
                shutil.rmtree(other, ignore_errors=True)


def _adopted(other: str, own: str, key_bytes: int) -> list[tuple[str, Run]]:
    """Moves the finished runs of a folder to another one.

    Returns each with the identity of its split.
    """
    found = []
    for note in notes(other):
        name = note.removesuffix(NOTE)
        path = os.path.join(own, os.path.basename(name))
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, _errors.Error):
            with open(note, encoding="utf-8") as file:
                content = json.load(file)
            run = content["run"]
            if os.path.getsize(name) != run["bytes"]:
                continue
            for end in (*RUN_ENDS, NOTE):
                os.rename(name + end, path + end)
            node, keys = os.path.basename(own), _native.run_keys(path, key_bytes)
            work = Work(f"kept {run['split']}", node, 0.0, 0.0, [])
            kept = Run(**run, node=node, path=path, keys=keys, work=work)
            found.append((str(content["identity"]), kept))
    return found
