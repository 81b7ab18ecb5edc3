"""`sortwell.sorted`: like the built-in function, for more than fits in memory."""

from __future__ import annotations

import types

from sortwell import _native, _options
from sortwell._ending import ClosableSort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, SupportsIndex

    from sortwell._options import Paths
    from sortwell._progress import Progress


def sorted(  # noqa: A001 - it takes the place of the built-in
    iterable: Iterable[Any],
    /,
    *,
    key: Callable[[Any], Any] | None = None,
    reverse: bool = False,
    memory: str | SupportsIndex | float | None = None,
    serializer: Any = None,
    temp: Paths | None = None,
    threads: SupportsIndex | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Sorted:
    """Returns an iterator over the items of `iterable` in order.

    It is the built-in `sorted` for more than fits in memory. Items whose keys are equal stay in
    their order, also with `reverse=True`.

        for row in sortwell.sorted(rows, key=lambda row: (row["city"], row["age"]), memory="1GiB"):
            ...

    Keys are None, bool, int, float, str, bytes, date, datetime, Decimal, UUID, and tuples of them.
    All keys have one type in each position; bool, int and float are one type. None comes after
    every value, and NaN after every other number; `reverse=True` reverses that too. -0.0 equals 0.
    A datetime with a time zone is compared by its instant. A subclass that defines an order or an
    `__eq__` of its own is no key.

    `memory`, "1GiB" or a number of bytes, is that of buffers and of serialized items. Default:
    256 MiB. Items that do not fit are written to temporary files in `temp`. Objects that the
    program holds are not counted; a `str` beyond ASCII among them keeps its UTF-8 form.

    Items are serialized: common built-in types in a form of sortwell, others by `pickle`. So they
    come back as copies. `serializer` replaces that: a pair of functions `(dumps, loads)`, or an
    object that has them, such as a module. The whole iterable is read before this returns.

    Raises `TypeError` for a key of another type, with the number of the item; the exceptions of
    the iterable, of `key` and of the serializer; and what `sort` raises.
    """
    options: dict[str, Any] = {"memory": memory, "temp": temp, "threads": threads}
    functions = serializer
    if serializer is not None and not isinstance(serializer, tuple):
        functions = (serializer.dumps, serializer.loads)
    words = _options.words("sort", options)
    return Sorted(_native.sort_items(iterable, key, bool(reverse), words, functions, progress))


class Sorted(ClosableSort):
    """Items in order, as `sortwell.sorted` returns them. `Sorted[int]` is their type in hints.

        with sortwell.sorted(items) as found:
            smallest = next(found)

    An iterator that can be used once. The last item, `close` and the end of a `with` block stop
    the sort and remove its temporary files; so does the iterator when nothing refers to it.
    `iter` of it is another iterator over the same items, as a loop over that one takes less time.
    """

    __slots__ = ("_native",)

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, native: _native.SortedItems) -> None:
        super().__init__(native)
        self._native = native

    def __iter__(self) -> Iterator[Any]:
        return iter(self._native)

    def __next__(self) -> Any:
        return next(self._native)
