"""Values of every key type that text can hold: edges, random ones, and ones that are no value.

Each type is a row of `KINDS`. What a value means is left to the model.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

Draw = Callable[[Random], bytes]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LEVELS = (b"low", b"mid", b"high", b"Top", b"x y", b"9")
DATE_FORMS = (
    ("date", "%d.%m.%Y"),
    ("date", "%Y%m%d"),
    ("date", "%m/%d/%y"),
    ("time", "%H.%M"),
    ("time", "%I:%M %p"),
    ("timestamp", "%d.%m.%Y %H:%M:%S"),
    ("timestamp", "%m/%d/%y %I:%M %p"),
    ("timestamp", "%s"),
)


@dataclass(frozen=True)
class Kind:
    """A key type, and where its values come from."""

    name: str
    draw: Draw
    edges: tuple[bytes, ...]
    faulty: tuple[bytes, ...] = ()
    form: str = ""  # the --date-format that its values have, if not the usual one


def chance(rng: Random, share: float) -> bool:
    """Returns whether something that happens in this share of cases happens now."""
    return rng.random() < share


def digits(rng: Random, most: int) -> str:
    """Returns one to `most` digits."""
    return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, most)))


def word(rng: Random, alphabet: bytes, most: int) -> bytes:
    """Returns up to `most` bytes of an alphabet."""
    return bytes(rng.choice(alphabet) for _ in range(rng.randint(0, most)))


def draw_text(rng: Random) -> bytes:
    """Returns text: of few letters, of letters in both cases, or of nearly any bytes."""
    alphabet = rng.choice((b"ab", b"aAbBzZ", b"abc 019", bytes(range(1, 256)), b"a\x00\xff"))
    text = word(rng, alphabet, rng.choice((1, 3, 8, 20)))
    return text + b" " * rng.randint(1, 2) if chance(rng, 0.05) else text


def draw_int(rng: Random) -> bytes:
    """Returns an integer, at times one beyond 64 bits or with zeros in front."""
    sign = rng.choice(("", "", "-", "-"))
    return (sign + digits(rng, rng.choice((1, 2, 5, 19, 30)))).encode()


def draw_decimal(rng: Random) -> bytes:
    """Returns a number with or without a fraction."""
    fraction = "." + digits(rng, rng.choice((1, 3, 20))) if chance(rng, 0.7) else ""
    return draw_int(rng) + fraction.encode()


def draw_float(rng: Random) -> bytes:
    """Returns a number with or without an exponent."""
    exponent = f"e{rng.randint(-330, 320)}" if chance(rng, 0.5) else ""
    return draw_decimal(rng) + exponent.encode()


def draw_size(rng: Random) -> bytes:
    """Returns a number with or without a unit."""
    unit = rng.choice(("", "K", "M", "G", "T", "Ki", "Mi", "Gi", "P", "E", "B", "kB", "mib"))
    fraction = "." + digits(rng, 2) if chance(rng, 0.4) else ""
    return (digits(rng, 4) + fraction + unit).encode()


def draw_month(rng: Random) -> bytes:
    """Returns the short name of a month in some case."""
    name = rng.choice(MONTHS)
    return rng.choice((name, name.lower(), name.upper())).encode()


def draw_version(rng: Random) -> bytes:
    """Returns a version such as `1.10-rc2`."""
    parts = ".".join(digits(rng, 2) for _ in range(rng.randint(1, 4)))
    return (parts + rng.choice(("", "", "-rc1", "~beta", "a", "-1"))).encode()


def draw_semver(rng: Random) -> bytes:
    """Returns a semantic version, at times with a pre-release and build metadata."""
    numbers = ".".join(str(rng.choice((0, 1, 2, 9, 10, 11, 10**20))) for _ in range(3))
    identifiers = [
        rng.choice(("a", "rc", "1", "2", "10", "-", "0a")) for _ in range(rng.randint(1, 3))
    ]
    pre_release = "-" + ".".join(identifiers) if chance(rng, 0.6) else ""
    build = rng.choice(("", "", "+1", "+b.01-x"))
    return (rng.choice(("", "", "v")) + numbers + pre_release + build).encode()


def draw_grouped(rng: Random) -> bytes:
    """Returns a whole number with dots between thousands, or without."""
    number = rng.choice((rng.randint(-99, 99), rng.randint(-(10**9), 10**9)))
    return rng.choice((str(number), f"{number:,}".replace(",", "."))).encode()


def draw_price(rng: Random) -> bytes:
    """Returns an amount as German and English people write them."""
    number = rng.choice((rng.randint(0, 99), rng.randint(0, 10**7)))
    whole = rng.choice((str(number), f"{number:,}"))
    text = whole + ("." + digits(rng, 3) if chance(rng, 0.5) else "")
    if chance(rng, 0.6):
        text = text.translate({ord(","): ".", ord("."): ","})
    forms = ("{}", "{}", "-{}", "${}", "{} €", "-€{}", "$-{}", "€ {}", "{}$")
    return rng.choice(forms).format(text).encode()


def draw_natural(rng: Random) -> bytes:
    """Returns letters and numbers in turn."""
    parts = rng.choice(("a", "b", "A", "", "file")) + digits(rng, rng.choice((1, 3, 12)))
    return (parts + rng.choice(("", ".txt", "x" + digits(rng, 2)))).encode()


def draw_date(rng: Random) -> bytes:
    """Returns a day of the calendar."""
    year = rng.choice((rng.randint(1, 9999), rng.randint(1990, 2030)))
    return f"{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}".encode()


def draw_time(rng: Random) -> bytes:
    """Returns a time of day, without an offset."""
    fraction = "." + digits(rng, 9) if chance(rng, 0.4) else ""
    time = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return (time + fraction).encode()


def draw_offset(rng: Random) -> bytes:
    """Returns an offset from UTC as times have it, or none."""
    offset = f"+{rng.randint(0, 14):02}:{rng.choice((0, 30)):02}"
    return rng.choice(("", "Z", "+00:00", offset, "-08:00")).encode()


def draw_clock(rng: Random) -> bytes:
    """Returns a time of day, at times with an offset."""
    return draw_time(rng) + (draw_offset(rng) if chance(rng, 0.4) else b"")


def draw_timestamp(rng: Random) -> bytes:
    """Returns a day, a time, and at times an offset."""
    return draw_date(rng) + b"T" + draw_time(rng) + draw_offset(rng)


def formed_kind(rng: Random) -> Kind:
    """Returns days or times that are written in some other form."""
    name, form = rng.choice(DATE_FORMS)

    def draw(rng: Random) -> bytes:
        seconds = rng.randint(0, 2_500_000_000)
        if form == "%s":
            return str(seconds).encode()
        return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).strftime(form).encode()

    return Kind(name, draw, (b"",), (b"x", b"31.02.2020", b"2026-11-22"), form)


def draw_ip(rng: Random) -> bytes:
    """Returns an address of version 4 or 6."""
    if chance(rng, 0.6):
        return ".".join(str(rng.choice((0, 1, 10, 99, 255))) for _ in range(4)).encode()
    groups = [f"{rng.choice((0, 1, 255, 65535)):x}" for _ in range(8)]
    if chance(rng, 0.5):
        gap = rng.randint(1, 6)
        return (":".join(groups[:gap]) + "::" + ":".join(groups[gap + 1 :])).encode()
    return ":".join(groups).encode()


def draw_uuid(rng: Random) -> bytes:
    """Returns a UUID in small or capital letters, at times as a URN."""
    one = uuid.UUID(int=rng.getrandbits(128))
    text = one.urn if chance(rng, 0.2) else str(one)
    return (text.upper() if chance(rng, 0.2) else text).encode()


def draw_bool(rng: Random) -> bytes:
    """Returns a word for true or false."""
    names = ("yes", "no", "true", "false", "on", "off", "1", "0", "y", "n", "t", "f", "True", "NO")
    return rng.choice(names).encode()


def draw_level(rng: Random) -> bytes:
    """Returns a value of the list that `order=` keys name."""
    return rng.choice(LEVELS)


def _edges(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


NO_NUMBERS = _edges("abc", "1x", "--1", "1 2", "+", "-", ".")
TEXT = Kind("text", draw_text, (b"", b"a", b"A", b"\x00", b"\xff", b"\xff\xff", b" a", b"a ", b"-"))
KINDS = {
    kind.name: kind
    for kind in (
        TEXT,
        Kind("bytes", draw_text, TEXT.edges),
        Kind(
            "int",
            draw_int,
            _edges("0", "-0", "00", "1", "-1", "9", "10", "127", "128", "255", "256")
            + _edges("9223372036854775807", "9223372036854775808", "-9223372036854775808")
            + _edges("18446744073709551615", "18446744073709551616", "1" + "0" * 40, "+1"),
            (*NO_NUMBERS, b"1.5"),
        ),
        Kind(
            "decimal",
            draw_decimal,
            _edges("0", "-0", "0.0", "0.1", "0.10", "-0.1", "1", "1.0", "1e3", "10", "9.99")
            + _edges("0." + "0" * 30 + "1", "1" + "0" * 40, "-1" + "0" * 40 + ".5", "+1", "+0.5"),
            NO_NUMBERS,
        ),
        Kind(
            "float",
            draw_float,
            _edges("0", "-0", "1e308", "-1e308", "4.9e-324", "inf", "-inf", "nan", "1", "1.0"),
            NO_NUMBERS,
        ),
        Kind(
            "size",
            draw_size,
            _edges("0", "+1", "1K", "1Ki", "1000", "1024", "1M", "1m", "1KB", "1 KiB"),
            NO_NUMBERS + _edges("3pieces", "10 min", "1Kbit", "2Kit", "5kibi", "1e3", "1K2"),
        ),
        Kind("month", draw_month, _edges("jan", "DEC", "May"), _edges("foo", "13", "J", "ja n")),
        Kind("version", draw_version, _edges("", "1", "1.0", "1.2", "1.10", "1.9", "1.09", "a")),
        Kind(
            "semver",
            draw_semver,
            _edges("0.0.0", "1.0.0", "1.0.0-0", "1.0.0-a", "1.0.0-a.1", "1.0.0-a.b", "v1.0.0+b"),
            _edges("1.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0.0", "x"),
        ),
        Kind(
            "decimal:decimal=,:thousands=.:currency",
            draw_price,
            _edges("0", "-0", "1.000", "1000", "1.000,5", "0,5", ",5", "5,", "-1.000 €"),
            _edges("1.00", "1.0000", "1,000.5", "$", "--1", "1.", "$1$", ".100", "1..000"),
        ),
        Kind(
            "thousands=,",
            draw_price,
            _edges("0", "1,000", "1000", "1,000.5", "-0.5"),
            _edges("1,00", "1,,000", "1.000,5", "$1"),
        ),
        Kind(
            "int:thousands=.",
            draw_grouped,
            _edges("0", "1.000", "1000", "-1.000", "12.345.678"),
            _edges("1.00", "1..000", "1.5", "1,000", "1000.000"),
        ),
        Kind("natural", draw_natural, _edges("", "a1", "a01", "a10", "a9", "9", "10", "a", "b1")),
        Kind("random", draw_text, TEXT.edges),
        Kind(
            "date",
            draw_date,
            _edges("0001-01-01", "1969-12-31", "1970-01-01", "2000-02-29", "9999-12-31"),
            _edges("2023-02-29", "2023-13-01", "2023-1-1", "20230101", "x", "2023-04-31"),
        ),
        Kind(
            "time",
            draw_clock,
            _edges("00:00:00Z", "00:30:00+02:00", "23:59:59-08:00")
            + _edges("00:00:00", "23:59:59", "23:59:59.999999999", "12:00:00.5", "12:00:00.50"),
            _edges("24:00:01", "12:60:00", "12", "x", "1:2:3"),
        ),
        Kind(
            "timestamp",
            draw_timestamp,
            _edges("1970-01-01T00:00:00Z", "2026-11-22T13:45:06+01:00", "2026-11-22T12:45:06Z")
            + _edges("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"),
            _edges("2026-11-22T25:00:00", "2026-02-30T00:00:00Z", "x"),
        ),
        Kind(
            "ip",
            draw_ip,
            _edges("0.0.0.0", "255.255.255.255", "::", "::1", "1.2.3.4", "::ffff:1.2.3.4")
            + _edges("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1"),
            _edges("1.2.3", "1.2.3.256", ":::", "1.2.3.4.5", "g::1", "x"),
        ),
        Kind(
            "uuid",
            draw_uuid,
            _edges(str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))),
            _edges("x", "00000000-0000-0000-0000-00000000000"),
        ),
        Kind("bool", draw_bool, _edges("yes", "no"), _edges("maybe", "2", "yess")),
        Kind(
            "order",
            draw_level,
            LEVELS,
            _edges("none", "Low", "lo", "highest", 'low "x', 'mid   "x', 'Top "'),
        ),
    )
}

CASED = frozenset(("bytes", "text", "version", "natural", "random", "order"))
DATED = frozenset(("date", "time", "timestamp"))
