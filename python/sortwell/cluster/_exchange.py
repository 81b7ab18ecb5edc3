"""The exchange: an actor on each node that sends ranges of the node's runs.

    request:  POST /JOB   token of the sort; ranges of runs, in the order of their splits
    answer:   blocks      length (4 bytes), XXH3 (8 bytes), records
              waits       length ALIVE, 0: the next block takes its time
              end         length 0, number of bytes sent (8 bytes)
              or a fault  length FAULT, number of bytes that follow (8 bytes), the error as JSON

Several ranges are merged as they are sent. A receiver that is slow slows the merge, as a block is
made when the one before has gone out. The merge ends if the receiver is gone. The header of the
inputs comes before the records.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ctypes
import hmac
import json
import os
import pathlib
import resource
import struct
import tempfile
import threading
from dataclasses import replace

from sortwell import _errors, _native
from sortwell.cluster import _budget, _claims, _janitor, _named_files, _run_folders
from sortwell.cluster._losses import NotBegun, RunLost
from sortwell.cluster._spec import MEMORY_FOLDER, RUN_ENDS, Run, reworded, state_of, storage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sortwell.cluster._spec import Spec

# Bytes of a block.
BLOCK = 1 << 20

# Length and checksum before a block.
FRAME = struct.Struct("<IQ")

# Lengths that no block has: of a frame that says that the exchange is alive, and of an error.
ALIVE, FAULT = (1 << 32) - 1, (1 << 32) - 2

# Seconds between two frames of the first kind while a block is made.
_BEAT = 10.0

# Most threads that make blocks of merges, and that make checksums of blocks of runs.
_THREADS = 1024
_CHECKERS = 8


class Exchange:
    """Actor of one node. It serves one sort at a time, whose runs are in its folders.

    Its process takes a second to start, so a program keeps it for its next sort.
    """

    def __init__(self, address: str) -> None:
        """Starts the server at an address of the node."""
        _give_memory_back()
        raise_open_files()
        self._address = address
        self._ready = threading.Event()
        self._port = 0
        self._begun: Spec | None = None
        self._has_made_output = False
        # Several calls may come at once after a death.
        self._beginning = threading.Lock()
        # Receivers of runs that are not merged share these threads.
        self._checkers = concurrent.futures.ThreadPoolExecutor(_CHECKERS)
        # A sort may be given up while parts are named.
        self._naming = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def begin(
        self, spec: Spec, node: str, nodes: int, output: str, is_claimed: bool = False
    ) -> str:
        """Begins a sort, or continues one whose exchange has died. Returns where ranges are.

        A sort that has begun already continues. `is_claimed` says that this node has claimed the
        folder of the output before.
        """
        with self._beginning:
            if self._begun is None or self._begun.job != spec.job:
                self._begin(spec, node, output, is_claimed)
        self._nodes = nodes
        self._ready.wait(30)
        if self._port == 0:
            raise storage_error(f"no port could be opened at {self._address}")
        host = f"[{self._address}]" if ":" in self._address else self._address
        return f"http://{host}:{self._port}/{spec.job}"

    def _begin(self, spec: Spec, node: str, output: str, is_claimed: bool) -> None:
        place = f"on the node at {self._address}"
        _named_files.check_same(list(spec.options), spec.named_files, place)
        self._output, self._node = output, node
        self._has_made_output = self._is_given_up = False
        self._folders = [spec.folder(node), spec.memory_folder(node)]
        # Locks say that the sort is under way. Runs of an exchange that has died are kept.
        self._locks = [_run_folders.locked(folder) for folder in self._folders]
        for root in (spec.temp, MEMORY_FOLDER):
            _run_folders.sweep(root)
        if spec.keeps:
            pathlib.Path(self._folders[0], _run_folders.KEPT).touch()
        else:
            _janitor.start(self._folders, output, spec.part_end(node))
        self._claim = _claims.Claim(output, spec, node)
        self._claim.take_again(is_claimed)
        self._begun = spec

    @property
    def _spec(self) -> Spec:
        """Settings of the sort. Without one, there are no other attributes of it, either."""
        if self._begun is None:
            raise NotBegun
        return self._begun

    def tops(self, paths: list[str]) -> list[tuple[str, int, bytes, bool, int | None, str]]:
        """Returns the files of paths and patterns on this node.

        Each has its path, and what follows the node in an `InputFile`.
        """
        from sortwell.cluster._inputs import expand

        words, found = self._spec.cut_words(), []
        for path in expand(paths):
            # A change from here on is found by the task that reads the file.
            state = state_of(path) if os.path.exists(path) else ""
            try:
                found.append((path, *_native.read_input_top(words, path), state))
            except _errors.UsageError as error:
                # It may be about names of columns.
                raise error if path in str(error) else reworded(error, f"{path}: {error}") from None
        return found

    def check_options(self, spec: Spec) -> None:
        """Sorts the header alone, and merges it, with all options. Raises what one machine would.

        Tasks have some of the options each, and would find others only when all runs are made.
        """
        with tempfile.TemporaryDirectory(dir=self._spec.folder(self._node)) as folder:
            path, output = os.path.join(folder, "header"), os.path.join(folder, "output")
            pathlib.Path(path).write_bytes(spec.header)
            merge = spec.merge_words(_budget.of_sort(spec.memory), folder, is_last=True)
            limits = [word for word in merge if word[0] in ("memory", "temp")]
            for command, words in (("sort", spec.whole_words() + limits), ("merge", merge)):
                words.append(("threads", "1"))
                _native.run_task(command, words, [path], output, None)

    def free_in_memory(self) -> int:
        """Returns the bytes that files in memory may take on this node."""
        data = os.statvfs(MEMORY_FOLDER)
        return data.f_bavail * data.f_frsize

    def adopt(self, spec: Spec) -> list[tuple[str, Run]]:
        """Takes the finished runs that this sort left on this machine when it was interrupted.

        Returns each with the identity of its split.
        """
        return _run_folders.adopt(spec, self._spec.folder(self._node))

    def cut_input(self, path: str, start: int, length: int) -> list[int]:
        """Returns the beginnings of the splits of an input file."""
        words, most = self._spec.cut_words(), _budget.of_sort(self._spec.memory)
        return _native.cut_input(words, path, start, length, most)

    def find_cuts(
        self, spec: Spec, runs: list[tuple[str, list[tuple[bytes, bool]]]]
    ) -> list[list[int]]:
        """Returns for each run the offsets of its cuts. Raises `RunLost` if a run is gone."""
        self._check_runs([run for run, _ in runs])
        words = spec.cut_words()
        return [_native.find_cuts(words, spec.header, run, cuts) for run, cuts in runs]

    def check_cuts(
        self, spec: Spec, runs: list[tuple[str, list[tuple[int, bytes, bool, bool]]]]
    ) -> list[list[bool]]:
        """Returns for each run whether its cuts are between the records around them.

        Raises `RunLost` if a run is gone.
        """
        self._check_runs([run for run, _ in runs])
        words = spec.cut_words()
        return [_native.check_cuts(words, spec.header, run, cuts) for run, cuts in runs]

    def has_begun(self, task: str) -> bool:
        """Returns whether a task has begun on this node."""
        return os.path.exists(self._spec.note_of_begin(self._node, task))

    def missing(self, paths: list[str], ends: tuple[str, ...] = ("",)) -> list[str]:
        """Returns those paths for which a file with one of the ends is not there.

        A janitor removes runs and parts if the exchange was dead for long.
        """
        return [path for path in paths if not all(os.path.exists(path + end) for end in ends)]

    def _check_runs(self, runs: list[str]) -> None:
        if missing := self.missing(runs, RUN_ENDS):
            raise RunLost(f"{missing[0]} was removed while the exchange of its node was dead")

    def claim(self, nodes: list[str]) -> list[str]:
        """Claims the folder of the output, which is made if it does not exist.

        Returns the names in it that are not of this sort, which is done on these nodes.
        """
        if self._begun is None:
            raise NotBegun
        self._has_made_output |= not os.path.exists(self._output)
        os.makedirs(self._output, exist_ok=True)
        return self._claim.take(nodes)

    def clean(self) -> bool:
        """Removes the hidden files of this sort, which is done. Returns whether there were any."""
        spec = self._spec
        is_there = self._claim.clean()
        if is_there:
            # Nodes of an earlier cluster have other folders.
            _run_folders.remove_others(spec, self._folders[0])
        return is_there

    def commit(self, names: list[tuple[str, str]]) -> list[tuple[str, int]]:
        """Gives parts their final names. Returns these, with the inodes of the files."""
        part_end = self._spec.part_end(self._node)
        with self._naming:
            if self._is_given_up:
                raise storage_error("the sort has ended")
            return _claims.commit(names, part_end)

    def seal(self, names: list[tuple[str, int]]) -> None:
        """Has the named parts stay, as the manifest is written. Raises `PartLost` without them."""
        part_end = self._spec.part_end(self._node)
        _claims.seal(self._output, part_end, names)

    def take_back_names(self) -> None:
        """Removes the parts of this sort that have final names: they are made again."""
        job = self._spec.job
        with self._naming:
            _janitor.remove_named(self._output, job)

    def give_up_names(self, names: list[tuple[str, int]]) -> None:
        """Removes the parts that have final names: these, and those of a call that has failed."""
        part_end = self._spec.part_end(self._node)
        with self._naming:
            self._is_given_up = True
            _janitor.remove_named(self._output, part_end)
            _janitor.remove_same(names)

    def end(self, keeps_runs: bool, removes_parts: bool = False) -> None:
        """Ends the sort, and removes the runs unless they are wanted later and there are any.

        With `removes_parts`, removes the parts that have their names.
        """
        own = self._spec.part_end(self._node)
        # Runs that are kept are on disk.
        keeps_runs &= bool(_run_folders.notes(self._folders[0]))
        _janitor.remove_runs(self._folders[1:] if keeps_runs else self._folders)
        # Tasks look for the lock. Another call may have made a new one meanwhile.
        path = os.path.join(self._folders[0], _janitor.LOCK)
        _janitor.remove_same([(path, os.fstat(self._locks[0]).st_ino)])
        # Without the claim, another call of the same sort may be under way.
        if self._claim.is_held and removes_parts:
            _janitor.remove_named(self._output, own)
        _janitor.remove_unfinished(self._output, self._spec.job if self._claim.is_held else own)
        self._claim.close()
        if self._has_made_output:
            with contextlib.suppress(OSError):
                os.rmdir(self._output)
        for lock in self._locks:
            os.close(lock)
        self._begun = None

    def _serve(self) -> None:
        from aiohttp import web

        async def main() -> None:
            # Each answer may wait for a merge in a thread of its own.
            pool = concurrent.futures.ThreadPoolExecutor(_THREADS)
            asyncio.get_running_loop().set_default_executor(pool)
            application = web.Application(client_max_size=64 << 20)
            application.router.add_post("/{job}", self._answer)
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

        if self._begun is None or request.match_info["job"] != self._begun.job:
            return web.Response(status=404, text="no such sort")
        token = request.headers.get("Authorization", "")
        if not hmac.compare_digest(token, f"Bearer {self._spec.token}"):
            return web.Response(status=403, text="wrong token")
        wanted = json.loads(await request.text())
        ranges = [(str(path), int(start), int(end)) for path, start, end in wanted["ranges"]]
        for path, start, end in ranges:
            if os.path.dirname(path) not in self._folders or not 0 <= start <= end:
                return web.Response(status=400, text="no range of a run")
            if not os.path.exists(path):
                return web.Response(status=404, text="no such run")
        # The sort had begun before the tops of its inputs were known.
        spec = replace(self._spec, first_row_cells=wanted["first_row_cells"])
        spec = spec.with_header(bytes.fromhex(wanted["header"]))
        total = len(spec.header) + sum(end - start for _, start, end in ranges)
        response = web.StreamResponse()
        # A receiver that needs no more, as after an error or a limit, leaves.
        with contextlib.suppress(ConnectionError):
            await response.prepare(request)
            try:
                if len(ranges) == 1:
                    await self._send_range(request, response, spec.header, *ranges[0])
                else:
                    await self._send_merged(response, spec, ranges)
            except _errors.Error as error:
                if not all(os.path.exists(path) for path, *_ in ranges):
                    # The connection ends, and the driver finds out which runs are lost.
                    raise
                fault = json.dumps(_errors.content(error)).encode()
                await response.write(FRAME.pack(FAULT, len(fault)) + fault)
            else:
                await response.write(FRAME.pack(0, total))
            await response.write_eof()
        return response

    async def _send_range(
        self, request: Any, response: Any, header: bytes, path: str, start: int, end: int
    ) -> None:
        """Sends a header and a range of a run, which the system copies from the file."""
        loop = asyncio.get_running_loop()
        if header:
            await response.write(FRAME.pack(len(header), _native.block_checksum(header)) + header)
        with open(path, "rb", buffering=0) as file:
            while start < end:
                size = min(BLOCK, end - start)
                checksum = await loop.run_in_executor(
                    self._checkers, _native.range_checksum, path, start, start + size
                )
                await response.write(FRAME.pack(size, checksum))
                if await loop.sendfile(request.transport, file, start, size) < size:
                    raise OSError(f"{path} has become shorter")
                start += size

    async def _send_merged(
        self, response: Any, spec: Spec, ranges: list[tuple[str, int, int]]
    ) -> None:
        """Sends a header and the records of ranges, merged."""
        held = _budget.held(spec.memory_folder(self._node))
        memory = _budget.of_sent_merge(spec.memory, self._nodes, held)
        words = spec.merge_words(memory, self._folders[0], is_last=False)
        merge = _native.MergedRanges(words, spec.header, ranges, BLOCK)
        try:
            while found := await _with_beats(response, merge.next_block):
                block, checksum = found
                await response.write(FRAME.pack(len(block), checksum))
                await response.write(memoryview(block))
        finally:
            await asyncio.get_running_loop().run_in_executor(None, merge.close)


async def _with_beats(response: Any, make: Callable[[], Any]) -> Any:
    """Returns what a function makes in a thread, and meanwhile sends that it is under way."""
    made = asyncio.get_running_loop().run_in_executor(None, make)
    try:
        while not (await asyncio.wait([made], timeout=_BEAT))[0]:
            # It is an error if the receiver is gone.
            await response.write(FRAME.pack(ALIVE, 0))
    except BaseException:
        made.cancel()
        raise
    return made.result()


def raise_open_files() -> None:
    """Raises the limit of open files as far as it may be: a merge has all that it merges open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _give_memory_back() -> None:
    """Has the C library give freed blocks back to the system, not keep them for each thread."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        # M_MMAP_THRESHOLD and M_ARENA_MAX of glibc.
        library.mallopt(-3, 256 << 10)
        library.mallopt(-8, 2)
