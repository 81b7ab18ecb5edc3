"""What a round runs in turn: a copy, the floor, sortwell. Each says what one run of it took."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import resource
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measuring.process import LeftOut, run, taken
from measuring.suites import Bench, Suite

REQUEST_BYTES = 4 << 20
REQUESTS_IN_FLIGHT = 8


def cool_down() -> bool:
    """Writes out and drops the page cache; whether that was allowed."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        return False
    return True


def copy(source: Path, output: Path) -> dict:
    """A plain copy of every byte, durable."""
    start = time.perf_counter()
    account, _ = run(["cp", "--reflink=never", str(source), str(output)])
    sync(output)
    return {**account, "seconds": time.perf_counter() - start}


def sync(path: Path) -> None:
    """Waits until a file is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def sort(bench: Bench, suite: Suite, source: Path, *more: str) -> dict:
    """The program under test, with the account that it gives of itself; where it takes the words of
    GNU sort, with a digest of the output instead."""
    if suite.gnu is not None:
        return by_gnu_words(bench, suite, bench.sort(suite, source, bench.output))
    account, words = run(bench.sort(suite, source, bench.output, "--stats", "json", *more))
    stats = json.loads(words.splitlines()[-1])
    # What went on every tenth of a second is not for tables, and long.
    stats.pop("timeline", None)
    stats.pop("job", None)  # commands are said once for all rounds, and nothing of where files lie
    return {**account, "stats": stats}


def gnu_sort(bench: Bench, suite: Suite, source: Path) -> dict:
    """GNU sort of the same lines, with the same memory and threads, durable."""
    return by_gnu_words(bench, suite, bench.gnu_sort(suite, source))


def by_gnu_words(bench: Bench, suite: Suite, command: list[str]) -> dict:
    """A command that takes the words of GNU sort, durable; with a digest of its output."""
    start = time.perf_counter()
    account, _ = run(command, {"LC_ALL": suite.locale})
    sync(bench.output)
    seconds = time.perf_counter() - start
    digest = hashlib.blake2b()
    with open(bench.output, "rb") as file:
        while block := file.read(REQUEST_BYTES):
            digest.update(block)
    return {**account, "seconds": seconds, "digest": digest.hexdigest()}


def duckdb_sort(bench: Bench, suite: Suite, source: Path) -> dict:
    """DuckDB's sort of the same table, with the same memory and threads, durable."""
    start = time.perf_counter()
    try:
        account, _ = run([sys.executable, "-c", bench.duckdb_script(suite, source)])
    except SystemExit as error:
        raise LeftOut(str(error).splitlines()[-1]) from error
    finally:
        shutil.rmtree(bench.directory / "duckdb", ignore_errors=True)
    sync(bench.output)
    return {**account, "seconds": time.perf_counter() - start}


def read_once(source: Path) -> dict:
    """Reads every byte and does nothing else."""
    size = source.stat().st_size
    memory = mmap.mmap(-1, REQUESTS_IN_FLIGHT * REQUEST_BYTES)
    before = resource.getrusage(resource.RUSAGE_SELF)
    seconds = transfer(source, size, memory, is_write=False)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **taken(seconds, used),
        "user_seconds": used.ru_utime - before.ru_utime,
        "system_seconds": used.ru_stime - before.ru_stime,
    }


def floor(source: Path, output: Path, passes: int) -> dict:
    """Moves the bytes that a sort has to move, and does nothing else.

    In one pass they all lie in memory at the same time. In two a read and a write are timed once
    and counted twice: writing the same blocks again would be quicker than a first write.
    """
    size = source.stat().st_size
    memory_bytes = size + REQUEST_BYTES if passes == 1 else REQUESTS_IN_FLIGHT * REQUEST_BYTES
    memory = mmap.mmap(-1, memory_bytes)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    before = resource.getrusage(resource.RUSAGE_SELF)
    read_seconds = transfer(source, size, memory, is_write=False)
    write_seconds = transfer(output, size, memory, is_write=True)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **taken(passes * (read_seconds + write_seconds), used),
        "user_seconds": passes * (used.ru_utime - before.ru_utime),
        "system_seconds": passes * (used.ru_stime - before.ru_stime),
        "one_read_seconds": read_seconds,
        "one_write_seconds": write_seconds,
    }


def transfer(path: Path, size: int, memory: mmap.mmap, *, is_write: bool) -> float:
    """Seconds to read or write the file past the page cache, several requests in flight.

    Each byte has its own place in the memory, or each request in flight where it is too small.
    The last request may go past the end: what is written stays a multiple of a disk block.
    """
    mode = os.O_WRONLY | os.O_CREAT if is_write else os.O_RDONLY
    descriptor = os.open(path, mode | os.O_DIRECT, 0o600)
    if is_write:
        os.posix_fallocate(descriptor, 0, size)
    is_whole = len(memory) >= size + REQUEST_BYTES
    offsets = iter(range(0, size, REQUEST_BYTES))

    def work(slot: int) -> None:
        # The iterator is shared: each request goes to the one thread that drew it.
        for offset in offsets:
            place = offset if is_whole else slot * REQUEST_BYTES
            part = memoryview(memory)[place : place + REQUEST_BYTES]
            move = os.pwritev if is_write else os.preadv
            if move(descriptor, [part], offset) < min(REQUEST_BYTES, size - offset):
                raise OSError(f"{path}: short transfer at byte {offset}")

    start = time.perf_counter()
    with ThreadPoolExecutor(REQUESTS_IN_FLIGHT) as threads:
        list(threads.map(work, range(REQUESTS_IN_FLIGHT)))
    if is_write:
        os.fdatasync(descriptor)
    seconds = time.perf_counter() - start
    os.close(descriptor)
    return seconds
