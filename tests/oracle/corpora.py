"""Sorts the tables and JSON lines of any folders, and compares the outcomes with the model's.

    python3 -m oracle.corpora --bin FILE FOLDER...

For test files of other programs, whose authors thought of what the generator does not. Each file is
sorted in several ways. An outcome has to be the model's; where the model leaves it open, the output
has to be a permutation of the records, or the error has to name a row, a line or the header. Exits
with 1 if one differs.
"""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

from .model import Job, Outcome, Unspecified, acceptable
from .model.command import parse_arguments
from .model.errors import RefusedError
from .model.formats import parse_format, read_records
from .model.headers import take_marks

TABLES = (
    ("-k", "1"),
    ("--quote", "lenient", "-k", "1"),
    ("--quote", "lenient", "--ragged", "keep", "-k", "2", "-r"),
    ("--quote", "none", "--no-header", "--ragged", "keep", "-k", "1"),
    ("--no-header", "--invalid", "last", "--ragged", "keep", "-k", "2:decimal", "-k", "1"),
)
WAYS = {
    ".csv": tuple(("-F", "csv", *way) for way in TABLES),
    ".tsv": tuple(("-F", "tsv", *way) for way in TABLES),
    ".jsonl": (("-F", "jsonl", "-k", "id"), ("-F", "jsonl", "--invalid", "last", "-k", "a:int")),
}
WAYS[".ndjson"] = WAYS[".jsonl"]
# Larger files are not sorted by the model, which takes seconds for a megabyte.
MODELED_MAX = 300_000
PLACE = re.compile(r"row \d+|line \d+|header|byte \d+")
# Files that are refused as a whole, of which the model knows nothing.
WHOLE = re.compile(r"is UTF-16 text|end with a carriage return alone|is a Parquet file")
# The status of malformed input.
MALFORMED = 3


def run(binary: str, arguments: tuple[str, ...], path: Path) -> tuple[Outcome, str]:
    """Sorts a file by the program; what came of it, and what it said."""
    words = [binary, "sort", "-M", "64MiB", *arguments, str(path)]
    ended = subprocess.run(words, capture_output=True, timeout=120, check=False)
    outputs = {"": ended.stdout} if ended.returncode == 0 else {}
    return Outcome(ended.returncode, outputs), ended.stderr.decode(errors="replace")


def fault(arguments: tuple[str, ...], data: bytes, outcome: Outcome, said: str) -> str:
    """Returns what is wrong with an outcome, or nothing."""
    if outcome.status not in (0, 2, MALFORMED):
        return f"status {outcome.status}"
    if outcome.status == MALFORMED and WHOLE.search(said):
        return ""
    if "there is no column" in said:
        # What is malformed below the header is not looked at then.
        return "" if outcome.status == 2 else f"status {outcome.status}"
    if outcome.status == MALFORMED and not PLACE.search(said):
        return "the error names no place"
    if len(data) <= MODELED_MAX:
        try:
            is_right = acceptable(Job("sort", arguments, (data,)), outcome)
            return "" if is_right else "not as the model has it"
        except Unspecified:
            pass
    form = parse_format(parse_arguments("sort", arguments))
    try:
        _, texts = take_marks(form, (data, outcome.outputs.get("", b"")))
        records = [sorted(record.body for record in read_records(form, text)) for text in texts]
    except (Unspecified, RefusedError):
        return ""
    is_same = outcome.status != 0 or records[0] == records[1]
    return "" if is_same else "not a permutation"


def main() -> int:
    """Sorts all files; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    statuses, faults, files = collections.Counter(), 0, 0
    for path in sorted(path for folder in options.folders for path in folder.rglob("*")):
        ways = WAYS.get(path.suffix.lower())
        if ways is None or not path.is_file():
            continue
        data = path.read_bytes()
        files += 1
        for arguments in ways:
            outcome, said = run(options.bin, arguments, path)
            statuses[" ".join(arguments), outcome.status] += 1
            wrong = fault(arguments, data, outcome, said)
            if wrong:
                faults += 1
                print(f"{path}: {' '.join(arguments)}: {wrong}\n  {said[:300]}")
    for (arguments, status), count in sorted(statuses.items()):
        print(f"{arguments}: status {status}: {count}")
    print(f"{files} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
