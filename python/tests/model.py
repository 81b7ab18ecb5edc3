"""The model of `sortwell.sorted`: the built-in, and the documentation where that has no order.

Nothing here comes from the code of the package. A key becomes an object that Python orders in the
documented way: None after all values, NaN after all numbers, a datetime with a time zone by its
instant.
"""

import datetime
import decimal
import functools
import math


@functools.total_ordering
class Ordered:
    """A key in the documented order."""

    def __init__(self, key):
        """Holds a key."""
        self.key = key

    def __eq__(self, other):
        """Returns true for keys in one place."""
        return compare(self.key, other.key) == 0

    def __lt__(self, other):
        """Returns true if the key comes first."""
        return compare(self.key, other.key) < 0


def is_nan(key):
    """Returns true for NaN of either type."""
    if isinstance(key, decimal.Decimal):
        return key.is_nan()
    return isinstance(key, float) and math.isnan(key)


def instant(key):
    """Returns a datetime with a time zone as that of UTC, and others as they are."""
    if isinstance(key, datetime.datetime) and key.utcoffset() is not None:
        return key.replace(tzinfo=None) - key.utcoffset()
    return key


def compare(left, right):
    """Returns a number below, at or above 0."""
    if left is None or right is None:
        return (left is None) - (right is None)
    if isinstance(left, tuple):
        for pair in zip(left, right, strict=False):
            order = compare(*pair)
            if order:
                return order
        return len(left) - len(right)
    if is_nan(left) or is_nan(right):
        return is_nan(left) - is_nan(right)
    left, right = instant(left), instant(right)
    return (left > right) - (left < right)


def model(items, key=None, reverse=False):
    """Returns the items in order."""
    function = key or (lambda item: item)
    return sorted(items, key=lambda item: Ordered(function(item)), reverse=reverse)
