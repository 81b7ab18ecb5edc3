//! Descriptors that the parent process has left open, and the names that mean them: `/dev/stdin`,
//! `/dev/stdout`, `/dev/fd/N`, `/proc/self/fd/N`, and symbolic links to these.
//!
//! Such a name means the descriptor itself, at the place where it stands. Opening it as a path
//! would begin again at the start of the file, and a rename would take the file away from everybody
//! who has it open.
//!
//! Standard streams may have been closed. Rust's runtime opens `/dev/null` in their place before
//! `main`, so that no data file gets their numbers; what is written there would be lost without a
//! word. Whether they were closed can only be asked before that: `note_closed` is called as the
//! process begins (`.init_array`). How `/dev/null` was opened does not tell, as many programs start
//! others with `/dev/null` in the same way.

use std::fs::{self, Metadata};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::fs::{FileType, fstat, major, minor};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use super::Answer;
use super::final_name::{LINKS_MAX, directory_of};

/// The number of standard input.
pub const STDIN: RawFd = 0;
/// The number of standard output.
pub const STDOUT: RawFd = 1;
const STDERR: RawFd = 2;

/// The device number of `/dev/null`.
const NULL_DEVICE: (u32, u32) = (1, 3);

/// Directories in which the kernel lists a process's own descriptors.
const OWN_DESCRIPTORS: [&str; 2] = ["/proc/self/fd", "/proc/thread-self/fd"];

/// Bit `n` is set where descriptor `n` was closed when the process began.
static CLOSED: AtomicU8 = AtomicU8::new(0);

#[used]
#[unsafe(link_section = ".init_array")]
static NOTE_CLOSED: extern "C" fn() = note_closed;

/// Notes which standard streams are closed. Runs before Rust's runtime is there, and uses nothing
/// of it.
extern "C" fn note_closed() {
    for number in [STDIN, STDOUT, STDERR] {
        // SAFETY: F_GETFD takes nothing and touches no memory of ours.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
        }
    }
}

/// Returns whether a descriptor was closed when the process began, and stands for nothing still.
fn is_closed(number: RawFd, descriptor: BorrowedFd<'_>) -> bool {
    let was_closed =
        (STDIN..=STDERR).contains(&number) && CLOSED.load(Ordering::Relaxed) >> number & 1 == 1;
    was_closed
        && fstat(descriptor).is_ok_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
                && (major(stat.st_rdev), minor(stat.st_rdev)) == NULL_DEVICE
        })
}

/// Duplicates descriptor `number`; both share one position in the file.
pub(super) fn duplicate(number: RawFd) -> Answer<OwnedFd> {
    if number < 0 {
        return Err(Errno::BADF);
    }
    // SAFETY: it is not -1, and used for this call only; one that is not open is an error.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    match is_closed(number, descriptor) {
        true => Err(Errno::BADF),
        false => fcntl_dupfd_cloexec(descriptor, 0),
    }
}

/// Returns the file system and inode of the pipe or socket that a descriptor is; `None` for others.
pub fn pipe_identity(number: RawFd) -> Option<(u64, u64)> {
    let stat = fstat(duplicate(number).ok()?).ok()?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    matches!(kind, FileType::Fifo | FileType::Socket).then_some((stat.st_dev, stat.st_ino))
}

/// Returns the number of the open descriptor that a name means.
pub fn named_by(path: &Path) -> Option<RawFd> {
    is_link(path).then(|| follow(path))?
}

/// Returns the descriptor that a name means, or else the metadata of the file under that name. It
/// takes as many calls as to look there alone, except for symbolic links.
pub fn look(path: &Path) -> io::Result<Result<Metadata, RawFd>> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_symlink() {
        return Ok(Ok(metadata));
    }
    follow(path).map_or_else(|| fs::metadata(path).map(Ok), |number| Ok(Err(number)))
}

/// Follows a link, and those it leads to, up to one that stands for a descriptor.
fn follow(link: &Path) -> Option<RawFd> {
    let mut link = link.to_owned();
    for _ in 0..LINKS_MAX {
        let directory = fs::canonicalize(directory_of(&link)).ok()?;
        if is_of_descriptors(&directory) {
            return link.file_name()?.to_str()?.parse().ok();
        }
        link = directory.join(fs::read_link(&link).ok()?);
        if !is_link(&link) {
            return None;
        }
    }
    None
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn is_of_descriptors(directory: &Path) -> bool {
    let is_it = |own: &str| fs::canonicalize(own).is_ok_and(|own| own == directory);
    directory.starts_with("/proc") && OWN_DESCRIPTORS.iter().any(|own| is_it(own))
}

#[cfg(test)]
mod tests;
