"""Records that the program pushes, and takes back in blocks."""

from __future__ import annotations

from sortwell import _native, _options
from sortwell._ending import ClosableSort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer

    from sortwell._native import Block
    from sortwell._options import Option
    from sortwell._progress import Progress
    from sortwell._statistics import Statistics

    class Array(Protocol):
        """An array of NumPy, whose types have no buffer for Python 3.11."""

        @property
        def __array_interface__(self) -> dict[str, Any]: ...

    Bytes: TypeAlias = Buffer | Array


class Sorter(ClosableSort):
    """A sort of records that the program pushes.

    The options are those of `sortwell sort`, without those for files. `format` and `key` describe
    the records. `memory` is that of this sorter alone, "1GiB" or a number of bytes; default:
    256 MiB. Records that do not fit are written to temporary files, in `temp` or the directory of
    the system for them.

        with sortwell.Sorter(format="fixed:16", key="0..8:u64be") as sorter:
            sorter.push(array)
            for block in sorter.finish():
                rows = numpy.frombuffer(block, dtype)

    One thread at a time uses a sorter. The end of the `with` block, or `close`, stops the sort and
    removes its files. A process that `fork` made cannot use the sorter of its parent.
    """

    def __init__(
        self, *, progress: Callable[[Progress], object] | None = None, **options: Option
    ) -> None:
        self._native = _native.BlockSorter(_options.words("sort", options), progress)
        super().__init__(self._native)

    def push(self, buffer: Bytes) -> None:
        """Adds records: bytes, memoryview, mmap, or a NumPy array.

        The bytes are records of the format, one after the other, and are copied. A record may be
        split over several calls. Calls with fewer than some kilobytes take longer for each byte.

            sorter.push(numpy.array([(7, 1), (3, 2)], dtype=[("key", ">u8"), ("value", "<u8")]))

        Raises `BufferError` for an array that is not contiguous; `TypeError` for one of Python
        objects, or of datetime64, which needs `array.view("i8")`; `UsageError` for wrong options
        or after `finish`; and every error of the sort as soon as it has found it.
        """
        self._native.push(buffer)

    def push_keyed(self, key: Bytes, payload: Bytes) -> None:
        """Adds one record with a key, for the format "keyed", which is the default here.

        Keys are compared as unsigned bytes. Blocks then have records of the format "keyed".

            sorter = sortwell.Sorter()
            sorter.push_keyed(b"key", b"payload")

        Raises what `push` raises.
        """
        self._native.push_keyed(key, payload)

    def finish(self) -> Blocks:
        """Ends the input, and returns an iterator of sorted blocks.

        A block has whole records, about 1 MiB of them, or one larger record.

            with open("sorted.bin", "wb") as file:
                for block in sorter.finish():
                    file.write(block)

        Raises what `push` raises; `UsageError` if it was called before. The iterator raises what
        the sort finds later.
        """
        self._native.finish()
        return Blocks(self)


class Blocks:
    """Sorted blocks of a `Sorter`, each with whole records.

        for block in sorter.finish():
            rows = numpy.frombuffer(block, dtype)

    A `Block` has the buffer protocol: `numpy.frombuffer(block, dtype)`, `memoryview(block)` and
    `file.write(block)` copy nothing. It stays valid as long as the program keeps it. The order and
    the number of all records are proven when the iteration has ended.
    """

    def __init__(self, sorter: Sorter) -> None:
        self._sorter = sorter

    def __iter__(self) -> Iterator[Block]:
        return self

    def __next__(self) -> Block:
        block = self._sorter._native.next_block()
        if block is None:
            raise StopIteration
        return block

    @property
    def statistics(self) -> Statistics | None:
        """The statistics of the sort; None before the last block was taken."""
        return self._sorter.statistics
