"""Cuts the contents of a file into records, so that the reducer can leave some out."""

from __future__ import annotations

from .formats import Shape


def split_records(shape: Shape, data: bytes) -> list[bytes]:
    """Returns the records of well-formed data, with their ends and lengths."""
    if shape.family == "fixed":
        return [data[at : at + shape.length] for at in range(0, len(data), shape.length)]
    if shape.family == "prefixed":
        return split_prefixed(shape.name, data)
    if shape.family == "csv":
        return split_rows(data, shape.quote)
    parts = data.split(shape.end or b"\n")
    lines = [part + shape.end for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    if shape.group:
        return [b"".join(lines[at : at + shape.group]) for at in range(0, len(lines), shape.group)]
    return lines


def split_prefixed(name: str, data: bytes) -> list[bytes]:
    """Returns records that begin with their length."""
    width = 4 if name == "keyed" or name.startswith("u32") else 2
    order = "little" if name == "keyed" or "le" in name else "big"
    more = 0 if name == "rdw" or name.endswith(":self") else width
    records, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + width], order) + more
        records.append(data[at : at + length])
        at += length
    return records


def split_rows(data: bytes, quote: bytes) -> list[bytes]:
    """Returns rows; one goes on where a quote is still open."""
    rows: list[bytes] = []
    is_open = False
    for line in lines_of(data):
        if is_open:
            rows[-1] += line
        else:
            rows.append(line)
        if quote and line.count(quote) % 2:
            is_open = not is_open
    return rows


def lines_of(data: bytes) -> list[bytes]:
    """Returns lines that end in a line feed."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
