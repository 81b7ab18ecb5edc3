"""Times cluster sorts on four nodes of this machine, of one process, and of two peers.

python benches/python/cluster.py SORTWELL FOLDER MILLIONS ROUNDS [PEER ...]

The data is that of `sortwell generate`: millions of records of 100 bytes. The nodes have one
processor each. A small sort comes first. In each round, one after the other:

- a cluster sort into four parts, 512 MiB for each node, in two passes;
- the same with 1 GiB for each node: 2 GB are sorted in one pass;
- `sortwell sort` with 1 GiB, in two passes.

Then come single figures: the memory of each node, the rate of an exchange for one range and for
merged ranges, and of Ray's object store for as many bytes. Peers are `spark` (PySpark `orderBy`,
local[2], 4 GiB) and `ray-data` (`ray.data` sort). They read and write Parquet files of two columns
of bytes; all outputs are synced.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import ray
import sortwell.cluster
from ray.cluster_utils import Cluster
from sortwell.cluster import _exchange, _reception
from sortwell.cluster._spec import Source, Spec

NODES = 4
OPTIONS = {"format": "fixed:100", "key": "0..10"}
NODE_MEMORY = [512 << 20, 1 << 30]


def show(name, **figures):
    """Prints figures as a line of JSON."""
    rounded = {key: round(v, 3) if isinstance(v, float) else v for key, v in figures.items()}
    print(json.dumps({"name": name} | rounded), flush=True)


def timed(name, work, **figures):
    """Runs `work`, syncs, and prints the seconds."""
    begun = time.perf_counter()
    found = work()
    os.sync()
    show(name, seconds=time.perf_counter() - begun, **figures)
    return found


class Memory:
    """The most memory that the processes of a sort have on each node: PSS, ten times a second."""

    def __init__(self):
        """Prepares."""
        self.most = {}
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        """Begins."""
        self._thread.start()
        return self

    def __exit__(self, *_):
        """Ends."""
        self._ends.set()
        self._thread.join()

    def _watch(self):
        while not self._ends.wait(0.1):
            found = {}
            for folder in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    title = folder.joinpath("cmdline").read_bytes()
                    if not title.startswith((b"ray::sortwell", b"ray::Exchange")):
                        continue
                    parent = folder.joinpath("stat").read_text().rpartition(")")[2].split()[1]
                    lines = folder.joinpath("smaps_rollup").read_text().splitlines()
                except OSError:
                    continue
                pss = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
                found[parent] = found.get(parent, 0) + pss * 1024
            for node, size in found.items():
                self.most[node] = max(self.most.get(node, 0), size)


def clear(folder):
    """Removes the outputs of earlier sorts."""
    shutil.rmtree(folder / "parts", ignore_errors=True)
    folder.joinpath("one").unlink(missing_ok=True)
    os.sync()


def cluster_sort(data, folder, memory):
    """Sorts on the cluster."""
    return sortwell.cluster.sort(
        data, folder / "parts", memory=memory, temp=folder, parts=NODES, **OPTIONS
    )


def rounds(program, data, folder, count):
    """Times all sorts in turn."""
    small = folder / "small"
    subprocess.run([program, "generate", "100000", small], check=True)
    cluster_sort(small, folder, NODE_MEMORY[0])
    for _ in range(count):
        for memory in NODE_MEMORY:
            clear(folder)
            statistics = timed("cluster", lambda m=memory: cluster_sort(data, folder, m))
            show("phases", **{phase.name: phase.seconds for phase in statistics.phases})
            between = statistics.bytes_between_nodes / statistics.bytes
            show("balance", skew=statistics.skew, between=between, passes=statistics.passes)
        words = [program, "sort", "-F", "fixed:100", "-k", "0..10", "-M", "1GiB", "-T", folder]
        words += ["-o", folder / "one", data]
        clear(folder)
        timed("one process", lambda words=words: subprocess.run(words, check=True))
    # With the first, nodes merge what they send.
    for budget in [320 << 20, *NODE_MEMORY]:
        shutil.rmtree(folder / "parts", ignore_errors=True)
        with Memory() as memory:
            passes = cluster_sort(data, folder, budget).passes
        most = max(memory.most.values())
        show("memory of nodes, without runs in memory", budget=budget, most=most, passes=passes)


def exchange_rates(data, folder):
    """Times what an exchange sends over loopback: one range, and four merged ranges."""
    words = tuple(OPTIONS.items())
    spec = Spec("bench", "token", 1 << 30, str(folder), words)
    runs = pathlib.Path(spec.folder("node"))
    exchange = ray.remote(_exchange.Exchange).remote("127.0.0.1")
    url = ray.get(exchange.begin.remote(spec, "node", 1, str(folder / "none")))
    # Sorted already: the runs are parts of the output.
    size = min(1 << 30, (folder / "one").stat().st_size // 4) // 100 * 100
    for number in range(4):
        os.symlink(folder / "one", runs / f"run-{number}")
    for name, count in [("exchange, one range", 1), ("exchange, merged ranges", 4)]:
        ranges = tuple((str(runs / f"run-{n}"), n * size, (n + 1) * size) for n in range(count))
        source = Source("node", url, ranges)
        for _ in range(3):
            begun = time.perf_counter()
            passed = sum(len(block) for block in _reception._blocks(spec, source))
            show(name, gb_per_second=passed / (time.perf_counter() - begun) / 1e9)
    ray.get(exchange.end.remote(False))


def store_rate():
    """Times what Ray's object store moves from one node to another."""
    first, second = [node["NodeID"] for node in ray.nodes() if node["Alive"]][:2]
    on = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    make = ray.remote(lambda: bytes(200 << 20))
    take = ray.remote(lambda block: len(block))
    for _ in range(3):
        block = make.options(scheduling_strategy=on(first, soft=False)).remote()
        ray.wait([block], fetch_local=False)
        begun = time.perf_counter()
        size = ray.get(take.options(scheduling_strategy=on(second, soft=False)).remote(block))
        show("object store", gb_per_second=size / (time.perf_counter() - begun) / 1e9)


