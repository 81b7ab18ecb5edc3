"""Values of the key types that are bytes rather than text: machine numbers and mainframe fields."""

from __future__ import annotations

import struct
from random import Random

from .values import Kind, chance

INTEGERS = {
    f"{sign}{bits}{order}": (f"{'<' if order == 'le' else '>'}{code}", bits, sign == "i")
    for bits, letter in ((16, "h"), (32, "i"), (64, "q"))
    for sign, code in (("i", letter), ("u", letter.upper()))
    for order in ("le", "be")
}
INTEGERS["u8"] = (">B", 8, False)
INTEGERS["i8"] = (">b", 8, True)
FLOATS = {"f32le": "<f", "f32be": ">f", "f64le": "<d", "f64be": ">d"}
FLOAT_EDGES = (0.0, -0.0, 1.0, -1.0, 1.5, float("inf"), float("-inf"), 1e-40, 3e38)
NOT_NUMBERS = (b"\x7f\xf8", b"\xff\xf8", b"\x7f\xc0", b"\xff\xc0")
CODE_PAGES = {"ebcdic": "cp037", "ebcdic=500": "cp500", "ebcdic=1047": "cp037"}
ZONED = ("zoned", "zoned-leading", "zoned-separate", "zoned-leading-separate")


def binary_kinds(width: int) -> list[str]:
    """Returns the names of the types whose values can be so many bytes long."""
    names = [name for name, (form, _, _) in INTEGERS.items() if struct.calcsize(form) == width]
    names += [name for name, form in FLOATS.items() if struct.calcsize(form) == width]
    names += ["packed", *CODE_PAGES, "sequence"]
    least = {"zoned": 1, "zoned-leading": 1}
    for zoned in ZONED:
        if width >= least.get(zoned, 2):
            names += [zoned, f"{zoned}=ebcdic"]
    return names


def draw_integer(rng: Random, name: str) -> bytes:
    """Returns an integer of a machine: an edge, a small one, or any."""
    form, bits, is_signed = INTEGERS[name]
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    edges = (least, most, 0, 1, least + 1, most - 1, most // 2)
    value = rng.choice((rng.choice(edges), rng.randint(least, most), rng.randint(0, 20)))
    return struct.pack(form, value)


def draw_real(rng: Random, name: str) -> bytes:
    """Returns a floating-point number: an edge, not a number at times, or any bits."""
    form = FLOATS[name]
    size = struct.calcsize(form)
    if chance(rng, 0.1):
        bits = rng.choice(NOT_NUMBERS[:2] if size == 8 else NOT_NUMBERS[2:]).ljust(size, b"\0")
        return bits if form[0] == ">" else bits[::-1]
    if chance(rng, 0.3):
        return bytes(rng.getrandbits(8) for _ in range(size))
    return struct.pack(form, rng.choice((rng.choice(FLOAT_EDGES), rng.uniform(-100, 100))))


def draw_packed(rng: Random, width: int) -> bytes:
    """Returns a packed decimal: two digits a byte, and a sign in the last half byte."""
    sign = rng.choice("ccdf" if chance(rng, 0.9) else "abe")
    digits = "".join(rng.choice("0019") for _ in range(width * 2 - 1))
    return bytes.fromhex(digits + sign)


def draw_zoned(rng: Random, name: str, width: int) -> bytes:
    """Returns a zoned decimal in ASCII or EBCDIC, with its sign where the type has it."""
    is_ebcdic = name.endswith("=ebcdic")
    is_separate, is_leading = "separate" in name, "leading" in name
    zone = 0xF0 if is_ebcdic else 0x30
    body = bytearray(zone + rng.choice((0, 0, 1, 9)) for _ in range(width))
    place = 0 if is_leading else width - 1
    if is_separate:
        body[place] = rng.choice(b"\x4e\x60" if is_ebcdic else b"+-")
    elif chance(rng, 0.6):
        digit = body[place] & 15
        if is_ebcdic:
            body[place] = rng.choice((0xC0, 0xD0)) + digit
        else:
            body[place] = rng.choice((b"{ABCDEFGHI", b"}JKLMNOPQR", b"pqrstuvwxy"))[digit]
    return bytes(body)


def draw_ebcdic(rng: Random, name: str, width: int) -> bytes:
    """Returns text in a code page of mainframes."""
    text = "".join(rng.choice("aAbZ 019.") for _ in range(width))
    return text.encode(CODE_PAGES[name])


def binary_kind(name: str, width: int) -> Kind:
    """Returns where values of a type of `width` bytes come from."""
    if name in INTEGERS:
        return Kind(name, lambda rng: draw_integer(rng, name), (bytes(width), b"\xff" * width))
    if name in FLOATS:
        return Kind(name, lambda rng: draw_real(rng, name), (bytes(width),))
    if name == "packed":
        zero = bytes(width - 1)
        faulty = (b"\xff" * width, b" " * width)
        return Kind(name, lambda rng: draw_packed(rng, width), (zero + b"\x0c",), faulty)
    if name in CODE_PAGES:
        return Kind(name, lambda rng: draw_ebcdic(rng, name, width), (b"\x40" * width,))
    if name.startswith("zoned"):
        faulty = (b"x" * width, b" " * width)
        return Kind(name, lambda rng: draw_zoned(rng, name, width), (), faulty)
    return Kind(
        name,
        lambda rng: bytes(rng.choice(b"abAB\x00\xff") for _ in range(width)),
        (bytes(width), b"\xff" * width),
    )
