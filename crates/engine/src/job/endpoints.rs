//! The two ends of a job: where records come from and where they go.

use std::path::{Path, PathBuf};

use crate::io::Supplied;
use crate::io::pipe::Outlet;

/// A source of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, read at known offsets.
    File(PathBuf),
    /// A striped file, by its definition: a text that names its members, which lie on several disks
    /// and are read at the same time.
    Striped(PathBuf),
    /// Standard input, read to its end.
    Stdin,
    /// A stream that the caller makes while it is read.
    Supplied(Supplied),
}

/// The destination of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A file that appears whole, durable and at once, or not at all. It may be one of the inputs.
    File(PathBuf),
    /// New members of a striped file, by its definition, which appear whole and at once as well.
    /// It may be one of the inputs.
    Striped(PathBuf),
    /// Standard output, in order, as soon as it is known.
    Stdout,
    /// A pipe of the caller, in order, as soon as it is known.
    Pipe(Outlet),
}

impl Output {
    /// Returns the name of a file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Striped(path) => Some(path),
            Self::Stdout | Self::Pipe(_) => None,
        }
    }
}

/// Lets a path stand for the file of this name.
macro_rules! from_paths {
    ($($path:ty),+ => $end:ty) => { $(
        impl From<$path> for $end {
            fn from(path: $path) -> Self {
                Self::File(path.into())
            }
        }
    )+ };
}

from_paths!(PathBuf, &PathBuf, &Path, String, &str => Input);
from_paths!(PathBuf, &PathBuf, &Path, String, &str => Output);
