#!/usr/bin/env -S python3 -B
"""Times whole sorts beside what no sort can do without, and makes tables of the figures.

    measure.py [--runs N] [--scale X] [--json FILE] SUITE...   measure; `all` for every suite
    measure.py --summary FILE...                               Markdown from such raw files

Disks change their speed by a factor of two within minutes, and so does memory that a virtual
machine has to ask its host for. Noise only ever adds. So each round runs the contenders in turn,
and what counts is the ratio of their best times within one run:

    cp        the input copied by `cp` and synced
    floor     the input read into fresh huge-page memory and written out from there, past the page
              cache, 8 requests of 4 MiB in flight; for a sort in two passes a read and a write
              through small buffers that are used again, both counted twice. Allocating the
              output's blocks is not counted: the floor errs on the low side.
    sortwell  from the start of the process to durable output, with every core

Suites of `compress-runs` time sortwell alone, with several options; the suite `orders` does so on
the same records in several orders; `lines-bgzf`, `lines-zstd-frames` and `lines-lz4-blocks` do so
on compressed lines, by one thread and by two. `unique` and `limit`, which hardly write anything,
are compared with `read`, which is reading the input once.
Tables go to DuckDB as well, if Python finds its module, and if it has enough with the same memory.
What cannot be measured here is left out with a message. If that is a whole suite, the exit status
is 1.
Run as root, the page cache is dropped before each contender; otherwise the figures say "warm".
Before the times of a suite count, the first output is compared with the input by an independent
sum of the records and its order is checked, by Python; each later output must give the same proof
as the first. Suites of `table` run `sortwell gnu`, whose output must be that of GNU sort. Where the
system lacks the locale en_US.UTF-8, `localedef -i en_US -f UTF-8 DIR/en_US.UTF-8` and LOCPATH=DIR
provide it.

Inputs are made once and stay in --dir for the next time. Python 3.9 or newer, on Linux.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import shlex
import signal
import sys
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from measuring.checks import check
from measuring.contenders import (
    cool_down,
    copy,
    duckdb_sort,
    floor,
    gnu_sort,
    read_once,
    sort,
)
from measuring.inputs import make_all, plain
from measuring.machine import gnu_sort as gnu_sort_version
from measuring.machine import has_locale, machine, program
from measuring.process import LeftOut, in_child
from measuring.suites import SUITES, Bench, Suite
from measuring.tables import for_people, summary
from measuring.throttle import throttled


def main() -> None:
    """Says, means, does: arguments, what to measure, one suite after the other."""
    options = arguments()
    if options.summary:
        print(summary(options.summary))
        return
    if not options.bin.is_file():
        sys.exit(f"measure: there is no {options.bin}; make build, or name the program with --bin")
    threads = len(os.sched_getaffinity(0))
    bench = Bench(options.bin.absolute(), options.dir, options.runs, options.scale, threads)
    bench.directory.mkdir(parents=True, exist_ok=True)
    raw = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "program": program(bench.binary),
        "gnu_sort": gnu_sort_version(),
        "machine": machine(bench.directory, threads),
        "repeat": repeat(options),
        "suites": [],
        "left_out": {},
    }
    for suite in SUITES:
        if suite.name in options.suites or "all" in options.suites:
            try:
                result = measure(bench, suite)
            except LeftOut as reason:
                raw["left_out"][suite.name] = str(reason)
                print(f"{suite.name}: LEFT OUT: {reason}", file=sys.stderr, flush=True)
            else:
                raw["suites"].append(result)
                print(for_people(result), end="\n\n", flush=True)
            save(raw, options.json)
    sys.exit(1 if raw["left_out"] else 0)


def arguments() -> argparse.Namespace:
    """The command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    names = ["all", *(suite.name for suite in SUITES)]
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(names))
    add = parser.add_argument
    add("--bin", type=Path, default=Path("target/release/sortwell"), help="the program to time")
    add("--dir", type=Path, default=Path("target/measure"), help="where inputs and outputs go")
    add("--runs", type=int, default=5, help="rounds (default 5)")
    add("--scale", type=float, default=1.0, help="make inputs larger or smaller, to try things out")
    add("--json", type=Path, metavar="FILE", help="where every round's figures go")
    add("--summary", type=Path, nargs="+", metavar="FILE", help="raw files to make tables of")
    options = parser.parse_args()
    unknown = set(options.suites).difference(names)
    if unknown or not (options.suites or options.summary):
        parser.error(f"suites are {', '.join(names)}")
    if options.runs < 1 or options.scale <= 0:
        parser.error("--runs and --scale are to be above zero")
    return options


def repeat(options: argparse.Namespace) -> str:
    """The command that measures the same again, from the root of the tree."""
    suites = shlex.quote(" ".join(options.suites))
    return f"make measure SUITES={suites} RUNS={options.runs} SCALE={options.scale:g}"


