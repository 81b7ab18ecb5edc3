"""The model of `sortwell.sort_batches`: a stable sort of the rows by a key of the documentation.

Nothing here comes from the code of the package.
"""

import functools
import math

import pyarrow


def values_of(column):
    """Returns the values of a key column as objects that Python compares."""
    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pyarrow.types.is_temporal(kind):
        wide = kind.bit_width == 64
        column = column.cast(pyarrow.int64() if wide else pyarrow.int32())
    values = column.to_pylist()
    # Texts are compared by their bytes.
    return [value.encode() if isinstance(value, str) else value for value in values]


def place(value, nulls):
    """Returns where a value stands: among the numbers, with NaN, or with the nulls."""
    if value is None:
        distance = 2
    elif isinstance(value, float) and math.isnan(value):
        distance = 1
    else:
        distance = 0
    return distance if nulls == "last" else -distance


def compare(left, right, directions, nulls):
    """Returns a number below, at or above 0 for two rows of keys."""
    for a, b, direction in zip(left, right, directions, strict=True):
        places = place(a, nulls), place(b, nulls)
        if places[0] != places[1]:
            return places[0] - places[1]
        if places[0] == 0 and a != b:
            return (1 if a > b else -1) * (-1 if direction == "desc" else 1)
    return 0


def indices(table, by, nulls="last"):
    """Returns the numbers of the rows of a table in order."""
    pairs = [(key, "asc") if isinstance(key, str) else key for key in by]
    rows = list(zip(*(values_of(table[name].combine_chunks()) for name, _ in pairs), strict=True))
    directions = [direction for _, direction in pairs]
    key = functools.cmp_to_key(lambda a, b: compare(rows[a], rows[b], directions, nulls))
    return sorted(range(len(rows)), key=key)


def take(column, order):
    """Returns the rows of a column in an order; pyarrow cannot do it for views."""
    kind = column.type
    for view, plain in (
        (pyarrow.string_view(), pyarrow.large_string()),
        (pyarrow.binary_view(), pyarrow.large_binary()),
    ):
        if kind == view:
            return column.cast(plain).take(order).cast(kind)
    return column.take(order)


def bits(column):
    """Returns a column in a form that `equals` compares exactly: floats as their bits."""
    column = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        return bits(column.cast(kind.value_type))
    if pyarrow.types.is_floating(kind):
        whole = {16: pyarrow.uint16(), 32: pyarrow.uint32(), 64: pyarrow.uint64()}
        return column.view(whole[kind.bit_width])
    return column
