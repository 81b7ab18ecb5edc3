"""A disk that is slower than it is, for suites about slow disks: control groups of Linux."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
NAME = "sortwell-measure"


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
        parent = enter(disk, rate)
    except OSError as error:
        sys.exit(f"measure: the disk cannot be throttled ({error}); it takes root, and blkio or io")
    try:
        yield
    finally:
        (parent / "cgroup.procs").write_text(str(os.getpid()))
        (parent / NAME).rmdir()


def enter(disk: str, rate: int) -> Path:
    """Moves this process into a group with the limit, and returns the group above it."""
    is_old = (GROUPS / "blkio").is_dir()
    parent = GROUPS / "blkio" if is_old else GROUPS
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
    return parent


def disk_of(directory: Path) -> str:
    """The numbers of the disk that has the folder, also of one with partitions."""
    device = directory.stat().st_dev
    numbers = f"{os.major(device)}:{os.minor(device)}"
    known = Path("/sys/dev/block", numbers).resolve()
    if (known / "partition").exists():
        return (known.parent / "dev").read_text().strip()
    return numbers
