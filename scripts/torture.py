#!/usr/bin/env -S python3 -B
"""Kills sortwell at random instants, and looks at what is left.

    torture.py --bin FILE [--kills N] [--seconds S] [--seed S] [--dir DIR]

Sorts of one pass and of two, in place, with striped runs, and merges, with and without --resume,
are killed (SIGKILL) again and again. After each kill the input is as it was and the output is the
old one or whole; the same command then goes on, or begins anew, and in the end the output is the
right one to the byte and nothing else is left. Ends after so many kills, or so many seconds; exits
with 1 at the first thing that is not as it should be, and says with which seed it happened. Python
3.9 or newer.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LINES = 400_000
OLD = b"what was there before\n"


@dataclass(frozen=True)
class Kind:
    """A command, and what may be left when it is killed."""

    name: str
    words: tuple[str, ...]
    is_resumed: bool = False
    is_in_place: bool = False
    folders: int = 1
    is_striped: bool = False
    inputs: int = 0  # that are sorted already, and merged


SPILLING = ("--memory", "30MiB", "--threads", "2")
KINDS = (
    Kind("one pass", ("--memory", "256MiB")),
    Kind("two passes", SPILLING),
    Kind("two passes, resumed", (*SPILLING, "--resume=often"), is_resumed=True),
    Kind("one pass, resumed", ("--memory", "256MiB", "--resume"), is_resumed=True),
    Kind("two folders, resumed", (*SPILLING, "--resume=often"), is_resumed=True, folders=2),
    Kind("in place", (*SPILLING, "--in-place"), is_resumed=True, is_in_place=True),
    Kind("striped runs", SPILLING, folders=3, is_striped=True),
    Kind(
        "striped runs, resumed",
        (*SPILLING, "--resume=often"),
        is_resumed=True,
        folders=3,
        is_striped=True,
    ),
    Kind(
        "striped runs, in place",
        (*SPILLING, "--in-place"),
        is_resumed=True,
        is_in_place=True,
        folders=2,
        is_striped=True,
    ),
    Kind("streams, resumed", (*SPILLING, "--merge", "streams", "--resume=often"), is_resumed=True),
    Kind("merge", ("--memory", "30MiB"), inputs=2),
    Kind("merge, resumed", ("--memory", "30MiB", "--resume=often"), is_resumed=True, inputs=2),
    Kind("merge of many, resumed", ("--memory", "24MiB", "--resume"), is_resumed=True, inputs=50),
)


class Wrong(Exception):
    """Something is not as it should be."""


def check(is_right: bool, words: str) -> None:
    """Raises unless it is."""
    if not is_right:
        raise Wrong(words)


class Place:
    """A directory for one kind: inputs, output and spill folders."""

    def __init__(self, binary: str, kind: Kind, root: Path, data: bytes) -> None:
        """Makes its folders; `data` is what is sorted in it."""
        self.kind = kind
        self.root = root
        self.output = root / "output"
        self.spills = [root / f"spill-{number}" for number in range(kind.folders)]
        for spill in self.spills:
            spill.mkdir(parents=True)
        lines = data.splitlines(keepends=True)
        self.expected = b"".join(sorted(lines))
        if kind.inputs:
            self.inputs = [sorted(lines[number :: kind.inputs]) for number in range(kind.inputs)]
        else:
            self.inputs = [lines]
        self.files = [root / f"input-{number}" for number in range(len(self.inputs))]
        self.contents = [b"".join(lines) for lines in self.inputs]
        action = "merge" if kind.inputs else "sort"
        self.command = [binary, action, *kind.words]
        self.set = root / "set.str"
        if kind.is_striped:
            members = [f"member {n}x - {spill}/m\n" for n, spill in enumerate(self.spills, 1)]
            self.set.write_text("sortwell-stripe 1\nbase 65536\n" + "".join(members))
        for temp in [self.set] if kind.is_striped else self.spills:
            self.command += ["--temp", str(temp)]
        if not kind.is_in_place:
            self.command += ["--output", str(self.output)]
        self.command += map(str, self.files)

    def lay_out(self) -> None:
        """Inputs as they are, and an output of before."""
        for file, content in zip(self.files, self.contents):
            file.write_bytes(content)
        if not self.kind.is_in_place:
            self.output.write_bytes(OLD)

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the command."""
        return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self) -> float:
        """Runs the command to its end; how long that took."""
        begun = time.monotonic()
        process = self.start()
        _, words = process.communicate()
        check(process.returncode == 0, f"it failed: {words.decode(errors='replace')}")
        return time.monotonic() - begun

    def is_killed_after(self, seconds: float) -> bool:
        """Runs the command so long, and whether that was too short for it."""
        process = self.start()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        _, words = process.communicate()
        if process.returncode in (0, -9):
            return process.returncode != 0
        raise Wrong(f"it failed by itself: {words.decode(errors='replace')}")

    def check_killed(self) -> None:
        """What must hold after a kill."""
        if self.kind.is_in_place:
            return
        for file, content in zip(self.files, self.contents):
            check(file.read_bytes() == content, f"{file} was touched")
        check(self.output.read_bytes() in (OLD, self.expected), "half an output has its name")

    def check_done(self) -> None:
        """What must hold in the end."""
        output = self.files[0] if self.kind.is_in_place else self.output
        check(output.read_bytes() == self.expected, "the output is not the right one")
        left = sorted(path.name for spill in self.spills for path in spill.iterdir())
        check(not left, f"left in the spill folders: {left}")
        known = {path.name for path in (*self.files, *self.spills, self.set, self.output)}
        others = sorted(path.name for path in self.root.iterdir() if path.name not in known)
        check(not others, f"left beside the output: {others}")


