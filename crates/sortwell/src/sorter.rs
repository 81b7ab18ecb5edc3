//! A sort of records that the program pushes and pulls.
//!
//! A record that is pushed becomes a keyed record ([`Format::KEYED`]), so that memory, runs, merges
//! and proofs are those of every sort. [`block_sort`] has the threads.

pub mod block_sort;
mod in_order;
mod keyed_merge;
mod pusher;
mod queue;
mod running;
mod sorted;
mod spiller;

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::thread;

use sortwell_engine::error::{ConfigErrorKind, PUSHED_RECORDS};
use sortwell_engine::format::Format;
use sortwell_engine::job::{self, Budget, Output};
use sortwell_engine::key::{Compare, OrderFunction};
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error, Result};

use crate::key_writer::{KeyWriter, WrittenKey};
use block_sort::BlockSort;

pub use keyed_merge::KeyedMerge;
pub use pusher::Pusher;
use pusher::{LostPusher, PusherEnd, SharedMemory};
use queue::BLOCK_BYTES;
use sorted::PushedTotal;
pub use sorted::{Folded, KeyedRecord, Sorted};
pub use spiller::{RunFile, Spiller};

/// Memory of a sorter by default.
const MEMORY: ByteSize = ByteSize::mib(256);

/// Bytes in front of a record: those that follow them, and those of the key.
const NUMBERS: usize = 8;

/// Divisor of the memory that gives the limit for a record in a place that was reserved for it.
const RESERVED_SHARE: u64 = 16;

/// A sort of records that the program pushes one by one and then pulls in order.
///
/// A record is a key and a payload, both any bytes. Records are ordered by the bytes of their keys,
/// compared as unsigned numbers; records with equal keys stay in the order in which they were
/// pushed. The payload does not take part in the order.
///
/// ```
/// use sortwell::{ByteSize, Sorter};
///
/// let mut sorter = Sorter::new();
/// sorter.memory(ByteSize::mib(64));
/// for (name, score) in [("Bob", 7_u32), ("Ann", 30), ("Cid", 7)] {
///     sorter.push(&score.to_be_bytes(), name.as_bytes())?;
/// }
/// let mut sorted = sorter.finish()?;
/// let mut names = Vec::new();
/// while let Some(record) = sorted.next()? {
///     names.push(String::from_utf8_lossy(record.payload).into_owned());
/// }
/// assert_eq!(names, ["Bob", "Cid", "Ann"]);
/// assert_eq!(sorted.close()?.records, 3);
/// # Ok::<(), sortwell::Error>(())
/// ```
///
/// The memory is that of this sorter, not of the process, and is taken as it is needed. Records
/// that do not fit are written to temporary files. Dropping the sorter, or the [`Sorted`] that it
/// becomes, stops the sort and removes the files. One thread at a time uses a sorter; it may be
/// sent to another. A process that `fork` makes must not use the sorters of its parent, as it has
/// none of their threads. Options come first: an option that is set after a record was pushed is an
/// error of the next call.
#[derive(Debug)]
pub struct Sorter {
    blocks: BlockSort,
    /// True if a record was pushed.
    has_records: bool,
    key: WrittenKey,
    /// True if an option was set after a record was pushed.
    has_late_option: bool,
    /// The ends of the pushers, if there are some.
    pushers: Vec<PusherEnd>,
}

/// Place for a record in a [`Sorter`], to be filled in.
///
/// ```
/// use sortwell::Sorter;
///
/// let mut sorter = Sorter::new();
/// let place = sorter.reserve(4, 2)?;
/// place.key.copy_from_slice(&7_u32.to_be_bytes());
/// place.payload.copy_from_slice(b"ok");
/// assert_eq!(sorter.finish()?.close()?.records, 1);
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct Reserved<'s> {
    /// The bytes of the key, all zero.
    pub key: &'s mut [u8],
    /// The bytes of the payload, all zero.
    pub payload: &'s mut [u8],
}

impl Default for Sorter {
    fn default() -> Self {
        Self::new()
    }
}

