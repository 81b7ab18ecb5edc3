//! A sort of records that the program pushes and pulls.
//!
//! ```text
//!   push --> block --> BlockQueue --> SortJob of keyed records --> BlockQueue --> next
//!   caller's thread                   a thread of its own                         caller's thread
//! ```
//!
//! A record that is pushed becomes a keyed record ([`Format::KEYED`]), so that memory, runs, merges
//! and proofs are those of every sort. What fits into one block is sorted by the caller's thread
//! when the last record was pushed; there is no second thread then, and no file.

mod queue;
mod running;
mod sorted;

use std::path::PathBuf;
use std::sync::Arc;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::io::Extent;
use sortwell_engine::job::{self, Budget, Output};
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::key_writer::KeyWriter;
use queue::{BLOCK_BYTES, BlockQueue};
use running::{RunningSort, with_ends};
use sorted::SortedEnd;

pub use sorted::{KeyedRecord, Sorted};

/// Memory of a sorter by default.
const MEMORY: ByteSize = ByteSize::mib(256);

/// Bytes in front of a record: those that follow them, and those of the key.
const NUMBERS: usize = 8;

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
/// sent to another. Options come first: an option that is set after a record was pushed is an error
/// of the next call.
#[derive(Debug)]
pub struct Sorter {
    job: job::SortJob,
    progress: Arc<Progress>,
    /// Records that have not been handed over.
    block: Vec<u8>,
    /// Records that were pushed.
    records: u64,
    /// Memory of the key that is written next.
    key: Vec<u8>,
    /// True if an option was set after a record was pushed.
    has_late_option: bool,
    state: SorterState,
}

/// State of a sorter.
#[derive(Debug)]
enum SorterState {
    /// All records are in the block.
    Begun,
    /// Records were handed over.
    Running(RunningSort),
    /// The sort has failed; records that were pushed are lost.
    Failed,
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
        let (block, key) = (Vec::new(), Vec::new());
        let (progress, state) = (Arc::default(), SorterState::Begun);
        Self { job, progress, block, records: 0, key, has_late_option: false, state }
    }

    /// Returns the job, for an option to be set.
    fn options(&mut self) -> &mut job::SortJob {
        self.has_late_option |= self.records > 0;
        &mut self.job
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

    /// Sets whether the result is proven to hold the records that were pushed, in order. Default:
    /// true.
    pub fn verify(&mut self, verify: bool) -> &mut Self {
        self.options().verify = verify;
        self
    }

    /// Returns the progress of the sort. Any thread may watch it, and stop the sort through it.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause, as soon as the sort has found it. After an
    /// error of the sort, all calls fail.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.begin(key.len(), payload.len())?;
        self.block.extend_from_slice(key);
        self.block.extend_from_slice(payload);
        Ok(())
    }

    /// Adds a record whose key `write` writes.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn push_by(
        &mut self,
        write: impl for<'k, 'w> FnOnce(&'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
        payload: &[u8],
    ) -> Result<()> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        write(&mut KeyWriter::new(&mut key));
        let pushed = self.push(&key, payload);
        self.key = key;
        pushed
    }

    /// Adds a record of these lengths, whose bytes the caller fills in. They are zero until then.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn reserve(&mut self, key_length: usize, payload_length: usize) -> Result<Reserved<'_>> {
        self.begin(key_length, payload_length)?;
        let start = self.block.len();
        self.block.resize(start + key_length + payload_length, 0);
        let (key, payload) = self.block[start..].split_at_mut(key_length);
        Ok(Reserved { key, payload })
    }

    /// Checks that records can still be taken.
    fn check(&self) -> Result<()> {
        if self.has_late_option {
            return Err(Error::config(
                ConfigErrorKind::Other,
                "an option of a sorter was set after a record was pushed; set options first",
            ));
        }
        match self.state {
            SorterState::Failed => Err(Error::Interrupted),
            SorterState::Begun | SorterState::Running(_) => Ok(()),
        }
    }

    /// Makes room for a record, and writes the numbers in front of it.
    fn begin(&mut self, key_length: usize, payload_length: usize) -> Result<()> {
        self.check()?;
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
        let length = follows as usize + NUMBERS / 2;
        if !self.block.is_empty() && self.block.len() + length > BLOCK_BYTES {
            self.hand_over()?;
        }
        self.block.extend_from_slice(&follows.to_le_bytes());
        self.block.extend_from_slice(&key.to_le_bytes());
        self.records += 1;
        Ok(())
    }

    /// Hands the block to the sort, which is started for the first one.
    fn hand_over(&mut self) -> Result<()> {
        let running = match std::mem::replace(&mut self.state, SorterState::Failed) {
            SorterState::Begun => RunningSort::start(&self.job, &self.progress)?,
            SorterState::Running(running) => running,
            SorterState::Failed => return Err(Error::Interrupted),
        };
        let block = std::mem::take(&mut self.block);
        if running.pushed.put(block, &self.progress).is_err() {
            return Err(running.failure());
        }
        self.block = running.pushed.empty_block();
        self.state = SorterState::Running(running);
        Ok(())
    }

    /// Ends the input, and returns the records in order. What was pushed is sorted now, as far as
    /// that did not happen before.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause.
    pub fn finish(mut self) -> Result<Sorted> {
        self.check()?;
        if matches!(self.state, SorterState::Running(_)) && !self.block.is_empty() {
            self.hand_over()?;
        }
        let end = match std::mem::replace(&mut self.state, SorterState::Failed) {
            SorterState::Running(running) => {
                running.pushed.finish();
                SortedEnd::Running(running)
            }
            SorterState::Begun | SorterState::Failed => {
                SortedEnd::Done(Box::new(self.sort_alone()?))
            }
        };
        let block = std::mem::take(&mut self.block);
        let progress = Arc::clone(&self.progress);
        Ok(Sorted::new(progress, end, block))
    }

    /// Sorts the only block by this thread.
    fn sort_alone(&mut self) -> Result<Statistics> {
        let (pushed, sorted) = (BlockQueue::new(1), BlockQueue::new(usize::MAX));
        let extent = Extent { bytes: self.block.len() as u64, records: self.records };
        pushed.put(std::mem::take(&mut self.block), &self.progress)?;
        pushed.finish();
        let mut job = with_ends(&self.job, &pushed, &sorted, Some(extent));
        job.threads = Some(1);
        let statistics = job.run(&self.progress)?;
        sorted.finish();
        while let Some(block) = sorted.take(Vec::new(), &self.progress)? {
            self.block.extend_from_slice(&block);
        }
        Ok(statistics)
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        if let SorterState::Running(running) =
            std::mem::replace(&mut self.state, SorterState::Failed)
        {
            running.stop(&self.progress);
        }
    }
}

#[cfg(test)]
mod tests;
