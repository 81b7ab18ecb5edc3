"""Jobs that read and write files."""

from __future__ import annotations

import os

from sortwell import _native, _options, _statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sortwell._options import Option, Path, Paths
    from sortwell._progress import Progress
    from sortwell._statistics import Statistics


def sort(
    inputs: Paths,
    output: Path | None = None,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: Option,
) -> Statistics:
    """Sorts files into one file.

    `inputs` is a path or several, `output` the file to write. The output appears whole under its
    name, or not at all, and may be an input. With `in_place=True` there is no output.

    The other arguments are the options of `sortwell sort`: `key`, `format`, `memory`, `threads`,
    `temp`, `unique` and others. `key=["amount:decimal:desc", "city"]` gives an option twice,
    `True` sets a flag, and `False` is "off" for an option like `sync`. `memory` is "1GiB" or a
    number of bytes: what the sort may add to the memory of the process. Default: 60% of the free
    memory.

        sortwell.sort(["a.csv", "b.csv"], "out.csv", key=["city", "amount:decimal:desc"])

    Raises `UsageError`, `MalformedError`, `StorageError`, `NoSpaceError`, `ProofError`, or
    `Interrupted` after Ctrl-C. After an error, no output file was made and no temporary file is
    left.
    """
    return _of_files("sort", inputs, output, progress, options)


def merge(
    inputs: Paths,
    output: Path,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: Option,
) -> Statistics:
    """Merges sorted files into one sorted file.

    The other arguments are the options of `sortwell merge`. Records with equal keys come in the
    order of the inputs.

        sortwell.merge(["monday.log", "tuesday.log"], "all.log", memory="256MiB")

    Raises what `sort` raises; `MalformedError` for an input that is not sorted.
    """
    return _of_files("merge", inputs, output, progress, options)


def _of_files(
    command: str,
    inputs: Paths,
    output: Path | None,
    progress: Callable[[Progress], object] | None,
    options: dict[str, Option],
) -> Statistics:
    target = None if output is None else os.fsdecode(output)
    words, names = _options.words(command, options), _options.paths(inputs)
    return _statistics.of_json(_native.run_job(command, words, names, target, progress))


class Disorder:
    """The first record of a file that is out of order.

    `message` describes it. `file` is the path, `offset` the byte where the record begins, from 0,
    and `record` its number, from 1.

        place = sortwell.check("names.txt").disorder
        if place is not None:
            print(place.file, place.offset, place.record)
    """

    __slots__ = ("file", "message", "offset", "record")

    message: str
    file: str
    offset: int
    record: int

    def __init__(self, message: str, file: str, offset: int, record: int):
        self.message = message
        self.file = file
        self.offset = offset
        self.record = record

    def __repr__(self) -> str:
        return f"<sortwell.Disorder: {self.message}>"


class Checked:
    """Result of a check: true if all files are sorted.

        checked = sortwell.check(["names.txt", "more.txt"])
        if checked:
            print(checked.records, "records in", checked.bytes, "bytes")

    `records` and `bytes` are the numbers of records and bytes that were read up to the end or the
    first disorder. `disorder` is a `Disorder`, or None. `ragged_rows_dropped` is the number of rows
    of CSV that were left out.
    """

    __slots__ = ("bytes", "disorder", "ragged_rows_dropped", "records")

    def __init__(
        self, records: int, size: int, ragged_rows_dropped: int, disorder: Disorder | None
    ) -> None:
        self.records = records
        self.bytes = size
        self.ragged_rows_dropped = ragged_rows_dropped
        self.disorder = disorder

    @property
    def is_sorted(self) -> bool:
        """True if all files are sorted."""
        return self.disorder is None

    def __bool__(self) -> bool:
        return self.is_sorted

    def __repr__(self) -> str:
        return f"<sortwell.Checked {self.records} records, is_sorted={self.is_sorted}>"


def check(
    inputs: Paths,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: Option,
) -> Checked:
    """Checks whether files are sorted, each on its own.

    The other arguments are the options of `sortwell check`. `unique=True` also refuses neighbours
    with equal keys.

        if not sortwell.check("names.txt"):
            ...

    Raises what `sort` raises. A file that is not sorted is no error: the result has the place.
    """
    words, names = _options.words("check", options), _options.paths(inputs)
    records, count, dropped, place = _native.run_job("check", words, names, None, progress)
    return Checked(records, count, dropped, place and Disorder(*place))
