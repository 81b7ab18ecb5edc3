"""The report of a cluster sort: one page with a timeline, a profile of each node, and balance."""

from __future__ import annotations

import contextlib
import html
import os

from sortwell.cluster import _inputs
from sortwell.cluster._results import text_of_bytes
from sortwell.cluster._spec import storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortwell.cluster._results import ClusterStatistics
    from sortwell.cluster._spec import Work

# Sizes of charts, in pixels.
_WIDTH = 900
_LABEL = 120
_ROW = 18
_PROFILE = 90

# Intervals of a profile.
_INTERVALS = 120

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sortwell cluster: {records} records</title>
<style>
:root {{ color-scheme: light dark; --map: #2a6fbb; --reduce: #c2571a; --line: #8886; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; }}
body {{ padding: 0 1rem; }}
h1 {{ font-size: 1.4rem; }} h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid var(--line); }}
th:first-child, td:first-child {{ text-align: left; }}
.scroll {{ overflow-x: auto; }}
svg text {{ font: 12px system-ui, sans-serif; fill: currentColor; }}
.map {{ fill: var(--map); }} .reduce {{ fill: var(--reduce); }} .axis {{ stroke: var(--line); }}
</style>
<h1>{records} records in {seconds:.1f} s on {count} nodes</h1>
<p>{bytes}, {speed} a second; {passes}; {between} crossed between nodes. {faults}</p>
<h2>Tasks</h2>
<p>One row for each node and kind of task. <span style="color:var(--map)">&#9632;</span> maps sort
splits into runs, <span style="color:var(--reduce)">&#9632;</span> reduces merge them into
parts.</p>
<div class="scroll">{timeline}</div>
<h2>I/O of each node</h2>
<p>Bytes that its tasks read and wrote.</p>
<div class="scroll">{profiles}</div>
<h2>Nodes</h2>
<div class="scroll">{nodes}</div>
<h2>Bytes by sender and receiver</h2>
<p>Each row is a node that sent, each column one that received.</p>
<div class="scroll">{streams}</div>
<h2>Parts</h2>
<p>The largest part has {skew:.3f} times the bytes of the mean.</p>
<div class="scroll">{parts}</div>
<h2>Phases</h2>
<div class="scroll">{phases}</div>
</html>
"""


def check_place(path: str, inputs: list[str], output: str) -> None:
    """Raises an error if no file can be written to a path, or if it would replace another file.

    Files of nodes count as files of this machine, which may be one of these nodes.
    """
    places = [_inputs.place(name)[1] for name in inputs]
    folder, own = _inputs.place(output)[1], os.path.realpath(path)
    for place in [folder, *_inputs.expand(places)]:
        if own == os.path.realpath(place) or _is_same_file(path, place):
            raise usage_error(f"the page would replace {place}; give the page another name")
    if os.path.dirname(own) == os.path.realpath(folder):
        raise usage_error(f"the page {path} would be among the parts; give it another folder")
    if not os.access(os.path.dirname(own), os.W_OK) or os.path.isdir(path):
        raise storage_error(f"the report cannot be written to {path}")


def _is_same_file(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def write(path: str, statistics: ClusterStatistics) -> None:
    """Writes the page to a file. It appears whole."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(page(statistics))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def page(statistics: ClusterStatistics) -> str:
    """Returns the page."""
    names = [node.name for node in statistics.nodes]
    work = [work for work in statistics.work if work.ended > 0]
    rows = [
        (
            node.name,
            node.runs,
            text_of_bytes(node.bytes_sorted),
            node.parts,
            text_of_bytes(node.bytes_received),
            text_of_bytes(node.bytes_from_other_nodes),
        )
        for node in statistics.nodes
    ]
    faults = [
        f"{count} {what}."
        for count, what in [
            (statistics.maps_done_again, "maps were done again"),
            (statistics.parts_done_again, "parts were done again"),
            (statistics.maps_kept, "runs of an earlier sort were used"),
            (statistics.second_attempts, "second attempts of slow tasks"),
        ]
        if count
    ]
    return _PAGE.format(
        records=f"{statistics.records:,}",
        seconds=statistics.seconds,
        count=len(names),
        bytes=text_of_bytes(statistics.bytes),
        speed=text_of_bytes(int(statistics.bytes / max(statistics.seconds, 1e-9))),
        passes="one pass" if statistics.passes == 1 else f"{statistics.passes} passes",
        between=text_of_bytes(statistics.bytes_between_nodes),
        faults=" ".join(faults),
        timeline=_timeline(names, work),
        profiles=_profiles(names, work),
        nodes=_table(["node", "runs", "sorted", "parts", "received", "from other nodes"], rows),
        streams=_streams(statistics),
        skew=statistics.skew,
        parts=_parts(statistics),
        phases=_table(
            ["phase", "tasks", "seconds"],
            [(phase.name, phase.tasks, f"{phase.seconds:.2f}") for phase in statistics.phases],
        ),
    )


