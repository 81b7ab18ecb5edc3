"""Circumstances of a job: what must not change its result.

Memory, threads, engines, levers, the ways inputs come and outputs go, and kills in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from .values import chance

# The ways an input comes, and an output goes.
FILE, STDIN_FILE, STDIN_PIPE, LIST = "file", "stdin file", "stdin pipe", "files0-from"
REPLACED, SAME, STDOUT_FILE, STDOUT_PIPE = "replaced", "same", "stdout file", "stdout pipe"
IN_PLACE = "in place"
CODECS = ("gzip",) * 5 + ("zstd", "zstd", "lz4")


@dataclass(frozen=True)
class Traits:
    """What of a job decides which circumstances it allows."""

    command: str
    size: str
    inputs: int
    is_split: bool
    is_in_place: bool
    # Whether inputs may be rewritten, which is not kept.
    unites: bool = False


@dataclass(frozen=True)
class Kill:
    """A kill (SIGKILL): so long after the start, or after something has been noted."""

    seconds: float
    is_after_note: bool


@dataclass(frozen=True)
class Circumstances:
    """How a job is run. The plainest are those of no arguments."""

    options: tuple[tuple[str, ...], ...] = ()
    budget_mib: int = 0  # 0: not said
    input: str = FILE
    output: str = FILE
    codec_in: str = ""
    codec_out: str = ""
    says_codec_in: bool = False  # by an option instead of a name
    says_codec_out: bool = False
    temps: int = 0
    is_striped: bool = False
    temp_limit_kib: int = 0  # 0: none
    kills: tuple[Kill, ...] = ()

    @property
    def keeps_work(self) -> bool:
        """Whether a failure may leave what the same command would go on with."""
        return self.output == IN_PLACE or any(o[0].startswith("--resume") for o in self.options)

    def tags(self) -> list[str]:
        """Returns what the coverage counts."""
        tags = [f"input {self.input}", f"output {self.output}", f"temps {self.temps}"]
        tags += [f"lever {' '.join(words)}" for words in self.options if words[0] in SHOWN]
        tags += [f"compressed input {self.codec_in}"] if self.codec_in else []
        tags += [f"compressed output {self.codec_out}"] if self.codec_out else []
        tags += ["striped temp"] if self.is_striped else []
        tags += ["temp limit"] if self.temp_limit_kib else []
        return tags


SHOWN = (
    "--io",
    "-j",
    "--algorithm",
    "--merge",
    "--overlap",
    "--compress-runs",
    "--verify",
    "--direct",
    "--async-io",
    "--gather-stores",
)
SIZES = ("4KiB", "12KiB", "32KiB", "64KiB", "256KiB", "1MiB")


def draw_circumstances(rng: Random, traits: Traits) -> Circumstances:
    """Draws the circumstances of a job."""
    chosen = Circumstances(
        options=tuple(draw_levers(rng, traits)),
        budget_mib=rng.choice((0, 1, 1, 21, 22, 24, 28, 32, 40, 48, 64, 100, 256)),
        temps=rng.choice((0, 0, 1, 1, 2, 3)),
        is_striped=chance(rng, 0.05),
        temp_limit_kib=rng.choice((20, 100, 1000)) if chance(rng, 0.15) else 0,
    )
    if traits.command == "check":
        chosen = replace(chosen, temps=0, is_striped=False, temp_limit_kib=0)
        return draw_input(rng, traits, chosen)
    # Of a stream it takes all memory that it may have, and some seconds to prepare it.
    if ("--algorithm", "replacement-selection") in chosen.options and not chosen.budget_mib:
        chosen = replace(chosen, budget_mib=100)
    chosen = draw_output(rng, traits, chosen)
    if chosen.output == IN_PLACE:
        kills = draw_kills(rng) if chance(rng, 0.5) else ()
        return replace(chosen, kills=kills)
    is_resumable = chosen.output in (FILE, REPLACED) and not traits.is_split and not traits.unites
    is_replacement = ("--algorithm", "replacement-selection") in chosen.options
    if is_resumable and not is_replacement and chance(rng, 0.25):
        chosen = replace(chosen, codec_out="", kills=draw_kills(rng))
        word = rng.choice(("--resume", "--resume=often"))
        return replace(chosen, options=(*chosen.options, (word,)))
    return draw_input(rng, traits, chosen)


def draw_kills(rng: Random) -> tuple[Kill, ...]:
    """Draws when a job is killed, once or several times."""
    count = rng.choice((1, 1, 2, 3))
    return tuple(
        Kill(rng.choice((0.002, 0.01, 0.03, 0.06)) * rng.random(), chance(rng, 0.6))
        for _ in range(count)
    )


def draw_input(rng: Random, traits: Traits, chosen: Circumstances) -> Circumstances:
    """Draws how inputs come."""
    if chance(rng, 0.1) and chosen.output != SAME:
        codec = rng.choice(CODECS)
        chosen = replace(chosen, codec_in=codec, says_codec_in=chance(rng, 0.4))
    ways = [FILE] * 6 + [LIST]
    if chosen.output != SAME:
        ways += [STDIN_FILE, STDIN_PIPE]
    way = rng.choice(ways)
    is_nameless = way in (STDIN_FILE, STDIN_PIPE) and chosen.codec_in != ""
    return replace(chosen, input=way, says_codec_in=chosen.says_codec_in or is_nameless)


def draw_output(rng: Random, traits: Traits, chosen: Circumstances) -> Circumstances:
    """Draws where the output goes."""
    if traits.is_split:
        return replace(chosen, output=FILE)
    if traits.is_in_place and traits.inputs == 1 and chance(rng, 0.25):
        barred = ("--merge", "--merge-buffers", "--algorithm", "--microrun", "--alphasort-runs")
        barred = (*barred, "--sync", "--compress-runs")
        options = tuple(words for words in chosen.options if words[0] not in barred)
        return replace(chosen, output=IN_PLACE, options=options)
    output = rng.choice((FILE, FILE, FILE, REPLACED, SAME, STDOUT_FILE, STDOUT_PIPE))
    chosen = replace(chosen, output=output)
    if chance(rng, 0.08) and output != SAME:
        is_nameless = output in (STDOUT_FILE, STDOUT_PIPE)
        says = is_nameless or chance(rng, 0.5)
        return replace(chosen, codec_out=rng.choice(CODECS), says_codec_out=says)
    return chosen


def draw_levers(rng: Random, traits: Traits) -> list[tuple[str, ...]]:
    """Draws options that set the plan of a job."""
    levers: list[tuple[str, ...]] = []

    def maybe(share: float, option: str, *values: str) -> None:
        if chance(rng, share):
            levers.append((option, rng.choice(values)))

    maybe(0.5, "--io", "uring", "threads", "mmap", "mmap-plain", "sync")
    maybe(0.2, "--direct", "on", "off", "input=off,spill=on", "output=on")
    if traits.command == "check":
        return levers
    maybe(0.85, "--sync", "off")
    # A merge takes unsorted inputs with the proof of order off alone.
    maybe(0.1, "--verify", "on" if traits.command == "merge" else "off", "on")
    maybe(0.1, "--queue-depth", "1", "2", "5", "64")
    maybe(0.15, "--block-size", *SIZES)
    maybe(0.15, "--write-buffers", "2", "2", "3", "9")
    maybe(0.2, "--write-buffer-size", "32KiB", *SIZES)
    maybe(0.1, "--read-factor", "1", "8", "42", "1024")
    maybe(0.15, "--async-io", "off", "auto")
    maybe(0.45, "--merge-width", "2", "2", "3", "4")
    maybe(0.7, "-j", "1", "2", "4", "16")
    if traits.command == "sort":
        draw_sort_levers(rng, maybe, levers)
    return levers


def draw_sort_levers(
    rng: Random, maybe: Callable[..., None], levers: list[tuple[str, ...]]
) -> None:
    """Draws those of a sort alone; short runs make small inputs spill."""
    names = ("radix", "quicksort", "mergesort", "alphasort", "replacement-selection")
    maybe(0.25, "--algorithm", *names)
    maybe(0.15, "--gather-stores", "streaming", "cached")
    if ("--algorithm", "mergesort") in levers:
        maybe(0.5, "--microrun", "16", "17", "100", "128", "4096")
    if ("--algorithm", "alphasort") in levers:
        maybe(0.5, "--alphasort-runs", "1", "3", "10", "100")
    forms = ("sync", "pipelined", "runs=sync,merge=pipelined", "merge=sync", "runs=sync")
    maybe(0.2, "--overlap", *forms)
    maybe(0.1, "--affinity", "off", "cores", "nodes")
    maybe(0.25, "--merge", "slabs", "streams", "streams")
    maybe(0.25, "--compress-runs", "off", "auto", "lz4", "lz4", "zstd", "zstd:1")
    if ("--merge", "streams") in levers and chance(rng, 0.3):
        refill = rng.choice(("", ",refill=0", ",refill=0.7", ",refill=1"))
        levers.append(("--merge-buffers", f"geometry={rng.choice(('0', '0.3', '1'))}{refill}"))
    if ("--algorithm", "replacement-selection") not in levers:
        maybe(0.96, "--run-size", "8KiB", "8KiB", "12KiB", "16KiB", "20KiB")
