#!/usr/bin/env python3
"""Compares the printed figures of `papers.toml` with the text of the documents they are from.

Each cell of a table must be in the lines of its table, in the row of the other cells. Of columns in
our own words, the numbers must be in those lines. What the fields of `found` mean is said at the
start of `papers.toml`. The script prints each cell that is missing, and ends with status 1 if there
is one. It needs Python 3.11 or newer.

    scripts/check_papers.py DIRECTORY            compare
    scripts/check_papers.py DIRECTORY --seal     compare, then write the checksums of the tables
    scripts/check_papers.py DIRECTORY --alter    change each number, and expect to miss it
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import tomllib

BENCH = Path(__file__).resolve().parent.parent / "crates/sortbench/src/bench"
PAPERS = BENCH / "papers.toml"
CHECKSUMS = BENCH / "papers/checksums.toml"

# Marks of TeX and HTML in the texts, and the plain characters for them.
MARKS = [
    (r"\\cdot", "*"),
    (r"\\mu\s*", "u"),
    (r"<sup>", "^"),
    (r"<[^>]*>", ""),
    (r"\*\*", ""),
    (r"[\\${}]", ""),
    (r"[~|\t]", " "),
]
# Characters around a word that are no part of it.
AROUND = '()[],;:"“”'
# Marks of an empty cell.
EMPTY = {"", "-", "_", "?"}
# Numbers that texts have in words.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
SPELLED = {word: str(number) for number, word in enumerate(WORDS, 1)}
# Words between a cell and the word near it.
REACH = 12
# A title is in the first lines of a document.
TITLE_LINES = 40


class MissingError(Exception):
    """A cell or an anchor that the text lacks."""


def words(text: str) -> list[str]:
    """Returns the words of a text or a cell, without marks and without case."""
    for mark, plain in MARKS:
        text = re.sub(mark, plain, text)
    parts = (part.lstrip(AROUND).rstrip(AROUND + ".") for part in text.casefold().split())
    return [part for part in parts if part not in EMPTY]


def numbers(parts: list[str]) -> Counter[str]:
    """Returns the words that have a digit, with how often each occurs."""
    return Counter(part for part in parts if any(character.isdigit() for character in part))


def stated(cell_words: list[str]) -> set[str]:
    """Returns the numbers among words, also those that are spelled."""
    parts = [part for word in cell_words for part in (word, *word.split("-"))]
    spelled = {SPELLED[part] for part in parts if part in SPELLED}
    return spelled.union(numbers(parts))


def places(parts: list[str], cell: list[str]) -> list[int]:
    """Returns where the words of a cell follow each other in a line."""
    ends = range(len(parts) - len(cell) + 1)
    return [at for at in ends if parts[at : at + len(cell)] == cell]


def section(lines: list[str], found: dict) -> list[str]:
    """Returns the lines from one anchor to the other."""
    squashed = [" ".join(line.replace("|", " ").split()) for line in lines]

    def after(anchor: str, start: int) -> int:
        for at in range(start, len(lines)):
            if anchor in squashed[at]:
                return at
        raise MissingError(f"no line has '{anchor}'")

    anchors = found["from"] if isinstance(found["from"], list) else [found["from"]]
    start = -1
    for anchor in anchors:
        start = after(anchor, start + 1)
    end = after(found["to"], start + 1) if "to" in found else len(lines)
    return lines[start:end]


def printed(table: dict) -> list[list[str]]:
    """Returns the cells of each row that the text must have, as the text has them."""
    found = table["found"]
    own = {table["columns"].index(name) for name in found.get("own", [])}
    carried = {table["columns"].index(name) for name in found.get("carried", [])}
    misread = [list(entry) for entry in found.get("misread", [])]
    rows = []
    before: list[str] = []
    for number, row in enumerate(table["rows"], 1):
        cells = []
        for column, cell in enumerate(row):
            if column in own or (column in carried and before and before[column] == cell):
                continue
            entry = next((entry for entry in misread if entry[:2] == [number, cell]), None)
            if entry:
                misread.remove(entry)
            cells.append(entry[2] if entry else cell)
        rows.append(cells)
        before = row
    if misread:
        raise MissingError(f"no cell for the misread {misread}")
    return rows


def fits(parts: list[list[str]], cells: list[list[str]]) -> bool:
    """Returns whether lines are a row: one line exactly, or several with all words in them."""
    joined = [part for line in parts for part in line]
    wanted = [part for cell in cells for part in cell]
    if len(parts) == 1:
        return bool(places(joined, wanted))
    if Counter(wanted) - Counter(joined):
        return False
    rest = iter(joined)
    return all(cell[0] in rest for cell in cells if len(cell) == 1)


def check_rows(table: dict, lines: list[str]) -> Iterator[str]:
    """Finds rows as lines, one after another. Yields missing rows, then numbers left over."""
    found = table["found"]
    parts = [words(line) for line in lines]
    left = sum(map(numbers, parts), Counter())
    left -= numbers(words(" ".join(table["columns"] + found.get("rest", []))))
    start = 0
    for row in printed(table):
        cells = [cell for cell in map(words, row) if cell]
        for end in range(start + 1, len(parts) + 1):
            begins = range(end - 1, max(start, end - found.get("span", 1)) - 1, -1)
            if any(fits(parts[begin:end], cells) for begin in begins):
                start = end
                left.subtract(numbers([part for cell in cells for part in cell]))
                break
        else:
            yield f"row {row} is missing"
    for number, count in left.items():
        if count > 0:
            yield f"the text has {number} {count} more times"


def has_cells(parts: list[str], cells: list[list[str]], found: dict, near: str | None) -> bool:
    """Returns whether a line has all cells, in order if asked for, and near a word if given."""
    start = 0
    for cell in cells:
        at = [place for place in places(parts, cell) if place >= start]
        if near is not None:
            reach = found.get("reach", REACH)
            close = [part.strip("-\"'") for part in parts]
            at = [p for p in at if is_near(close, p, len(cell), near.strip("-"), reach)]
        if not at:
            return False
        if found.get("ordered") or found["mode"] == "list":
            start = at[0] + len(cell)
    return True


def is_near(parts: list[str], at: int, length: int, near: str, reach: int) -> bool:
    """Returns whether a word is within some words of a cell."""
    return near in parts[max(0, at - reach) : at + length + reach]


def check_prose(table: dict, lines: list[str]) -> Iterator[str]:
    """Finds each row in one line. Yields missing rows."""
    found = table["found"]
    parts = [words(line) for line in lines]
    near = found.get("near", [None] * len(table["rows"]))
    if len(near) != len(table["rows"]):
        yield "'near' has not one word for each row"
    for row, word in zip(printed(table), near):
        cells = [cell for cell in map(words, row) if cell]
        if found["mode"] == "list":
            is_there = any(
                line[: len(cells[0])] == cells[0] and has_cells(line, cells, found, None)
                for line in parts
            )
        else:
            is_there = any(has_cells(line, cells, found, word) for line in parts)
        if not is_there:
            yield f"row {row} is missing" + (f" near '{word}'" if word else "")


def own_cells(table: dict) -> Iterator[tuple[int, int]]:
    """Yields the row and the column of each cell in our own words."""
    own = {table["columns"].index(name) for name in table["found"].get("own", [])}
    return ((row, column) for row in range(len(table["rows"])) for column in sorted(own))


def check_own(table: dict, lines: list[str]) -> Iterator[str]:
    """Yields numbers of cells in our own words that the lines lack."""
    known = stated([part for line in lines for part in words(line)])
    for row, column in own_cells(table):
        cell = table["rows"][row][column]
        for number in sorted(stated(words(cell)) - known):
            yield f"'{cell}': {number} is not in the lines"


def check(table: dict, text: str) -> list[str]:
    """Returns what a table has that its document lacks."""
    try:
        lines = section(text.splitlines(), table["found"])
        checker = check_rows if table["found"]["mode"] == "rows" else check_prose
        return [*checker(table, lines), *check_own(table, lines)]
    except MissingError as error:
        return [str(error)]


def check_paper(paper: dict, text: str) -> list[str]:
    """Returns what the title and the names of a paper have that its document lacks."""
    head = words(" ".join(text.splitlines()[:TITLE_LINES]))
    return [
        f"{field}: '{word}' is not in the first lines"
        for field in ("title", "authors")
        for word in words(paper[field].replace(",", " "))
        if not any(word in part for part in head)
    ]


def checksum(name: str, table: dict) -> str:
    """Returns the checksum of a table's printed parts; `papers/tests.rs` computes the same."""
    rows = ["\t".join(row) for row in [table["columns"], *table["rows"]]]
    content = "\n".join([name, table["paper"], table["place"], *rows]) + "\n"
    return hashlib.sha256(content.encode()).hexdigest()


