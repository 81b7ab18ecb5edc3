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

# Seconds in which an exchange may be started again.
PATIENCE = 20

# Name of the file in a folder of runs that is locked.
LOCK = "lock"


def start(folders: list[str], output: str, job: str) -> None:
    """Starts the process. It looks after folders of runs, the last of which has the lock."""
    # Without the package, the interpreter starts at once.
    words = [sys.executable, "-I", "-S", __file__, json.dumps([folders, output, job])]
    nothing = subprocess.DEVNULL
    subprocess.run(words, stdin=nothing, stdout=nothing, stderr=nothing, check=True)


def remove_unfinished(folder: str, job: str) -> None:
    """Removes the parts of a sort that have no final name yet."""
    for path in glob.glob(os.path.join(glob.escape(folder), f".*{job}*")):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def remove_runs(folders: list[str]) -> None:
    """Removes folders of runs, and the folder around each if no other node uses it."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(folder))


def _wait_for_lock(path: str, flags: int) -> None:
    """Takes the lock, and gives it back. Raises `OSError` if it is gone, or cannot be had."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, flags)
        os.stat(path)
    finally:
        os.close(descriptor)


def _watch(folders: list[str], output: str, job: str) -> None:
    lock = os.path.join(folders[-1], LOCK)
    try:
        _wait_for_lock(lock, fcntl.LOCK_EX)
        time.sleep(PATIENCE)
        _wait_for_lock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # The folder is gone, or another exchange has it.
        return
    remove_unfinished(output, job)
    remove_runs(folders)


if __name__ == "__main__":
    # Ray ends the children of a process that has died. This is no child of it any more.
    if os.fork() == 0:
        os.setsid()
        _watch(*json.loads(sys.argv[1]))
