"""Inputs of text: a table with quoted cells, lines of JSON, and lines that occur many times."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

SEED = 7
ROWS_AT_ONCE = 100_000
WORDS = 40_000
# fmt: off
SYLLABLES = (
    "ka", "ro", "mi", "te", "lo", "san", "ver", "del", "ni", "pa",
    "qu", "est", "or", "al", "\u00e9n", "ba", "zu", "wi", "fe", "ha",
)
# fmt: on
# Of ten lines, so many are there more than once.
DUPLICATES_OF_TEN = 9


def write_table(path: Path, rows: int) -> None:
    """Comma-separated values with a header.

    A third of the notes are quoted, with a separator in them; one in three hundred has a line end
    and quotes. Some counts are missing or negative.
    """
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("name,count,amount,day,note\n")
        write_rows(file, rows, ",", note)


def write_fields(path: Path, rows: int) -> None:
    """The same without header and quotes, and with tabs between fields."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        write_rows(file, rows, "\t", plain_note)


def write_rows(file: TextIO, rows: int, separator: str, note: Callable) -> None:
    """Rows with names and notes of words as frequent as a language's."""
    noise = random.Random(SEED)
    words = ["".join(noise.choices(SYLLABLES, k=noise.randint(1, 5))) for _ in range(WORDS)]
    total, weights = 0.0, []
    for rank in range(WORDS):
        total += 1 / (rank + 3)
        weights.append(total)
    for first in range(0, rows, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, rows - first)
        chosen = noise.choices(words, cum_weights=weights, k=4 * count)
        for row in range(count):
            name, *others = chosen[4 * row : 4 * row + 4]
            cells = (name, *middle(noise, row), note(name, others, row, chosen))
            file.write(separator.join(cells) + "\n")


def write_events(path: Path, lines: int) -> None:
    """Lines of JSON of some 100 bytes: an object in an object, a time, a number and a text."""
    noise = random.Random(SEED)
    with open(path, "w", encoding="ascii", newline="") as file:
        for line in range(lines):
            user, moment = noise.randrange(10**9), noise.randrange(86400)
            time = f"{moment // 3600:02}:{moment // 60 % 60:02}:{moment % 60:02}"
            file.write(
                f'{{"seq":{line},"user":{{"id":{user},"name":"n{user % 977}"}},'
                f'"ts":"2026-11-24T{time}Z","path":"/a/{line % 4093}"}}\n'
            )


def middle(noise: random.Random, row: int) -> tuple[str, str, str]:
    """A count, an amount and a day."""
    count = "" if row % 997 == 0 else str(noise.randrange(-(10**6), 10**9))
    amount = f"{noise.randrange(10**8) / 100:.2f}"
    return count, amount, f"20{row % 27:02}-{row % 12 + 1:02}-{row % 28 + 1:02}"


def plain_note(_name: str, others: list[str], row: int, words: list[str]) -> str:
    """A few words."""
    return " ".join(others) + " " + words[7 * row % len(words)] * 3


def note(name: str, others: list[str], row: int, words: list[str]) -> str:
    """A few words, as they are written in a cell."""
    text = plain_note(name, others, row, words)
    if row % 300 == 0:
        return f'"{text},\n""{name}"" "'
    return f'"{text}, {name}"' if row % 3 == 0 else text


def write_duplicates(path: Path, lines: int) -> None:
    """Lines of 100 bytes, each drawn from a tenth as many."""
    noise = random.Random(SEED)
    distinct = max(1, lines * (10 - DUPLICATES_OF_TEN) // 10)
    texts = [b"%049d%050x\n" % (noise.randrange(10**48), place) for place in range(distinct)]
    with open(path, "wb") as file:
        for first in range(0, lines, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, lines - first)
            file.write(b"".join(noise.choices(texts, k=count)))
