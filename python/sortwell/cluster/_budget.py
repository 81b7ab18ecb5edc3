"""The memory of a node, and what each step of a sort may take of it.

    map       interpreters | runs in memory | the sort of a split
    reduce    interpreters | runs in memory | the merge of a part | all merges that the node sends

Runs are in memory only if those of each node fit. Otherwise they are on disk, and take none.
"""

from __future__ import annotations

from sortwell.cluster._spec import bytes_of, usage_error

# Memory of a node without the option.
_DEFAULT = "1GiB"

# Memory of two interpreters: of the exchange, and of a task.
_INTERPRETERS = 192 << 20

# Least memory of a sort with both interpreters, and of a merge.
_LEAST = 128 << 20
_EACH = 40 << 20

# Part of the memory of a task that a split takes: its records and their entries fit.
_SPLIT_SHARE = 0.4

# Part of the memory of a task that runs take at most.
_RUNS_SHARE = 0.6


def checked(memory: str | int | None) -> int:
    """Returns the memory of a node in bytes."""
    return bytes_of(_DEFAULT if memory is None else memory)


def check(memory: int, nodes: int) -> None:
    """Raises `UsageError` if the memory of a node is too little: each node sends to all others."""
    least = max(_LEAST + _EACH * nodes, 256 << 20)
    if memory < least:
        raise usage_error(
            f"with {nodes} nodes, each needs {least >> 20} MiB at least; "
            f"{memory >> 20} MiB were given"
        )


def of_task(memory: int) -> int:
    """Returns the bytes that the sort of a split may take. The interpreters have the rest."""
    return max(memory - _INTERPRETERS, 64 << 20)


def of_split(memory: int) -> int:
    """Returns the most bytes of a split."""
    return int(of_task(memory) * _SPLIT_SHARE)


def of_runs(memory: int, nodes: int) -> int:
    """Returns the most bytes of runs that stay in the memory of a node, beside its merges."""
    least_of_merges = _EACH * (nodes + 1)
    return max(min(int(of_task(memory) * _RUNS_SHARE), of_task(memory) - least_of_merges), 0)


def of_merge(memory: int, held: int, count: int = 1) -> int:
    """Returns the bytes of a part's merge, or of each of `count` merges that a node sends.

    `held` is the bytes of the runs in the memory of the node.
    """
    return max(min(memory // 4, (of_task(memory) - held) // 2) // count, _EACH)
