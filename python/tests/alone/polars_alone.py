"""Polars makes a data frame and takes the sorted one, without another library."""

import importlib.util
import random

import polars

import sortwell

OTHERS = ("numpy", "pyarrow", "nanoarrow")
assert not any(map(importlib.util.find_spec, OTHERS)), "another library is installed"

seeded = random.Random(1)
keys = [seeded.choice(["Oslo", "Rome", "Bern", None]) for _ in range(100_000)]
frame = polars.DataFrame({"key": keys, "number": range(len(keys))})
found = polars.DataFrame(sortwell.sort_batches(frame, "key", batch_rows=1000))
assert found.schema == frame.schema
assert found.equals(frame.sort("key", nulls_last=True, maintain_order=True))
first = next(sortwell.sort_batches(frame, [("number", "desc")]))
assert polars.DataFrame(first)["number"][0] == len(keys) - 1
