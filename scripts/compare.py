#!/usr/bin/env -S python3 -B
"""Times an old and a new sortwell beside each other, on the suites of measure.py.

    compare.py --old PATH [--new PATH] [--runs N] [--scale X] [--json FILE] SUITE...
    compare.py --threads-old N --threads-new N [--new PATH] ... SUITE...

The second form compares one program with itself, with two numbers of threads. Both can be given.

The two take turns, cold and durable, and change places from round to round: noise of a virtual
machine lasts for minutes and would otherwise count against one of them. Three ratios count, new to
old: of the medians of user time, of those of user and system time together, and of the best wall
times. A suite with several inputs or variants counts all of them together. A suite whose ratio is
above its bound ends the command with status 1. Outputs have to be the same.

Bounds are 3% of user and system time and 5% of wall time. For two numbers of threads, there is one
bound alone: 10% of user time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import shlex
import signal
import statistics
import sys
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path

from measuring.checks import check
from measuring.contenders import cool_down, sort
from measuring.inputs import make_all, plain
from measuring.machine import has_locale, machine, program
from measuring.process import LeftOut
from measuring.suites import SUITES, Bench, Suite
from measuring.throttle import throttled

# Times that are compared, with their bounds in percent: of two programs, and of two numbers of
# threads.
BOUNDS = {"user": (math.inf, 10.0), "cpu": (3.0, math.inf), "wall": (5.0, math.inf)}


def main() -> None:
    """Compares the programs suite by suite."""
    options = arguments()
    for binary in (options.old, options.new):
        if not binary.is_file():
            sys.exit(f"compare: there is no {binary}")
    new = Bench(
        options.new.absolute(), options.dir, options.runs, options.scale, options.threads_new
    )
    old = replace(new, binary=options.old.absolute(), threads=options.threads_old)
    new.directory.mkdir(parents=True, exist_ok=True)
    raw = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["scripts/compare.py", *sys.argv[1:]]),
        "machine": machine(new.directory, len(os.sched_getaffinity(0))),
        "old": {**program(old.binary), "threads": old.threads},
        "new": {**program(new.binary), "threads": new.threads},
        "bounds": {what: bound for what, bound in options.bounds.items() if bound < math.inf},
        "compared": [],
        "left_out": {},
    }
    titles = " | ".join(f"{what} s old | new | ratio" for what in ("user", "CPU", "best"))
    print(f"| suite | {titles} |\n{'| --- ' * 10}|", flush=True)
    is_over = False
    for suite in SUITES:
        if suite.name in options.suites or "all" in options.suites:
            try:
                rounds, is_cold = compare(old, new, suite)
            except LeftOut as reason:
                raw["left_out"][suite.name] = str(reason)
                print(f"{suite.name}: LEFT OUT: {reason}", file=sys.stderr, flush=True)
                continue
            row, ratios = judged(suite, rounds)
            is_over |= any(ratios[what] > 1 + bound / 100 for what, bound in options.bounds.items())
            cache = "cold" if is_cold else "warm"
            found = {"suite": suite.name, "cache": cache, "ratios": ratios, "rounds": rounds}
            raw["compared"].append(found)
            print(row, flush=True)
            if options.json:
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(json.dumps(raw, indent=1) + "\n")
    sys.exit(1 if is_over or raw["left_out"] else 0)


def arguments() -> argparse.Namespace:
    """Returns what the command line says."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    names = ["all", *(suite.name for suite in SUITES)]
    parser.add_argument("suites", nargs="+", metavar="SUITE", help=", ".join(names))
    add = parser.add_argument
    add("--old", type=Path, help="the program to compare with (default: the new one)")
    add("--new", type=Path, default=Path("target/release/sortwell"), help="the program to judge")
    cores = len(os.sched_getaffinity(0))
    add("--threads-old", type=int, metavar="N", help="threads of the old one (default: cores)")
    add("--threads-new", type=int, metavar="N", help="threads of the new one (default: cores)")
    add("--dir", type=Path, default=Path("target/measure"), help="where inputs and outputs go")
    add("--runs", type=int, default=10, help="rounds (default 10)")
    add("--scale", type=float, default=1.0, help="make inputs larger or smaller")
    add("--user", type=float, metavar="PERCENT", help="most user time more")
    add("--cpu", type=float, metavar="PERCENT", help="most user and system time more")
    add("--wall", type=float, metavar="PERCENT", help="most wall time more")
    add("--json", type=Path, metavar="FILE", help="where every round's figures go")
    options = parser.parse_args()
    if set(options.suites).difference(names):
        parser.error(f"suites are {', '.join(names)}")
    if options.runs < 1 or options.scale <= 0:
        parser.error("--runs and --scale are to be above zero")
    options.threads_old = cores if options.threads_old is None else options.threads_old
    options.threads_new = cores if options.threads_new is None else options.threads_new
    if min(options.threads_old, options.threads_new) < 1:
        parser.error("numbers of threads are to be above zero")
    is_of_threads = options.threads_old != options.threads_new
    if options.old is None and not is_of_threads:
        parser.error("name an old program with --old, or give two numbers of threads")
    options.old = options.old or options.new
    given = vars(options)
    options.bounds = {
        what: bounds[is_of_threads] if given[what] is None else given[what]
        for what, bounds in BOUNDS.items()
    }
    return options


