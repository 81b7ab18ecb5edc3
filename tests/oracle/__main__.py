"""Runs random commands of sortwell, and holds what they do against a model.

    PYTHONPATH=tests python3 -B -m oracle --bin FILE [--cases N] [--seconds S] [--seed S]
        [--case K] [--jobs N]

Each case is a job, which the model does too, in circumstances that must not change its result:
memory, threads, engines, levers, pipes, compression, kills. Bytes, exit status, peak of memory and
what is left behind are checked. A case that differs is made smaller, kept in a folder, and printed
as a command. Case K of seed S is the same whenever it is run: `--seed S --case K` repeats it.

Exits with 1 if a case differs, or if too few cases spilled, took three passes, or were killed and
resumed. Python 3.9 or newer, no packages.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from .case import Case
from .coverage import Coverage
from .generate import draw_case
from .keep import keep
from .reduce import Reducer
from .run import Runner, Verdict

CHUNK = 10  # cases that a worker takes at once
REDUCED_MOST = 8  # that a worker makes smaller in a run; others are told of as they are


@dataclass
class Settings:
    """What the command line says."""

    binary: str
    seed: int
    folder: Path
    reduce_seconds: float
    own_mib: int


class Worker:
    """A process that runs cases."""

    def __init__(self, settings: Settings) -> None:
        """Makes its folder."""
        self.settings = settings
        folder = settings.folder / f"worker-{os.getpid()}"
        self.runner = Runner(settings.binary, folder, settings.own_mib)
        self.reduced = 0

    def run(self, numbers: range) -> tuple[Coverage, list[str]]:
        """Runs some cases; what they were like, and what was wrong with them."""
        coverage, reports = Coverage(), []
        for number in numbers:
            case = draw_case(self.settings.seed, number)
            verdict = self.check(case)
            coverage.take(case, verdict)
            if verdict.faults:
                reports.append(self.report(number, case, verdict))
        return coverage, reports

    def check(self, case: Case) -> Verdict:
        """Runs a case; a mistake of the model or the fuzzer itself is a fault as well."""
        try:
            return self.runner.check(case)
        except Exception:
            verdict = Verdict()
            verdict.add("oracle", traceback.format_exc(limit=-3))
            return verdict

    def report(self, number: int, case: Case, verdict: Verdict) -> str:
        """Makes a case that differs smaller, keeps it, and says what is wrong."""
        said = "; ".join(f"{fault.kind}: {fault.words}" for fault in verdict.faults[:3])
        title = f"seed {self.settings.seed} case {number}: {said}"
        is_own = verdict.faults[0].kind == "oracle"
        if self.reduced < REDUCED_MOST and not is_own and self.settings.reduce_seconds > 0:
            self.reduced += 1
            reducer = Reducer(self.runner, self.settings.reduce_seconds)
            case, verdict = reducer.reduce(case, verdict)
        folder = self.settings.folder / f"case-{self.settings.seed}-{number}"
        return title + "\n" + keep(self.runner, case, verdict, folder)


_worker: Worker | None = None


def begin(settings: Settings) -> None:
    """Begins a worker process."""
    global _worker
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker = Worker(settings)


def work(numbers: range) -> tuple[Coverage, list[str]]:
    """Runs some cases in a worker process."""
    return _worker.run(numbers)


def chunks(first: int, cases: int, deadline: float) -> object:
    """Yields the numbers of cases, as long as there is time."""
    for start in range(first, first + cases, CHUNK):
        if time.monotonic() > deadline:
            return
        yield range(start, min(start + CHUNK, first + cases))


def run_all(settings: Settings, options: argparse.Namespace) -> Coverage:
    """Runs all cases, and prints what is wrong as soon as it is known."""
    begun = time.monotonic()
    deadline = begun + (options.seconds or float("inf"))
    first = options.case if options.case is not None else options.first
    cases = 1 if options.case is not None else options.cases
    total, shown = Coverage(), begun
    with multiprocessing.Pool(options.jobs, begin, (settings,)) as pool:
        pending = []
        numbers = chunks(first, cases, deadline)
        is_more = True
        while is_more or pending:
            while is_more and len(pending) < 2 * options.jobs:
                part = next(numbers, None)
                is_more = part is not None
                if is_more:
                    pending.append(pool.apply_async(work, (part,)))
            if not pending:
                break
            coverage, reports = pending.pop(0).get()
            total.add(coverage)
            for report in reports:
                print(report, flush=True)
            if time.monotonic() - shown > 15:
                shown = time.monotonic()
                print(
                    f"oracle: {total.cases} cases, {total.failed} failed, {shown - begun:.0f} s",
                    flush=True,
                )
    for line in total.lines(time.monotonic() - begun):
        print(line)
    return total


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="oracle", description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=Path, help="the sortwell to look at")
    parser.add_argument("--cases", type=int, default=1 << 40, help="how many at most")
    parser.add_argument("--seconds", type=float, default=0, help="how long at most; 0: any")
    parser.add_argument("--seed", type=int, help="random if not given")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="run this case alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--reduce", type=float, default=20, help="seconds for a case; 0: not")
    parser.add_argument(
        "--own-mib", type=int, default=0, help="memory of the program itself: an interpreter has it"
    )
    parser.add_argument("--dir", type=Path, help="where cases that differ are kept")
    parser.add_argument("--show", action="store_true", help="show the case, do not run it")
    return parser.parse_args()


def main() -> int:
    """Runs what is asked for; the exit status."""
    options = arguments()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    parent = options.dir or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="sortwell-oracle-", dir=parent)).resolve()
    binary = str(options.bin.resolve())
    settings = Settings(binary, seed, folder, options.reduce, options.own_mib)
    print(f"oracle: seed {seed}, cases that differ are kept in {folder}", flush=True)
    if options.case is not None and options.show:
        case = draw_case(seed, options.case)
        print(case)
        return 0
    total = run_all(settings, options)
    short = total.short_shares()
    for words in short:
        print(f"oracle: too few cases {words}")
    if not total.failed:
        for worker in folder.glob("worker-*"):
            shutil.rmtree(worker)
        folder.rmdir()
    print(f"oracle: {total.cases - total.failed} passed, {total.failed} failed")
    return 1 if total.failed or short else 0


if __name__ == "__main__":
    sys.exit(main())
