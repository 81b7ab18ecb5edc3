"""Times `sortwell.sort` beside the command, and records from memory beside the file.

python benches/python/files.py SORTWELL FOLDER [RECORDS [MEMORY [ROUNDS]]]

The records are those of `sortwell generate`, of 100 bytes with keys of 10: RECORDS of them, by
default 10 million. MEMORY is the budget of each sort, by default 512MiB; ROUNDS is 3. All sorts
have two threads. In each round, one after the other, each in a process of its own:

- `command`: `sortwell sort` of the file;
- `file`: `sortwell.sort` of the file;
- `numpy`: `Sorter`, to which arrays of 100,000 records are pushed, up to the last sorted block;
- `arrow`: `sort_batches` of batches of 65,536 rows, with a key and a value of fixed size.

The first two write a file, with the default of `--sync`. For them, the budget is a limit of the
whole process. The others pass over what they return. Their data is read from the file before the
clock starts, and it is in memory in addition to the budget. Only `process_seconds` includes the
start of the interpreter.

Prints a line of JSON for each: `seconds` on the clock, `user` and `system` seconds of processors,
and for those of Python `process_seconds`. `numpy` and `arrow` sort a second time, in memory that
the machine has had from its host since the first; `again_user` and `again_system` are its seconds.
The last line has the medians of each, and the ratios of the medians of `user` + `system`: of `file`
to `command`, and of `numpy` and `arrow` to `file`.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

RECORD, KEY, THREADS = 100, 10, 2
PUSHED, ROWS = 100_000, 1 << 16
NAMES = ("command", "file", "numpy", "arrow")


def processor_seconds(who):
    """Returns the user and system seconds of this process, or of children that have ended."""
    usage = resource.getrusage(who)
    return usage.ru_utime, usage.ru_stime


def timed(work, who=resource.RUSAGE_SELF):
    """Runs `work`. Returns the seconds on the clock and of processors."""
    user, system = processor_seconds(who)
    begun = time.perf_counter()
    work()
    seconds = time.perf_counter() - begun
    after = processor_seconds(who)
    return {"seconds": seconds, "user": after[0] - user, "system": after[1] - system}


def timed_twice(work):
    """Runs `work` twice. Returns the seconds of the first run, and those of processors of both."""
    first, second = timed(work), timed(work)
    return first | {"again_user": second["user"], "again_system": second["system"]}


def by_file(data, folder, memory):
    """Times the sort of a file."""
    import sortwell

    options = {"format": f"fixed:{RECORD}", "key": f"0..{KEY}", "threads": THREADS}
    output = folder / "sorted"
    return timed(lambda: sortwell.sort(data, output, memory=memory, temp=folder, **options))


def by_numpy(data, folder, memory):
    """Times arrays that are pushed."""
    import numpy
    import sortwell

    rows = numpy.fromfile(data, dtype=[("key", f"V{KEY}"), ("value", f"V{RECORD - KEY}")])
    options = {"format": f"fixed:{RECORD}", "key": f"0..{KEY}", "threads": THREADS}

    def work():
        with sortwell.Sorter(memory=memory, temp=folder, **options) as sorter:
            for start in range(0, len(rows), PUSHED):
                sorter.push(rows[start : start + PUSHED])
            count = sum(len(block) for block in sorter.finish())
        assert count == rows.nbytes, (count, rows.nbytes)

    return timed_twice(work)


def by_arrow(data, folder, memory):
    """Times record batches."""
    import numpy
    import pyarrow
    import sortwell

    rows = numpy.fromfile(data, dtype=[("key", f"V{KEY}"), ("value", f"V{RECORD - KEY}")])
    columns = {}
    for name in rows.dtype.names:
        buffer = pyarrow.py_buffer(numpy.ascontiguousarray(rows[name]))
        kind = pyarrow.binary(rows.dtype[name].itemsize)
        columns[name] = pyarrow.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, buffer])
    count = len(rows)
    del rows
    table = pyarrow.Table.from_batches(pyarrow.table(columns).to_batches(max_chunksize=ROWS))

    def work():
        found = sortwell.sort_batches(table, "key", memory=memory, temp=folder, threads=THREADS)
        passed = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(found))
        assert passed == count, (passed, count)

    return timed_twice(work)


def measure(name, program, data, folder, memory):
    """Returns the figures of one sort, in a process of its own."""
    output = folder / "sorted"
    try:
        return measure_into(output, name, program, data, folder, memory)
    finally:
        output.unlink(missing_ok=True)


def measure_into(output, name, program, data, folder, memory):
    """Returns the figures of one sort, which may write the output."""
    if name == "command":
        words = [program, "sort", f"--format=fixed:{RECORD}", f"--key=0..{KEY}", "-T", folder]
        words += [f"--threads={THREADS}", f"--memory={memory}", "-o", output, data]
        return timed(lambda: subprocess.run(words, check=True), resource.RUSAGE_CHILDREN)
    words = [sys.executable, __file__, "--one", name, data, folder, memory]
    begun = time.perf_counter()
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(printed) | {"process_seconds": time.perf_counter() - begun}


def rounded(figures):
    """Returns figures with three digits after the point."""
    return {name: round(figure, 3) for name, figure in figures.items()}


def main():
    """Prints one line of JSON for each sort, and the ratios."""
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    records, memory, rounds = [*sys.argv[3:], *("10000000", "512MiB", "3")[len(sys.argv) - 3 :]]
    data = folder / "records"
    subprocess.run([program, "generate", "--force", records, data], check=True)
    found = {name: [] for name in NAMES}
    for number in range(int(rounds)):
        for name in NAMES:
            figures = measure(name, program, data, folder, memory)
            found[name].append(figures)
            print(json.dumps({"name": name, "round": number} | rounded(figures)), flush=True)
    medians = {}
    for name in NAMES:
        fields = {key: [figures[key] for figures in found[name]] for key in found[name][0]}
        medians[name] = {key: statistics.median(values) for key, values in fields.items()}
    processor = {name: medians[name]["user"] + medians[name]["system"] for name in NAMES}
    ratios = {"file/command": processor["file"] / processor["command"]}
    for name in ("numpy", "arrow"):
        again = medians[name]["again_user"] + medians[name]["again_system"]
        ratios[f"{name}/file"] = processor[name] / processor["file"]
        ratios[f"{name}, again/file"] = again / processor["file"]
    totals = {"records": int(records), "memory": memory, "rounds": int(rounds)}
    medians = {name: rounded(figures) for name, figures in medians.items()}
    print(json.dumps(totals | {"medians": medians, "processor_ratios": rounded(ratios)}))
    data.unlink()


def one():
    """Prints the figures of one sort."""
    name, data, folder, memory = sys.argv[2:]
    kinds = {"file": by_file, "numpy": by_numpy, "arrow": by_arrow}
    print(json.dumps(kinds[name](data, pathlib.Path(folder), memory)))


if __name__ == "__main__":
    one() if sys.argv[1] == "--one" else main()
