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

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::{Format, Prefix};
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Extent, Supplied};
use sortwell_engine::job::{self, Budget, Input, Output};
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::key_writer::KeyWriter;
use queue::{BlockQueue, PushedBlocks, SortedBlocks};

/// Bytes of a block: what is pushed is handed over in pieces of this size.
const BLOCK_BYTES: usize = 1 << 20;

/// Blocks that wait on either side.
const BLOCKS_MAX: usize = 4;

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
/// that do not fit are written to temporary files, which are removed when the sorter or what it
/// has become is dropped. One thread at a time uses a sorter; it may be sent to another.
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
    running: Option<RunningSort>,
}

/// A sort by a thread of its own.
#[derive(Debug)]
struct RunningSort {
    pushed: Arc<BlockQueue>,
    sorted: Arc<BlockQueue>,
    thread: JoinHandle<Result<Statistics>>,
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
        Self { job, progress: Arc::default(), block, records: 0, key, running: None }
    }

    /// Sets the memory of this sorter. Default: 256 MiB. It has an effect before the first megabyte
    /// was pushed.
    pub fn memory(&mut self, memory: ByteSize) -> &mut Self {
        self.job.memory = Budget::Bytes(memory);
        self
    }

    /// Sets the number of worker threads. Default: one for each processor.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.job.threads = Some(threads.max(1));
        self
    }

    /// Adds a directory for temporary files; several share the load. Default: the directory for
    /// temporary files of the system.
    pub fn temp(&mut self, directory: impl Into<PathBuf>) -> &mut Self {
        self.job.temp.push(directory.into());
        self
    }

    /// Keeps one of the records whose keys are equal. Default: all are kept.
    pub fn unique(&mut self, unique: Unique) -> &mut Self {
        self.job.select.unique = Some(unique);
        self
    }

    /// Returns at most this number of records, the first in order. Default: all.
    pub fn limit(&mut self, records: u64) -> &mut Self {
        self.job.select.limit = Some(records);
        self
    }

    /// Sets whether the result is proven to hold the records that were pushed, in order. Default:
    /// true.
    pub fn verify(&mut self, verify: bool) -> &mut Self {
        self.job.verify = verify;
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
    /// error the sorter is of no further use.
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

    /// Makes room for a record, and writes the numbers in front of it.
    fn begin(&mut self, key_length: usize, payload_length: usize) -> Result<()> {
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
        let running = match self.running.take() {
            Some(running) => running,
            None => RunningSort::start(&self.job, &self.progress)?,
        };
        let block = std::mem::take(&mut self.block);
        if running.pushed.put(block, &self.progress).is_err() {
            return Err(running.failure());
        }
        self.block = running.pushed.empty_block();
        self.running = Some(running);
        Ok(())
    }

    /// Ends the input, and returns the records in order. What was pushed is sorted now, as far as
    /// that did not happen before.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause.
    pub fn finish(mut self) -> Result<Sorted> {
        let end = match self.running {
            None => SortedEnd::Done(Box::new(self.sort_alone()?)),
            Some(_) => {
                if !self.block.is_empty() {
                    self.hand_over()?;
                }
                let Some(running) = self.running.take() else { unreachable!("put back") };
                running.pushed.finish();
                SortedEnd::Running(running)
            }
        };
        let block = std::mem::take(&mut self.block);
        let progress = Arc::clone(&self.progress);
        Ok(Sorted { progress, end: Some(end), block, at: 0, joined: Vec::new() })
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

/// Returns `job` between two queues.
fn with_ends(
    job: &job::SortJob,
    pushed: &Arc<BlockQueue>,
    sorted: &Arc<BlockQueue>,
    extent: Option<Extent>,
) -> job::SortJob {
    let blocks = PushedBlocks::new(Arc::clone(pushed));
    let mut supplied = Supplied::new(Path::new("the records that were pushed"), blocks);
    if let Some(extent) = extent {
        supplied = supplied.with_extent(extent);
    }
    let outlet = Outlet::inlet(Arc::new(SortedBlocks(Arc::clone(sorted))));
    let (inputs, output) = (vec![Input::Supplied(supplied)], Output::Pipe(outlet));
    job::SortJob { inputs, output, ..job.clone() }
}

impl RunningSort {
    fn start(job: &job::SortJob, progress: &Arc<Progress>) -> Result<Self> {
        let (pushed, sorted) = (BlockQueue::new(BLOCKS_MAX), BlockQueue::new(BLOCKS_MAX));
        let job = with_ends(job, &pushed, &sorted, None);
        let (progress, end) = (Arc::clone(progress), Arc::clone(&sorted));
        let sort = move || {
            let result = job.run(&progress);
            match result {
                Ok(_) => end.finish(),
                Err(_) => end.abandon(),
            }
            result
        };
        let thread = std::thread::Builder::new().name("sortwell".to_owned()).spawn(sort);
        let thread = thread.map_err(|e| Error::io("start a thread for", Path::new("a sort"), e))?;
        Ok(Self { pushed, sorted, thread })
    }

    /// Waits for the end of the sort.
    fn join(self) -> Result<Statistics> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Returns the error of a sort that takes no more blocks.
    fn failure(self) -> Error {
        self.join().err().unwrap_or(Error::Interrupted)
    }

    /// Stops the sort, and waits until its files are gone.
    fn stop(self, progress: &Progress) {
        progress.request_stop();
        self.pushed.abandon();
        self.sorted.abandon();
        drop(self.thread.join());
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop(&self.progress);
        }
    }
}

/// A record of a [`Sorter`].
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

/// The records of a [`Sorter`] in order.
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

#[derive(Debug)]
enum SortedEnd {
    Running(RunningSort),
    /// All blocks were taken.
    Done(Box<Statistics>),
}

impl Sorted {
    /// Returns the next record; `None` after the last one. The order and the number of records are
    /// proven by then, unless [`Sorter::verify`] was set to false.
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

#[cfg(test)]
mod tests;
