"""The two tasks of Ray: a split becomes a run, and ranges of runs become a part."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import urllib.parse
import uuid

import ray

from sortwell import _native
from sortwell.cluster._exchange import FRAME
from sortwell.cluster._pipes import Feed, write_all
from sortwell.cluster._spec import MadePart, Run, SourceLost, proof_error, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sortwell.cluster._spec import Source, Spec, Split

# Seconds without a byte after which a source is lost.
_SILENCE = 120


def here() -> str:
    """Returns the id of the node that runs this."""
    node: str = ray.get_runtime_context().get_node_id()
    return node


def make_run(spec: Spec, split: Split, threads: int) -> Run:
    """Sorts a split into a run on this node."""
    node = here()
    folder = spec.folder(node)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"run-{split.number:06}-{uuid.uuid4().hex[:8]}")
    size, records, checksum, keys, _ = _native.make_run(
        spec.sort_words(threads), (split.path, split.start, split.end), spec.header, path, None
    )
    return Run(split.number, node, path, size, records, checksum, keys)


def make_part(spec: Spec, number: int, path: str, sources: list[Source], threads: int) -> MadePart:
    """Merges what nodes send into a part of the output. Returns what was written.

    The folder of the output was empty, so a file of this name is that of another attempt, which has
    the same bytes.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    attempt = f"{spec.job}.{uuid.uuid4().hex[:8]}"
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{attempt}.tmp")
    try:
        if sources:
            records, checksum = _merged(spec, sources, temporary, threads)
        else:
            records, checksum = 0, "0" * 32
            with open(temporary, "xb") as file:
                file.write(spec.header)
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _sync(folder)
    received = {source.node: 0 for source in sources}
    for source in sources:
        received[source.node] += source.bytes
    size = os.path.getsize(path)
    return MadePart(number, here(), path, records, size, checksum, received)


def _merged(spec: Spec, sources: list[Source], output: str, threads: int) -> tuple[int, str]:
    feeds = [Feed(_receiver(spec, source)) for source in sources]
    try:
        words = spec.merge_words(spec.memory // 4, is_last=True)
        words += [("threads", str(threads)), ("temp", spec.temp)]
        inputs = [feed.pipe.input_path for feed in feeds]
        statistics = json.loads(_native.run_job("merge", words, inputs, output, None))
    except Exception as error:
        # A source that ended too early is the reason for a record that lacks its end.
        for feed in feeds:
            feed.close()
        for feed in feeds:
            _check(feed)
        raise error
    finally:
        for feed in feeds:
            feed.close()
    for feed in feeds:
        _check(feed)
    proof = statistics["proof"]
    if not spec.is_unique:
        expected = sum(source.bytes for source in sources) + len(spec.header)
        if os.path.getsize(output) != expected:
            raise proof_error(f"{output} has not the {expected} bytes that its runs have")
    return int(proof["records"]), str(proof["checksum"])


def _check(feed: Feed) -> None:
    # The merge closed the pipe: its own error is the reason.
    with contextlib.suppress(BrokenPipeError):
        feed.check()


def _receiver(spec: Spec, source: Source) -> Callable[[int], None]:
    """Returns what writes the records of a source to a descriptor."""

    def receive(output: int) -> None:
        url = urllib.parse.urlsplit(source.url)
        connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=_SILENCE)
        try:
            body = json.dumps({"ranges": source.ranges, "header": spec.header.hex()})
            headers = {"Authorization": f"Bearer {spec.token}"}
            connection.request("POST", url.path, body, headers)
            response = connection.getresponse()
            if response.status != 200:
                reason = response.read(1000).decode(errors="replace")
                raise SourceLost(source.node, f"{response.status} {reason}")
            received = _copy(source, response, output)
            expected = source.bytes + len(spec.header)
            if received != expected:
                raise SourceLost(source.node, f"{received} bytes of {expected} came")
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise SourceLost(source.node, f"{type(error).__name__}: {error}") from error
        finally:
            connection.close()

    return receive


def _copy(source: Source, response: http.client.HTTPResponse, output: int) -> int:
    """Copies blocks, each with its checksum, and returns the number of bytes."""
    passed = 0
    while True:
        length, checksum = FRAME.unpack(_exactly(source, response, FRAME.size))
        if length == 0:
            if checksum != passed:
                raise SourceLost(source.node, f"{checksum} bytes were sent, {passed} came")
            return passed
        block = _exactly(source, response, length)
        if _native.block_checksum(block) != checksum:
            raise SourceLost(source.node, "a block has another checksum than it was sent with")
        write_all(output, block)
        passed += length


def _exactly(source: Source, response: http.client.HTTPResponse, size: int) -> bytes:
    found = response.read(size)
    if len(found) < size:
        raise SourceLost(source.node, "the connection ended in the middle")
    return found


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise storage_error(f"cannot sync {folder}: {error}") from error
    finally:
        os.close(descriptor)