def _table(heads: list[str], rows: Iterable[tuple[object, ...]]) -> str:
    def line(tag: str, cells: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)

    return "<table>" + line("th", heads) + "".join(line("td", row) for row in rows) + "</table>"


def _streams(statistics: ClusterStatistics) -> str:
    """Returns a table of the bytes that each node has received of each."""
    receivers = statistics.nodes
    senders = dict.fromkeys(name for node in receivers for name in (node.name, *node.received_from))
    return _table(
        ["from", *(node.name for node in receivers)],
        [
            (name, *(text_of_bytes(node.received_from.get(name, 0)) for node in receivers))
            for name in senders
        ],
    )


def _span(work: list[Work]) -> tuple[float, float]:
    """Returns when the first task began, and the seconds until the last one ended."""
    if not work:
        return 0.0, 1.0
    begun = min(task.begun for task in work)
    return begun, max(max(task.ended for task in work) - begun, 1e-3)


def _chart(height: int, seconds: float, marks: list[str], words: str) -> str:
    """Returns a picture with an axis of seconds below the marks."""
    foot = f'<text x="{_LABEL}" y="{height + 14}">0 s</text>'
    foot += (
        f'<text x="{_LABEL + _WIDTH}" y="{height + 14}" text-anchor="end">{seconds:.1f} s</text>'
    )
    return (
        f'<svg width="{_LABEL + _WIDTH + 10}" height="{height + 20}" role="img" '
        f'aria-label="{html.escape(words)}"><line class="axis" x1="{_LABEL}" y1="{height}" '
        f'x2="{_LABEL + _WIDTH}" y2="{height}"/>{"".join(marks)}{foot}</svg>'
    )


def _timeline(names: list[str], work: list[Work]) -> str:
    begun, seconds = _span(work)
    marks = []
    for place, name in enumerate(names):
        marks.append(
            f'<text x="0" y="{(2 * place + 1) * _ROW + 4}">{html.escape(name[:14])}</text>'
        )
    for task in work:
        if task.node not in names:
            continue
        kind = task.name.partition(" ")[0]
        row = 2 * names.index(task.node) + (kind == "reduce")
        x = _LABEL + (task.begun - begun) / seconds * _WIDTH
        width = max((task.ended - task.begun) / seconds * _WIDTH - 1, 1)
        marks.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{row * _ROW + 2}" width="{width:.1f}" '
            f'height="{_ROW - 4}"><title>{html.escape(task.name)}: '
            f"{task.ended - task.begun:.2f} s</title></rect>"
        )
    return _chart(2 * len(names) * _ROW + 4, seconds, marks, "the tasks of each node over time")


def _spread(series: list[float], interval: tuple[float, float], count: int) -> None:
    """Adds bytes to the elements of a series that an interval touches, each with its share."""
    first, last = interval
    for at in range(max(int(first), 0), min(int(last) + 1, len(series))):
        overlap = min(last, at + 1) - max(first, at)
        series[at] += count * (overlap / (last - first) if last > first else 1.0)


def _profiles(names: list[str], work: list[Work]) -> str:
    begun, seconds = _span(work)
    step = seconds / _INTERVALS
    moved = {name: [0.0] * _INTERVALS for name in names}
    for task in work:
        before, bytes_before = task.begun, 0
        for at, total in task.moved:
            if task.node in moved:
                interval = ((before - begun) / step, (at - begun) / step)
                _spread(moved[task.node], interval, total - bytes_before)
            before, bytes_before = at, total
    most = max((max(series) for series in moved.values()), default=0.0) or 1.0
    charts = []
    for name, series in moved.items():
        width = _WIDTH / _INTERVALS
        bars = [
            f'<rect class="map" x="{_LABEL + at * width:.1f}" '
            f'y="{_PROFILE * (1 - value / most):.1f}" width="{width - 1:.1f}" '
            f'height="{_PROFILE * value / most:.1f}"/>'
            for at, value in enumerate(series)
            if value > 0
        ]
        label = f'<text x="0" y="{_PROFILE // 2}">{html.escape(name[:14])}</text>'
        label += f'<text x="0" y="12">{text_of_bytes(int(most / step))}/s</text>'
        charts.append(_chart(_PROFILE, seconds, [label, *bars], f"bytes moved by {name} over time"))
    return "<br>".join(charts)


def _parts(statistics: ClusterStatistics) -> str:
    """Returns a table of the parts with a bar each."""
    most = max((part.bytes for part in statistics.parts), default=0) or 1
    rows = []
    for part in statistics.parts:
        width = round(300 * part.bytes / most)
        rows.append(
            f"<tr><td>{html.escape(os.path.basename(part.path))}<td>{part.records:,}"
            f"<td>{text_of_bytes(part.bytes)}"
            "<td style='text-align:left'><svg width='300' height='12'>"
            f"<rect class='reduce' width='{width}' height='12'/></svg>"
        )
    return "<table><tr><th>part<th>records<th>bytes<th>" + "".join(rows) + "</table>"
