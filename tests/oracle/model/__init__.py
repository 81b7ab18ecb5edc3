"""A model of `sortwell sort`, `merge` and `check`, written from their documentation alone.

It shares no code with the program. `expected` says what a job has to come to, `acceptable`
whether an outcome is one that the documentation allows. Both raise `Unspecified` where it leaves
the outcome open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import EitherFault, MalformedError, RefusedError, Unspecified, UsageError
from .findings import Findings, find_keys
from .judge import is_acceptable, solve

__all__ = [
    "EitherFault",
    "Findings",
    "Job",
    "MalformedError",
    "Outcome",
    "Unspecified",
    "UsageError",
    "acceptable",
    "expected",
]


@dataclass(frozen=True)
class Job:
    """A command line without inputs and output, and what its files hold."""

    command: str
    arguments: tuple[str, ...]
    inputs: tuple[bytes, ...]
    files: tuple[tuple[str, bytes], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """An exit status, and the outputs by what is added to the output's name ("" for one).

    `dropped` counts the rows that --ragged drop leaves out; it is None without that.
    """

    status: int
    outputs: dict[str, bytes]
    dropped: int | None = None
    # What statistics say of keys, where the command makes an output.
    keys: Findings | None = field(default=None, compare=False)


def expected(job: Job) -> Outcome:
    """Returns what a job has to come to.

    Where several orders are allowed (`random`, merges of unsorted inputs, the parts of --split)
    this is one of them; `acceptable` takes them all.
    """
    try:
        solution = solve(job.command, job.arguments, job.inputs, dict(job.files))
    except RefusedError as error:
        return Outcome(error.status, {})
    # A merge with a limit does not read the rest of the inputs, so it does not count all keys.
    is_partial = job.command == "merge" and solution.work.options.limit is not None
    keys = None if job.command == "check" or is_partial else find_keys(solution.work)
    return Outcome(solution.status, solution.outputs, solution.work.dropped, keys)


def acceptable(job: Job, outcome: Outcome) -> bool:
    """Returns whether the documentation allows an outcome of a job."""
    try:
        solution = solve(job.command, job.arguments, job.inputs, dict(job.files))
    except RefusedError as error:
        return outcome == Outcome(error.status, {})
    if outcome.status != solution.status or outcome.outputs.keys() != solution.outputs.keys():
        return False
    return outcome.outputs == solution.outputs or is_acceptable(solution, outcome.outputs)
