"""Nodes of the cluster, and calls of their exchanges."""

from __future__ import annotations

import contextlib
import secrets
import socket
import time
from dataclasses import dataclass

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from sortwell.cluster import _budget
from sortwell.cluster._exchange import Exchange
from sortwell.cluster._losses import HeadLost, NodeLost, NotBegun, RunLost
from sortwell.cluster._spec import storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell.cluster._spec import Spec

# Label of a node's name.
LABEL = "sortwell-node"

# Seconds between two calls that keep exchanges.
_KEEP = 5

# Times, a second apart, that an exchange that has died is called again.
PATIENCE = 30


@dataclass(frozen=True)
class Node:
    """A node of the cluster.

    Its name is its label. Without one, or if another node has the same label, it is its id.
    """

    id: str
    label: str | None
    name: str
    address: str
    cpus: int


def check_head() -> None:
    """Raises `HeadLost` if the head does not answer: Ray would end the program in a minute."""
    context: Any = ray.get_runtime_context()
    host, _, port = context.gcs_address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KEEP).close()
    except OSError as error:
        raise HeadLost(f"the head of the cluster at {context.gcs_address} is lost") from error


def alive() -> list[Node]:
    """Returns the nodes that can run tasks, by name."""
    check_head()
    listed: Any = ray.nodes
    nodes = [node for node in listed() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
    labels = [node.get("Labels", {}).get(LABEL) for node in nodes]
    found = []
    for node, label in zip(nodes, labels, strict=True):
        name = label if label and labels.count(label) == 1 else node["NodeID"]
        cpus = int(node["Resources"]["CPU"])
        found.append(Node(node["NodeID"], label, name, node["NodeManagerAddress"], cpus))
    return sorted(found, key=lambda node: (node.name, node.id))


def on(node: str) -> Any:
    """Returns the strategy that places a task on a node."""
    return NodeAffinitySchedulingStrategy(node_id=node, soft=False)


class Cluster:
    """The nodes of a sort, with an exchange on each."""

    def __init__(self, spec: Spec, output: str) -> None:
        """Has the exchange of each node begin the sort."""
        self.spec = spec
        self.nodes = alive()
        if not self.nodes:
            raise usage_error("no node of the cluster has a CPU; start one with 'ray start'")
        _budget.check(spec.memory, len(self.nodes))
        self._output = output
        # Nodes that have claimed the folder of the output.
        self.claimed: set[str] = set()
        self._urls: dict[str, str] = {}
        # Answers with the URLs of exchanges that may have begun again.
        self._beginning: dict[str, Any] = {}
        self._kept = time.monotonic()
        self._exchanges = {node.id: _exchange_of(node) for node in self.nodes}
        try:
            self.begin_exchanges()
        except BaseException:
            self.close(keeps_runs=spec.keeps, keeps_exchanges=False, removes_parts=False)
            raise

    def begin_exchanges(self) -> None:
        """Has all exchanges begin the sort; one that has died since begins again.

        Nodes that are lost are forgotten.
        """
        self._beginning.clear()
        # Of two calls of the same sort, one has the lock of the first node.
        groups = [self.nodes[:1], self.nodes[1:]] if self.spec.keeps else [self.nodes]
        for nodes in groups:
            begun = {node.id: self._begin_sort(node.id) for node in nodes}
            for node, reference in begun.items():
                with contextlib.suppress(NodeLost):
                    self._urls[node] = self._answer(node, reference, self._begin_sort)
        self.drop_lost()

    def keep_exchanges(self) -> None:
        """Has exchanges that have died since begin again, without waiting for them.

        The processes that remove what a dead sort has left wait for this.
        """
        self._take_urls()
        if time.monotonic() - self._kept > _KEEP:
            check_head()
            self._kept = time.monotonic()
            for node in self.nodes:
                if node.id not in self._beginning:
                    self._beginning[node.id] = self._begin_sort(node.id)

    def _take_urls(self) -> None:
        """Takes the URLs of exchanges that have begun meanwhile: each has a port of its own."""
        for node, reference in list(self._beginning.items()):
            if ray.wait([reference], timeout=0)[0]:
                del self._beginning[node]
                # A call that waits for the exchange finds out what is wrong.
                with contextlib.suppress(Exception):
                    self._urls[node] = ray.get(reference)

    def _begin_sort(self, node: str) -> Any:
        exchange, nodes = self._exchanges[node], len(self.nodes)
        is_claimed = node in self.claimed
        return exchange.begin.remote(self.spec, node, nodes, self._output, is_claimed)

    def url(self, node: str) -> str:
        """Returns where ranges of a node's runs are requested."""
        return self._urls[node]

    def name(self, node: str) -> str:
        """Returns the name of a node."""
        return next((known.name for known in self.nodes if known.id == node), node)

    def cpus(self, node: str) -> int:
        """Returns the number of processors of a node."""
        return next((known.cpus for known in self.nodes if known.id == node), 1)

    def named(self, name: str) -> list[Node]:
        """Returns the nodes of a label or an id; all for `*`."""
        found = [node for node in self.nodes if name in ("*", node.label, node.id)]
        if not found:
            known = ", ".join(node.name for node in self.nodes)
            raise usage_error(f"no node is named '{name}'; the nodes are {known}")
        return found

    def call(self, node: str, method: str, *arguments: Any) -> Any:
        """Calls a node's exchange. One that has died begins the sort again, and is called again.

        Raises `NodeLost` if the node is not alive.
        """

        return self._finish(node, self._begin(node, method, *arguments), method, *arguments)

    def call_each(self, method: str, arguments: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
        """Calls the exchanges of nodes at the same time. Returns the answers by node.

        `arguments` has those of each node. Raises `NodeLost` if a node is not alive.
        """
        begun = {node: self._begin(node, method, *own) for node, own in arguments.items()}
        return {
            node: self._finish(node, reference, method, *arguments[node])
            for node, reference in begun.items()
        }

    def call_any(self, method: str, *arguments: Any) -> Any:
        """Calls the exchange of a node that is alive. Lost nodes are forgotten."""
        while True:
            try:
                return self.call(self.nodes[0].id, method, *arguments)
            except RunLost:
                raise
            except NodeLost:
                self.drop_lost()

    def _begin(self, node: str, method: str, *arguments: Any) -> Any:
        return getattr(self._exchanges[node], method).remote(*arguments)

    def _finish(self, node: str, reference: Any, method: str, *arguments: Any) -> Any:
        """Returns the answer to a call that was begun."""

        def call_again(node: str) -> Any:
            self._beginning.pop(node, None)
            self._urls[node] = ray.get(self._begin_sort(node), timeout=PATIENCE * 4)
            return self._begin(node, method, *arguments)

        return self._answer(node, reference, call_again)

    def _answer(self, node: str, reference: Any, call_again: Callable[[str], Any]) -> Any:
        """Returns the answer of an exchange, which is called again if it has died."""
        attempt = 0
        while True:
            try:
                if reference is None:
                    reference = call_again(node)
                return ray.get(reference, timeout=_KEEP)
            except ray.exceptions.RayTaskError as error:
                if not isinstance(error.cause, NotBegun):
                    raise error.cause from None
                reference = None
            except ray.exceptions.GetTimeoutError:
                # Long work, such as to find the splits of a large file.
                if not any(known.id == node for known in alive()):
                    raise NodeLost(f"node {self.name(node)} is lost") from None
                self.keep_exchanges()
            except (
                ray.exceptions.RayActorError,
                ray.exceptions.ActorUnschedulableError,
            ) as error:
                if not any(known.id == node for known in alive()):
                    raise NodeLost(f"node {self.name(node)} is lost") from error
                attempt, reference = attempt + 1, None
                if attempt == PATIENCE:
                    raise storage_error(
                        f"the exchange of node {self.name(node)} does not answer: {error}"
                    ) from error
                time.sleep(1)

    def drop_lost(self) -> set[str]:
        """Forgets the nodes that are not alive, and returns them."""
        known = {node.id for node in alive()}
        lost = {node.id for node in self.nodes} - known
        self.nodes = [node for node in self.nodes if node.id in known]
        if not self.nodes:
            raise storage_error("all nodes of the cluster are lost")
        return lost

    def close(self, keeps_runs: bool, keeps_exchanges: bool, removes_parts: bool) -> None:
        """Removes all runs unless they are kept. Exchanges may stay for the next sort.

        With `removes_parts`, parts that have their names are removed.
        Without its head, a cluster answers no more; each node removes what is not kept by itself.
        """
        try:
            check_head()
        except HeadLost:
            return
        known: set[str] = set()
        with contextlib.suppress(Exception):
            known = {node.id for node in alive()}
        # The answer of a lost node would be waited for.
        begun = [node for node in self._urls if node in known]
        ends = [(node, self._begin(node, "end", keeps_runs, removes_parts)) for node in begun]
        for node, reference in ends:
            with contextlib.suppress(Exception):
                # An exchange that was restarted finds the runs after it has begun the sort again.
                self._finish(node, reference, "end", keeps_runs, removes_parts)
                if keeps_exchanges:
                    _KEPT.append((_session(), node, self._exchanges.pop(node)))
        for exchange in self._exchanges.values():
            with contextlib.suppress(Exception):
                ray.kill(exchange)


# Exchanges that serve no sort, each with the session of Ray and the node. They end with the
# program. Two sorts at the same time have different ones.
_KEPT: list[tuple[str, str, Any]] = []


def _session() -> str:
    context: Any = ray.get_runtime_context()
    return f"{context.gcs_address} {context.get_job_id()}"


def _exchange_of(node: Node) -> Any:
    """Returns an exchange of a node: one that is kept, or a new one."""
    session = _session()
    for kept in list(_KEPT):
        if kept[0] != session:
            _KEPT.remove(kept)
        elif kept[1] == node.id:
            _KEPT.remove(kept)
            return kept[2]
    remote: Any = ray.remote
    actor = remote(num_cpus=0, max_restarts=-1, max_concurrency=8)(Exchange)
    name = f"sortwell-exchange-{node.name}-{secrets.token_hex(4)}"
    return actor.options(name=name, scheduling_strategy=on(node.id)).remote(node.address)
