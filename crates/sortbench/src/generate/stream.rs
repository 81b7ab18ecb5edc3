//! Writing records in order, to a pipe or a device, made by several workers.
//!
//! A worker makes a block in memory of its own and then waits for its turn to write it.

use sortwell::unstable::stats::Stream;
use sortwell::{Progress, Result};

use crate::block::{FileBlock, FileBlocks, buffer};
use crate::place::GeneratorDestination;
use crate::turns::BlockTurns;

/// Writes every block to `to`. `make` fills a part of a block's memory, and returns its length and
/// a summand; returns each worker's sum.
pub(super) fn write(
    blocks: &FileBlocks<'_>,
    threads: usize,
    to: &GeneratorDestination,
    progress: &Progress,
    make: impl Fn(FileBlock, &mut [u8]) -> (usize, u128) + Sync,
) -> Result<Vec<u128>> {
    let turns = BlockTurns::new(to.open_stream(progress)?);
    blocks.work(threads, || {
        let mut region = buffer()?;
        let mut sum = 0u128;
        while let Some(block) = blocks.claim()? {
            let (length, summand) = make(block, &mut region);
            sum = sum.wrapping_add(summand);
            turns.take(block.index, |stream| stream.write_all(&region[..length], progress))?;
            progress.moved_in(Stream::OutputWritten, length as u64);
        }
        Ok(sum)
    })
}
