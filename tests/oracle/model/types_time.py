"""Key types date, time and timestamp, with a calendar of their own."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from .errors import Unspecified, UsageError
from .types import INVALID, Notation
from .types_named import MONTHS, month_number

DAY_SECONDS = 86400
ISO_DATE = r"(?P<Y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"
ISO_TIME = r"(?P<H>[0-9]{2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2})(?:\.(?P<f>[0-9]+))?)?"
ISO_OFFSET = r"(?P<zone>Z|(?P<sign>[+-])(?P<zh>[0-9]{2}):(?P<zm>[0-9]{2}))?"
ISO_FORMS = {
    "date": ISO_DATE,
    "time": f"{ISO_TIME}{ISO_OFFSET}",
    "timestamp": f"{ISO_DATE}T{ISO_TIME}{ISO_OFFSET}",
}
# Other forms of ISO 8601 and RFC 3339, of which it is not said whether they are read.
OPEN_FORM = re.compile(
    r"[+-]?[0-9]{4,}(-?W[0-9]{2}(-?[0-9])?|-?[0-9]{2,3}(-?[0-9]{2})?|)"
    r"([Tt _][0-9:.,]+(\s?[Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
    r"|T?[0-9]{2}(:?[0-9]{2})?(:?[0-9]{2}([.,][0-9]+)?)?(\s?[Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?"
)
MONTH_WORDS = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
DIRECTIVES = {
    "Y": "(?P<Y>[0-9]{4})",
    "y": "(?P<y>[0-9]{2})",
    "m": "(?P<m>[0-9]{1,2})",
    "d": "(?P<d>[0-9]{1,2})",
    "H": "(?P<H>[0-9]{1,2})",
    "I": "(?P<I>[0-9]{1,2})",
    "M": "(?P<M>[0-9]{1,2})",
    "S": "(?P<S>[0-9]{1,2})",
    "p": "(?P<p>am|pm)",
    "b": f"(?P<b>{MONTH_WORDS})",
    "s": "(?P<s>-?[0-9]+)",
    "%": "%",
}
SHORTHANDS = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%D": "%m/%d/%y", "%R": "%H:%M", "%B": "%b"}


def days_of_month(year: int, month: int) -> int:
    """Returns how many days a month has in the Gregorian calendar."""
    if month == 2:
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if is_leap else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day_number(year: int, month: int, day: int) -> int | None:
    """Returns the days from 1970-01-01 to a date, or None if there is no such date."""
    if not 1 <= month <= 12 or not 1 <= day <= days_of_month(year, month):
        return None
    before = year - 1
    days = 365 * before + before // 4 - before // 100 + before // 400
    days += sum(days_of_month(year, other) for other in range(1, month)) + day - 1
    return days - 719162


class Moment(Notation):
    """`date`, `time` or `timestamp`, read "as ISO 8601 and RFC 3339 have them" or by a pattern."""

    def __init__(self, name: str, pattern: str | None):
        """Makes the type `name`, with the pattern of --date-format if there is one."""
        self.name = name
        self.form = None if pattern is None else compile_pattern(name, pattern)

    def read_text(self, text: str) -> Any:
        """Returns the day, the seconds of the day, or the seconds since 1970 in UTC."""
        if self.form is not None:
            return self.read_by_pattern(text)
        match = re.fullmatch(ISO_FORMS[self.name], text)
        if match:
            return self.value(match.groupdict())
        if OPEN_FORM.fullmatch(text):
            raise Unspecified(f"other forms of ISO 8601, such as {text} for {self.name}")
        return INVALID

    def read_by_pattern(self, text: str) -> Any:
        """Returns the value of a text by the pattern of --date-format."""
        exact, loose = self.form
        match = re.fullmatch(exact, text, re.IGNORECASE)
        if match:
            return self.value(match.groupdict())
        if re.fullmatch(loose, text, re.IGNORECASE):
            raise Unspecified(f"how much strptime lets pass: {text}")
        return INVALID

    def value(self, parts: dict[str, str | None]) -> Any:
        """Returns the value of the parts that were found, or INVALID if there is no such time."""
        if parts.get("s") is not None:
            seconds = int(parts["s"])
            if abs(seconds) > 1 << 40:
                raise Unspecified("seconds far from 1970")
            day, rest = divmod(seconds, DAY_SECONDS)
        else:
            day, rest = date_of(parts), time_of(parts)
        if day is None or rest is None:
            return INVALID
        if self.name == "date":
            return day
        offset = offset_of(parts)
        if offset is None:
            return INVALID
        # Times are "instants of one day", that is, of one day wherever their clocks are.
        return (0 if self.name == "time" else day * DAY_SECONDS) + rest - offset


def date_of(parts: dict[str, str | None]) -> int | None:
    """Returns the day number of the parts of a date; 0 if there are none."""
    if parts.get("d") is None:
        return 0
    if parts.get("y") is not None:
        # As strptime has it: 69 to 99 are of the last century.
        year = int(parts["y"])
        year += 1900 if year >= 69 else 2000
    else:
        year = int(parts["Y"] or 0)
    month = month_number(parts["b"]) if parts.get("b") else int(parts["m"] or 0)
    return day_number(year, month, int(parts["d"] or 0))


def time_of(parts: dict[str, str | None]) -> Fraction | None:
    """Returns the seconds of the day of the parts of a time; 0 if there are none."""
    hour = int(parts.get("H") or 0)
    if parts.get("I") is not None:
        hour = int(parts["I"] or 0)
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if (parts["p"] or "").lower() == "pm" else 0)
    minute, second = int(parts.get("M") or 0), int(parts.get("S") or 0)
    if (second == 60 and minute <= 59) or (hour, minute, second) == (24, 0, 0):
        raise Unspecified("leap seconds, and the hour 24")
    if hour > 23 or minute > 59 or second > 59:
        return None
    digits = parts.get("f") or "0"
    if len(digits) > 9:
        raise Unspecified("more than nine digits of a second")
    return hour * 3600 + minute * 60 + second + Fraction(int(digits), 10 ** len(digits))


def offset_of(parts: dict[str, str | None]) -> int | None:
    """Returns the offset from UTC in seconds; "without an offset UTC"."""
    if not parts.get("sign"):
        return 0
    hours, minutes = int(parts["zh"] or 0), int(parts["zm"] or 0)
    if hours > 23 or minutes > 59:
        return None
    seconds = hours * 3600 + minutes * 60
    return -seconds if parts["sign"] == "-" else seconds


def compile_pattern(name: str, pattern: str) -> tuple[str, str]:
    """Makes two regular expressions of "a pattern as of strptime": an exact and a loose one."""
    for short, long in SHORTHANDS.items():
        pattern = pattern.replace(short, long)
    exact, loose = "", ""
    seen = []
    for piece in re.findall(r"%.?|[^%]", pattern, re.DOTALL):
        if piece == "%":
            raise UsageError("a pattern that ends in %")
        if not piece.startswith("%"):
            exact += re.escape(piece)
            loose += r"\s*" if piece.isspace() else re.escape(piece)
            continue
        if piece[1] not in DIRECTIVES or piece[1] in seen:
            raise Unspecified(f"the directive {piece}, or a directive twice")
        seen.append(piece[1])
        form = DIRECTIVES[piece[1]]
        touching = exact.endswith("})") and form.endswith("})")
        exact = exact.replace("{1,2})", "{2})") if touching else exact
        exact += form.replace("{1,2}", "{2}") if touching else form
        loose += r"\s*" + form.replace("{4}", "{1,4}").replace("{2}", "{1,2}")
    refuse_incomplete(name, set(seen))
    return exact, loose


def refuse_incomplete(name: str, seen: set[str]) -> None:
    """Leaves open what a pattern means that does not say all that its type needs."""
    if "s" in seen:
        if seen - {"s", "%"}:
            raise Unspecified("%s beside other directives")
        return
    has_date = bool(seen & {"Y", "y"}) and bool(seen & {"m", "b"}) and "d" in seen
    has_time = bool(seen & {"H", "I"})
    clash = {"Y", "y"} <= seen or {"m", "b"} <= seen or {"H", "I"} <= seen
    if clash or ("I" in seen) != ("p" in seen) or (not has_time and seen & set("MS")):
        raise Unspecified("a pattern with parts that do not fit together")
    if (name != "time" and not has_date) or (name == "time" and not has_time):
        raise Unspecified(f"a pattern that lacks parts of a {name}")
    if name == "time" and not has_date and seen & set("Yymbd"):
        raise Unspecified("a pattern with a part of a date")
