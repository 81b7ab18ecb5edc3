//! The records of a sorter in order.

use sortwell_engine::format::{Format, Prefix};
use sortwell_engine::key::OrderFunction;
use sortwell_engine::stats::Statistics;
use sortwell_engine::{ByteSize, Error, Result};

use super::block_sort::BlocksInOrder;
use super::in_order::RecordsInOrder;

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

impl<'r> KeyedRecord<'r> {
    /// Returns the parts of a record in the format `keyed`.
    pub(super) fn of(record: &'r [u8]) -> Self {
        Self { key: Prefix::stored_key(record), payload: Prefix::KEYED.payload(record) }
    }
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
    records: RecordsInOrder,
    /// The function that the records were ordered by, if not by the bytes of their keys.
    comparison: Option<OrderFunction>,
    /// Total of several pushers, if there were some.
    pushed: Option<PushedTotal>,
}

/// Total of what several pushers have pushed.
#[derive(Debug)]
pub struct PushedTotal {
    /// Number of records.
    pub records: u64,
    /// Memory of the sorter.
    pub memory: ByteSize,
    /// True if fewer records than were pushed may come out.
    pub is_selected: bool,
}

impl PushedTotal {
    /// Returns the statistics of the merge of all pushers as those of the sorter.
    fn of_sorter(&self, mut merge: Statistics) -> Statistics {
        if self.is_selected {
            merge.records_selected = merge.records_selected.or(Some(merge.records));
            merge.bytes_selected = merge.bytes_selected.or(Some(merge.bytes));
        }
        (merge.records, merge.memory_budget) = (self.records, self.memory);
        merge
    }
}

impl Sorted {
    /// Returns the records of a job, which `comparison` has ordered.
    pub(super) fn new(blocks: BlocksInOrder, comparison: Option<OrderFunction>) -> Self {
        let records = RecordsInOrder::new(blocks, Format::KEYED.framing());
        Self { records, comparison, pushed: None }
    }

    /// Returns these records as those of several pushers.
    pub(super) fn of_pushers(self, pushed: PushedTotal) -> Self {
        Self { pushed: Some(pushed), ..self }
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
        Ok(self.records.advance()?.then(|| self.records.lent_record()))
    }

    /// Returns records whose keys differ: of records with equal keys, `fold` adds the payload of
    /// each to that of the first. If a function orders the records
    /// ([`Sorter::by_comparison`](super::Sorter::by_comparison)), it decides which keys are equal,
    /// and the result has the first of these keys.
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
    pub fn fold<F: FnMut(&mut Vec<u8>, &[u8])>(mut self, fold: F) -> Folded<F> {
        let comparison = self.comparison.take();
        let (next, payload) = (FoldedNext::Unknown, Vec::new());
        Folded { sorted: self, comparison, fold, next, key: Vec::new(), payload }
    }

    /// Passes the records that are left, and returns the statistics of the sort.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    pub fn close(self) -> Result<Statistics> {
        let statistics = self.records.close()?;
        Ok(match self.pushed {
            Some(pushed) => pushed.of_sorter(statistics),
            None => statistics,
        })
    }
}

/// Records with different keys, made of records in order; see [`Sorted::fold`].
#[derive(Debug)]
pub struct Folded<F> {
    sorted: Sorted,
    /// The function that decides which keys are equal, if not their bytes do.
    comparison: Option<OrderFunction>,
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
    /// No record is left.
    End,
    /// An error has ended the group, which must not look like the last one.
    Failed,
}

impl<F: FnMut(&mut Vec<u8>, &[u8])> Folded<F> {
    /// Returns the next record; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`Sorted::next`], and [`Error::Caller`](crate::Error::Caller) if the function that
    /// compares keys panics. After an error, all calls fail.
    pub fn next(&mut self) -> Result<Option<KeyedRecord<'_>>> {
        let first = match std::mem::replace(&mut self.next, FoldedNext::Failed) {
            FoldedNext::Begins(key, payload) => Some((key, payload)),
            FoldedNext::End => None,
            FoldedNext::Unknown => {
                let first = self.sorted.next()?;
                first.map(|first| (first.key.to_vec(), first.payload.to_vec()))
            }
            FoldedNext::Failed => return Err(Error::Interrupted),
        };
        let Some(first) = first else {
            self.next = FoldedNext::End;
            return Ok(None);
        };
        (self.key, self.payload) = first;
        self.next = loop {
            let Some(record) = self.sorted.next()? else { break FoldedNext::End };
            if !are_equal(self.comparison.as_ref(), record.key, &self.key)? {
                break FoldedNext::Begins(record.key.to_vec(), record.payload.to_vec());
            }
            (self.fold)(&mut self.payload, record.payload);
        };
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

/// Returns true for keys that a function does not tell apart; without one, for equal bytes.
fn are_equal(comparison: Option<&OrderFunction>, a: &[u8], b: &[u8]) -> Result<bool> {
    match comparison {
        None => Ok(a == b),
        Some(comparison) => {
            let is_equal = comparison.compare(a, b).is_eq();
            comparison.checked(Ok(is_equal))
        }
    }
}
