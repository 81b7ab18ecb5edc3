//! One open file with both ways into it: through the page cache, and past it where that is
//! possible.
//!
//! Which way a transfer goes is decided here, per transfer, from its alignment: whole blocks at
//! aligned places go past the cache, what is left goes through it. If the kernel ever answers
//! EINVAL to a direct transfer, the file is buffered from then on and nobody above needs to know.
//!
//! A file may also be several (`striped`): then it only knows them, and requests on it are parted
//! before they are carried out.
//!
//! Left to others: carrying transfers out (`transfer` and the engines), temporary names
//! (`scratch`).

mod mark;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::fs::{
    FallocateFlags, FileType, Mode, OFlags, SeekFrom, fallocate, fdatasync, fstat, fstatvfs,
    ftruncate, open, seek, stat,
};
use rustix::io::{Errno, pread, pwrite};

use super::Answer;
use super::cache::is_mostly_cached;
use super::direct::{Direct, DirectDescriptor};
use super::holding::{Holding, HoldingShare};
use super::striped::{StripePlace, Stripes};
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};

pub(super) use mark::check_whole;
pub use mark::check_whole_at;

/// An open file, shared by every request on it.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    body: FileBody,
    /// Length at opening, or as set or written through this file since.
    length: AtomicU64,
    /// Share of a temporary file in the bytes that its place holds.
    share: OnceLock<HoldingShare>,
}

/// Place of the file's bytes.
#[derive(Debug)]
enum FileBody {
    /// A file of the system.
    Plain(PlainFile),
    /// Several of them.
    Striped(Stripes),
}

#[derive(Debug)]
struct PlainFile {
    buffered: OwnedFd,
    direct: Option<DirectDescriptor>,
    /// Set for good once the kernel has refused a direct transfer.
    has_refused_direct: AtomicBool,
    /// True if the file was mostly in the page cache when it was opened.
    is_cached: bool,
}

