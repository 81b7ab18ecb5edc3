"""An index over the inputs of a sort: the records that it finds are those of the sorted output."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from random import Random

from .bgzf import packed
from .case import Case
from .circumstances import FILE
from .place import Place

# Options of a sort that an index build has as well.
OPTIONS = ("-F", "-k", "-t", "-r", "--invalid", "--date-format", "--header", "--quote", "--ragged")
OPTIONS += ("--no-header", "--pad", "--unique", "-u", "--random-seed")
TIMEOUT_SECONDS = 20.0
# Sorts that have no index.
REFUSALS = (
    "an index needs a key",
    "an index cannot have a key with a list",
)


def has_index(case: Case) -> bool:
    """Returns whether an index may have the order of a case."""
    chosen = case.circumstances
    names = {option[0].split("=")[0] for option in case.options}
    is_plain = chosen.input == FILE and not chosen.codec_in and not chosen.kills
    return case.command == "sort" and is_plain and names <= set(OPTIONS)


def run(binary: str, root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Runs an operation on an index."""
    line = [binary, "index", *words]
    return subprocess.run(line, cwd=root, capture_output=True, timeout=TIMEOUT_SECONDS)


def build_words(case: Case, rng: Random) -> list[str]:
    """Returns the options of the build, some of which must not change the index."""
    words = [word for option in case.options for word in option]
    # Of a sort, the first of several records is the default; of an index, it is an error.
    words = ["--unique=first" if word in ("-u", "--unique") else word for word in words]
    words += rng.choice(([], ["--resume"], ["--io", "sync"], ["--direct", "off"]))
    return [*words, "--threads", str(rng.choice((1, 2, 3))), "-M", rng.choice(("40MiB", "200MiB"))]


def faults_of_index(binary: str, case: Case, root: Path, wanted: bytes | None) -> list[str]:
    """Builds an index over the inputs of a case, and returns what is wrong with it.

    `wanted` is the sorted output, or None if a record is malformed.
    """
    rng = Random(repr(case.options))
    place = Place(binary, root, case)
    place.lay_out()
    if rng.random() < 0.3:
        for name, content in zip(place.names, place.contents):
            (root / name).write_bytes(packed(content, rng))
    words, names = build_words(case, rng), place.names
    # An empty file names no column, and a key may need one.
    may_grow = len(names) > 1 and place.contents[0]
    later = names[1:] if may_grow and rng.random() < 0.3 else []
    done = run(binary, root, "build", *words, "-o", "index", *names[: len(names) - len(later)])
    if done.returncode == 0 and later:
        done = run(binary, root, "append", "index", *later)
    said = done.stderr.decode(errors="replace").strip()
    if any(reason in said for reason in REFUSALS):
        return []
    if done.returncode < 0 or done.returncode == 70 or "panicked" in said:
        return [f"status {done.returncode}: {said[-300:]}"]
    if done.returncode:
        # A budget that is too small is not looked into; the sort itself is run with several.
        is_fault = wanted is not None and "memory" not in said
        return [f"the build fails: {said[-300:]}"] if is_fault else []
    if wanted is None:
        return ["it was built, although the sort refuses a record"]
    faults = list(differences(binary, root, wanted))
    if not later and rng.random() < 0.5:
        done = run(binary, root, "build", *words, "-o", "database", "--to", "sqlite", *names)
        places = run(binary, root, *SEARCHES[2]).stdout
        faults += faults_of_database(done, root, places, "--invalid" in words)
    return faults


def faults_of_database(
    done: subprocess.CompletedProcess[bytes], root: Path, places: bytes, places_invalid: bool
) -> list[str]:
    """Returns what is wrong with a database that was built over the same data as an index.

    `places` are those of the entries of the index, in its order. With `places_invalid`, records
    with an invalid key come before or after all others.
    """
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        return [] if "memory" in said else [f"no database is built: {said[-300:]}"]
    with closing(sqlite3.connect(root / "database")) as database:
        checked = database.execute("PRAGMA integrity_check").fetchall()
        order = "FROM entries JOIN files USING (file) ORDER BY number"
        rows = database.execute(f"SELECT path, offset, length, number {order}").fetchall()
        column = database.execute("SELECT name FROM pragma_table_info('entries')").fetchall()[1][0]
        quoted = '"' + column.replace('"', '""') + '"'
        is_number = f"typeof({quoted}) IN ('integer', 'real')"
        values = database.execute(f"SELECT {quoted} FROM entries WHERE {is_number} ORDER BY number")
        numbers = [number for (number,) in values]
    faults = [] if checked == [("ok",)] else [f"SQLite finds {checked[0][0]}"]
    found = [f"{path}\t{offset}\t{length}".encode() for path, offset, length, _ in rows]
    if found != places.splitlines():
        faults.append(f"the {len(found)} rows of the database are not the entries of the index")
    # An invalid later key has a place of its own, whatever the first key is.
    if numbers not in (sorted(numbers), sorted(numbers, reverse=True)) and not places_invalid:
        faults.append(f"the numbers of the column {column} are not in order")
    if [row[3] for row in rows] != list(range(1, len(rows) + 1)):
        faults.append("the rows of the database have wrong numbers")
    return faults


def differences(binary: str, root: Path, wanted: bytes) -> list[str]:
    """Returns how what is read through an index differs from the sorted records."""
    found = [run(binary, root, *words).stdout for words in SEARCHES]
    records, backwards, places, reversed_places, count = found[:5]
    faults = []
    if not wanted.endswith(records):
        faults.append(f"its records differ: {len(records)} bytes, {len(wanted)} sorted")
    if places.splitlines() != reversed_places.splitlines()[::-1]:
        faults.append("its reverse order is another one")
    if len(backwards) != len(records) or int(count or b"-1") != len(places.splitlines()):
        faults.append("it has another number of records backwards, or by count")
    if found[5] != wanted:
        faults.append(f"its export differs: {len(found[5])} bytes, {len(wanted)} sorted")
    return faults


SEARCHES = (
    ("range", "index"),
    ("range", "index", "--reverse"),
    ("range", "index", "--offsets"),
    ("range", "index", "--offsets", "--reverse"),
    ("range", "index", "--count"),
    ("export", "index"),
)
