"""Times `sortwell.sort_batches` beside pyarrow and Polars, on two columns of int64.

python benches/python/batches.py ROWS MEMORY ...

The keys are random, the other column numbers the rows. The table is made first. Each library sorts
it once. For sortwell and each memory, the sorted batches are taken as a table, and as a stream
that is passed over. Polars and pyarrow make a sorted copy.
"""

import json
import sys
import time
from functools import partial

import numpy
import polars
import pyarrow
import pyarrow.compute
import sortwell

BATCH_ROWS = 1 << 20


def timed(work):
    """Returns what `work` returns, and how many seconds it took."""
    begun = time.perf_counter()
    result = work()
    return result, round(time.perf_counter() - begun, 2)


def main():
    """Prints one line of JSON for each way to sort."""
    rows, memories = int(sys.argv[1]), sys.argv[2:]
    seeded = numpy.random.default_rng(1)
    most = numpy.iinfo(numpy.int64).max
    keys = seeded.integers(-most, most, rows)
    table = pyarrow.table({"key": keys, "value": numpy.arange(rows)})
    table = pyarrow.Table.from_batches(table.to_batches(max_chunksize=BATCH_ROWS))
    expected = numpy.sort(keys)

    def report(name, found, seconds, **more):
        is_right = numpy.array_equal(found["key"].to_numpy(), expected)
        figures = {"name": name, "rows": rows, "seconds": seconds, "is_right": is_right, **more}
        print(json.dumps(figures), flush=True)

    for memory in memories:
        found, seconds = timed(
            lambda memory=memory: pyarrow.table(sortwell.sort_batches(table, "key", memory=memory))
        )
        report(f"sortwell, table, {memory}", found, seconds)
        del found

        def pass_over(memory=memory):
            batches = sortwell.sort_batches(table, "key", memory=memory)
            for batch in pyarrow.RecordBatchReader.from_stream(batches):
                last = batch
            return batches.statistics, last

        (statistics, last), seconds = timed(pass_over)
        name = f"sortwell, stream, {memory}"
        is_right = bool(last["key"][-1].as_py() == expected[-1])
        figures = {"name": name, "rows": rows, "seconds": seconds, "is_right": is_right}
        print(json.dumps(figures | {"passes": statistics.passes}), flush=True)

    frame = polars.DataFrame(table)
    found, seconds = timed(partial(frame.sort, "key", maintain_order=True))
    report("polars, maintain_order", found, seconds)
    found, seconds = timed(partial(frame.sort, "key"))
    report("polars", found, seconds)
    del frame, found

    def by_pyarrow():
        order = pyarrow.compute.sort_indices(table, sort_keys=[("key", "ascending")])
        return table.take(order)

    found, seconds = timed(by_pyarrow)
    report("pyarrow", found, seconds)


if __name__ == "__main__":
    main()
