//! Temporary names that never become litter.
//!
//! ```text
//!     .NAME.sortwell-PID-RANDOM.tmp     an output on its way, beside its final name
//!     sortwell-spill-PID-RANDOM/        run files; `lock` in it is the lock
//! ```
//!
//! Each is locked (`flock`, exclusive) for as long as the job lives; the kernel drops the lock with
//! the process, however it ends. A name of this pattern whose lock is free is litter, and `sweep`
//! removes it. A new name is visible an instant before it is locked, and a sweeper may be quicker:
//! therefore the maker of a name checks, once it has the lock, that the name still means its file,
//! and starts over if it does not. Process numbers are only a hint, as containers may share a
//! directory.
//!
//! A spill directory that holds a `manifest` is no litter: another job may continue with what is in
//! it, with what is in those that say in `belongs` that they are its, and with an output on its way
//! whose name ends in `.part`. Nobody removes these unasked.
//!
//! On file systems without `flock` nothing is ever found unlocked, so nothing is swept.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, CWD, Dir, FlockOperation, Gid, Mode, OFlags, RawMode, Stat, Uid, fchmod, fchown,
    flock, fstat, fsync, lstat, mkdir, open, openat, rename, stat, unlink, unlinkat,
};
use rustix::io::Errno;

use super::Answer;
use super::direct::Direct;
use super::file::File;
use super::final_name::{checked_target, directory_of, rename_target};
use super::sweep::{free_lock, is_part, is_spill_directory};
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::sys::limits;

/// The lock of a spill directory.
pub(super) const LOCK_NAME: &str = "lock";

/// A spill directory with a file of that name is kept.
pub const KEPT_NAME: &str = "manifest";

/// A spill directory with a file of this name is kept too: it belongs to one that has a manifest.
pub(super) const BELONGS_NAME: &str = "belongs";

/// Start of `belongs` where the files in the directory may be the only copy.
const ONLY_COPY: &[u8] = b"only-copy ";

pub(super) const FILE_MARK: &str = ".sortwell-";
pub(super) const FILE_END: &str = ".tmp";
/// The end of an output's name that is kept.
pub(super) const PART_END: &str = ".part";
pub(super) const DIRECTORY_START: &str = "sortwell-spill-";
/// Hexadecimal digits of the random part.
pub(super) const RANDOM_DIGITS: usize = 16;

/// Bytes of the final name that a temporary name keeps: the whole stays below the 255 bytes that
/// file systems allow.
const NAME_BYTES_MAX: usize = 180;

/// New names tried before giving up; even one retry means a sweeper in the very same instant.
const ATTEMPTS: usize = 100;

/// An output on its way: a file beside its final name, removed when dropped unless it was given
/// that name by [`TempFile::persist`].
#[derive(Debug)]
pub struct TempFile {
    file: Arc<File>,
    /// The temporary name; `None` once it has been renamed.
    path: Option<PathBuf>,
    /// True if it stays when dropped.
    is_kept: bool,
}

impl TempFile {
    /// Returns a new name for an output that is kept, beside its final name.
    pub fn part_path(final_path: &Path) -> Result<PathBuf> {
        let (target, name) = checked_target(final_path)?;
        Ok(target.with_file_name(temporary_name(&name, PART_END)))
    }

    /// Opens the output at `part_path`, or creates it where `is_new`. It is there until it has its
    /// final name or is [removed](Self::keep).
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a name that is not given to such outputs: it is another file's.
    pub fn part(part_path: &Path, is_new: bool, direct: Direct) -> Result<Self> {
        if !is_part(part_path) {
            return Err(not_named_here(part_path, "an unfinished output"));
        }
        let file = match is_new {
            true => File::create(part_path, direct)?,
            false => File::reopen(part_path, direct)?,
        };
        Ok(Self { file, path: Some(part_path.to_owned()), is_kept: true })
    }

