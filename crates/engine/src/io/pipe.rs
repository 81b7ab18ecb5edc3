//! Streams without offsets: standard input, standard output, named pipes.
//!
//! A pipe is read and written in order by one thread, in pieces as large as the caller's buffer,
//! until the buffer is full or empty. Pipes are enlarged to 1 MiB where the system allows it, which
//! spares fifteen of sixteen switches between the two ends. A reader that has gone away surfaces as
//! [`Error::Io`] whose source is a broken pipe, so that the command can end quietly.
//!
//! The other end may let us wait for ever, and a job that was asked to stop must not wait with it.
//! Waiting is therefore done in `poll`, which looks up every `STOP_CHECK_MS`, and never in a read
//! or write (`Manner`). Making a standard stream's description non-blocking would be simpler, but
//! it belongs to the shell and its other children as well, and would stay so after us.
//!
//! 1 GB sorted into `cat`, best of 3 to 6 on a busy machine: blocking writes 1.08 s, flagged or
//! free ones 1.07, modest ones 1.53 (250 000 of them).

mod inlet;
mod outlet;

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags, fcntl_getfl, fstat, open, stat};
use rustix::io::{Errno, ReadWriteFlags, fcntl_dupfd_cloexec, preadv2, pwritev2, read, write};

use super::Answer;
use super::file::{File, check_whole};
use super::inherited::{STDIN, STDOUT, duplicate, named_by};
use super::supply::Supplied;
use super::sync::last_error;
use crate::error::{Error, Result};
use crate::stats::Progress;

pub use inlet::Inlet;
pub use outlet::{OpenOutlet, Outlet};

/// Size that pipes are enlarged to: the most that an unprivileged user is allowed by default.
const PIPE_BYTES: libc::c_int = 1 << 20;

/// Longest time for a blocked stream to notice that the job was stopped.
const STOP_CHECK_MS: libc::c_int = 50;

/// Time after which a stream that brings nothing stands still: what it has brought is worth a look
/// by then, and may be an error.
pub const STANDSTILL: Duration = Duration::from_millis(500);

/// Delay before a named pipe without a reader is tried again; there is nothing to `poll` yet.
const OPEN_RETRY: Duration = Duration::from_millis(20);

/// Most bytes that are read of a file at once: for those of `/proc` the kernel takes as much memory
/// of its own, and refuses to take megabytes.
const FREE_READ_BYTES: usize = 256 << 10;

/// Offset for `preadv2` and `pwritev2` that means the stream's own place, as for `read` and
/// `write`.
const NO_OFFSET: u64 = u64::MAX;

/// Ways to keep a call from waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Each call is flagged not to wait. Sockets and, on recent kernels, pipes without a name
    /// understand that.
    Told,
    /// Calls never wait: on a file, or where the description is non-blocking.
    Free,
    /// Calls move no more than `poll` allows: for writes, [`libc::PIPE_BUF`] bytes. Another process
    /// that reads or writes the same pipe may be quicker, and then the call waits all the same.
    Modest,
}

/// Direction of bytes.
#[derive(Clone, Copy, Debug)]
enum PipeDirection {
    In,
    Out,
}

/// The open end of a stream, its name for messages, and how far it has come.
#[derive(Debug)]
struct PipeEnd {
    descriptor: OwnedFd,
    name: PathBuf,
    way: PipeDirection,
    manner: Manner,
    /// True if `poll` comes before the next call: before the first, since a named pipe that nobody
    /// has opened for writing yet reads like one at its end; after a call that left something to
    /// wait for; and always before modest calls.
    is_polled_next: bool,
    /// Bytes that have passed.
    bytes: u64,
    /// True if its end was read. A terminal would be asked for more.
    is_over: bool,
    /// The file that is locked for as long as this is open.
    lock: Option<Arc<File>>,
}

