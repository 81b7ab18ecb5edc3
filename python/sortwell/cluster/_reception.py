"""Receiving records from exchanges, in the three forms of the NOW-Sort paper.

threaded      each source is received by a thread of its own while records are merged
interleaved   one thread receives a block of each source in turn; then they are merged
synchronous   one source is received after another; then they are merged

A part of more sources than memory is for is received in the last form.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import urllib.parse

from sortwell import _errors, _native
from sortwell.cluster import _budget
from sortwell.cluster._exchange import ALIVE, FAULT, FRAME
from sortwell.cluster._feeds import Feed
from sortwell.cluster._losses import SourceLost
from sortwell.cluster._spec import is_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    from sortwell.cluster._spec import Source, Spec

# Seconds without a byte after which a source is lost.
_SILENCE = 120

# Seconds to connect, after which it is lost as well: a machine that is gone does not answer.
_CONNECT = 10


# With at most this many sources, the system may buffer megabytes of each. With more, it buffers
# this many bytes of each.
_FEW = 8
_BUFFER = 512 << 10


class _ExchangeConnection(http.client.HTTPConnection):
    """Connection to an exchange for one answer, whose end is that of the connection.

    The later version of HTTP would put each block in an envelope, which is another copy of it.
    """

    _http_vsn = 10
    _http_vsn_str = "HTTP/1.0"


class Reception:
    """The sources of a part as inputs of a merge."""

    def __init__(self, spec: Spec, sources: list[Source], folder: str, held: int) -> None:
        self._feeds: list[Feed] = []
        self._files: list[str] = []
        if not sources:
            self._feeds.append(Feed("the header", lambda push: push(spec.header)))
        elif (form := form_of(spec, len(sources), held)) == "threaded":
            few = len(sources) <= _FEW
            self._feeds += [Feed(source.node, _filler(spec, source, few)) for source in sources]
        else:
            try:
                self._receive(spec, sources, folder, form)
            except BaseException:
                self.close()
                raise

    def _receive(self, spec: Spec, sources: list[Source], folder: str, form: str) -> None:
        """Receives all sources into files."""
        os.makedirs(folder, exist_ok=True)
        with contextlib.ExitStack() as stack:
            left = []
            for number, source in enumerate(sources):
                path = os.path.join(folder, f"received-{os.getpid()}-{number}")
                self._files.append(path)
                open(path, "wb").close()
                left.append((stack.enter_context(contextlib.closing(_blocks(spec, source))), path))
            while left:
                for pair in left.copy() if form == "interleaved" else left[:1]:
                    stream, path = pair
                    block = next(stream, None)
                    if block is None:
                        left.remove(pair)
                    else:
                        # There may be more sources than files that may be open.
                        with open(path, "ab") as file:
                            file.write(block)

    @property
    def inputs(self) -> list[str | _native.FedInput]:
        """Inputs of the merge."""
        return [*self._files, *(feed.input for feed in self._feeds)]

    def check(self) -> None:
        """Waits for the end, and raises the error of a source if there is one."""
        for feed in self._feeds:
            # The merge has ended: its own error is the reason, or it needs no more.
            with contextlib.suppress(BrokenPipeError):
                feed.check()

    def of_input(self, error: Exception) -> BaseException:
        """Returns an error about a record without the path of its file, which is removed."""
        if not isinstance(error, _errors.MalformedError) or error.file not in self._files:
            return error
        kind, message, code, *_ = _errors.content(error)
        message = message.replace(error.file, "the input")
        return _errors.make(kind, message, code, None, None, None, None)

    def close(self) -> None:
        """Ends all, and removes the files."""
        for feed in self._feeds:
            feed.close()
        for path in self._files:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def _fault(source: Source, content: list[Any]) -> BaseException:
    """Returns the error of an exchange that has sent its content."""
    error = _errors.make(*content)
    if not is_space(error):
        return error
    # The full disk is that of another node: it would not help to do the task on a third one.
    kind, message, *place = content[:-1]
    return _errors.make(*[kind, f"node {source.node}: {message}", *place, None])


def form_of(spec: Spec, sources: int, held: int) -> str:
    """Returns the form in which a part of this number of sources is received.

    `held` is the bytes of runs in the memory of the node.
    """
    most = _budget.sources_at_once(spec.memory, held)
    return spec.form if sources <= most else "synchronous"


def _filler(
    spec: Spec, source: Source, is_one_of_few: bool
) -> Callable[[Callable[[bytes], None]], None]:
    """Returns what passes the records of a source to a merge."""

    def fill(push: Callable[[bytes], None]) -> None:
        with contextlib.closing(_blocks(spec, source, is_one_of_few)) as blocks:
            for block in blocks:
                push(block)

    return fill


def _blocks(spec: Spec, source: Source, is_one_of_few: bool = True) -> Generator[bytes, None, None]:
    """Yields what a source sends, block by block. Raises `SourceLost` if some of it is missing.

    An error of the source itself is raised as it is: it would come again. The system buffers less
    of a source that is not one of few.
    """
    url = urllib.parse.urlsplit(source.url)
    connection = _ExchangeConnection(str(url.hostname), url.port, timeout=_CONNECT)
    try:
        connection.connect()
        connection.sock.settimeout(_SILENCE)
        if not is_one_of_few:
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
        values = {"header": spec.header.hex(), "first_row_cells": spec.first_row_cells}
        body = json.dumps({"ranges": source.ranges, **values})
        headers = {"Authorization": f"Bearer {spec.token}"}
        connection.request("POST", url.path, body, headers)
        response = connection.getresponse()
        if response.status != 200:
            reason = response.read(1000).decode(errors="replace")
            raise SourceLost(source.node, f"{response.status} {reason}")
        passed = 0
        while True:
            length, checksum = FRAME.unpack(_exactly(source, response, FRAME.size))
            if length == ALIVE:
                continue
            if length == FAULT:
                raise _fault(source, json.loads(_exactly(source, response, checksum)))
            if length == 0:
                break
            block = _exactly(source, response, length)
            if _native.block_checksum(block) != checksum:
                raise SourceLost(source.node, "a block has another checksum than it was sent with")
            passed += length
            yield block
        expected = source.bytes + len(spec.header)
        if not passed == checksum == expected:
            raise SourceLost(source.node, f"{passed} bytes of {expected} came")
    except _errors.Error:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise SourceLost(source.node, f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()


def _exactly(source: Source, response: http.client.HTTPResponse, size: int) -> bytes:
    found = response.read(size)
    if len(found) < size:
        raise SourceLost(source.node, "the connection ended in the middle")
    return found
