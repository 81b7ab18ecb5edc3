"""Conditions of --include and --exclude: their grammar, and their logic of three values.

True, False and None (unknown) are the values: "A value that is not of its key's type [...] is
unknown: no comparison with it holds, nor does its opposite."
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .errors import ShortRecordError, Unspecified, UsageError
from .formats import BLANKS, Record
from .keys import Key, Setting, parse_key
from .patterns import compile_pattern
from .places import Place
from .types import INVALID
from .types_binary import BinaryFloat
from .types_named import Month, Truth
from .types_text import FloatNumber

Condition = Callable[[Record], Optional[bool]]
COMPARISONS: dict[str, Callable[[int], bool]] = {
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}
# One token: a sign, a text in quotes, or a word, which may hold a quoted name at its beginning.
TOKEN = re.compile(
    r"\s*(?:(?P<sign>==|!=|<=|>=|=~|[<>()])"
    r"|(?P<key>\"[^\"]*\"(?=[:\[])(?:\[[^\]]*\])?(?::[^\s()<>=!]+(?:=(?![=~])[^\s()]*)?)*)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<word>(?:[^\s()<>=!\"']|=(?![=~]))+))",
    re.DOTALL,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
KEYWORDS = ("and", "or", "not", "is", "contains", "starts", "ends", "matches")


@dataclass(frozen=True)
class Token:
    """One token: its kind (sign, key, text, word or end) and its text."""

    kind: str
    text: str


def tokenize(text: str) -> list[Token]:
    """Cuts an expression into tokens."""
    tokens = []
    at = 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise UsageError(f"'{text[at:]}' in an expression")
        tokens.append(Token(match.lastgroup or "", match[match.lastgroup or 0]))
        at = match.end()
    return [*tokens, Token("end", "")]


def unquote(text: str) -> str:
    """Returns what stands in quotes.

    "In quotes, a backslash takes the quote or backslash behind it as it is, and \\n, \\r and \\t
    are line feed, carriage return and tab." Before any other sign it stays a backslash.
    """
    return re.sub(
        r"\\(.)",
        lambda match: ESCAPES.get(match[1], match[0]),
        text[1:-1],
        flags=re.DOTALL,
    )


class Parser:
    """A parser by recursive descent: or binds less than and, and that less than not."""

    def __init__(self, text: str, setting: Setting, columns: list[bytes] | None):
        """Prepares to read `text`."""
        self.tokens = tokenize(text)
        self.at = 0
        self.setting = setting
        self.columns = columns
        self.places: list[Place] = []

    def parse(self) -> Condition:
        """Reads the whole expression."""
        condition = self.alternatives()
        if self.peek().kind != "end":
            raise UsageError(f"'{self.peek().text}' behind an expression")
        return condition

    def peek(self) -> Token:
        """Returns the next token."""
        return self.tokens[self.at]

    def next(self) -> Token:
        """Takes the next token."""
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def takes(self, *words: str) -> bool:
        """Takes the next tokens if they are these words or signs."""
        coming = self.tokens[self.at : self.at + len(words)]
        if [token.text for token in coming if token.kind in ("word", "sign")] != list(words):
            return False
        self.at += len(words)
        return True

    def alternatives(self) -> Condition:
        """Reads conditions joined by or."""
        parts = [self.conjunction()]
        while self.takes("or"):
            parts.append(self.conjunction())
        return lambda record: any_of([part(record) for part in parts])

    def conjunction(self) -> Condition:
        """Reads conditions joined by and."""
        parts = [self.negation()]
        while self.takes("and"):
            parts.append(self.negation())
        return lambda record: all_of([part(record) for part in parts])

    def negation(self) -> Condition:
        """Reads a condition with or without not, or one in parentheses."""
        if self.takes("not"):
            part = self.negation()
            return lambda record: opposite(part(record))
        if self.takes("("):
            inner = self.alternatives()
            if not self.takes(")"):
                raise UsageError("a parenthesis that is not closed")
            return inner
        return self.comparison()

    def comparison(self) -> Condition:
        """Reads one condition, which "asks something of a key"."""
        token = self.next()
        if ":nulls" in token.text or ":random" in token.text:
            raise Unspecified("nulls and shuffles in a condition")
        key = self.key(token)
        if self.takes("is", "empty"):
            return lambda record: self.is_empty(key, record)
        if self.takes("is", "not", "empty"):
            return lambda record: not self.is_empty(key, record)
        for words, test in (
            (("contains",), lambda text, part: part in text),
            (("starts", "with"), bytes.startswith),
            (("ends", "with"), bytes.endswith),
        ):
            if self.takes(*words):
                return self.search(key, test)
        if self.takes("matches") or self.takes("=~"):
            return self.match(key)
        sign = self.next()
        if sign.kind != "sign" or sign.text not in COMPARISONS:
            raise UsageError(f"'{sign.text}' behind a key")
        return self.against(key, COMPARISONS[sign.text])

    def key(self, token: Token) -> Key:
        """Reads a key, "written as for --key but without a direction"."""
        if token.kind not in ("key", "word", "text") or token.text.startswith("'"):
            raise UsageError(f"'{token.text}' is no key")
        if token.text in KEYWORDS:
            raise Unspecified(f"'{token.text}' as a key")
        key = parse_key(token.text, self.setting).resolved(self.columns)
        self.places.append(key.place)
        if key.descending:
            raise UsageError("a direction in a condition")
        return key

    def text(self) -> str:
        """Reads a text in quotes."""
        token = self.next()
        if token.kind != "text":
            raise UsageError(f"'{token.text}' is no text in quotes")
        return unquote(token.text)

    def is_empty(self, key: Key, record: Record) -> bool:
        """Returns whether the key of a record is empty."""
        raw = bytes_to_search(key, record)
        if key.type.has_notation and raw and not raw.strip(BLANKS):
            raise Unspecified("whether blanks are empty in a condition")
        return not raw

    def search(self, key: Key, test: Callable[[bytes, bytes], bool]) -> Condition:
        """Reads what a value contains, starts or ends with, "by bytes"."""
        fold = folding(key)
        part = fold(self.text().encode())
        return lambda record: test(fold(bytes_to_search(key, record)), part)

    def match(self, key: Key) -> Condition:
        """Reads "a regular expression, found anywhere in the value"."""
        folding(key)
        pattern = compile_pattern(self.text(), folds(key))
        return lambda record: pattern(bytes_to_search(key, record))

    def against(self, key: Key, holds: Callable[[int], bool]) -> Condition:
        """Reads what a key is compared with: a literal, or "another key of the same type"."""
        token = self.next()
        if token.kind == "text":
            literal = key.type.read_literal(unquote(token.text))
        elif token.kind == "word" and not key.type.is_quoted:
            literal = key.type.read_literal(token.text)
        else:
            literal = INVALID
        is_word = token.kind == "word" and not token.text.isdigit()
        if is_word and literal is not INVALID and isinstance(key.type, (Month, Truth)):
            raise Unspecified("the names of months, yes and no without quotes")
        if literal is not INVALID:
            return lambda record: compare(key, key.strict_value(record), literal, holds)
        if token.kind == "text" and not (
            token.text.startswith('"') and self.setting.form.kind == "csv"
        ):
            raise UsageError(f"{token.text} is no {key.type.name}")
        other = self.key(token)
        if other.type.name != key.type.name:
            raise UsageError("two keys of different types")
        if folds(other) != folds(key):
            raise Unspecified("two keys of which one has ci")
        if key.type.is_quoted and token.text.isdigit():
            raise Unspecified("a number without quotes beside text: a key or a value")
        return lambda record: compare(
            key, key.strict_value(record), other.strict_value(record), holds
        )


@dataclass(frozen=True)
class Group(Record):
    """The record that was made of a group, and the number of records in it."""

    count: int = 1


class GroupParser(Parser):
    """A parser of conditions on groups: "count is the number of records in the group"."""

    def comparison(self) -> Condition:
        """Reads one condition, on the number of records or on the record that was made."""
        if not self.takes("count"):
            return super().comparison()
        sign, number = self.next(), self.next()
        if sign.text not in COMPARISONS or not re.fullmatch("[0-9]{1,9}", number.text):
            raise Unspecified("what else count may be compared with")
        holds = COMPARISONS[sign.text]
        return lambda group: holds(group.count - int(number.text))


def compare(key: Key, first: Any, second: Any, holds: Callable[[int], bool]) -> bool | None:
    """Compares two values by a key's type: unknown if one is no value of it."""
    if first is INVALID or second is INVALID:
        return None
    if isinstance(key.type, FloatNumber) and (first[0] or second[0]):
        raise Unspecified("NaN in a condition")
    if isinstance(key.type, BinaryFloat):
        ranks = first[0], second[0]
        if any(abs(rank[0]) == 2 for rank in ranks):
            raise Unspecified("NaN in a condition")
        if ranks[0] != ranks[1] and ranks[0][1] == ranks[1][1]:
            raise Unspecified("-0 and +0 in a condition")
    return holds(key.type.compare(first, second))


def bytes_to_search(key: Key, record: Record) -> bytes:
    """Returns the bytes of a key; what a record too short for it answers is not said."""
    try:
        return key.raw(record)
    except ShortRecordError:
        raise Unspecified("searches in records that end before a range") from None


def folds(key: Key) -> bool:
    """Returns whether case does not count for a key."""
    return getattr(key.type, "fold", type(key.type).__name__ == "FoldedBytes")


def folding(key: Key) -> Callable[[bytes], bytes]:
    """Returns how bytes are prepared for a search: "With ci, case does not count"."""
    if key.type.has_notation or (key.type.is_binary and not key.type.is_quoted):
        raise UsageError("a search in what is no text")
    if key.type.name != "bytes":
        raise Unspecified(f"searches in {key.type.name}")
    return bytes.lower if folds(key) else bytes


def any_of(values: list[bool | None]) -> bool | None:
    """Joins by or: true if one is, else unknown if one is."""
    return True if True in values else (None if None in values else False)


def all_of(values: list[bool | None]) -> bool | None:
    """Joins by and: false if one is, else unknown if one is."""
    return False if False in values else (None if None in values else True)


def opposite(value: bool | None) -> bool | None:
    """Returns the opposite; that of unknown is unknown."""
    return None if value is None else not value
