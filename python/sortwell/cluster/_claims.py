"""What a sort has in the folder of its output before it is done.

    .claim.JOB.NODE     the folder is that of the sort JOB; locked while the sort is under way
    .part-N.JOB.NODE    part that is not named yet
    .commit.JOB.NODE    names of parts, with the inodes of the files that get them
    .sealed.JOB.NODE    such names, where the manifest is written on another machine

A call that continues an interrupted sort has the same JOB. It removes what the interrupted one has
left. If a claim is locked, that sort is still under way.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os

from sortwell.cluster import _janitor
from sortwell.cluster._losses import PartLost
from sortwell.cluster._spec import PREFIX, storage_error, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sortwell.cluster._spec import Spec

# Errors of a file system that has no links.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

# Errors of a file system that has no locks.
_NO_LOCKS = (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK)


def claim_path(folder: str, spec: Spec, node: str) -> str:
    """Returns the path of the claim of a node."""
    return os.path.join(folder, f".claim.{spec.part_end(node)}")


class Claim:
    """Claim of a node on the folder of an output, with a lock."""

    def __init__(self, folder: str, spec: Spec, node: str) -> None:
        self._folder, self._spec = folder, spec
        self._path = claim_path(folder, spec, node)
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """True once the folder is claimed."""
        return self._descriptor is not None

    def take_again(self, is_claimed: bool) -> None:
        """Takes the lock of a claim that a process has made which has died.

        `is_claimed` says that there was a claim: a janitor may have removed it. Raises
        `StorageError` if another sort has claimed the folder since.
        """
        if is_claimed:
            os.makedirs(self._folder, exist_ok=True)
        if not is_claimed and not os.path.exists(self._path):
            return
        self._lock()
        others = [name for name in self._others() if name.startswith(".claim.")]
        if others and is_claimed:
            self.give_up()
            raise storage_error(
                f"the folder {self._folder} was given up while the exchange of its node was dead; "
                f"another sort has made {others[0]} since"
            )

    def take(self, nodes: list[str]) -> list[str]:
        """Claims the folder for a call of the sort on these nodes.

        Returns the names in it that are not of this sort. If there are any, the folder is not
        claimed. Of two sorts at the same time, one at least finds the claim of the other. Raises
        `UsageError` if another call of the same sort has claimed it.
        """
        self._lock()
        try:
            own = [f".claim.{self._spec.part_end(node)}" for node in nodes]
            for name in sorted(os.listdir(self._folder)):
                if name.startswith(f".claim.{self._spec.job}") and name not in own:
                    _check_unlocked(os.path.join(self._folder, name))
            others = self._others()
            if _janitor.MANIFEST not in others:
                _janitor.remove_named(self._folder, self._spec.job)
                _janitor.remove_unfinished(self._folder, self._spec.job, own)
                others = self._others()
        except BaseException:
            self.give_up()
            raise
        if others:
            self.give_up()
        return others

    def clean(self) -> bool:
        """Removes the hidden files of the sort, which is done. Returns whether there were any.

        Raises `UsageError` if another call of the same sort is under way.
        """
        names = os.listdir(self._folder) if os.path.isdir(self._folder) else []
        left = [name for name in names if name.startswith(".") and self._spec.job in name]
        for name in left:
            path = os.path.join(self._folder, name)
            if name.startswith(".claim.") and not (self.is_held and path == self._path):
                _check_unlocked(path)
        _janitor.remove_unfinished(self._folder, self._spec.job)
        return bool(left)

    def _others(self) -> list[str]:
        return sorted(name for name in os.listdir(self._folder) if self._spec.job not in name)

    def _lock(self) -> None:
        while self._descriptor is None:
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            try:
                _flock(descriptor, self._path)
                # Another call may have removed the file before it was locked.
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.stat(self._path), os.fstat(descriptor)):
                        self._descriptor = descriptor
            finally:
                if self._descriptor is None:
                    os.close(descriptor)

    def give_up(self) -> None:
        """Removes the claim."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._path)
        self.close()

    def close(self) -> None:
        """Gives up the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _flock(descriptor: int, path: str) -> None:
    """Locks a claim. Raises `UsageError` if a process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise usage_error(
            f"another call of the same sort is under way: it has locked {path}; wait until it "
            "ends, or name a new folder"
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _check_unlocked(path: str) -> None:
    """Raises `UsageError` if a claim is that of a call that is under way."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            _flock(descriptor, path)
        finally:
            os.close(descriptor)


def commit(names: list[tuple[str, str]], part_end: str) -> list[tuple[str, int]]:
    """Gives parts their final names. Returns these, with the inodes of the files.

    Those that an earlier call has named keep them. A name that another file has is an error.
    """
    folder = os.path.dirname(names[0][1])
    note = os.path.join(folder, f"{_janitor.COMMIT}{part_end}")
    noted = {**_janitor.noted_names(note), **_inodes(names)}
    with open(f"{note}.tmp", "w", encoding="utf-8") as file:
        json.dump(noted, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(f"{note}.tmp", note)
    sync_folder(folder)
    for path, final in names:
        if noted.get(final) is None or _janitor.inode_of(final) != noted[final]:
            try:
                give_name(path, final)
            except FileNotFoundError as error:
                raise _lost(path) from error
        else:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
    sync_folder(folder)
    return [(final, noted[final]) for _, final in names]


def _inodes(names: list[tuple[str, str]]) -> dict[str, int]:
    """Returns the inodes of the parts that have no name yet, by their final names."""
    found = {final: _janitor.inode_of(path) for path, final in names}
    return {final: inode for final, inode in found.items() if inode is not None}


def seal(folder: str, part_end: str, names: list[tuple[str, int]]) -> None:
    """Has the named parts stay until the sort is done, and then.

    Janitors on this machine look for the manifest, unless it is written on another machine. Raises
    `PartLost` if a name has no file with its inode.
    """
    for final, inode in names:
        if _janitor.inode_of(final) != inode:
            raise _lost(final)
    if not os.path.exists(_janitor.unfinished_manifest(folder, part_end.partition(".")[0])):
        # The note has become this one if the call is repeated.
        with contextlib.suppress(FileNotFoundError):
            note, sealed = (f"{kind}{part_end}" for kind in (_janitor.COMMIT, _janitor.SEALED))
            os.rename(os.path.join(folder, note), os.path.join(folder, sealed))


def _lost(path: str) -> PartLost:
    return PartLost(f"{path} was removed while the exchange of its node was dead")


def give_name(path: str, final: str) -> None:
    """Gives a file its final name. Raises `UsageError` if a file has it."""
    try:
        os.link(path, final)
    except FileExistsError:
        raise _taken(final) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(final):
            raise _taken(final) from None
        os.rename(path, final)
    else:
        # A janitor may remove it as well.
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def _taken(final: str) -> BaseException:
    return usage_error(f"{final} has been written meanwhile; name a new folder")


def sync_folder(folder: str) -> None:
    """Makes the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise storage_error(f"cannot sync {folder}: {error}") from error
    finally:
        os.close(descriptor)


def how_to_give_up(name: str, temp: str) -> str:
    """Returns what to do about a name in the folder of an output."""
    if name.startswith(_janitor.SEALED):
        return (
            "it lists parts whose manifest is on another machine, unless the sort was killed "
            "before it was written; if there is no manifest, remove it and these parts, or name a "
            "new folder"
        )
    if not name.startswith(".claim."):
        return "name a new folder"
    job = name.split(".")[2]
    return (
        "a sort is under way there, or was interrupted: repeat the same call with 'resume', or "
        f"name a new folder; to give that sort up, remove .*.{job}.* there and "
        f"{os.path.join(temp, PREFIX)}{job} on each node"
    )
