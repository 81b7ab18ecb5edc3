"""Figures as text: a table for people after each suite, and Markdown from raw files.

Times are the best, the median and the worst of the rounds, ratios those of the best and of the
median times. Processor seconds are the least of the rounds, as noise only ever adds, and peaks the
highest.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

# Steps that workers spend their time on, with their names in the statistics.
STEPS = {
    "reading": ("reading",),
    "dealing": ("dealing",),
    "sorting": ("sorting",),
    "merging": ("merging",),
    "gathering": ("gathering",),
    "writing": ("writing",),
    "waiting": ("waiting", "resting"),
}

COLUMNS = ("best s", "median s", "worst s", "user s", "system s", "peak MiB", "MB/s")


def column(result: dict, name: str, what: str) -> list[float]:
    """One figure of one contender, for every round."""
    return [taken[name][what] for taken in result["rounds"]]


def spread(result: dict, name: str) -> tuple[float, float, float]:
    """Best, median and worst seconds of a contender."""
    seconds = column(result, name, "seconds")
    return min(seconds), statistics.median(seconds), max(seconds)


def ratio(result: dict, name: str, other: str) -> tuple[float, float]:
    """Ratios of the best and of the median times."""
    ours, theirs = spread(result, name), spread(result, other)
    return ours[0] / theirs[0], ours[1] / theirs[1]


def headline(result: dict) -> str:
    """What was sorted, in one line."""
    size = f"{result['records']:,} records of {result['record_bytes']} bytes"
    how = f"{result['bytes'] / 1e9:.2f} GB, {result['cache']}, rounds: {len(result['rounds'])}"
    return f"{result['suite']}: {size}, {how}"


def for_people(result: dict) -> str:
    """The table that ends the measuring of a suite."""
    lines = [headline(result), " " * 12 + "".join(f"{title:>10}" for title in COLUMNS)]
    for name in result["rounds"][0]:
        best, median, worst = spread(result, name)
        user = min(column(result, name, "user_seconds"))
        system = min(column(result, name, "system_seconds"))
        peak_mib = max(column(result, name, "peak_bytes")) / (1 << 20)
        times = "".join(f"{value:10.2f}" for value in (best, median, worst, user, system))
        lines.append(f"  {name:10}{times}{peak_mib:10.0f}{result['bytes'] / 1e6 / best:10.0f}")
    for name, other in result["ratios"]:
        best, median = ratio(result, name, other)
        aim = f", to be at most {result['aim']}" if other == result["ratios"][0][1] else ""
        lines.append(f"  {name} / {other}: {best:.3f} of the best{aim}; {median:.3f} of the median")
    left_out = result.get("left_out", {}).items()
    lines += [f"  LEFT OUT: {name}: {reason}" for name, reason in left_out]
    return "\n".join([*lines, *surprises(result)])


def surprises(result: dict) -> list[str]:
    """Where the sort went another way than the floor it is compared with."""
    accounts = {n: t["stats"] for n, t in result["rounds"][0].items() if "stats" in t}
    return [
        f"  note: {name} took {stats['passes']} passes, the floor counts {result['passes']}"
        for name, stats in accounts.items()
        if stats["passes"] != result["passes"]
    ]


# ---- Markdown -----------------------------------------------------------------------------------


def summary(paths: list[Path]) -> str:
    """Tables of all raw files, one set for each machine."""
    machines: dict[str, list[tuple[str, dict]]] = {}
    for path in paths:
        raw = json.loads(path.read_text())
        if "suites" not in raw:
            continue  # figures of another program
        source = f"`{path.name}`, {raw['date'][:10]}"
        results = machines.setdefault(machine_line(raw["machine"]), [])
        results.extend((source, result) for result in raw["suites"])
    return "\n\n".join(f"{line}:\n\n{machine_tables(found)}" for line, found in machines.items())


def machine_line(machine: dict) -> str:
    """The machine in words."""
    kind = "virtual machine, " if machine["is_virtual"] else ""
    memory = f"{machine['memory_bytes'] / (1 << 30):.1f} GiB"
    system = f"Linux {machine['kernel']}, {machine['file_system']}"
    return f"{kind}{machine['cores']} cores of {machine['cpu']}, {memory}, {system}"


def machine_tables(results: list[tuple[str, dict]]) -> str:
    """Suites beside the floor in one table, each suite of orders in one of its own."""
    beside_floor = [found for found in results if "floor" in found[1]["rounds"][0]]
    others = [found for found in results if found not in beside_floor]
    tables = [floor_table(beside_floor)] if beside_floor else []
    accounted = [
        found
        for found in beside_floor
        if "workers" in found[1]["rounds"][0]["sortwell"].get("stats", {})
    ]
    tables += [step_table(accounted)] if accounted else []
    return "\n\n".join(tables + [order_table(*found) for found in others])


def step_table(results: list[tuple[str, dict]]) -> str:
    """One row a suite: nanoseconds that its workers together spend on a record, in the best round.

    They are on the clock: each worker is in one step at a time, also while it waits for memory.
    """
    rows = []
    for source, result in results:
        best = min((taken["sortwell"] for taken in result["rounds"]), key=lambda t: t["seconds"])
        workers, records = best["stats"]["workers"], result["records"]
        spent = [
            sum(worker.get(part, 0) for worker in workers for part in parts)
            for parts in STEPS.values()
        ]
        rows.append([result["suite"], *(f"{s / records * 1e9:.0f}" for s in spent), source])
    titles = ["suite, ns a record", *STEPS, "raw data"]
    return f"By step, of the workers together:\n\n{markdown(titles, rows)}"


def floor_table(results: list[tuple[str, dict]]) -> str:
    """One row a suite."""
    titles = ["suite", "input", "sortwell", "floor", "`cp`", "sortwell / floor", "sortwell / `cp`"]
    titles += ["aim", "user + system CPU a GB", "peak", "rounds", "raw data"]
    rows = []
    for source, result in results:
        size = f"{result['records']:,} x {result['record_bytes']} B, {result['bytes'] / 1e9:.2f} GB"
        times = [in_cell(*spread(result, name)) for name in ("sortwell", "floor", "cp")]
        ratios = [ratio_cell(result, "sortwell", name) for name in ("floor", "cp")]
        other = result["ratios"][0][1]
        aim = result["aim"] if other == "floor" else f"{result['aim']} / `{other}`"
        cells = [result["suite"], size, *times, *ratios, aim]
        rows.append([*cells, *costs(result, "sortwell"), rounds(result), source])
    return markdown(titles, rows)


def order_table(source: str, result: dict) -> str:
    """One row an order, beside the first of them."""
    first = next(iter(result["rounds"][0]))
    titles = ["variant", "sortwell", f"/ {first}", "user + system CPU a GB", "peak", "spilled"]
    rows = []
    for name in result["rounds"][0]:
        cells = [name, in_cell(*spread(result, name)), ratio_cell(result, name, first)]
        rows.append([*cells, *costs(result, name), spilled(result, name)])
    return f"{headline(result)} ({source}):\n\n{markdown(titles, rows)}"


def ratio_cell(result: dict, name: str, other: str) -> str:
    """The ratios of two contenders in one cell."""
    best, median = ratio(result, name, other)
    return f"**{best:.2f}** ({median:.2f})"


def in_cell(best: float, median: float, worst: float) -> str:
    """Seconds in one cell."""
    return f"{best:.2f} s ({median:.2f}, {worst:.2f})"


def costs(result: dict, name: str) -> list[str]:
    """Processor time a gigabyte and the highest resident size."""
    size_gb = result["bytes"] / 1e9
    user = min(column(result, name, "user_seconds")) / size_gb
    system = min(column(result, name, "system_seconds")) / size_gb
    peak_mib = max(column(result, name, "peak_bytes")) / (1 << 20)
    return [f"{user:.2f} + {system:.2f} s", f"{peak_mib:.0f} MiB"]


def spilled(result: dict, name: str) -> str:
    """Bytes of runs that were written in the first round."""
    stats = result["rounds"][0][name].get("stats", {})
    count = stats.get("streams", {}).get("spill_written", 0)
    return f"{count / 1e9:.2f} GB" if count else "-"


def rounds(result: dict) -> str:
    """How often it was measured, and with what in the page cache."""
    return f"{len(result['rounds'])}, {result['cache']}"


def markdown(titles: list[str], rows: list[list]) -> str:
    """A Markdown table."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
