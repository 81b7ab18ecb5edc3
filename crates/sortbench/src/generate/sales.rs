//! Making a file of the sales table.
//!
//! Workers make blocks of rows independently. The rows of CSV differ in length, so a block knows
//! its place in the file once all blocks before it were made. Each worker takes its place in turn,
//! and writes there while others work. Rows as bytes are left to `sales`.

use std::path::Path;
use std::time::Instant;

use sortwell::unstable::io::{Direct, TempFile};
use sortwell::unstable::stats::Stream;
use sortwell::{ByteSize, ConfigErrorKind, Error, Phase, Progress, Result};

use super::{FILE_MAX, GenerationResult, file, stream};
use crate::RECORD_LENGTH;
use crate::block::{FileBlock, FileBlocks, buffer};
use crate::place::GeneratorDestination;
use crate::sales::{FIXED_LENGTH, Filled, HEADER, SalesForm, SalesTable};
use crate::turns::BlockTurns;

/// A row, or the header, has room in the memory of a benchmark record.
const _: () = assert!(FIXED_LENGTH <= RECORD_LENGTH && HEADER.len() <= RECORD_LENGTH);

/// Rows that the length of all others is estimated from.
const SAMPLED_ROWS: u64 = 1000;

/// Rows to make, and the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SalesGeneration {
    /// Number of rows; may be 0.
    pub rows: u64,
    /// Number of the first row. A row depends on its number and the seed alone.
    pub start: u64,
    /// Choice among tables of the same kind.
    pub seed: u64,
    /// Form of the rows.
    pub form: SalesForm,
    /// Worker threads, at least one. The rows do not depend on it.
    pub threads: usize,
}

impl SalesGeneration {
    /// Creates CSV rows from number 0 on, of seed 0, made by one thread.
    pub fn new(rows: u64) -> Self {
        Self { rows, start: 0, seed: 0, form: SalesForm::Csv, threads: 1 }
    }

    /// Makes one block's lines in `to`, of which the header is the first. Returns the length.
    fn fill(&self, block: FileBlock, to: &mut [u8]) -> usize {
        let table = SalesTable::new(self.seed);
        let mut filled = Filled::new(to);
        let lines = block.first_record()..block.first_record() + block.records();
        for line in lines {
            match line.checked_sub(self.form.header_lines()) {
                None => filled.add(HEADER),
                Some(row) => {
                    table.row(self.start.wrapping_add(row)).write(self.form, &mut filled);
                }
            }
        }
        filled.length
    }

    /// Returns the number of bytes that all lines take, about.
    fn estimate(&self, lines: u64) -> u64 {
        let sampled = lines.min(SAMPLED_ROWS);
        let length = sampled as usize * RECORD_LENGTH;
        let bytes = self.fill(FileBlock { index: 0, length }, &mut vec![0; length]) as u128;
        (u128::from(lines) * bytes / u128::from(sampled.max(1))) as u64
    }
}

/// Makes the rows. A file appears under its name whole and durable, or not at all; anything else is
/// written in order.
///
/// # Errors
///
/// Every fault of the destination, more bytes than a file can have, no threads, or
/// [`Error::Interrupted`] after a stop through `progress`.
pub fn generate_sales(
    job: &SalesGeneration,
    to: &GeneratorDestination,
    progress: &Progress,
) -> Result<GenerationResult> {
    let start = Instant::now();
    super::check_threads(job.threads)?;
    let lines = job.rows.saturating_add(job.form.header_lines());
    let room = lines.checked_mul(RECORD_LENGTH as u64).filter(|bytes| *bytes <= FILE_MAX);
    let Some(room) = room else {
        let message = format!("{} rows are too many for a file", job.rows);
        return Err(Error::config(ConfigErrorKind::InvalidValue, message));
    };
    progress.enter(Phase::Generating);
    let estimate = job.estimate(lines);
    progress.expect_bytes(estimate);
    let blocks = FileBlocks::new(room, progress);
    let sums = match to.replaceable()? {
        Some(path) => write_file(job, &blocks, path, estimate, progress)?,
        None => stream::write(&blocks, job.threads, to, progress, |block, to| {
            let length = job.fill(block, to);
            (length, length as u128)
        })?,
    };
    let bytes = sums.into_iter().sum::<u128>() as u64;
    progress.expect_bytes(bytes);
    Ok(GenerationResult {
        records: job.rows,
        bytes: ByteSize(bytes),
        checksum: None,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Writes every block of the job to a file that gets the name `path` at the end. Returns the number
/// of bytes that each worker has written.
fn write_file(
    job: &SalesGeneration,
    blocks: &FileBlocks<'_>,
    path: &Path,
    estimate: u64,
    progress: &Progress,
) -> Result<Vec<u128>> {
    let temporary = TempFile::create(path, Direct::Off)?;
    file::check_space(&temporary, estimate)?;
    let end = BlockTurns::new(0u64);
    let bytes = blocks.work(job.threads, || {
        let mut region = buffer()?;
        let mut sum = 0u128;
        while let Some(block) = blocks.claim()? {
            let length = job.fill(block, &mut region);
            let offset = end.take(block.index, |end| {
                *end += length as u64;
                Ok(*end - length as u64)
            })?;
            let Some(offset) = offset else { break };
            temporary.file().write_at(&region[..length], offset)?;
            progress.moved_in(Stream::OutputWritten, length as u64);
            sum += length as u128;
        }
        Ok(sum)
    })?;
    temporary.persist(path, true)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
