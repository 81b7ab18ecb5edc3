"""What the figures were taken on, and which program it was."""

from __future__ import annotations

import locale
import os
import platform
import subprocess
from pathlib import Path


def machine(directory: Path, threads: int) -> dict:
    """Processor, memory, kernel and file system, as far as they bear on the figures."""
    cpu = Path("/proc/cpuinfo").read_text()
    models = [line.split(": ")[1] for line in cpu.splitlines() if line.startswith("model name")]
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": threads,
        "is_virtual": "hypervisor" in cpu,
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "kernel": platform.release().split("-")[0],
        "file_system": file_system(directory.resolve()),
        "huge_pages": huge.read_text().strip() if huge.exists() else "none",
    }


def file_system(directory: Path) -> str:
    """Type of the file system that holds the directory: of the deepest mount above it."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    above = [(len(at), kind) for at, kind in mounts if directory.is_relative_to(at)]
    return max(above)[1] if above else "unknown"


def program(binary: Path) -> dict:
    """Returns the version of the program, and the commit of the tree that has it."""
    describe = ["git", "-C", str(binary.parent), "describe"]
    return {
        "version": said([str(binary), "--version"]),
        "commit": said([*describe, "--always", "--dirty", "--abbrev=12"]),
    }


def gnu_sort() -> str:
    """Version of GNU sort; empty where `sort` is another program."""
    first = said(["sort", "--version"]).partition("\n")[0]
    return first if "GNU coreutils" in first else ""


def has_locale(name: str) -> bool:
    """Returns whether the system has a locale. Programs use C without it, and say nothing."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_ALL, before)
    return True


def said(command: list[str]) -> str:
    """What a command prints; nothing where it cannot be run."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return result.stdout.strip()
