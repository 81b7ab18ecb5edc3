//! Marks and locks of files that are sorted in place.
//!
//! A sort in place gives back the room of records that lie elsewhere by then. It marks the file
//! before the first time. Another job that opens the file then refuses it. A job that has opened
//! it before looks again at the end of its reading: no hole can be older than the mark.
//!
//! The file that is open is locked as long as the sort takes, so that there is one such sort. The
//! lock is on a byte that no file has. So it is not one that other programs take: a user may run a
//! sort under `flock` on the same file.

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr, fstat, getxattr, stat};
use rustix::io::Errno;

use super::{File, FileBody};
use crate::error::{Error, Result};
use crate::io::Answer;
use crate::io::sync::last_error;

/// The name of the mark.
const IN_PLACE: &str = "user.sortwell.in-place";

/// The name of a mark without a meaning, which a process that was killed may leave.
pub(super) const PROBE: &str = "user.sortwell.probe";

/// The byte that is locked.
const LOCKED_BYTE: libc::off_t = libc::off_t::MAX - 1;

/// Most bytes of a mark: those of a path.
const MARK_MAX: usize = 4096;

impl File {
    /// Marks the file as one whose records lie in `directory` in part, for every sortwell to see.
    /// Where the file system keeps no such marks, it is an error. The file is not striped.
    pub fn mark(&self, directory: &Path) -> Result<()> {
        let value = directory.as_os_str().as_bytes();
        fsetxattr(&self.plain().buffered, IN_PLACE, value, XattrFlags::empty())
            .map_err(|e| Error::io("mark", &self.path, e))
    }

    /// Returns whether the file system keeps marks. The mark of the file stays as it is.
    pub fn takes_marks(&self) -> bool {
        let file = &self.plain().buffered;
        fsetxattr(file, PROBE, b"", XattrFlags::empty()).is_ok()
            && fremovexattr(file, PROBE).is_ok()
    }

    /// Removes the mark.
    pub fn unmark(&self) -> Result<()> {
        match fremovexattr(&self.plain().buffered, IN_PLACE) {
            Ok(()) | Err(Errno::NODATA) => Ok(()),
            Err(e) => Err(Error::io("mark", &self.path, e)),
        }
    }

    /// Makes sure that the file is whole: no sort in place has given back some of it. Striped files
    /// are not sorted in place.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] that says where its records are.
    pub fn check_whole(&self) -> Result<()> {
        match &self.body {
            FileBody::Plain(plain) => check_whole(&plain.buffered, &self.path),
            FileBody::Striped(_) => Ok(()),
        }
    }

    /// Locks the file, which is open for writing, against other jobs that do so, as long as it is
    /// open. Returns whether that was possible. Where the file system has no locks, it is.
    pub fn lock(&self) -> bool {
        // SAFETY: all zeros is a valid `flock`.
        let mut lock = unsafe { std::mem::zeroed::<libc::flock>() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        (lock.l_start, lock.l_len) = (LOCKED_BYTE, 1);
        let descriptor = self.plain().buffered.as_raw_fd();
        // SAFETY: the call only reads `lock`, ours for its length.
        let done = unsafe { libc::fcntl(descriptor, libc::F_OFD_SETLK, &raw const lock) };
        done == 0 || !matches!(last_error(), Errno::AGAIN | Errno::ACCESS)
    }

    /// Returns whether the file that is open is the one at its path.
    pub fn is_at_its_path(&self) -> bool {
        let identity = |stat: Answer<rustix::fs::Stat>| stat.ok().map(|of| (of.st_dev, of.st_ino));
        let open = identity(fstat(&self.plain().buffered));
        open.is_some() && open == identity(stat(&self.path))
    }
}

/// Returns where records of the file at `path` are stored in part, if it is marked.
pub fn mark_of(path: &Path) -> Option<PathBuf> {
    marked(|value| getxattr(path, IN_PLACE, value))
}

/// Makes sure that the file at `path` is whole, as [`File::check_whole`] does.
///
/// # Errors
///
/// As for [`File::check_whole`].
pub fn check_whole_at(path: &Path) -> Result<()> {
    mark_of(path).map_or(Ok(()), |directory| Err(not_whole(path, &directory)))
}

/// Makes sure that what is open, called `name`, is whole.
pub fn check_whole(descriptor: impl AsFd, name: &Path) -> Result<()> {
    let found = marked(|value| fgetxattr(&descriptor, IN_PLACE, value));
    found.map_or(Ok(()), |directory| Err(not_whole(name, &directory)))
}

fn marked(read: impl FnOnce(&mut [u8]) -> Answer<usize>) -> Option<PathBuf> {
    let mut value = [0; MARK_MAX];
    let length = read(&mut value).ok()?;
    Some(PathBuf::from(OsStr::from_bytes(&value[..length])))
}

fn not_whole(path: &Path, directory: &Path) -> Error {
    Error::malformed(
        path,
        format!(
            "an unfinished sort in place has records of it in {}; run the same command to \
             continue (a file copied over it keeps the mark: give the copy another name)",
            directory.display()
        ),
    )
}
