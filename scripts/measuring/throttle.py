"""A slow disk, for suites about slow disks: control groups of Linux limit a fast one.

Control groups limit reads and writes separately. A disk has one budget for both, so a thread here
divides the rate between them: the two limits always add up to it, and follow what is used.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from measuring.process import LeftOut

GROUPS = Path("/sys/fs/cgroup")
NAME = "sortwell-measure"
# The controller of disks where each has a hierarchy of its own.
OLD = "blkio"
# Time between two divisions of the rate.
STEP_SECONDS = 0.1
# A direction that moves less than this part of its limit has more than it needs.
USED_PART = 0.85
# It keeps this multiple of what it moves, and
MORE = 1.3
# at least this part of the rate.
LEAST_PART = 0.05


@contextlib.contextmanager
def throttled(directory: Path, rate: int | None) -> Iterator[None]:
    """Limits reads and writes of what this process starts to `rate` bytes a second together.

    The limit is that of the disk below `directory`. It counts what bypasses the page cache.
    """
    if rate is None:
        yield
        return
    is_over = threading.Event()
    try:
        before = group_of_process()
        disk = LimitedDisk(disk_of(directory), rate)
        disk.limit(rate // 2)
        (disk.group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        words = f"the disk cannot be throttled ({error}); it takes root, and blkio or io"
        raise LeftOut(words) from error
    thread = threading.Thread(target=disk.divide_until, args=(is_over,))
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        (before / "cgroup.procs").write_text(str(os.getpid()))
        # A process that does not end keeps its group, and the next use takes it over.
        with contextlib.suppress(OSError):
            disk.group.rmdir()


class LimitedDisk:
    """A disk by its numbers, and the group whose processes it is limited for."""

    def __init__(self, numbers: str, rate: int) -> None:
        """Makes the group, or takes over one that was left."""
        self.numbers, self.rate = numbers, rate
        self.is_old = (GROUPS / OLD).is_dir()
        parent = GROUPS / OLD if self.is_old else GROUPS
        if not self.is_old:
            (parent / "cgroup.subtree_control").write_text("+io")
        self.group = parent / NAME
        self.group.mkdir(exist_ok=True)

    def limit(self, read_rate: int) -> None:
        """Sets the limit of reads, and gives the rest to writes."""
        rates = {"r": read_rate, "w": self.rate - read_rate}
        if not self.is_old:
            words = " ".join(f"{way}bps={rate}" for way, rate in rates.items())
            (self.group / "io.max").write_text(f"{self.numbers} {words}")
            return
        for way, name in (("r", "read"), ("w", "write")):
            file = self.group / f"blkio.throttle.{name}_bps_device"
            file.write_text(f"{self.numbers} {rates[way]}")

    def moved(self) -> tuple[int, int]:
        """Returns the bytes that were read and written so far."""
        name = "blkio.throttle.io_service_bytes" if self.is_old else "io.stat"
        counts = {}
        for line in (self.group / name).read_text().splitlines():
            numbers, *words = line.split()
            if numbers == self.numbers:
                # "Read 5" of lines for each, or "rbytes=5 wbytes=6" in one line.
                counts.update([words] if self.is_old else (word.split("=") for word in words))
        reads, writes = ("Read", "Write") if self.is_old else ("rbytes", "wbytes")
        return int(counts.get(reads, 0)), int(counts.get(writes, 0))

    def divide_until(self, is_over: threading.Event) -> None:
        """Divides the rate by what reads and writes use, again and again."""
        read_rate, moved, then = self.rate // 2, self.moved(), time.monotonic()
        while not is_over.wait(STEP_SECONDS):
            now_moved, now = self.moved(), time.monotonic()
            reads, writes = (
                (after - before) / (now - then) for before, after in zip(moved, now_moved)
            )
            moved, then = now_moved, now
            wanted = divided(self.rate, read_rate, reads, writes)
            if wanted != read_rate:
                read_rate = wanted
                self.limit(read_rate)


def divided(rate: int, read_rate: int, reads: float, writes: float) -> int:
    """Returns the share of reads, from the last one and from the rates of both directions."""
    is_read_short = reads > USED_PART * read_rate
    is_write_short = writes > USED_PART * (rate - read_rate)
    if is_read_short == is_write_short:
        return rate // 2 if is_read_short else read_rate
    other = writes if is_read_short else reads
    spare = round(min(rate / 2, max(other * MORE, LEAST_PART * rate)))
    return rate - spare if is_read_short else spare


def group_of_process() -> Path:
    """Returns the group that this process is in."""
    is_old = (GROUPS / OLD).is_dir()
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if OLD in controllers.split(",") if is_old else not controllers:
            return (GROUPS / OLD if is_old else GROUPS) / path.lstrip("/")
    raise OSError("this process is in no control group")


def disk_of(directory: Path) -> str:
    """The numbers of the disk that has the folder, also of one with partitions."""
    device = directory.stat().st_dev
    numbers = f"{os.major(device)}:{os.minor(device)}"
    known = Path("/sys/dev/block", numbers).resolve()
    if (known / "partition").exists():
        return (known.parent / "dev").read_text().strip()
    return numbers
