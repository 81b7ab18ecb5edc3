"""Keys: their grammar, LOCATION[:TYPE][:MODIFIER]..., and the values they have in records."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .command import parse_byte
from .errors import MalformedError, ShortRecordError, Unspecified, UsageError
from .formats import BLANKS, Format, Record
from .places import Place, bytes_at, parse_place, resolve_place, split_outside_quotes
from .types import INVALID, KeyType, refuse_parameter
from .types_binary import BinaryFloat, BinaryInteger, Ebcdic, Packed, Sequence, Zoned
from .types_named import Address, Month, Truth, Uuid
from .types_text import (
    DecimalNumber,
    FloatNumber,
    FoldedBytes,
    Integer,
    ListedValue,
    LocaleText,
    Natural,
    PlainText,
    Random,
    SemanticVersion,
    Size,
    Version,
    WrittenNumber,
    listed_values,
)
from .types_time import Moment

SIMPLE_TYPES = {
    "int": Integer,
    "decimal": DecimalNumber,
    "float": FloatNumber,
    "size": Size,
    "month": Month,
    "version": Version,
    "semver": SemanticVersion,
    "ip": Address,
    "uuid": Uuid,
    "bool": Truth,
    "packed": Packed,
}
ORDERS = ("desc", "ci", "trim", "nulls-first", "nulls-last", "locale", "pad")
MODIFIERS = (*ORDERS, "decimal", "thousands", "currency")
FOLDED_TYPES = {"text": PlainText, "natural": Natural, "random": Random}


class Null:
    """The mark of an empty key, where empty keys have a place of their own."""


NULL = Null()


@dataclass(frozen=True)
class Setting:
    """What options say about all keys of a job."""

    form: Format
    files: dict[str, bytes]
    invalid: str | None = None
    date_format: str | None = None
    pad: int | None = None


@dataclass(frozen=True)
class Key:
    """One key: where it is, what it is, and in which direction."""

    place: Place
    type: KeyType
    setting: Setting
    descending: bool = False
    trims: bool = False
    nulls: str | None = None
    pad: int | None = None

    def resolved(self, columns: list[bytes] | None) -> Key:
        """Returns the key with the number of the column that it names."""
        return replace(self, place=resolve_place(self.place, self.setting.form, columns))

    def raw(self, record: Record) -> bytes:
        """Returns the bytes of the key in a record, without blanks at the ends if it trims."""
        raw = bytes_at(self.place, self.setting.form, record, self.pad)
        if not self.trims:
            return raw
        # In EBCDIC, the bytes that stand for a space, a tab and a line feed.
        blanks = b"\x40\x05\x25" if isinstance(self.type, Ebcdic) else BLANKS
        place = self.place
        if not place.is_range and not place.is_whole:
            field = bytes_at(replace(place, start=None, end=None), self.setting.form, record)
            if raw.strip(blanks) != field.strip(blanks)[place.start : place.end].strip(blanks):
                raise Unspecified("trim of bytes of a field: before or after they are taken")
        return raw.strip(blanks)

    def value(self, record: Record) -> Any:
        """Returns the value of the key for sorting: NULL, INVALID or what the type reads."""
        try:
            raw = self.raw(record)
        except ShortRecordError:
            # Such a record has no value there either.
            return INVALID
        if self.nulls and not (raw.strip(BLANKS) if self.type.has_notation else raw):
            return NULL
        if is_lenient(self.type, self.setting):
            return self.type.read_leniently(raw)
        return self.type.read(raw)

    def strict_value(self, record: Record) -> Any:
        """Returns the value of the key for conditions: INVALID where it is unknown."""
        try:
            return self.type.read(self.raw(record))
        except ShortRecordError:
            return INVALID

    def compare(self, first: Any, second: Any) -> int:
        """Compares two values: nulls where they belong "whichever direction"."""
        if first is NULL or second is NULL:
            order = (first is NULL) - (second is NULL)
            return order if self.nulls == "last" else -order
        order = self.type.compare(first, second)
        # A shuffle has no direction.
        return -order if self.descending and not isinstance(self.type, Random) else order


def parse_key(text: str, setting: Setting) -> Key:
    """Reads a key."""
    location, *words = split_outside_quotes(text, ":")
    place = parse_place(location, setting.form)
    modifiers: dict[str, str | None] = {}
    type_word: str | None = None
    for number, word in enumerate(words):
        name, equals, parameter = word.partition("=")
        value = parameter if equals else None
        is_type = number == 0 and word == "decimal"
        if name in MODIFIERS and not is_type:
            if name in modifiers:
                raise Unspecified(f"{name} twice in a key")
            if (name in ("locale", "pad", "decimal", "thousands")) != (value is not None):
                raise UsageError(f"modifier {word}")
            modifiers[name] = value
        elif number == 0:
            type_word = word
        else:
            raise UsageError(f"'{word}' is no modifier")
    return make_key(place, type_word, modifiers, setting)


def make_key(
    place: Place, word: str | None, modifiers: dict[str, str | None], setting: Setting
) -> Key:
    """Makes a key of its parts, and refuses those that do not fit together."""
    form = setting.form
    kind = make_type(word, modifiers, setting)
    if kind.is_binary:
        check_binary(kind, place, form)
    if not kind.has_case and "ci" in modifiers:
        raise Unspecified(f"ci of {kind.name}")
    if kind.is_binary and not isinstance(kind, (Ebcdic, Sequence)) and "trim" in modifiers:
        raise Unspecified(f"trim of {kind.name}")
    if "nulls-first" in modifiers and "nulls-last" in modifiers:
        raise Unspecified("both places for nulls")
    strict = kind.has_notation and not is_lenient(kind, setting)
    # "empty cells of CSV last": a range of bytes of the row is no cell.
    nulls = "last" if (form.kind in ("csv", "json") and not place.is_range) or strict else None
    nulls = "first" if "nulls-first" in modifiers else nulls
    nulls = "last" if "nulls-last" in modifiers else nulls
    if "pad" in modifiers and form.is_text:
        raise UsageError("pad of a key in text")
    if "pad" in modifiers and form.kind == "fixed":
        raise Unspecified("pad of a key in records of fixed length")
    pad = parse_byte(modifiers["pad"] or "") if "pad" in modifiers else setting.pad
    return Key(place, kind, setting, "desc" in modifiers, "trim" in modifiers, nulls, pad)


def is_lenient(kind: KeyType, setting: Setting) -> bool:
    """Returns whether a type takes what can be read: some do in lines, without --invalid."""
    is_lines = setting.form.kind == "lines"
    return kind.is_lenient_in_lines and is_lines and setting.invalid is None


def make_type(word: str | None, modifiers: dict[str, str | None], setting: Setting) -> KeyType:
    """Makes the type that a word such as `int` or `order=low|mid|high` names."""
    name, equals, after = (word or "").partition("=")
    parameter = after if equals else None
    fold = "ci" in modifiers
    if "locale" in modifiers:
        if name not in ("", "text"):
            raise UsageError(f"locale with {name}")
        return LocaleText(modifiers["locale"] or "", fold)
    if name == "order":
        return ListedValue(listed_values(parameter, setting.files), fold)
    if name == "ebcdic":
        return Ebcdic(parameter, fold)
    if name == "sequence":
        return Sequence(parameter, setting.files)
    if Zoned.FORM.fullmatch(name):
        return Zoned(name, parameter)
    refuse_parameter(name, parameter)
    if modifiers.keys() & {"decimal", "thousands", "currency"}:
        if name not in ("", "int", "decimal"):
            raise UsageError(f"{name} with signs of a number")
        return WrittenNumber(name == "int", modifiers)
    if name in ("", "bytes"):
        return FoldedBytes() if fold else KeyType()
    if name in FOLDED_TYPES:
        return FOLDED_TYPES[name](fold)
    if name in ("date", "time", "timestamp"):
        return Moment(name, setting.date_format)
    if name in SIMPLE_TYPES:
        return SIMPLE_TYPES[name]()
    return BinaryFloat(name) if re.match(r"f[0-9]", name) else BinaryInteger(name)


def check_binary(kind: KeyType, place: Place, form: Format) -> None:
    """Refuses "TYPE in records of bytes" elsewhere, or with a range of another length."""
    if form.is_text:
        raise UsageError(f"type {kind.name} in text")
    length = None if place.end is None else place.end - (place.start or 0)
    if kind.width is not None and length != kind.width:
        raise UsageError(f"type {kind.name} has {kind.width} bytes")
    if length is None and isinstance(kind, (Packed, Zoned)):
        raise Unspecified(f"type {kind.name} of a range without an end")


def values_of(keys: list[Key], record: Record) -> tuple[Any, ...]:
    """Returns the values of all keys of a record.

    With --invalid error, or without it where nothing lenient is read, a key "that is no value
    of its type" ends the sort.
    """
    values = tuple(key.value(record) for key in keys)
    if INVALID in values and (keys[0].setting.invalid or "error") == "error":
        raise MalformedError("a key that is no value of its type")
    return values
