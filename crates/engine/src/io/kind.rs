//! Kinds of inputs: readable at offsets by many requests at once, or only in order.
//!
//! Not every regular file has the length it reports. Files under `/proc` report 0,
//! and cannot seek to their ends; those under `/sys` report a page. So a length of 0 is believed
//! when the first read finds nothing, and that of a file without blocks when there is a last byte.
//! A file with blocks is believed at once: no other file costs a call more.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::io::{Errno, pread};

use super::inherited;
use super::pipe::PipeReader;
use super::redirect;
use super::supply::{BegunStream, Supplied};
use crate::error::Result;
use crate::stats::Progress;

/// The ways to read a named input.
#[derive(Debug)]
pub enum InputKind {
    /// At known offsets; or not at all, as opening it will show.
    Offsets,
    /// In order, from its beginning to its end.
    Order,
    /// In order, and the beginning has been read.
    Begun(Supplied),
}

impl InputKind {
    /// Looks at what `path` names.
    ///
    /// # Errors
    ///
    /// The errors of reading the beginning; [`Error::Interrupted`].
    ///
    /// [`Error::Interrupted`]: crate::Error::Interrupted
    pub fn of(path: &Path, progress: &Progress) -> Result<Self> {
        let metadata = match inherited::look(path) {
            Err(_) => return Ok(Self::Offsets),
            Ok(Err(number)) => match redirect::file_at_start(number, path) {
                true => return Ok(Self::Offsets),
                false => return Ok(Self::Order),
            },
            Ok(Ok(metadata)) => metadata,
        };
        let kind = metadata.file_type();
        if kind.is_fifo() || kind.is_char_device() || kind.is_socket() {
            return Ok(Self::Order);
        }
        match (metadata.len(), metadata.blocks()) {
            (0, _) if kind.is_file() => Self::of_nothing(path, progress),
            (length, 0) if kind.is_file() => match File::open(path) {
                Ok(file) if !has_length(&file, length) => Ok(Self::Order),
                _ => Ok(Self::Offsets),
            },
            _ => Ok(Self::Offsets),
        }
    }

    /// Checks whether a file that reports a length of 0 has content.
    fn of_nothing(path: &Path, progress: &Progress) -> Result<Self> {
        let Ok(mut reader) = PipeReader::open(path) else { return Ok(Self::Offsets) };
        let mut first = vec![0];
        match reader.fill(&mut first, progress)? {
            0 => Ok(Self::Offsets),
            _ => Ok(Self::Begun(Supplied::new(path, BegunStream::new(first, Some(reader))))),
        }
    }
}

/// Returns whether a file without blocks has as many bytes as it reports. Where the last cannot be
/// read, that is for those who need it to say.
pub(super) fn has_length(file: impl AsFd, length: u64) -> bool {
    let mut last = [0];
    let at = length.saturating_sub(1);
    !matches!(pread(file, &mut last, at), Ok(0) | Err(Errno::SPIPE))
}

#[cfg(test)]
mod tests;
