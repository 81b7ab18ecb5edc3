//! The plain engine: each request is done, start to end, while it is submitted.
//!
//! Also the base of the others: `perform` is the one positional read or write that `threads` and
//! `mmap` use too, and [`Inline`] is the queue of every engine that does its work in `submit`.

use std::collections::VecDeque;

use rustix::io::Errno;

use super::Answer;
use super::queue::{Completion, Direction, Queue, Request};
use super::transfer::{Transfer, TransferState, TransferStep};
use crate::error::Result;

pub(super) const NAME: &str = "sync";

/// Carries out one step of a transfer.
pub(super) type Perform = fn(&TransferStep) -> Answer<usize>;

/// Returns one `pread` or `pwrite`.
pub(super) fn perform(step: &TransferStep) -> Answer<usize> {
    let (pointer, length) = (step.pointer.cast::<libc::c_void>(), step.length);
    let offset = libc::off64_t::try_from(step.offset).map_err(|_| Errno::OVERFLOW)?;
    // SAFETY: `Transfer::step` gives a pointer to `length` mapped bytes that belong to the transfer
    // alone, and a descriptor that the transfer's file keeps open.
    let answer = unsafe {
        match step.operation {
            Direction::Read => libc::pread64(step.descriptor, pointer, length, offset),
            Direction::Write => libc::pwrite64(step.descriptor, pointer, length, offset),
        }
    };
    usize::try_from(answer).map_err(|_| last_error())
}

/// Returns the calling thread's `errno`.
pub(super) fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// A queue whose requests are over when `submit` returns.
pub(super) struct Inline {
    name: &'static str,
    perform: Perform,
    /// Done, and not yet collected.
    completions: VecDeque<Completion>,
}

impl Inline {
    pub(super) fn new(name: &'static str, perform: Perform) -> Self {
        Self { name, perform, completions: VecDeque::new() }
    }
}

impl Queue for Inline {
    fn submit(&mut self, request: Request) -> Result<()> {
        self.completions.push_back(match Transfer::start(request) {
            TransferState::Again(transfer) => transfer.run(self.perform),
            TransferState::Finished(completion) => completion,
        });
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        Ok(self.completions.pop_front())
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        self.poll()
    }

    fn in_flight(&self) -> usize {
        self.completions.len()
    }

    fn name(&self) -> &'static str {
        self.name
    }
}
