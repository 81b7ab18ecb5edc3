#!/usr/bin/env -S python3 -B
"""Sorts random tables by sortwell, and by Python's csv and sorted; what differs is said.

    differ_csv.py --bin FILE [--cases N] [--seed S]            text columns, against Python
    differ_csv.py --bin FILE --types int,date,... [--cases N]  typed columns, against DuckDB

A case is made of the seed and its number alone; --case K runs that one. Tables have quotes, line
ends and separators everywhere, in every way of quoting, and every row comes out as it went in. One
case in a hundred is larger than its memory budget. Exits with 1 if a case differs, and with 77 if
DuckDB's module is wanted and missing. Python 3.9 or newer.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

MARK = b"\xef\xbb\xbf"
SPILLS_EVERY = 100
SPILLED_BYTES = 14 << 20
MISSING = 77

Row = tuple[list[str], bytes]


@dataclass
class Case:
    """A table in some files, and by which columns it is sorted."""

    chance: random.Random
    is_large: bool
    separator: str = ","
    quote: str | None = '"'
    has_header: bool = True
    # Columns from 0, and whether the largest comes first.
    keys: list[tuple[int, bool]] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    top: bytes = b""

    def command(self, binary: str, names: list[str]) -> list[str]:
        """The words that sort it."""
        command = [binary, "sort", "-F", "csv", "-t", self.separator]
        if self.separator == "\t":
            command[3:] = ["tsv"]
        if self.quote != '"' or self.chance.random() < 0.2:
            command += ["--quote", self.quote or "none"]
        if not self.has_header:
            command.append("--no-header")
        for column, is_descending in self.keys:
            direction = ":desc:nulls-last" if is_descending else ":nulls-first"
            command += ["-k", f"{column + 1}{direction}"]
        command += ["-j", str(self.chance.randint(1, 4))]
        if self.is_large:
            command[-1] = "1"
            command += ["-M", "28MiB", "-T", "."]
        return [*command, *names]


def cell(chance: random.Random, case: Case) -> str:
    """What a cell says: short, and of few letters, so that cells are often equal."""
    if chance.random() < 0.1:
        return ""
    letters = "aabB1 \té€\udcff"
    if case.quote:
        letters += "\"'\n\r,;\t|" + case.separator + case.quote * 2
    letters = letters.replace("" if case.quote else case.separator, "")
    length = chance.choice((1, 1, 2, 3, 8, chance.randint(0, 400 if case.is_large else 40)))
    return "".join(chance.choices(letters, k=length))


def written(chance: random.Random, case: Case, cells: list[str]) -> bytes:
    """A row as some program might write it, with its end."""
    options = {"delimiter": case.separator, "lineterminator": "\r\n"}
    if case.quote:
        options["quotechar"] = case.quote
        options["quoting"] = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    else:
        options |= {"quoting": csv.QUOTE_NONE, "quotechar": None}
    out = io.StringIO(newline="")
    if case.quote is None and len(cells) == 1 and not cells[0]:
        out.write("\r\n")
    else:
        csv.writer(out, **options).writerow(cells)
    end = chance.choice(("\n", "\r\n"))
    return (out.getvalue()[:-2] + end).encode("utf-8", "surrogateescape")


def make(seed: int, number: int) -> Case:
    """The case of this number."""
    chance = random.Random(f"{seed}/{number}")
    case = Case(chance, is_large=number % SPILLS_EVERY == SPILLS_EVERY // 2)
    case.separator = chance.choice(",,,;\t|")
    case.quote = chance.choice(('"', '"', '"', "'", None))
    case.has_header = chance.random() < 0.8
    columns = chance.choice((1, 2, 3, 3, 6, 40 if case.is_large else 6))
    chosen = chance.sample(range(columns), min(columns, chance.randint(1, 3)))
    case.keys = [(column, chance.random() < 0.5) for column in chosen]
    count = 300 if case.is_large else chance.choice((0, 1, 2, 10, 60))
    pool = []
    for _ in range(count):
        cells = [cell(chance, case) for _ in range(columns)]
        pool.append((cells, written(chance, case, cells)))
    names = [cell(chance, case) for _ in range(columns)]
    for place in range(chance.randint(1, 3)):
        content = bytearray()
        if place == 0 and (case.has_header or pool) and chance.random() < 0.2:
            content += MARK
            case.top += MARK
        if case.has_header:
            header = written(chance, case, names)
            case.top += b"" if place else header
            content += header
        rows = chance.choices(pool, k=len(pool)) if pool else []
        while case.is_large and sum(len(text) for _, text in rows) < SPILLED_BYTES:
            rows += chance.choices(pool, k=len(rows))
        content += b"".join(text for _, text in rows)
        # The last row may lack its end, and gets one.
        if rows and chance.random() < 0.5:
            cells, text = rows[-1]
            end = 2 if text.endswith(b"\r\n") else 1
            if len(text) > end:
                del content[-end:]
                rows[-1] = (cells, text[:-end] + b"\n")
        case.files.append(bytes(content))
        case.rows += rows
    return case


def expected(case: Case) -> bytes:
    """The table in order, by Python's stable sort."""
    rows = list(case.rows)
    for column, is_descending in reversed(case.keys):
        rows.sort(
            key=lambda row: row[0][column].encode("utf-8", "surrogateescape"),
            reverse=is_descending,
        )
    return case.top + b"".join(text for _, text in rows)


