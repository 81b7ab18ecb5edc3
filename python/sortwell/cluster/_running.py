"""Tasks of Ray that are under way."""

from __future__ import annotations

import contextlib

import ray

from sortwell.cluster._nodes import alive, on
from sortwell.cluster._spec import SourceLost, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell.cluster._nodes import Cluster

# Times that a task is tried on lost or full nodes.
ATTEMPTS = 5


def task_on(function: Any, name: str, node: str, cpus: int, soft: bool) -> Any:
    """Returns a task of Ray that takes all processors of a node."""
    options = {"num_cpus": cpus, "max_retries": 3, "scheduling_strategy": on(node, soft)}
    return ray.remote(**options)(function).options(name=f"sortwell {name}")


class Tasks:
    """Tasks that are under way, and where to repeat those that fail for the sake of a node."""

    def __init__(
        self,
        cluster: Cluster,
        start: Callable[[int, str], Any],
        chosen: dict[int, str],
        tell: Callable[[int], None],
        left: set[int] | None = None,
    ) -> None:
        self._cluster = cluster
        self._start = start
        self._chosen = chosen
        self._tell = tell
        self._left = set(chosen) if left is None else set(left)
        self.repeated = 0
        # Why the last source was lost.
        self.reason = ""

    def finish(self, owner: Callable[[int], str | None]) -> dict[int, Any]:
        """Waits for all tasks, and returns their results.

        `owner` returns the only node that can do a task. A task whose source is lost is left out of
        the result.
        """
        under_way = {self._start(number, self._chosen[number]): number for number in self._left}
        done: dict[int, Any] = {}
        failed = dict.fromkeys(self._left, 0)
        self._tell(0)
        try:
            while under_way:
                (first, *_), _ = ray.wait(list(under_way), num_returns=1)
                number = under_way.pop(first)
                try:
                    done[number] = ray.get(first)
                    self._tell(len(done))
                    continue
                except ray.exceptions.RayTaskError as error:
                    if isinstance(error.cause, SourceLost):
                        self.reason = error.cause.reason
                        continue
                    if not _is_space(error.cause) or failed[number] > 0:
                        raise error.cause from None
                except ray.exceptions.RayError as error:
                    if failed[number] >= ATTEMPTS:
                        raise storage_error(f"a task could not be done: {error}") from error
                failed[number] += 1
                self.repeated += 1
                nodes = [node.id for node in alive()]
                others = [node for node in nodes if node != self._chosen[number]] or nodes
                only = owner(number)
                if only is not None and only not in nodes:
                    raise storage_error("the node of an input is lost, and no other node has it")
                self._chosen[number] = only or others[number % len(others)]
                under_way[self._start(number, self._chosen[number])] = number
        except BaseException:
            for reference in under_way:
                with contextlib.suppress(Exception):
                    ray.cancel(reference, force=True)
            raise
        return done


def _is_space(error: BaseException) -> bool:
    return type(error).__name__ == "NoSpaceError"