    /// Says whether it stays where it is if it gets no other name.
    pub fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
    }

    /// Creates the file in the directory of `final_path` (after symbolic links), under a temporary
    /// name. Refuses a final path that is there and not a regular file: a rename would replace it.
    pub fn create(final_path: &Path, direct: Direct) -> Result<Self> {
        let (target, name) = checked_target(final_path)?;
        for _ in 0..ATTEMPTS {
            let path = target.with_file_name(temporary_name(&name, FILE_END));
            let file = match File::create(&path, direct) {
                Ok(file) => file.called(final_path),
                Err(e) if is_taken(&e) => continue,
                // A person knows the final name, not this one.
                Err(Error::Io { action, source, .. }) => {
                    return Err(Error::io(action, final_path, source));
                }
                Err(e) => return Err(e),
            };
            let made = Self { file, path: Some(path), is_kept: false };
            if made.path.as_ref().is_some_and(|path| lock(&*made.file, path)) {
                return Ok(made);
            }
        }
        Err(Error::io("create a temporary file beside", final_path, Errno::EXIST))
    }

    /// Returns the path at which it is now. [`File::path`] is its final one.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or_else(|| self.file.path())
    }

    /// Returns the directory that it is in.
    pub fn directory(&self) -> &Path {
        directory_of(self.path())
    }

    /// Returns the file, for requests. It stays open, and locked, until the last holder lets go.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Gives the file its final name, replacing what had it and keeping that file's mode, and owner
    /// and group where allowed. With `sync` the contents are on the disk before the name is, and
    /// both when this returns. After an error the temporary file is gone and the final name is as
    /// it was, unless only the last sync failed: then the name is that of the new file.
    pub fn persist(self, final_path: &Path, sync: bool) -> Result<()> {
        let directory = self.rename(final_path, sync)?;
        if sync { sync_directory(&directory) } else { Ok(()) }
    }

    /// Gives the file its final name like [`persist`](Self::persist), but the name is not durable
    /// yet. Returns the directory to sync for that. After an error the final name is as it was.
    pub fn rename(mut self, final_path: &Path, sync: bool) -> Result<PathBuf> {
        let target = rename_target(final_path)?;
        match stat(&target) {
            Ok(old) => self.take_after(&old),
            // Until now it was for nobody else to see.
            Err(_) => {
                let _ = fchmod(&*self.file, Mode::from_raw_mode(0o666 & !limits::umask()));
            }
        }
        if sync {
            self.file.sync_data()?;
        }
        if let Some(path) = &self.path {
            rename(path, &target).map_err(|e| Error::io("replace", final_path, e))?;
            self.path = None;
        }
        Ok(directory_of(&target).to_owned())
    }

    /// Takes over owner, group and mode of the file about to be replaced, as far as we may give
    /// them.
    fn take_after(&self, old: &Stat) {
        let Ok(new) = fstat(&*self.file) else { return };
        let has_group = take_owner(&new, old, |user, group| fchown(&*self.file, user, group));
        let _ = fchmod(&*self.file, Mode::from_raw_mode(mode_after(old.st_mode, has_group)));
    }
}

/// Gives the file `new` the owner and group of the file `old` with `chown`, or the group alone if
/// both are refused. Returns whether it has that group.
fn take_owner(
    new: &Stat,
    old: &Stat,
    chown: impl Fn(Option<Uid>, Option<Gid>) -> Answer<()>,
) -> bool {
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid) {
        return true;
    }
    let (user, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
    let is_given = chown(Some(user), Some(group)).or_else(|_| chown(None, Some(group))).is_ok();
    is_given || new.st_gid == old.st_gid
}

/// Returns the permission bits of a file in place of one of mode `old`. They are for the group of
/// that file: any other group gets at most what all users get.
fn mode_after(old: RawMode, has_group: bool) -> RawMode {
    // Permission bits only: set-user-id on a file of another owner would be a gift to nobody.
    let mode = old & 0o777;
    if has_group { mode } else { mode & (0o707 | (mode & 0o007) << 3) }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(path) = self.path.as_ref().filter(|_| !self.is_kept) {
            let _ = unlink(path);
        }
    }
}

/// A directory for run files, removed with all its files when dropped, unless it is kept.
#[derive(Debug)]
pub struct SpillDirectory {
    path: PathBuf,
    /// True if it stays when dropped.
    is_kept: bool,
    /// Holds the lock as long as it is open.
    _lock: OwnedFd,
}

impl SpillDirectory {
    /// Makes a directory inside `parent`.
    pub fn create(parent: &Path) -> Result<Self> {
        let failed = |e: Errno| Error::io("create a spill directory in", parent, e);
        for _ in 0..ATTEMPTS {
            let path = parent.join(format!("{DIRECTORY_START}{}", unique()));
            match mkdir(&path, Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(e) => return Err(failed(e)),
            }
            let lock_path = path.join(LOCK_NAME);
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let lock_file = match open(&lock_path, flags, Mode::RUSR | Mode::WUSR) {
                Ok(lock_file) => lock_file,
                Err(Errno::NOENT) => continue, // Swept away between the two calls.
                Err(e) => {
                    let _ = rustix::fs::rmdir(&path);
                    return Err(failed(e));
                }
            };
            if lock(&lock_file, &lock_path) {
                return Ok(Self { path, is_kept: false, _lock: lock_file });
            }
        }
        Err(failed(Errno::EXIST))
    }

    /// Takes over a directory that another job has left; `None` while that one lives. It is kept.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for one that is not this user's alone, or by its name no spill directory.
    pub fn adopt(path: &Path) -> Result<Option<Self>> {
        if !is_spill_directory(path) {
            return Err(not_named_here(path, "a spill directory"));
        }
        let failed = |e: Errno| Error::io("open the spill directory", path, e);
        let directory = open_directory(CWD, path).map_err(failed)?;
        let stat = fstat(&directory).map_err(failed)?;
        let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
        if !is_own || stat.st_mode & 0o077 != 0 {
            let path = path.display();
            return Err(config!(
                ConfigErrorKind::InvalidPath,
                "{} does not belong to this user alone",
                path,
            ));
        }
        let lock = free_lock(directory.as_fd(), LOCK_NAME.as_bytes()).map_err(failed)?;
        Ok(lock.map(|lock| Self { path: path.to_owned(), is_kept: true, _lock: lock }))
    }

