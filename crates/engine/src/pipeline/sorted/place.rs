//! Inputs of a merge or a check, before they are opened.

use std::path::PathBuf;
use std::sync::Arc;

use super::source::Standing;
use crate::error::Result;
use crate::io::{Direct, File, Supplied};
use crate::pipeline::heading::TopSize;
use crate::run::Run;

/// A sorted input, not open yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard input.
    Stdin,
    /// A named pipe or device.
    Stream(PathBuf),
    /// Stream that the caller supplies.
    Supplied {
        /// The stream.
        stream: Supplied,
        /// The size of its top.
        top: TopSize,
    },
    /// A file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Number of bytes in the file.
        bytes: u64,
        /// The size of its top.
        top: TopSize,
        /// True if it is the definition of a striped one.
        is_striped: bool,
    },
    /// A run of our own; removed when it has been merged.
    Spilled(Run),
}

impl Place {
    /// Returns the size of what lies above its first record.
    pub fn top(&self) -> TopSize {
        match self {
            Self::File { top, .. } | Self::Supplied { top, .. } => *top,
            Self::Stdin | Self::Stream(_) | Self::Spilled(_) => TopSize::default(),
        }
    }

    /// Returns the number of bytes it has, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Stream(_) => None,
            Self::Supplied { stream, .. } => stream.extent().map(|extent| extent.bytes),
            Self::File { bytes, .. } => Some(*bytes),
            Self::Spilled(run) => Some(run.bytes),
        }
    }

    /// Lets the bytes of a file begin after its top.
    pub fn pass(&mut self, size: TopSize) {
        if let Self::File { top, .. } = self {
            *top = size;
        }
    }

    /// Opens a file.
    ///
    /// # Panics
    ///
    /// If this place is not a file.
    pub fn open_file(&self, direct: Direct) -> Result<Arc<File>> {
        match self {
            Self::File { path, is_striped: true, .. } => File::open_stripes(path, direct),
            Self::File { path, .. } => File::open_read(path, direct),
            other => unreachable!("{other:?} is no file"),
        }
    }

    /// Returns the offset of its first record.
    pub fn first(&self) -> Standing {
        let TopSize { bytes, lines } = self.top();
        Standing { offset: bytes, records: 0, lines }
    }

    /// Returns whether it is a run of our own.
    pub fn is_spilled(&self) -> bool {
        matches!(self, Self::Spilled(..))
    }
}
