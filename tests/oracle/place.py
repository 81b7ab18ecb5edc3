"""The folder a case runs in: its inputs, spill folders and output, and the command line."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from . import bgzf
from .case import Case
from .circumstances import (
    FILE,
    IN_PLACE,
    LIST,
    REPLACED,
    SAME,
    STDIN_FILE,
    STDIN_PIPE,
    STDOUT_FILE,
    STDOUT_PIPE,
    Circumstances,
)
from .lz4_frames import one_frame, with_larger_blocks

OLD = b"what was there before\n"
ENDINGS = {"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4", "": ""}
LEVELS = {"gzip": "gzip:1", "zstd": "zstd", "lz4": "lz4"}


def recode(binary: str, data: bytes, option: str, codec: str) -> bytes:
    """Returns data that the command itself has compressed or expanded: a merge of one file."""
    if codec == "gzip":
        return gzip.compress(data, 1) if option == "--compress" else gzip.decompress(data)
    words = [binary, "merge", "-F", "fixed:1", "--verify", "off", option, codec]
    done = subprocess.run(words, input=data, capture_output=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def pack(binary: str, data: bytes, codec: str) -> bytes:
    """Returns compressed data: one member or frame, or several parts that threads may expand."""
    pieces = 1 + len(data) % 4
    cuts = [len(data) * number // pieces for number in range(pieces + 1)]
    parts = [data[start:end] for start, end in zip(cuts, cuts[1:])]
    rng = Random(len(data))
    if codec == "gzip" and rng.randrange(2):
        # A file of blocks alone, or blocks among other members.
        is_whole = rng.randrange(2) == 0
        return b"".join(
            bgzf.packed(part, rng)
            if is_whole or rng.randrange(2)
            else recode(binary, part, "--compress", codec)
            for part in parts
        )
    frames = [recode(binary, part, "--compress", codec) for part in parts]
    if codec == "lz4" and any(frames):
        if len(data) % 3:
            return one_frame(b"".join(frames), data, len(data) // 3)
        frames = [with_larger_blocks(frame, rng.randrange(4)) for frame in frames]
    return b"".join(frames)


@dataclass
class Place:
    """Where a case runs. Paths in its command line are relative to `root`."""

    binary: str
    root: Path
    case: Case
    contents: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def circumstances(self) -> Circumstances:
        """How the job is run."""
        return self.case.circumstances

    @property
    def output(self) -> str:
        """The name that the output gets; empty for standard output."""
        if self.circumstances.output in (SAME, IN_PLACE):
            return self.names[0]
        if self.circumstances.output in (STDOUT_FILE, STDOUT_PIPE) or self.case.command == "check":
            return ""
        chosen = self.circumstances
        ending = "" if chosen.says_codec_out else ENDINGS[chosen.codec_out]
        return f"out/result.txt{ending}"

    def lay_out(self) -> None:
        """Makes the folder anew, with the inputs in it."""
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("in", "out", "tmp", *self.temps()):
            (self.root / name).mkdir(parents=True)
        for name, content in self.case.files:
            (self.root / name).write_bytes(content)
        chosen = self.circumstances
        ending = "" if chosen.says_codec_in else ENDINGS[chosen.codec_in]
        self.names, self.contents = [], []
        for number, records in enumerate(self.case.inputs):
            data = b"".join(records)
            if chosen.codec_in:
                data = pack(self.binary, data, chosen.codec_in)
            self.names.append(f"in/{number}.txt{ending}")
            self.contents.append(data)
            (self.root / self.names[-1]).write_bytes(data)
        if chosen.output == REPLACED:
            (self.root / self.output).write_bytes(OLD)
        if chosen.is_striped and chosen.temps:
            (self.root / "set.str").write_text(self.definition())
        if chosen.input == LIST:
            (self.root / "list").write_bytes(b"".join(b"%s\0" % n.encode() for n in self.names))

    def definition(self) -> str:
        """Returns the text of a set over the spill folders, in one of its two forms."""
        members = [f"{self.root / temp}/m" for temp in self.temps()]
        if len(members) % 2:
            return "".join(f"{member} 16\n" for member in members)
        lines = "".join(f"member 1x - {member}\n" for member in members)
        return f"sortwell-stripe 1\nbase 65536\n{lines}"

    def temps(self) -> list[str]:
        """Returns the names of the spill folders."""
        return [f"spill-{number}" for number in range(self.circumstances.temps)]

    def words(self, budget_mib: int, temp_limit: int) -> list[str]:
        """Returns the command line with these limits in MiB and bytes, but for the program."""
        chosen, case = self.circumstances, self.case
        words = [case.command, *(word for option in case.options for word in option)]
        words += [word for option in chosen.options for word in option]
        if budget_mib:
            words += ["-M", f"{budget_mib}MiB"]
        if temp_limit:
            words += ["--temp-limit", str(temp_limit)]
        is_striped = chosen.is_striped and chosen.temps
        for temp in ["set.str"] if is_striped else self.temps():
            words += ["-T", temp]
        if chosen.codec_in and chosen.says_codec_in:
            words += ["--decompress", chosen.codec_in]
        if chosen.codec_out and chosen.says_codec_out:
            words += ["--compress", LEVELS[chosen.codec_out]]
        if case.command != "check":
            words += ["--stats", "json"]
            if chosen.output == IN_PLACE:
                words.append("--in-place")
            elif self.output:
                words += ["-o", self.output]
        return words + self.input_words()

    def input_words(self) -> list[str]:
        """Returns the names of the inputs as the command line has them."""
        if self.circumstances.input == LIST:
            return ["--files0-from", "list"]
        if self.circumstances.input in (STDIN_FILE, STDIN_PIPE):
            return [] if len(self.names) == 1 else ["-", *self.names[1:]]
        return self.names

    def read_outputs(self) -> dict[str, bytes]:
        """Returns what was written: by what was added to the name of the output."""
        if not self.output:
            return {"": self.expanded((self.root / "stdout").read_bytes())}
        path = self.root / self.output
        outputs = {}
        if self.circumstances.output in (FILE, REPLACED):
            for part in path.parent.iterdir():
                if part.name.startswith("result") and part.name.endswith(".txt"):
                    outputs[part.name[len("result") : -len(".txt")]] = part.read_bytes()
        if path.exists():
            outputs[""] = path.read_bytes()
        return {name: self.expanded(data) for name, data in outputs.items()}

    def expanded(self, data: bytes) -> bytes:
        """Returns what an output holds once it is expanded."""
        codec = self.circumstances.codec_out
        return recode(self.binary, data, "--decompress", codec) if codec else data

    def kept(self) -> dict[str, bytes]:
        """Returns what must stand in the files named as outputs after a failure."""
        output = self.circumstances.output
        if output == REPLACED:
            return {self.output: OLD}
        return {self.output: self.contents[0]} if output in (SAME, IN_PLACE) else {}

    def changed_inputs(self) -> list[str]:
        """Returns the inputs that are not as they were, but for one that is the output too."""
        pairs = zip(self.names, self.contents)
        return [
            name
            for name, content in pairs
            if name != self.output and (self.root / name).read_bytes() != content
        ]

    def strangers(self) -> list[str]:
        """Returns the files and folders that the job has left and should not have."""
        folders = [self.root / name for name in ("in", "out", "tmp", *self.temps())]
        found = [path.relative_to(self.root) for folder in folders for path in folder.iterdir()]
        found += [Path(path.name) for path in self.root.iterdir() if path.name.startswith(".")]
        known = {Path(name) for name in self.names}
        is_split = any("--split" in option[0] for option in self.case.options)
        return sorted(
            str(path)
            for path in found
            if path not in known
            and str(path) != self.output
            and not (is_split and path.name.startswith("result-"))
        )
