//! Runs: sorted records on disk, between run generation and merge.
//!
//! A run file is the records back to back, as an output would have them, wrapped in what is needed
//! to trust and to find them: a header, a checksum for every block, a sparse index of keys, a
//! footer. The format is drawn in `docs/run-format.md`; [`layout`] is the only place that knows its
//! offsets.
//!
//! [`RunWriter`] takes a load's records from many workers at once; [`Run`] is a finished run by
//! name; [`RunReader`] opens one again, trusting nothing.

pub mod index;
pub mod layout;
mod reader;
mod window;
mod writer;

use std::path::PathBuf;

pub use index::IndexReader;
pub use reader::RunReader;
pub use writer::{IndexKeys, RunWriter};

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run file.
    pub path: PathBuf,
    /// Records in it.
    pub records: u64,
}

#[cfg(test)]
pub(crate) mod tests;