def cells_of(case: Case, table: bytes) -> list[list[str]]:
    """What Python's reader finds in a table."""
    text = table.removeprefix(MARK).decode("utf-8", "surrogateescape")
    options = {"delimiter": case.separator, "strict": True}
    if case.quote:
        options["quotechar"] = case.quote
    else:
        options |= {"quoting": csv.QUOTE_NONE, "quotechar": None}
    return list(csv.reader(io.StringIO(text, newline=""), **options))


def differs(case: Case, binary: str, folder: Path) -> str | None:
    """What is wrong with what comes out, if anything is."""
    names = []
    for place, content in enumerate(case.files):
        names.append(f"in{place}.csv")
        (folder / names[-1]).write_bytes(content)
    is_piped = len(names) == 1 and case.chance.random() < 0.3
    command = case.command(binary, [] if is_piped else names)
    given = case.files[0] if is_piped else b""
    ended = subprocess.run(command, cwd=folder, input=given, capture_output=True)
    wanted = expected(case)
    said = ended.stderr.decode(errors="replace")
    if ended.returncode or said:
        return f"{command[1:]}: exit status {ended.returncode}, {said}"
    if ended.stdout != wanted:
        pairs = zip(ended.stdout, wanted)
        at = next((at for at, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
        at = min(len(ended.stdout), len(wanted)) if at is None else at
        part = slice(max(0, at - 40), at + 40)
        found = f"{ended.stdout[part]!r} where {wanted[part]!r} belongs"
        return f"{command[1:]}: byte {at}: {found}"
    if not case.is_large:
        # What the rows say is what Python's own reader finds in the output.
        read = [row or [""] for row in cells_of(case, ended.stdout)][case.has_header :]
        if sorted(read) != sorted(cells for cells, _ in case.rows):
            return f"{command[1:]}: Python reads other cells in the output"
    return None


# ---- Typed columns, against DuckDB ---------------------------------------------------------------

# Our types, DuckDB's, and how a value is made.
TYPES = {
    "bytes": (
        "VARCHAR",
        lambda chance: "".join(chance.choices('aAb" ,\n', k=chance.randint(1, 6))),
    ),
    "int": ("BIGINT", lambda chance: str(chance.randint(-(10 ** chance.randint(1, 17)), 10**9))),
    "decimal": ("DECIMAL(18,3)", lambda chance: f"{chance.randint(-(10**9), 10**9) / 1000:.3f}"),
    "float": ("DOUBLE", lambda chance: repr(chance.uniform(-1, 1) * 10 ** chance.randint(-9, 9))),
    "date": ("DATE", lambda chance: day(chance)),
    "time": ("TIME", lambda chance: clock(chance)),
    "timestamp": ("TIMESTAMP", lambda chance: f"{day(chance)} {clock(chance)}"),
    "uuid": ("UUID", lambda chance: spread_hex(f"{chance.getrandbits(128):032x}")),
    "bool": ("BOOLEAN", lambda chance: chance.choice(("true", "false"))),
}


def day(chance: random.Random) -> str:
    """Some date."""
    return f"{chance.randint(1, 9999):04}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"


def clock(chance: random.Random) -> str:
    """Some time of the day."""
    hours, minutes, seconds = (chance.randint(0, most) for most in (23, 59, 59))
    fraction = chance.choice(("", f".{chance.randint(0, 999999):06}"))
    return f"{hours:02}:{minutes:02}:{seconds:02}{fraction}"


def spread_hex(digits: str) -> str:
    """Thirty-two digits as a UUID is written."""
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return "-".join(parts)


def differs_from_duckdb(
    seed: int, number: int, types: list[str], binary: str, folder: Path
) -> str | None:
    """Sorts one table of typed columns both ways; empty cells first, equal rows in their order."""
    import duckdb

    chance = random.Random(f"{seed}/{number}/typed")
    keys = [(kind, chance.random() < 0.5) for kind in chance.sample(types, len(types))]
    names = [f"c{place}" for place in range(len(keys))]
    with open(folder / "typed.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, "number"])
        for row in range(chance.choice((1, 20, 2000))):
            values = [TYPES[kind][1](chance) if chance.random() < 0.95 else "" for kind, _ in keys]
            writer.writerow([*values, row])
    command = [binary, "sort", "-F", "csv", "typed.csv"]
    order = []
    for name, (kind, is_descending) in zip(names, keys):
        typed = f":{kind}" if kind != "bytes" else ""
        command += ["-k", f"{name}{typed}{':desc' if is_descending else ''}:nulls-first"]
        cast = f"cast(nullif({name}, '') as {TYPES[kind][0]})"
        order.append(f"{cast} {'desc' if is_descending else 'asc'} nulls first")
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if ended.returncode:
        return f"{command[1:]}: {ended.stderr}"
    ours = [int(row[-1]) for row in list(csv.reader(io.StringIO(ended.stdout, newline="")))[1:]]
    columns = "{" + ", ".join(f"'{name}': 'VARCHAR'" for name in [*names, "number"]) + "}"
    table = f"read_csv('{folder}/typed.csv', header=true, columns={columns}, quote='\"')"
    by = ", ".join([*order, "cast(number as bigint)"])
    theirs = [
        int(row[0]) for row in duckdb.sql(f"select number from {table} order by {by}").fetchall()
    ]
    if ours != theirs:
        place = next(at for at, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
        return f"{command[1:]}: row {place} is number {ours[place]}, by DuckDB {theirs[place]}"
    return None


def main() -> None:
    """Case by case; ends with the number of those that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--bin", required=True, help="the program to test")
    add("--cases", type=int, default=200, help="how many (default 200)")
    add("--seed", type=int, default=1, help="what they are made of")
    add("--case", type=int, help="only the case of this number")
    add("--types", type=lambda text: text.split(","), help=f"of {','.join(TYPES)}")
    options = parser.parse_args()
    binary = str(Path(options.bin).resolve())
    if options.types:
        try:
            import duckdb  # noqa: F401
        except ImportError:
            print("skipped: this machine has no Python module of DuckDB to compare with")
            sys.exit(MISSING)
    numbers = range(options.cases) if options.case is None else [options.case]
    faults = 0
    with tempfile.TemporaryDirectory(prefix="sortwell-differ-") as folder:
        for number in numbers:
            if options.types:
                place = (options.types, binary, Path(folder))
                fault = differs_from_duckdb(options.seed, number, *place)
            else:
                fault = differs(make(options.seed, number), binary, Path(folder))
            if fault:
                faults += 1
                print(f"--seed {options.seed} --case {number}: {fault}")
            if faults == 12:
                break
    print(f"{faults} of {len(numbers)} cases differ")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
