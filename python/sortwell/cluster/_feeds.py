"""Threads that pass blocks to a merge."""

from __future__ import annotations

import threading

from sortwell import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Feed:
    """A thread that fills an input of a merge."""

    def __init__(self, name: str, fill: Callable[[Callable[[bytes], None]], None]) -> None:
        """Starts a thread that calls `fill` with a function that passes a block."""
        self.input = _native.FedInput(name)
        self._error: BaseException | None = None
        self._fill = fill
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._fill(self.input.push)
        except BaseException as error:
            self._error = error
        finally:
            self.input.finish()

    def check(self) -> None:
        """Waits for the end, and raises the error of the feed if there is one."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Ends the feed."""
        self.input.close()
        self._thread.join()
