"""Exceptions for nodes, runs, parts and sources that are lost during a sort."""

from __future__ import annotations


class NotBegun(Exception):
    """An exchange that Ray has started again does not know its sort yet."""


class HeadLost(Exception):
    """The head of the cluster does not answer."""


class NodeLost(Exception):
    """A node is not part of the cluster any more."""


class RunLost(NodeLost):
    """A run is not on its node any more, which was removed when the exchange was dead."""


class PartLost(NodeLost):
    """A part is not on its node any more, which was removed when the exchange was dead."""


class SourceLost(Exception):
    """A node did not deliver the records of its runs."""

    def __init__(self, node: str, reason: str) -> None:
        super().__init__(node, reason)
        self.node = node
        self.reason = reason
