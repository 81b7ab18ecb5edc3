//! The records of a sorter in order.

use std::sync::Arc;

use sortwell_engine::format::Prefix;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

use super::NUMBERS;
use super::running::RunningSort;

/// A record of a [`Sorter`](super::Sorter).
///
/// ```
/// use sortwell::{KeyedRecord, Sorter};
///
/// let mut sorter = Sorter::new();
/// sorter.push(b"key", b"payload")?;
/// let mut sorted = sorter.finish()?;
/// let record = sorted.next()?;
/// assert_eq!(record, Some(KeyedRecord { key: b"key", payload: b"payload" }));
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedRecord<'r> {
    /// The key.
    pub key: &'r [u8],
    /// The payload.
    pub payload: &'r [u8],
}

/// The records of a [`Sorter`](super::Sorter) in order.
///
/// A record is lent until the next one is asked for. The sort ends, and its temporary files are
/// removed, with the last record or when this is dropped.
///
/// ```
/// use sortwell::Sorter;
///
/// let mut sorter = Sorter::new();
/// for key in [b"c", b"a", b"b"] {
///     sorter.push(key, b"")?;
/// }
/// let mut sorted = sorter.finish()?;
/// assert_eq!(sorted.next()?.map(|record| record.key), Some(&b"a"[..]));
/// let statistics = sorted.close()?; // passes the others
/// assert_eq!(statistics.records, 3);
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct Sorted {
    progress: Arc<Progress>,
    /// End of the sort; `None` after an error.
    end: Option<SortedEnd>,
    block: Vec<u8>,
    /// Bytes of the block that were passed.
    at: usize,
    /// A record that lies in several blocks.
    joined: Vec<u8>,
}

/// End of a sort.
#[derive(Debug)]
pub enum SortedEnd {
    /// Blocks are still to be taken.
    Running(RunningSort),
    /// All blocks were taken.
    Done(Box<Statistics>),
}

impl Sorted {
    /// Returns the records of a sort that continues in `block`, if it has any there.
    pub(super) fn new(progress: Arc<Progress>, end: SortedEnd, block: Vec<u8>) -> Self {
        Self { progress, end: Some(end), block, at: 0, joined: Vec::new() }
    }

    /// Returns the next record; `None` after the last one. The order and the number of records are
    /// proven by then, unless [`Sorter::verify`](super::Sorter::verify) was set to false.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks can cause; [`Error::Interrupted`] after an error, and after a
    /// stop.
    pub fn next(&mut self) -> Result<Option<KeyedRecord<'_>>> {
        let prefix = Prefix::KEYED;
        let rest = self.block.len() - self.at;
        let whole = prefix.record_length(&self.block[self.at..]).filter(|length| *length <= rest);
        if let Some(length) = whole {
            self.at += length;
            return Ok(Some(record_of(&self.block[self.at - length..self.at])));
        }
        self.joined.clear();
        let mut wanted = NUMBERS;
        loop {
            let rest = &self.block[self.at..];
            let bytes = rest.len().min(wanted - self.joined.len());
            self.joined.extend_from_slice(&rest[..bytes]);
            self.at += bytes;
            if self.joined.len() < wanted {
                if !self.next_block()? {
                    assert!(self.joined.is_empty(), "a sort writes whole records");
                    return Ok(None);
                }
                continue;
            }
            match prefix.record_length(&self.joined) {
                Some(length) if length > wanted => wanted = length,
                _ => return Ok(Some(record_of(&self.joined))),
            }
        }
    }

    /// Takes the next block, and returns whether there was one.
    fn next_block(&mut self) -> Result<bool> {
        let running = match self.end.take() {
            None => return Err(Error::Interrupted),
            Some(SortedEnd::Running(running)) => running,
            done => {
                self.end = done;
                return Ok(false);
            }
        };
        self.at = 0;
        match running.sorted.take(std::mem::take(&mut self.block), &self.progress) {
            Ok(Some(block)) => {
                (self.block, self.end) = (block, Some(SortedEnd::Running(running)));
                Ok(true)
            }
            Ok(None) => {
                self.end = Some(SortedEnd::Done(Box::new(running.join()?)));
                Ok(false)
            }
            Err(_) => Err(running.failure()),
        }
    }

    /// Passes the records that are left, and returns the statistics of the sort.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    pub fn close(mut self) -> Result<Statistics> {
        while self.next_block()? {}
        match self.end.take() {
            Some(SortedEnd::Done(statistics)) => Ok(*statistics),
            _ => Err(Error::Interrupted),
        }
    }
}

impl Drop for Sorted {
    fn drop(&mut self) {
        if let Some(SortedEnd::Running(running)) = self.end.take() {
            running.stop(&self.progress);
        }
    }
}

/// Returns the parts of a whole record.
fn record_of(bytes: &[u8]) -> KeyedRecord<'_> {
    KeyedRecord { key: Prefix::stored_key(bytes), payload: Prefix::KEYED.payload(bytes) }
}