/// The way that the next piece of a transfer takes.
pub(super) struct Route {
    pub(super) descriptor: RawFd,
    /// Part of the piece that goes this way; the rest is routed again.
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
                return Err(config!(
                    ConfigErrorKind::InvalidPath,
                    "{} is a pipe or device, which has no offsets; pass it as standard input",
                    path.display(),
                ));
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
            Direct::Auto if !wish.may_be_direct() => None,
            Direct::Off => None,
            Direct::Auto => DirectDescriptor::open(path, &buffered, access).ok(),
            Direct::On => Some(DirectDescriptor::open(path, &buffered, access).map_err(|e| {
                config!(
                    ConfigErrorKind::Unsupported,
                    "{}: its file system does not support direct requests ({}); use {}",
                    path.display(),
                    e,
                    Setting::Direct.to("auto"),
                )
            })?),
        };
        let has_refused_direct = AtomicBool::new(false);
        let body = FileBody::Plain(PlainFile { buffered, direct, has_refused_direct, is_cached });
        let (path, length) = (path.to_owned(), AtomicU64::new(length));
        Ok(Arc::new(Self { path, body, length, share: OnceLock::new() }))
    }

    /// Returns a file of stripes that have `length` bytes, called `path` in messages.
    pub(crate) fn of_stripes(path: &Path, stripes: Stripes, length: u64) -> Arc<Self> {
        let (path, length) = (path.to_owned(), AtomicU64::new(length));
        Arc::new(Self { path, body: FileBody::Striped(stripes), length, share: OnceLock::new() })
    }

    /// Returns the stripes, if it has any.
    pub(crate) fn stripes(&self) -> Option<&Stripes> {
        match &self.body {
            FileBody::Plain(_) => None,
            FileBody::Striped(stripes) => Some(stripes),
        }
    }

    /// Returns the file of the system; requests on others are split before they come here.
    fn plain(&self) -> &PlainFile {
        match &self.body {
            FileBody::Plain(plain) => plain,
            FileBody::Striped(_) => unreachable!("{} is several files", self.path.display()),
        }
    }

    /// Renames a file that was just opened, in messages, to a name that a person knows.
    #[must_use]
    pub fn called(mut self: Arc<Self>, name: &Path) -> Arc<Self> {
        if let Some(file) = Arc::get_mut(&mut self) {
            file.path = name.to_owned();
        }
        self
    }

    /// Returns the file's path, or the name that it is [called](Self::called).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Counts in `holding` what is written to it from now on, in addition to `claimed` bytes that
    /// are claimed for it already. It counts in one holding, for good.
    pub fn count_in(&self, holding: &Arc<Holding>, claimed: u64) {
        let is_first = self.share.set(HoldingShare::new(holding, claimed)).is_ok();
        assert!(is_first, "{} counts already", self.path.display());
    }

    /// Returns the file's share of a holding, if it counts in one.
    pub fn share(&self) -> Option<&HoldingShare> {
        self.share.get()
    }

    /// Returns the bytes in the file: as found at opening, and as set and written through it since.
    #[expect(clippy::len_without_is_empty, reason = "a file is not a collection")]
    pub fn len(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Returns whether aligned requests go past the page cache.
    pub fn is_direct(&self) -> bool {
        match &self.body {
            FileBody::Plain(plain) => plain.is_direct(),
            FileBody::Striped(stripes) => stripes.members().iter().all(|member| member.is_direct()),
        }
    }

    /// Returns whether most of the file was in the page cache when it was opened.
    pub fn is_cached(&self) -> bool {
        match &self.body {
            FileBody::Plain(plain) => plain.is_cached,
            FileBody::Striped(stripes) => stripes.members().iter().all(|member| member.is_cached()),
        }
    }

    /// Returns the alignment that offsets and lengths need to go past the cache: at least a page,
    /// even if the file is not direct. Memory needs no more.
    pub fn block_bytes(&self) -> usize {
        let page_bytes = rustix::param::page_size();
        match &self.body {
            FileBody::Plain(PlainFile { direct: Some(direct), .. }) => {
                direct.block_bytes.max(direct.memory_alignment)
            }
            FileBody::Plain(_) => page_bytes,
            FileBody::Striped(stripes) => {
                let bytes = stripes.members().iter().map(|member| member.block_bytes());
                bytes.max().unwrap_or(page_bytes)
            }
        }
    }

    /// Reserves room for `length` bytes and makes the file that long. Where the file system cannot
    /// reserve, the file only gets its length.
    pub fn preallocate(&self, length: u64) -> Result<()> {
        let failed = |e: Errno| Error::io("reserve space for", &self.path, e);
        if length == 0 {
            return Ok(());
        }
        if let FileBody::Striped(stripes) = &self.body {
            stripes.of_each(length, Self::preallocate)?;
            self.length.fetch_max(length, Ordering::Relaxed);
            return Ok(());
        }
        self.check_room(length).map_err(failed)?;
        loop {
            match fallocate(&self.plain().buffered, FallocateFlags::empty(), 0, length) {
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

    /// Checks that the file system has room for `length` bytes. Asked first because `fallocate`
    /// finds out by filling the disk to the last block, and every other program there would suffer
    /// it.
    fn check_room(&self, length: u64) -> Answer<()> {
        let buffered = &self.plain().buffered;
        let system = fstatvfs(buffered)?;
        let allocated = u64::try_from(fstat(buffered)?.st_blocks).unwrap_or(0) * 512;
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
        if let FileBody::Striped(stripes) = &self.body {
            return stripes.of_range(&bytes, Self::free);
        }
        let buffered = &self.plain().buffered;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        loop {
            match fallocate(buffered, flags, bytes.start, bytes.end - bytes.start) {
                Ok(()) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(e) => return Err(Error::io("free the space of", &self.path, e)),
            }
        }
    }

    /// Cuts the file off or extends it with zeros.
    pub fn set_len(&self, length: u64) -> Result<()> {
        match &self.body {
            FileBody::Plain(plain) => ftruncate(&plain.buffered, length)
                .map_err(|e| Error::io("set the length of", &self.path, e))?,
            FileBody::Striped(stripes) => stripes.of_each(length, Self::set_len)?,
        }
        self.length.store(length, Ordering::Relaxed);
        Ok(())
    }

    /// Waits until everything written is on the disk.
    pub fn sync_data(&self) -> Result<()> {
        match &self.body {
            FileBody::Plain(plain) => {
                fdatasync(&plain.buffered).map_err(|e| Error::io("make durable", &self.path, e))
            }
            FileBody::Striped(stripes) => stripes.of_each(0, |member, _| member.sync_data()),
        }
    }

    /// Reads at `offset` until `buffer` is full or the file ends; the bytes read. For a few of
    /// them: through the page cache, and waiting.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset + filled as u64;
            let (plain, own, most) = self.piece(at, buffer.len() - filled);
            match pread(&plain.plain().buffered, &mut buffer[filled..filled + most], own) {
                Ok(0) => break,
                Ok(bytes) => filled += bytes,
                Err(Errno::INTR) => {}
                Err(e) => return Err(Error::io_at("read", &plain.path, own, e)),
            }
        }
        let end = offset + filled as u64;
        match self.stripes().filter(|_| filled < buffer.len() && end < self.len()) {
            // Others may follow the member that ends early.
            Some(stripes) => Err(stripes.shortened(&self.path, end, self.len())),
            None => Ok(filled),
        }
    }

    /// Writes all of `bytes` at `offset`, likewise.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            let at = offset + written as u64;
            let (plain, own, most) = self.piece(at, bytes.len() - written);
            match pwrite(&plain.plain().buffered, &bytes[written..written + most], own) {
                Ok(0) => return Err(Error::io_at("write", &plain.path, own, Errno::IO)),
                Ok(more) => written += more,
                Err(Errno::INTR) => {}
                Err(e) => return Err(Error::io_at("write", &plain.path, own, e)),
            }
        }
        self.grown_to(offset + bytes.len() as u64);
        Ok(())
    }

    /// Returns the file of the system with byte `offset`, the offset there, and how many of `bytes`
    /// bytes follow there in one piece.
    fn piece(&self, offset: u64, bytes: usize) -> (&Self, u64, usize) {
        match &self.body {
            FileBody::Plain(_) => (self, offset, bytes),
            FileBody::Striped(stripes) => {
                let StripePlace { member, offset, left } = stripes.layout().place(offset);
                (&stripes.members()[member], offset, (left.min(bytes as u64)) as usize)
            }
        }
    }

    /// Returns the identity of the file and of its content: its number in its file system, and its
    /// last change in seconds and nanoseconds. Of several it is the number of the first, and the
    /// latest change.
    pub fn identity(&self) -> Result<(u64, (i64, i64))> {
        match &self.body {
            FileBody::Plain(plain) => {
                let stat = fstat(&plain.buffered);
                let stat = stat.map_err(|e| Error::io("look at", &self.path, e))?;
                Ok((stat.st_ino, (stat.st_mtime, stat.st_mtime_nsec as i64)))
            }
            FileBody::Striped(stripes) => {
                let all: Result<Vec<_>> =
                    stripes.members().iter().map(|member| member.identity()).collect();
                let all = all?;
                let latest = all.iter().map(|(_, modified)| *modified).max();
                let first = all.first().map_or(0, |(inode, _)| *inode);
                Ok((first, latest.unwrap_or_default()))
            }
        }
    }

    /// Returns the way for the first part of a transfer between `address` and `offset`.
    pub(super) fn route(&self, address: usize, offset: u64, length: usize) -> Route {
        let plain = self.plain();
        if let Some(direct) = plain.direct.as_ref().filter(|_| plain.is_direct()) {
            let whole = length - length % direct.block_bytes;
            if whole > 0 && direct.suits(address, offset) {
                let descriptor = direct.descriptor.as_raw_fd();
                return Route { descriptor, length: whole, is_direct: true };
            }
        }
        Route { descriptor: plain.buffered.as_raw_fd(), length, is_direct: false }
    }

    /// Returns how many of `length` bytes, between memory at `address` and `offset`, go through the
    /// page cache.
    pub fn cached_bytes(&self, address: usize, offset: u64, length: usize) -> usize {
        match &self.body {
            FileBody::Striped(_) if self.is_direct() => 0,
            FileBody::Striped(_) => length,
            FileBody::Plain(_) => match self.route(address, offset, length) {
                Route { is_direct: true, length: past, .. } => length - past,
                Route { .. } => length,
            },
        }
    }

    /// Sends every later transfer through the page cache.
    pub(super) fn give_up_direct(&self) {
        self.plain().has_refused_direct.store(true, Ordering::Relaxed);
    }

    /// Notes that bytes up to `end` have been written.
    pub(super) fn grown_to(&self, end: u64) {
        self.length.fetch_max(end, Ordering::Relaxed);
    }
}

impl PlainFile {
    fn is_direct(&self) -> bool {
        self.direct.is_some() && !self.has_refused_direct.load(Ordering::Relaxed)
    }
}

impl AsFd for File {
    /// Returns the descriptor that goes through the page cache, of a file that is not striped.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.plain().buffered.as_fd()
    }
}

/// Returns the error for a file that could not be opened. Where the process has too many, which
/// file it was tells little.
pub(crate) fn not_opened(action: &'static str, path: &Path, errno: Errno) -> Error {
    if errno != Errno::MFILE {
        return Error::io(action, path, errno);
    }
    config!(
        ConfigErrorKind::OpenFileLimit { least: None },
        "cannot {} {}: no more files may be open; raise the limit (ulimit -n)",
        action,
        path.display(),
    )
}

#[cfg(test)]
mod tests;
