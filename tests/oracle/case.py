"""A case: what is to be computed, and the circumstances in which it is."""

from __future__ import annotations

from dataclasses import dataclass

from .circumstances import Circumstances
from .model import Job

Options = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Case:
    """A job in pieces that the reducer can leave out, and its circumstances.

    Each input is a list of records, of which the first `tops` stay where they are: the header of a
    table. A last record may lack its end.
    """

    command: str
    options: Options
    inputs: tuple[tuple[bytes, ...], ...]
    files: tuple[tuple[str, bytes], ...]
    tops: int
    circumstances: Circumstances
    tags: tuple[str, ...] = ()

    def job(self) -> Job:
        """Returns what the model is asked."""
        words = tuple(word for option in self.options for word in option)
        inputs = tuple(b"".join(records) for records in self.inputs)
        return Job(self.command, words, inputs, self.files)

    def records(self) -> int:
        """Returns how many records there are in all inputs."""
        return sum(map(len, self.inputs))
