"""The memory of a node, and what each step of a sort may take of it.

    map       interpreters | runs in memory | the sort of a split
    reduce    interpreters | runs in memory | the merge of a part | all merges that the node sends
                                                                  | or blocks of the part's sources

Runs stay in memory only if those of each node fit. Otherwise they are on disk. Nodes merge what
they send if a part has too many runs to receive all at the same time.
"""

from __future__ import annotations

import contextlib
import os

from sortwell.cluster._spec import bytes_of, usage_error

# Memory of a node without the option.
_DEFAULT = "1GiB"

# Memory of two interpreters: of the exchange, and of a task.
_INTERPRETERS = 192 << 20

# Least memory of a sort with both interpreters, of the sort of a split, and of a merge.
_LEAST = 128 << 20
_SORT_LEAST = 64 << 20
_EACH = 40 << 20

# Memory of the blocks of a source that a part receives.
_BLOCKS = 4 << 20

# Most runs that are sources by themselves: each takes a thread and a connection.
_RUNS_AT_ONCE = 64

# Part of the memory of a sort that a split takes: its records and their entries fit.
_SPLIT_SHARE = 0.4

# Least bytes of a split of a large input.
_SPLIT_LEAST = 1 << 20

# Part of the memory of a task that runs take at most.
_RUNS_SHARE = 0.6

# Memory of the keys of all runs that the driver has, and least memory of those of a run.
_KEYS = 64 << 20
_KEYS_LEAST = 64 << 10

# Runs that always stay in memory: merges of so few bytes take less than their limits.
_RUNS_LEAST = 16 << 20


def checked(memory: str | int | None) -> int:
    """Returns the memory of a node in bytes."""
    return bytes_of(_DEFAULT if memory is None else memory)


def check(memory: int, nodes: int) -> None:
    """Raises `UsageError` if the memory of a node is too little: each node sends to all others."""
    least = max(_LEAST + _EACH * nodes, 256 << 20)
    if memory < least:
        given = f"{memory >> 20} MiB" if memory >> 20 else f"{memory} bytes"
        raise usage_error(
            f"with {nodes} nodes, each needs {least >> 20} MiB at least; "
            f"{given} were given; give more with 'memory'"
        )


def held(folder: str) -> int:
    """Returns the bytes of the runs in a folder of memory. Their indexes take little."""
    found = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Another attempt may remove it meanwhile.
            with contextlib.suppress(OSError):
                found += 0 if entry.name.endswith(".index") else entry.stat().st_size
    return found


def of_sort(memory: int, held: int = 0) -> int:
    """Returns the bytes that the sort of a split may take.

    `held` is the bytes of the runs that are in the memory of the node, or will be.
    """
    return max(memory - _INTERPRETERS - held, _SORT_LEAST)


def of_split(memory: int, held: int = 0) -> int:
    """Returns the most bytes of a split."""
    return int(of_sort(memory, held) * _SPLIT_SHARE)


def split_length(memory: int, nodes: int, share: int, keeps: bool) -> int:
    """Returns the length of the splits of a large input. A node has `share` bytes of all inputs."""
    most = of_split(memory)
    if keeps:
        # Kept runs are of the same splits if the sort continues on fewer nodes.
        return max(min(most, share), _SPLIT_LEAST)
    if share <= of_runs(memory, nodes):
        most = of_split(memory, share)
    # Splits have one length, so that nodes get as many.
    return max(-(-share // max(-(-share // most), 1)), _SPLIT_LEAST)


def of_runs(memory: int, nodes: int) -> int:
    """Returns the most bytes of runs that stay in the memory of a node."""
    tasks = of_sort(memory)
    least_of_merges = _EACH * (nodes + 1)
    return max(min(int(tasks * _RUNS_SHARE), tasks - least_of_merges), _RUNS_LEAST)


def of_keys(runs: int) -> int:
    """Returns the bytes of the keys that the driver gets of each of many runs."""
    return max(_KEYS // max(runs, 1), _KEYS_LEAST)


def of_sent_merge(memory: int, nodes: int, held: int) -> int:
    """Returns the bytes of each merge that a node sends: one to each node."""
    return max(_of_merges(memory, held) // nodes, _EACH)


def of_part(memory: int, held: int, nodes: int, sources: int) -> int:
    """Returns the bytes of the merge of a part of this many sources.

    Beside it are the merges that the node sends to `nodes` nodes. If that is 0, no node merges, and
    the part has blocks of all sources.
    """
    beside = of_sent_merge(memory, nodes, held) * nodes if nodes else sources * _BLOCKS
    return max(min(_of_merges(memory, held), of_sort(memory, held) - beside), _EACH)


def sources_at_once(memory: int, held: int) -> int:
    """Returns the most sources that a part receives at the same time."""
    return _of_merges(memory, held) // _BLOCKS


def runs_at_once(memory: int, held: int) -> int:
    """Returns the most runs of a part of which each is a source by itself."""
    return min(sources_at_once(memory, held), _RUNS_AT_ONCE)


def _of_merges(memory: int, held: int) -> int:
    """Returns the bytes of a part's merge, of all merges that a node sends, or of all blocks."""
    return min(memory // 4, of_sort(memory, held) // 2)
