"""Sorts that the program closes, and that have statistics at their end."""

from __future__ import annotations

from sortwell import _statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Protocol, Self

    from sortwell._statistics import Statistics

    class NativeSort(Protocol):
        """A sort of the extension."""

        def statistics(self) -> str | None: ...

        def close(self) -> None: ...


class ClosableSort:
    """Base of sorts whose result is taken piece by piece.

    The last piece, `close` and the end of a `with` block stop the sort and remove its files.
    """

    __slots__ = ("_ended", "_statistics")

    def __init__(self, ended: NativeSort) -> None:
        self._ended = ended
        self._statistics: Statistics | None = None

    @property
    def statistics(self) -> Statistics | None:
        """The statistics of the sort; None before the last piece of the result was taken."""
        if self._statistics is None:
            json = self._ended.statistics()
            self._statistics = None if json is None else _statistics.of_json(json)
        return self._statistics

    def close(self) -> None:
        """Stops the sort and removes its files. It does nothing after the end of the result.

            found = sortwell.sorted(items)
            first = next(found)
            found.close()

        Raises nothing.
        """
        self._ended.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
