#!/usr/bin/env -S python3 -B
"""Times an old and a new sortwell beside each other, on the suites of measure.py.

    compare.py --old PATH [--new PATH] [--runs N] [--scale X] [--json FILE] SUITE...

The two programs take turns, cold and durable, and change places from round to round: noise of a
virtual machine lasts for minutes and would otherwise count against one of them. Two ratios count,
new to old: of the medians of user and system time together, and of the best wall times. A suite
whose ratio is above its bound ends the command with status 1. Outputs have to be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from dataclasses import replace
from pathlib import Path

from measuring.checks import check
from measuring.contenders import cool_down, sort
from measuring.inputs import make_all
from measuring.machine import machine, program
from measuring.suites import SUITES, Bench, Suite


def main() -> None:
    """Compares the programs suite by suite."""
    options = arguments()
    for binary in (options.old, options.new):
        if not binary.is_file():
            sys.exit(f"compare: there is no {binary}")
    threads = len(os.sched_getaffinity(0))
    new = Bench(options.new.absolute(), options.dir, options.runs, options.scale, threads)
    old = replace(new, binary=options.old.absolute())
    new.directory.mkdir(parents=True, exist_ok=True)
    raw = {"machine": machine(new.directory, threads), "suites": []}
    raw["old"], raw["new"] = program(old.binary), program(new.binary)
    print("| suite | CPU s old | new | ratio | best s old | new | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    is_over = False
    for suite in SUITES:
        if suite.name in options.suites or "all" in options.suites:
            rounds = compare(old, new, suite)
            raw["suites"].append({"suite": suite.name, "rounds": rounds})
            row, ratios = judged(suite, rounds)
            is_over |= ratios[0] > 1 + options.cpu / 100 or ratios[1] > 1 + options.wall / 100
            print(row, flush=True)
            if options.json:
                options.json.write_text(json.dumps(raw, indent=1) + "\n")
    sys.exit(1 if is_over else 0)


def arguments() -> argparse.Namespace:
    """Returns what the command line says."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    names = ["all", *(suite.name for suite in SUITES)]
    parser.add_argument("suites", nargs="+", metavar="SUITE", help=", ".join(names))
    add = parser.add_argument
    add("--old", type=Path, required=True, help="the program to compare with")
    add("--new", type=Path, default=Path("target/release/sortwell"), help="the program to judge")
    add("--dir", type=Path, default=Path("target/measure"), help="where inputs and outputs go")
    add("--runs", type=int, default=10, help="rounds (default 10)")
    add("--scale", type=float, default=1.0, help="make inputs larger or smaller")
    add("--cpu", type=float, default=3, metavar="PERCENT", help="most CPU time more (default 3)")
    add("--wall", type=float, default=5, metavar="PERCENT", help="most wall time more (default 5)")
    add("--json", type=Path, metavar="FILE", help="where every round's figures go")
    options = parser.parse_args()
    if set(options.suites).difference(names):
        parser.error(f"suites are {', '.join(names)}")
    if options.runs < 1 or options.scale <= 0:
        parser.error("--runs and --scale are to be above zero")
    return options


def compare(old: Bench, new: Bench, suite: Suite) -> list[dict]:
    """Returns what both programs took in every round, of each input of a suite together."""
    sources = make_all(new, suite)
    rounds: list[dict] = []
    for number in range(new.runs):
        took: dict[str, dict] = {"old": {}, "new": {}}
        for order, source in sources.items():
            turns = [("old", old), ("new", new)]
            proofs = set()
            for name, bench in turns if number % 2 == 0 else reversed(turns):
                bench.output.unlink(missing_ok=True)
                cool_down()
                figures = sort(bench, suite, source)
                if number == 0 and suite.gnu is None:
                    check(bench, suite, source)
                proofs.add(json.dumps(proof(figures)))
                took[name][order] = figures
            if len(proofs) > 1:
                sys.exit(f"{suite.name}: the outputs of {order} differ: {proofs}")
        rounds.append(took)
    new.output.unlink(missing_ok=True)
    return rounds


def proof(figures: dict) -> object:
    """Returns what two outputs have to agree in, and keeps the rest."""
    return figures.pop("digest", None) or figures.pop("stats")["proof"]


def judged(suite: Suite, rounds: list[dict]) -> tuple[str, tuple[float, float]]:
    """Returns a row of the table, and the ratios of CPU time and of wall time."""
    cpu, best = {}, {}
    for name in ("old", "new"):
        runs = [took[name].values() for took in rounds]
        used = [sum(r["user_seconds"] + r["system_seconds"] for r in run) for run in runs]
        cpu[name] = statistics.median(used)
        best[name] = min(sum(r["seconds"] for r in run) for run in runs)
    ratios = (cpu["new"] / cpu["old"], best["new"] / best["old"])
    figures = f"{cpu['old']:.2f} | {cpu['new']:.2f} | {ratios[0]:.3f}"
    walls = f"{best['old']:.2f} | {best['new']:.2f} | {ratios[1]:.3f}"
    return f"| {suite.name} | {figures} | {walls} |", ratios


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"compare: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
