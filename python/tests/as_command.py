"""The package behind the command line of the command, for the random commands of `tests/oracle`.

`scripts/python.sh` makes a program of it. A stream to a stream is pushed into a sorter, and its
blocks are printed. Other streams become temporary files, as the package has jobs of files. What a
library refuses, such as `--files0-from`, is done here.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import sortwell

SHORT = {"F": "format", "M": "memory", "T": "temp", "j": "threads", "k": "key", "o": "output"}
SHORT |= {"r": "reverse", "t": "separator", "u": "unique"}
# Options of files, which a sorter of pushed records does not have.
OF_FILES = {"compress", "decompress", "direct", "force", "in_place", "resume", "split", "split_by"}
# Bytes that are pushed at once, which end within records.
PIECE = 100_003
FLAGS = {"count", "force", "in-place", "no-header", "resume", "reverse", "union-by-name", "unique"}


def read(words: list[str]) -> tuple[dict[str, list], list[str]]:
    """Returns the options and the inputs of a command line."""
    options, inputs, rest = {}, [], list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            inputs.append(word)
            continue
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
        else:
            name, value = SHORT[word[1]], word[2:]
            sign = bool(value)
        if not sign:
            value = True if name in FLAGS else rest.pop(0)
        options.setdefault(name.replace("-", "_"), []).append(value)
    flat = {name: True if True in values else values for name, values in options.items()}
    return flat, inputs


def spooled(folder: Path, inputs: list[str]) -> list[str]:
    """Returns the inputs, with standard input as a file."""
    found = []
    for name in inputs or ["-"]:
        if name == "-":
            name = str(folder / "stdin")
            with open(name, "wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        found.append(name)
    return found


def push(options: dict[str, list]) -> sortwell.Statistics:
    """Sorts standard input in a sorter, piece by piece, and prints its blocks."""
    options.pop("sync", None)  # A stream is not made durable.
    with sortwell.Sorter(**options) as sorter:
        while piece := sys.stdin.buffer.read1(PIECE):
            sorter.push(piece)
        blocks = sorter.finish()
        for block in blocks:
            sys.stdout.buffer.write(block)
        return blocks.statistics


def run(command: str, words: list[str], folder: Path) -> int:
    """Carries out a command, and returns its exit status."""
    options, inputs = read(words)
    options.pop("stats", None)
    for name in options.pop("files0_from", []):
        inputs += Path(name).read_text().rstrip("\0").split("\0")
    is_stream = command == "sort" and inputs in ([], ["-"]) and "output" not in options
    if is_stream and not options.keys() & OF_FILES:
        print(json.dumps(push(options).as_dict()), file=sys.stderr)
        return 0
    inputs = spooled(folder, inputs)
    output = options.pop("output", [None])[-1]
    if command == "check":
        checked = sortwell.check(inputs, **options)
        if checked.ragged_rows_dropped:
            count = checked.ragged_rows_dropped
            print(f"left out {count} rows with a different number of cells", file=sys.stderr)
        return 0 if checked else 1
    is_printed = output is None and "in_place" not in options
    target = str(folder / "stdout") if is_printed else output
    if command == "merge":
        statistics = sortwell.merge(inputs, target, **options)
    else:
        statistics = sortwell.sort(inputs, target, **options)
    if is_printed:
        with open(target, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    print(json.dumps(statistics.as_dict()), file=sys.stderr)
    return 0


def main() -> int:
    """Carries out the command line."""
    # Not in TMPDIR, where the random commands look for what sorts leave.
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        try:
            return run(sys.argv[1], sys.argv[2:], Path(folder))
        except sortwell.Error as error:
            print(f"sortwell: {error}", file=sys.stderr)
            return error.code


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
