"""The command `sortwell cluster`."""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import sys
import warnings

from sortwell import _errors
from sortwell.cluster._signals import Signals
from sortwell.cluster._spec import FORMS, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from sortwell.cluster._results import ClusterProgress

_INSTALL = "pip install './python[cluster]'"

_EXAMPLES = """\
Examples:
  sortwell cluster sort -F csv -k id:int -o /shared/sorted /shared/data/*.csv
  sortwell cluster sort -k 2:decimal --parts 40 -M 8GiB -o 'node://*/out' 'node://*/logs/*.log'
  sortwell cluster explain --bytes 1TB --nodes 40 --cpus 16 -M 8GiB
"""

# Short options of `sortwell sort`.
_SHORT = {"-k": "key", "-F": "format", "-t": "separator", "-r": "reverse", "-u": "unique"}
_FLAGS = {"reverse", "unique", "count", "no-header"}

# Other options of `sortwell sort`.
_LONG = ["include", "exclude", "invalid", "ragged", "quote", "pad", "header", "no-header"]
_LONG += ["date-format", "random-seed", "unique-by", "count", "sum", "min", "max", "having"]
_LONG += ["select", "skip", "limit"]


class _Once(argparse.Action):
    """Stores the value of an option that may be given once, or `True` for a flag."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Stores the value."""
        given = namespace.__dict__.setdefault("given", set())
        if self.dest in given:
            parser.error(f"{option_string} is given twice; a cluster sort takes one")
        given.add(self.dest)
        setattr(namespace, self.dest, True if self.nargs == 0 else values)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sortwell cluster",
        description="Sorts on a cluster of machines, with Ray.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    sort = commands.add_parser(
        "sort",
        help="sort files into parts",
        description="Sorts files into parts that come one after another. The options that say how "
        "records are read, chosen and ordered are those of 'sortwell sort'.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    sort.add_argument("inputs", nargs="+", metavar="INPUT", help="a path, or node://NAME/path")
    sort.add_argument(
        "-o", "--output", action=_Once, required=True, metavar="DIR", help="folder of the parts"
    )
    sort.add_argument(
        "--parts", action=_Once, type=int, metavar="N", help="parts; by default one for each node"
    )
    sort.add_argument(
        "-M", "--memory", action=_Once, metavar="SIZE", help="limit of each node; 1GiB by default"
    )
    sort.add_argument(
        "-T", "--temp", action=_Once, metavar="DIR", help="folder for runs; /var/tmp by default"
    )
    sort.add_argument(
        "--address", action=_Once, help="cluster of Ray; by default one running here or a new one"
    )
    sort.add_argument(
        "--form", action=_Once, choices=FORMS, default=FORMS[0], help="how parts receive records"
    )
    flag: dict[str, Any] = {"action": _Once, "nargs": 0, "default": False}
    sort.add_argument("--resume", **flag, help="keep runs, or continue with kept ones")
    sort.add_argument(
        "--report", action=_Once, metavar="FILE", help="write a page with what each node did"
    )
    sort.add_argument("--stats", action=_Once, choices=["json"], help="print statistics")
    sort.add_argument("-q", "--quiet", **flag, help="show no progress")
    words = {name: [short] for short, name in _SHORT.items()} | {name: [] for name in _LONG}
    for name, shorts in words.items():
        known: dict[str, Any] = {"help": "as of 'sortwell sort'", "dest": name}
        known |= flag if name in _FLAGS else {"action": "append"}
        sort.add_argument(*shorts, f"--{name}", **known)
    explain = commands.add_parser(
        "explain",
        help="predict a sort",
        description="Predicts the passes, bytes and seconds of a sort on equal nodes.",
        allow_abbrev=False,
    )
    once: dict[str, Any] = {"action": _Once}
    size = {**once, "metavar": "SIZE"}
    explain.add_argument("--bytes", **size, required=True, help="bytes of the inputs")
    explain.add_argument("--nodes", **once, type=int, required=True, help="number of nodes")
    explain.add_argument("--cpus", **once, type=int, default=1, help="processors of a node")
    explain.add_argument("-M", "--memory", **size, help="limit of each node; 1GiB by default")
    explain.add_argument("--disk", **size, help="bytes a second of a node's disk; 1GB by default")
    explain.add_argument(
        "--network", **size, help="bytes a second of a node's network; 1.25GB by default"
    )
    return parser


def _others(words: list[str]) -> dict[str, list[str] | bool]:
    """Returns the options that the parser does not know: `--name=value`, or `--name` for a flag."""
    options: dict[str, list[str] | bool] = {}
    for word in words:
        if not word.startswith("--"):
            raise usage_error(f"unknown option '{word}'")
        name, equals, value = word.removeprefix("--").partition("=")
        if not equals:
            options[name] = True
        else:
            values = options.setdefault(name, [])
            if isinstance(values, list):
                values.append(value)
    return options