def as_parquet(data, folder):
    """Writes the records as Parquet files of two columns, in 16 files."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    target = folder / "parquet"
    target.mkdir()
    records = numpy.memmap(data, dtype=[("key", "V10"), ("value", "V90")], mode="r")
    for number, piece in enumerate(numpy.array_split(records, 16)):
        columns = {
            name: pyarrow.FixedSizeBinaryArray.from_buffers(
                pyarrow.binary(piece.dtype[name].itemsize),
                len(piece),
                [None, pyarrow.py_buffer(numpy.ascontiguousarray(piece[name]).tobytes())],
            ).cast(pyarrow.binary())
            for name in ("key", "value")
        }
        table = pyarrow.table(columns)
        pyarrow.parquet.write_table(table, target / f"{number}.parquet", compression="none")
    return target


def spark(source, folder):
    """Sorts by PySpark."""
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "4g")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.parquet.compression.codec", "uncompressed")
        .getOrCreate()
    )
    session.read.parquet(str(source)).limit(1000).orderBy("key").collect()

    def work():
        session.read.parquet(str(source)).orderBy("key").write.parquet(str(folder / "spark"))

    timed("PySpark orderBy", work)
    session.stop()


def ray_data(source, folder):
    """Sorts by Ray Data."""
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False

    def work():
        ray.data.read_parquet(str(source)).sort("key").write_parquet(str(folder / "ray-data"))

    timed("Ray Data sort", work)


def main():
    """Measures."""
    program, folder, millions, count = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:5]
    peers = sys.argv[5:]
    folder.mkdir(parents=True)
    data = folder / "data"
    subprocess.run([program, "generate", str(int(millions) * 1_000_000), data], check=True)
    nodes = Cluster()
    for _ in range(NODES):
        nodes.add_node(num_cpus=1, object_store_memory=400 << 20)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
    rounds(program, data, folder, int(count))
    exchange_rates(data, folder)
    store_rate()
    source = as_parquet(data, folder) if peers else None
    if "ray-data" in peers:
        ray_data(source, folder)
    ray.shutdown()
    nodes.shutdown()
    if "spark" in peers:
        spark(source, folder)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
