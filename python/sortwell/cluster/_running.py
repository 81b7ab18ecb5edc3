"""Tasks of Ray that are under way."""

from __future__ import annotations

import contextlib
import statistics
import time
import warnings
from dataclasses import dataclass

import ray

from sortwell.cluster._losses import HeadLost, NodeLost, SourceLost
from sortwell.cluster._nodes import alive, on
from sortwell.cluster._spec import is_space, lost_input, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import Split

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
        owned: Callable[[int], Split | None],
    ) -> None:
        """Tasks of a kind are named by numbers, with their nodes in `chosen`.

        `notify` is called with the number of those that are done, each second at least.
        `may_move` returns the nodes for another attempt. `owned` returns the split of a task that
        only the node of its input can do, if it is such a task.
        """
        self._cluster = cluster
        self._kind = kind
        self._start = start
        self._waiting = dict(chosen)
        self._notify = notify
        self._may_move = may_move
        self._owned = owned
        self._under_way: dict[Any, _Attempt] = {}
        self._seconds: list[float] = []
        self._tried_twice: set[int] = set()
        self._failed = dict.fromkeys(chosen, 0)
        # When tasks may begin again.
        self._not_before: dict[int, float] = {}
        # Nodes that did not deliver the records of their runs.
        self._suspects: set[str] = set()
        self.repeated = 0
        self.second_attempts = 0
        # Why the last source was lost.
        self.reason = ""

    def finish(self) -> dict[int, Any]:
        """Waits for all tasks, and returns their results.

        A task whose source is lost is left out of the result, as are those that have not begun.
        """
        done: dict[int, Any] = {}
        try:
            self._begin_waiting()
            self._notify(0)
            while self._begin_waiting() or self._under_way or self._waiting:
                for reference in self._ready():
                    attempt = self._under_way.pop(reference)
                    self._result(reference, attempt, done)
                self._notify(len(done))
                self._end_without_sources()
                self._try_again()
                self._warn()
                self._cluster.keep_exchanges()
        except HeadLost:
            raise
        except BaseException:
            self._end(lambda _: True)
            raise
        return done

    def _ready(self) -> list[Any]:
        """Returns the attempts that have ended, after a while at most."""
        if not self._under_way:
            time.sleep(_LOOK)
            return []
        ready, _ = ray.wait(list(self._under_way), num_returns=1, timeout=_LOOK)
        return list(ready)

    def _end_without_sources(self) -> None:
        """Ends all attempts if a node that did not deliver is lost.

        They may wait for it, too. A machine that has vanished does not end their connections.
        """
        if self._suspects and self._suspects - {node.id for node in alive()}:
            self._end(lambda _: True)

    def _begin_waiting(self) -> bool:
        """Begins the next task of each node that has none. Returns whether there is one.

        A task takes all processors of its node.
        """
        busy = {attempt.node for attempt in self._under_way.values()}
        begun = False
        for number, node in list(self._waiting.items()):
            if node not in busy and self._not_before.get(number, 0.0) <= time.monotonic():
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

    def _result(self, reference: Any, attempt: _Attempt, done: dict[int, Any]) -> None:
        """Takes the result of an attempt, or begins another one."""
        number = attempt.number
        if number in done:
            return
        try:
            done[number] = ray.get(reference)
            self._waiting.pop(number, None)
            self._seconds.append(time.monotonic() - attempt.begun)
            self._end(lambda other: other.number == number)
            return
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SourceLost):
                # Other parts need the node as well. They begin when its runs are there again.
                self.reason = error.cause.reason
                self._suspects.add(error.cause.node)
                self._waiting.clear()
                return
            if isinstance(error.cause, NodeLost):
                self._check_attempts(number, error.cause)
                self._cluster.begin_exchanges()
            elif not is_space(error.cause) or self._failed[number] > 0:
                raise error.cause from None
        except ray.exceptions.RayError as error:
            self._check_attempts(number, error)
            # Ray notices after a while that a node is lost.
            self._not_before[number] = time.monotonic() + 2 ** self._failed[number] - 1
        if not self._suspects:
            self._repeat(attempt)

    def _check_attempts(self, number: int, error: BaseException) -> None:
        """Raises an error if a task has been tried often enough."""
        if self._failed[number] >= ATTEMPTS:
            split = self._owned(number)
            what = f"{self._kind} {number}" + (f" of {split.path}" if split else "")
            raise storage_error(f"the task '{what}' could not be done: {error}") from error

    def _repeat(self, attempt: _Attempt) -> None:
        """Has a task wait for another attempt, on another node if there is one."""
        number = attempt.number
        self._failed[number] += 1
        self.repeated += 1
        known = {node.id for node in alive()}
        split = self._owned(number)
        if split is not None and split.node not in known:
            raise lost_input(split.path)
        only = None if split is None else split.node
        nodes = [node for node in self._may_move(number) if node in known]
        others = [node for node in nodes if node != attempt.node] or nodes
        if only is None and not others:
            raise storage_error("the nodes that may do a task are lost")
        self._waiting[number] = only or others[number % len(others)]
        # Tasks that wait for a lost node go elsewhere, too.
        for other, node in self._waiting.items():
            if node not in known and self._owned(other) is None and others:
                self._waiting[other] = others[other % len(others)]

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
        if not self._seconds or self._suspects:
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
