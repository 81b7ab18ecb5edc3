//! Handling of panics. A panic is a fault of the program itself: the message asks the user to
//! report it, and the job is cleaned up as after any other failure.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

use crate::failure::{CommandOutcome, Failure};

/// Message and place of the first panic; others follow from it.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Does `work`. A panic in it, on any thread, is a failure. Unwinding has removed temporary files
/// by then.
pub fn guarded(work: impl FnOnce() -> CommandOutcome) -> CommandOutcome {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(note));
    }
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::Fault(first.unwrap_or_else(|| "it was shown above".to_owned())))
    })
}

fn note(panic: &PanicHookInfo<'_>) {
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    // The first line: `thread 'worker 1' panicked at src/x.rs:1:2:` is followed by the message.
    let words = panic.to_string().lines().collect::<Vec<_>>().join(" ");
    first.get_or_insert(words);
}

#[cfg(test)]
mod tests;
