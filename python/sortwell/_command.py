"""Operations that the packaged command does, in a process of its own.

Their errors have the message of the command and its exit status as `code`, and no place.
"""

from __future__ import annotations

import json
import os
import sys

from sortwell import _errors, _native, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sortwell._options import Option, Path, Paths

_KINDS = {2: "UsageError", 3: "MalformedError", 4: "StorageError", 5: "ProofError"}


def command_path() -> str:
    """Returns the path of the command that the package has installed.

    Raises `UsageError` if it is not there.
    """
    import sysconfig

    places = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        # Beside the package, as `pip install --target` puts it.
        os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"),
    ]
    for place in places:
        path = os.path.join(place, "sortwell")
        if os.access(path, os.X_OK):
            return path
    message = f"the command 'sortwell' is in none of {', '.join(places)}; install the package again"
    raise _options.usage(message)


def _run(words: list[str], allowed: tuple[int, ...] = (0,)) -> tuple[int, str, str]:
    """Runs the command. Returns its exit status and what it wrote to both streams."""
    import subprocess

    pipe = subprocess.PIPE
    process: subprocess.Popen[str] | None = None
    try:
        process = subprocess.Popen(
            [command_path(), *words],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            # The command writes UTF-8 in every locale, and names of files as they are.
            encoding="utf-8",
            errors="surrogateescape",
        )
        printed, said = process.communicate()
    except BaseException as raised:
        if process is not None:
            process.terminate()
            process.wait()
        if type(raised) is KeyboardInterrupt:
            message = "interrupted"
            raise _errors.make("Interrupted", message, 130, None, None, None, None) from raised
        raise
    status = process.returncode
    if status in allowed:
        return status, printed, said
    raise _failure(status, said)


def _failure(status: int, said: str) -> BaseException:
    """Returns the error of a command that ended with a status, after it had said this."""
    lines = [line.removeprefix("sortwell: ") for line in said.splitlines()]
    message = " ".join(line.strip() for line in lines if line) or f"exit status {status}"
    return _errors.make(_KINDS.get(status, "Error"), message, status, None, None, None, None)


def _command_line(command: str, options: dict[str, Option]) -> list[str]:
    found = _options.words(command, options)
    for name, _ in found:
        _native.check_option(name)
    return [f"--{name}" if value is None else f"--{name}={value}" for name, value in found]


def explain(inputs: Paths, output: Path | None = None, **options: Option) -> dict[str, Any]:
    """Returns the plan of a sort that is not carried out.

    The arguments are those of `sort`. The result is what `sortwell explain --form json` prints:
    passes, runs, the division of memory, and the reason of each decision.

        sortwell.explain("big.csv", "out.csv", key="id:int", memory="1GiB")["outlook"]["passes"]

    Raises `UsageError`, `MalformedError` or `StorageError`.
    """
    words = ["explain", "--form=json", *_command_line("explain", options)]
    if output is not None:
        words.append(f"--output={os.fsdecode(output)}")
    names = _options.paths(inputs)
    if not names:
        raise _options.usage("the job has no input; add the files to read")
    if "-" in names:
        raise _options.usage(
            "'-' is a standard stream of the command; a library takes names of files, and the "
            "file of that name is written ./-"
        )
    plan: dict[str, Any] = json.loads(_run([*words, "--", *names])[1])
    return plan


def generate(records: int, output: Path, **options: Option) -> int | None:
    """Makes a file of the 100-byte records of the sort benchmark.

    The options are those of `sortwell generate`: `ascii`, `skewed`, `start`, `threads`, `force`
    and `checksum`. With `checksum=True`, returns the sum of the CRC-32s of the records.

        sortwell.generate(1_000_000, "records.bin")

    Raises `UsageError` or `StorageError`.
    """
    name = _file_name(output)
    said = _run(["generate", *_command_line("generate", options), "--", str(records), name])[2]
    return int(said.split()[-1], 16) if options.get("checksum") else None


class Validation:
    """Result of `validate`: true if all records are in order. `message` is what valsort says.

        result = sortwell.validate("records.bin")
        if not result:
            print(result.message)

    `is_sorted` has the same truth as an attribute.
    """

    __slots__ = ("is_sorted", "message")

    def __init__(self, is_sorted: bool, message: str) -> None:
        self.is_sorted = is_sorted
        self.message = message

    def __bool__(self) -> bool:
        return self.is_sorted

    def __repr__(self) -> str:
        return f"<sortwell.Validation is_sorted={self.is_sorted}: {self.message}>"


def validate(file: Path, **options: Option) -> Validation:
    """Checks a file of the records of the sort benchmark.

    The options are those of `sortwell validate`.

        assert sortwell.validate("sorted.bin")

    Raises `UsageError`, `MalformedError` or `StorageError`.
    """
    name = _file_name(file)
    status, _, said = _run(["validate", *_command_line("validate", options), name], allowed=(0, 1))
    summary = "SUCCESS" if status == 0 else "ERROR"
    if not any(line.startswith(summary) for line in said.splitlines()):
        raise _failure(status, said)
    return Validation(status == 0, said.strip())


def calibrate(what: str, *directories: Path, **options: Option) -> str:
    """Measures this machine, and notes the result in its profile for predictions and plans.

    `what` is "disk", with directories to measure, "memory", or "cpu". The options are those of
    `sortwell calibrate`: `seconds`, `profile`, and `stripe` for disks. Returns what was found, in
    words.

        print(sortwell.calibrate("disk", "scratch", seconds=20))

    Raises `UsageError` or `StorageError`.
    """
    if what not in ("disk", "memory", "cpu"):
        raise _options.usage(f"calibrate: {what!r} is not one of 'disk', 'memory' and 'cpu'")
    names = [_file_name(directory) for directory in directories]
    return _run(["calibrate", what, *_command_line(f"calibrate {what}", options), *names])[1]


def _file_name(path: Path) -> str:
    """Returns a path that is no option and no standard stream."""
    name = os.fsdecode(path)
    return f"./{name}" if name.startswith("-") else name


if sys.platform != "linux":
    raise ImportError("sortwell runs on Linux alone")
