"""`sortwell.sort_batches`: record batches of Arrow in the order of some columns."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from sortwell import _native, _options
from sortwell._ending import ClosableSort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

    from sortwell._native import Batch
    from sortwell._options import Paths
    from sortwell._progress import Progress

    class ArrowStream(Protocol):
        """An object with record batches, such as a table."""

        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

    class ArrowArray(Protocol):
        """An object with one record batch."""

        def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

    class NativeBatches(Protocol):
        """Batches of the extension."""

        def next_batch(self) -> Batch | None: ...

        def stream(self) -> Any: ...

        def schema(self) -> Any: ...

    Key: TypeAlias = str | tuple[str, Literal["asc", "desc"]]


def sort_batches(
    data: ArrowStream | ArrowArray,
    by: str | Sequence[Key],
    *,
    nulls: Literal["last", "first"] = "last",
    memory: str | SupportsIndex | float | None = None,
    threads: SupportsIndex | None = None,
    temp: Paths | None = None,
    batch_rows: SupportsIndex | float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> SortedBatches:
    """Returns the rows of record batches in order, as a stream of record batches.

    `data` is an object with `__arrow_c_stream__` or `__arrow_c_array__`: a table, batch or reader
    of pyarrow, a data frame of Polars, a relation of DuckDB, and others. It may be larger than
    memory. The result has the same schema, and rows with equal keys stay in their order.

        found = sortwell.sort_batches(table, by=[("ts", "desc"), "id"], memory="1GiB")
        reader = pyarrow.RecordBatchReader.from_stream(found)

    `by` names the key columns: a name, or a list of names and of pairs of a name and "asc" or
    "desc". Numbers, times and decimals are compared by value, texts by their UTF-8 bytes, and
    dictionaries by the values of their rows. Nulls come last, or first with `nulls="first"`, in
    both directions. NaN comes between the numbers and the nulls, and -0.0 equals 0.0.

    `memory`, "1GiB" or a number of bytes, is that of buffers and of rows that wait in them.
    Default: 256 MiB. Rows that do not fit are written to temporary files in `temp`. Batches of
    `data` that the program holds are not counted, nor are the values of dictionaries.

    `batch_rows` is the number of rows of a batch. Default: 65536, and fewer if a batch would have
    more than about 4 MiB, or 1 MiB if rows differ in length. Run ends of 16 bits allow 32767 rows.

    Another thread reads the batches, all of them before this returns. So a source fails whose
    objects only work in the thread that made them, such as rows of a cursor of sqlite3. Ctrl-C
    does not end the wait of a source for its next batch.

    Raises `UsageError` for a column that does not exist, has no order or cannot be moved; `Error`
    with the message of a source that fails or has no rows; `TypeError` for data without the two
    methods; and what `sort` raises.
    """
    if nulls not in ("first", "last"):
        raise _usage(f"nulls= is {nulls!r}; use 'first' or 'last'")
    rows = None if batch_rows is None else row_count("sort_batches", batch_rows)
    options: dict[str, Any] = {"memory": memory, "temp": temp, "threads": threads}
    words = _options.words("sort", options)
    keys = _keys(by)
    return SortedBatches(_native.sort_batches(data, keys, nulls == "first", rows, words, progress))


def row_count(function: str, batch_rows: object) -> int:
    """Returns the number of rows of a batch.

    Raises `UsageError` for what is no number, and for one below 1.
    """
    rows = _options.whole(batch_rows)
    if rows is None or rows < 1:
        raise _options.usage(
            f"{function}: batch_rows= is {batch_rows!r}; use a whole number, 1 or more"
        )
    return min(rows, sys.maxsize)


def _usage(message: str) -> BaseException:
    return _options.usage(f"sort_batches: {message}")


def _keys(by: str | Sequence[Key]) -> list[tuple[str, bool]]:
    """Returns the names of key columns, and true for a descending order."""
    if isinstance(by, Mapping) or not hasattr(by, "__iter__"):
        raise _usage(f"by= is {by!r}; use a name, or a list of names and of pairs")
    keys = []
    for key in [by] if isinstance(by, str) else by:
        pair = (key, "asc") if isinstance(key, str) else key
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise _usage(f"by: {key!r} is neither a name nor a pair of a name and 'asc' or 'desc'")
        name, direction = pair
        if direction not in ("asc", "desc"):
            raise _usage(f"by: the direction of {name!r} is {direction!r}; use 'asc' or 'desc'")
        keys.append((name, direction == "desc"))
    if not keys:
        raise _usage("by: it names no column")
    return keys


class ArrowBatches:
    """Base of batches that can be taken once, one by one or as a stream of C."""

    __slots__ = ()

    _native: NativeBatches

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hands the batches over as a stream of C.

        The stream owns them from then on. It works in every thread. `requested_schema` changes
        nothing.
        """
        return self._native.stream()

    def __arrow_c_schema__(self) -> Any:
        """Returns the schema of the batches as a structure of C."""
        return self._native.schema()

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        batch = self._native.next_batch()
        if batch is None:
            raise StopIteration
        return batch


class SortedBatches(ArrowBatches, ClosableSort):
    """Sorted record batches, as `sortwell.sort_batches` returns them.

        with sortwell.sort_batches(table, by="id") as found:
            for batch in found:
                print(pyarrow.record_batch(batch).num_rows)

    They can be taken once: by another library through `__arrow_c_stream__`, or one by one as an
    iterator of `Batch`. The last batch, `close` and the end of a `with` block stop the sort and
    remove its temporary files; so does the end of the last object that refers to the batches.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.SortedBatchStream) -> None:
        super().__init__(native)
        self._native = native
