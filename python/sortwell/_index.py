"""Indexes over files that stay where they are."""

from __future__ import annotations

import os

from sortwell import _native, _options, _statistics
from sortwell._batches import ArrowBatches, row_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    import decimal
    import uuid
    from collections.abc import Callable, Iterator
    from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

    from sortwell._options import Option, Path, Paths
    from sortwell._progress import Progress
    from sortwell._statistics import Statistics

    Number: TypeAlias = SupportsIndex | SupportsFloat
    Value: TypeAlias = str | bytes | Number | decimal.Decimal | datetime.date | uuid.UUID
    Values: TypeAlias = Value | tuple[Value, ...]

_AT_ONCE = 1024

# Most digits of a number that is written without its exponent.
_DIGITS_MAX = 1000


def build_index(
    data: Paths,
    index: Path,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: Option,
) -> Statistics:
    """Builds an index over files.

    `data` is a path or several, `index` the file to write. The data stays as it is. The index
    appears whole under its name, or not at all.

    The other arguments are the options of `sortwell index build`: `key` (at least one), `format`,
    `include`, `unique`, `memory`, `threads`, `temp` and others.

        sortwell.build_index("orders.csv", "orders.index", key=["city", "amount:decimal:desc"])

    Raises what `sort` raises.
    """
    words, names = _options.words("index build", options), _options.paths(data)
    target = os.fsdecode(index)
    return _statistics.of_json(_native.run_job("index build", words, names, target, progress))


def append_index(
    index: Path,
    data: Paths = (),
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: Option,
) -> Statistics:
    """Adds new records to an index.

    These are the records that follow those that were indexed in the last data file, and all records
    of the files `data`. The other arguments are the options of `sortwell index append`.

        with open("orders.csv", "a") as file:
            file.write("4,Rome,8\\n")
        sortwell.append_index("orders.index")

    Raises what `sort` raises; `MalformedError` if the data that was indexed before has changed.
    """
    words, names = _options.words("index append", options), _options.paths(data)
    target = os.fsdecode(index)
    return _statistics.of_json(_native.run_job("index append", words, names, target, progress))


class Index:
    """An open index over files of records.

        index = sortwell.Index("orders.index")
        index["Oslo"]                                # list of records, as bytes
        "Oslo" in index
        for row in index.range(("Oslo", 5), ("Rome", 30)):
            ...
        table = pyarrow.table(index.find("Oslo"))    # record, file, offset

    Values of several keys are a tuple: those of all keys or of fewer. A value is text as it stands
    in the data, bytes, or a number, date or UUID. Such an object is written as the key reads it:
    7.0 as 7 for whole numbers, and dates by `date_format`. If the key cannot have it, as 7.5 among
    whole numbers, it is a `UsageError`. Numbers may be scalars of NumPy. For keys of binary
    records, text is a number, or bytes as hexadecimal digits after "0x". In a text, bytes that are
    not UTF-8 are lone surrogates, as in names of files.

    The data files must not have changed since they were indexed, nor change while the index is
    open. Reads more than 10 milliseconds after a change notice it. With `stale_ok=True`, they may
    change; then other bytes may be found in the place of a record.

    Raises `MalformedError` for a file that is no index, is damaged or has another version, and for
    data that has changed; `StorageError`; and `UsageError` for a value that a key cannot have. An
    index may be used from several threads.
    """

    __slots__ = ("_native", "_path")

    def __init__(self, path: Path, *, stale_ok: bool = False) -> None:
        self._path = os.fsdecode(path)
        self._native = _native.OpenIndex(self._path, stale_ok)

    @property
    def keys(self) -> list[str]:
        """Keys, most significant first, as the option `key` takes them."""
        return self._native.keys()

    @property
    def include(self) -> list[str]:
        """Columns, or ranges of bytes, that the index holds."""
        return self._native.include()

    @property
    def data(self) -> list[str]:
        """Paths of the data files."""
        return self._native.data()

    @property
    def meta(self) -> dict[str, str]:
        """Description that the index has of itself, as `sortwell index info` shows it."""
        return self._native.meta()

    def __len__(self) -> int:
        """Returns the number of records."""
        return self._native.entries()

    def __getitem__(self, values: Values) -> list[bytes]:
        """Returns the records that have these values. Raises `KeyError` if none has."""
        found = self.get(values)
        if not found:
            raise KeyError(values)
        return found

    def get(self, values: Values) -> list[bytes]:
        """Returns the records that have these values, in the order of the index.

        The list is empty if no record has them. Each record is its bytes in the data file.

            for row in index.get(("Oslo", 7)):
                print(row)

        Raises `UsageError` for a value that a key cannot have or more values than keys;
        `TypeError` for a value of another type; `MalformedError` for data that has changed; and
        `StorageError`.
        """
        found, others = self._native.records(_words(self._native, values))
        if others is not None:
            found.extend(_in_pieces(others.next_records))
        return found

    def __contains__(self, values: Values) -> bool:
        return bool(self._search("get", (values, False)).pass_(1))

    def __iter__(self) -> Iterator[bytes]:
        """Returns all records in the order of the index."""
        return iter(self.range())

    def __reversed__(self) -> Iterator[bytes]:
        return reversed(self.range())

    def find(self, values: Values) -> Matches:
        """Finds the records that have these values, as `get` does, and reads none yet.

            first = next(iter(index.find("Oslo")), None)

        Raises nothing yet. Each use of the result raises what `get` raises.
        """
        return Matches(self, "get", (values, False), None)

    def prefix(self, values: Values) -> Matches:
        """Finds the records whose key begins with the last of these values.

        Values before the last one are those of the keys before, in full.

            index.prefix("Os")
            index.prefix(("Oslo", "1"))

        Raises nothing yet. Each use of the result raises what `get` raises, and `UsageError` for
        a key that has no prefixes, such as a number.
        """
        return Matches(self, "prefix", (values, False), None)

    def range(
        self,
        start: Values | None = None,
        stop: Values | None = None,
        *,
        after: Values | None = None,
        to: Values | None = None,
    ) -> Matches:
        """Finds the records from `start` on, up to those before `stop`.

        With `after`, the range begins after the records that have these values. With `to`, it ends
        with those that have them. An end that is None is open. The beginning comes before the end
        in the order of the index: for a descending key, it is the greater value.

            index.range("Oslo", to="Rome")

        Raises `UsageError` for two beginnings or two ends. Each use of the result raises what
        `get` raises.
        """
        if start is not None and after is not None:
            raise _options.usage("range: start and after are both given; use one of them")
        if stop is not None and to is not None:
            raise _options.usage("range: stop and to are both given; use one of them")
        low = (start, False) if after is None else (after, True)
        high = (stop, True) if to is None else (to, False)
        return Matches(
            self,
            "range",
            None if low[0] is None else (low[0], low[1]),
            None if high[0] is None else (high[0], high[1]),
        )

    def _search(
        self,
        kind: str,
        low: tuple[Values, bool] | None,
        high: tuple[Values, bool] | None = None,
        *,
        is_reverse: bool = False,
    ) -> _native.IndexSearch:
        ends = [
            None if end is None else (_words(self._native, end[0]), end[1]) for end in (low, high)
        ]
        return self._native.search(kind, ends[0], ends[1], is_reverse)

    def __repr__(self) -> str:
        keys = ", ".join(self.keys)
        return f"<sortwell.Index {self._path!r} of {len(self)} records by {keys}>"