def compare(old: Bench, new: Bench, suite: Suite) -> tuple[list[dict], bool]:
    """Returns what both took in every round, by input and variant, and whether all were cold."""
    if not has_locale(suite.locale):
        raise LeftOut(f"the system lacks the locale {suite.locale}")
    sources = make_all(new, suite)
    variants = suite.variants or (("", ()),)
    cases = [(order, *variant) for order in suite.inputs for variant in variants]
    rounds: list[dict] = []
    is_cold = True
    try:
        for number in range(new.runs):
            took: dict[str, dict] = {"old": {}, "new": {}}
            for order, variant, more in cases:
                case = variant or order
                turns = [("old", old), ("new", new)]
                proofs = set()
                for name, bench in turns if number % 2 == 0 else reversed(turns):
                    bench.output.unlink(missing_ok=True)
                    is_cold &= cool_down()
                    with throttled(bench.directory, suite.disk_rate):
                        figures = sort(bench, suite, sources[order], *more)
                    if number == 0 and suite.gnu is None:
                        check(bench, suite, plain(bench, suite, order))
                    proofs.add(json.dumps(proof(figures)))
                    took[name][case] = figures
                if len(proofs) > 1:
                    sys.exit(f"{suite.name}: the outputs of {case} differ: {proofs}")
            rounds.append(took)
    finally:
        new.output.unlink(missing_ok=True)
    return rounds, is_cold


def proof(figures: dict) -> object:
    """Returns what two outputs have to agree in, and keeps the rest."""
    return figures.pop("digest", None) or figures.pop("stats")["proof"]


def judged(suite: Suite, rounds: list[dict]) -> tuple[str, dict[str, float]]:
    """Returns a row of the table, and the ratio of each kind of time."""
    old, new = (times([took[name].values() for took in rounds]) for name in ("old", "new"))
    ratios = {what: new[what] / old[what] for what in BOUNDS}
    cells = (f"{old[what]:.2f} | {new[what]:.2f} | {ratios[what]:.3f}" for what in BOUNDS)
    return f"| {suite.name} | {' | '.join(cells)} |", ratios


def times(runs: list) -> dict[str, float]:
    """Returns the medians of user time and of CPU time, and the best wall time, of all rounds."""
    user = [sum(figures["user_seconds"] for figures in run) for run in runs]
    system = [sum(figures["system_seconds"] for figures in run) for run in runs]
    return {
        "user": statistics.median(user),
        "cpu": statistics.median(map(sum, zip(user, system))),
        "wall": min(sum(figures["seconds"] for figures in run) for run in runs),
    }


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except (OSError, BrokenExecutor) as error:
        sys.exit(f"compare: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