def measure(bench: Bench, suite: Suite) -> dict:
    """One suite: what every contender took in every round, and how it was run."""
    require_peers(suite)
    sources = make_all(bench, suite)
    records = {order: plain(bench, suite, order) for order in suite.inputs}
    contenders, ratios, left_out = line_up(bench, suite, sources)
    rounds, is_cold = [], True
    size = records[suite.inputs[0]].stat().st_size
    try:
        for number in range(1, bench.runs + 1):
            took = {}
            for name, contender in list(contenders.items()):
                bench.output.unlink(missing_ok=True)
                is_cold &= cool_down()
                try:
                    with throttled(bench.directory, suite.disk_rate):
                        took[name] = contender()
                except LeftOut as reason:
                    if name != "duckdb":
                        raise
                    left_out[name] = str(reason)
                    leave_out(name, contenders, ratios, rounds)
                    continue
                if suite.gnu is not None and name == "sortwell":
                    trust_gnu(suite, took)
                elif "stats" in took[name]:
                    source = records.get(name, records[suite.inputs[0]])
                    before = rounds[0][name] if rounds else None
                    if (suite.variants or suite.threads) and len(took) > 1:
                        # The output of each is to be that of the first one.
                        before = next(iter(took.values()))
                    trust(bench, suite, source, took[name], before)
            rounds.append(took)
            seconds = ", ".join(
                f"{name} {figures['seconds']:.2f}" for name, figures in took.items()
            )
            print(f"{suite.name}, round {number}: {seconds}", file=sys.stderr, flush=True)
    finally:
        bench.output.unlink(missing_ok=True)
    return {
        "suite": suite.name,
        "records": bench.records(suite),
        "record_bytes": round(size / bench.records(suite)),
        "bytes": size,
        "passes": suite.passes,
        "cache": "cold" if is_cold else "warm",
        "commands": bench.in_words(suite),
        "left_out": left_out,
        "ratios": ratios,
        "aim": suite.aim,
        "rounds": rounds,
    }


def require_peers(suite: Suite) -> None:
    """Raises an error where GNU sort or a locale is missing that the suite takes."""
    if suite.peer_words is not None and not gnu_sort_version():
        raise LeftOut("the program sort is not GNU sort")
    if not has_locale(suite.locale):
        raise LeftOut(f"the system lacks the locale {suite.locale}; see --help")


def line_up(bench: Bench, suite: Suite, sources: dict[str, Path]) -> tuple[dict, list, dict]:
    """The contenders of a round by name, in turn; which of them are compared; who is left out."""
    contenders = alone(bench, suite, sources)
    if contenders:
        first, *others = contenders
        return contenders, [(name, first) for name in others], {}
    (source,) = sources.values()
    if suite.only_reads:
        contenders["read"] = lambda: in_child(read_once, (source,))[0]
        contenders["sortwell"] = partial(sort, bench, suite, source)
        return contenders, [("sortwell", "read")], {}
    contenders = {
        "cp": partial(copy, source, bench.output),
        "floor": lambda: in_child(floor, (source, bench.output, suite.passes))[0],
    }
    ratios = [("sortwell", "floor"), ("sortwell", "cp")]
    if suite.is_held_to_copy:
        ratios.reverse()
    if suite.peer_words is not None:
        contenders["gnu sort"] = partial(gnu_sort, bench, suite, source)
        ratios.append(("sortwell", "gnu sort"))
    contenders["sortwell"] = partial(sort, bench, suite, source)
    if suite.column and not importlib.util.find_spec("duckdb"):
        return contenders, ratios, {"duckdb": "its Python module is not installed"}
    if suite.column:
        contenders["duckdb"] = partial(duckdb_sort, bench, suite, source)
        ratios.append(("sortwell", "duckdb"))
    return contenders, ratios, {}


def alone(bench: Bench, suite: Suite, sources: dict[str, Path]) -> dict:
    """The contenders where sortwell is compared with itself; empty otherwise."""
    if len(sources) > 1:
        return {order: partial(sort, bench, suite, path) for order, path in sources.items()}
    (source,) = sources.values()
    return {
        **{name: partial(sort, bench, suite, source, *more) for name, more in suite.variants},
        **{
            f"-j {count}": partial(sort, replace(bench, threads=count), suite, source)
            for count in suite.threads
        },
    }


def leave_out(name: str, contenders: dict, ratios: list, rounds: list) -> None:
    """Removes a contender that cannot do it, also from the rounds before."""
    del contenders[name]
    ratios[:] = [pair for pair in ratios if name not in pair]
    for took in rounds:
        took.pop(name, None)


def trust(bench: Bench, suite: Suite, source: Path, took: dict, first: dict | None) -> None:
    """Checks the first output of a source; a later one must come with the same proof."""
    if first is None:
        check(bench, suite, source)
    elif took["stats"]["proof"] != first["stats"]["proof"]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: {source.name} gave another proof than before")


def trust_gnu(suite: Suite, took: dict) -> None:
    """Checks an output by that of GNU sort in the same round."""
    if took["sortwell"]["digest"] != took["gnu sort"]["digest"]:
        sys.exit(f"{suite.name}: WRONG OUTPUT: GNU sort's is another one")


def save(raw: dict, path: Path | None) -> None:
    """Writes what there is so far: a long run that breaks off keeps its finished suites."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(raw, indent=1) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except (OSError, BrokenExecutor) as error:
        sys.exit(f"measure: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
