"""Signals that stop the command: it removes what it has made, and then dies of the signal.

A shell that runs a script stops it after a program that died of a signal. After a program that
exits by itself, with any status, it continues.
"""

from __future__ import annotations

import atexit
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# Signals that stop a sort, unless they were ignored when the process began, as under nohup.
_HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """The first signal that came."""

    def __init__(self) -> None:
        self._number: int | None = None

    def hear(self) -> None:
        """Has the first signal raise `KeyboardInterrupt` from now on.

        The process dies of it when all else is done. Later signals do not interrupt that.
        """
        # Functions that are registered later, as those of Ray, are called before.
        atexit.register(self._die)
        for number in _HEEDED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._number is None:
            self._number = number
            self.check()

    def check(self) -> None:
        """Raises `KeyboardInterrupt` if a signal came: Ray ignores one now and then."""
        if self._number is not None:
            raise KeyboardInterrupt

    def status(self, status: int) -> int:
        """Returns the exit status: that of the signal if one came, and the given one otherwise."""
        return status if self._number is None else 128 + self._number

    def _die(self) -> None:
        # The first process of a container does not die of a signal, and has its status.
        if self._number is not None:
            signal.signal(self._number, signal.SIG_DFL)
            os.kill(os.getpid(), self._number)
