"""Pipes between Python and jobs, and threads that fill them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Bytes that a pipe holds.
_ROOM = 1 << 20

# Bytes that are moved from a file at once.
_STEP = 1 << 20


class Pipe:
    """A pipe whose ends have paths."""

    def __init__(self) -> None:
        self._input, self._output = os.pipe()
        # The system may refuse larger pipes.
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._output, fcntl.F_SETPIPE_SZ, _ROOM)

    @property
    def input_path(self) -> str:
        """Path of the end to read."""
        return f"/dev/fd/{self._input}"

    @property
    def output_path(self) -> str:
        """Path of the end to write."""
        return f"/dev/fd/{self._output}"

    @property
    def output(self) -> int:
        """Descriptor of the end to write."""
        return self._output

    def read(self, size: int) -> bytes:
        """Reads until there are `size` bytes, or the pipe ends."""
        pieces = []
        while size > 0 and (piece := os.read(self._input, size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def close_output(self) -> None:
        """Closes the end to write."""
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def close(self) -> None:
        """Closes the end to read, so that a writer fails."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1


class Feed:
    """A thread that writes to a pipe."""

    def __init__(self, fill: Callable[[int], None]) -> None:
        self.pipe = Pipe()
        self._error: BaseException | None = None
        self._fill = fill
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @classmethod
    def of_range(cls, header: bytes, path: str, start: int, end: int) -> Feed:
        """Returns a feed of a header and of a range of a file."""

        def fill(output: int) -> None:
            write_all(output, header)
            descriptor = os.open(path, os.O_RDONLY)
            try:
                at = start
                while at < end:
                    moved = os.splice(descriptor, output, min(_STEP, end - at), offset_src=at)
                    if moved == 0:
                        raise OSError(f"{path} ends at byte {at}")
                    at += moved
            finally:
                os.close(descriptor)

        return cls(fill)

    def _run(self) -> None:
        try:
            self._fill(self.pipe.output)
        except BaseException as error:
            self._error = error
        finally:
            self.pipe.close_output()

    def check(self) -> None:
        """Waits for the end, and raises the error of the feed if there is one."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Ends the feed."""
        self.pipe.close()
        self._thread.join()


def write_all(output: int, block: bytes | memoryview) -> None:
    """Writes all bytes to a descriptor."""
    view = memoryview(block)
    while view:
        view = view[os.write(output, view) :]
