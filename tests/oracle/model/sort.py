"""The commands themselves: what `sort`, `merge` and `check` make of their inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import Any, Callable

from .command import Options, parse_arguments, parse_byte
from .errors import MalformedError, ShortRecordError, Unspecified, UsageError
from .expressions import Condition, Group, GroupParser, Parser
from .formats import Format, Record, group_lines, parse_format, read_records
from .headers import (
    check_widths,
    drop_ragged,
    is_number,
    refuse_empty_rows,
    take_headers,
    take_marks,
)
from .keys import Key, Setting, parse_key, values_of
from .operators import (
    Operators,
    make_header,
    make_row,
    name_of_value,
    parse_operators,
    split_evenly,
)
from .places import Place, bytes_at, parse_place, resolve_place
from .types import INVALID, KeyType
from .types_text import Random
from .types_time import Moment


@dataclass(frozen=True)
class Entry:
    """A record with the values of its keys."""

    record: Record
    values: tuple[Any, ...]


@dataclass
class Work:
    """A job whose command line is understood and whose inputs are cut into records."""

    options: Options
    form: Format
    keys: list[Key]
    inputs: list[list[Record]]
    top: bytes
    header: Record | None
    conditions: list[tuple[Condition, bool]]
    operators: Operators
    split_place: Place | None
    having: list[Condition]
    dropped: int | None = None
    relabel: Callable[[Entry], Entry] = lambda entry: entry

    def entries(self, records: list[Record]) -> list[Entry]:
        """Returns the records with the values of their keys."""
        return [self.relabel(Entry(record, values_of(self.keys, record))) for record in records]

    def compare(self, first: Entry, second: Entry, leading: int | None = None) -> int:
        """Compares two records by all keys, "most significant first", or by leading keys alone.

        Records with a key that is no value of its type "come after all others or before them.
        Among themselves they are in the order of their keys, where what is no value comes last
        (or first), beyond what is empty; and then in the order of the input".
        """
        invalid = [self.is_placed(entry) for entry in (first, second)]
        if invalid[0] != invalid[1]:
            return self.placed(invalid[0] - invalid[1])
        for key, one, other in list(zip(self.keys, first.values, second.values))[:leading]:
            if one is INVALID or other is INVALID:
                order = self.placed((one is INVALID) - (other is INVALID))
            else:
                order = key.compare(one, other)
            if order:
                return order
        return 0

    def is_placed(self, entry: Entry) -> bool:
        """Returns whether a key is no value, "with --unique-by one of its KEYs"."""
        return INVALID in entry.values[: len(self.options.unique_by) or None]

    def placed(self, order: int) -> int:
        """Returns the order of what is no value where it comes last, as --invalid has it."""
        return order if self.options.invalid == "last" else -order

    def equal(self, first: Entry, second: Entry) -> bool:
        """Returns whether two records have equal keys."""
        return self.compare(first, second, len(self.options.unique_by) or None) == 0

    def sorted(self, entries: list[Entry]) -> list[Entry]:
        """Sorts stably: "Records with equal keys keep the order of the input"."""
        return sorted(entries, key=cmp_to_key(self.compare))

    def is_sorted(self, entries: list[Entry]) -> bool:
        """Returns whether no record belongs before the one before it."""
        return all(self.compare(*pair) <= 0 for pair in zip(entries, entries[1:]))


def prepare(
    command: str, arguments: tuple[str, ...], inputs: tuple[bytes, ...], files: dict[str, bytes]
) -> Work:
    """Understands the command line and cuts the inputs into records."""
    options = parse_arguments(command, arguments)
    form = parse_format(options)
    pad = None if options.pad is None else parse_byte(options.pad)
    if pad is not None and form.kind != "length":
        raise UsageError("--pad with records that are not of varying length")
    setting = Setting(form, files, options.invalid, options.date_format, pad)
    keys = [direct(parse_key(text, setting), options) for text in options.order]
    if not keys:
        keys = [direct(parse_key("..", setting), options)]
    # What the command line alone says is looked at before any input is.
    if options.random_seed and not any(isinstance(key.type, Random) for key in keys):
        raise UsageError("--random-seed without a key of type random")
    parsers = [Parser(text, setting, None) for text in [*options.include, *options.exclude]]
    parsers += [GroupParser(text, setting, None) for text in options.having]
    for parser in parsers:
        parser.parse()
    asked = [place for parser in parsers for place in parser.places]
    operators = parse_operators(options, form, None)
    split_place = parse_split_place(options, form)
    written = [*options.include, *options.exclude, *options.having]
    written += [place for _, place in options.aggregates]
    in_condition = any(re.search(r":(date|time|timestamp)\b", text) for text in written)
    has_days = in_condition or any(isinstance(key.type, Moment) for key in keys)
    if options.date_format and not has_days:
        raise UsageError("--date-format without a date, a time or a timestamp")
    # "--header counts lines, not records."
    mark, tables = take_marks(form, inputs)
    cut = [read_records(replace(form, group=0), data) for data in tables]
    top, header, columns, records = take_headers(options, form, cut)
    records, dropped = drop_ragged(form, columns, records)
    if form.group:
        records = [group_lines(form, lines) for lines in records]
    if form.kind == "csv" and columns is None:
        written = [key.place for key in keys] + operators.places() + asked
        if any(place.name for place in written):
            raise UsageError("the name of a column where no input has a header")
    resolved = [key.resolved(columns) for key in keys]
    if not options.order and form.kind == "csv":
        refuse_empty_rows(records)
    conditions = [
        (Parser(text, setting, columns).parse(), wanted)
        for texts, wanted in ((options.include, True), (options.exclude, False))
        for text in texts
    ]
    having = [GroupParser(text, setting, columns).parse() for text in options.having]
    if split_place is not None:
        split_place = resolve_place(split_place, form, columns)
    operators = parse_operators(options, form, columns)
    check_widths(form, columns, records)
    return Work(
        options=options,
        form=form,
        keys=resolved,
        inputs=records,
        top=mark + top,
        header=header,
        conditions=conditions,
        operators=operators,
        split_place=split_place,
        having=having,
        dropped=dropped,
    )


def direct(key: Key, options: Options) -> Key:
    """Returns the key in the direction that --reverse gives it: "the order of every key"."""
    if not options.reverse:
        return key
    return replace(key, descending=not key.descending)


def parse_split_place(options: Options, form: Format) -> Place | None:
    """Reads --split-by: a "column, field or range of bytes"."""
    if options.split_by is None:
        return None
    place = parse_place(options.split_by, form)
    if place.line is not None:
        raise UsageError("--split-by of a field of a line")
    if place.last is not None:
        raise UsageError("--split-by of several fields")
    if place.is_range and form.is_text:
        raise UsageError("--split-by of a range of bytes in text")
    if not place.is_range and not place.is_whole:
        raise Unspecified("--split-by of some bytes of a field")
    if form.kind in ("lines", "json") and form.separator is None:
        raise UsageError("--split-by of fields needs --separator")
    return place


def same_place(first: Place, second: Place) -> bool:
    """Returns whether two places are one."""
    return replace(first, start=first.start or 0) == replace(second, start=second.start or 0)


def takes_part(work: Work, record: Record) -> bool:
    """Returns whether all --include hold for a record, and no --exclude does.

    "Such records [of which it is unknown] are not included", and "are not left out".
    """
    answers = [(condition(record), wanted) for condition, wanted in work.conditions]
    return all((answer is True) == wanted for answer, wanted in answers)


def run_sort(work: Work) -> dict[str, bytes]:
    """Sorts, and writes what the operators make of the order."""
    records = [record for part in work.inputs for record in part if takes_part(work, record)]
    return write(work, selected(work, work.sorted(work.entries(records))))


def selected(work: Work, entries: list[Entry]) -> list[list[Entry]]:
    """Returns what of sorted records is written: groups of equal ones, or each by itself."""
    groups = group(work, entries) if work.options.groups else [[entry] for entry in entries]
    if work.options.unique == "error":
        refuse_duplicates(work, groups)
    if work.having:
        groups = [members for members in groups if is_written(work, members)]
    skip = work.options.skip or 0
    end = None if work.options.limit is None else skip + work.options.limit
    if work.options.aggregates or work.options.count:
        refuse_unseen_faults(work, groups[:skip] + (groups[end:] if end is not None else []))
    return groups[skip:end]


def is_written(work: Work, members: list[Entry]) -> bool:
    """Returns whether all --having hold for "the record that is made" of a group."""
    kept = -1 if work.options.unique == "last" else 0
    whole = replace(work.operators, selected=None, counts=False)
    places = [aggregate.place for aggregate in work.operators.aggregates]
    in_key = any(touches(place, key.place) for place in places for key in work.keys)
    if in_key and len(members) > 1:
        raise Unspecified("sums that are written into a key")
    try:
        made = make_row(whole, members[kept].record, [entry.record for entry in members])
    except MalformedError:
        if work.options.skip or work.options.limit is not None:
            raise Unspecified("sums that fail in groups that may not be written") from None
        raise
    record = members[kept].record
    if work.operators.aggregates:
        (record,) = read_records(work.form, made)
    group = Group(record.body, record.end, record.cells, len(members))
    return all(condition(group) is True for condition in work.having)


def refuse_unseen_faults(work: Work, groups: list[list[Entry]]) -> None:
    """Leaves open what faults of sums and counts do in records that are not written."""
    try:
        write(work, groups)
    except UsageError:
        pass  # values that are not written need no names of files
    except MalformedError:
        raise Unspecified("sums or counts that fail in records that are not written") from None


def group(work: Work, entries: list[Entry]) -> list[list[Entry]]:
    """Puts neighbours with equal keys together."""
    groups: list[list[Entry]] = []
    for entry in entries:
        if groups and work.equal(groups[-1][0], entry):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    return groups


def refuse_duplicates(work: Work, groups: list[list[Entry]]) -> None:
    """Ends the sort at records with equal keys: "the exit status is 3"."""
    if all(len(members) == 1 for members in groups):
        return
    if work.options.skip or work.options.limit is not None:
        raise Unspecified("--unique=error with --skip or --limit")
    raise MalformedError("two records with equal keys")


def header_of(work: Work) -> bytes:
    """Returns the bytes at the top of each output."""
    return work.top + (make_header(work.operators, work.header) if work.header else b"")


def write(work: Work, groups: list[list[Entry]]) -> dict[str, bytes]:
    """Writes one record for each group, into one output or several."""
    kept = -1 if work.options.unique == "last" else 0
    header = header_of(work)
    # "With PREFIX, header lines count as comments, and --select leaves them unchanged."
    if work.operators.selected is not None and work.top and is_number(work.options.header):
        raise Unspecified("--select with a number of lines that stay on top")
    for aggregate in work.operators.aggregates:
        in_key = any(touches(aggregate.place, key.place) for key in work.keys)
        if in_key and any(len(members) > 1 for members in groups):
            raise Unspecified("sums that are written into a key")
    rows = [
        make_row(work.operators, members[kept].record, [entry.record for entry in members])
        for members in groups
    ]
    if work.options.split is not None:
        parts = split_evenly(rows, work.options.split)
    elif work.split_place is not None:
        parts = split_by_value(work, [members[kept].record for members in groups], rows)
    else:
        parts = {"": rows}
    return {name: header + b"".join(part) for name, part in parts.items()}


def touches(first: Place, second: Place) -> bool:
    """Returns whether two places may have bytes in common."""
    # A field of a line is a part of that line.
    first, second = (
        place if place.line is None else Place(field=place.line) for place in (first, second)
    )
    if first.field is not None and second.field is not None:
        ends = (first.last or first.field, second.last or second.field)
        return first.field <= ends[1] and second.field <= ends[0]
    if not (first.is_range and second.is_range):
        return True
    ends = [place.end if place.end is not None else 1 << 32 for place in (first, second)]
    return (first.start or 0) < ends[1] and (second.start or 0) < ends[0]


def split_by_value(work: Work, records: list[Record], rows: list[bytes]) -> dict[str, list[bytes]]:
    """Deals rows to files by the values of a place; two values of one name are an error.

    "The first of the sort's keys must be the same place, by its bytes." Where it is another, and
    records of one value lie together all the same, it is not said that this is refused.
    """
    assert work.split_place is not None
    if work.options.pad is not None or work.keys[0].pad is not None:
        raise Unspecified("whether the names of files have the bytes of --pad")
    first = work.keys[0]
    fits = type(first.type) is KeyType and not first.trims
    fits = fits and bool(work.options.order) and same_place(work.split_place, first.place)
    last = None
    parts: dict[str, list[bytes]] = {}
    values: dict[str, bytes] = {}
    for record, row in zip(records, rows):
        try:
            value = bytes_at(work.split_place, work.form, record)
        except ShortRecordError:
            raise Unspecified("--split-by of records that end before the range") from None
        name = name_of_value(value)
        # With --invalid and several keys, records of one value may come apart.
        if value in values.values() and value != last:
            raise UsageError("--split-by needs a first key of the same place, by its bytes")
        last = value
        if values.setdefault(name, value) != value:
            raise UsageError("two values whose names are the same")
        parts.setdefault(name, []).append(row)
    if not fits:
        raise Unspecified("--split-by of another place than the first key's")
    return parts


def run_merge(work: Work) -> tuple[dict[str, bytes], bool]:
    """Merges; returns the outputs and whether their order is documented.

    "With --verify on, the default, [inputs that are not sorted] are always refused", with status 3.
    With --limit, "the rest of the inputs is not read".
    """
    refuse_random(work)
    parts = [work.entries(records) for records in work.inputs]
    ordered = all(work.is_sorted(part) for part in parts)
    if not ordered:
        raise MalformedError("an input that is not sorted")
    entries = work.sorted([entry for part in parts for entry in part])
    return write(work, selected(work, entries)), ordered


def run_check(work: Work) -> int:
    """Checks each input by itself; returns the exit status.

    1 if a record "belongs before the one before it", or with --unique if neighbours have equal
    keys.
    """
    refuse_random(work)
    statuses = set()
    for records in work.inputs:
        entries = work.entries(records)
        fine = work.is_sorted(entries)
        if fine and work.options.unique:
            fine = not any(work.equal(*pair) for pair in zip(entries, entries[1:]))
        statuses.add(0 if fine else 1)
    return max(statuses, default=0)


def refuse_random(work: Work) -> None:
    """Leaves open what is sorted by a shuffle that is not documented."""
    if any(isinstance(key.type, Random) for key in work.keys):
        raise Unspecified("merge and check by a shuffle")
