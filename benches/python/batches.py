"""Times `sortwell.sort_batches` beside pyarrow and Polars, on two columns.

python benches/python/batches.py ROWS MEMORY ... [text]

The keys are random int64, or with `text` decimal numbers as texts. The other column is int64 and
numbers the rows. The table is made first. Each library sorts
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
    """Returns what `work` returns, and the seconds that passed, on the clock and of processors."""
    begun = time.perf_counter(), time.process_time()
    result = work()
    seconds = time.perf_counter() - begun[0], time.process_time() - begun[1]
    return result, {"seconds": round(seconds[0], 2), "processor": round(seconds[1], 2)}


def main():
    """Prints one line of JSON for each way to sort."""
    rows, is_text = int(sys.argv[1]), "text" in sys.argv
    memories = [word for word in sys.argv[2:] if word != "text"]
    seeded = numpy.random.default_rng(1)
    most = numpy.iinfo(numpy.int64).max
    keys = seeded.integers(-most, most, rows)
    expected = pyarrow.array(numpy.sort(keys))
    if is_text:
        keys = pyarrow.array(keys).cast(pyarrow.string())
        expected = keys.sort()
    table = pyarrow.table({"key": keys, "value": numpy.arange(rows)})
    table = pyarrow.Table.from_batches(table.to_batches(max_chunksize=BATCH_ROWS))

    def report(name, found, seconds):
        is_right = pyarrow.table(found)["key"].cast(expected.type).combine_chunks().equals(expected)
        figures = {"name": name, "rows": rows, **seconds, "is_right": is_right}
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
        is_right = last["key"][-1] == expected[-1]
        figures = {"name": name, "rows": rows, **seconds, "is_right": is_right}
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
