//! Estimate of the bytes that compressed runs have, from a sample of the inputs.
//!
//! Blocks of the input are compressed as they are. Sorted records shrink as much or a little more.

use std::sync::Arc;

use serde::Serialize;

use crate::codec::CompressRuns;
use crate::error::Result;
use crate::io::File;
use crate::pipeline::JobInput;
use crate::run::PackingTrial;
use crate::run::layout::BLOCK;
use crate::units::ByteSize;

/// Blocks of a sample.
const SAMPLE_BLOCKS: u64 = 16;

/// Estimated size of runs with a compression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PackedForecast {
    /// Codec and level.
    pub compression: String,
    /// Bytes written to runs, and read back.
    pub spilled_bytes: ByteSize,
}

/// Returns an estimate for each compression that `wanted` may come to, for runs that have `spilled`
/// bytes without; none if the inputs are too short for a sample, or cannot be read twice.
pub fn forecasts(
    input: &JobInput,
    wanted: CompressRuns,
    spilled: ByteSize,
) -> Result<Vec<PackedForecast>> {
    let JobInput::Files(files) = input else { return Ok(Vec::new()) };
    if wanted.candidates().is_empty() || spilled.bytes() == 0 {
        return Ok(Vec::new());
    }
    let sample = sample(files)?;
    let forecast = |trial: PackingTrial| PackedForecast {
        compression: trial.compression.to_string(),
        spilled_bytes: ByteSize((spilled.bytes() as f64 * trial.size) as u64),
    };
    let trials = wanted.candidates().iter();
    Ok(trials.filter_map(|one| PackingTrial::new(*one, &sample)).map(forecast).collect())
}

/// Reads blocks at even distances in all files.
fn sample(files: &[Arc<File>]) -> Result<Vec<u8>> {
    let all: u64 = files.iter().map(|file| file.len()).sum();
    let step = (all / SAMPLE_BLOCKS).max(BLOCK as u64);
    let (mut sample, mut start, mut next) = (Vec::new(), 0, 0);
    for file in files {
        let end = start + file.len();
        while next + BLOCK as u64 <= end {
            let mut block = vec![0; BLOCK];
            let read = file.read_at(&mut block, next.max(start) - start)?;
            if read == BLOCK {
                sample.extend_from_slice(&block);
            }
            next += step;
        }
        start = end;
    }
    Ok(sample)
}
