"""nanoarrow makes a stream and takes the sorted one, without another library."""

import importlib.util
import random

import nanoarrow

import sortwell

OTHERS = ("numpy", "pyarrow", "polars")
assert not any(map(importlib.util.find_spec, OTHERS)), "another library is installed"

seeded = random.Random(1)
rows = [(seeded.choice(["Oslo", "Rome", "Bern"]), number) for number in range(20_000)]
columns = [
    nanoarrow.c_array([row[0] for row in rows], nanoarrow.string()),
    nanoarrow.c_array([row[1] for row in rows], nanoarrow.int64()),
]
schema = nanoarrow.struct({"key": nanoarrow.string(), "number": nanoarrow.int64()})
array = nanoarrow.c_array_from_buffers(schema, len(rows), [None], children=columns)
found = nanoarrow.ArrayStream(sortwell.sort_batches(array, "key", batch_rows=1000))
fields = [(field.name, field.type) for field in found.schema.fields]
assert fields == [("key", nanoarrow.Type.STRING), ("number", nanoarrow.Type.INT64)], fields
assert list(found.iter_tuples()) == sorted(rows, key=lambda row: row[0])
