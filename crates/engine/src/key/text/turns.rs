//! Long texts that take memory in proportion to their length: one at a time in the process, so that
//! the budget has to have room for one only, however many workers there are.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::sys::limits;

/// Longer texts take turns. Memory of shorter ones is a part of what each worker has anyway.
pub const LONG_BYTES: usize = 128 << 10;

static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// True while this thread has its turn.
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`, which takes memory in proportion to a text of `bytes` bytes and gives it back.
#[inline]
pub(super) fn in_turn<T>(bytes: usize, body: impl FnOnce() -> T) -> T {
    if bytes <= LONG_BYTES || HAS_TURN.get() {
        return body();
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    HAS_TURN.set(true);
    let result = body();
    HAS_TURN.set(false);
    limits::trim_memory();
    drop(turn);
    result
}
