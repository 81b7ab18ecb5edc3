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
use crate::key_writer::KeyWriter;

/// The result of a pusher, once it is finished.
pub type PusherEnd = Arc<Mutex<Option<PushedSort>>>;

/// The sort of a pusher that is finished.
#[derive(Debug)]
pub struct PushedSort {
    /// Its blocks in order.
    pub blocks: BlocksInOrder,
    /// Records that were pushed to it.
    pub records: u64,
    /// Most bytes of one of them.
    pub longest_bytes: u64,
}

/// The least memory of a merge.
const MERGE_LEAST: ByteSize = ByteSize::mib(20);

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
    shared: SharedMemory,
    lost: LostPusher,
    /// Records that were pushed.
    records: u64,
    /// Most bytes of one of them.
    longest_bytes: u64,
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

/// Division of the memory of a sorter among `count` pushers, which share three quarters, and the
/// merge of their sorts.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory {
    /// Number of pushers.
    pub count: u64,
}

impl SharedMemory {
    /// Returns the memory of each pusher.
    pub const fn of_each(self, memory: ByteSize) -> ByteSize {
        ByteSize(memory.bytes() / 4 * 3 / self.count)
    }

    /// Returns the memory of the merge.
    pub const fn of_merge(memory: ByteSize) -> ByteSize {
        ByteSize(memory.bytes() / 4)
    }

    /// Returns the error of a pusher's memory as one of the memory of the sorter, and any other
    /// error as it is.
    pub fn of_sorter(self, error: Error) -> Error {
        self.of_part(error, |least| least.saturating_mul(self.count).div_ceil(3))
    }

    /// Returns the error of the merge's memory as one of the memory of the sorter, and any other
    /// error as it is. Windows on the sorts, and copies of the longest record, have `long_bytes`.
    pub fn of_sorter_by_merge(self, error: Error, long_bytes: u64) -> Error {
        let error = match error {
            Error::BudgetExceeded { path, message, least: None } => {
                // A part of the memory of a merge is for other things than its windows.
                let bytes = MERGE_LEAST.bytes().saturating_add(long_bytes.saturating_mul(2));
                Error::BudgetExceeded { path, message, least: Some(ByteSize(bytes)) }
            }
            other => other,
        };
        self.of_part(error, |least| least)
    }

    /// Returns an error of the memory of a part as one of the memory of the sorter, of which a
    /// quarter is to have `quarter(least)` bytes.
    fn of_part(self, error: Error, quarter: impl Fn(u64) -> u64) -> Error {
        let Self { count } = self;
        let whole = |least: ByteSize| {
            let bytes = quarter(least.bytes()).max(MERGE_LEAST.bytes()).saturating_mul(4);
            ByteSize(bytes.next_multiple_of(1 << 20))
        };
        match error {
            Error::BudgetExceeded { path, least: Some(least), .. } => {
                let least = whole(least);
                let message = format!(
                    "a record has no room in the memory of the sorter, which {count} pushers \
                     share; give at least {least}, or push by fewer threads"
                );
                Error::BudgetExceeded { path, message: message.into(), least: Some(least) }
            }
            error => match error.config_kind() {
                Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) => {
                    let least = whole(least);
                    let message = format!(
                        "the memory of the sorter is too small for {count} pushers; give at least \
                         {least}, or push by fewer threads"
                    );
                    Error::config(ConfigErrorKind::BudgetTooSmall { least: Some(least) }, message)
                }
                _ => error,
            },
        }
    }
}

impl Pusher {
    /// Returns a pusher to a sort of its own.
    pub(super) const fn new(
        sorter: Sorter,
        end: PusherEnd,
        shared: SharedMemory,
        lost: LostPusher,
    ) -> Self {
        Self { sorter, end, shared, lost, records: 0, longest_bytes: 0 }
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
        pushed.map_err(|error| self.shared.of_sorter(error))?;
        self.records += 1;
        self.longest_bytes = self.longest_bytes.max((key.len() + payload.len()) as u64);
        Ok(())
    }

    /// Adds a record whose key `write` writes, as [`Sorter::push_by`] does.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push) and of [`Sorter::push_by`].
    pub fn push_by(
        &mut self,
        write: impl for<'k, 'w> FnOnce(&'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
        payload: &[u8],
    ) -> Result<()> {
        let mut key = std::mem::take(&mut self.sorter.key);
        let pushed = key.by(write).and_then(|key| self.push(key, payload));
        self.sorter.key = key;
        pushed
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
        let blocks = finished.map_err(|error| self.shared.of_sorter(error))?;
        let Self { records, longest_bytes, .. } = self;
        let sort = PushedSort { blocks, records, longest_bytes };
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(sort);
        self.lost.is_finished = true;
        Ok(())
    }
}