impl Sorter {
    /// Returns a sorter with 256 MiB of memory and a thread for each processor.
    pub fn new() -> Self {
        let nowhere = Output::Stdout; // replaced before the job runs
        let mut job = job::SortJob::new(Vec::new(), nowhere, Format::KEYED);
        job.memory = Budget::Bytes(MEMORY);
        let blocks = BlockSort::new(job, Arc::default());
        let (key, pushers) = (WrittenKey::default(), Vec::new());
        Self { blocks, has_records: false, key, has_late_option: false, pushers }
    }

    /// Returns the job, for an option to be set.
    fn options(&mut self) -> &mut job::SortJob {
        self.has_late_option |= self.has_records || !self.pushers.is_empty();
        self.blocks.job()
    }

    /// Sets the memory of this sorter. Default: 256 MiB.
    pub fn memory(&mut self, memory: ByteSize) -> &mut Self {
        self.options().memory = Budget::Bytes(memory);
        self
    }

    /// Sets the number of worker threads. Default: one for each processor.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.options().threads = Some(threads.max(1));
        self
    }

    /// Adds a directory for temporary files; several share the load. Default: the directory for
    /// temporary files of the system.
    pub fn temp(&mut self, directory: impl Into<PathBuf>) -> &mut Self {
        self.options().temp.push(directory.into());
        self
    }

    /// Keeps one of the records whose keys are equal. Default: all are kept.
    pub fn unique(&mut self, unique: Unique) -> &mut Self {
        self.options().select.unique = Some(unique);
        self
    }

    /// Returns at most this number of records, the first in order. Default: all.
    pub fn limit(&mut self, records: u64) -> &mut Self {
        self.options().select.limit = Some(records);
        self
    }

    /// Orders records by a function of two keys, for orders that no bytes of a key express.
    ///
    /// This is slow: each record is compared with others a dozen times and more, and several
    /// threads call the function at the same time. Where it is possible, write a key that compares
    /// as bytes ([`push_by`](Self::push_by)). If the function panics, the sort fails. If it is no
    /// total order, the records come out in no certain order, or the sort fails.
    ///
    /// ```
    /// use sortwell::Sorter;
    ///
    /// let mut sorter = Sorter::new();
    /// sorter.by_comparison(|a, b| a.len().cmp(&b.len()));
    /// for word in ["three", "to", "four"] {
    ///     sorter.push(word.as_bytes(), b"")?;
    /// }
    /// let mut sorted = sorter.finish()?;
    /// assert_eq!(sorted.next()?.map(|record| record.key), Some(&b"to"[..]));
    /// # Ok::<(), sortwell::Error>(())
    /// ```
    pub fn by_comparison(
        &mut self,
        compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
    ) -> &mut Self {
        self.by_prefix(|_| 0, compare)
    }

    /// Orders records by a number of each key, and by a function of two keys if their numbers are
    /// equal. It is faster than [`by_comparison`](Self::by_comparison) by as much as the numbers
    /// tell keys apart.
    pub fn by_prefix(
        &mut self,
        prefix: impl Fn(&[u8]) -> u64 + Send + Sync + 'static,
        compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
    ) -> &mut Self {
        self.options().order.comparison = Some(order_by(prefix, compare));
        self
    }

    /// Sets whether the result is proven to hold the records that were pushed, in order. Default:
    /// true.
    pub fn verify(&mut self, verify: bool) -> &mut Self {
        self.options().verify = verify;
        self
    }

    /// Returns the progress of the sort. Any thread may watch it, and stop the sort through it.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(self.blocks.progress())
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause, as soon as the sort has found it. After an
    /// error of the sort, all calls fail.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.check_pushing()?;
        self.has_records = true;
        self.blocks.push_keyed(key, payload)
    }

    /// Adds a record whose key `write` writes.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push), and [`Error::Malformed`] for a record that has no key. It is
    /// not added then.
    pub fn push_by(
        &mut self,
        write: impl for<'k, 'w> FnOnce(&'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
        payload: &[u8],
    ) -> Result<()> {
        let mut key = std::mem::take(&mut self.key);
        let pushed = key.by(write).and_then(|key| self.push(key, payload));
        self.key = key;
        pushed
    }

    /// Adds a record of these lengths, whose bytes the caller fills in. They are zero until then.
    /// They are in memory as a whole, apart from the memory of the sort, so that a record of more
    /// than 1 MiB may have a sixteenth of the sorter's memory. [`push`](Self::push) takes longer
    /// records.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push), and [`Error::BudgetExceeded`] for a record that is too long.
    pub fn reserve(&mut self, key_length: usize, payload_length: usize) -> Result<Reserved<'_>> {
        self.check_pushing()?;
        let numbers = numbers_of(key_length, payload_length)?;
        self.check_reserved(NUMBERS + key_length + payload_length)?;
        self.has_records = true;
        let block = self.blocks.room(NUMBERS + key_length + payload_length)?;
        block.extend_from_slice(&numbers);
        let start = block.len();
        block.resize(start + key_length + payload_length, 0);
        let (key, payload) = block[start..].split_at_mut(key_length);
        Ok(Reserved { key, payload })
    }

    /// Checks that memory has room for a record of `length` bytes apart from the sort.
    fn check_reserved(&mut self, length: usize) -> Result<()> {
        let Budget::Bytes(memory) = self.blocks.job().memory else { return Ok(()) };
        if length <= BLOCK_BYTES || length as u64 <= memory.bytes() / RESERVED_SHARE {
            return Ok(());
        }
        let least = (length as u64).saturating_mul(RESERVED_SHARE).next_multiple_of(1 << 20);
        let least = ByteSize(least);
        let message = format!(
            "a place for a record of {} takes too much of {memory} of memory; give at least \
             {least}, or push the record",
            ByteSize(length as u64),
        );
        let (path, message) = (PathBuf::from(PUSHED_RECORDS), message.into());
        Err(Error::BudgetExceeded { path, message, least: Some(least) })
    }

    /// Checks that records can still be taken.
    fn check(&self) -> Result<()> {
        if self.has_late_option {
            return Err(Error::config(
                ConfigErrorKind::Other,
                "an option of a sorter was set after a record was pushed, or after pushers were \
                 made; set options first",
            ));
        }
        self.blocks.check()
    }

    /// Checks that records can still be pushed to this sorter itself.
    fn check_pushing(&self) -> Result<()> {
        self.check()?;
        if !self.pushers.is_empty() {
            return Err(Error::config(
                ConfigErrorKind::Other,
                "a sorter that has pushers takes records through them alone",
            ));
        }
        Ok(())
    }

    /// Returns ends of the sort for `count` threads, which push their records at the same time.
    /// Each takes an equal part of three quarters of the memory; the merge of them takes the rest.
    /// Records are pushed through them alone then, and [`finish`](Self::finish) comes after all of
    /// them are finished.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] after a record was pushed, if pushers exist already, and with
    /// [`Unique::Last`] or [`Unique::Error`].
    pub fn pushers(&mut self, count: usize) -> Result<Vec<Pusher>> {
        self.check()?;
        if self.has_records || !self.pushers.is_empty() {
            return Err(Error::config(
                ConfigErrorKind::Other,
                "a sorter makes pushers once, and before the first record is pushed",
            ));
        }
        let job = self.blocks.job();
        if matches!(job.select.unique, Some(Unique::Last | Unique::Error)) {
            return Err(Error::config(
                ConfigErrorKind::Other,
                "a sorter with pushers keeps the first of equal records and no other; use \
                 Unique::First, or push by one thread",
            ));
        }
        let Budget::Bytes(memory) = job.memory else { return Err(Error::Interrupted) };
        let mut part = job.clone();
        let shared = SharedMemory { count: count.max(1) as u64 };
        part.memory = Budget::Bytes(shared.of_each(memory));
        let threads = part.threads.or_else(|| thread::available_parallelism().ok().map(Into::into));
        part.threads = Some((threads.unwrap_or(1) / count.max(1)).max(1));
        self.pushers = (0..count).map(|_| PusherEnd::default()).collect();
        let progress = self.blocks.progress();
        let is_lost = Arc::default();
        let pusher = |end: &PusherEnd| {
            let blocks = BlockSort::new(part.clone(), Arc::clone(progress));
            let lost = LostPusher::new(&is_lost);
            Pusher::new(Self { blocks, ..Self::new() }, Arc::clone(end), shared, lost)
        };
        Ok(self.pushers.iter().map(pusher).collect())
    }

    /// Returns a sorter that writes sorted runs into a directory and does not merge them. A
    /// [`KeyedMerge`] merges them later, also in another process. It needs the functions of
    /// [`by_comparison`](Self::by_comparison) and [`by_prefix`](Self::by_prefix) again. Options of
    /// the result (`unique`, `limit`) apply to each run. No record may have been pushed yet, or the
    /// first call of the spiller is an error. Runs get names that are free in the directory.
    pub fn spill_to(self, directory: impl AsRef<Path>) -> Spiller {
        let pushed = self.has_records.then(|| {
            Error::config(
                ConfigErrorKind::Other,
                "records were pushed before the sorter was asked to spill; call spill_to first",
            )
        });
        let refusal = self.check_pushing().err().or(pushed);
        let Self { mut blocks, .. } = self;
        let progress = Arc::clone(blocks.progress());
        Spiller::new(blocks.job().clone(), progress, directory.as_ref()).refusing(refusal)
    }

    /// Ends the input, and returns the records in order. What was pushed is sorted now, as far as
    /// that did not happen before.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause.
    pub fn finish(mut self) -> Result<Sorted> {
        self.check()?;
        if self.pushers.is_empty() {
            let comparison = self.blocks.job().order.comparison.clone();
            return self.blocks.finish().map(|blocks| Sorted::new(blocks, comparison));
        }
        let progress = Arc::clone(self.blocks.progress());
        let job = self.blocks.job();
        let Budget::Bytes(memory) = job.memory else { return Err(Error::Interrupted) };
        let is_selected = !job.select.is_all();
        let shared = SharedMemory { count: self.pushers.len() as u64 };
        let mut merge = KeyedMerge::of_pushers(job, progress, shared);
        merge.memory(SharedMemory::of_merge(memory));
        let (mut records, mut longest) = (0, Vec::new());
        for end in &self.pushers {
            let sort = end.lock().unwrap_or_else(PoisonError::into_inner).take();
            let sort = sort.ok_or_else(pusher::not_finished)?;
            records += sort.records;
            longest.push(sort.longest_bytes);
            merge.blocks(sort.blocks);
        }
        merge.expect_long_records(&longest);
        Ok(merge.finish()?.of_pushers(PushedTotal { records, memory, is_selected }))
    }
}

