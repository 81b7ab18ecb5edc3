"""The progress of a job."""

from __future__ import annotations


class Progress:
    """Progress of a job, which a `progress=` callback receives about ten times a second.

    The last call comes when the job has succeeded: then all is done, and no time is left.

    `phase`
        the current step in words, such as "writing runs"
    `done`
        bytes that were moved, reads and writes of every pass together
    `total`
        bytes that will be moved, as far as the plan knows and at least `done`; None while that is
        not known
    `share`
        the share of the work that is done, from 0.0 to 1.0, or None
    `seconds_left`
        the estimated remaining time, or None

    An exception of the callback stops the job and reaches the caller of the job. With tqdm:

        import tqdm

        bar = tqdm.tqdm(unit="B", unit_scale=True)

        def show(progress):
            bar.total = progress.total
            bar.update(progress.done - bar.n)

        sortwell.sort("in.csv", "out.csv", key="id", progress=show)
    """

    __slots__ = ("done", "phase", "seconds_left", "share", "total")

    phase: str
    done: int
    total: int | None
    share: float | None
    seconds_left: float | None

    def __init__(
        self,
        phase: str,
        done: int,
        total: int | None,
        share: float | None,
        seconds_left: float | None,
    ) -> None:
        self.phase = phase
        self.done = done
        # Requests have whole blocks, and a plan may be wrong: more may be moved than was planned.
        self.total = None if total is None else max(total, done)
        self.share = share
        self.seconds_left = seconds_left

    def __repr__(self) -> str:
        total = "unknown" if self.total is None else f"{self.total}"
        return f"<sortwell.Progress {self.phase}: {self.done} of {total} bytes>"
