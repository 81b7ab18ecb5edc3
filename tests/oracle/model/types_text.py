"""Key types of all formats that are about text and numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from .errors import Unspecified, UsageError
from .formats import BLANKS
from .types import INVALID, KeyType, Notation, order_of

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"


def compare_folded(first: bytes, second: bytes) -> int:
    """Compares bytes where "case does not count".

    Whether letters are compared as small or as capital ones is not said; where that decides
    (beside the signs between Z and a) the order is left open.
    """
    as_upper = order_of(first.upper(), second.upper())
    if as_upper != order_of(first.lower(), second.lower()):
        raise Unspecified("ci: whether letters come before or behind the signs [ \\ ] ^ _ `")
    return as_upper


class FoldedBytes(KeyType):
    """`bytes:ci`: "case does not count" of ASCII letters."""

    def compare(self, first: bytes, second: bytes) -> int:
        """Compares with letters of either case alike."""
        return compare_folded(first, second)


class PlainText(KeyType):
    """`text` without a language: by its characters, that is by the bytes of UTF-8."""

    name = "text"

    def __init__(self, fold: bool):
        """Makes the type; `fold` is the modifier ci."""
        self.fold = fold

    def read(self, raw: bytes) -> Any:
        """Returns the bytes of text that is valid UTF-8."""
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise Unspecified("text that is not UTF-8") from None
        if self.fold and not text.isascii():
            raise Unspecified("ci of text beyond ASCII")
        return raw

    def compare(self, first: bytes, second: bytes) -> int:
        """Compares by bytes, with ci letters of either case alike."""
        return compare_folded(first, second) if self.fold else order_of(first, second)


class LocaleText(KeyType):
    """`locale=NAME`: "a language's order of text", for letters, digits and spaces of ASCII.

    The root order of CLDR: base letters decide first, then small letters come before capital
    ones. The languages below do not change it for these characters.
    """

    name = "text"
    LANGUAGES = ("en", "de", "fr", "fr-CA", "it", "nl", "pt")

    def __init__(self, language: str, fold: bool):
        """Makes the type of a language; `fold` is the modifier ci."""
        if language not in self.LANGUAGES:
            raise Unspecified(f"the order of locale={language}")
        self.fold = fold

    def read(self, raw: bytes) -> Any:
        """Returns the weights of the characters: bases, then cases."""
        if not re.fullmatch(rb"[A-Za-z0-9 ]*", raw):
            raise Unspecified("a language's order beyond letters, digits and spaces")
        text = raw.decode()
        return text.lower(), () if self.fold else tuple(sign.isupper() for sign in text)


class Integer(Notation):
    """`int`: a whole number with an optional sign."""

    name = "int"
    is_lenient_in_lines = True

    def read_text(self, text: str) -> Any:
        """Returns the number; how large it may be is not said."""
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            return INVALID
        number = int(text)
        if not -(1 << 63) <= number < 1 << 63:
            raise Unspecified("how large an int may be")
        return number

    def read_leniently(self, raw: bytes) -> Any:
        """Returns "what can be read of the text", where "nothing is 0"."""
        match = re.match(rb"[ \t]*([+-]?[0-9]+)", raw)
        return self.read_text(match[1].decode()) if match else 0


class DecimalNumber(Notation):
    """`decimal`: "any number of digits, exact"."""

    name = "decimal"
    is_lenient_in_lines = True

    def read_text(self, text: str) -> Any:
        """Returns the exact number; exponents are no part of the notation."""
        return Fraction(tidy(text)) if re.fullmatch(NUMBER, text) else INVALID

    def read_leniently(self, raw: bytes) -> Any:
        """Returns "what can be read of the text", where "nothing is 0"."""
        match = re.match(rb"[ \t]*(" + NUMBER.encode() + rb")", raw)
        return Fraction(tidy(match[1].decode())) if match else Fraction(0)


def tidy(number: str) -> str:
    """Returns a number as Fraction reads it: without a point at its end."""
    return number.removesuffix(".")


class FloatNumber(Notation):
    """`float`: a number with an optional exponent, inf or nan, of double precision.

    Values are pairs, so that NaN, with or without a sign, comes behind all numbers. The two
    zeros are one number.
    """

    name = "float"
    is_lenient_in_lines = True
    FORM = r"([+-]?)(inf(?:inity)?|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)"

    def read_text(self, text: str) -> Any:
        """Returns the place of the number in the order."""
        match = re.fullmatch(self.FORM, text.lower())
        self.refuse_open(text)
        return self.rank(match) if match else INVALID

    def read_leniently(self, raw: bytes) -> Any:
        """Returns the number, "read as a whole"; other text "comes before all numbers"."""
        text = raw.decode("latin-1").lower().strip(" \t\n")
        self.refuse_open(text)
        match = re.fullmatch(self.FORM, text)
        return self.rank(match) if match else (-1, 0.0)

    def refuse_open(self, text: str) -> None:
        """Leaves open what is not said: hexadecimal floats, and what a NaN carries."""
        if re.match(r"[+-]?(0[xX]|[nN][aA][nN]\()", text):
            raise Unspecified("hexadecimal floats, and NaN with a number")

    def rank(self, match: re.Match[str]) -> tuple[int, float]:
        """Returns the place of what was found."""
        return (1, 0.0) if match[2] == "nan" else (0, float(match[0]))


class Size(Notation):
    """`size`: "1K, 2.5Gi"; K is 1000 and Ki is 1024, and so on.

    The unit is a letter, perhaps with i and then B after it, in either case and perhaps after one
    blank. A word that only begins so is no unit.
    """

    name = "size"
    is_lenient_in_lines = True
    UNITS = "KMGTPEZYRQ"
    FORM = rf"({NUMBER})(?: ?(?:([{UNITS}])(i?))?b?(?![-+0-9a-z\x80-\xff]))?"

    def read_text(self, text: str) -> Any:
        """Returns the number of bytes."""
        match = re.fullmatch(self.FORM, text, re.IGNORECASE)
        return self.value(match) if match else INVALID

    def read_leniently(self, raw: bytes) -> Any:
        """Returns "what can be read of the text", where "nothing is 0"."""
        text = raw.decode("latin-1").lstrip(" \t\n")
        match = re.match(self.FORM, text, re.IGNORECASE)
        return self.value(match) if match else Fraction(0)

    def value(self, match: re.Match[str]) -> Fraction:
        """Returns the number of bytes of what was found."""
        number = Fraction(tidy(match[1]))
        power = self.UNITS.index(match[2].upper()) + 1 if match[2] else 0
        return number * (1024 if match[3] else 1000) ** power


class Version(KeyType):
    """`version`: "1.10.2", numbers with points between them, compared one by one."""

    name = "version"

    def read(self, raw: bytes) -> Any:
        """Returns the numbers; how other signs are ordered is not said."""
        if not raw:
            return ()
        if not re.fullmatch(rb"[0-9]+(\.[0-9]+)*", raw) or re.search(rb"(^|\.)0[0-9]", raw):
            raise Unspecified("versions that are not numbers and points")
        return tuple(int(part) for part in raw.split(b"."))


class Natural(KeyType):
    """`natural`: "digits in text by their value", and all else by its bytes."""

    name = "natural"

    def __init__(self, fold: bool):
        """Makes the type; `fold` is the modifier ci."""
        self.fold = fold

    def read(self, raw: bytes) -> Any:
        """Returns the text, cut into numbers and single signs."""
        return re.findall(rb"[0-9]+|[^0-9]", raw, re.DOTALL)

    def compare(self, first: list[bytes], second: list[bytes]) -> int:
        """Compares numbers by their values, and signs by their bytes."""
        for one, other in zip(first, second):
            if one.isdigit() and other.isdigit():
                order = order_of(int(one), int(other))
                if not order and one != other:
                    raise Unspecified("numbers in natural text with zeros in front")
            elif self.fold:
                order = compare_folded(one, other)
            else:
                order = order_of(one, other)
            if order:
                return order
        return order_of(len(first), len(second))


class Random(KeyType):
    """`random`: "a shuffle that keeps equal keys together".

    The shuffle itself is not documented. `ranks` is set to that of the output that is judged:
    values in the order in which they come up there.
    """

    name = "random"

    def __init__(self, fold: bool):
        """Makes the type; `fold` is the modifier ci."""
        self.fold = fold
        self.ranks: dict[Any, int] = {}

    def read(self, raw: bytes) -> Any:
        """Returns what keys have to agree in to be equal."""
        return raw.upper() if self.fold else raw

    def compare(self, first: Any, second: Any) -> int:
        """Compares by the shuffle."""
        end = len(self.ranks)
        places = self.ranks.get(first, end), self.ranks.get(second, end)
        return order_of(*places) or order_of(first, second)


class ListedValue(KeyType):
    """`order=low|mid|high`: "values in this order"; others are no values of it."""

    name = "order"
    has_notation = True

    def __init__(self, values: list[bytes], fold: bool):
        """Makes the type of a list of values; `fold` is the modifier ci."""
        self.fold = fold
        values = [self.folded(value) for value in values]
        if not all(values) or len(set(values)) < len(values) or not values:
            raise Unspecified("a list of values with empty or equal ones")
        self.values = values

    def folded(self, raw: bytes) -> bytes:
        """Returns a value as it is compared."""
        if self.fold and not raw.isascii():
            raise Unspecified("ci of text beyond ASCII")
        return raw.upper() if self.fold else raw

    def read(self, raw: bytes) -> Any:
        """Returns the place of the value in the list."""
        value = self.folded(raw.strip(BLANKS))
        return self.values.index(value) if value in self.values else INVALID


def listed_values(parameter: str | None, files: dict[str, bytes]) -> list[bytes]:
    """Returns the values of `order=`: from the key itself, or "order=@FILE has one a line"."""
    if not parameter:
        raise UsageError("order needs its values")
    if not parameter.startswith("@"):
        return parameter.encode().split(b"|")
    if parameter[1:] not in files:
        raise Unspecified("the status where a file that an option names cannot be read")
    lines = files[parameter[1:]].split(b"\n")
    if not lines[-1]:
        lines.pop()
    if any(b"\r" in line for line in lines):
        raise Unspecified("carriage returns in a list of values")
    return lines


class SemanticVersion(Notation):
    """`semver`: by section 11 of semver.org 2.0.0; a `v` may stand in front."""

    name = "semver"
    NUMBER = "(?:0|[1-9][0-9]*)"
    IDENTIFIER = f"(?:{NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
    FORM = re.compile(
        rf"[vV]?({NUMBER})\.({NUMBER})\.({NUMBER})(?:-({IDENTIFIER}(?:\.{IDENTIFIER})*))?"
        r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
    )

    def read_text(self, text: str) -> Any:
        """Returns the numbers, whether it is a release, and the identifiers of a pre-release."""
        match = self.FORM.fullmatch(text)
        if not match:
            return INVALID
        numbers = tuple(int(match[group]) for group in (1, 2, 3))
        identifiers = match[4].split(".") if match[4] else []
        parts = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in identifiers]
        return numbers, not identifiers, tuple(parts)


class WrittenNumber(Notation):
    """`int` and `decimal` as people write them: decimal=, thousands= and currency."""

    name = "written number"

    def __init__(self, whole: bool, modifiers: dict[str, str | None]):
        """Makes the type with what its modifiers say."""
        radix, thousands = modifiers.get("decimal"), modifiers.get("thousands")
        if (whole and radix) or (not whole and thousands == (radix or ".")):
            raise UsageError("signs of a number that do not fit together")
        group = re.escape(thousands) if thousands else ""
        digits = f"[0-9]+|[0-9]{{1,3}}(?:{group}[0-9]{{3}})+" if thousands else "[0-9]+"
        fraction = "" if whole else f"(?:{re.escape(radix or '.')}(?P<fraction>[0-9]*))?"
        self.form = re.compile(f"(?P<whole>{digits}|){fraction}")
        self.currency = "currency" in modifiers
        self.radix = radix or "."
        self.is_whole = whole

    def scale(self, raw: bytes) -> int:
        """Returns how many digits a number has behind its decimal sign."""
        _, _, fraction = raw.decode("utf-8", "replace").partition(
            "\0" if self.is_whole else self.radix
        )
        return sum(sign.isascii() and sign.isdigit() for sign in fraction)

    def read(self, raw: bytes) -> Any:
        """Returns the number between the blanks."""
        text = raw.strip(BLANKS).decode("utf-8", "replace")
        sign = "[+-]?"
        if self.currency:
            mark, blanks = "[$\u00a2-\u00a5\u0e3f\u20a0-\u20cf]", "[ \t\n]*"
            behind = f"({sign})(.*?){blanks}{mark}"
            before = f"{mark}{blanks}({sign})(.*)|({sign}){mark}{blanks}(.*)"
            match = re.fullmatch(f"(?:{behind}|{before})", text, re.DOTALL)
        else:
            match = None
        match = match or re.fullmatch(f"({sign})(.*)", text, re.DOTALL)
        found = [group for group in match.groups() if group is not None]
        number = self.form.fullmatch(found[1])
        whole = number and re.sub("[^0-9]", "", number["whole"])
        fraction = (number and number.groupdict().get("fraction")) or ""
        if not number or not (whole or fraction):
            return INVALID
        value = Fraction(int(whole + fraction or "0"), 10 ** len(fraction))
        return -value if found[0] == "-" else value
