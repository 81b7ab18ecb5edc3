"""Programs and functions run in processes of their own, and what they took."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shlex
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Callable


class LeftOut(Exception):
    """Something that a suite needs is missing here; the message names it."""


def run(command: list[str], environment: dict | None = None) -> tuple[dict, str]:
    """Runs a command; what it took, and its standard error. One that fails ends everything."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    start = time.perf_counter()
    quiet["env"] = {**os.environ, **(environment or {})}
    with subprocess.Popen(command, stderr=subprocess.PIPE, **quiet) as process:
        try:
            words = process.stderr.read().decode(errors="replace")
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            # A command removes its temporary files before it ends.
            process.terminate()
            process.wait()
            raise
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"exit status {process.returncode}: {shlex.join(command)}\n{words[-2000:]}")
    return taken(seconds, used), words


def taken(seconds: float, used: resource.struct_rusage) -> dict:
    """What a contender took, by the names that the raw files have."""
    return {
        "seconds": seconds,
        "user_seconds": used.ru_utime,
        "system_seconds": used.ru_stime,
        "peak_bytes": used.ru_maxrss * 1024,
    }


def in_child(function: Callable, *tasks: tuple) -> list[Any]:
    """Calls the function for each task, all at once, in processes that end with the call.

    This process must stay small: the system counts its own highest resident size towards that of a
    program it starts, and what the floor touches must be fresh memory each time.
    """
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(tasks), mp_context=fork) as pool:
        return list(pool.map(function, *zip(*tasks)))
