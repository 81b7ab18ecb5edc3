//! The records of a sorter in order.

use sortwell_engine::Result;
use sortwell_engine::format::Prefix;
use sortwell_engine::stats::Statistics;

use super::NUMBERS;
use super::block_sort::BlocksInOrder;

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
    blocks: BlocksInOrder,
    /// Bytes of the block that were passed.
    at: usize,
    /// A record that lies in several blocks.
    joined: Vec<u8>,
    /// Records that may still be returned.
    left: u64,
}

impl Sorted {
    /// Returns the first `limit` records of a job.
    pub(super) const fn new(blocks: BlocksInOrder, limit: u64) -> Self {
        Self { blocks, at: 0, joined: Vec::new(), left: limit }
    }

    /// Returns the next record; `None` after the last one. The order and the number of records are
    /// proven by then, unless [`Sorter::verify`](super::Sorter::verify) was set to false.
    ///
    /// # Errors
    ///
    /// Every [`Error`](crate::Error) that disks can cause;
    /// [`Error::Interrupted`](crate::Error::Interrupted) after an error, and after a
    /// stop.
    pub fn next(&mut self) -> Result<Option<KeyedRecord<'_>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let prefix = Prefix::KEYED;
        let rest = &self.blocks.block()[self.at..];
        if let Some(length) = prefix.record_length(rest).filter(|length| *length <= rest.len()) {
            (self.at, self.left) = (self.at + length, self.left - 1);
            return Ok(Some(record_of(&self.blocks.block()[self.at - length..self.at])));
        }
        self.joined.clear();
        let mut wanted = NUMBERS;
        loop {
            let rest = &self.blocks.block()[self.at..];
            let bytes = rest.len().min(wanted - self.joined.len());
            self.joined.extend_from_slice(&rest[..bytes]);
            self.at += bytes;
            if self.joined.len() < wanted {
                self.at = 0;
                if self.blocks.next_block()?.is_none() {
                    assert!(self.joined.is_empty(), "a sort writes whole records");
                    return Ok(None);
                }
                continue;
            }
            match prefix.record_length(&self.joined) {
                Some(length) if length > wanted => wanted = length,
                _ => {
                    self.left -= 1;
                    return Ok(Some(record_of(&self.joined)));
                }
            }
        }
    }

    /// Returns records whose keys differ: of records with equal keys, `fold` adds the payload of
    /// each to that of the first.
    ///
    /// ```
    /// use sortwell::Sorter;
    ///
    /// let mut sorter = Sorter::new();
    /// for (word, count) in [("b", 1_u8), ("a", 2), ("b", 3)] {
    ///     sorter.push(word.as_bytes(), &[count])?;
    /// }
    /// let mut folded = sorter.finish()?.fold(|sum, payload| sum[0] += payload[0]);
    /// let mut sums = Vec::new();
    /// while let Some(record) = folded.next()? {
    ///     sums.push((record.key[0], record.payload[0]));
    /// }
    /// assert_eq!(sums, [(b'a', 2), (b'b', 4)]);
    /// # Ok::<(), sortwell::Error>(())
    /// ```
    pub fn fold<F: FnMut(&mut Vec<u8>, &[u8])>(self, fold: F) -> Folded<F> {
        let (next, payload) = (FoldedNext::Unknown, Vec::new());
        Folded { sorted: self, fold, next, key: Vec::new(), payload }
    }

    /// Passes the records that are left, and returns the statistics of the sort.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    pub fn close(self) -> Result<Statistics> {
        self.blocks.close()
    }
}

/// Records with different keys, made of records in order; see [`Sorted::fold`].
#[derive(Debug)]
pub struct Folded<F> {
    sorted: Sorted,
    fold: F,
    next: FoldedNext,
    key: Vec<u8>,
    payload: Vec<u8>,
}

/// Knowledge of the record after those that were folded.
#[derive(Debug)]
enum FoldedNext {
    /// Nothing: none was folded yet.
    Unknown,
    /// It begins a group, and has this key and payload.
    Begins(Vec<u8>, Vec<u8>),
    /// There is none.
    End,
}

impl<F: FnMut(&mut Vec<u8>, &[u8])> Folded<F> {
    /// Returns the next record; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`Sorted::next`].
    pub fn next(&mut self) -> Result<Option<KeyedRecord<'_>>> {
        (self.key, self.payload) = match std::mem::replace(&mut self.next, FoldedNext::End) {
            FoldedNext::Begins(key, payload) => (key, payload),
            FoldedNext::End => return Ok(None),
            FoldedNext::Unknown => match self.sorted.next()? {
                Some(first) => (first.key.to_vec(), first.payload.to_vec()),
                None => return Ok(None),
            },
        };
        while let Some(record) = self.sorted.next()? {
            if record.key != self.key {
                self.next = FoldedNext::Begins(record.key.to_vec(), record.payload.to_vec());
                break;
            }
            (self.fold)(&mut self.payload, record.payload);
        }
        Ok(Some(KeyedRecord { key: &self.key, payload: &self.payload }))
    }

    /// Passes the records that are left, and returns the statistics of the sort.
    ///
    /// # Errors
    ///
    /// Those of [`Sorted::next`].
    pub fn close(self) -> Result<Statistics> {
        self.sorted.close()
    }
}

/// Returns the parts of a whole record.
fn record_of(bytes: &[u8]) -> KeyedRecord<'_> {
    KeyedRecord { key: Prefix::stored_key(bytes), payload: Prefix::KEYED.payload(bytes) }
}
