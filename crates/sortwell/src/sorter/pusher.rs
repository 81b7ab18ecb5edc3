//! Several threads that push into one sort.
//!
//! ```text
//!   pusher 0 --> a sort of its own --\
//!   pusher 1 --> a sort of its own ----> a merge --> next
//! ```
//!
//! The speed of threads must not change the result. So the records of each pusher are sorted
//! apart, and the merge takes equal keys in the order of pushers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::{ByteSize, Error, Result};

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
    /// Number of pushers of the sort.
    count: u64,
    lost: LostPusher,
}

/// A mark, which all pushers of a sort share, that one of them was dropped before its end.
#[derive(Debug)]
pub struct LostPusher {
    is_lost: Arc<AtomicBool>,
    is_finished: bool,
}

impl LostPusher {
    /// Returns the mark for one of the pushers that share `is_lost`.
    pub(super) fn new(is_lost: &Arc<AtomicBool>) -> Self {
        Self { is_lost: Arc::clone(is_lost), is_finished: false }
    }

    /// Checks that no pusher was lost.
    fn check(&self) -> Result<()> {
        if self.is_lost.load(Ordering::Relaxed) { Err(not_finished()) } else { Ok(()) }
    }
}

impl Drop for LostPusher {
    fn drop(&mut self) {
        if !self.is_finished {
            self.is_lost.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the error of a sort one of whose pushers was not finished.
pub fn not_finished() -> Error {
    Error::config(
        ConfigErrorKind::Other,
        "a pusher was not finished, so that its records are missing; finish all of them first",
    )
}

/// Returns the memory of each of some pushers: they share three quarters.
pub fn memory_of_each(memory: ByteSize, count: u64) -> ByteSize {
    ByteSize(memory.bytes() / 4 * 3 / count)
}

impl Pusher {
    /// Returns a pusher to a sort of its own.
    pub(super) const fn new(sorter: Sorter, end: PusherEnd, count: u64, lost: LostPusher) -> Self {
        Self { sorter, end, count, lost }
    }

    /// Returns the error of a pusher's memory as one of the memory of the sort, and any other error
    /// as it is.
    fn with_others(count: u64, error: Error) -> Error {
        let kind = error.config_kind();
        let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = kind else {
            return error;
        };
        let bytes = least.bytes().saturating_mul(count).div_ceil(3).saturating_mul(4);
        let least = ByteSize(bytes.next_multiple_of(1 << 20));
        let message = format!(
            "the memory of the sorter is too small for {count} pushers; give at least {least}, or \
             push by fewer threads"
        );
        Error::config(ConfigErrorKind::BudgetTooSmall { least: Some(least) }, message)
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Those of [`Sorter::push`], and [`Error::Config`] after another pusher of the sort was
    /// dropped.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.lost.check()?;
        let pushed = self.sorter.push(key, payload);
        pushed.map_err(|error| Self::with_others(self.count, error))
    }

    /// Ends the records of this pusher. A pusher that is dropped instead makes the sort fail, so
    /// that a thread that ended early is never taken for one that was done.
    ///
    /// # Errors
    ///
    /// Those of [`Sorter::finish`], and [`Error::Config`] after another pusher of the sort was
    /// dropped.
    pub fn finish(mut self) -> Result<()> {
        self.lost.check()?;
        let finished = self.sorter.blocks.finish();
        let blocks = finished.map_err(|error| Self::with_others(self.count, error))?;
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(blocks);
        self.lost.is_finished = true;
        Ok(())
    }
}
