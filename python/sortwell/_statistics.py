"""The statistics of a job."""

from __future__ import annotations

import json

from sortwell import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Statistics:
    """Figures of a finished sort or merge.

    They are those that `sortwell sort --stats json` prints, as attributes: `records`, `bytes`,
    `seconds`, `passes`, `runs`, `memory_peak` and others. Figures that belong together are objects
    with attributes of their own. Sizes are in bytes, times in seconds.

        >>> statistics = sortwell.sort("in.txt", "out.txt")
        >>> statistics.records, statistics.streams.output_written

    In a notebook, statistics show themselves as the report page of `sortwell report`.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._fields[name]
        except KeyError:
            raise AttributeError(f"statistics have no figure {name!r}") from None
        return Statistics(value) if isinstance(value, dict) else value

    def __getstate__(self) -> dict[str, Any]:
        return self._fields

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistics) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        figures = ("records", "bytes", "seconds", "passes")
        words = (f"{name}={self._fields[name]!r}" for name in figures if name in self._fields)
        return f"Statistics({', '.join(words)})"

    def as_dict(self) -> dict[str, Any]:
        """Returns all figures as dicts, lists, numbers and strings.

            >>> statistics.as_dict()["records"]

        Raises nothing.
        """
        copy: dict[str, Any] = json.loads(json.dumps(self._fields))
        return copy

    def report(self) -> str:
        """Returns the report page of the job: one HTML file that needs no others.

            >>> pathlib.Path("report.html").write_text(statistics.report())

        Raises `MalformedError` for a part of statistics, such as `statistics.streams`.
        """
        return _native.report_page(json.dumps(self._fields))

    def _repr_html_(self) -> str | None:
        if "streams" not in self._fields:
            return None
        import html

        page = html.escape(self.report())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'


def of_json(text: str) -> Statistics:
    """Returns the statistics that a job has written as JSON."""
    return Statistics(json.loads(text))
