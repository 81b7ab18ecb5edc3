//! A source of bytes that one thread lends to another while it waits.
//!
//! ```text
//!   lender     lend(source) ---- waits ------------ takes it back ---> continues
//!                    \                              /
//!   borrower          '--> LentSource::fill: bytes              fill: nothing is lent
//! ```
//!
//! So bytes that belong to one thread are copied by another one to where they are needed, once.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// A function that writes the next bytes to a buffer, and returns their number: fewer than fit at
/// the end alone.
pub type FillNext<'a> = dyn FnMut(&mut [u8]) -> usize + Send + 'a;

/// A source that another thread has lent, until it takes the source back.
#[derive(Clone)]
pub struct LentSource(Arc<Mutex<Option<SourceAddress>>>);

/// Address of a source that is lent at present.
struct SourceAddress(NonNull<FillNext<'static>>);

// SAFETY: the function itself may be called by any thread. It belongs to whoever holds the mutex
// that this is in, see `lend`.
unsafe impl Send for SourceAddress {}

/// Lends `source` while `wait` runs. It may hand the source on to other threads, which can call it
/// until `wait` returns.
pub fn lend<R>(source: &mut FillNext<'_>, wait: impl FnOnce(LentSource) -> R) -> R {
    /// Takes the source back when this is dropped, also after a panic.
    struct TakeBack(LentSource);
    impl Drop for TakeBack {
        fn drop(&mut self) {
            // Waits for a thread that is calling it.
            *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
    let address = NonNull::from(source);
    // SAFETY: the types differ in how long the function lives. Its address is gone before `source`
    // ends: `TakeBack` is dropped in this function in any case.
    let address: NonNull<FillNext<'static>> = unsafe { std::mem::transmute(address) };
    let lent = LentSource(Arc::new(Mutex::new(Some(SourceAddress(address)))));
    let taken_back = TakeBack(lent.clone());
    let waited = wait(lent);
    drop(taken_back);
    waited
}

impl LentSource {
    /// Fills `buffer` with the next bytes, or a part of it with the last ones. Returns their
    /// number, or `None` if the source was taken back.
    pub fn fill(&self, buffer: &mut [u8]) -> Option<usize> {
        let mut address = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let SourceAddress(source) = address.as_mut()?;
        // SAFETY: `lend` has the only borrow of the function, and does not use it before it has
        // taken the address out of this mutex, which we hold.
        let source = unsafe { source.as_mut() };
        Some(source(buffer))
    }
}

impl fmt::Debug for LentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentSource").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
