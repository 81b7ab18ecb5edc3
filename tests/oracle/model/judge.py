"""Which outputs are allowed where the documentation allows several."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .command import parse_arguments
from .errors import EitherFault, MalformedError, RefusedError, Unspecified, UsageError
from .formats import Format, Record, parse_format, read_records, read_row, write_record
from .headers import count_top, take_headers, take_marks
from .sort import Entry, Work, header_of, prepare, run_check, run_merge, run_sort
from .types_text import Random


@dataclass
class Solution:
    """One outcome of a job that is right, and what others are judged by."""

    status: int
    outputs: dict[str, bytes]
    work: Work
    ordered: bool = True


def solve(
    command: str, arguments: tuple[str, ...], inputs: tuple[bytes, ...], files: dict[str, bytes]
) -> Solution:
    """Carries a job out; raises RefusedError for one that ends without an output."""
    try:
        return carry_out(command, arguments, inputs, files)
    except UsageError:
        refuse_second_fault(command, arguments, inputs, files)
        raise
    except MalformedError:
        refuse_wrong_command_line(command, arguments, inputs, files)
        if command == "check":
            refuse_mixed(arguments, inputs, files)
        raise


def refuse_second_fault(
    command: str,
    arguments: tuple[str, ...],
    inputs: tuple[bytes, ...],
    files: dict[str, bytes],
) -> None:
    """Leaves open the status of a usage error with a malformed header, or found in the records."""
    try:
        options = parse_arguments(command, arguments)
        form = parse_format(options)
    except UsageError:
        return
    try:
        tops = tuple(top_of(form, data) for data in inputs)
        if form.kind == "csv":
            _, tables = take_marks(form, tops)
            take_headers(options, form, [read_records(form, table) for table in tables])
    except MalformedError:
        raise EitherFault("a wrong command line with a malformed header") from None
    try:
        carry_out(command, arguments, tops, files)
    except UsageError:
        return
    except (MalformedError, Unspecified):
        pass
    try:
        for data in inputs:
            read_records(form, data)
    except MalformedError:
        raise Unspecified("a usage error found in the records of a malformed input") from None


def refuse_wrong_command_line(
    command: str,
    arguments: tuple[str, ...],
    inputs: tuple[bytes, ...],
    files: dict[str, bytes],
) -> None:
    """Raises the error of a wrong command line: "it is reported before a malformed input"."""
    form = parse_format(parse_arguments(command, arguments))
    try:
        tops = tuple(top_of(form, data) for data in inputs)
    except MalformedError:
        return
    try:
        carry_out(command, arguments, tops, files)
    except Unspecified:
        pass
    except MalformedError:
        refuse_either_fault(command, arguments, tops, files)


def refuse_either_fault(
    command: str,
    arguments: tuple[str, ...],
    tops: tuple[bytes, ...],
    files: dict[str, bytes],
) -> None:
    """Leaves open which fault is reported where the headers of tables differ."""
    try:
        carry_out(command, arguments, tops[:1], files)
    except UsageError:
        raise EitherFault("a wrong command line with headers that differ") from None
    except MalformedError:
        pass


def top_of(form: Format, data: bytes) -> bytes:
    """Returns what of an input is read to find its columns: the first row of a table."""
    if form.kind != "csv":
        return b""
    _, (table,) = take_marks(form, (data,))
    return data[: len(data) - len(table) + (read_row(form, table, 0)[1] if table else 0)]


def carry_out(
    command: str, arguments: tuple[str, ...], inputs: tuple[bytes, ...], files: dict[str, bytes]
) -> Solution:
    """Carries a job out, as `solve` does, but for jobs that go wrong in two ways."""
    try:
        return carry_out_whole(command, arguments, inputs, files)
    except MalformedError:
        if command == "merge" and parse_arguments(command, arguments).limit is not None:
            raise Unspecified("merges that may end before a fault") from None
        raise


def carry_out_whole(
    command: str, arguments: tuple[str, ...], inputs: tuple[bytes, ...], files: dict[str, bytes]
) -> Solution:
    """Carries a job out that looks at all records."""
    work = prepare(command, arguments, inputs, files)
    if command == "check":
        return Solution(run_check(work), {}, work)
    if command == "merge":
        outputs, ordered = run_merge(work)
        return Solution(0, outputs, work, ordered)
    refuse_open_shuffles(work)
    return Solution(0, run_sort(work), work)


def refuse_mixed(
    arguments: tuple[str, ...], inputs: tuple[bytes, ...], files: dict[str, bytes]
) -> None:
    """Leaves open which status `check` has for inputs both malformed and out of order.

    An input is out of order if the longest beginning of it that is well formed is.
    """
    options = parse_arguments("check", arguments)
    form = parse_format(options)
    if form.unites:
        raise Unspecified("check of tables with other columns, one of them malformed")
    for data in inputs:
        try:
            status = longest_status(arguments, data, boundaries(form, data, options.header), files)
        except UsageError:
            raise EitherFault("a wrong command line with a malformed header") from None
        if status:
            raise Unspecified("check of what is both malformed and out of order")


# Line ends in a row that may all lie in one cell in quotes.
QUOTED_ENDS = 40


def longest_status(
    arguments: tuple[str, ...], data: bytes, ends: list[int], files: dict[str, bytes]
) -> int:
    """Returns the status of `check` for the longest beginning of an input that is well formed.

    What is behind a fault is malformed as well, so the last good end is found by bisection. An end
    within a cell in quotes only seems to be behind a fault: the next few ends are tried as well.
    """
    found = 0
    low, high = -1, len(ends)
    while high - low > 1:
        middle = (low + high) // 2
        for place in range(middle, min(middle + QUOTED_ENDS, high)):
            try:
                found = carry_out("check", arguments, (data[: ends[place]],), files).status
            except MalformedError:
                continue
            low = place
            break
        else:
            high = middle
    return found


def boundaries(form: Format, data: bytes, header: str | None) -> list[int]:
    """Returns where records may end in an input, in ascending order."""
    if form.kind == "fixed":
        return list(range(form.length, len(data) + 1, form.length))
    if form.group:
        lines = read_records(replace(form, group=0), data)
        top = count_top(header or "0", lines)
        ends = [at + 1 for at, byte in enumerate(data) if byte == form.end[0]]
        return ends[top + form.group - 1 :: form.group]
    if form.is_text:
        return [at + 1 for at, byte in enumerate(data) if byte == form.end[0]]
    ends = [0]
    while ends[-1] < len(data):
        try:
            first = next(
                end
                for end in range(ends[-1] + 1, len(data) + 1)
                if is_one(form, data[ends[-1] : end])
            )
        except StopIteration:
            break
        ends.append(first)
    return ends[1:]


def is_one(form: Format, data: bytes) -> bool:
    """Returns whether bytes are records of the format."""
    try:
        return bool(read_records(form, data))
    except MalformedError:
        return False


def random_key(work: Work) -> int | None:
    """Returns which key is a shuffle, if one is."""
    return next((at for at, key in enumerate(work.keys) if isinstance(key.type, Random)), None)


def refuse_open_shuffles(work: Work) -> None:
    """Leaves open shuffles whose outputs cannot be judged."""
    if random_key(work) is None:
        return
    options = work.options
    changed = options.count or options.aggregates or options.select is not None
    changed = changed or options.unique_by
    if changed or options.skip or options.split is not None or options.split_by is not None:
        raise Unspecified("a shuffle with operators that hide the order")
    if sum(isinstance(key.type, Random) for key in work.keys) > 1 or work.options.invalid:
        raise Unspecified("several shuffles, and shuffles with invalid keys")


def is_acceptable(solution: Solution, outputs: dict[str, bytes]) -> bool:
    """Returns whether outputs that differ from the solution are right all the same."""
    if not solution.ordered:
        return is_permutation(solution, outputs[""])
    if random_key(solution.work) is not None:
        return is_shuffle(solution, outputs[""])
    if solution.work.options.split is not None:
        return is_even_split(solution, [outputs[name] for name in solution.outputs])
    return False


def records_of(work: Work, output: bytes) -> list[Record] | None:
    """Returns the records of an output behind its header, or None if it cannot be read."""
    top = header_of(work)
    if not output.startswith(top):
        return None
    try:
        return read_records(work.form, output[len(top) :])
    except RefusedError:
        return None


def is_permutation(solution: Solution, output: bytes) -> bool:
    """Returns whether an output has the records of the solution in any order."""
    work = solution.work
    found, wanted = records_of(work, output), records_of(work, solution.outputs[""])
    if found is None or wanted is None:
        return False
    written = [write_record(work.form, record.body, record.end) for record in found]
    return b"".join(written) == output[len(header_of(work)) :] and sorted(written) == sorted(
        write_record(work.form, record.body, record.end) for record in wanted
    )


def is_shuffle(solution: Solution, output: bytes) -> bool:
    """Returns whether an output is sorted, with equal keys together, for some shuffle.

    The shuffle is taken from the output, as the order in which its values come up: within each
    stretch of records that agree in the keys before. Sorted by it, the input has to give the
    same bytes.
    """
    work = solution.work
    at = random_key(work)
    records = records_of(work, output)
    if at is None or records is None:
        return False
    shuffle = work.keys[at].type
    assert isinstance(shuffle, Random)
    contexts: list[Entry] = []

    def agree(first: Entry, second: Entry) -> bool:
        """Returns whether two entries agree in the keys before the shuffle."""
        pairs = zip(work.keys[:at], first.values, second.values)
        return all(key.compare(one, two) == 0 for key, one, two in pairs)

    def relabel(entry: Entry) -> Entry:
        """Returns an entry whose key also says with which stretch of records it is shuffled."""
        place = next((at for at, other in enumerate(contexts) if agree(entry, other)), None)
        if place is None:
            place = len(contexts)
            contexts.append(entry)
        if not isinstance(entry.values[at], bytes):
            return entry
        values = (*entry.values[:at], (place, entry.values[at]), *entry.values[at + 1 :])
        return Entry(entry.record, values)

    work.relabel = relabel
    try:
        for entry in work.entries(records):
            shuffle.ranks.setdefault(entry.values[at], len(shuffle.ranks))
        return run_sort(work)[""] == output
    except RefusedError:
        return False


def is_even_split(solution: Solution, outputs: list[bytes]) -> bool:
    """Returns whether the parts have equal numbers of records but for one more or less."""
    work = solution.work
    parts = [records_of(work, output) for output in outputs]
    wanted = [records_of(work, output) for output in solution.outputs.values()]
    if None in parts or None in wanted:
        raise Unspecified("parts of --split that cannot be read again")
    sizes = [len(part or []) for part in parts]
    return max(sizes) - min(sizes) <= 1 and b"".join(
        output[len(header_of(work)) :] for output in outputs
    ) == b"".join(output[len(header_of(work)) :] for output in solution.outputs.values())
