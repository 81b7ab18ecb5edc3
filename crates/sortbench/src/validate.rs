//! Checking that a file of benchmark records is sorted, and taking its figures.
//!
//! Workers summarise blocks in any order; `joining` puts the summaries together in file order,
//! just as the summaries of a file's partitions are. `file` reads blocks at their places, `stream`
//! in turn, `partitions` reads summaries instead of records.

mod file;
mod partitions;
mod stream;

use std::path::Path;

use sortwell::{ConfigErrorKind, Phase, Progress};
use sortwell::{Error, Result};

use crate::place::{GeneratorDestination, OpenedSource, ValidatorSource};
use crate::summary::KeyOrder;
use crate::verdict::Verdict;

/// Content of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// Records.
    #[default]
    Records,
    /// The summaries of a file's partitions, in the order of the partitions.
    Summaries,
}

/// Options of a check, and the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// Records, or summaries of partitions.
    pub content: Contents,
    /// Comparison of keys.
    pub order: KeyOrder,
    /// Worker threads, at least one. The verdict does not depend on it.
    pub threads: usize,
    /// Destination of a summary of what was read, to be joined with those of other partitions.
    pub summary_to: Option<GeneratorDestination>,
}

impl Default for Validation {
    /// Returns a validation of records with keys compared as bytes, one thread and no summary.
    fn default() -> Self {
        Self { content: Contents::Records, order: KeyOrder::Bytes, threads: 1, summary_to: None }
    }
}

/// Reads all of `from` and gives its verdict. That it is not sorted is a verdict and no error.
///
/// # Errors
///
/// Whatever the world does wrong with the source or the summary, [`Error::Malformed`] for a source
/// that ends within a record, no threads, or [`Error::Interrupted`] when asked to stop through
/// `progress`.
pub fn validate(job: &Validation, from: &ValidatorSource, progress: &Progress) -> Result<Verdict> {
    if job.threads == 0 {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            "validating takes at least one thread",
        ));
    }
    progress.enter(Phase::Validating);
    let summary = match job.content {
        Contents::Summaries => partitions::read(job, from.open_stream()?, progress)?,
        Contents::Records => match from.open(progress)? {
            OpenedSource::File(path) => file::read(job, path, progress)?,
            OpenedSource::Stream(reader) => stream::read(job, reader, progress)?,
        },
    };
    if let Some(to) = &job.summary_to {
        to.write_whole(&summary.to_bytes(), progress)?;
    }
    Ok(Verdict::from(&summary))
}

/// Returns the error of a source that is not made of whole pieces of `piece_length` bytes.
fn part_of_a_piece(path: &Path, length: u64, piece: &str, piece_length: usize) -> Error {
    let rest = length % piece_length as u64;
    Error::Malformed {
        path: path.to_owned(),
        message: format!(
            "its {length} bytes are not a whole number of {piece_length}-byte {piece}: {rest} are \
             left over; check that it is complete and a file of {piece}"
        )
        .into(),
    }
}

#[cfg(test)]
mod tests;