/// Returns the numbers in front of a record.
fn numbers_of(key_length: usize, payload_length: usize) -> Result<[u8; NUMBERS]> {
    let follows = key_length
        .checked_add(payload_length)
        .and_then(|bytes| bytes.checked_add(NUMBERS / 2))
        .and_then(|bytes| u32::try_from(bytes).ok());
    let (Some(follows), Ok(key)) = (follows, u32::try_from(key_length)) else {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            "a record has more than 4 GiB; push shorter records",
        ));
    };
    let numbers = u64::from(key) << u32::BITS | u64::from(follows);
    Ok(numbers.to_le_bytes())
}

/// Appends a record.
fn append_record(out: &mut Vec<u8>, key: &[u8], payload: &[u8]) -> Result<()> {
    out.extend_from_slice(&numbers_of(key.len(), payload.len())?);
    out.extend_from_slice(key);
    out.extend_from_slice(payload);
    Ok(())
}

/// Returns the order by two functions of keys.
fn order_by(
    prefix: impl Fn(&[u8]) -> u64 + Send + Sync + 'static,
    compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
) -> OrderFunction {
    OrderFunction::new(Functions { prefix, compare })
}

/// The functions that order keys.
struct Functions<P, C> {
    prefix: P,
    compare: C,
}

impl<P, C> Compare for Functions<P, C>
where
    P: Fn(&[u8]) -> u64 + Send + Sync,
    C: Fn(&[u8], &[u8]) -> Ordering + Send + Sync,
{
    fn prefix(&self, key: &[u8]) -> u64 {
        (self.prefix)(key)
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        (self.compare)(left, right)
    }
}

#[cfg(test)]
mod tests;
