"""Inputs: shared paths, paths on nodes, patterns."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from dataclasses import replace

from sortwell import __version__, _errors, _native
from sortwell.cluster._losses import NodeLost
from sortwell.cluster._spec import (
    InputFile,
    Split,
    lost_input,
    malformed_error,
    reworded,
    storage_error,
    usage_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sortwell.cluster._nodes import Cluster
    from sortwell.cluster._spec import Spec

_SCHEME = "node://"

# Mark of the byte order before the first row.
_MARK = b"\xef\xbb\xbf"


def place(path: str) -> tuple[str | None, str]:
    """Returns the name of the node, or None for a shared path, and the path there.

    A path on a node is `node://NAME/path`; `node://*/path` is on every node.
    """
    if not path:
        raise usage_error("the name of a file is empty")
    if not path.startswith(_SCHEME):
        return None, os.path.abspath(path)
    name, slash, rest = path.removeprefix(_SCHEME).partition("/")
    if not name or not slash or not rest:
        raise usage_error(f"'{path}' names no file of a node; write node://NAME/path")
    return name, f"/{rest}"


def identity(names: list[str], output: str, spec: Spec) -> str:
    """Returns a name that is the same for the same sort, wherever it is called."""
    places = [place(name) for name in [*names, output]]
    values = json.dumps([__version__, places, spec.options, spec.named_files])
    return hashlib.sha256(values.encode()).hexdigest()[:12]


def expand(paths: list[str]) -> list[str]:
    """Returns the files that paths and patterns name here, each pattern's in order."""
    found = []
    for path in paths:
        if glob.has_magic(path) and not os.path.exists(path):
            found += sorted(glob.glob(path, recursive=True))
        else:
            found.append(path)
    return found


def find(cluster: Cluster, paths: list[str]) -> list[InputFile]:
    """Returns the input files. Raises `UsageError` for a node or pattern that has none.

    The loss of a node that should have some is an error that names the path.
    """
    found: list[InputFile] = []
    for name in paths:
        node, path = place(name)
        if node is None:
            tops = cluster.call_any("tops", [path])
            found += [InputFile(file, None, *top) for file, *top in tops]
            if not tops:
                raise storage_error(f"no file has a name like {name}")
            continue
        count = len(found)
        for owner in cluster.named(node):
            try:
                tops = cluster.call(owner.id, "tops", [path])
            except NodeLost as error:
                raise lost_input(path) from error
            except _errors.Error as error:
                raise reworded(error, f"{error} (on node {owner.name})") from None
            found += [InputFile(file, owner.id, *top) for file, *top in tops]
        if len(found) == count:
            raise storage_error(f"no node has a file with a name like {name}")
    return found


def with_top(spec: Spec, files: list[InputFile]) -> Spec:
    """Returns the settings for inputs that begin as these files do."""
    cells = (file.first_row_cells for file in files if file.first_row_cells is not None)
    spec = replace(spec, first_row_cells=next(cells, None))
    return spec.with_header(_common_header(files, spec))


def _common_header(files: list[InputFile], spec: Spec) -> bytes:
    """Returns the header of all files: the first one. Raises `MalformedError` if columns differ.

    Without a header row, it is a mark of the byte order or nothing. Files without rows have none.
    """
    if not spec.has_header_row:
        files = [file for file in files if not spec.has_cells or file.bytes > len(file.header)]
        top = next((file.header for file in files if file.header or spec.has_cells), b"")
        return whole_header(top, spec)
    rows = [(file, file.header.removeprefix(_MARK)) for file in files]
    # A file that consists of a mark has no rows.
    rows = [(file, row) for file, row in rows if row]
    for file, row in rows:
        own = rows[0][1]
        if row != own and not _native.has_same_columns(spec.cut_words(), own, row):
            raise malformed_error(
                f"{file.path}: its header is not that of {rows[0][0].path}; a cluster sort needs "
                "files with the same columns",
                file.path,
            )
    return whole_header(rows[0][0].header, spec) if rows else b""


def whole_header(header: bytes, spec: Spec) -> bytes:
    """Returns a header whose last line has its end. A mark of the byte order alone is no line."""
    is_whole = header in (b"", _MARK) or header.endswith(b"\n")
    return header if is_whole or not spec.has_header_lines else header + b"\n"


def splits(
    files: list[InputFile], length: int, spec: Spec, cut: Callable[..., list[int]]
) -> list[Split]:
    """Returns the splits of about `length` bytes, in the order of the inputs.

    `cut` returns the beginnings of the splits of a file. A compressed file is one split.
    """
    found: list[Split] = []
    for file in files:
        top = len(file.header)
        if spec.has_header_row and file.header in (b"", _MARK):
            # The file has no rows.
            continue
        if file.is_compressed and file.bytes:
            place = (len(found), file.path, file.node, 0, file.bytes)
            found.append(Split(*place, True, file.state, whole_header(file.header, spec)))
            continue
        if file.bytes <= top:
            continue
        count = max(-(-(file.bytes - top) // length), 1)
        starts = [top]
        if count > 1:
            starts = cut(file, top, -(-(file.bytes - top) // count))
        for start, end in zip(starts, [*starts[1:], file.bytes], strict=True):
            found.append(Split(len(found), file.path, file.node, start, end, False, file.state))
    return found


def assign(splits: list[Split], nodes: list[str]) -> dict[int, str]:
    """Returns the node of each split: that of its file, or neighbours on the same node."""
    shared = [split for split in splits if split.node is None]
    total, passed = sum(split.bytes for split in shared), 0
    chosen = {}
    for split in splits:
        if split.node is not None:
            chosen[split.number] = split.node
            continue
        middle = passed + split.bytes / 2
        chosen[split.number] = nodes[min(int(middle * len(nodes) / total), len(nodes) - 1)]
        passed += split.bytes
    return chosen