class Matches:
    """Records that a search found, in the order of the index.

        found = index.range("Oslo", "Rome")
        print(found.count())
        for row in found:
            print(row)

    It can be iterated several times, each time from its beginning; `reversed` begins with the last
    record. Nothing is read before. `pyarrow.table(matches)` has the columns record, file (the
    number of the data file, from 0) and offset (in bytes; a virtual one in a file of BGZF); Polars
    and others take it as well.
    """

    __slots__ = ("_ends", "_index", "_kind")

    def __init__(
        self,
        index: Index,
        kind: str,
        low: tuple[Values, bool] | None,
        high: tuple[Values, bool] | None,
    ) -> None:
        self._index = index
        self._kind = kind
        self._ends = (low, high)

    def _search(self, *, is_reverse: bool = False) -> _native.IndexSearch:
        return self._index._search(self._kind, *self._ends, is_reverse=is_reverse)

    def __iter__(self) -> Iterator[bytes]:
        return _in_pieces(self._search().next_records)

    def __reversed__(self) -> Iterator[bytes]:
        return _in_pieces(self._search(is_reverse=True).next_records)

    def places(self) -> Iterator[tuple[str, int, int]]:
        """Returns the file, the offset and the length in bytes of each record.

        In a file of BGZF, the offset is a virtual one: the offset of the compressed block times
        65536, plus the offset in the expanded block. The length is that of the expanded record.

            for path, offset, size in index.find("Oslo").places():
                print(path, offset, size)

        Raises what `Index.get` raises.
        """
        yield from _in_pieces(self._search().next_places)

    def included(self) -> Iterator[tuple[bytes, ...]]:
        """Returns the included parts of each record, as they stand in it. The data is not read.

        Each element is a tuple of bytes, with a part for each element of `Index.include`. It is
        empty if the index includes nothing.

            for parts in index.find("Oslo").included():
                print(parts[0])

        Raises what `Index.get` raises.
        """
        search = self._search()
        while (parts := search.next_included()) is not None:
            yield tuple(parts)

    def count(self) -> int:
        """Returns the number of records. The data is not read.

            index.find("Oslo").count()

        Raises what `Index.get` raises.
        """
        search, count = self._search(), 0
        while passed := search.pass_(1 << 20):
            count += passed
        return count

    def batches(self, *, included: bool = False, batch_rows: int = 65536) -> FoundBatches:
        """Returns the records as record batches of Arrow.

        A batch has at most `batch_rows` rows, and fewer if they have more than about 4 MiB. With
        `included=True`, its columns are the included parts, and the data is not read.

            polars.from_arrow(index.range("Oslo").batches(included=True))

        Raises `UsageError` for `batch_rows` below 1, and for `included=True` with an index that
        includes nothing; and what `Index.get` raises, also when the batches are taken.
        """
        rows = row_count("batches", batch_rows)
        if included and not self._index.include:
            raise _options.usage("batches: the index includes no columns; build it with include=")
        return FoundBatches(_native.FoundBatches(self._search(), included, rows))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the records as a stream of C, from the first one on."""
        return self.batches().__arrow_c_stream__(requested_schema)


class FoundBatches(ArrowBatches):
    """Record batches of a search.

        for batch in index.range("Oslo").batches():
            print(pyarrow.record_batch(batch).num_rows)

    They can be taken once: by another library through `__arrow_c_stream__`, or one by one as an
    iterator of `Batch`.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.FoundBatches) -> None:
        self._native = native


