//! Making a file of benchmark records.
//!
//! Workers make blocks independently and sum their records' checksums; `file` writes each block at
//! its own place, `stream` in turn. What a record is made of is left to `record`. `sales` makes a
//! table of another kind in the same way.

mod file;
mod sales;
mod stream;

use std::time::Instant;

use sortwell::{ByteSize, Error, Result};
use sortwell::{ConfigErrorKind, Phase, Progress};

use crate::RECORD_LENGTH;
use crate::block::{FileBlock, FileBlocks};
use crate::checksum::sum_of_checksums;
use crate::place::GeneratorDestination;
use crate::record::RecordKind;

pub use sales::{SalesGeneration, generate_sales};

/// Records to make, and the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordGeneration {
    /// Number of records; may be 0.
    pub records: u64,
    /// Number of the first record.
    pub start: u128,
    /// Printable records that end in a line break, rather than binary ones.
    pub ascii: bool,
    /// Many keys share their beginnings, rather than being uniformly random.
    pub skewed: bool,
    /// Worker threads, at least one. The records do not depend on it.
    pub threads: usize,
    /// True if the records' checksums are to be summed, at about 15 ns a record.
    pub checksum: bool,
}

impl RecordGeneration {
    /// Creates binary records from number 0 on, made by one thread, without a checksum.
    pub fn new(records: u64) -> Self {
        Self { records, start: 0, ascii: false, skewed: false, threads: 1, checksum: false }
    }

    /// Makes one block's records in `to`, and gives the sum of their checksums if it is wanted.
    fn fill(&self, block: FileBlock, to: &mut [u8]) -> u128 {
        let kind = RecordKind { ascii: self.ascii, skewed: self.skewed };
        kind.fill(self.start.wrapping_add(u128::from(block.first_record())), to);
        if self.checksum { sum_of_checksums(to) } else { 0 }
    }
}

/// Result of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationResult {
    /// Records.
    pub records: u64,
    /// Bytes.
    pub bytes: ByteSize,
    /// Sum of the records' CRC-32s modulo 2^128, if it was asked for; gensort prints it in
    /// hexadecimal without leading zeros.
    pub checksum: Option<u128>,
    /// Wall-clock seconds until the records were durable (in a file) or handed on (in a stream).
    pub seconds: f64,
}

/// Makes records. A file appears under its name whole and durable, or not at all, so that what is
/// measured next does not wait for its being written back; anything else is written in order.
///
/// # Errors
///
/// Whatever the world does wrong with the destination, more bytes than a file can have, no threads,
/// or [`Error::Interrupted`] when asked to stop through `progress`.
pub fn generate(
    job: &RecordGeneration,
    to: &GeneratorDestination,
    progress: &Progress,
) -> Result<GenerationResult> {
    let start = Instant::now();
    check_threads(job.threads)?;
    let length = job.records.checked_mul(RECORD_LENGTH as u64).filter(|bytes| *bytes <= FILE_MAX);
    let Some(length) = length else {
        let message = format!("{} records of 100 bytes are more than 8 EiB", job.records);
        return Err(Error::config(ConfigErrorKind::InvalidValue, message));
    };
    progress.enter(Phase::Generating);
    progress.expect_bytes(length);
    let blocks = FileBlocks::new(length, progress);
    let sums = match to.replaceable()? {
        Some(path) => file::write(job, &blocks, path, progress)?,
        None => stream::write(&blocks, job.threads, to, progress, |block, to| {
            (block.length, job.fill(block, &mut to[..block.length]))
        })?,
    };
    let sum = sums.into_iter().fold(0, u128::wrapping_add);
    Ok(GenerationResult {
        records: job.records,
        bytes: ByteSize(length),
        checksum: job.checksum.then_some(sum),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Checks that there is a thread to do the work.
fn check_threads(threads: usize) -> Result<()> {
    match threads {
        0 => Err(Error::config(
            ConfigErrorKind::InvalidValue,
            "generating takes at least one thread",
        )),
        _ => Ok(()),
    }
}

/// Offsets in a file are signed.
const FILE_MAX: u64 = i64::MAX as u64;

#[cfg(test)]
mod tests;
