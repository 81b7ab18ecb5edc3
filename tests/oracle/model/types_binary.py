"""Key types of records of bytes: binary numbers, and those of mainframes."""

from __future__ import annotations

import re
import struct
from typing import Any

from .errors import Unspecified, UsageError
from .types import INVALID, KeyType, order_of
from .types_text import FloatNumber, compare_folded


def float_rank(number: float, is_negative: bool) -> tuple[int, float]:
    """Returns the place of a float: "-NaN, -inf, negative, -0, +0, positive, inf, NaN"."""
    if number != number:
        return (-2, 0.0) if is_negative else (2, 0.0)
    return (-1 if is_negative else 1), number


class BinaryType(KeyType):
    """A type of records of bytes alone; its literals are numbers."""

    is_binary = True
    is_quoted = False
    has_case = False

    def read_literal(self, text: str) -> Any:
        """Returns a whole number."""
        return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else INVALID


class BinaryInteger(BinaryType):
    """`u8` to `i64be`: an integer of one to eight bytes."""

    def __init__(self, name: str):
        """Makes the type of a name such as u16le."""
        match = re.fullmatch(r"([ui])(8|16|32|64)(le|be)?", name)
        if not match or (match[2] == "8") != (match[3] is None):
            raise UsageError(f"no type '{name}'")
        self.name = name
        self.width = int(match[2]) // 8
        self.is_signed = match[1] == "i"
        self.order = "little" if match[3] == "le" else "big"

    def read(self, raw: bytes) -> int:
        """Returns the number."""
        return int.from_bytes(raw, self.order, signed=self.is_signed)

    def read_literal(self, text: str) -> Any:
        """Returns a number that the type can have."""
        number = super().read_literal(text)
        return INVALID if number is INVALID or self.write(number) is None else number

    def write(self, number: int) -> bytes | None:
        """Returns the bytes of a number, or None if it does not fit."""
        try:
            return number.to_bytes(self.width or 0, self.order, signed=self.is_signed)
        except OverflowError:
            return None


class BinaryFloat(BinaryType):
    """`f32le` to `f64be`, "ordered -NaN, -inf, negative, -0, +0, positive, inf, NaN"."""

    def __init__(self, name: str):
        """Makes the type of a name such as f32le."""
        match = re.fullmatch(r"f(32|64)(le|be)", name)
        if not match:
            raise UsageError(f"no type '{name}'")
        self.name = name
        self.width = int(match[1]) // 8
        self.form = ("<" if match[2] == "le" else ">") + ("f" if self.width == 4 else "d")
        self.order = "little" if match[2] == "le" else "big"

    def read(self, raw: bytes) -> Any:
        """Returns the place in the order, the zeros apart, and the bits of a NaN."""
        bits = int.from_bytes(raw, self.order)
        is_negative = bool(bits >> (8 * len(raw) - 1))
        number = struct.unpack(self.form, raw)[0]
        return float_rank(number, is_negative), bits if number != number else 0

    def read_literal(self, text: str) -> Any:
        """Returns a number of double precision."""
        value = FloatNumber().read_text(text)
        if value is INVALID:
            return INVALID
        if value[0]:
            raise Unspecified("which literals binary floats have")
        if self.width == 4 and struct.unpack("f", struct.pack("f", value[1]))[0] != value[1]:
            raise Unspecified("a literal that is no float of single precision")
        return float_rank(value[1], text.startswith("-")), 0

    def compare(self, first: Any, second: Any) -> int:
        """Compares by the order; that of different NaN of one sign is not said."""
        order = order_of(first[0], second[0])
        if not order and first[1] != second[1]:
            raise Unspecified("the order of different NaN of one sign")
        return order


class Packed(BinaryType):
    """`packed` (COMP-3): two digits a byte, and the sign in the last half byte."""

    name = "packed"

    def read(self, raw: bytes) -> Any:
        """Returns the number; A, C, E and F are plus, B and D are minus."""
        digits, sign = raw.hex()[:-1], raw.hex()[-1:]
        if not raw or not digits.isdigit() or sign not in "abcdef":
            return INVALID
        return -int(digits) if sign in "bd" else int(digits)

    def write(self, number: int, length: int) -> bytes | None:
        """Returns the bytes of a number, or None if it does not fit."""
        digits = str(abs(number)).rjust(2 * length - 1, "0")
        if len(digits) > 2 * length - 1:
            return None
        return bytes.fromhex(digits + ("d" if number < 0 else "c"))


