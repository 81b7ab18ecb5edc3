"""Ctrl-C during a sort.

The exception is raised wherever the main thread is, which is mostly code of Ray. Some of that code
catches it and continues. So it is also noted here, and raised again by the next `check`.
"""

from __future__ import annotations

import signal
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class Interrupts:
    """Notes Ctrl-C in a `with` block of the main thread.

    In other threads, and where a program has a handler of its own, nothing changes.
    """

    def __init__(self) -> None:
        self._is_noted = False
        self._is_on = False

    def __enter__(self) -> Interrupts:
        """Replaces the default handler of the signal."""
        is_main = threading.current_thread() is threading.main_thread()
        self._is_on = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_on:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Puts the default handler back, unless the program has set another one meanwhile."""
        if self._is_on and signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._is_noted = True
        signal.default_int_handler(number, frame)

    def check(self) -> None:
        """Raises `KeyboardInterrupt` if Ctrl-C was noted."""
        if self._is_noted:
            raise KeyboardInterrupt

    def forget(self) -> None:
        """Forgets Ctrl-C, so that calls which clean up after it are not interrupted by it too."""
        self._is_noted = False
