"""Frames of lz4 that the command does not write itself: many independent blocks in one frame.

The program `lz4` writes such frames. Both forms are described in the documents "LZ4 Frame Format"
and "xxHash Fast Digest Algorithm" of their project.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

MAGIC = bytes.fromhex("04224d18")
# Flags: the version, and what the frame has.
VERSION, INDEPENDENT, BLOCK_CHECKSUMS = 1 << 6, 1 << 5, 1 << 4
CONTENT_LENGTH, CONTENT_CHECKSUM = 1 << 3, 1 << 2
STORED = 1 << 31
PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
MASK = 0xFFFFFFFF


def rotated(value: int, bits: int) -> int:
    """Returns 32 bits, rotated to the left."""
    return (value << bits | value >> 32 - bits) & MASK


def xxh32(data: bytes) -> int:
    """Returns the hash XXH32 of data, with seed 0."""
    first, second, third, fourth, fifth = PRIMES
    whole = len(data) // 16 * 16
    lanes = [first + second & MASK, second, 0, -first & MASK]
    if whole:
        for words in struct.iter_unpack("<4I", data[:whole]):
            for place, word in enumerate(words):
                lanes[place] = rotated(lanes[place] + word * second & MASK, 13) * first & MASK
        value = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18)))
    else:
        value = fifth
    value = value + len(data) & MASK
    words_end = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[whole:words_end]):
        value = rotated(value + word * third & MASK, 17) * fourth & MASK
    for byte in data[words_end:]:
        value = rotated(value + byte * fifth & MASK, 11) * first & MASK
    value = (value ^ value >> 15) * second & MASK
    value = (value ^ value >> 13) * third & MASK
    return value ^ value >> 16


def blocks(frames: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the length words and the data of all blocks. The command has written the frames."""
    at = 0
    while at < len(frames):
        flags = frames[at + 4]
        if frames[at : at + 4] != MAGIC or flags & (BLOCK_CHECKSUMS | CONTENT_LENGTH):
            raise ValueError("the command writes other lz4 frames than this reads")
        at += 7
        while word := int.from_bytes(frames[at : at + 4], "little"):
            end = at + 4 + (word & STORED - 1)
            yield word, frames[at + 4 : end]
            at = end
        at += 8 if flags & CONTENT_CHECKSUM else 4


def with_larger_blocks(frame: bytes, steps: int) -> bytes:
    """Returns a frame of the command that states larger blocks: four times as large for a step."""
    if frame[:4] != MAGIC or frame[4] & CONTENT_LENGTH:
        raise ValueError("the command writes other lz4 frames than this reads")
    size = min(7, (frame[5] >> 4) + steps)
    descriptor = bytes([frame[4], size << 4])
    return MAGIC + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF]) + frame[7:]


def one_frame(frames: bytes, content: bytes, choice: int) -> bytes:
    """Returns one frame with the blocks of all, which expand to `content`.

    The bits of `choice` say which checksums it has, and whether it has its length.
    """
    flags = VERSION | INDEPENDENT
    for bit, flag in enumerate((BLOCK_CHECKSUMS, CONTENT_LENGTH, CONTENT_CHECKSUM)):
        flags |= flag if choice >> bit & 1 else 0
    # The second byte is the same in all of them: the largest size of a block.
    descriptor = bytes([flags, frames[5]])
    if flags & CONTENT_LENGTH:
        descriptor += struct.pack("<Q", len(content))
    found = [MAGIC, descriptor, bytes([xxh32(descriptor) >> 8 & 0xFF])]
    for word, data in blocks(frames):
        found += [struct.pack("<I", word), data]
        if flags & BLOCK_CHECKSUMS:
            found.append(struct.pack("<I", xxh32(data)))
    found.append(bytes(4))
    if flags & CONTENT_CHECKSUM:
        found.append(struct.pack("<I", xxh32(content)))
    return b"".join(found)
