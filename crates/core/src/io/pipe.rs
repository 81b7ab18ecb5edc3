//! Streams without offsets: standard input, standard output, named pipes.
//!
//! A pipe is read and written in order by one thread, in pieces as large as the caller's buffer,
//! until the buffer is full or empty. Pipes are enlarged to 1 MiB where the system allows it, which
//! spares fifteen of sixteen switches between the two ends. A reader that has gone away surfaces as
//! [`Error::Io`] whose source is a broken pipe, so that the command can end quietly.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec, read, write};

use super::Answer;
use super::sync::last_error;
use crate::error::{Error, Result};

/// What pipes are enlarged to: the most that an unprivileged user is allowed by default.
const PIPE_BYTES: libc::c_int = 1 << 20;

/// The open end of a stream, its name for messages, and how far it has come.
#[derive(Debug)]
struct End {
    descriptor: OwnedFd,
    name: PathBuf,
    /// Bytes that have passed.
    bytes: u64,
}

impl End {
    fn new(descriptor: OwnedFd, name: &Path) -> Self {
        // SAFETY: F_SETPIPE_SZ takes a number and touches no memory of ours. What is no pipe, or
        // may not grow, stays as it is.
        let _ = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES) };
        Self { descriptor, name: name.to_owned(), bytes: 0 }
    }

    fn standard(stream: impl AsFd, name: &str) -> Result<Self> {
        let name = Path::new(name);
        let descriptor = fcntl_dupfd_cloexec(stream, 0).map_err(|e| Error::io("use", name, e))?;
        Ok(Self::new(descriptor, name))
    }

    /// Waits for a stream that was handed to us in non-blocking mode.
    fn wait_for(&self, events: libc::c_short) -> Answer<()> {
        let mut poll = libc::pollfd { fd: self.descriptor.as_raw_fd(), events, revents: 0 };
        // SAFETY: one `pollfd`, ours for the length of the call.
        let answer = unsafe { libc::poll(&raw mut poll, 1, -1) };
        if answer < 0 { Err(last_error()) } else { Ok(()) }
    }

    /// Repeats a call through interruptions and, on non-blocking streams, waits.
    fn persist(
        &self,
        events: libc::c_short,
        mut call: impl FnMut(&OwnedFd) -> Answer<usize>,
    ) -> Answer<usize> {
        loop {
            match call(&self.descriptor) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match self.wait_for(events) {
                    Err(Errno::INTR) | Ok(()) => {}
                    Err(e) => return Err(e),
                },
                answer => return answer,
            }
        }
    }
}

/// A stream to be read from its beginning to its end.
#[derive(Debug)]
pub struct Reader(End);

impl Reader {
    /// Standard input.
    pub fn stdin() -> Result<Self> {
        Ok(Self(End::standard(std::io::stdin(), "standard input")?))
    }

    /// A named pipe or character device. Waits for a writer.
    pub fn open(path: &Path) -> Result<Self> {
        let descriptor = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|e| Error::io("open", path, e))?;
        Ok(Self(End::new(descriptor, path)))
    }

    /// Reads until `buffer` is full or the stream ends; returns the bytes read, fewer than asked
    /// only at the end.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let got = self.0.persist(libc::POLLIN, |from| read(from, &mut buffer[filled..]));
            match got.map_err(|e| Error::io_at("read", &self.0.name, self.0.bytes, e))? {
                0 => break,
                bytes => {
                    filled += bytes;
                    self.0.bytes += bytes as u64;
                }
            }
        }
        Ok(filled)
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// What it is called in messages.
    pub fn name(&self) -> &Path {
        &self.0.name
    }
}

/// A stream to be written in order.
#[derive(Debug)]
pub struct Writer(End);

impl Writer {
    /// Standard output.
    pub fn stdout() -> Result<Self> {
        Ok(Self(End::standard(std::io::stdout(), "standard output")?))
    }

    /// A named pipe or character device that exists. Waits for a reader.
    pub fn open(path: &Path) -> Result<Self> {
        let descriptor = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|e| Error::io("open", path, e))?;
        Ok(Self(End::new(descriptor, path)))
    }

    /// Writes all of `data`.
    pub fn write_all(&mut self, mut data: &[u8]) -> Result<()> {
        while !data.is_empty() {
            let gone = self.0.persist(libc::POLLOUT, |to| write(to, data));
            let gone = gone.map_err(|e| Error::io_at("write", &self.0.name, self.0.bytes, e))?;
            self.0.bytes += gone as u64;
            data = &data[gone..];
        }
        Ok(())
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// What it is called in messages.
    pub fn name(&self) -> &Path {
        &self.0.name
    }
}

#[cfg(test)]
mod tests;