class _Screen:
    """Standard error, with a line that shows the progress until other text comes."""

    def __init__(self) -> None:
        self._is_line_open = False
        # Width of the line that was shown last.
        self._width = 0

    def say(self, text: str) -> None:
        """Prints text in lines of its own."""
        start = "\n" if self._is_line_open else ""
        self._is_line_open = False
        print(f"{start}{text}", file=sys.stderr, flush=True)

    def warn(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Prints a warning, as `warnings.showwarning` is called."""
        self.say(f"sortwell: {message}")

    def show(self, progress: ClusterProgress) -> None:
        """Shows the progress in a line that fits into the terminal."""
        width = 30
        filled = int(width * (progress.share or 0))
        bar = "#" * filled + "." * (width - filled)
        counts = f"{progress.done}/{progress.tasks} tasks" if progress.tasks else ""
        line = f"{progress.phase:6} [{bar}] {counts}"
        self._is_line_open = True
        # A terminal may wrap a line that fills it. A shorter line covers the one before.
        line = line[: _columns() - 1]
        print(f"\r{line:{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def close(self) -> None:
        """Ends the line of the progress."""
        if self._is_line_open:
            self._is_line_open = False
            print(file=sys.stderr, flush=True)


def _columns() -> int:
    """Returns the width of the terminal."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _sort(
    arguments: argparse.Namespace, unknown: list[str], screen: _Screen, signals: Signals
) -> None:
    from sortwell.cluster import sort

    options = _others(unknown)
    if own := options.keys() & inspect.signature(sort).parameters.keys():
        raise usage_error(f"unknown option '--{min(own)}'")
    for name in [*_SHORT.values(), *_LONG]:
        if value := getattr(arguments, name):
            if name in options:
                raise usage_error(f"--{name} is given twice; a cluster sort takes one")
            options[name] = value
    shows = not arguments.quiet and sys.stderr.isatty()

    def progress(seen: ClusterProgress) -> None:
        signals.check()
        if shows:
            screen.show(seen)

    statistics = sort(
        arguments.inputs,
        arguments.output,
        parts=arguments.parts,
        memory=arguments.memory,
        temp=arguments.temp,
        address=arguments.address,
        form=arguments.form,
        resume=arguments.resume,
        report=arguments.report,
        progress=progress,
        **options,
    )
    screen.close()
    if arguments.stats:
        screen.say(json.dumps(statistics.as_dict()))
        return
    for message in statistics.messages:
        screen.say(f"sortwell: {message}")


def _explain(arguments: argparse.Namespace) -> None:
    from sortwell.cluster import explain
    from sortwell.cluster._results import text_of_bytes

    found = explain(
        arguments.bytes,
        nodes=arguments.nodes,
        cpus=arguments.cpus,
        memory=arguments.memory,
        disk=arguments.disk,
        network=arguments.network,
    )
    print(f"passes          {found.passes}")
    print(f"between nodes   {text_of_bytes(found.bytes_between_nodes)}")
    for phase in found.phases:
        print(f"{phase.name:15} {phase.seconds:.1f} s, limited by the {phase.limit}")
        moved = [
            f"{text_of_bytes(size)} {how}"
            for size, how in [
                (phase.bytes_read, "read"),
                (phase.bytes_written, "written"),
                (phase.bytes_received, "received"),
            ]
            if size
        ]
        if moved:
            print(f"  each node     {', '.join(moved)}")
    print(f"time            {found.seconds:.1f} s")


def main(words: list[str] | None = None, signals: Signals | None = None) -> int:
    """Runs the command, and returns its exit status. A signal that was heard stops a sort."""
    words, signals = sys.argv[1:] if words is None else words, signals or Signals()
    # A flag that may have a value takes it after an equals sign alone.
    valued = [word for word in words if word.startswith("--unique=")]
    arguments, unknown = _parser().parse_known_args([w for w in words if w not in valued])
    unknown += valued
    if importlib.util.find_spec("ray") is None or importlib.util.find_spec("aiohttp") is None:
        how = f"install it from a copy of the repository of sortwell with: {_INSTALL}"
        print(f"sortwell: Ray is not installed; {how}", file=sys.stderr)
        return 2
    # The command says itself why it failed. Ray would also print the errors of tasks it has ended.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    screen = _Screen()
    warnings.showwarning = screen.warn
    try:
        if arguments.command == "sort":
            _sort(arguments, unknown, screen, signals)
        elif unknown:
            raise usage_error(f"unknown option '{unknown[0]}'")
        else:
            _explain(arguments)
    except _errors.Error as error:
        screen.say(f"sortwell: {error}")
        return int(error.code)
    except KeyboardInterrupt:
        screen.say("sortwell: interrupted")
        return signals.status(130)
    return signals.status(0)


def run() -> None:
    """Runs the command as the process, which dies of a signal that has stopped it."""
    signals = Signals()
    signals.hear()
    sys.exit(main(signals=signals))


if __name__ == "__main__":
    run()
