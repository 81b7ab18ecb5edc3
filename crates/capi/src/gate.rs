//! State that one call at a time uses, in the process that made it.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::call::Called;
use crate::call_error::CallError;
use crate::ffi::{Entered, Exclusive};

/// Number of forks that led to this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Counts a fork; the process that was made calls it.
pub fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// State that one call at a time uses, in the process that made it.
#[derive(Debug)]
pub struct CallGate<S> {
    /// The word for the state in messages, such as `job`.
    noun: &'static str,
    /// Number of forks when the state was made.
    forks: u32,
    state: Exclusive<S>,
}

impl<S> CallGate<S> {
    /// Returns a state that is not in use. `noun` names it in messages.
    pub fn new(noun: &'static str, state: S) -> Self {
        let forks = FORKS.load(Ordering::Relaxed);
        Self { noun, forks, state: Exclusive::new(state) }
    }

    /// Returns whether a fork made this process after it made the state.
    pub fn is_of_parent(&self) -> bool {
        self.forks != FORKS.load(Ordering::Relaxed)
    }

    /// Returns the state.
    ///
    /// # Errors
    ///
    /// A usage error during another call, and in a process that a fork made.
    #[inline]
    pub fn enter(&self, function: &str) -> Called<Entered<'_, S>> {
        if self.is_of_parent() {
            return Err(self.of_parent(function));
        }
        self.state.enter().ok_or_else(|| self.during_another(function))
    }

    /// Returns whether the state can be dropped: no call is being made, and no fork made this
    /// process.
    pub fn is_free(&self) -> bool {
        !self.is_of_parent() && self.state.enter().is_some()
    }

    #[cold]
    fn of_parent(&self, function: &str) -> CallError {
        CallError::usage(format!(
            "{function}: the {} belongs to the process that made it; after a fork, the new process \
             can only free it",
            self.noun
        ))
    }

    /// Returns the error of a call during another one.
    #[cold]
    pub fn during_another(&self, function: &str) -> CallError {
        let noun = self.noun;
        CallError::usage(format!(
            "{function}: another call on this {noun} has not returned; use it from one thread at a \
             time, and not from its own callbacks"
        ))
    }
}