class Zoned(BinaryType):
    """`zoned` and its kin: a digit a byte, "the sign over the last digit" or elsewhere."""

    FORM = re.compile(r"zoned(-leading)?(-separate)?")

    def __init__(self, name: str, parameter: str | None):
        """Makes the type; the parameter says whether digits are EBCDIC."""
        if parameter not in (None, "ebcdic", "ascii"):
            raise UsageError(f"zoned={parameter}")
        if parameter == "ascii":
            raise Unspecified("zoned=ascii")
        match = self.FORM.fullmatch(name)
        self.name = f"{name}={parameter}"
        self.is_leading = bool(match and match[1])
        self.is_separate = bool(match and match[2])
        self.is_ebcdic = parameter == "ebcdic"

    def read(self, raw: bytes) -> Any:
        """Returns the number."""
        ordered = raw[1:] + raw[:1] if self.is_leading else raw
        if not ordered:
            return INVALID
        digits, last = [self.digit(byte) for byte in ordered[:-1]], ordered[-1]
        if self.is_separate:
            is_negative = self.separate_sign(last)
            if not digits:
                return INVALID
        else:
            is_negative, digit = self.signed_digit(last)
            digits = [digit, *digits] if self.is_leading else [*digits, digit]
        if is_negative is None or None in digits:
            return INVALID
        number = int("".join(str(digit) for digit in digits))
        return -number if is_negative else number

    def write(self, number: int, length: int) -> bytes | None:
        """Returns the bytes of a number, or None if it does not fit.

        Plus "is written as digits alone", minus as } J to R, or D0 to D9 in EBCDIC.
        """
        count = length - self.is_separate
        digits = str(abs(number)).rjust(count, "0")
        if len(digits) > count:
            return None
        zone = 0xF0 if self.is_ebcdic else 0x30
        body = bytearray(zone + int(digit) for digit in digits)
        at = 0 if self.is_leading else len(body) - 1
        if self.is_separate:
            signs = b"\x4e\x60" if self.is_ebcdic else b"+-"
            body.insert(0 if self.is_leading else len(body), signs[number < 0])
        elif number < 0:
            body[at] = 0xD0 + (body[at] & 15) if self.is_ebcdic else b"}JKLMNOPQR"[body[at] & 15]
        return bytes(body)

    def digit(self, byte: int) -> int | None:
        """Returns a digit without sign."""
        zone = 0xF0 if self.is_ebcdic else 0x30
        return byte - zone if zone <= byte <= zone + 9 else None

    def separate_sign(self, byte: int) -> bool | None:
        """Returns whether the sign in a byte of its own is minus."""
        signs = {0x4E: False, 0x60: True} if self.is_ebcdic else {0x2B: False, 0x2D: True}
        if byte == (0x40 if self.is_ebcdic else 0x20):
            raise Unspecified("a blank as a sign")
        return signs.get(byte)

    def signed_digit(self, byte: int) -> tuple[bool | None, int | None]:
        """Returns whether a digit with a sign over it is negative, and the digit.

        In EBCDIC the zone is the sign, as in packed numbers. In ASCII the letters are those
        that the same holes have in EBCDIC: { A to I for plus, } J to R for minus.
        """
        if self.is_ebcdic:
            zone, digit = byte >> 4, byte & 15
            return (zone in (0xB, 0xD), digit) if zone >= 10 and digit <= 9 else (None, None)
        if 0x30 <= byte <= 0x39:
            return False, byte - 0x30
        if 0x70 <= byte <= 0x79:
            raise Unspecified("p to y as negative digits in ASCII")
        sign = chr(byte)
        if sign in "{ABCDEFGHI":
            return False, "{ABCDEFGHI".index(sign)
        if sign in "}JKLMNOPQR":
            return True, "}JKLMNOPQR".index(sign)
        return None, None


class Ebcdic(BinaryType):
    """`ebcdic`: "text in code page 037, as the characters it stands for"."""

    is_quoted = True
    has_case = True
    # Where code page 1047 differs from 037.
    SWAPS_1047 = bytes.maketrans(b"\xad\xba\xbd\xbb\x5f\xb0", b"\xba\xad\xbb\xbd\xb0\x5f")

    def __init__(self, parameter: str | None, fold: bool):
        """Makes the type of a code page; `fold` is the modifier ci."""
        page = parameter or "037"
        if page not in ("037", "500", "1047"):
            raise UsageError(f"ebcdic={page}: no such code page")
        self.name = f"ebcdic={page}"
        self.page = page
        self.fold = fold

    def read(self, raw: bytes) -> str:
        """Returns the characters."""
        if self.page == "1047":
            text = raw.translate(self.SWAPS_1047).decode("cp037")
        else:
            text = raw.decode(f"cp{self.page}")
        if self.fold and not text.isascii():
            raise Unspecified("ci of text beyond ASCII")
        return text

    def read_literal(self, text: str) -> str:
        """Returns the literal, which is no EBCDIC."""
        return text

    def compare(self, first: str, second: str) -> int:
        """Compares by the numbers of characters in Unicode."""
        if self.fold:
            return compare_folded(first.encode(), second.encode())
        return order_of(first, second)


class Sequence(BinaryType):
    """`sequence=FILE`: "256 bytes, what each byte sorts as"."""

    is_quoted = True

    def __init__(self, parameter: str | None, files: dict[str, bytes]):
        """Makes the type of a collating sequence."""
        if not parameter:
            raise UsageError("sequence needs a file")
        if parameter not in files:
            raise Unspecified("the status where a file that an option names cannot be read")
        self.name = f"sequence={parameter}"
        self.table = files[parameter]
        if len(self.table) != 256:
            raise UsageError("a collating sequence has 256 bytes")

    def read(self, raw: bytes) -> bytes:
        """Returns what the bytes sort as."""
        return raw.translate(self.table)

    def read_literal(self, text: str) -> bytes:
        """Returns what the bytes of a literal sort as."""
        return self.read(text.encode())
