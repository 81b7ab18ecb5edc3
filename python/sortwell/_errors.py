"""The exceptions of the package."""

from __future__ import annotations

import os


class _Place:
    """Place of a fault, which all exceptions have; `Error` describes its attributes."""

    code: int = 1
    file: str | None = None
    offset: int | None = None
    record: int | None = None


class Error(_Place, Exception):
    """Base of all errors of sortwell. `Interrupted` is not one of them.

        try:
            sortwell.sort("orders.csv", "sorted.csv", key="amount:decimal")
        except sortwell.Error as error:
            print(error, error.code, error.file, error.offset, error.record)

    The attributes have the place of the fault. `code` is the exit status that the command has for
    it. `file` is the path of the file, `offset` the byte in it, from 0, and `record` the number of
    the record, from 1. Each of the last three is None if it is not known.
    """


class UsageError(Error, ValueError):
    """Wrong options, a wrong order of calls, or a request that cannot be carried out here."""


class MalformedError(Error):
    """Input without the given format or order, or a record that needs more memory."""


class StorageError(Error, OSError):
    """A read or a write that failed. `errno` and `filename` are those of the system.

    Both are None after `explain`, `generate`, `validate` and `calibrate`, which run the command.
    """

    def __str__(self) -> str:
        return str(self.strerror)


class NoSpaceError(StorageError):
    """Too little space for the output or for temporary files."""


class ProofError(Error):
    """A proof or a checksum that failed."""


class Interrupted(_Place, KeyboardInterrupt):
    """A signal, such as that of Ctrl-C, or a stop. No output file was made."""

    # Calls that the end of the interpreter refuses set no attribute.
    code = 130


_CLASSES = {
    kind.__name__: kind
    for kind in (
        Error,
        UsageError,
        MalformedError,
        StorageError,
        NoSpaceError,
        ProofError,
        Interrupted,
    )
}


def make(
    name: str,
    message: str,
    code: int,
    file: str | os.PathLike[str] | None,
    offset: int | None,
    record: int | None,
    number: int | None,
) -> BaseException:
    """Returns the exception of a class, with its place. `number` is that of the system's error."""
    kind = _CLASSES[name]
    path = None if file is None else os.fspath(file)
    error = kind(number, message) if issubclass(kind, OSError) else kind(message)
    if isinstance(error, StorageError):
        error.filename = path
    error.code, error.file, error.offset, error.record = code, path, offset, record
    return error


def content(
    error: Error,
) -> tuple[str, str, int, str | None, int | None, int | None, int | None]:
    """Returns what `make` needs to build an exception again."""
    number = error.errno if isinstance(error, OSError) else None
    kind, message = type(error).__name__, str(error)
    return kind, message, error.code, error.file, error.offset, error.record, number
