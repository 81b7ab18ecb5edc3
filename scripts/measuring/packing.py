"""Compressed inputs, in the forms that several threads can decompress at once."""

from __future__ import annotations

import shutil
import struct
import zlib
from pathlib import Path

from measuring.process import LeftOut, in_child, run
from measuring.suites import Bench

# Bytes of one BGZF block before compression, as bgzip writes them.
BLOCK_BYTES = 0xFF00
# A gzip header with one extra field, BC: the bytes of the member less one follow it.
BGZF_HEADER = bytes.fromhex("1f8b08040000000000ff060042430200")
# The empty member that ends such a file.
BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def pack_bgzf(_bench: Bench, source: Path, part: Path) -> None:
    """Writes gzip members of at most 64 KiB, each with its length: what bgzip does."""
    in_child(write_bgzf, (source, part))


def write_bgzf(source: Path, part: Path) -> None:
    """Writes the members one after the other."""
    with open(source, "rb") as plain, open(part, "wb") as packed:
        while block := plain.read(BLOCK_BYTES):
            deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
            data = deflate.compress(block) + deflate.flush()
            packed.write(BGZF_HEADER)
            packed.write(struct.pack("<H", len(BGZF_HEADER) + 2 + len(data) + 8 - 1))
            packed.write(data)
            packed.write(struct.pack("<II", zlib.crc32(block), len(block)))
        packed.write(BGZF_END)


def pack_zstd(bench: Bench, source: Path, part: Path) -> None:
    """Writes a zstd frame for each megabyte.

    sortwell writes such frames. Its sort is stable, so a key beyond the end of each line keeps
    the order.
    """
    words = ["--key", "1000..1001", "--compress", "zstd", "--output", str(part), str(source)]
    run([str(bench.binary), "sort", *words])


def pack_lz4(_bench: Bench, source: Path, part: Path) -> None:
    """Writes one lz4 frame of independent blocks."""
    if shutil.which("lz4") is None:
        raise LeftOut("the program lz4 is not installed, and its input takes it")
    run(["lz4", "-q", "-f", "-BI", str(source), str(part)])


# Functions that pack the inputs. All are made from the lines `ascii`.
PACKED = {
    "ascii-bgzf": pack_bgzf,
    "ascii-zstd-frames": pack_zstd,
    "ascii-lz4-blocks": pack_lz4,
}
