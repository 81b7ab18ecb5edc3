"""NumPy makes records and takes them back, without another library."""

import importlib.util
import sys

import numpy

import sortwell

OTHERS = ("pyarrow", "polars", "nanoarrow")
assert not any(map(importlib.util.find_spec, OTHERS)), "another library is installed"

dtype = numpy.dtype([("key", "<i4"), ("number", "<u4")])
rows = numpy.zeros(100_000, dtype)
rows["key"] = numpy.random.default_rng(1).integers(-1000, 1000, len(rows))
rows["number"] = numpy.arange(len(rows))
with sortwell.Sorter(format="fixed:8", key="0..4:i32le") as sorter:
    sorter.push(rows)
    found = numpy.concatenate([numpy.frombuffer(block, dtype) for block in sorter.finish()])
assert numpy.array_equal(found, rows[numpy.argsort(rows["key"], kind="stable")])
assert list(sortwell.sorted(rows["key"][:1000])) == sorted(rows["key"][:1000].tolist())
assert not sys.modules.keys() & set(OTHERS)
