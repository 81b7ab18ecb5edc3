"""Sorts files, records and Python objects that may be far larger than memory.

    import sortwell

    statistics = sortwell.sort("orders.csv", "sorted.csv", key="amount:decimal:desc")

    for row in sortwell.sorted(rows, key=lambda row: (row["city"], row["name"])):
        ...

    table = pyarrow.table(sortwell.sort_batches(table, by=[("ts", "desc"), "id"]))

    sortwell.build_index("orders.csv", "orders.index", key="city")
    rows = sortwell.Index("orders.index")["Oslo"]

    with sortwell.Sorter(format="fixed:100", key="0..10", memory="1GiB") as sorter:
        sorter.push(array)
        for block in sorter.finish():
            ...

Options are keyword arguments with the names of the long options of the command, `_` for `-`. The
sort is stable, and its result does not depend on memory or threads. Before the end is reported,
sortwell proves that the result holds every record, in order.
"""

import atexit as _atexit
import os as _os

from sortwell import _native
from sortwell._batches import SortedBatches, sort_batches
from sortwell._command import Validation, calibrate, explain, generate, validate
from sortwell._errors import (
    Error,
    Interrupted,
    MalformedError,
    NoSpaceError,
    ProofError,
    StorageError,
    UsageError,
)
from sortwell._files import Checked, Disorder, check, merge, sort
from sortwell._index import FoundBatches, Index, Matches, append_index, build_index
from sortwell._native import Batch, Block, __version__
from sortwell._progress import Progress
from sortwell._sorted import Sorted, sorted  # noqa: A004 - it takes the place of the built-in
from sortwell._sorter import Blocks, Sorter
from sortwell._statistics import Statistics

_os.register_at_fork(after_in_child=_native.note_fork)
_atexit.register(_native.close_all)

__all__ = [
    "Batch",
    "Block",
    "Blocks",
    "Checked",
    "Disorder",
    "Error",
    "FoundBatches",
    "Index",
    "Interrupted",
    "MalformedError",
    "Matches",
    "NoSpaceError",
    "Progress",
    "ProofError",
    "Sorted",
    "SortedBatches",
    "Sorter",
    "Statistics",
    "StorageError",
    "UsageError",
    "Validation",
    "__version__",
    "append_index",
    "build_index",
    "calibrate",
    "check",
    "explain",
    "generate",
    "merge",
    "sort",
    "sort_batches",
    "sorted",
    "validate",
]
