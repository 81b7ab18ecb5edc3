//! A job as C programs hold it: one call at a time, panics caught, forks noticed.
//!
//! Every call on a job passes [`Handle::call`]. Only a stop and the progress do not, so that any
//! thread may ask for them. A stop uses atomics alone: a signal handler may ask for it.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sortwell::Progress;
use sortwell::unstable::key::panic_message;
use sortwell_cli::embed::EmbeddedCommand;

use crate::call::{CallStage, CallState};
use crate::call_error::CallError;
use crate::gate::CallGate;

thread_local! {
    /// Address of the job that this thread compares records for; 0 for none.
    static COMPARING: Cell<usize> = const { Cell::new(0) };
}

/// A comparison on this thread for a job, until it is dropped.
#[derive(Debug)]
pub struct ComparisonScope {
    /// Address of the job for which records were compared before.
    before: usize,
}

impl ComparisonScope {
    /// Begins a comparison for the job at `address`.
    pub fn begin(address: usize) -> Self {
        Self { before: COMPARING.replace(address) }
    }
}

impl Drop for ComparisonScope {
    fn drop(&mut self) {
        COMPARING.set(self.before);
    }
}

/// Job as a C program holds it.
#[derive(Debug)]
pub struct Handle {
    progress: Arc<Progress>,
    gate: CallGate<CallState>,
}

impl Handle {
    /// Returns a job without options.
    pub fn new(command: EmbeddedCommand) -> Self {
        let progress = Arc::<Progress>::default();
        let gate = CallGate::new("job", CallState::new(command, Arc::clone(&progress)));
        Self { progress, gate }
    }

    /// Returns whether a fork made this process after it made the job.
    pub fn is_of_parent(&self) -> bool {
        self.gate.is_of_parent()
    }

    /// Makes a call on the job.
    ///
    /// # Errors
    ///
    /// The error of the call. A usage error during another call, and in a process that a fork
    /// made. A bug after a panic.
    #[inline]
    pub fn call<T>(
        &self,
        function: &str,
        act: impl FnOnce(&mut CallState) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        // The threads of a job compare between two calls too, and a call would wait for them.
        if COMPARING.get() == self.address() {
            return Err(self.gate.during_another(function));
        }
        let mut state = self.gate.enter(function)?;
        if let CallStage::Broken(error) = state.stage() {
            return Err(error.clone());
        }
        let made = catch_unwind(AssertUnwindSafe(|| act(&mut state)));
        made.unwrap_or_else(|panic| Err(broken(&mut state, panic.as_ref())))
    }

    /// Asks the job to stop. Only atomics are used.
    pub fn stop(&self) {
        self.progress.request_stop();
    }

    /// Returns the share of the work that is done.
    pub fn done(&self) -> Option<f64> {
        self.progress.done()
    }

    /// Returns whether the job can be dropped: no call is being made, this is not a comparison for
    /// it, and no fork made this process.
    pub fn is_free(&self) -> bool {
        COMPARING.get() != self.address() && self.gate.is_free()
    }

    /// Returns the address, which names the job among all.
    pub fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Ends the job after a panic, and returns its error.
#[cold]
fn broken(state: &mut CallState, panic: &(dyn Any + Send)) -> CallError {
    let error = CallError::bug(&panic_message(panic));
    let before = state.replace(CallStage::Broken(error.clone()));
    // What the panic left may panic when it is dropped.
    let _ = catch_unwind(AssertUnwindSafe(move || drop(before)));
    error
}

#[cfg(test)]
mod tests;
