//! A part of the program that takes sorted records itself, task by task.
//!
//! Tasks are taken at the same time and end in any order. So a consumer that makes pages of
//! records works in parallel.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;

/// Takes sorted records from several workers at the same time.
pub trait Consumer: Send + Sync {
    /// Begins a task, whose first record begins at byte `offset` of all sorted records.
    fn begin(&self, offset: u64) -> Box<dyn ConsumeTask + '_>;
}

/// Takes the bytes of one task, in order.
pub trait ConsumeTask {
    /// Takes the next bytes. A record may lie in two pieces or more.
    ///
    /// # Errors
    ///
    /// Any error; it ends the job.
    fn take(&mut self, bytes: &[u8]) -> Result<()>;

    /// Ends the task, which has whole records.
    ///
    /// # Errors
    ///
    /// Any error; it ends the job.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A consumer as a destination. Clones are equal, and nothing else is.
#[derive(Clone)]
pub struct SharedConsumer(pub Arc<dyn Consumer>);

impl PartialEq for SharedConsumer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedConsumer {}

impl fmt::Debug for SharedConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedConsumer").finish_non_exhaustive()
    }
}