def altered(table: dict) -> Iterator[tuple[dict, str]]:
    """Yields copies of a table that differ in one number of a cell.

    In cells in our own words the other number is much longer, so that no line has it.
    """
    own = set(own_cells(table))
    for number, row in enumerate(table["rows"]):
        for column, cell in enumerate(row):
            for digits in re.finditer(r"\d+", cell):
                last = digits.end() - 1
                other = cell[:last] + str((int(cell[last]) + 1) % 10) + cell[last + 1 :]
                if (number, column) in own:
                    other = cell[:last] + cell[last] * 4 + cell[last + 1 :]
                changed = copy.deepcopy(table)
                changed["rows"][number][column] = other
                yield changed, f"row {number + 1}, '{cell}' as '{other}'"


def check_altered(tables: list[tuple[str, dict, str]]) -> int:
    """Changes each number in turn. Prints changes that are not found, and returns the status."""
    count = missed = 0
    for name, table, text in tables:
        for changed, what in altered(table):
            count += 1
            if not check(changed, text):
                missed += 1
                print(f"{name}: {what} is not noticed")
    print(f"{count - missed} of {count} changes are noticed")
    return 1 if missed else 0


def main() -> int:
    """Compares, and writes checksums if asked to."""
    parser = argparse.ArgumentParser(description="Compare printed figures with the documents.")
    parser.add_argument("directory", type=Path, help="directory of the documents' texts")
    parser.add_argument("--seal", action="store_true", help="write the checksums of the tables")
    parser.add_argument("--alter", action="store_true", help="change each number in turn")
    arguments = parser.parse_args()
    library = tomllib.loads(PAPERS.read_text(encoding="utf-8"))
    texts = {}
    faults = []
    for name, paper in library["paper"].items():
        if "document" in paper:
            path = arguments.directory / paper["document"]
            if not path.is_file():
                print(f"{path}: there is no such file; give the directory of the texts")
                return 1
            texts[name] = path.read_text(encoding="utf-8")
            faults += [f"{name}: {fault}" for fault in check_paper(paper, texts[name])]
    tables = [
        (name, table, texts[table["paper"]])
        for name, table in library["table"].items()
        if table["paper"] in texts
    ]
    if arguments.alter:
        return check_altered(tables)
    for name, table, text in tables:
        faults += [f"{name}: {fault}" for fault in check(table, text)]
    for fault in faults:
        print(fault)
    cells = sum(len(row) for _, table, _ in tables for row in printed(table))
    apart = len(library["table"]) - len(tables)
    print(f"{len(tables)} tables with {cells} cells, {apart} tables of other publications")
    if arguments.seal and not faults:
        sums = [f'{name} = "{checksum(name, table)}"' for name, table in library["table"].items()]
        head = "# Checksums of the tables; 'scripts/check_papers.py DIRECTORY --seal' writes them."
        CHECKSUMS.write_text("\n".join([head, *sums]) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
