"""A record of what a task does, for the report."""

from __future__ import annotations

import time

from sortwell.cluster._spec import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell._progress import Progress

# Most points of a record. Beyond it, every second one is dropped.
_POINTS = 512


class Recorder:
    """Notes the bytes that a job has moved; it is the callback of the job's progress."""

    def __init__(self, name: str, node: str) -> None:
        self._name = name
        self._node = node
        self._begun = time.time()
        self._moved: list[tuple[float, int]] = []

    def __call__(self, progress: Progress) -> None:
        """Notes the progress of the job."""
        self._moved.append((time.time(), progress.done))
        if len(self._moved) > _POINTS:
            # The last point has the bytes of the whole task once it ends.
            del self._moved[:-1:2]

    def work(self) -> Work:
        """Returns the record at the end of the task."""
        return Work(self._name, self._node, self._begun, time.time(), self._moved)
