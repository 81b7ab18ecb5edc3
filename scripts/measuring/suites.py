"""What is sorted, and within which ratio it should stay; where it is sorted, and with what."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

ORDERS = (
    "random",
    "sorted",
    "reversed",
    "organ-pipe",
    "sawtooth",
    "all-equal",
    "two-values",
    "skewed",
)

# Inputs whose records are not all of one length.
VARYING = ("table", "fields", "events")

CSV = ("--format", "csv", "--key")
BY_COUNT = "count:int:nulls-first"
COMPRESSED_RUNS = tuple(
    (how, ("--compress-runs", how)) for how in ("off", "auto", "lz4", "zstd:1", "zstd:3")
)


@dataclass(frozen=True)
class Suite:
    """One input beside the floor, or several inputs beside the first of them."""

    name: str
    inputs: tuple[str, ...]
    # The ratio to the floor, or to the first input, that the best times should not exceed.
    aim: float
    records: int = 10_000_000
    record_bytes: int = 100
    # By which bytes records of fixed length are sorted; None for lines, by all of their bytes.
    key: str | None = "0..10"
    # Leading bytes of a record by which the output must ascend; -1 for all but the line end.
    ordered_bytes: int = 10
    # Times the floor reads and writes the data.
    passes: int = 1
    memory_mib: int | None = None
    # Words of the command in place of format and key.
    options: tuple[str, ...] = ()
    # The column of a table, or the member of lines of JSON, by which these must ascend.
    column: str | None = None
    # Further options beside each other, by name; the first one is what others are compared with.
    variants: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Numbers of threads beside each other; the first one is what others are compared with.
    threads: tuple[int, ...] = ()
    # Bytes that the disk reads and writes together in a second at most.
    disk_rate: int | None = None
    # Whether it is held against reading the input once, as hardly anything is written.
    only_reads: bool = False
    # Whether the aim is a ratio to a copy of the input by `cp`.
    is_held_to_copy: bool = False
    # Words of GNU sort's command line, and the locale: `sortwell gnu` beside GNU sort.
    gnu: tuple[str, ...] | None = None
    locale: str = "C"

    @property
    def is_varying(self) -> bool:
        """Returns whether lengths of records differ."""
        return self.inputs[0] in VARYING

    @property
    def peer_words(self) -> tuple[str, ...] | None:
        """Arguments of GNU sort for the same order; None where it has none."""
        return () if self.gnu is None and self.key is None else self.gnu


CSV_TWO_PASS = Suite(
    "csv-two-pass",
    ("table",),
    1.6,
    records=50_000_000,
    passes=2,
    memory_mib=1024,
    options=(*CSV, BY_COUNT),
    column="count",
)

COMPRESSED = replace(CSV_TWO_PASS, name="compress-runs", aim=1.03, variants=COMPRESSED_RUNS)

# Compressed lines, which several threads can decompress at once. The aim is 1.7 times the speed.
PACKED = Suite("packed", (), 0.588, key=None, ordered_bytes=99, threads=(1, 2))

# Lines with tabs between fields.
TABLE = Suite("table", ("fields",), 1.0, gnu=(), is_held_to_copy=True)

SUITES = (
    Suite("one-pass", ("random",), 1.25),
    Suite("two-pass", ("random",), 1.1, records=50_000_000, passes=2, memory_mib=1024),
    # Key and number of a record together ascend: the order of equal keys is checked as well.
    Suite("short", ("short",), 1.5, 62_500_000, 16, key="0..8:u64be", ordered_bytes=16),
    Suite("skew", ("skewed",), 1.25),
    Suite("sorted", ("sorted",), 1.25),
    Suite("orders", ORDERS, 1.0),
    Suite("lines", ("ascii",), 1.4, key=None, ordered_bytes=99),
    Suite(
        "lines-two-pass",
        ("ascii",),
        1.35,
        records=50_000_000,
        key=None,
        ordered_bytes=99,
        passes=2,
        memory_mib=1024,
    ),
    replace(PACKED, name="lines-bgzf", inputs=("ascii-bgzf",)),
    replace(PACKED, name="lines-zstd-frames", inputs=("ascii-zstd-frames",)),
    replace(PACKED, name="lines-lz4-blocks", inputs=("ascii-lz4-blocks",)),
    Suite("csv", ("table",), 1.6, options=(*CSV, BY_COUNT), column="count"),
    Suite("csv-text", ("table",), 1.8, options=(*CSV, "note"), column="note"),
    CSV_TWO_PASS,
    replace(TABLE, name="table-number", aim=1.3, gnu=("-k2,2n",)),
    replace(TABLE, name="table-fields", aim=1.5, gnu=("-t\t", "-k3,3", "-k1,1")),
    replace(TABLE, name="table-locale", aim=2.0, gnu=(), locale="en_US.UTF-8"),
    Suite(
        "jsonl",
        ("events",),
        2.5,
        options=("--format", "jsonl", "--key", "user.id:int"),
        column="user.id",
        is_held_to_copy=True,
    ),
    COMPRESSED,
    Suite(
        "compress-runs-slow-disk",
        ("fields",),
        0.65,
        records=60_000_000,
        record_bytes=84,
        key=None,
        ordered_bytes=-1,
        passes=2,
        memory_mib=1024,
        variants=COMPRESSED_RUNS,
        disk_rate=250_000_000,
    ),
    Suite("unique", ("duplicates",), 1.2, options=("--unique",), only_reads=True),
    Suite("limit", ("ascii",), 1.2, options=("--limit", "1000"), only_reads=True),
)


@dataclass(frozen=True)
class Bench:
    """Where and with what everything is run."""

    binary: Path
    directory: Path
    runs: int
    scale: float
    threads: int

    @property
    def output(self) -> Path:
        """Where every contender writes; removed before each."""
        return self.directory / "output"

    def records(self, suite: Suite) -> int:
        """The scaled number of records; even, so that an organ pipe has two equal halves."""
        return max(2, round(suite.records * self.scale) // 2 * 2)

    def bytes(self, suite: Suite) -> int:
        """Size of each input; of a table about that."""
        return self.records(suite) * suite.record_bytes

    def input(self, suite: Suite, order: str) -> Path:
        """Where the input of that order is, or will be."""
        return self.directory / f"{order}-{self.records(suite)}"

    def sort(self, suite: Suite, source: Path, output: Path, *more: str) -> list[str]:
        """The command that sorts one file into another."""
        if suite.gnu is not None:
            command = [str(self.binary), "gnu", f"--parallel={self.threads}", *suite.gnu]
            return [*command, "-o", str(output), str(source)]
        command = [str(self.binary), "sort", "--threads", str(self.threads)]
        if suite.options:
            command += suite.options
        elif suite.key:
            command += ["--format", f"fixed:{suite.record_bytes}", "--key", suite.key]
        if suite.memory_mib:
            command += ["--memory", f"{self.budget_mib(suite)}MiB", "--temp", str(self.directory)]
        return [*command, *more, "--output", str(output), str(source)]

    def budget_mib(self, suite: Suite) -> int:
        """The scaled memory budget; where none is set, sortwell's default of 60% of the memory."""
        if suite.memory_mib:
            return max(64, round(suite.memory_mib * self.scale))
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 6 // 10 >> 20

    def gnu_sort(self, suite: Suite, source: Path) -> list[str]:
        """The same by GNU sort, given as much."""
        command = ["sort", f"--parallel={self.threads}", f"--buffer-size={self.budget_mib(suite)}M"]
        command += [f"--temporary-directory={self.directory}", *(suite.peer_words or ())]
        return [*command, "-o", str(self.output), str(source)]

    def duckdb_script(self, suite: Suite, source: Path) -> str:
        """The same by DuckDB, in Python, given as much."""
        if "jsonl" in suite.options:
            table, key, form = f"read_ndjson('{source}')", '\\"user\\".id', "format json"
        else:
            is_count = suite.column == "count"
            key = "try_cast(count as bigint) nulls first" if is_count else suite.column
            table, form = f"read_csv('{source}', header=true, all_varchar=true)", "header"
        return f"""
import duckdb
base = duckdb.connect()
base.execute("set threads={self.threads}; set memory_limit='{self.budget_mib(suite)}MiB'")
base.execute("set temp_directory='{self.directory}/duckdb'")
base.execute("copy (select * from {table} order by {key}) to '{self.output}' ({form})")"""

    def in_words(self, suite: Suite) -> dict[str, str]:
        """The measured commands by input, variant or threads, without folders of this machine."""
        anywhere = replace(self, binary=Path("sortwell"), directory=Path("DIR"))
        cases = [(order, anywhere, order, ()) for order in suite.inputs]
        if suite.variants:
            cases = [(name, anywhere, suite.inputs[0], more) for name, more in suite.variants]
        if suite.threads:
            cases = [
                (f"-j {count}", replace(anywhere, threads=count), suite.inputs[0], ())
                for count in suite.threads
            ]
        return {name: bench.command(suite, order, *more) for name, bench, order, more in cases}

    def command(self, suite: Suite, order: str, *more: str) -> str:
        """The command of one sort, as a shell takes it."""
        words = ("--stats", "json", *more)
        command = shlex.join(self.sort(suite, self.input(suite, order), self.output, *words))
        return command if suite.gnu is None else f"LC_ALL={suite.locale} {command}"
