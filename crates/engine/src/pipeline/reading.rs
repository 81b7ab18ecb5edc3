//! Reading the spans of a load, whatever its records are.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use memchr::{memchr, memrchr};

use crate::error::{Error, Result};
use crate::format::{Ends, Framing};
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

/// Returns the places after the first record end in `block`, which begins at byte `begin` of its
/// input, and after the last, where records can be cut without context.
pub fn record_ends(framing: Framing, block: &[u8], begin: u64) -> Ends {
    if let Framing::Fixed(length) = framing {
        let first = (begin.next_multiple_of(length as u64) - begin) as usize;
        let whole = block.len().checked_sub(first)? / length * length;
        return (whole > 0).then_some((first, first + whole));
    }
    let end = framing.terminator()?;
    let first = memchr(end, block)?;
    let last = memrchr(end, block).unwrap_or(first);
    Some((first + 1, last + 1))
}

/// Turn to read a stream, which one worker has at a time.
#[derive(Debug, Default)]
pub struct StreamTurn {
    is_taken: Mutex<bool>,
    /// Notified when the worker that had the turn leaves it.
    left: Condvar,
}

/// Longest time to wait for the turn before other work is looked for.
const LOOK: Duration = Duration::from_millis(50);

impl StreamTurn {
    /// Takes the turn, unless another worker has it.
    pub fn take(&self) -> Option<TakenTurn<'_>> {
        let mut is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        (!std::mem::replace(&mut *is_taken, true)).then(|| TakenTurn(self))
    }

    /// Waits until no worker has the turn, or for a while. A stream may never bring more, and
    /// what this worker writes may fail meanwhile.
    pub fn wait(&self) {
        let is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.left.wait_timeout_while(is_taken, LOOK, |is_taken| *is_taken));
    }
}

/// The turn that a worker has until it is dropped.
#[derive(Debug)]
pub struct TakenTurn<'a>(&'a StreamTurn);

impl Drop for TakenTurn<'_> {
    fn drop(&mut self) {
        *self.0.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.left.notify_all();
    }
}