def text(chance: random.Random) -> bytes:
    """Lines of many lengths, some of them equal."""
    lines = [
        b"%x %s\n" % (chance.randrange(200_000), b"-" * chance.randrange(60)) for _ in range(LINES)
    ]
    return b"".join(lines)


def torture(place: Place, usual: float, chance: random.Random) -> int:
    """Kills one job until it is done or has been killed often; how often that was."""
    place.lay_out()
    kills = 0
    most = chance.choice((1, 2, 6))
    while kills < most and place.is_killed_after(chance.random() * usual * 1.2):
        kills += 1
        place.check_killed()
    place.run()
    place.check_done()
    return kills


def arguments() -> argparse.Namespace:
    """What was said."""
    parser = argparse.ArgumentParser(description="Kills sortwell at random instants.")
    parser.add_argument("--bin", required=True, help="the program")
    parser.add_argument("--kills", type=int, default=200, help="how many (200)")
    parser.add_argument("--seconds", type=float, default=900, help="and how long at most (900)")
    parser.add_argument("--seed", type=int, default=None, help="what instants are chosen by")
    parser.add_argument("--dir", default=None, help="where files are made")
    return parser.parse_args()


def main() -> int:
    """Kills until it is enough."""
    said = arguments()
    seed = random.randrange(1 << 32) if said.seed is None else said.seed
    chance = random.Random(seed)
    print(f"torture: seed {seed}", flush=True)
    root = Path(tempfile.mkdtemp(prefix="sortwell-torture-", dir=said.dir))
    begun, kills, jobs = time.monotonic(), 0, 0
    counts = dict.fromkeys((kind.name for kind in KINDS), 0)
    kind = KINDS[0]
    try:
        data = text(chance)
        places = []
        for number, kind in enumerate(KINDS):
            place = Place(said.bin, kind, root / str(number), data)
            place.lay_out()
            places.append((place, place.run()))
            place.check_done()
        while kills < said.kills and time.monotonic() - begun < said.seconds:
            place, usual = places[jobs % len(places)]
            kind = place.kind
            more = torture(place, usual, chance)
            counts[kind.name] += more
            kills, jobs = kills + more, jobs + 1
    except Wrong as wrong:
        print(f"torture: {kind.name}: {wrong}; --seed {seed}, files in {root}", file=sys.stderr)
        return 1
    shutil.rmtree(root)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"torture: {kills} kills of {jobs} jobs, nothing lost ({listed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
