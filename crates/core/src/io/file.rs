//! One open file with both ways into it: through the page cache, and past it where that is
//! possible.
//!
//! Which way a transfer goes is decided here, per transfer, from its alignment: whole blocks at
//! aligned places go past the cache, what is left goes through it. If the kernel ever answers
//! EINVAL to a direct transfer, the file is buffered from then on and nobody above needs to know.
//!
//! Left to others: carrying transfers out (`transfer` and the engines), temporary names
//! (`scratch`).

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{
    FallocateFlags, FileType, Mode, OFlags, SeekFrom, XattrFlags, fallocate, fdatasync,
    fremovexattr, fsetxattr, fstat, fstatvfs, ftruncate, getxattr, open, seek, stat,
};
use rustix::io::Errno;

use super::Answer;
use super::cache::is_mostly_cached;
use super::direct::{Direct, DirectDescriptor};
use crate::error::{Error, Result};

/// The name of the mark of a file that is being sorted in place.
const IN_PLACE: &str = "user.sortwell.in-place";

/// An open file, shared by every request on it.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    buffered: OwnedFd,
    direct: Option<DirectDescriptor>,
    /// Set for good once the kernel has refused a direct transfer.
    has_refused_direct: AtomicBool,
    /// Whether the file was mostly in the page cache when it was opened.
    is_cached: bool,
    /// Length at opening, or as set or written through this file since.
    length: AtomicU64,
}

/// The way that the next piece of a transfer takes.
pub(super) struct Route {
    pub(super) descriptor: RawFd,
    /// How much of the piece goes this way; the rest is routed again.
    pub(super) length: usize,
    pub(super) is_direct: bool,
}

impl File {
    /// Opens a regular file or block device for reading.
    pub fn open_read(path: &Path, direct: Direct) -> Result<Arc<Self>> {
        let failed = |e: Errno| not_opened("open", path, e);
        // Asked before opening, because opening a FIFO would wait for its other end.
        match FileType::from_raw_mode(stat(path).map_err(failed)?.st_mode) {
            FileType::RegularFile | FileType::BlockDevice => {}
            FileType::Directory => return Err(Error::io("read", path, Errno::ISDIR)),
            _ => {
                return Err(Error::Usage(format!(
                    "{} is a pipe or device, which has no offsets; pass it as standard input",
                    path.display()
                )));
            }
        }
        let access = OFlags::RDONLY;
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let buffered = open(path, flags, Mode::empty()).map_err(failed)?;
        // A block device's length is not in its inode; its end is.
        let length = seek(&buffered, SeekFrom::End(0)).map_err(failed)?;
        let stat = fstat(&buffered).map_err(failed)?;
        let is_cached = is_mostly_cached(&buffered, path, &stat, length);
        let wish = if is_cached && direct == Direct::Auto { Direct::Off } else { direct };
        Self::with(path, buffered, access, wish, is_cached, length)
    }

    /// Creates a file that must not exist yet, for writing and reading back, that nobody else may
    /// open.
    pub fn create(path: &Path, direct: Direct) -> Result<Arc<Self>> {
        let access = OFlags::RDWR;
        let flags = access | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let buffered = open(path, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|e| not_opened("create", path, e))?;
        Self::with(path, buffered, access, direct, false, 0).inspect_err(|_| {
            let _ = rustix::fs::unlink(path); // Ours and empty: made above under O_EXCL.
        })
    }

