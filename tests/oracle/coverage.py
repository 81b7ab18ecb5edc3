"""What the cases of a run were like, and which shares of them there have to be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .case import Case
from .run import Verdict

LEAST_CASES = 300  # fewer have shares that say nothing
KEY_SHARES = ("invalid keys", "keys without values")
LEAST_SHARES = {"spilled": 0.30, "three passes": 0.10, "resumed": 0.05, "indexed": 0.04}
GROUPS = ("command", "size", "format", "keys", "key", "option", "operator", "input", "output")
CIRCUMSTANCES = ("temps", "lever", "compressed", "striped")


@dataclass
class Coverage:
    """Counts of a run; those of several workers add up."""

    tags: Counter = field(default_factory=Counter)
    statuses: Counter = field(default_factory=Counter)
    unspecified: Counter = field(default_factory=Counter)
    cases: int = 0
    failed: int = 0
    faults: Counter = field(default_factory=Counter)
    shares: Counter = field(default_factory=Counter)

    def take(self, case: Case, verdict: Verdict) -> None:
        """Counts a case."""
        self.cases += 1
        self.failed += bool(verdict.faults)
        self.faults.update({fault.kind for fault in verdict.faults})
        self.tags.update([*case.tags, *case.circumstances.tags()])
        if verdict.outcome:
            self.statuses[verdict.outcome.status] += 1
        if verdict.unspecified:
            self.unspecified[verdict.unspecified.split(":")[0][:70]] += 1
        self.shares["spilled"] += verdict.passes >= 2
        self.shares["three passes"] += verdict.passes >= 3
        self.shares["invalid keys"] += verdict.invalid > 0
        self.shares["keys without values"] += verdict.unmatched > 0
        self.shares["killed"] += verdict.kills > 0
        self.shares["resumed"] += verdict.resumed > 0
        self.shares["indexed"] += verdict.has_index

    def add(self, other: Coverage) -> None:
        """Adds the counts of another."""
        for name in ("tags", "statuses", "unspecified", "faults", "shares"):
            getattr(self, name).update(getattr(other, name))
        self.cases += other.cases
        self.failed += other.failed

    def short_shares(self) -> list[str]:
        """Returns the shares that are smaller than they have to be."""
        if self.cases < LEAST_CASES:
            return []
        return [
            f"{name}: {self.shares[name] / self.cases:.1%} of the cases instead of {least:.0%}"
            for name, least in LEAST_SHARES.items()
            if self.shares[name] < least * self.cases
        ]

    def lines(self, seconds: float) -> list[str]:
        """Returns the coverage in words."""
        shares = ", ".join(
            f"{name} {self.shares[name] / max(1, self.cases):.1%}"
            for name in ("spilled", "three passes", "killed", "resumed", "indexed", *KEY_SHARES)
        )
        lines = [f"coverage: {self.cases} cases in {seconds:.0f} s; {shares}"]
        statuses = [f"{status}: {count}" for status, count in sorted(self.statuses.items())]
        lines.append(f"  statuses: {', '.join(statuses)}")
        for group in (*GROUPS, *CIRCUMSTANCES):
            counts = [
                f"{tag.split(' ', 1)[1]} {count}"
                for tag, count in sorted(self.tags.items())
                if tag.split(" ", 1)[0] == group
            ]
            if counts:
                lines.append(f"  {group}: {', '.join(counts)}")
        lines.append(f"  unspecified: {sum(self.unspecified.values())}")
        lines += [f"    {count} {why}" for why, count in self.unspecified.most_common(8)]
        if self.faults:
            kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.faults.items()))
            lines.append(f"  faults: {kinds}")
        return lines
