//! Removal of what killed jobs have left, and of nothing else.
//!
//! A candidate's name must match the pattern of `scratch` to the last character, it must be the
//! right kind of thing (links are not followed), and its lock must be free. The lock is what
//! decides; a young thing whose process lives is not even looked at, so that its maker need not
//! start over.
//!
//! The directory itself is the user's and may be a symbolic link, which is followed. Everything in
//! it is opened relative to its descriptor, so that a name swapped for a link in the meantime leads
//! nowhere. A file that cannot be removed is left for the next sweep.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, lstat, open, openat,
    statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process};

use super::Answer;
use super::scratch::{
    BELONGS_NAME, DIRECTORY_START, FILE_END, FILE_MARK, KEPT_NAME, LOCK_NAME, PART_END,
    RANDOM_DIGITS, empty_directory, open_directory,
};
use crate::error::{Error, Result};

/// Time in which the maker of a name is left alone to lock it.
const YOUNG_SECONDS: u64 = 5;

/// Removes temporary outputs and spill directories of dead processes from `directory`. Returns how
/// many were removed.
pub fn sweep(directory: &Path) -> Result<usize> {
    let mut removed = 0;
    each_dead(directory, |parent, name, dead| {
        removed += usize::from(dead.remove(parent, name).is_ok());
    })?;
    Ok(removed)
}

/// Returns the paths of what [`sweep`] would remove from `directory`, in order. A directory that is
/// not there has none.
pub fn abandoned(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if directory.is_dir() {
        each_dead(directory, |_, name, _| found.push(directory.join(OsStr::from_bytes(name))))?;
    }
    found.sort_unstable();
    Ok(found)
}

