//! Standard input and output that the shell has redirected to files: they have offsets after all,
//! and are read and written like any other file, past the page cache and by all workers at once.
//!
//! Such an output is written in place, as the shell has opened it under its name already; a sort
//! that fails leaves it empty.
//!
//! Only whole, plain cases count: input at its start, output empty and not for appending.
//! Everything else is a stream to us.
//!
//! Other processes may have the same standard output. Jobs of sortwell lock the file and wait for
//! one another. What others write meanwhile moves the place at which standard output is.

use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::fs::{FileType, OFlags, SeekFrom, Stat, fcntl_getfl, fstat, seek, stat, tell};

use super::inherited::{STDIN, duplicate};
use super::kind::has_length;
use super::{Direct, File};
use crate::error::{Error, Result};
use crate::stats::Progress;

/// Time between two looks whether another job still writes to standard output.
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// Returns the name under which standard input can be opened, if it is a file at its start.
pub fn input() -> Option<PathBuf> {
    let path = PathBuf::from("/dev/stdin");
    file_at_start(STDIN, &path).then_some(path)
}

/// Returns whether descriptor `number` is a file at its start, not empty, that can be opened by
/// `path`.
pub fn file_at_start(number: RawFd, path: &Path) -> bool {
    let length = duplicate(number).ok().and_then(plain_length);
    length.is_some_and(|length| length > 0) && std::fs::File::open(path).is_ok()
}

/// Returns whether standard output is an empty file at its start, to be written in place.
pub fn is_output_empty() -> bool {
    // Messages to the same file come where it ends at that time.
    let has_messages = is_output(std::io::stderr());
    plain_length(std::io::stdout()) == Some(0) && !has_messages
}

/// Opens the file that standard output was redirected to, unless it is appended to, and locks it
/// for as long as it is open. Waits until no other job has locked it.
///
/// # Errors
///
/// Those of opening it past the page cache if that is asked for, or [`Error::Interrupted`] soon
/// after a stop was asked for through `progress`.
pub fn lock_output(direct: Direct, progress: &Progress) -> Result<Option<Arc<File>>> {
    let is_regular = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let flags = fcntl_getfl(std::io::stdout()).unwrap_or(OFlags::APPEND);
    if flags.contains(OFlags::APPEND) || !fstat(std::io::stdout()).is_ok_and(is_regular) {
        return Ok(None);
    }
    let path = Path::new("/dev/stdout");
    let direct = if is_output_empty() { direct } else { Direct::Off };
    if std::fs::OpenOptions::new().write(true).open(path).is_err() {
        return Ok(None);
    }
    let file = File::open_empty(path, direct)?;
    while !file.lock() {
        if progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        thread::sleep(LOCK_RETRY);
    }
    Ok(Some(file))
}

/// Returns whether an open descriptor writes over the file at `path`. It does not if the file is
/// empty. If it is appended to, that counts where the file `is_read_to_end`, wherever that is.
pub fn writes_over(number: RawFd, path: &Path, is_read_to_end: bool) -> bool {
    let identity = |end: &OwnedFd| {
        let appends = !is_read_to_end && fcntl_getfl(end).ok()?.contains(OFlags::APPEND);
        let to = fstat(end).ok()?;
        let is_regular = FileType::from_raw_mode(to.st_mode) == FileType::RegularFile;
        (is_regular && to.st_size > 0 && !appends).then_some((to.st_dev, to.st_ino))
    };
    let found = duplicate(number).ok().as_ref().and_then(identity);
    found.is_some() && found == stat(path).ok().map(|of| (of.st_dev, of.st_ino))
}

/// Returns whether a process that shares standard output has written to its file, which is `file`.
pub fn is_written_by_others(file: &File) -> bool {
    is_output(file) && matches!(tell(std::io::stdout()), Ok(1..))
}

/// Moves standard output past the `bytes` bytes written to its file, for any process that shares it
/// and writes next.
pub fn skip_output(bytes: u64) -> Result<()> {
    let moved = seek(std::io::stdout(), SeekFrom::Start(bytes));
    moved.map(|_| ()).map_err(|e| Error::io("seek in", Path::new("standard output"), e))
}

/// Returns whether standard output is the file that is open here.
fn is_output(end: impl AsFd) -> bool {
    let found = identity(end);
    found.is_some() && found == identity(std::io::stdout())
}

/// Returns the numbers of the file system and of the file that is open.
fn identity(end: impl AsFd) -> Option<(u64, u64)> {
    fstat(end).ok().map(|stat| (stat.st_dev, stat.st_ino))
}

/// Returns the length of a regular file, if this end of it is at its start.
fn plain_length(end: impl AsFd) -> Option<u64> {
    let stat = fstat(&end).ok()?;
    let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let is_at_start = is_regular && tell(&end) == Ok(0);
    let length = stat.st_size.cast_unsigned();
    let is_told = length == 0 || stat.st_blocks > 0 || has_length(&end, length);
    (is_at_start && is_told).then_some(length)
}
