//! Standard input and output that the shell has redirected to files: they have offsets after all,
//! and are read and written like any other file, past the page cache and by all workers at once.
//!
//! Such an output is written in place, as the shell has opened it under its name already; a sort
//! that fails leaves it empty.
//!
//! Only whole, plain cases count: input at its start, output empty and not for appending.
//! Everything else is a stream to us.

use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, SeekFrom, fcntl_getfl, fstat, seek, stat, tell};

use super::inherited::{STDIN, duplicate};
use super::kind::has_length;
use crate::error::{Error, Result};

/// Returns the name under which standard input can be opened, if it is a file at its start.
pub fn input() -> Option<PathBuf> {
    let path = PathBuf::from("/dev/stdin");
    file_at_start(STDIN, &path).then_some(path)
}

/// Returns whether descriptor `number` is a file at its start, not empty, that can be opened by
/// `path`.
pub(super) fn file_at_start(number: RawFd, path: &Path) -> bool {
    let length = duplicate(number).ok().and_then(plain_length);
    length.is_some_and(|length| length > 0) && std::fs::File::open(path).is_ok()
}

/// Returns the name under which standard output can be opened, if it is an empty file at its start.
pub fn output() -> Option<PathBuf> {
    let is_writable = |path: &PathBuf| std::fs::OpenOptions::new().write(true).open(path).is_ok();
    let flags = fcntl_getfl(std::io::stdout()).ok()?;
    let length = plain_length(std::io::stdout())?;
    let is_plain = length == 0 && !flags.contains(OFlags::APPEND);
    is_plain.then(|| PathBuf::from("/dev/stdout")).filter(is_writable)
}

/// Returns whether an open descriptor writes over the file at `path`. It does not if the file is
/// empty, or if it is appended to.
pub fn writes_over(number: RawFd, path: &Path) -> bool {
    let identity = |end: &OwnedFd| {
        let appends = fcntl_getfl(end).ok()?.contains(OFlags::APPEND);
        let to = fstat(end).ok()?;
        let is_regular = FileType::from_raw_mode(to.st_mode) == FileType::RegularFile;
        (is_regular && to.st_size > 0 && !appends).then_some((to.st_dev, to.st_ino))
    };
    let found = duplicate(number).ok().as_ref().and_then(identity);
    found.is_some() && found == stat(path).ok().map(|of| (of.st_dev, of.st_ino))
}

/// Moves standard output past the `bytes` bytes written to its file, for any process that shares it
/// and writes next.
pub fn skip_output(bytes: u64) -> Result<()> {
    let moved = seek(std::io::stdout(), SeekFrom::Start(bytes));
    moved.map(|_| ()).map_err(|e| Error::io("seek in", Path::new("standard output"), e))
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
