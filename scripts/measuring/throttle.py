"""A disk that is slower than it is, for suites about slow disks: control groups of Linux."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
NAME = "sortwell-measure"
# The controller of disks where each has a hierarchy of its own.
OLD = "blkio"


@contextlib.contextmanager
def throttled(directory: Path, rate: int | None) -> Iterator[None]:
    """Limits reads and writes of what this process starts to `rate` bytes a second each.

    The limit is that of the disk below `directory`. It counts what bypasses the page cache.
    """
    if rate is None:
        yield
        return
    disk = disk_of(directory)
    try:
        before = group_of_process()
        group = enter(disk, rate)
    except OSError as error:
        sys.exit(f"measure: the disk cannot be throttled ({error}); it takes root, and blkio or io")
    try:
        yield
    finally:
        (before / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


def enter(disk: str, rate: int) -> Path:
    """Moves this process into a new group with the limit, and returns the group."""
    is_old = (GROUPS / OLD).is_dir()
    parent = GROUPS / OLD if is_old else GROUPS
    if not is_old:
        (parent / "cgroup.subtree_control").write_text("+io")
    group = parent / NAME
    group.mkdir(exist_ok=True)
    if is_old:
        for way in ("read", "write"):
            (group / f"blkio.throttle.{way}_bps_device").write_text(f"{disk} {rate}")
    else:
        (group / "io.max").write_text(f"{disk} rbps={rate} wbps={rate}")
    (group / "cgroup.procs").write_text(str(os.getpid()))
    return group


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
