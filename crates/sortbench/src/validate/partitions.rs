//! Validating a file from the summaries of its partitions, each taken where the partition lies.

use sortwell::unstable::io::pipe;
use sortwell::unstable::stats::Stream;
use sortwell::{Progress, Result};

use super::{Validation, part_of_a_piece};
use crate::summary::Summary;

/// Summaries read at once.
const BATCH_SUMMARIES: usize = 256;

/// Joins every summary that `reader` brings, in order.
pub(super) fn read(
    job: &Validation,
    mut reader: pipe::PipeReader,
    progress: &Progress,
) -> Result<Summary> {
    let mut joined = Summary::default();
    let mut buffer = vec![0; BATCH_SUMMARIES * Summary::LENGTH];
    loop {
        let length = reader.fill(&mut buffer, progress)?;
        let (summaries, rest) = buffer[..length].as_chunks::<{ Summary::LENGTH }>();
        for bytes in summaries {
            joined.append(&Summary::from_bytes(bytes), job.order);
        }
        if !rest.is_empty() {
            let (name, bytes) = (reader.name(), reader.bytes());
            return Err(part_of_a_piece(name, bytes, "summaries", Summary::LENGTH));
        }
        progress.moved_in(Stream::InputRead, length as u64);
        if length < buffer.len() {
            return Ok(joined);
        }
    }
}
