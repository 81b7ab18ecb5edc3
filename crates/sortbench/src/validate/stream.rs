//! Validating records that come in order, from a pipe or a device.
//!
//! The stream passes from hand to hand: whoever holds it reads one block into memory of its own,
//! hands it on and checks the block meanwhile.

use std::sync::{Mutex, PoisonError};

use sortwell::unstable::io::pipe;
use sortwell::unstable::stats;
use sortwell::{Progress, Result};

use super::{Validation, part_of_a_piece};
use crate::RECORD_LENGTH;
use crate::block::{BLOCK_LENGTH, FileBlocks, buffer};
use crate::joining::Joining;
use crate::summary::Summary;

/// Summarises all records that `reader` brings.
pub(super) fn read(
    job: &Validation,
    reader: pipe::PipeReader,
    progress: &Progress,
) -> Result<Summary> {
    // How many blocks there are turns out when the stream ends.
    let blocks = FileBlocks::new(u64::MAX, progress);
    let stream = Mutex::new(ValidatedStream { reader, is_over: false });
    let joining = Joining::new(job.order);
    blocks.work(job.threads, || {
        let mut region = buffer()?;
        while let Some((block, length)) = read_block(&stream, &blocks, &mut region, progress)? {
            joining.add(block, Summary::of(&region[..length], job.order));
            progress.moved_in(stats::Stream::InputRead, length as u64);
        }
        Ok(())
    })?;
    Ok(joining.finish())
}

struct ValidatedStream {
    reader: pipe::PipeReader,
    is_over: bool,
}

/// Reads the next block; gives its index and length. A block is claimed while the stream is held,
/// so that blocks are numbered as they are read.
fn read_block(
    stream: &Mutex<ValidatedStream>,
    blocks: &FileBlocks<'_>,
    to: &mut [u8],
    progress: &Progress,
) -> Result<Option<(u64, usize)>> {
    let mut held = stream.lock().unwrap_or_else(PoisonError::into_inner);
    if held.is_over {
        return Ok(None);
    }
    let Some(block) = blocks.claim()? else { return Ok(None) };
    let length = held.reader.fill(&mut to[..BLOCK_LENGTH], progress)?;
    held.is_over = length < BLOCK_LENGTH;
    if !length.is_multiple_of(RECORD_LENGTH) {
        let (name, bytes) = (held.reader.name(), held.reader.bytes());
        return Err(part_of_a_piece(name, bytes, "records", RECORD_LENGTH));
    }
    Ok((length > 0).then_some((block.index, length)))
}
