"""Four nodes of Ray on this machine, and sorts on them compared with those of one machine."""

import pathlib
import random
import shutil
import tempfile
import unittest
import warnings
from unittest import mock

import ray
from ray.cluster_utils import Cluster

import sortwell
import sortwell.cluster
from sortwell.cluster import _budget

NODES = ["north", "east", "south", "west"]

# The head notices a lost node after three seconds, not fifteen. A busy node has ten to answer.
HEALTH = {"health_check_period_ms": 1000, "health_check_failure_threshold": 3}


def start_nodes():
    """Starts four nodes, and returns their cluster."""
    warnings.simplefilter("ignore", ResourceWarning)
    ray.shutdown()
    cluster = Cluster()
    # The first node is the head.
    for name in NODES:
        add_node(cluster, name, **({"_system_config": HEALTH} if name == NODES[0] else {}))
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    return cluster


def add_node(cluster, name, **others):
    """Adds a node with this name, and returns it."""
    return cluster.add_node(
        num_cpus=1, labels={"sortwell-node": name}, object_store_memory=100 << 20, **others
    )


def end_nodes(cluster):
    """Ends the nodes."""
    ray.shutdown()
    cluster.shutdown()


def merged_by_nodes():
    """Has nodes merge their runs before they send them, as if memory were too little for all."""
    return mock.patch.object(_budget, "runs_at_once", return_value=0)


def runs_in_memory():
    """Returns the folders of runs that are in memory."""
    return list(pathlib.Path("/dev/shm").glob("sortwell-cluster-*"))


class WithRoots(unittest.TestCase):
    """A folder for each node, and one that all share."""

    # The runs of a lost node stay on it until the next sort.
    loses_nodes = False

    def setUp(self):
        """Makes the folders."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in [*NODES, "temp"]:
            self.folder.joinpath(name).mkdir()
        # Those of nodes that another test has lost go a while later.
        self.earlier = set(runs_in_memory())

    def write(self, name, content):
        """Writes an input, and returns its path."""
        path = self.folder / name
        path.write_bytes(content)
        return path

    def sorted(self, inputs, output="out", **options):
        """Sorts on the cluster, and returns the records of all parts, and the statistics."""
        options.setdefault("memory", "352MiB")
        statistics = sortwell.cluster.sort(
            inputs, self.folder / output, temp=self.folder / "temp", **options
        )
        contents = []
        for part in statistics.parts:
            content = pathlib.Path(part.path).read_bytes()
            self.assertEqual(len(content), part.bytes)
            self.assertTrue(content.startswith(statistics.header))
            contents.append(content[len(statistics.header) :])
        self.assertEqual(sum(part.records for part in statistics.parts), statistics.records)
        names = {path.name for path in self.folder.joinpath(output).iterdir()}
        expected = {pathlib.Path(part.path).name for part in statistics.parts}
        self.assertEqual(names, expected | {"manifest.json"})
        if not self.loses_nodes:
            self.assert_no_runs()
        return statistics.header + b"".join(contents), statistics

    def assert_no_runs(self):
        """Checks that no run is left, on disk or in memory."""
        self.assertEqual(list(self.folder.joinpath("temp").iterdir()), [], "runs are removed")
        self.assertEqual(set(runs_in_memory()) - self.earlier, set())

    def assert_as_one(self, inputs, files=None, **options):
        """Compares with the sort of one machine. `files` are the inputs as paths of this one."""
        own = {"parts", "form", "memory", "resume", "report", "progress"}
        options_of_one = {name: value for name, value in options.items() if name not in own}
        sortwell.sort(files or inputs, self.folder / "expected", **options_of_one)
        found, statistics = self.sorted(inputs, **options)
        expected = self.folder.joinpath("expected").read_bytes()
        self.assertEqual(len(found), len(expected))
        self.assertTrue(found == expected, "other bytes")
        shutil.rmtree(self.folder / "out")
        return statistics


def records(count, kind, seed=1, length=100):
    """Returns records of fixed length, whose first ten bytes are the key."""
    source = random.Random(seed)
    made = []
    for number in range(count):
        key = {
            "uniform": source.randbytes(10),
            "skewed": (b"hot key !!" if source.random() < 0.9 else source.randbytes(1) + bytes(9)),
            "equal": b"the same !",
            "sorted": number.to_bytes(10, "big"),
        }[kind]
        made.append(key + b"%012d" % number + bytes(length - 22))
    return b"".join(made)