impl PipeEnd {
    fn new(descriptor: OwnedFd, name: &Path, way: PipeDirection) -> Self {
        // SAFETY: F_SETPIPE_SZ takes a number and touches no memory of ours. What is no pipe, or
        // may not grow, stays as it is.
        let _ = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES) };
        let is_file = fstat(&descriptor).is_ok_and(|stat| {
            let kind = FileType::from_raw_mode(stat.st_mode);
            matches!(kind, FileType::RegularFile | FileType::BlockDevice)
        });
        let flags = fcntl_getfl(&descriptor).unwrap_or(OFlags::empty());
        let is_free = is_file || flags.contains(OFlags::NONBLOCK);
        let manner = if is_free { Manner::Free } else { Manner::Told };
        let name = name.to_owned();
        let (is_polled_next, is_over) = (true, false);
        Self { descriptor, name, way, manner, is_polled_next, bytes: 0, is_over, lock: None }
    }

    /// Returns the stream that the parent process has left open under a number.
    fn inherited(number: RawFd, name: &Path, way: PipeDirection) -> Result<Self> {
        let descriptor = duplicate(number).map_err(|e| Error::io(way.action(), name, e))?;
        Ok(Self::new(descriptor, name, way))
    }

    /// Returns what `path` names: a descriptor that is open already, or what can be opened; `None`
    /// for a named pipe that nobody reads.
    fn named(path: &Path, way: PipeDirection) -> Result<Option<Self>> {
        let access = match way {
            PipeDirection::In => OFlags::RDONLY,
            PipeDirection::Out => OFlags::WRONLY,
        };
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK;
        // Only a link can mean a descriptor: others are opened by one call.
        let opened = match open(path, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::LOOP) => match named_by(path) {
                Some(number) => return Self::inherited(number, path, way).map(Some),
                None => open(path, flags, Mode::empty()),
            },
            opened => opened,
        };
        match opened {
            Ok(descriptor) => Ok(Some(Self::new(descriptor, path, way))),
            Err(Errno::NXIO) if is_fifo(path) => Ok(None),
            Err(e) => Err(Error::io("open", path, e)),
        }
    }

    /// Passes at least one byte and at most `bytes`, or none at the end of the stream. Returns
    /// `None` if the stream stands still. `call` is the read or write of `n` bytes, flagged to
    /// return rather than wait where that works.
    fn pass(
        &mut self,
        bytes: usize,
        progress: &Progress,
        mut call: impl FnMut(&OwnedFd, usize, ReadWriteFlags) -> Answer<usize>,
    ) -> Result<Option<usize>> {
        let mut begun = None;
        loop {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            if self.is_polled_next && !self.is_ready().map_err(|e| self.failed(e))? {
                if begun.get_or_insert_with(Instant::now).elapsed() >= STANDSTILL {
                    return Ok(None);
                }
                continue;
            }
            let (most, flags) = match (self.manner, self.way) {
                (Manner::Told, _) => (bytes, ReadWriteFlags::NOWAIT),
                (Manner::Free, PipeDirection::In) => {
                    (bytes.min(FREE_READ_BYTES), ReadWriteFlags::empty())
                }
                (Manner::Free, PipeDirection::Out) | (Manner::Modest, PipeDirection::In) => {
                    (bytes, ReadWriteFlags::empty())
                }
                (Manner::Modest, PipeDirection::Out) => {
                    (bytes.min(libc::PIPE_BUF), ReadWriteFlags::empty())
                }
            };
            match call(&self.descriptor, most, flags) {
                Ok(passed) => {
                    self.is_polled_next = self.manner == Manner::Modest || passed < most;
                    self.bytes += passed as u64;
                    return Ok(Some(passed));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.is_polled_next = true,
                // Unknown to this kind of stream, this kernel, or whoever stands in for it.
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM)
                    if self.manner == Manner::Told =>
                {
                    self.cease_telling();
                }
                Err(e) => return Err(self.failed(e)),
            }
        }
    }

    /// Reads as [`PipeReader::fill_some`] does.
    fn fill_some(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && !self.is_over {
            let rest = &mut buffer[filled..];
            let passed = self.pass(rest.len(), progress, |from, most, flags| {
                if flags.is_empty() {
                    return read(from, &mut rest[..most]);
                }
                preadv2(from, &mut [IoSliceMut::new(&mut rest[..most])], NO_OFFSET, flags)
            })?;
            match passed {
                Some(0) => {
                    // A file that is read in order may have been sorted in place meanwhile.
                    check_whole(&self.descriptor, &self.name)?;
                    self.is_over = true;
                }
                Some(bytes) => filled += bytes,
                None if filled > 0 => break,
                None => {}
            }
        }
        Ok(filled)
    }

    /// Chooses another manner where calls cannot be flagged: a non-blocking description of our own,
    /// if the pipe can be opened once more.
    fn cease_telling(&mut self) {
        self.is_polled_next = true;
        match self.reopened() {
            Some(descriptor) => (self.descriptor, self.manner) = (descriptor, Manner::Free),
            None => self.manner = Manner::Modest,
        }
    }

    /// Opens a description of our own of a pipe to be written. Not of one to be read: if it has a
    /// and its last writer is gone, a new description would wait for another writer and not see the
    /// end; and what `poll` allows is as much as there is, so that modest reads are no slower.
    fn reopened(&self) -> Option<OwnedFd> {
        let kind = FileType::from_raw_mode(fstat(&self.descriptor).ok()?.st_mode);
        if !matches!((self.way, kind), (PipeDirection::Out, FileType::Fifo)) {
            return None;
        }
        // Fails where there is no /proc, and on pipes that were made by another user.
        let path = format!("/proc/self/fd/{}", self.descriptor.as_raw_fd());
        open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()
    }

    /// Waits a while until a call would not have to; whether that is so.
    fn is_ready(&self) -> Answer<bool> {
        let events = match self.way {
            PipeDirection::In => libc::POLLIN,
            PipeDirection::Out => libc::POLLOUT,
        };
        let mut poll = libc::pollfd { fd: self.descriptor.as_raw_fd(), events, revents: 0 };
        // SAFETY: one `pollfd`, ours for the length of the call.
        match unsafe { libc::poll(&raw mut poll, 1, STOP_CHECK_MS) } {
            0.. => Ok(poll.revents != 0),
            _ => match last_error() {
                Errno::INTR => Ok(false),
                e => Err(e),
            },
        }
    }

    fn failed(&self, e: Errno) -> Error {
        Error::io_at(self.way.action(), &self.name, self.bytes, e)
    }
}

