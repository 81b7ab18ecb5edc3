//! Removes what killed jobs have left behind, and nothing else.
//!
//! A candidate's name must match the pattern of `scratch` to the last character, it must be the
//! right kind of thing (links are not followed), and its lock must be free. The lock is what
//! decides; a young thing whose process lives is not even looked at, so that its maker need not
//! start over.
//!
//! Everything is opened relative to the directory's descriptor, so that a name swapped for a link
//! in the meantime leads nowhere. Whatever cannot be removed is left for the next sweep.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, lstat, openat,
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

/// How long the maker of a name is left alone to lock it.
const YOUNG_SECONDS: u64 = 5;

/// Removes temporary outputs and spill directories of dead processes from `directory`. Returns how
/// many were removed.
pub fn sweep(directory: &Path) -> Result<usize> {
    let opened = open_directory(CWD, directory).and_then(|fd| Ok((Dir::read_from(&fd)?, fd)));
    let (entries, fd) = opened.map_err(|e| Error::io("look for leftovers in", directory, e))?;
    let mut removed = 0;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("look for leftovers in", directory, e))?;
        let name = entry.file_name().to_bytes();
        let swept = if let Some(pid) = pid_of_file(name) {
            sweep_file(fd.as_fd(), name, pid)
        } else if let Some(pid) = pid_of_directory(name) {
            sweep_directory(fd.as_fd(), name, pid)
        } else {
            continue;
        };
        removed += usize::from(swept == Ok(true));
    }
    Ok(removed)
}

/// This user's spill directories in `directory` that are kept: with the manifest of a job that
/// another can go on with. One that is not there has none.
pub fn spill_directories(directory: &Path) -> Result<Vec<PathBuf>> {
    directories_with(KEPT_NAME, directory)
}

/// Those that belong to a manifest elsewhere.
pub fn belonging_directories(directory: &Path) -> Result<Vec<PathBuf>> {
    directories_with(BELONGS_NAME, directory)
}

/// This user's spill directories in `directory` with a file called `mark`.
fn directories_with(mark: &str, directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("look for spill directories in", directory, e);
    let entries = match open_directory(CWD, directory).and_then(Dir::read_from) {
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

/// Whether a path has a name that is given to outputs which are kept on their way.
pub fn is_part(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let with_end = |name: &[u8]| [name, FILE_END.as_bytes()].concat();
    let temporary = name.strip_suffix(PART_END.as_bytes()).map(with_end);
    temporary.is_some_and(|name| pid_of_file(&name).is_some())
}

/// Whether a path has a name that is given to spill directories.
pub(super) fn is_spill_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| pid_of_directory(name.as_bytes()).is_some())
}

/// The process number in `.NAME.sortwell-PID-RANDOM.tmp`.
fn pid_of_file(name: &[u8]) -> Option<u32> {
    let name = name.strip_prefix(b".")?.strip_suffix(FILE_END.as_bytes())?;
    let mark = FILE_MARK.as_bytes();
    let at = name.windows(mark.len()).rposition(|window| window == mark).filter(|at| *at > 0)?;
    pid_of_unique(&name[at + mark.len()..])
}

/// The process number in `sortwell-spill-PID-RANDOM`.
fn pid_of_directory(name: &[u8]) -> Option<u32> {
    pid_of_unique(name.strip_prefix(DIRECTORY_START.as_bytes())?)
}

/// The process number in `PID-RANDOM`, written exactly as `scratch` writes it.
fn pid_of_unique(text: &[u8]) -> Option<u32> {
    let (pid, random) = std::str::from_utf8(text).ok()?.split_once('-')?;
    let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let is_ours = random.len() == RANDOM_DIGITS && random.bytes().all(is_digit);
    let number = pid.parse::<u32>().ok().filter(|number| number.to_string() == pid);
    number.filter(|_| is_ours)
}

fn sweep_file(directory: BorrowedFd<'_>, name: &[u8], pid: u32) -> Answer<bool> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || is_left_alone(&stat, pid) {
        return Ok(false);
    }
    // Held until the name is gone, so that its maker, should it live, waits and then sees that.
    let Some(_lock) = free_lock(directory, name)? else { return Ok(false) };
    unlinkat(directory, name, AtFlags::empty())?;
    Ok(true)
}

fn sweep_directory(parent: BorrowedFd<'_>, name: &[u8], pid: u32) -> Answer<bool> {
    let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory || is_left_alone(&stat, pid) {
        return Ok(false);
    }
    let directory = open_directory(parent, name)?;
    for name in [KEPT_NAME, BELONGS_NAME] {
        match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            // Whatever else is the matter: what may be kept is not removed.
            _ => return Ok(false),
        }
    }
    match free_lock(directory.as_fd(), LOCK_NAME.as_bytes()) {
        Ok(Some(_lock)) => empty_directory(&directory)?,
        Ok(None) => return Ok(false),
        // Its maker died, or is about to lock it: empty, or none of ours.
        Err(Errno::NOENT) => {}
        Err(e) => return Err(e),
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)?;
    Ok(true)
}

/// The lock on a file nobody else has locked, if it still has that name; dropping it lets go.
pub(super) fn free_lock(directory: BorrowedFd<'_>, name: &[u8]) -> Answer<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = openat(directory, name, flags, Mode::empty())?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let (locked, named) = (fstat(&file)?, statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?);
    let is_same = (locked.st_dev, locked.st_ino) == (named.st_dev, named.st_ino);
    Ok(is_same.then_some(file))
}

/// Whether a thing is so young, and its process so alive, that it may be about to be locked.
fn is_left_alone(stat: &Stat, pid: u32) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let modified = u64::try_from(stat.st_mtime).unwrap_or(0);
    now.saturating_sub(modified) < YOUNG_SECONDS && is_alive(pid)
}

/// Whether a process of this number exists here, whoever owns it.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

#[cfg(test)]
mod tests;
