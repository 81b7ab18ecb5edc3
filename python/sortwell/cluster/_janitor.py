"""A process that removes what an exchange has left when it ended without doing so.

    exchange   holds a lock ------------> ends
    janitor    waits for the lock ......  waits for another exchange ..  removes

If Ray starts the exchange again, the new one takes the lock and starts its own janitor. An exchange
that ends as it should removes its folders before it gives up the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import json
import os
import shutil
import subprocess
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Seconds in which an exchange may be started again.
PATIENCE = 20

# Name of the file in a folder of runs that its exchange locks.
LOCK = "lock"

# Name of the file that janitors lock, which may be several.
WATCHED = "watched"

# Name of the file that says that the sort is done.
MANIFEST = "manifest.json"

# Beginnings of the names of files that say which names parts get. Parts of the second kind wait
# for a manifest on another machine: no janitor removes them, nor the file.
COMMIT, SEALED = ".commit.", ".sealed."


def start(folders: list[str], output: str, part_end: str) -> None:
    """Starts the process. It looks after folders of runs, the last of which has the lock.

    `part_end` is in the names of the unfinished parts of this node in the folder of the output.
    """
    # Without the package, the interpreter starts at once.
    words = [sys.executable, "-I", "-S", __file__, json.dumps([folders, output, part_end])]
    nothing = subprocess.DEVNULL
    subprocess.run(words, stdin=nothing, stdout=nothing, stderr=nothing, check=True)


def remove_unfinished(folder: str, part_end: str, kept: list[str] | None = None) -> None:
    """Removes the hidden files of a sort, or of one node, except those of the names `kept`."""
    for path in glob.glob(os.path.join(glob.escape(folder), f".*{part_end}*")):
        if os.path.basename(path) not in (kept or []):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def remove_named(folder: str, part_end: str, kinds: tuple[str, ...] = (COMMIT, SEALED)) -> None:
    """Removes the parts that a sort, or one node, has named, and then the notes of them."""
    for kind in kinds:
        for note in glob.glob(os.path.join(glob.escape(folder), f"{kind}{part_end}*")):
            remove_same(list(noted_names(note).items()))
            with contextlib.suppress(FileNotFoundError):
                os.remove(note)


def unfinished_manifest(folder: str, job: str) -> str:
    """Returns the path of the manifest of a sort before it has its name."""
    return os.path.join(folder, f".manifest.{job}.tmp")


def _is_done(folder: str, part_end: str) -> bool:
    """Returns whether the sort is done. If it is not, it cannot be done with the named parts."""
    if os.path.exists(os.path.join(folder, f"{COMMIT}{part_end}")):
        # The driver cannot give the manifest its name after this.
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished_manifest(folder, part_end.partition(".")[0]))
    return os.path.exists(os.path.join(folder, MANIFEST))


def remove_same(names: list[tuple[str, int]]) -> None:
    """Removes names that still belong to files with these inodes."""
    for path, inode in names:
        if inode_of(path) == inode:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def noted_names(note: str) -> dict[str, int]:
    """Returns the names that parts get, with the inodes of the files."""
    with contextlib.suppress(OSError, ValueError), open(note, encoding="utf-8") as file:
        return {str(name): int(inode) for name, inode in json.load(file).items()}
    return {}


def inode_of(path: str) -> int | None:
    """Returns the inode of a file, or None if there is no such file."""
    try:
        return os.lstat(path).st_ino
    except FileNotFoundError:
        return None


def remove_runs(folders: list[str]) -> None:
    """Removes folders of runs, and the folder around each if no other node uses it."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(folder))


@contextlib.contextmanager
def _lock(path: str, flags: int) -> Iterator[None]:
    """Holds the lock. Raises `OSError` if it is gone, or cannot be had."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, flags)
        os.stat(path)
        yield
    finally:
        os.close(descriptor)


def _watch(folders: list[str], output: str, part_end: str) -> None:
    lock = os.path.join(folders[-1], LOCK)
    # If the lock cannot be had, the folder is gone, or another exchange has it.
    with contextlib.suppress(OSError):
        for folder in folders:
            # It is open until this process ends.
            watched = os.open(os.path.join(folder, WATCHED), os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(watched, fcntl.LOCK_SH)
        with _lock(lock, fcntl.LOCK_EX):
            pass
        time.sleep(PATIENCE)
        with _lock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB):
            is_done = _is_done(output, part_end)
            if not is_done:
                remove_named(output, part_end, (COMMIT,))
            # Otherwise nothing would say that the parts may lack their manifest.
            remove_unfinished(output, part_end, [] if is_done else [f"{SEALED}{part_end}"])
            remove_runs(folders)


if __name__ == "__main__":
    # Ray ends the children of a process that has died. This is no child of it any more.
    if os.fork() == 0:
        os.setsid()
        _watch(*json.loads(sys.argv[1]))
