"""The files to sort, made once: the sort benchmark's records in several orders, short ones, tables.

What is random here comes from a fixed seed, so that every machine sorts the same bytes.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from array import array
from pathlib import Path

from measuring.packing import PACKED
from measuring.process import in_child, run
from measuring.records import AT_ONCE, blocks, split
from measuring.suites import VARYING, Bench, Suite
from measuring.texts import write_duplicates, write_events, write_fields, write_table

SEED = 7
# Records of one ascending stretch of the sawtooth: 1 MB.
TOOTH_RECORDS = 10_000
# What sortwell makes itself, with which flags; `sources` says from what.
GENERATED = {"random": (), "skewed": ("--skewed",), "ascii": ("--ascii",)}
SORTED = {"sorted": (), "reversed": ("--reverse",)}


def sources(order: str) -> tuple[str, ...]:
    """The orders that an input of this order is made from."""
    if order in GENERATED or order in WRITTEN:
        return ()
    if order in PACKED:
        return ("ascii",)
    return ("sorted", "reversed") if order == "organ-pipe" else ("random",)


def make_all(bench: Bench, suite: Suite) -> dict[str, Path]:
    """The suite's inputs by order; those not there yet are made now, if the disk has room."""
    orders = {source for order in suite.inputs for source in all_sources(order)}
    missing = sum(not bench.input(suite, order).exists() for order in orders)
    needed = bench.bytes(suite) * (missing + suite.passes)
    free = shutil.disk_usage(bench.directory).free
    if needed > free:
        words = f"{needed / 1e9:.1f} GB are needed, {free / 1e9:.1f} GB are free"
        sys.exit(f"{suite.name}: {words} in {bench.directory}; choose another --dir")
    return {order: make(bench, suite, order) for order in suite.inputs}


def plain(bench: Bench, suite: Suite, order: str) -> Path:
    """The file with the records of that input, not compressed."""
    return make(bench, suite, *sources(order)) if order in PACKED else make(bench, suite, order)


def all_sources(order: str) -> set[str]:
    """The order itself, what it is made from, and what that is made from."""
    return {order}.union(*map(all_sources, sources(order)))


def make(bench: Bench, suite: Suite, order: str) -> Path:
    """One input; it gets its name when it is complete."""
    path, size = bench.input(suite, order), bench.bytes(suite)
    # The length of rows and of lines of JSON is not known beforehand.
    varies = order in VARYING or order in PACKED
    if path.exists() and (varies or path.stat().st_size == size):
        return path
    made_from = [make(bench, suite, source) for source in sources(order)]
    part = path.with_name(f"{path.name}.part")
    try:
        write(bench, suite, order, made_from, part)
        if not varies and part.stat().st_size != size:
            sys.exit(f"{part}: {part.stat().st_size} bytes were made, not {size}")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def write(bench: Bench, suite: Suite, order: str, made_from: list[Path], part: Path) -> None:
    """Writes one input to a file."""
    records = bench.records(suite)
    part.unlink(missing_ok=True)
    if order in GENERATED:
        run([str(bench.binary), "generate", *GENERATED[order], str(records), str(part)])
    elif order in SORTED:
        run(bench.sort(suite, made_from[0], part, *SORTED[order]))
    elif order in WRITTEN:
        in_child(WRITTEN[order], (part, records))
    elif order in PACKED:
        PACKED[order](bench, made_from[0], part)
    else:
        in_child(write_rearranged, (part, order, made_from))


def write_rearranged(path: Path, order: str, made_from: list[Path]) -> None:
    """The records of the files, one after the other, as the order wants them."""
    noise = random.Random(SEED)
    with open(path, "wb") as file:
        for source in made_from:
            for block in blocks(source, TOOTH_RECORDS, 100):
                file.write(rearranged(block, order, noise))


def rearranged(block: bytes, order: str, noise: random.Random) -> bytes:
    """A block of 100-byte records as the order wants it."""
    if order == "organ-pipe":
        # Every second record, first of the ascending and then of the descending file.
        return b"".join(record[:100] for record in split(block, 200))
    if order == "sawtooth":
        return b"".join(sorted(split(block, 100)))
    count = len(block) // 100
    values = bytes(count)
    if order == "two-values":
        values = bytes(byte & 1 for byte in noise.randbytes(count))
    changed = bytearray(block)
    for place in range(10):
        changed[place::100] = values
    return bytes(changed)


def write_short(path: Path, records: int) -> None:
    """16-byte records: a random 8-byte key and the number of the record, both big-endian."""
    noise = random.Random(SEED)
    with open(path, "wb") as file:
        for first in range(0, records, AT_ONCE):
            numbers = array("Q", range(first, min(first + AT_ONCE, records)))
            if sys.byteorder == "little":
                numbers.byteswap()
            keys, places = noise.randbytes(8 * len(numbers)), numbers.tobytes()
            block = bytearray(16 * len(numbers))
            for byte in range(8):
                block[byte::16] = keys[byte::8]
                block[8 + byte :: 16] = places[byte::8]
            file.write(block)


# What is written here, and by what.
WRITTEN = {
    "short": write_short,
    "table": write_table,
    "fields": write_fields,
    "events": write_events,
    "duplicates": write_duplicates,
}
