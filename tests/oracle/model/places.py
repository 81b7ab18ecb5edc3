"""Places in a record: fields, columns, and ranges of bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .errors import ShortRecordError, Unspecified, UsageError
from .formats import Cell, Format, Record, split_fields
from .json_lines import steps_of, value_at

RANGE = r"(?P<from>[0-9]*)\.\.(?P<to>[0-9]*)"
PLACE = re.compile(
    rf"{RANGE}"
    rf"|(?:(?P<field>[0-9]+)(?P<fields>-(?P<last>[0-9]*))?|\"(?P<quoted>[^\"]*)\"|(?P<name>[^\[\]:\"]+))"
    rf"(?:\[{RANGE.replace('from', 'within').replace('to', 'until')}\])?"
)


REST = 1 << 32


@dataclass(frozen=True)
class Place:
    """A place: a field or column (`field`, or a `name` to be found) and a range of its bytes.

    Without field and name it is a range of the record's bytes.
    """

    field: int | None = None
    name: str | None = None
    start: int | None = None
    end: int | None = None
    # The last of several fields "with what separates them"; REST for the rest of the line.
    last: int | None = None
    # The line of a record of several that the fields are those of.
    line: int | None = None

    @property
    def is_range(self) -> bool:
        """Returns whether this is a range of bytes of the record itself."""
        return self.field is None and self.name is None

    @property
    def is_whole(self) -> bool:
        """Returns whether this is a whole field or the whole record."""
        return not self.start and self.end is None


def split_outside_quotes(text: str, sign: str) -> list[str]:
    """Splits at a sign, but not within double quotes."""
    pieces = [""]
    within = False
    for character in text:
        within ^= character == '"'
        if character == sign and not within:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def parse_place(text: str, form: Format) -> Place:
    """Reads a place, and refuses those that the format does not have."""
    line = re.match(r"([0-9]+)\.(?=[0-9])", text) if form.group else None
    match = PLACE.fullmatch(text.removeprefix(line[0]) if line else text)
    if not match or (line and match["field"] is None):
        if '""' in text:
            raise Unspecified("double quotes in the name of a column")
        raise UsageError(f"'{text}' is no place")
    found = match.groupdict()
    start, end = found["from"] or found["within"], found["to"] or found["until"]
    place = Place(
        field=int(found["field"]) if found["field"] else None,
        name=found["name"] if found["quoted"] is None else found["quoted"],
        start=int(start) if start else None,
        end=int(end) if end else None,
        last=int(found["last"] or REST) if found["fields"] else None,
        line=int(line[1]) if line else None,
    )
    if place.last == place.field:
        place = replace(place, last=None)
    check_place(place, form)
    return place


def check_place(place: Place, form: Format) -> None:
    """Refuses fields, names and ranges that there cannot be."""
    start, end = place.start or 0, place.end
    if end is not None and end < start:
        raise UsageError("a range that ends before it begins")
    if end == start:
        raise Unspecified("whether a range may be empty")
    if place.field == 0:
        raise UsageError("fields are counted from 1")
    if place.line == 0:
        raise UsageError("lines are counted from 1")
    if form.group and place.field is not None:
        lines = [place.line] if place.line is not None else [place.field, place.last]
        if any(line is not None and form.group < line < REST for line in lines):
            raise UsageError("a line that a record does not have")
    if place.last is not None and form.kind != "lines":
        raise UsageError("several fields where there are no lines")
    if place.last is not None and place.last < (place.field or 0):
        raise UsageError("fields that end before they begin")
    if not place.is_range and not form.is_text:
        raise UsageError("fields in a format that has none")
    if form.kind == "json":
        if place.field is not None:
            raise UsageError("the number of a field in JSON")
        if place.name is not None:
            if not place.is_whole:
                raise UsageError("a range of bytes of a JSON value")
            steps_of(place.name)
        return
    if place.name is not None and not (form.kind == "csv" and form.has_header):
        raise UsageError("the name of a column where columns have none")
    if form.kind == "fixed" and (end or start) > form.length:
        raise UsageError("a range beyond the end of the record")
    if form.kind == "fixed" and end is None and start == form.length:
        raise Unspecified("whether a range may be empty")


def resolve_place(place: Place, form: Format, columns: list[bytes] | None) -> Place:
    """Finds the column that a place names; `columns` are the cells of the first row."""
    if form.kind != "csv" or place.is_range or columns is None:
        return place
    if place.name is not None:
        matches = [number for number, cell in enumerate(columns, 1) if cell == place.name.encode()]
        if not matches:
            raise UsageError(f"no column '{place.name}'")
        if len(matches) > 1:
            raise Unspecified(f"several columns '{place.name}'")
        return replace(place, field=matches[0], name=None)
    if place.field is not None and place.field > len(columns):
        if form.ragged or not form.has_header:
            raise Unspecified("a column beyond those of the header or the first row")
        raise UsageError(f"no column {place.field}")
    return place


def cell_at(place: Place, form: Format, record: Record) -> Cell | None:
    """Returns the whole cell or field of a place, or None if the record has none there."""
    if place.line is not None:
        lines = record.body.split(form.end)
        inner = replace(form, separator=form.within, group=0)
        line = Record(lines[place.line - 1], form.end)
        return cell_at(replace(place, line=None), inner, line)
    if form.kind == "csv":
        cells = record.cells
    elif form.kind == "json":
        value = value_at(record.body, place.name or "")
        return Cell(value, value)
    else:
        fields = split_fields(form, record.body)
        if place.last is not None:
            between = b"" if form.separator is None else bytes([form.separator])
            fields[(place.field or 1) - 1 :] = [
                between.join(fields[(place.field or 1) - 1 : place.last])
            ]
        cells = tuple(Cell(field, field) for field in fields)
    index = (place.field or 1) - 1
    return cells[index] if index < len(cells) else None


def bytes_at(place: Place, form: Format, record: Record, pad: int | None = None) -> bytes:
    """Returns the bytes of a place; a short record is filled up with `pad`.

    "Without it, a record of varying length that ends before a key's range of bytes is an
    error." In lines and rows it is taken that a range holds what is there of it.
    """
    start, end = place.start or 0, place.end
    if not place.is_range:
        cell = cell_at(place, form, record)
        return (cell.value if cell else b"")[start:end]
    body = record.body
    if len(body) < (start if end is None else end) and not form.is_text:
        if pad is None:
            raise ShortRecordError("a record that ends before the range of a key")
        if end is not None:
            body = body.ljust(end, bytes([pad]))
    return body[start:end]
