"""Nodes of the cluster, and calls of their exchanges."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from sortwell.cluster._exchange import Exchange
from sortwell.cluster._spec import NodeLost, storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sortwell.cluster._spec import Spec

# Label of a node's name.
LABEL = "sortwell-node"

# Seconds until a node whose exchange does not answer is taken for lost.
PATIENCE = 30


@dataclass(frozen=True)
class Node:
    """A node of the cluster."""

    id: str
    name: str
    address: str
    cpus: int


def alive() -> list[Node]:
    """Returns the nodes that can run tasks, by name."""
    found = []
    listed: Any = ray.nodes
    for node in listed():
        cpus = int(node["Resources"].get("CPU", 0))
        if node["Alive"] and cpus > 0:
            name = node.get("Labels", {}).get(LABEL) or node["NodeID"]
            found.append(Node(node["NodeID"], name, node["NodeManagerAddress"], cpus))
    return sorted(found, key=lambda node: (node.name, node.id))


def on(node: str, soft: bool = False) -> Any:
    """Returns the strategy that places a task on a node."""
    return NodeAffinitySchedulingStrategy(node_id=node, soft=soft)


class Cluster:
    """The nodes of a sort, with an exchange on each."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.nodes = alive()
        if not self.nodes:
            raise usage_error("no node of the cluster has a CPU; start one with 'ray start'")
        self._urls: dict[str, str] = {}
        remote: Any = ray.remote
        actor = remote(num_cpus=0, max_restarts=-1, max_concurrency=8)(Exchange)
        self._exchanges = {
            node.id: actor.options(
                name=f"sortwell-exchange-{spec.job}-{node.name}", scheduling_strategy=on(node.id)
            ).remote(spec, node.id, node.address, len(self.nodes))
            for node in self.nodes
        }
        self.read_urls()

    def read_urls(self) -> None:
        """Asks all exchanges for their addresses, which change when one is started again.

        Nodes that are lost are forgotten.
        """
        for node in list(self.nodes):
            try:
                self._urls[node.id] = self.call(node.id, "url")
            except NodeLost:
                self.drop_lost()

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
        """Returns the nodes of a name; all for `*`."""
        found = [node for node in self.nodes if name in ("*", node.name, node.id)]
        if not found:
            known = ", ".join(node.name for node in self.nodes)
            raise usage_error(f"no node is named '{name}'; the nodes are {known}")
        return found

    def begin(self, node: str, method: str, *arguments: Any) -> Any:
        """Begins a call of a node's exchange, and returns the reference to its result."""
        return getattr(self._exchanges[node], method).remote(*arguments)

    def call(self, node: str, method: str, *arguments: Any) -> Any:
        """Calls a node's exchange. An actor that is started again is called once more.

        Raises `NodeLost` if the node is not alive.
        """
        for attempt in range(PATIENCE):
            try:
                return ray.get(self.begin(node, method, *arguments), timeout=PATIENCE * 4)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except (
                ray.exceptions.RayActorError,
                ray.exceptions.ActorUnschedulableError,
            ) as error:
                if getattr(error, "actor_init_failed", False):
                    raise storage_error(
                        f"no exchange could be started on node {self.name(node)}: {error}"
                    ) from error
                if not any(known.id == node for known in alive()):
                    raise NodeLost(f"node {self.name(node)} is lost") from error
                if attempt + 1 == PATIENCE:
                    raise storage_error(
                        f"the exchange of node {self.name(node)} does not answer: {error}"
                    ) from error
                time.sleep(1)
        raise AssertionError

    def drop_lost(self) -> set[str]:
        """Forgets the nodes that are not alive, and returns them."""
        known = {node.id for node in alive()}
        lost = {node.id for node in self.nodes} - known
        self.nodes = [node for node in self.nodes if node.id in known]
        if not self.nodes:
            raise storage_error("all nodes of the cluster are lost")
        return lost

    def close(self) -> None:
        """Removes all runs, and ends the exchanges."""
        for node in self.nodes:
            with contextlib.suppress(Exception):
                ray.get(self.begin(node.id, "clear"), timeout=PATIENCE)
        for exchange in self._exchanges.values():
            with contextlib.suppress(Exception):
                ray.kill(exchange)
