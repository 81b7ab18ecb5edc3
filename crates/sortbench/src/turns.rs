//! Turns of workers at one thing, in the order of their blocks.
//!
//! Blocks are claimed in order, so the block whose turn it is always belongs to a running worker,
//! and no worker waits for ever. A turn that fails is the last one.

use std::sync::{Condvar, Mutex, PoisonError};

use sortwell::Result;

/// A thing that workers use in turn.
pub(crate) struct BlockTurns<T> {
    state: Mutex<TurnState<T>>,
    changed: Condvar,
}

struct TurnState<T> {
    thing: T,
    /// Index of the block whose turn is next.
    next: u64,
    /// True after a turn has failed.
    is_broken: bool,
}

impl<T> BlockTurns<T> {
    /// Creates the turns at `thing`, from block 0 on.
    pub fn new(thing: T) -> Self {
        let state = TurnState { thing, next: 0, is_broken: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for the turn of a block and uses it for `work`. Returns `None` without work if an
    /// earlier turn has failed; the worker that had it reports the error.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub fn take<R>(&self, index: u64, work: impl FnOnce(&mut T) -> Result<R>) -> Result<Option<R>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |state: &mut TurnState<T>| state.next != index && !state.is_broken;
        let waited = self.changed.wait_while(state, is_early);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_broken {
            return Ok(None);
        }
        let done = work(&mut state.thing);
        state.next += 1;
        state.is_broken = done.is_err();
        drop(state);
        self.changed.notify_all();
        done.map(Some)
    }
}