/// Shows `act` each temporary output and spill directory of a dead process in `directory`, which is
/// open, by its name.
fn each_dead(directory: &Path, mut act: impl FnMut(BorrowedFd<'_>, &[u8], Dead)) -> Result<()> {
    let opened = open_followed(directory).and_then(|fd| Ok((Dir::read_from(&fd)?, fd)));
    let (entries, fd) = opened.map_err(|e| Error::io("look for leftovers in", directory, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("look for leftovers in", directory, e))?;
        let name = entry.file_name().to_bytes();
        let dead = if let Some(pid) = pid_of_file(name) {
            Dead::file(fd.as_fd(), name, pid)
        } else if let Some(pid) = pid_of_directory(name) {
            Dead::directory(fd.as_fd(), name, pid)
        } else {
            continue;
        };
        // What cannot be looked at is left for the next sweep.
        if let Ok(Some(dead)) = dead {
            act(fd.as_fd(), name, dead);
        }
    }
    Ok(())
}

/// Returns this user's spill directories in `directory` that are kept: those with the manifest of a
/// job that can be resumed. A missing directory has none.
pub fn spill_directories(directory: &Path) -> Result<Vec<PathBuf>> {
    directories_with(KEPT_NAME, directory)
}

/// Returns those that belong to a manifest elsewhere.
pub fn belonging_directories(directory: &Path) -> Result<Vec<PathBuf>> {
    directories_with(BELONGS_NAME, directory)
}

/// Returns this user's spill directories in `directory` with a file called `mark`.
fn directories_with(mark: &str, directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("look for spill directories in", directory, e);
    let entries = match open_followed(directory).and_then(Dir::read_from) {
        Ok(entries) => entries,
        Err(Errno::NOENT) => return Ok(Vec::new()),
        Err(e) => return Err(failed(e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_bytes();
        let path = directory.join(OsStr::from_bytes(name));
        let is_own = || lstat(&path).is_ok_and(|stat| stat.st_uid == geteuid().as_raw());
        if pid_of_directory(name).is_some() && is_own() && lstat(path.join(mark)).is_ok() {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Opens a directory that the user named, through symbolic links.
pub(crate) fn open_followed(directory: &Path) -> Answer<OwnedFd> {
    open(directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Returns whether a path has a name that is given to outputs which are kept on their way.
pub fn is_part(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let with_end = |name: &[u8]| [name, FILE_END.as_bytes()].concat();
    let temporary = name.strip_suffix(PART_END.as_bytes()).map(with_end);
    temporary.is_some_and(|name| pid_of_file(&name).is_some())
}

/// Returns whether a path has a name that is given to spill directories.
pub fn is_spill_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| pid_of_directory(name.as_bytes()).is_some())
}

/// Returns the process number in `.NAME.sortwell-PID-RANDOM.tmp`.
fn pid_of_file(name: &[u8]) -> Option<u32> {
    let name = name.strip_prefix(b".")?.strip_suffix(FILE_END.as_bytes())?;
    let mark = FILE_MARK.as_bytes();
    let at = name.windows(mark.len()).rposition(|window| window == mark).filter(|at| *at > 0)?;
    pid_of_unique(&name[at + mark.len()..])
}

/// Returns the process number in `sortwell-spill-PID-RANDOM`.
fn pid_of_directory(name: &[u8]) -> Option<u32> {
    pid_of_unique(name.strip_prefix(DIRECTORY_START.as_bytes())?)
}

/// Returns the process number in `PID-RANDOM`, written exactly as `scratch` writes it.
fn pid_of_unique(text: &[u8]) -> Option<u32> {
    let (pid, random) = std::str::from_utf8(text).ok()?.split_once('-')?;
    let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let is_ours = random.len() == RANDOM_DIGITS && random.bytes().all(is_digit);
    let number = pid.parse::<u32>().ok().filter(|number| number.to_string() == pid);
    number.filter(|_| is_ours)
}

/// A leftover of a dead process, locked for as long as this is held: its maker, should it live,
/// waits and then sees that it is gone.
enum Dead {
    /// A temporary output.
    File(#[expect(dead_code, reason = "held for its lock")] OwnedFd),
    /// A spill directory, and its lock where it has one.
    Directory { opened: OwnedFd, lock: Option<OwnedFd> },
}

impl Dead {
    fn file(directory: BorrowedFd<'_>, name: &[u8], pid: u32) -> Answer<Option<Self>> {
        let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file || is_left_alone(&stat, pid) {
            return Ok(None);
        }
        Ok(free_lock(directory, name)?.map(Self::File))
    }

    fn directory(parent: BorrowedFd<'_>, name: &[u8], pid: u32) -> Answer<Option<Self>> {
        let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if !is_directory || is_left_alone(&stat, pid) {
            return Ok(None);
        }
        let opened = open_directory(parent, name)?;
        for name in [KEPT_NAME, BELONGS_NAME] {
            match statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => {}
                // Whatever else is the matter: what may be kept is not removed.
                _ => return Ok(None),
            }
        }
        match free_lock(opened.as_fd(), LOCK_NAME.as_bytes()) {
            Ok(Some(lock)) => Ok(Some(Self::Directory { opened, lock: Some(lock) })),
            Ok(None) => Ok(None),
            // Its maker died, or is about to lock it: empty, or none of ours.
            Err(Errno::NOENT) if is_empty(&opened)? => {
                Ok(Some(Self::Directory { opened, lock: None }))
            }
            Err(e) => Err(e),
        }
    }

    /// Removes it, by its name in `parent`.
    fn remove(self, parent: BorrowedFd<'_>, name: &[u8]) -> Answer<()> {
        match &self {
            Self::File(_) => unlinkat(parent, name, AtFlags::empty()),
            Self::Directory { opened, lock } => {
                if lock.is_some() {
                    empty_directory(opened)?;
                }
                unlinkat(parent, name, AtFlags::REMOVEDIR)
            }
        }
    }
}

fn is_empty(directory: &OwnedFd) -> Answer<bool> {
    for entry in Dir::read_from(directory)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the lock on a file nobody else has locked, if it still has that name; dropping it lets
/// go.
pub(crate) fn free_lock(directory: BorrowedFd<'_>, name: &[u8]) -> Answer<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = openat(directory, name, flags, Mode::empty())?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let (locked, named) = (fstat(&file)?, statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?);
    let is_same = (locked.st_dev, locked.st_ino) == (named.st_dev, named.st_ino);
    Ok(is_same.then_some(file))
}

/// Returns whether a thing is so young, and its process so alive, that it may be about to be
/// locked.
fn is_left_alone(stat: &Stat, pid: u32) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let modified = u64::try_from(stat.st_mtime).unwrap_or(0);
    now.saturating_sub(modified) < YOUNG_SECONDS && is_alive(pid)
}

/// Returns whether a process of this number exists here, of any user.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

#[cfg(test)]
mod tests;
