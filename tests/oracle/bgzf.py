"""Blocks of BGZF, as section 4.1 of the SAM format specification describes them."""

from __future__ import annotations

import zlib
from random import Random

HEADER = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0"


def block(data: bytes) -> bytes:
    """Returns a block of BGZF."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, -15)
    body = deflate.compress(data) + deflate.flush()
    ends = (len(HEADER) + 2 + len(body) + 8 - 1, zlib.crc32(data), len(data))
    numbers = [number.to_bytes(size, "little") for number, size in zip(ends, (2, 4, 4))]
    return HEADER + numbers[0] + body + numbers[1] + numbers[2]


def packed(data: bytes, rng: Random, end: bytes = block(b"")) -> bytes:
    """Returns data as bgzip compresses it, in blocks of random lengths, and the last block."""
    # Of megabytes there would be too many short ones.
    blocks, at, most = [], 0, max(rng.choice((10, 1000, 65_280)), min(len(data) // 1000, 65_280))
    while at < len(data):
        length = rng.randint(1, most)
        blocks.append(data[at : at + length])
        at += length
    return b"".join(map(block, blocks)) + end
