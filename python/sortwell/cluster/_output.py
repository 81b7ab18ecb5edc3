"""The folder of the parts of a sort.

empty --> claimed --> .part-00000.JOB.NODE ... --> part-00000 ... --> manifest.json
          by one       as parts are made           when all are        the sort is
          sort                                     proved              done

The names of the files before that are in `_claims`. After an error, there is no part and no
manifest, or all of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile

from sortwell import _errors
from sortwell.cluster import _claims, _inputs, _janitor
from sortwell.cluster._losses import NodeLost, PartLost
from sortwell.cluster._spec import storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._nodes import Cluster, Node
    from sortwell.cluster._results import ClusterStatistics
    from sortwell.cluster._spec import MadePart, Spec


class OutputFolder:
    """Folder of the parts: one path that all nodes share, or a folder on each of some nodes."""

    def __init__(self, output: str, spec: Spec) -> None:
        """Takes the path of the output as the caller gave it."""
        self._spec = spec
        self._node, self.folder = _inputs.place(output)
        # Nodes that name parts, with these names and the inodes of the files.
        self._committed: dict[str, list[tuple[str, int]]] = {}
        self._manifest = os.path.join(self.folder, _janitor.MANIFEST)
        self._manifest_inode: int | None = None
        self._is_claimed = self._is_made_here = self._is_done = False

    def owners(self, cluster: Cluster) -> list[Node]:
        """Returns the nodes that can make parts."""
        if self._node is None:
            return cluster.nodes
        try:
            return cluster.named(self._node)
        except _errors.UsageError:
            if not self._is_claimed:
                raise
            raise storage_error(f"the node {self._node} of the output is lost") from None

    def clean(self, cluster: Cluster) -> bool:
        """Removes what a call of this sort has left that was killed after it wrote the manifest.

        Returns whether there was such a call.
        """
        if not os.path.exists(self._manifest):
            return False
        for node in self.owners(cluster):
            with contextlib.suppress(NodeLost):
                self._is_done |= cluster.call(node.id, "clean")
        return self._is_done

    def claim(self, cluster: Cluster) -> None:
        """Checks that the folder is empty, and claims it.

        No part of another sort may look like one of this sort.
        """
        if os.path.exists(self._manifest):
            if self._is_done:
                raise usage_error(
                    f"the sort is done: an earlier call has written {self._manifest}; its "
                    "hidden files and its runs are removed now"
                )
            # A node that does not see it would take back the parts.
            raise self._not_empty_here(_janitor.MANIFEST)
        owners = self.owners(cluster)
        self._is_claimed = True
        for node in owners:
            try:
                names = cluster.call(node.id, "claim", [owner.id for owner in owners])
            except NodeLost:
                cluster.drop_lost()
                continue
            if names:
                raise usage_error(
                    f"the folder {self.folder} on node {node.name} is not empty: it has "
                    f"{names[0]}; {_claims.how_to_give_up(names[0], self._spec.temp)}"
                )
            cluster.claimed.add(node.id)
        # It is an error if no node is left.
        self.owners(cluster)
        if self._node is None:
            self._check_shared(cluster)
        self._check_here()

    def _check_shared(self, cluster: Cluster) -> None:
        """Raises `UsageError` if a node does not see the claims of the others."""
        claims = {
            _claims.claim_path(self.folder, self._spec, node.id): node.name
            for node in cluster.nodes
            if node.id in cluster.claimed
        }
        for node in cluster.nodes:
            try:
                missing = cluster.call(node.id, "missing", list(claims))
            except NodeLost:
                continue
            if missing:
                raise usage_error(
                    f"node {node.name} does not see in {self.folder} what node "
                    f"{claims[missing[0]]} writes there: the folder is not shared; write "
                    f"node://*{self.folder}, or name a folder that all nodes share"
                )
        cluster.drop_lost()

    def _check_here(self) -> None:
        """Checks the folder on this machine, which gets the manifest and may be no node."""
        self._is_made_here = not os.path.exists(self.folder)
        os.makedirs(self.folder, exist_ok=True)
        names = [name for name in os.listdir(self.folder) if self._spec.job not in name]
        if names:
            raise self._not_empty_here(min(names))
        # It may not be possible to write there.
        with tempfile.TemporaryFile(dir=self.folder):
            pass

    def _not_empty_here(self, name: str) -> BaseException:
        return usage_error(
            f"the folder {self.folder} on this machine, which gets the manifest, is not empty: it "
            f"has {name}; {_claims.how_to_give_up(name, self._spec.temp)}"
        )

    def unnamed(self, number: int, node: str) -> str:
        """Returns the path of a part that a node makes before all are made."""
        return os.path.join(self.folder, f".part-{number:05}.{self._spec.part_end(node)}")

    def _named(self, number: int) -> str:
        """Returns the path of a part in the end."""
        return os.path.join(self.folder, f"part-{number:05}")

    def final(self, cluster: Cluster, part: MadePart) -> str:
        """Returns where a part is in the end, with its node unless all nodes share the path."""
        path = self._named(part.number)
        return path if self._node is None else f"node://{cluster.name(part.node)}{path}"

    def commit(self, cluster: Cluster, parts: list[MadePart]) -> None:
        """Gives all parts their names."""
        by_node: dict[str, list[tuple[str, str]]] = {}
        for part in parts:
            # Any node can name parts on a shared path.
            node = cluster.nodes[0].id if self._node is None else part.node
            by_node.setdefault(node, []).append((part.path, self._named(part.number)))
        for node, names in by_node.items():
            self._committed[node] = []
            self._committed[node] = cluster.call(node, "commit", names)

    def take_back(self, cluster: Cluster) -> None:
        """Removes the parts that have their names. On a shared path, any node can do it."""
        self._committed.clear()
        for node in cluster.nodes[:1] if self._node is None else self.owners(cluster):
            cluster.call(node.id, "take_back_names")

    def write_manifest(self, cluster: Cluster, statistics: ClusterStatistics) -> None:
        """Writes the manifest. The sort is done with it. Raises `PartLost` if a part is gone."""
        os.makedirs(self.folder, exist_ok=True)
        temporary = _janitor.unfinished_manifest(self.folder, self._spec.job)
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                self._manifest_inode = os.fstat(file.fileno()).st_ino
                json.dump(statistics.as_dict(), file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            for node, names in self._committed.items():
                cluster.call(node, "seal", names)
            try:
                _claims.give_name(temporary, self._manifest)
            except FileNotFoundError as error:
                raise PartLost("a janitor has removed parts that have their names") from error
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(temporary)
            raise
        _claims.sync_folder(self.folder)

    def remove_parts(self, cluster: Cluster) -> None:
        """Removes the manifest and the parts that have their names, and the folder if made here."""
        if self._manifest_inode is not None:
            with contextlib.suppress(OSError):
                _janitor.remove_same([(self._manifest, self._manifest_inode)])
        for node, names in self._committed.items():
            with contextlib.suppress(Exception):
                cluster.call(node, "give_up_names", names)
            if self._node is None:
                # The node may be lost, and others see the same parts.
                with contextlib.suppress(OSError):
                    _janitor.remove_same(names)
        if self._is_made_here:
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)
