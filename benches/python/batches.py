"""Times `sortwell.sort_batches` beside pyarrow and Polars, on two columns.

python benches/python/batches.py ROWS ROUNDS MEMORY ... [text]

The keys are random int64, or with `text` decimal numbers as texts. The other column is int64 and
numbers the rows. The table is made first. In each round, each library sorts it in turn. For
sortwell and each memory, the sorted batches are taken as a table, and as a stream that is passed
over. Polars and pyarrow make a sorted copy.

Prints a line of JSON for each sort: `seconds` on the clock, `user` and `system` seconds of
processors. The last line has the best and the median seconds of each, and the median seconds of
processors.
"""

import json
import resource
import statistics
import sys
import time

import numpy
import polars
import pyarrow
import pyarrow.compute
import sortwell

BATCH_ROWS = 1 << 20


def timed(work):
    """Returns what `work` returns, and the seconds that passed, on the clock and of processors."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = work()
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return result, {"seconds": seconds, "user": user, "system": system}


def rounded(figures):
    """Returns figures with two digits after the point."""
    return {name: round(figure, 2) for name, figure in figures.items()}


def made(rows, is_text):
    """Returns the table, and the sorted keys."""
    seeded = numpy.random.default_rng(1)
    most = numpy.iinfo(numpy.int64).max
    keys = seeded.integers(-most, most, rows)
    expected = pyarrow.array(numpy.sort(keys))
    if is_text:
        keys = pyarrow.array(keys).cast(pyarrow.string())
        expected = keys.sort()
    table = pyarrow.table({"key": keys, "value": numpy.arange(rows)})
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=BATCH_ROWS)), expected


def contenders(table, memories):
    """Returns the sorts by name. Each returns a sorted table, or the last batch of a stream."""
    frame = polars.DataFrame(table)

    def as_table(memory):
        return pyarrow.table(sortwell.sort_batches(table, "key", memory=memory))

    def as_stream(memory):
        batches = sortwell.sort_batches(table, "key", memory=memory)
        for batch in pyarrow.RecordBatchReader.from_stream(batches):
            last = batch
        return last

    def by_pyarrow():
        order = pyarrow.compute.sort_indices(table, sort_keys=[("key", "ascending")])
        return table.take(order)

    found = {}
    for memory in memories:
        found[f"sortwell, table, {memory}"] = lambda memory=memory: as_table(memory)
        found[f"sortwell, stream, {memory}"] = lambda memory=memory: as_stream(memory)
    found["polars, maintain_order"] = lambda: frame.sort("key", maintain_order=True)
    found["polars"] = lambda: frame.sort("key")
    return found | {"pyarrow": by_pyarrow}


def check(name, found, expected):
    """Checks the order of all keys that are left."""
    keys = (found if hasattr(found, "num_rows") else pyarrow.table(found))["key"]
    if isinstance(keys, pyarrow.ChunkedArray):
        keys = keys.combine_chunks()
    assert keys.cast(expected.type).equals(expected[len(expected) - len(keys) :]), name


def main():
    """Prints one line of JSON for each sort, and one for all."""
    rows, rounds, is_text = int(sys.argv[1]), int(sys.argv[2]), "text" in sys.argv
    memories = [word for word in sys.argv[3:] if word != "text"]
    table, expected = made(rows, is_text)
    sorts = contenders(table, memories)
    figures = {name: [] for name in sorts}
    for number in range(rounds):
        for name, work in sorts.items():
            found, seconds = timed(work)
            check(name, found, expected)
            del found
            figures[name].append(seconds)
            print(json.dumps({"name": name, "round": number} | rounded(seconds)), flush=True)
    totals = {}
    for name, all_seconds in figures.items():
        clock = [seconds["seconds"] for seconds in all_seconds]
        processor = [seconds["user"] + seconds["system"] for seconds in all_seconds]
        best, median = min(clock), statistics.median(clock)
        totals[name] = rounded(
            {"best": best, "median": median, "processor": statistics.median(processor)}
        )
    print(json.dumps({"rows": rows, "rounds": rounds, "seconds": totals}))


if __name__ == "__main__":
    main()
