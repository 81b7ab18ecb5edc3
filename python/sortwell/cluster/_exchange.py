"""The exchange: an actor on each node that sends ranges of the node's runs.

    request:  POST /ranges   job token; ranges of runs, in the order of their splits
    answer:   blocks         length (4 bytes), XXH3 (8 bytes), records
              end            length 0, number of bytes sent (8 bytes)

Several ranges are merged as they are sent. A receiver that is slow slows the merge, as a block is
made when the one before has gone out. The header of the inputs comes before the records.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import glob
import hmac
import json
import os
import shutil
import struct
import threading

from sortwell import _native
from sortwell.cluster._pipes import Feed, Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any

    from sortwell.cluster._spec import Spec

# Bytes of a block.
BLOCK = 1 << 20

# Length and checksum before a block.
FRAME = struct.Struct("<IQ")


class Exchange:
    """Actor of one node. Its folder holds the runs; a lock says that the sort is under way."""

    def __init__(self, spec: Spec, node: str, address: str, senders: int) -> None:
        self._spec = spec
        self._folder = spec.folder(node)
        self._memory = spec.memory // 4 // max(senders, 1)
        os.makedirs(self._folder, exist_ok=True)
        # An exchange that is started again keeps the runs: its own folder is locked.
        self._lock = _locked(self._folder)
        _sweep(spec.temp)
        self._ready = threading.Event()
        self._port = 0
        self._address = address
        threading.Thread(target=self._serve, daemon=True).start()
        self._ready.wait(30)

    def url(self) -> str:
        """Returns where ranges are requested."""
        if self._port == 0:
            raise OSError(f"no port could be opened at {self._address}")
        host = f"[{self._address}]" if ":" in self._address else self._address
        return f"http://{host}:{self._port}/ranges"

    def process(self) -> int:
        """Returns the number of the actor's process."""
        return os.getpid()

    def tops(self, paths: list[str]) -> list[tuple[str, int, bytes]]:
        """Returns the files of paths and patterns on this node, with their bytes and tops."""
        from sortwell.cluster._inputs import expand

        words = self._spec.search_words()
        return [(path, *_native.read_input_top(words, path)) for path in expand(paths)]

    def cut_input(self, path: str, start: int, length: int) -> list[int]:
        """Returns the beginnings of the splits of an input file."""
        return _native.cut_input(self._spec.search_words(), path, start, length)

    def find_cuts(
        self, spec: Spec, runs: list[tuple[str, list[tuple[bytes, bool]]]]
    ) -> list[list[int]]:
        """Returns for each run the offsets of its cuts."""
        words = spec.search_words()
        return [_native.find_cuts(words, spec.header, run, cuts) for run, cuts in runs]

    def names(self, folder: str) -> list[str]:
        """Returns the names in a folder; none if it does not exist."""
        try:
            return sorted(os.listdir(folder))
        except FileNotFoundError:
            return []

    def remove(self, path: str) -> None:
        """Removes a part of the output that is not wanted any more."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)

    def remove_unfinished(self, folder: str) -> None:
        """Removes the files of killed tasks from the folder of the output."""
        for path in glob.glob(os.path.join(glob.escape(folder), f".*{self._spec.job}*")):
            self.remove(path)

    def clear(self) -> None:
        """Removes the runs."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(self._folder))

    def _serve(self) -> None:
        from aiohttp import web

        async def main() -> None:
            application = web.Application(client_max_size=64 << 20)
            application.router.add_post("/ranges", self._answer)
            runner = web.AppRunner(application, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, self._address, 0)
            await site.start()
            self._port = runner.addresses[0][1]
            self._ready.set()
            await asyncio.Event().wait()

        try:
            asyncio.run(main())
        finally:
            self._ready.set()

    async def _answer(self, request: Any) -> Any:
        from aiohttp import web

        token = request.headers.get("Authorization", "")
        if not hmac.compare_digest(token, f"Bearer {self._spec.token}"):
            return web.Response(status=403, text="wrong token")
        wanted = json.loads(await request.text())
        ranges = [(str(path), int(start), int(end)) for path, start, end in wanted["ranges"]]
        for path, start, end in ranges:
            if os.path.dirname(path) != self._folder or not 0 <= start <= end:
                return web.Response(status=400, text="no range of a run")
            if not os.path.exists(path):
                return web.Response(status=404, text="no such run")
        header = bytes.fromhex(wanted["header"])
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        sent = 0
        async with contextlib.aclosing(self._blocks(ranges, header)) as blocks:
            async for block in blocks:
                await response.write(FRAME.pack(len(block), _native.block_checksum(block)))
                await response.write(block)
                sent += len(block)
        await response.write(FRAME.pack(0, sent))
        await response.write_eof()
        return response

    async def _blocks(
        self, ranges: list[tuple[str, int, int]], header: bytes
    ) -> AsyncGenerator[bytes, None]:
        """Yields the header and the records of ranges, merged."""
        loop = asyncio.get_running_loop()
        if len(ranges) == 1:
            if header:
                yield header
            path, start, end = ranges[0]
            descriptor = os.open(path, os.O_RDONLY)
            try:
                while start < end:
                    wanted = min(BLOCK, end - start)
                    block = await loop.run_in_executor(None, os.pread, descriptor, wanted, start)
                    if not block:
                        raise OSError(f"{path} ends at byte {start}")
                    yield block
                    start += len(block)
            finally:
                os.close(descriptor)
            return
        merge = _RangeMerge(self._spec, ranges, header, self._memory)
        try:
            while block := await loop.run_in_executor(None, merge.read):
                yield block
            merge.check()
        finally:
            await loop.run_in_executor(None, merge.close)


class _RangeMerge:
    """A merge of ranges by a thread, whose output is a pipe."""

    def __init__(
        self, spec: Spec, ranges: list[tuple[str, int, int]], header: bytes, memory: int
    ) -> None:
        self._error: BaseException | None = None
        self._output = Pipe()
        self._feeds = [Feed.of_range(header, path, start, end) for path, start, end in ranges]
        words = spec.merge_words(memory, is_last=False)
        self._thread = threading.Thread(target=self._run, args=(words,), daemon=True)
        self._thread.start()

    def _run(self, words: list[tuple[str, str | None]]) -> None:
        try:
            inputs = [feed.pipe.input_path for feed in self._feeds]
            _native.run_job("merge", words, inputs, self._output.output_path, None)
            for feed in self._feeds:
                feed.check()
        except BaseException as error:
            self._error = error
        finally:
            self._output.close_output()

    def read(self) -> bytes:
        """Returns the next block; nothing at the end."""
        return self._output.read(BLOCK)

    def check(self) -> None:
        """Raises the error that ended the merge, if there is one."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Ends the merge and its feeds."""
        self._output.close()
        for feed in self._feeds:
            feed.close()
        self._thread.join()


def _locked(folder: str) -> int:
    """Returns a descriptor with a lock on the folder, which ends with the process."""
    descriptor = os.open(os.path.join(folder, "lock"), os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _sweep(temp: str) -> None:
    """Removes the folders of sorts that ended without removing them."""
    for job in os.scandir(temp):
        if not job.name.startswith("sortwell-cluster-") or not job.is_dir():
            continue
        for node in os.scandir(job.path):
            with contextlib.suppress(OSError):
                descriptor = os.open(os.path.join(node.path, "lock"), os.O_RDWR)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(node.path, ignore_errors=True)
                finally:
                    os.close(descriptor)
        with contextlib.suppress(OSError):
            os.rmdir(job.path)