    /// Says whether it stays when dropped. One that does not belongs to no other from now on: tell
    /// all of a job before any is dropped, and a kill meanwhile leaves nothing that is not swept.
    pub fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
        if !is_kept {
            let _ = unlink(self.path.join(BELONGS_NAME));
        }
    }

    /// Says in the directory, durably, that it goes with `other`, which has a manifest; and whether
    /// what it will hold `may_be_only_copy`.
    pub fn belong_to(&self, other: &Path, may_be_only_copy: bool) -> Result<()> {
        if self.belongs_to()?.is_some_and(|said| said == (other.to_owned(), may_be_only_copy)) {
            return Ok(());
        }
        let path = self.path.join(BELONGS_NAME);
        let mark = if may_be_only_copy { ONLY_COPY } else { b"" };
        let text = [mark, other.as_os_str().as_bytes()].concat();
        let written = std::fs::write(&path, text)
            .and_then(|()| std::fs::File::open(&path))
            .and_then(|file| file.sync_all());
        written.map_err(|e| Error::io("write", &path, e))?;
        sync_directory(&self.path)
    }

    /// Returns the directory of the manifest that this one belongs to, if it does to another, and
    /// whether what it holds may be the only copy.
    pub fn belongs_to(&self) -> Result<Option<(PathBuf, bool)>> {
        let path = self.path.join(BELONGS_NAME);
        match std::fs::read(&path) {
            Ok(text) => {
                let other = text.strip_prefix(ONLY_COPY);
                let is_only_copy = other.is_some();
                let other = PathBuf::from(OsStr::from_bytes(other.unwrap_or(&text)));
                Ok(Some((other, is_only_copy)))
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &path, e)),
        }
    }

    /// Returns the directory for run files. They may have any name but `lock`, `manifest` and
    /// `belongs`.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SpillDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = remove_directory(&self.path);
        }
    }
}

/// Removes a spill directory of our own, whose lock we hold.
fn remove_directory(path: &Path) -> Answer<()> {
    empty_directory(&open_directory(CWD, path)?)?;
    rustix::fs::rmdir(path)
}

/// Removes the files in a directory. Files that would keep it go first, so that no job continues
/// with the rest. The lock goes last, so that the directory is locked while it has files.
pub(super) fn empty_directory(directory: &OwnedFd) -> Answer<()> {
    match unlinkat(directory, KEPT_NAME, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(e) => return Err(e),
    }
    let mut first = Ok(());
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if ![&b"."[..], b"..", LOCK_NAME.as_bytes()].contains(&name.to_bytes()) {
            // One that stays keeps the directory, and no other file.
            first = first.and(unlinkat(directory, name, AtFlags::empty()));
        }
    }
    first?;
    match unlinkat(directory, LOCK_NAME, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(e),
    }
}

/// Returns the error for a path in a manifest whose name is not one of `kind`.
fn not_named_here(path: &Path, kind: &str) -> Error {
    let path = path.display();
    config!(
        ConfigErrorKind::InvalidPath,
        "{} does not have the name of {}; it is not changed",
        path,
        kind,
    )
}

/// Opens a directory that a job has made; a link in its place is refused.
pub(super) fn open_directory(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
) -> Answer<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(parent, name, flags, Mode::empty())
}

/// Locks a file that was just created as `path`. False if a sweeper was quicker and the name is
/// gone.
fn lock(file: impl AsFd, path: &Path) -> bool {
    // Any other error means that this file system has no locks: then sweepers can take none either,
    // and leave us alone.
    while let Err(Errno::INTR) = flock(&file, FlockOperation::LockExclusive) {}
    matches!((fstat(&file), lstat(path)),
        (Ok(ours), Ok(named)) if (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino))
}

/// Makes the names in a directory durable.
pub fn sync_directory(directory: &Path) -> Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let synced = open(directory, flags, Mode::empty()).and_then(fsync);
    match synced {
        // Some file systems have nothing to do for directories and say so.
        Ok(()) | Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
        Err(e) => Err(Error::io("make durable", directory, e)),
    }
}

fn is_taken(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists)
}

/// Returns a new name `.NAME.sortwell-PID-RANDOM.tmp`.
fn temporary_name(name: &OsStr, end: &str) -> OsString {
    let name = name.as_bytes();
    let kept = &name[..name.len().min(NAME_BYTES_MAX)];
    OsString::from_vec(
        [b".", kept, FILE_MARK.as_bytes(), unique().as_bytes(), end.as_bytes()].concat(),
    )
}

/// Returns a new `PID-RANDOM`.
fn unique() -> String {
    format!("{}-{:0RANDOM_DIGITS$x}", std::process::id(), random())
}

/// Returns a number that nobody can foretell.
pub(crate) fn random() -> u64 {
    // The standard library's hash keys are random for each process and differ from call to call.
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests;
