"""pyarrow makes a table and takes the sorted one, without another library."""

import importlib.util
import random

import pyarrow

import sortwell

OTHERS = ("numpy", "polars", "nanoarrow")
assert not any(map(importlib.util.find_spec, OTHERS)), "another library is installed"

seeded = random.Random(1)
keys = [seeded.choice(["Oslo", "Rome", "Bern", None]) for _ in range(100_000)]
table = pyarrow.table({"key": keys, "number": range(len(keys))})
found = pyarrow.table(sortwell.sort_batches(table, "key", batch_rows=1000))
assert found.schema == table.schema
rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
expected = sorted(rows, key=lambda row: (row[0] is None, row[0] or ""))
assert list(zip(found["key"].to_pylist(), found["number"].to_pylist(), strict=True)) == expected
first = next(sortwell.sort_batches(table, [("number", "desc")]))
assert pyarrow.record_batch(first)["number"][0].as_py() == len(keys) - 1
