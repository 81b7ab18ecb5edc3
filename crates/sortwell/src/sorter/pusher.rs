//! Several threads that push into one sort.
//!
//! ```text
//!   pusher 0 --> a sort of its own --\
//!   pusher 1 --> a sort of its own ----> a merge --> next
//! ```
//!
//! The speed of threads must not change the result. So the records of each pusher are sorted
//! apart, and the merge takes equal keys in the order of pushers.

use std::sync::{Arc, Mutex, PoisonError};

use sortwell_engine::Result;

use super::Sorter;
use super::block_sort::BlocksInOrder;

/// The result of a pusher, once it is finished.
pub type PusherEnd = Arc<Mutex<Option<BlocksInOrder>>>;

/// One of several threads' ends of a [`Sorter`].
///
/// Records with equal keys come out in the order of pushers, and those of one pusher in the order
/// in which it pushed them. So the result is the same however fast the threads are.
///
/// ```
/// use sortwell::Sorter;
///
/// let mut sorter = Sorter::new();
/// let pushers = sorter.pushers(2)?;
/// std::thread::scope(|scope| {
///     for (number, mut pusher) in pushers.into_iter().enumerate() {
///         scope.spawn(move || {
///             pusher.push(b"key", &[number as u8])?;
///             pusher.finish()
///         });
///     }
/// });
/// let mut sorted = sorter.finish()?;
/// assert_eq!(sorted.next()?.map(|record| record.payload), Some(&[0][..]));
/// assert_eq!(sorted.next()?.map(|record| record.payload), Some(&[1][..]));
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct Pusher {
    sorter: Sorter,
    end: PusherEnd,
}

impl Pusher {
    /// Returns a pusher to a sort of its own.
    pub(super) const fn new(sorter: Sorter, end: PusherEnd) -> Self {
        Self { sorter, end }
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Those of [`Sorter::push`].
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.sorter.push(key, payload)
    }

    /// Ends the records of this pusher. A pusher that is dropped instead makes the sort fail, so
    /// that a thread that ended early is never taken for one that was done.
    ///
    /// # Errors
    ///
    /// Those of [`Sorter::finish`].
    pub fn finish(self) -> Result<()> {
        let blocks = self.sorter.blocks.finish()?;
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(blocks);
        Ok(())
    }
}
