//! One request on its way: the only place that knows about short transfers, interruptions, the end
//! of a file and refused direct transfers. Every engine runs the same loop:
//!
//! ```text
//!     step ──▶ kernel ──▶ answer ──▶ advance ──▶ Finished
//!      ▲                                │
//!      └────────────── Again ◀──────────┘
//! ```
//!
//! A request for no bytes is finished before its first step.

use std::io;
use std::os::fd::RawFd;
use std::time::Instant;

use rustix::io::Errno;

use super::Answer;
use super::queue::{Completion, Direction, Request};
use crate::error::Error;

/// The most that goes to the kernel at once; Linux itself stops at 2 GiB less a page.
const STEP_BYTES_MAX: usize = 1 << 30;

/// A request and how far it has come.
#[derive(Debug)]
pub(super) struct Transfer {
    request: Request,
    /// `range.start..range.start + done` is transferred.
    done: usize,
    /// True if the step now under way goes past the page cache.
    is_direct: bool,
    begun: Instant,
}

/// Next request to the kernel. The pointer is good until the transfer it came from is advanced.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransferStep {
    pub(super) operation: Direction,
    pub(super) descriptor: RawFd,
    pub(super) pointer: *mut u8,
    pub(super) length: usize,
    pub(super) offset: u64,
}

/// State of a transfer after an answer.
#[derive(Debug)]
pub(super) enum TransferState {
    /// There is another step.
    Again(Transfer),
    /// The transfer is over.
    Finished(Completion),
}

impl Transfer {
    /// Begins a request; one for no bytes is finished at once.
    ///
    /// # Panics
    /// If the range does not lie within the region.
    pub(super) fn start(request: Request) -> TransferState {
        let range = &request.range;
        assert!(
            range.start <= range.end && range.end <= request.region.len(),
            "range {range:?} of a region of {} bytes",
            request.region.len()
        );
        let transfer = Self { request, done: 0, is_direct: false, begun: Instant::now() };
        if transfer.rest() == 0 { transfer.finish() } else { TransferState::Again(transfer) }
    }

    fn rest(&self) -> usize {
        self.request.range.len() - self.done
    }

    fn offset(&self) -> u64 {
        self.request.offset + self.done as u64
    }

    fn finish(self) -> TransferState {
        let Self { request, done, begun, .. } = self;
        if request.operation == Direction::Write && done > 0 {
            request.file.grown_to(request.offset + done as u64);
        }
        TransferState::Finished(Completion { request, result: Ok(done), took: begun.elapsed() })
    }

    fn fail(self, source: impl Into<io::Error>) -> TransferState {
        let action = match self.request.operation {
            Direction::Read => "read",
            Direction::Write => "write",
        };
        let error = Error::io_at(action, self.request.file.path(), self.offset(), source);
        let (request, took) = (self.request, self.begun.elapsed());
        TransferState::Finished(Completion { request, result: Err(error), took })
    }

    /// Returns the next thing to ask of the kernel. The memory at the pointer is mapped,
    /// belongs to this transfer alone, and may be written if the step reads.
    pub(super) fn step(&mut self) -> TransferStep {
        let length = self.rest().min(STEP_BYTES_MAX);
        assert!(length > 0);
        let from = self.request.range.start + self.done;
        let pointer = self.request.region[from..from + length].as_mut_ptr();
        let route = self.request.file.route(pointer.addr(), self.offset(), length);
        self.is_direct = route.is_direct;
        TransferStep {
            operation: self.request.operation,
            descriptor: route.descriptor,
            pointer,
            length: route.length,
            offset: self.offset(),
        }
    }

    /// Takes the kernel's answer to the last step: bytes transferred, or why not.
    pub(super) fn advance(mut self, answer: Answer<usize>) -> TransferState {
        match (answer, self.request.operation) {
            (Err(Errno::INTR | Errno::AGAIN), _) => TransferState::Again(self),
            (Err(Errno::INVAL | Errno::OPNOTSUPP), _) if self.is_direct => {
                self.request.file.give_up_direct();
                TransferState::Again(self)
            }
            (Err(error), _) => self.fail(error),
            (Ok(0), Direction::Read) => self.finish(),
            (Ok(0), Direction::Write) => self.fail(io::ErrorKind::WriteZero),
            (Ok(bytes), _) => {
                assert!(bytes <= self.rest(), "the kernel moved more than it was asked to");
                self.done += bytes;
                if self.rest() == 0 { self.finish() } else { TransferState::Again(self) }
            }
        }
    }

    /// Runs the whole loop with `perform` as the kernel.
    pub(super) fn run(mut self, perform: impl Fn(&TransferStep) -> Answer<usize>) -> Completion {
        loop {
            let step = self.step();
            match self.advance(perform(&step)) {
                TransferState::Again(transfer) => self = transfer,
                TransferState::Finished(completion) => return completion,
            }
        }
    }
}

#[cfg(test)]
mod tests;