def _in_pieces(take: Callable[[int], list[Any]]) -> Iterator[Any]:
    """Takes elements in pieces that grow, as many searches end after the first one."""
    most = 1
    while piece := take(most):
        yield from piece
        most = min(2 * most, _AT_ONCE)


def _words(index: _native.OpenIndex, values: Values) -> list[str | bytes]:
    """Returns the texts of values, as the keys of an index read them."""
    if type(values) is str:
        return [values]
    every = values if isinstance(values, tuple) else (values,)
    return [_word(index, key, value) for key, value in enumerate(every)]


def _word(index: _native.OpenIndex, key: int, value: Value) -> str | bytes:
    if isinstance(value, (str, bytes)):
        return value
    if hasattr(value, "isoformat"):
        word = _day(index, key, value)
    elif (number := _number(value)) is not None:
        word = index.number_text(key, number)
    else:
        text = str(value)
        word = text if index.reads(key, text) else None
    if word is None:
        raise _options.usage(
            f"no record has {value!r} as the value of the key {index.keys()[key]}; pass a value "
            "that the key can have, or the text of a record as str"
        )
    return word


def _day(index: _native.OpenIndex, key: int, value: Any) -> str | None:
    """Returns the text of a day or time, or None if the key has no such value."""
    import datetime

    is_midnight = isinstance(value, datetime.datetime) and value == datetime.datetime.combine(
        value.date(), datetime.time(), value.tzinfo
    )
    # A day with the time 0:00 is one of a key of days, too.
    days = [value, value.date()] if is_midnight and value.tzinfo is None else [value]
    pattern = index.day_pattern(key)
    texts = [day.isoformat() if pattern is None else _by_pattern(day, pattern) for day in days]
    return next((text for text in texts if text is not None and index.reads(key, text)), None)


def _by_pattern(value: Any, pattern: str) -> str | None:
    """Returns a day or time in a pattern, or None if the pattern leaves a part of it out."""
    import datetime

    try:
        text: str = value.strftime(pattern)
        found = datetime.datetime.strptime(text, pattern)
    except ValueError:
        return None
    if isinstance(value, datetime.datetime):
        is_same = found == value
    elif isinstance(value, datetime.date):
        is_same = found == datetime.datetime.combine(value, datetime.time())
    else:
        is_same = found.timetz() == value
    return text if is_same else None


def _number(value: Value) -> str | None:
    """Returns the text of a number, or None for a UUID. Raises `TypeError` for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _options.digits(value, "a value of a key")
    if isinstance(value, float):
        return _without_exponent(float.__repr__(value))
    import decimal
    import uuid

    if isinstance(value, decimal.Decimal):
        return _without_exponent(str(value))
    if isinstance(value, uuid.UUID):
        return None
    # Scalars of NumPy and others that are numbers.
    number = _options.real(value)
    if number is None:
        kind = type(value).__name__
        raise TypeError(
            f"a value of a key is of type {kind}; use str, bytes, int, float, Decimal, date, "
            "datetime or UUID"
        )
    whole = _options.whole(value) if hasattr(value, "__index__") else None
    return _number(number if whole is None else whole)


def _without_exponent(text: str) -> str:
    """Returns the text of a number without an exponent, which few keys read."""
    if "e" not in text.lower():
        return text
    import decimal

    number = decimal.Decimal(text)
    # A number of many digits is not written out.
    return text if abs(number.adjusted()) > _DIGITS_MAX else format(number, "f")
