//! Writing records in order, to a pipe or a device, made by several workers.
//!
//! A worker makes a block in memory of its own and then waits for its turn to write it. Blocks are
//! taken in order, so the block whose turn it is has always been taken, and nobody waits for ever.

use std::sync::{Condvar, Mutex, PoisonError};

use sortwell::unstable::io::pipe;
use sortwell::unstable::stats::Stream;
use sortwell::{Progress, Result};

use super::RecordGeneration;
use crate::block::{FileBlock, FileBlocks, buffer};
use crate::place::GeneratorDestination;

/// Writes every block of the job to `to`; gives each worker's sum of checksums.
pub(super) fn write(
    job: &RecordGeneration,
    blocks: &FileBlocks<'_>,
    to: &GeneratorDestination,
    progress: &Progress,
) -> Result<Vec<u128>> {
    let turns = StreamTurns::new(to.open_stream(progress)?);
    blocks.work(job.threads, || {
        let mut region = buffer()?;
        let mut sum = 0u128;
        while let Some(block) = blocks.claim()? {
            let bytes = &mut region[..block.length];
            sum = sum.wrapping_add(job.fill(block, bytes));
            turns.write(block, bytes, progress)?;
            progress.moved_in(Stream::OutputWritten, block.length as u64);
        }
        Ok(sum)
    })
}

/// The stream, and whose turn it is to write to it.
struct StreamTurns {
    state: Mutex<StreamState>,
    changed: Condvar,
}

struct StreamState {
    stream: pipe::PipeWriter,
    /// Index of the block that is to be written next.
    next: u64,
    /// The stream took no more; no turn will come.
    is_broken: bool,
}

impl StreamTurns {
    fn new(stream: pipe::PipeWriter) -> Self {
        let state = StreamState { stream, next: 0, is_broken: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn write(&self, block: FileBlock, bytes: &[u8], progress: &Progress) -> Result<()> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |state: &mut StreamState| state.next != block.index && !state.is_broken;
        let waited = self.changed.wait_while(state, is_early);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_broken {
            // Whoever broke it reports it.
            return Ok(());
        }
        let written = state.stream.write_all(bytes, progress);
        state.next += 1;
        state.is_broken = written.is_err();
        drop(state);
        self.changed.notify_all();
        written
    }
}
