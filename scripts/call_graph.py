#!/usr/bin/env python3
"""Draws the calls of a sort in one pass and in two, as trees of functions.

    scripts/call_graph.py --bin FILE [--least PERCENT]

valgrind counts the instructions of one thread. Each line is a function of this repository, below
the one that calls it, with its share of all instructions, calls included. A function that several
others call is shown once with its own calls; its share is that of all callers together. Functions
with a smaller share than PERCENT (1) are left out, as are those of libraries between two others.

FILE has to have names of functions: `cargo build` makes one in target/debug.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

RECORDS = 200_000
ROOT = "job::SortJob::run"

SORTS = {
    "One pass: 20 MB of 100-byte records, by their first ten bytes": (
        "records",
        ["--format", "fixed:100", "--key", "0..10", "--memory", "256MiB"],
    ),
    "Two passes: 20 MB of lines within 24 MiB": ("lines", ["--memory", "24MiB"]),
}


class Profile:
    """Counts of callgrind: instructions of functions, and of calls."""

    def __init__(self, path: Path) -> None:
        """Reads a file of callgrind."""
        self.own: dict[str, int] = defaultdict(int)
        self.calls: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        names: dict[str, str] = {}

        def name(text: str) -> str:
            number, _, given = text.partition(" ")
            if given:
                names[number] = short(given)
            return names[number]

        caller = called = ""
        is_call = False
        for line in path.read_text().splitlines():
            if line.startswith("fn="):
                caller = name(line.removeprefix("fn="))
            elif line.startswith("cfn="):
                called = name(line.removeprefix("cfn="))
            elif line.startswith("calls="):
                is_call = True
            elif re.match(r"[-+*\d]+ \d+$", line):
                count = int(line.split()[1])
                if is_call:
                    self.calls[caller][called] += count
                else:
                    self.own[caller] += count
                is_call = False

    def total(self) -> int:
        """Returns all instructions."""
        return sum(self.own.values())

    def inclusive(self, function: str) -> int:
        """Returns the instructions of a function and of what it calls."""
        calls = self.calls[function].items()
        return self.own[function] + sum(count for called, count in calls if called != function)

    def called(self, function: str, passed: frozenset[str] = frozenset()) -> dict[str, int]:
        """Returns the functions of this repository that a function calls, through libraries too."""
        found: dict[str, int] = defaultdict(int)
        passed |= {function}
        for called, count in self.calls[function].items():
            if called in passed:
                continue
            if called.startswith("~"):
                for further, below in self.called(called, passed).items():
                    found[further] += min(below, count)
            else:
                found[called] += count
        return found


def short(name: str) -> str:
    """Returns a name without crate, types and closures; `~` before one of a library."""
    is_ours = "sortwell_" in name or name.startswith("sortwell::")
    name = re.sub(r"(?:::\{\{closure\}\})+", "::closure", name)
    name = re.sub(r"'\d+$|sortwell_\w+::", "", name)
    name = re.sub(r"<impl (?:.* for )?([\w:]+)[^>]*>(?:>)?", r"\1", name)
    name = re.sub(r"<([\w:]+)(?:<[^<>]*>)? as [^>]*>", r"\1", name)
    while (bare := re.sub(r"(?:::)?<[^<>]*>", "", name)) != name:
        name = bare
    return name if is_ours else f"~{name}"


def draw(profile: Profile, least: float) -> list[str]:
    """Returns the lines of a tree."""
    total, shown, lines = profile.total(), set(), []

    def add(function: str, path: list[str]) -> None:
        count = profile.inclusive(function)
        again = " (above)" if function in shown else ""
        lines.append(f"{100 * count / total:5.1f}%  {'  ' * len(path)}{function}{again}")
        if function in shown:
            return
        shown.add(function)
        for called, below in sorted(profile.called(function).items(), key=lambda call: -call[1]):
            if 100 * below / total >= least and called not in path:
                add(called, [*path, function])

    add(ROOT, [])
    return lines


def main() -> None:
    """Runs the sorts and prints their trees."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--least", type=float, default=1.0)
    arguments = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "records").write_bytes(chance.randbytes(100 * RECORDS))
        lines = (chance.randbytes(49).hex() + "\n" for _ in range(RECORDS))
        (folder / "lines").write_text("x".join(["", *lines]))
        for title, (file, options) in SORTS.items():
            counted = folder / "callgrind"
            count = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={counted}"]
            sort = [arguments.bin, "sort", "--progress", "never", "--threads", "1", *options]
            subprocess.run(
                [*count, *sort, folder / file, "-o", folder / "sorted"],
                check=True,
            )
            print(f"## {title}\n\n```text")
            print(*draw(Profile(counted), arguments.least), sep="\n")
            print("```\n")


if __name__ == "__main__":
    main()
