"""Tasks of Ray that are under way."""

from __future__ import annotations

import contextlib
import statistics
import time
import warnings
from dataclasses import dataclass

import ray

from sortwell.cluster._nodes import alive, on
from sortwell.cluster._spec import HeadLost, NodeLost, SourceLost, is_space, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell.cluster._nodes import Cluster

# Times that a task is tried on lost or full nodes.
ATTEMPTS = 5

# Seconds between two looks at tasks that are under way.
_LOOK = 1.0

# A task is slow that takes as many seconds, and as many times as long as half of the others.
SLOW = 10.0
_SLOWER = 3.0


# Seconds after which a task that has not begun is worth a warning.
WAIT = 60.0


# Functions of Ray. The code of each goes to the head once, not with each task.
_remotes: dict[Any, Any] = {}


def _remote(function: Any) -> Any:
    """Returns a function of Ray."""
    if function not in _remotes:
        _remotes[function] = ray.remote(max_retries=3)(function)
    return _remotes[function]


def task_on(function: Any, name: str, node: str, cpus: int) -> Any:
    """Returns a task of Ray that takes all processors of a node."""
    where = {"num_cpus": cpus, "scheduling_strategy": on(node)}
    return _remote(function).options(name=f"sortwell {name}", **where)


@dataclass
class _Attempt:
    """A task that is under way on a node."""

    number: int
    node: str
    begun: float
    is_looked_at: bool = False


class Tasks:
    """Tasks that are under way, and where to repeat those that fail for the sake of a node.

    A task that takes much longer than the others gets a second attempt on a node that has nothing
    to do. The first attempt that ends counts, and the other one is ended.
    """

    def __init__(
        self,
        cluster: Cluster,
        kind: str,
        start: Callable[[int, str], Any],
        chosen: dict[int, str],
        notify: Callable[[int], None],
        may_move: Callable[[int], list[str]],
        owner: Callable[[int], str | None],
    ) -> None:
        """Tasks of a kind are named by numbers, with their nodes in `chosen`.

        `may_move` returns the nodes for another attempt. `owner` returns the only node that can do
        a task, if there is one.
        """
        self._cluster = cluster
        self._kind = kind
        self._start = start
        self._waiting = dict(chosen)
        self._notify = notify
        self._may_move = may_move
        self._owner = owner
        self._under_way: dict[Any, _Attempt] = {}
        self._seconds: list[float] = []
        self._tried_twice: set[int] = set()
        self._failed = dict.fromkeys(chosen, 0)
        self.repeated = 0
        self.second_attempts = 0
        # Why the last source was lost.
        self.reason = ""

    def finish(self) -> dict[int, Any]:
        """Waits for all tasks, and returns their results.

        A task whose source is lost is left out of the result.
        """
        done: dict[int, Any] = {}
        try:
            self._begin_waiting()
            self._notify(0)
            while self._begin_waiting() or self._under_way:
                ready, _ = ray.wait(list(self._under_way), num_returns=1, timeout=_LOOK)
                for reference in ready:
                    attempt = self._under_way.pop(reference)
                    if self._result(reference, attempt, done):
                        self._notify(len(done))
                self._try_again()
                self._warn()
                self._cluster.keep_exchanges()
        except HeadLost:
            raise
        except BaseException:
            self._end(lambda _: True)
            raise
        return done

    def _begin_waiting(self) -> bool:
        """Begins the next task of each node that has none. Returns whether there is one.

        A task takes all processors of its node.
        """
        busy = {attempt.node for attempt in self._under_way.values()}
        begun = False
        for number, node in list(self._waiting.items()):
            if node not in busy:
                busy.add(node)
                del self._waiting[number]
                self._begin(number, node)
                begun = True
        return begun

    def _begin(self, number: int, node: str) -> None:
        reference = self._start(number, node)
        self._under_way[reference] = _Attempt(number, node, time.monotonic())

    def _end(self, is_wanted: Callable[[_Attempt], bool]) -> None:
        """Ends attempts, and waits until their processes are gone."""
        ended = [other for other, attempt in self._under_way.items() if is_wanted(attempt)]
        for reference in ended:
            del self._under_way[reference]
            with contextlib.suppress(Exception):
                ray.cancel(reference, force=True)
        if ended:
            ray.wait(ended, num_returns=len(ended), timeout=_LOOK * 10)

    def _result(self, reference: Any, attempt: _Attempt, done: dict[int, Any]) -> bool:
        """Takes the result of an attempt, or begins another one. Returns whether there is one."""
        number = attempt.number
        if number in done:
            return False
        try:
            done[number] = ray.get(reference)
            self._waiting.pop(number, None)
            self._seconds.append(time.monotonic() - attempt.begun)
            self._end(lambda other: other.number == number)
            return True
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SourceLost):
                self.reason = error.cause.reason
                return False
            if not is_space(error.cause) or self._failed[number] > 0:
                raise error.cause from None
        except ray.exceptions.RayError as error:
            if self._failed[number] >= ATTEMPTS:
                raise storage_error(f"a task could not be done: {error}") from error
        self._failed[number] += 1
        self.repeated += 1
        known = {node.id for node in alive()}
        only = self._owner(number)
        if only is not None and only not in known:
            raise storage_error("the node of an input is lost, and no other node has it")
        nodes = [node for node in self._may_move(number) if node in known]
        others = [node for node in nodes if node != attempt.node] or nodes
        if only is None and not others:
            raise storage_error("the nodes that may do a task are lost")
        self._waiting[number] = only or others[number % len(others)]
        # Tasks that wait for a lost node go elsewhere, too.
        for other, node in self._waiting.items():
            if node not in known and self._owner(other) is None and others:
                self._waiting[other] = others[other % len(others)]
        return False

    def _warn(self) -> None:
        """Warns of tasks that have not begun: something else has the processors of their nodes."""
        for attempt in self._under_way.values():
            if attempt.is_looked_at or time.monotonic() - attempt.begun < WAIT:
                continue
            attempt.is_looked_at = True
            task, node = f"{self._kind} {attempt.number}", attempt.node
            with contextlib.suppress(NodeLost):
                if not self._cluster.call(node, "has_begun", task):
                    warnings.warn(
                        f"'{task}' has waited for {WAIT:.0f} s for all {self._cluster.cpus(node)} "
                        f"CPUs of node {self._cluster.name(node)}; it begins when other tasks and "
                        "actors of Ray there have ended, such as one that calls this sort",
                        RuntimeWarning,
                        stacklevel=2,
                    )

    def _try_again(self) -> None:
        """Begins a second attempt of a slow task if a node has nothing to do."""
        if not self._seconds:
            return
        limit = max(SLOW, _SLOWER * statistics.median(self._seconds))
        busy = {attempt.node for attempt in self._under_way.values()}
        for attempt in list(self._under_way.values()):
            number = attempt.number
            if number in self._tried_twice or time.monotonic() - attempt.begun < limit:
                continue
            free = [node for node in self._may_move(number) if node not in busy]
            if free:
                self._tried_twice.add(number)
                self.second_attempts += 1
                self._begin(number, free[0])
                return