    /// Opens a regular file that was created before, for writing and reading back.
    pub fn reopen(path: &Path, direct: Direct) -> Result<Arc<Self>> {
        let failed = |e: Errno| Error::io("open", path, e);
        let access = OFlags::RDWR;
        let flags = access | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let buffered = open(path, flags, Mode::empty()).map_err(failed)?;
        let stat = fstat(&buffered).map_err(failed)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(failed(Errno::INVAL));
        }
        let length = u64::try_from(stat.st_size).unwrap_or(0);
        Self::with(path, buffered, access, direct, false, length)
    }

    /// Opens an empty file of somebody else's making, for writing.
    pub fn open_empty(path: &Path, direct: Direct) -> Result<Arc<Self>> {
        let access = OFlags::WRONLY;
        let buffered = open(path, access | OFlags::CLOEXEC, Mode::empty())
            .map_err(|e| Error::io("open", path, e))?;
        Self::with(path, buffered, access, direct, false, 0)
    }

    fn with(
        path: &Path,
        buffered: OwnedFd,
        access: OFlags,
        wish: Direct,
        is_cached: bool,
        length: u64,
    ) -> Result<Arc<Self>> {
        let direct = match wish {
            Direct::Off => None,
            Direct::Auto => DirectDescriptor::open(path, &buffered, access).ok(),
            Direct::On => Some(DirectDescriptor::open(path, &buffered, access).map_err(|e| {
                Error::Usage(format!(
                    "{}: its file system takes no direct requests ({e}); use --direct auto",
                    path.display()
                ))
            })?),
        };
        Ok(Arc::new(Self {
            path: path.to_owned(),
            buffered,
            direct,
            has_refused_direct: AtomicBool::new(false),
            is_cached,
            length: AtomicU64::new(length),
        }))
    }

    /// The same file, just opened, under another name in messages: one that a person knows.
    #[must_use]
    pub fn called(mut self: Arc<Self>, name: &Path) -> Arc<Self> {
        if let Some(file) = Arc::get_mut(&mut self) {
            file.path = name.to_owned();
        }
        self
    }

    /// The path it was opened with, or is [called](Self::called) by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in the file: found at opening, then kept up with what is set and written through it.
    #[expect(clippy::len_without_is_empty, reason = "a file is not a collection")]
    pub fn len(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Whether aligned requests go past the page cache.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some() && !self.has_refused_direct.load(Ordering::Relaxed)
    }

    /// Whether most of the file was in the page cache when it was opened.
    pub fn is_cached(&self) -> bool {
        self.is_cached
    }

    /// What offsets and lengths should be multiples of so that requests can go past the cache: at
    /// least a page, whether or not the file is direct. Memory needs no more than this either.
    pub fn block_bytes(&self) -> usize {
        let page_bytes = rustix::param::page_size();
        self.direct
            .as_ref()
            .map_or(page_bytes, |direct| direct.block_bytes.max(direct.memory_alignment))
    }

    /// Reserves room for `length` bytes and makes the file that long. Where the file system cannot
    /// reserve, the file only gets its length.
    pub fn preallocate(&self, length: u64) -> Result<()> {
        let failed = |e: Errno| Error::io("reserve space for", &self.path, e);
        if length == 0 {
            return Ok(());
        }
        self.check_room(length).map_err(failed)?;
        loop {
            match fallocate(&self.buffered, FallocateFlags::empty(), 0, length) {
                Ok(()) => {
                    self.length.fetch_max(length, Ordering::Relaxed);
                    return Ok(());
                }
                Err(Errno::INTR) => {}
                Err(Errno::OPNOTSUPP | Errno::NOSYS) if length > self.len() => {
                    return self.set_len(length);
                }
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
                Err(e) => return Err(failed(e)),
            }
        }
    }

    /// Whether the file system says that `length` bytes fit. Asked first because `fallocate` finds
    /// out by filling the disk to the last block, and every other program there would suffer it.
    fn check_room(&self, length: u64) -> Answer<()> {
        let system = fstatvfs(&self.buffered)?;
        let allocated = u64::try_from(fstat(&self.buffered)?.st_blocks).unwrap_or(0) * 512;
        let free = system.f_bavail.saturating_mul(system.f_frsize);
        // No blocks at all is how some network file systems say that they do not know.
        if system.f_blocks > 0 && length.saturating_sub(allocated) > free {
            return Err(Errno::NOSPC);
        }
        Ok(())
    }

    /// Gives back the room of some bytes, which are zeros from then on. Where the file system
    /// cannot do that, it is an error.
    pub fn free(&self, bytes: std::ops::Range<u64>) -> Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        loop {
            match fallocate(&self.buffered, flags, bytes.start, bytes.end - bytes.start) {
                Ok(()) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(e) => return Err(Error::io("give back the room of", &self.path, e)),
            }
        }
    }

    /// Marks the file as one whose records lie in `directory` in part, for every sortwell to see.
    /// Where the file system keeps no such marks, it is an error.
    pub fn mark(&self, directory: &Path) -> Result<()> {
        let value = directory.as_os_str().as_bytes();
        fsetxattr(&self.buffered, IN_PLACE, value, XattrFlags::empty())
            .map_err(|e| Error::io("mark", &self.path, e))
    }

    /// Removes the mark.
    pub fn unmark(&self) -> Result<()> {
        match fremovexattr(&self.buffered, IN_PLACE) {
            Ok(()) | Err(Errno::NODATA) => Ok(()),
            Err(e) => Err(Error::io("mark", &self.path, e)),
        }
    }

    /// Cuts the file off or extends it with zeros.
    pub fn set_len(&self, length: u64) -> Result<()> {
        ftruncate(&self.buffered, length)
            .map_err(|e| Error::io("set the length of", &self.path, e))?;
        self.length.store(length, Ordering::Relaxed);
        Ok(())
    }

    /// Waits until everything written is on the disk.
    pub fn sync_data(&self) -> Result<()> {
        fdatasync(&self.buffered).map_err(|e| Error::io("make durable", &self.path, e))
    }

    /// Where records of the file at `path` lie in part, if it is [marked](Self::mark).
    pub fn mark_of(path: &Path) -> Option<PathBuf> {
        let mut value = [0; 4096];
        let length = getxattr(path, IN_PLACE, &mut value).ok()?;
        Some(PathBuf::from(OsStr::from_bytes(&value[..length])))
    }

    /// The way for the first part of a transfer between `address` and `offset`.
    pub(super) fn route(&self, address: usize, offset: u64, length: usize) -> Route {
        if let Some(direct) = self.direct.as_ref().filter(|_| self.is_direct()) {
            let whole = length - length % direct.block_bytes;
            if whole > 0 && direct.suits(address, offset) {
                let descriptor = direct.descriptor.as_raw_fd();
                return Route { descriptor, length: whole, is_direct: true };
            }
        }
        Route { descriptor: self.buffered.as_raw_fd(), length, is_direct: false }
    }

    /// Sends every later transfer through the page cache.
    pub(super) fn give_up_direct(&self) {
        self.has_refused_direct.store(true, Ordering::Relaxed);
    }

    /// Notes that bytes up to `end` have been written.
    pub(super) fn grown_to(&self, end: u64) {
        self.length.fetch_max(end, Ordering::Relaxed);
    }
}

impl AsFd for File {
    /// The descriptor that goes through the page cache.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.buffered.as_fd()
    }
}

/// The error for a file that could not be opened. Where the process has too many, which file it was
/// tells little.
fn not_opened(action: &'static str, path: &Path, errno: Errno) -> Error {
    if errno != Errno::MFILE {
        return Error::io(action, path, errno);
    }
    Error::Usage(format!(
        "cannot {action} {}: no more files may be open; raise the limit (ulimit -n)",
        path.display()
    ))
}

#[cfg(test)]
mod tests;
