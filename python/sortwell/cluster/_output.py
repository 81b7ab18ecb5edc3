"""The folder of the parts of a sort.

empty --> claimed --> .part-00000.JOB.NODE ... --> part-00000 ... --> manifest.json
          by one       as parts are made           when all are        the sort is
          sort                                     proved              done
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile

from sortwell.cluster import _inputs
from sortwell.cluster._spec import usage_error

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
        self._committed: list[tuple[str, str]] = []
        self._is_made_here = False

    def owners(self, cluster: Cluster) -> list[Node]:
        """Returns the nodes that can make parts."""
        return cluster.nodes if self._node is None else cluster.named(self._node)

    def claim(self, cluster: Cluster) -> None:
        """Checks that the folder is empty, and claims it.

        No part of another sort may look like one of this sort.
        """
        if self._spec.keeps:
            self._remove_unfinished(cluster)
        for node in self.owners(cluster):
            if names := cluster.call(node.id, "claim", self.folder):
                raise usage_error(
                    f"the folder {self.folder} on node {node.name} is not empty: it has "
                    f"{names[0]}; name a new folder"
                )
        self._check_here()

    def _check_here(self) -> None:
        """Checks the folder on this machine, which gets the manifest and may be no node."""
        self._is_made_here = not os.path.exists(self.folder)
        os.makedirs(self.folder, exist_ok=True)
        names = [name for name in os.listdir(self.folder) if self._spec.job not in name]
        if names:
            raise usage_error(
                f"the folder {self.folder} on this machine, which gets the manifest, is not "
                f"empty: it has {min(names)}; name a new folder"
            )
        # It may not be possible to write there.
        with tempfile.TemporaryFile(dir=self.folder):
            pass

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
            self._committed += [(node, name) for _, name in names]
            cluster.call(node, "commit", names)

    def write_manifest(self, statistics: ClusterStatistics) -> None:
        """Writes the manifest. The sort is done with it."""
        from sortwell.cluster._exchange import sync_folder

        os.makedirs(self.folder, exist_ok=True)
        manifest = os.path.join(self.folder, "manifest.json")
        temporary = os.path.join(self.folder, f".manifest.{self._spec.job}.tmp")
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(statistics.as_dict(), file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(manifest):
                raise usage_error(f"{manifest} has been written meanwhile; name a new folder")
            os.rename(temporary, manifest)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(temporary)
            raise
        sync_folder(self.folder)

    def remove_parts(self, cluster: Cluster) -> None:
        """Removes the parts that have their names already, and the folder if it was made here."""
        for node, path in self._committed:
            with contextlib.suppress(Exception):
                cluster.call(node, "remove", path)
        if self._is_made_here:
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)

    def _remove_unfinished(self, cluster: Cluster) -> None:
        """Removes the parts without a final name."""
        for node in self.owners(cluster):
            with contextlib.suppress(Exception):
                cluster.call(node.id, "remove_unfinished", self.folder)
