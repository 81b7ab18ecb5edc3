"""Runs a case, and holds what came of it against the model."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from .case import Case
from .circumstances import IN_PLACE, STDIN_FILE, STDIN_PIPE, STDOUT_PIPE, Circumstances, Kill
from .index import faults_of_index, has_index
from .model import (
    EitherFault,
    Findings,
    MalformedError,
    Outcome,
    Unspecified,
    UsageError,
    acceptable,
    expected,
)
from .place import Place

MIB = 1 << 20
BLOCK = 64 << 10  # of a run
UNITS = {"KiB": 1 << 10, "MiB": MIB, "GiB": 1 << 30, "bytes": 1}
ADVICE = re.compile(r"at least ([\d.]+) (KiB|MiB|GiB|bytes) with --memory")
MORE = re.compile(r"give more with --memory")
OVER_LIMIT = re.compile(r"would take (?:up to ([\d.]+) (KiB|MiB|GiB|bytes), )?more than the")
DROPPED = re.compile(r"left out (\d+) rows? with a different number of cells")
RAISES = 8  # most times that limits are raised to those that messages name
TIMEOUT_SECONDS = 20.0
PANICS = ("panicked at", "report it", "internal error")


@dataclass
class Fault:
    """Something that is not as it should be."""

    kind: str
    words: str


@dataclass
class Verdict:
    """What a run of a case came to."""

    faults: list[Fault] = field(default_factory=list)
    outcome: Outcome | None = None
    wanted: Outcome | None = None
    unspecified: str = ""
    passes: int = 0
    kills: int = 0
    resumed: int = 0
    budget_mib: int = 0
    temp_limit: int = 0
    peaks: list[tuple[int, int]] = field(default_factory=list)
    stderr: str = ""
    invalid: int = 0
    unmatched: int = 0
    has_index: bool = False

    def add(self, kind: str, words: str) -> None:
        """Adds a fault."""
        self.faults.append(Fault(kind, words))


class Runner:
    """Runs cases in a folder, one after the other."""

    def __init__(self, binary: str, root: Path, own_mib: int = 0) -> None:
        """Starts the launcher. A program may take `own_mib` of memory before it sorts."""
        self.binary = binary
        self.own_mib = own_mib
        self.root = root
        script = Path(__file__).with_name("launcher.py")
        words = [sys.executable, "-I", "-S", str(script)]
        pipe = subprocess.PIPE
        self.launcher = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)

    def close(self) -> None:
        """Ends the launcher."""
        with contextlib.suppress(BrokenPipeError):
            self.launcher.stdin.close()
        self.launcher.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def check(self, case: Case) -> Verdict:
        """Runs a case, and returns what came of it."""
        verdict = self.run(case)
        try:
            verdict.wanted = expected(case.job())
            if verdict.outcome:
                compare(case, verdict)
                self.compare_index(case, verdict)
        except Unspecified as reason:
            verdict.unspecified = str(reason) or "?"
            if isinstance(reason, EitherFault):
                expect_refusal(verdict)
            elif case.command == "sort" and verdict.outcome:
                self.compare_twins(case, verdict)
        return verdict

    def compare_index(self, case: Case, verdict: Verdict) -> None:
        """Holds an index over the inputs against the sorted output. A package has no command."""
        wanted = verdict.wanted
        if self.own_mib or verdict.faults or not has_index(case) or wanted.status not in (0, 3):
            return
        output = wanted.outputs[""] if wanted.status == 0 else None
        if wanted.status == 0 and wanted.outputs != verdict.outcome.outputs:
            return  # another one is acceptable, too
        for words in faults_of_index(self.binary, case, self.root, output):
            verdict.add("index", words)
        verdict.has_index = True

    def compare_twins(self, case: Case, verdict: Verdict) -> None:
        """Holds a result that the model does not know against that of other circumstances."""
        twin = self.run(replace(case, circumstances=Circumstances()))
        if twin.outcome and twin.outcome != verdict.outcome:
            verdict.wanted = twin.outcome
            verdict.add("twin", describe(twin.outcome, verdict.outcome) + " (plain run beside it)")

    def run(self, case: Case) -> Verdict:
        """Runs a case, with all its kills, without asking the model."""
        place = Place(self.binary, self.root, case)
        place.lay_out()
        chosen = case.circumstances
        verdict = Verdict(budget_mib=chosen.budget_mib, temp_limit=chosen.temp_limit_kib << 10)
        for kill in chosen.kills:
            answer = self.attempt(place, verdict, kill)
            if answer["reason"] == "kill":
                verdict.kills += 1
                verdict.resumed += answer["has_note"]
            if answer["status"] > 0:
                break
            check_inputs(place, verdict)
        answer = self.attempt(place, verdict, None)
        judge_end(place, verdict, answer, self.own_mib)
        return verdict

    def attempt(self, place: Place, verdict: Verdict, kill: Kill | None) -> dict:
        """Runs the command, and runs it again with larger limits that its messages name."""
        for _ in range(RAISES):
            answer = self.launch(place, verdict, kill)
            verdict.stderr = (self.root / "stderr").read_text(errors="replace")
            if not raise_limits(verdict, answer["status"]):
                break
        else:
            verdict.add("advice", "the limits that messages ask for are too small again")
        verdict.peaks.append((verdict.budget_mib, answer["peak"]))
        return answer

    def launch(self, place: Place, verdict: Verdict, kill: Kill | None) -> dict:
        """Has the launcher start the command; how it ended."""
        chosen, root = place.circumstances, self.root
        source = "/dev/null"
        if chosen.input in (STDIN_FILE, STDIN_PIPE) and place.names:
            source = str(root / place.names[0])
        watched = [str(root / name) for name in ("in", "out", "tmp", *place.temps())]
        watch = watched if kill and kill.is_after_note else []
        feed = ["/bin/dd", f"if={source}", "bs=3001", "status=none"]
        request = {
            "words": [self.binary, *place.words(verdict.budget_mib, verdict.temp_limit)],
            "folder": str(root),
            "env": {"HOME": str(root), "TMPDIR": str(root / "tmp"), "PATH": "/usr/bin:/bin"},
            "stdin": source,
            "feed": feed if chosen.input == STDIN_PIPE else None,
            "stdout": str(root / "stdout"),
            "drain": ["/bin/cat"] if chosen.output == STDOUT_PIPE else None,
            "stderr": str(root / "stderr"),
            "seconds": TIMEOUT_SECONDS,
            "kill": {"seconds": kill.seconds, "folders": watch} if kill else None,
        }
        self.launcher.stdin.write(json.dumps(request) + "\n")
        self.launcher.stdin.flush()
        answer = json.loads(self.launcher.stdout.readline())
        if "fault" in answer:
            raise RuntimeError(f"the launcher: {answer['fault']}")
        answer["has_note"] = False
        if answer["reason"] == "kill":
            found = [next(Path(name).glob("sortwell-spill-*/manifest"), None) for name in watched]
            answer["has_note"] = any(found)
        return answer


def raise_limits(verdict: Verdict, status: int) -> bool:
    """Raises a limit to the one that a message names. Returns whether a message names one."""
    advice, over = ADVICE.search(verdict.stderr), OVER_LIMIT.search(verdict.stderr)
    if status in (2, 3) and advice and verdict.budget_mib:
        named_mib = -(-int(float(advice[1]) * UNITS[advice[2]]) // MIB)
        if named_mib <= verdict.budget_mib:
            verdict.add("advice", "the message names a memory budget that was given")
            return False
        verdict.budget_mib = named_mib
    elif status in (2, 3) and MORE.search(verdict.stderr) and verdict.budget_mib:
        verdict.budget_mib *= 2
    elif status == 4 and over and verdict.temp_limit:
        known = int(float(over[1]) * UNITS[over[2]]) if over[1] else 8 * verdict.temp_limit
        if known <= verdict.temp_limit:
            verdict.add("advice", "the message names a limit of temporary files that was given")
            return False
        verdict.temp_limit = known
    else:
        return False
    return True


def check_inputs(place: Place, verdict: Verdict) -> None:
    """Checks that inputs are as they were; one that is sorted in place need not be."""
    changed = place.changed_inputs()
    if changed:
        verdict.add("input", f"changed: {', '.join(changed)}")


def judge_end(place: Place, verdict: Verdict, answer: dict, own_mib: int) -> None:
    """Notes how the last run ended, what it wrote, and what it left."""
    status = answer["status"]
    if answer["reason"] == "hang":
        verdict.add("hang", f"no end after {TIMEOUT_SECONDS:.0f} s")
        return
    if status < 0 or status == 70 or any(words in verdict.stderr for words in PANICS):
        verdict.add("panic", f"status {status}: {verdict.stderr[-300:]}")
        return
    check_inputs(place, verdict)
    if status == 0:
        check_peaks(verdict, own_mib)
    is_kept = status != 0 and place.circumstances.keeps_work
    strangers = place.strangers()
    if strangers and not is_kept:
        verdict.add("left", ", ".join(strangers[:5]))
    if status == 0 and place.case.command != "check":
        lines = [line for line in verdict.stderr.splitlines() if line.startswith("{")]
        statistics = json.loads(lines[-1]) if lines else {"passes": 0}
        verdict.passes = statistics["passes"]
        spilled = statistics.get("streams", {}).get("spill_written", 0)
        # A block at the end of a run may be written twice: as far as it was full, and whole.
        spilled -= statistics.get("runs", 0) * BLOCK
        if 0 < verdict.temp_limit < spilled and not statistics["runs_merged_again"]:
            verdict.add("limit", f"{spilled} bytes spilled, {verdict.temp_limit} allowed")
        if not lines:
            verdict.add("stats", "no statistics on standard error")
        try:
            outputs = place.read_outputs()
            dropped = statistics.get("ragged_rows_dropped")
            keys = said_of_keys(statistics.get("keys"))
            verdict.outcome = Outcome(0, outputs, dropped, keys)
        except (ValueError, OSError) as error:
            verdict.add("codec", f"the output cannot be expanded: {error}")
        return
    check_failed(place, verdict)
    verdict.outcome = Outcome(status, {})


def check_peaks(verdict: Verdict, own_mib: int) -> None:
    """Checks that no run took more memory than the budget, once that is known to be enough."""
    for budget_mib, peak in verdict.peaks:
        limit = max(budget_mib, own_mib) * MIB
        if 0 < budget_mib == verdict.budget_mib and peak > limit:
            verdict.add("peak", f"a peak of {peak / MIB:.1f} MiB with -M {budget_mib}MiB")


def check_failed(place: Place, verdict: Verdict) -> None:
    """Checks that a command that failed has left outputs as they were."""
    written = (place.root / "stdout").read_bytes()
    if written and place.circumstances.output != STDOUT_PIPE:
        verdict.add("left", f"{len(written)} bytes on standard output of a command that failed")
    if place.case.command == "check":
        return
    kept = place.kept()
    if place.circumstances.output == IN_PLACE:
        return
    for name, content in kept.items():
        if (place.root / name).read_bytes() != content:
            verdict.add("left", f"{name} is not as it was before the failure")
    unnamed = (".", "sortwell-spill-")  # strangers, which are reported as such
    names = [n for n in (place.root / "out").iterdir() if not n.name.startswith(unnamed)]
    if any(f"out/{name.name}" not in kept for name in names):
        verdict.add("left", f"an output of a command that failed: {names[0].name}")


def is_dropped(case: Case, wanted: int | None, dropped: int | None) -> bool:
    """Returns whether so many rows may be left out: a merge ends when it has what it writes."""
    is_limited = any(option[0] == "--limit" for option in case.options)
    if case.command == "merge" and is_limited and None not in (wanted, dropped):
        return dropped <= wanted
    return dropped == wanted


def compare(case: Case, verdict: Verdict) -> None:
    """Holds an outcome against the model's."""
    wanted, outcome = verdict.wanted, verdict.outcome
    if wanted.status != outcome.status:
        said = " ".join(line for line in verdict.stderr.splitlines() if line[:1] != "{")[:400]
        verdict.add("status", f"{outcome.status} instead of {wanted.status}. {said}")
        return
    if case.command == "check":
        said = DROPPED.search(verdict.stderr)
        dropped = wanted.dropped if wanted.status == 0 else None
        if said and dropped is not None and int(said[1]) != dropped:
            verdict.add("dropped", f"{said[1]} rows left out instead of {dropped}")
    elif not is_dropped(case, wanted.dropped, outcome.dropped):
        verdict.add("dropped", f"{outcome.dropped} rows left out instead of {wanted.dropped}")
    is_same = case.command == "check" or wanted.outputs == outcome.outputs
    if not is_same and not acceptable(case.job(), outcome):
        verdict.add("output", describe(wanted, outcome))
    compare_keys(verdict)


