//! Bytes that a sort is expected to move, for its progress.

use std::sync::PoisonError;

use super::generate::Generated;
use super::{JobInput, Work};
use crate::stats::Progress;

/// Expectation of one sort.
pub struct Expectation<'a> {
    work: &'a Work,
    progress: &'a Progress,
    /// Bytes that were moved before the sort.
    before: u64,
}

impl<'a> Expectation<'a> {
    /// Returns the expectation of a sort that begins now.
    pub fn new(work: &'a Work, progress: &'a Progress) -> Self {
        Self { work, progress, before: progress.bytes().0 }
    }

    /// Says what is to come of `bytes` bytes of input, of which `taken` bytes were read and
    /// `written` bytes were written by an earlier job.
    pub fn of_bytes(&self, bytes: u64, taken: u64, written: u64) {
        match self.work.plan.sieve() {
            // The sieve drops most records as they are read, so little more than that is moved.
            Some(_) => self.progress.expect_bytes(self.before + bytes),
            None => self.progress.expect(self.work.plan.volume(bytes).shares(taken, written)),
        }
    }

    /// Says what is to come of a stream, if the length of its source is known.
    pub fn of_stream(&self) {
        if let JobInput::Stream(stream) = &self.work.input {
            let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(source) = stream.source() {
                let plan = self.work.plan.clone();
                self.progress.expect_by(source, move |bytes| plan.volume(bytes).shares(0, 0));
            }
        }
    }

    /// Says what is still to come once a stream was read, unless it is one that a caller supplies
    /// without its source: then this sort may be a part of a longer job.
    pub fn settle(&self, generated: &Generated<'_>) {
        let taken = match generated {
            Generated::Whole(_, taken) | Generated::Nothing(taken) => taken,
            Generated::Runs(runs) => &runs.taken,
            Generated::Crowded(_) | Generated::Unsieved => return,
        };
        if let JobInput::Stream(stream) = &self.work.input {
            let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            if stream.source().is_some() || !stream.has_supplied() {
                let shares = self.work.plan.volume(taken.bytes).shares(0, 0);
                self.progress.settle(shares, self.before);
            }
        }
    }
}
