//! Memory that one thread lends to another while it waits.
//!
//! ```text
//!   lender     lend(buffer) ---- waits ------------ takes it back ---> uses the buffer
//!                    \                              /
//!   borrower          '--> LentBuffer::with: writes             with: nothing is lent
//! ```
//!
//! So bytes that one thread makes come directly to where another one needs them.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// A buffer that another thread has lent, until it takes the buffer back.
#[derive(Clone, Debug)]
pub struct LentBuffer(Arc<Mutex<Option<LentMemory>>>);

/// The memory of a buffer that is lent at present.
#[derive(Debug)]
struct LentMemory {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: an address and a length. The bytes behind it belong to whoever holds the mutex it is in,
// see `lend`.
unsafe impl Send for LentMemory {}

/// Lends `buffer` while `wait` runs. It may hand the buffer on to other threads, which can write to
/// it until it returns.
pub fn lend<R>(buffer: &mut [u8], wait: impl FnOnce(LentBuffer) -> R) -> R {
    /// Takes the buffer back when this is dropped, also after a panic.
    struct TakeBack(LentBuffer);
    impl Drop for TakeBack {
        fn drop(&mut self) {
            // Waits for a thread that is writing.
            *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
    let memory = LentMemory { start: NonNull::from(&mut *buffer).cast(), length: buffer.len() };
    let lent = LentBuffer(Arc::new(Mutex::new(Some(memory))));
    let taken_back = TakeBack(lent.clone());
    let waited = wait(lent);
    drop(taken_back);
    waited
}

impl LentBuffer {
    /// Lets `write` write to the buffer. Returns what it returns, or `None` if the buffer was taken
    /// back. It must not end the wait of the lender, which would wait for it.
    pub fn with<R>(&self, write: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let LentMemory { start, length } = memory.as_mut()?;
        // SAFETY: `lend` has the only borrow of these bytes, and does not use it before it has
        // taken the memory out of this mutex, which we hold. All bytes are initialised.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), *length) };
        Some(write(bytes))
    }
}

#[cfg(test)]
mod tests;