def said_of_keys(keys: dict | None) -> Findings | None:
    """Returns what statistics say of keys."""
    if keys is None:
        return None
    invalid = keys["invalid"] or {"records": 0, "of_records": 0, "keys": []}
    counts = tuple(key["records"] for key in invalid["keys"])
    unmatched = len(keys["unmatched"])
    return Findings(invalid["records"], invalid["of_records"], counts, unmatched)


def compare_keys(verdict: Verdict) -> None:
    """Holds what statistics say of keys against the model's."""
    wanted, found = verdict.wanted.keys, verdict.outcome.keys
    if wanted is None:
        return
    verdict.invalid, verdict.unmatched = wanted.invalid, wanted.unmatched
    if found is not None and not found.of_records:
        wanted = replace(wanted, of_records=0)  # no key can place a record
    if found != wanted:
        verdict.add("keys", f"{found} instead of {wanted}")


def expect_refusal(verdict: Verdict) -> None:
    """Checks that a job with two faults reports one of them."""
    found = verdict.outcome
    if found and found.status not in (UsageError.status, MalformedError.status):
        verdict.add("status", f"{found.status} instead of that of either fault")


def describe(wanted: Outcome, outcome: Outcome) -> str:
    """Returns in words how an outcome differs from the one that is wanted."""
    if wanted.status != outcome.status:
        return f"status {outcome.status} instead of {wanted.status}"
    if set(wanted.outputs) != set(outcome.outputs):
        return f"outputs {sorted(outcome.outputs)} instead of {sorted(wanted.outputs)}"
    for name in sorted(wanted.outputs):
        one, other = wanted.outputs[name], outcome.outputs[name]
        if one == other:
            continue
        if len(one) != len(other):
            return f"output '{name}' has {len(other)} bytes instead of {len(one)}"
        at = next(at for at in range(len(one)) if one[at] != other[at])
        start = max(0, at - 20)
        shown, right = other[start : at + 20], one[start : at + 20]
        return f"output '{name}' differs at byte {at}: {shown!r} instead of {right!r}"
    return "no difference"