impl PipeDirection {
    /// Returns what is done, as errors say it.
    fn action(self) -> &'static str {
        match self {
            Self::In => "read",
            Self::Out => "write",
        }
    }
}

fn is_fifo(path: &Path) -> bool {
    stat(path).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo)
}

/// A stream to be read from its beginning to its end.
#[derive(Debug)]
pub struct PipeReader(ReaderSource);

/// Source of a stream's bytes.
#[derive(Debug)]
enum ReaderSource {
    End(PipeEnd),
    /// The caller.
    Supplied {
        stream: Supplied,
        /// Bytes it has given.
        bytes: u64,
        is_begun: bool,
    },
}

impl PipeReader {
    /// Opens standard input.
    pub fn stdin() -> Result<Self> {
        PipeEnd::inherited(STDIN, Path::new("standard input"), PipeDirection::In).map(Self::new)
    }

    /// Returns what is open already, called `name` in messages.
    pub fn of(descriptor: impl Into<OwnedFd>, name: &Path) -> Self {
        Self::new(PipeEnd::new(descriptor.into(), name, PipeDirection::In))
    }

    /// Returns a stream that the caller supplies.
    pub fn supplied(supplied: Supplied) -> Self {
        Self(ReaderSource::Supplied { stream: supplied, bytes: 0, is_begun: false })
    }

    fn new(end: PipeEnd) -> Self {
        Self(ReaderSource::End(end))
    }

    /// Opens a named pipe, a character device, a descriptor that `path` means (`/dev/fd/3`), or a
    /// file. The first read waits for a writer.
    pub fn open(path: &Path) -> Result<Self> {
        let end = PipeEnd::named(path, PipeDirection::In)?;
        end.map(Self::new).ok_or_else(|| Error::io("open", path, Errno::NXIO))
    }

    /// Reads until `buffer` is full or the stream ends; returns the bytes read, fewer than asked
    /// only at the end.
    ///
    /// # Errors
    ///
    /// Errors of the system, or [`Error::Interrupted`] soon after a stop was asked for through
    /// `progress`; what was read until then is lost to the caller.
    pub fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.fill_some(&mut buffer[filled..], progress)? {
                0 => break,
                bytes => filled += bytes,
            }
        }
        Ok(filled)
    }

    /// Reads until `buffer` is full, the stream ends, or it stands still after some bytes. Of a
    /// stream that the caller supplies, it reads one piece. Returns the bytes read; 0 at the end
    /// alone.
    ///
    /// # Errors
    ///
    /// As of [`fill`](Self::fill).
    pub fn fill_some(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        match &mut self.0 {
            ReaderSource::End(end) => end.fill_some(buffer, progress),
            ReaderSource::Supplied { stream, bytes, is_begun } => {
                if !std::mem::replace(is_begun, true) {
                    stream.begin()?;
                }
                let filled = stream.fill_some(buffer, progress)?;
                *bytes += filled as u64;
                Ok(filled)
            }
        }
    }

    /// Returns the bytes read so far.
    pub fn bytes(&self) -> u64 {
        match &self.0 {
            ReaderSource::End(end) => end.bytes,
            ReaderSource::Supplied { bytes, .. } => *bytes,
        }
    }

    /// Returns the name that messages use.
    pub fn name(&self) -> &Path {
        match &self.0 {
            ReaderSource::End(end) => &end.name,
            ReaderSource::Supplied { stream, .. } => stream.name(),
        }
    }

    /// Returns the stream that the caller supplied, if it is one.
    pub fn as_supplied(&self) -> Option<&Supplied> {
        match &self.0 {
            ReaderSource::End(_) => None,
            ReaderSource::Supplied { stream, .. } => Some(stream),
        }
    }
}

