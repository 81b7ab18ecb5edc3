"""Times the build of an index beside a sort and SQLite, and lookups in it.

python benches/python/indexes.py SORTWELL FOLDER ROWS ROUNDS

The data is the table of `sortwell generate sales`. Its number is put in front of each row, as
the key with nine digits, in random order. In each round, one after the other:

- `sortwell index build` by the key;
- `sortwell sort --select` of three columns by the key: about as many bytes as the index has;
- the same build and sort with 64 MiB;
- `CREATE INDEX` of SQLite on the column of a table that has all rows, with 256 MiB of cache. The
  load is timed apart, once.

Then this program looks up random keys through `sortwell.Index`.
"""

import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import sortwell

LOOKUPS = 200_000


def timed(name, work):
    """Prints the seconds that `work` takes, on the clock and of processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    begun = time.perf_counter()
    work()
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before[0].ru_utime + after.ru_stime - before[0].ru_stime
    processor += time.process_time() - before[1]
    figures = {"name": name, "seconds": round(seconds, 2), "processor": round(processor, 2)}
    print(json.dumps(figures), flush=True)


def make(sortwell_path, data, rows):
    """Writes the table."""
    sales = data.with_name("sales.csv")
    subprocess.run([sortwell_path, "generate", "sales", str(rows), sales], check=True)
    source = random.Random(1)
    step = 2 * source.randrange(rows) + 1
    with open(sales) as lines, open(data, "w") as table:
        table.write("key," + next(lines))
        for number, line in enumerate(lines):
            table.write(f"{number * step % 1_000_000_007:09},{line}")
    sales.unlink()


def load(store, data):
    """Loads all rows into a table."""
    settings = ("journal_mode=OFF", "synchronous=OFF", "cache_size=-262144")
    store.executescript("".join(f"PRAGMA {setting};" for setting in settings))
    with open(data) as lines:
        names = next(lines).strip().split(",")
        store.execute(f"CREATE TABLE sales ({', '.join(names)})")
        marks = ", ".join("?" * len(names))
        rows = (line.rstrip("\n").split(",") for line in lines)
        store.executemany(f"INSERT INTO sales VALUES ({marks})", rows)
    store.commit()


def main():
    """Runs all rounds."""
    path, folder, rows, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    data, index, out = folder / "data.csv", folder / "data.index", folder / "out.csv"
    make(path, data, rows)
    print(json.dumps({"rows": rows, "bytes": data.stat().st_size}), flush=True)
    store = sqlite3.connect(folder / "data.sqlite")
    timed("SQLite: load", lambda: load(store, data))
    build = [path, "index", "build", data, "-k", "key", "-o", index]
    sort = [path, "sort", "-F", "csv", "-k", "key", "--select", "key,store_id,prod_id,sales_date"]
    sort += ["-o", out, data]
    for _ in range(rounds):
        for memory in ([], ["-M", "64MiB"]):
            words = "" if not memory else " in 64 MiB"
            for name, line in (("index build", build), ("sort --select", sort)):
                timed(name + words, partial(subprocess.run, [*line, *memory], check=True))
        timed("SQLite: CREATE INDEX", lambda: store.execute("CREATE INDEX i ON sales (key)"))
        store.execute("DROP INDEX i")
    print(json.dumps({"index bytes": index.stat().st_size, "sorted bytes": out.stat().st_size}))
    with open(data) as lines:
        next(lines)
        keys = [line[:9] for line in lines if random.random() < LOOKUPS * 1.1 / rows]
    random.shuffle(keys)
    found = sortwell.Index(index)
    for name in ("lookups in Python, first", "lookups in Python, again"):
        timed(name, lambda: [found[key] for key in keys])
    for name in ("entries in Python", "entries in Python, again"):
        timed(name, lambda: [key in found for key in keys])
    print(json.dumps({"lookups": len(keys)}))
    (folder / "keys.txt").write_text("\n".join(keys) + "\n")


if __name__ == "__main__":
    main()
