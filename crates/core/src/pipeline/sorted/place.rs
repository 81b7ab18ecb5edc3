//! What is merged or checked, before it is opened.

use std::path::PathBuf;
use std::sync::Arc;

use super::source::Standing;
use crate::error::Result;
use crate::io::{Direct, File, Supplied};
use crate::run::Run;

/// A sorted input, not open yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard input.
    Stdin,
    /// A named pipe or device.
    Stream(PathBuf),
    /// What the caller makes.
    Supplied {
        /// The stream.
        stream: Supplied,
        /// Bytes of what stood at its top.
        skip: u64,
    },
    /// A file.
    File {
        /// Its name.
        path: PathBuf,
        /// How many bytes it has.
        bytes: u64,
        /// Bytes of what stands at its top.
        skip: u64,
        /// Whether it is the definition of a striped one.
        is_striped: bool,
    },
    /// A run of our own; removed when it has been merged.
    Spilled(Run),
}

impl Place {
    /// Bytes of it that are no records.
    fn skip(&self) -> u64 {
        match self {
            Self::File { skip, .. } | Self::Supplied { skip, .. } => *skip,
            Self::Stdin | Self::Stream(_) | Self::Spilled(_) => 0,
        }
    }

    /// Bytes it has, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Stream(_) => None,
            Self::Supplied { stream, .. } => stream.extent().map(|extent| extent.bytes),
            Self::File { bytes, .. } => Some(*bytes),
            Self::Spilled(run) => Some(run.bytes),
        }
    }

    /// Lets the bytes of a file begin behind what stands at its top.
    pub fn pass(&mut self, top: u64) {
        if let Self::File { skip, .. } = self {
            *skip = top;
        }
    }

    /// Opens a file.
    ///
    /// # Panics
    ///
    /// If it is none.
    pub fn open_file(&self, direct: Direct) -> Result<Arc<File>> {
        match self {
            Self::File { path, is_striped: true, .. } => File::open_stripes(path, direct),
            Self::File { path, .. } => File::open_read(path, direct),
            other => unreachable!("{other:?} is no file"),
        }
    }

    /// Where its first record is, behind so many line feeds.
    pub fn first(&self, lines: u64) -> Standing {
        Standing { offset: self.skip(), records: 0, lines }
    }

    /// Whether it is a run of our own.
    pub fn is_spilled(&self) -> bool {
        matches!(self, Self::Spilled(..))
    }
}