/// A stream to be written in order.
#[derive(Debug)]
pub struct PipeWriter(WriterTarget);

/// Destination of a stream's bytes.
#[derive(Debug)]
enum WriterTarget {
    End(PipeEnd),
    /// A stream that changes the bytes first.
    Inlet(Arc<dyn Inlet>),
}

impl PipeWriter {
    /// Opens standard output.
    pub fn stdout() -> Result<Self> {
        let end = PipeEnd::inherited(STDOUT, Path::new("standard output"), PipeDirection::Out)?;
        Ok(Self(WriterTarget::End(end)))
    }

    /// Keeps a file open, and so its lock, until the stream is closed.
    pub fn hold(&mut self, lock: Option<Arc<File>>) {
        if let WriterTarget::End(end) = &mut self.0 {
            end.lock = lock;
        }
    }

    fn of(descriptor: impl Into<OwnedFd>, name: &Path) -> Self {
        Self(WriterTarget::End(PipeEnd::new(descriptor.into(), name, PipeDirection::Out)))
    }

    /// Returns a writer to an empty file, called `name` in messages.
    pub fn file(file: &File, name: &Path) -> Result<Self> {
        let descriptor = fcntl_dupfd_cloexec(file, 0).map_err(|e| Error::io("use", name, e))?;
        Ok(Self::of(descriptor, name))
    }

    /// Returns a writer whose bytes pass through an inlet.
    pub fn inlet(inlet: Arc<dyn Inlet>) -> Self {
        Self(WriterTarget::Inlet(inlet))
    }

    /// Returns the inlet that takes the bytes in blocks, if there is one.
    pub fn block_inlet(&self) -> Option<Arc<dyn Inlet>> {
        match &self.0 {
            WriterTarget::Inlet(inlet) => (inlet.block_bytes() > 0).then(|| Arc::clone(inlet)),
            WriterTarget::End(_) => None,
        }
    }

    /// Opens a named pipe or character device that exists, or a descriptor that `path` means
    /// (`/dev/fd/3`). Waits for a reader.
    ///
    /// # Errors
    ///
    /// Errors of the system, or [`Error::Interrupted`] soon after a stop was asked for through
    /// `progress`.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self> {
        loop {
            if let Some(end) = PipeEnd::named(path, PipeDirection::Out)? {
                return Ok(Self(WriterTarget::End(end)));
            }
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            std::thread::sleep(OPEN_RETRY);
        }
    }

    /// Writes all of `data`.
    ///
    /// # Errors
    ///
    /// Errors of the system, or [`Error::Interrupted`] soon after a stop was asked for through
    /// `progress`; a part of the data may have been written then.
    pub fn write_all(&mut self, mut data: &[u8], progress: &Progress) -> Result<()> {
        let end = match &mut self.0 {
            WriterTarget::End(end) => end,
            WriterTarget::Inlet(inlet) => return inlet.write_all(data, progress),
        };
        while !data.is_empty() {
            let passed = end.pass(data.len(), progress, |to, most, flags| {
                if flags.is_empty() {
                    return write(to, &data[..most]);
                }
                pwritev2(to, &[IoSlice::new(&data[..most])], NO_OFFSET, flags)
            })?;
            data = &data[passed.unwrap_or(0)..];
        }
        Ok(())
    }

    /// Returns the bytes written so far.
    pub fn bytes(&self) -> u64 {
        match &self.0 {
            WriterTarget::End(end) => end.bytes,
            WriterTarget::Inlet(inlet) => inlet.bytes(),
        }
    }

    /// Returns the name that messages use.
    pub fn name(&self) -> &Path {
        match &self.0 {
            WriterTarget::End(end) => &end.name,
            WriterTarget::Inlet(inlet) => inlet.name(),
        }
    }
}

#[cfg(test)]
mod tests;
