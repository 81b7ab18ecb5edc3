"""Keeps a case that differs in a folder, and says how to repeat it by hand."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from .case import Case
from .circumstances import STDIN_FILE, STDIN_PIPE
from .place import Place
from .run import Runner, Verdict

SHOWN_BYTES = 160


def keep(runner: Runner, case: Case, verdict: Verdict, folder: Path) -> str:
    """Lays a case out in a folder, with what is wanted of it; the words that say so."""
    place = Place(runner.binary, runner.root, case)
    place.lay_out()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(runner.root, folder)
    words = place.words(verdict.budget_mib, verdict.temp_limit)
    words = [shlex.quote(word) for word in words]
    command = " ".join(["sortwell", *words])
    if case.circumstances.input in (STDIN_FILE, STDIN_PIPE) and place.names:
        command += f" < {place.names[0]}"
    lines = [f"  cd {folder}", f"  {command}"]
    (folder / "command").write_text(command + "\n")
    for kill in case.circumstances.kills:
        after = "the manifest is there" if kill.is_after_note else "the start"
        lines.append(f"  killed {kill.seconds * 1000:.1f} ms after {after}, then the same again")
    for name, data in zip(place.names, place.contents):
        lines.append(f"  {name}: {shown(data)}")
    for name, data in case.files:
        lines.append(f"  {name}: {shown(data)}")
    lines += [f"  {fault.kind}: {fault.words}" for fault in verdict.faults[:3]]
    if verdict.unspecified:
        lines.append(f"  the model does not say: {verdict.unspecified}")
    lines += outcome_lines("wanted", verdict.wanted, folder)
    lines += outcome_lines("found", verdict.outcome, folder)
    return "\n".join(lines)


def outcome_lines(title: str, outcome: object, folder: Path) -> list[str]:
    """Returns what an outcome holds, and puts its outputs into the folder."""
    if outcome is None:
        return []
    lines = [f"  {title}: status {outcome.status}"]
    (folder / title).mkdir()
    for name, data in sorted(outcome.outputs.items()):
        (folder / title / f"result{name}").write_bytes(data)
        lines.append(f"  {title}{' ' + name if name else ''}: {shown(data)}")
    return lines


def shown(data: bytes) -> str:
    """Returns data in hexadecimal digits and as Python shows it, or how long it is."""
    if len(data) > SHOWN_BYTES:
        return f"{len(data)} bytes"
    return f"{data!r}, in hex {data.hex()}" if data else "empty"
