//! A file, striped or not, as a stream that begins anywhere in it.

use std::io;
use std::sync::Arc;

use super::File;
use crate::error::{Error, Result};

/// A place in a file, which moves on as it is read from.
#[derive(Clone, Debug)]
pub struct Cursor {
    file: Arc<File>,
    offset: u64,
}

impl Cursor {
    /// Returns the place of byte `offset`.
    pub fn new(file: &Arc<File>, offset: u64) -> Self {
        Self { file: Arc::clone(file), offset }
    }

    /// Fills `buffer` with what comes next, or less of it at the end of the file only; the bytes
    /// filled.
    ///
    /// # Errors
    ///
    /// The errors of [`File::read_at`], and at the end of the file those of [`File::check_whole`].
    pub fn read_next(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        if read < buffer.len() {
            self.file.check_whole()?;
        }
        Ok(read)
    }

    /// Passes over `bytes` bytes.
    pub fn skip(&mut self, bytes: u64) {
        self.offset = self.offset.saturating_add(bytes);
    }
}

impl io::Read for Cursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_next(buffer).map_err(|error| match error {
            // The file is named by whoever reads.
            Error::Io { source, .. } => source,
            other => io::Error::other(other),
        })
    }
}
