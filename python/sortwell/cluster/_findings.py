"""Findings about records: rows that were left out, and keys that are no values of their types."""

from __future__ import annotations

import json

from sortwell import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from sortwell.cluster._spec import Run, Spec


def of_runs(spec: Spec, runs: Collection[Run]) -> dict[str, Any]:
    """Returns the findings about the records of all runs, by their names in the statistics.

    Those of a run that was kept are in its note. A run that was made twice counts once.
    """
    if not runs:
        return {}
    words = spec.sort_words(1, spec.memory, spec.temp)
    values, lines = _native.sum_findings(words, spec.header, [run.findings for run in runs])
    messages = [line.removeprefix("sortwell: ") for line in lines.splitlines()]
    return {**json.loads(values), "messages": messages}
