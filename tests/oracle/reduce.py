"""Makes a case that differs smaller, as long as it differs in the same way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import fields, replace

from .case import Case
from .circumstances import Circumstances
from .run import Fault, Runner, Verdict

PLAIN = Circumstances()


def sort_of(fault: Fault) -> tuple[str, str]:
    """Returns what two faults have in common that are of one cause, as far as can be told."""
    return (fault.kind, fault.words.split(".")[0] if fault.kind == "status" else "")


class Reducer:
    """Tries simpler cases for a limited time."""

    def __init__(self, runner: Runner, seconds: float) -> None:
        """Takes what runs the cases, and how long it may take."""
        self.runner = runner
        self.seconds = seconds
        self.tried = 0

    def reduce(self, case: Case, verdict: Verdict) -> tuple[Case, Verdict]:
        """Returns the simplest case found that has the first fault of the verdict."""
        wanted = sort_of(verdict.faults[0])
        deadline = time.monotonic() + self.seconds
        is_better = True
        while is_better:
            is_better = False
            for simpler in simpler_cases(case):
                if time.monotonic() > deadline:
                    return case, verdict
                found = self.runner.check(simpler)
                self.tried += 1
                if any(sort_of(fault) == wanted for fault in found.faults):
                    case, verdict, is_better = simpler, found, True
                    break
        return case, verdict


def simpler_cases(case: Case) -> Iterator[Case]:
    """Yields cases that are a little simpler, those that gain most first."""
    yield from fewer_records(case, 2)
    yield from plainer(case)
    for count, option in enumerate(case.options):
        if option[0] not in ("-F", "-t"):
            yield replace(case, options=case.options[:count] + case.options[count + 1 :])
    for number in range(len(case.inputs)):
        if len(case.inputs) > 1:
            yield replace(case, inputs=case.inputs[:number] + case.inputs[number + 1 :])
    for pieces in (4, 8, 16, 64):
        yield from fewer_records(case, pieces)
    if case.records() <= 40:
        yield from fewer_records(case, 40)
        yield from shorter_keys(case)
        yield from shorter_records(case)


def fewer_records(case: Case, pieces: int) -> Iterator[Case]:
    """Yields cases without one of so many pieces of each input."""
    for number, records in enumerate(case.inputs):
        count = len(records) - case.tops
        step = max(1, -(-count // pieces))
        for start in range(case.tops, len(records), step):
            fewer = records[:start] + records[start + step :]
            yield with_input(case, number, fewer)


def with_input(case: Case, number: int, records: tuple[bytes, ...]) -> Case:
    """Returns a case with other records in one of its inputs."""
    return replace(case, inputs=(*case.inputs[:number], records, *case.inputs[number + 1 :]))


def plainer(case: Case) -> Iterator[Case]:
    """Yields cases in plainer circumstances: all at once, then one at a time."""
    chosen = case.circumstances
    if chosen == PLAIN:
        return
    yield replace(case, circumstances=PLAIN)
    for name in (field.name for field in fields(Circumstances)):
        if name != "options" and getattr(chosen, name) != getattr(PLAIN, name):
            simpler = replace(chosen, **{name: getattr(PLAIN, name)})
            yield replace(case, circumstances=simpler)
    for number in range(len(chosen.options)):
        options = chosen.options[:number] + chosen.options[number + 1 :]
        yield replace(case, circumstances=replace(chosen, options=options))


def shorter_keys(case: Case) -> Iterator[Case]:
    """Yields cases with a word less in one of their keys."""
    for number, option in enumerate(case.options):
        words = option[1].split(":") if option[0] == "-k" else []
        for place in range(1, len(words)):
            key = ":".join(words[:place] + words[place + 1 :])
            options = (*case.options[:number], ("-k", key), *case.options[number + 1 :])
            yield replace(case, options=options)


def shorter_records(case: Case) -> Iterator[Case]:
    """Yields cases with a shorter record, or with a record of fixed length of plainer bytes."""
    form = next((option[1] for option in case.options if option[0] == "-F"), "lines")
    is_text = form.startswith(("lines", "csv", "tsv", "jsonl"))
    if not is_text and not form.startswith("fixed"):
        return
    for number, records in enumerate(case.inputs):
        for place in range(case.tops, len(records)):
            for record in shorter(records[place], is_text):
                yield with_input(case, number, (*records[:place], record, *records[place + 1 :]))


def shorter(record: bytes, is_text: bool) -> Iterator[bytes]:
    """Yields a record without some of its bytes, or with zeros in their place."""
    end = 1 if is_text else 0
    length = len(record) - end
    for size in (length // 2, length // 4, 1):
        if size == 0 or (size == 1 and length > 40):
            continue
        for start in range(0, length, size):
            stop = min(start + size, length)
            if is_text:
                yield record[:start] + record[stop:]
            elif any(byte != 48 for byte in record[start:stop]):
                yield record[:start] + b"0" * (stop - start) + record[stop:]
