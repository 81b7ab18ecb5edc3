//! Inputs of a merge or a check, before they are opened.

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::io::{Direct, File, Supplied};
use crate::pipeline::heading::TopSize;
use crate::run::Run;
use crate::stats::SourceShare;

/// A sorted input, not open yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortedPlace {
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
        /// Number of records in the file, where the job knows it.
        records: Option<u64>,
    },
    /// A run of our own; removed when it has been merged.
    Spilled(Run),
}

/// Position of a source in its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Byte at which the next record begins.
    pub offset: u64,
    /// Records before it.
    pub records: u64,
    /// Line feeds before it, where records are looked at.
    pub lines: u64,
}

impl Standing {
    /// Returns the position at byte `offset`, where nothing before it counts.
    pub fn at(offset: u64) -> Self {
        Self { offset, ..Self::default() }
    }
}

impl SortedPlace {
    /// Returns the size of what lies above its first record.
    pub fn top(&self) -> TopSize {
        match self {
            Self::File { top, .. } | Self::Supplied { top, .. } => *top,
            Self::Stdin | Self::Stream(_) | Self::Spilled(_) => TopSize::default(),
        }
    }

    /// Returns what it is made from, where the length of that is known.
    pub fn source(&self) -> Option<SourceShare> {
        match self {
            Self::Stdin | Self::Stream(_) => None,
            Self::Supplied { stream, .. } => stream.source(),
            Self::File { bytes, .. } => Some(SourceShare::Plain(*bytes)),
            Self::Spilled(run) => Some(SourceShare::Plain(run.bytes)),
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

    /// Sets the number of records of a file, if it is known.
    pub fn expect_records(&mut self, count: Option<u64>) {
        if let Self::File { records, .. } = self {
            *records = count;
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

    /// Returns the run that it is, if it is one.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Spilled(run) => Some(run),
            _ => None,
        }
    }

    /// Returns where in it a record ends that ends at `offset` for us: a line's end that is lacking
    /// is not there.
    pub fn end_in(&self, offset: u64) -> u64 {
        self.bytes().map_or(offset, |bytes| offset.min(bytes))
    }

    /// Returns whether it is a run of our own.
    pub fn is_spilled(&self) -> bool {
        matches!(self, Self::Spilled(..))
    }
}
