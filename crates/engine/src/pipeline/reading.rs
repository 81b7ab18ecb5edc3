//! Taking in the spans of a load, whatever its records are.

use super::Input;
use super::stage::TURN;
use crate::error::{Error, Result};
use crate::io::{Completion, Region, Request};

/// Returns the number of a span that was read, and its memory; `place` tells of a span where in its
/// file it begins and how many bytes of it are wanted.
///
/// # Errors
///
/// What the system says, or [`Error::Malformed`] where there are fewer.
pub fn arrived(
    completion: Completion,
    place: impl FnOnce(usize) -> (u64, usize),
) -> Result<(usize, Region)> {
    let Request { file, region, tag, .. } = completion.request;
    let (offset, wanted) = place(tag as usize);
    if completion.result? < wanted {
        let end = offset + wanted as u64;
        return Err(Error::Malformed {
            path: file.path().to_owned(),
            message: format!("the file became shorter than {end} bytes while it was read").into(),
        });
    }
    Ok((tag as usize, region))
}

/// Waits until there may be more to claim.
pub fn wait_turn(input: &Input) {
    match input {
        // Another worker is reading the stream; its lock is free when there is more to read.
        Input::Stream(stream) => drop(stream.lock()),
        Input::Files(_) => std::thread::sleep(TURN),
    }
}
