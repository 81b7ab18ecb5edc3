//! Reading the spans of a load, whatever its records are.

use std::sync::Arc;

use super::JobInput;
use super::stage::TURN;
use crate::error::{Error, Result};
use crate::io::{Completion, Direction, File, Region, Request};
use crate::load::LoadSpan;

/// Returns the request that reads span `number` into `region`.
pub fn request(files: &[Arc<File>], span: &LoadSpan, region: Region, number: usize) -> Request {
    Request {
        operation: Direction::Read,
        file: Arc::clone(&files[span.source]),
        offset: span.offset,
        region,
        range: 0..span.length,
        tag: number as u64,
    }
}

/// Returns the memory of a span that was read.
///
/// # Errors
///
/// Errors of the system, or [`Error::Malformed`] if there are fewer bytes than are wanted.
pub fn arrived(completion: Completion, span: &LoadSpan) -> Result<Region> {
    let Request { file, region, .. } = completion.request;
    if completion.result? < span.wanted {
        let end = span.offset + span.wanted as u64;
        return Err(Error::Malformed {
            path: file.path().to_owned(),
            message: format!("the file became shorter than {end} bytes while it was read").into(),
        });
    }
    Ok(region)
}

/// Waits until there may be more to claim.
pub fn wait_turn(input: &JobInput) {
    match input {
        // Another worker is reading the stream; its lock is free when there is more to read.
        JobInput::Stream(stream) => drop(stream.lock()),
        JobInput::Files(_) => std::thread::sleep(TURN),
    }
}
