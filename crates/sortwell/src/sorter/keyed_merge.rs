//! A merge of sources that are sorted already.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as AtomicOrdering};

use sortwell_engine::ByteSize;
use sortwell_engine::format::Format;
use sortwell_engine::io::{Supplied, Supply};
use sortwell_engine::job::{self, Budget, Input, Output};
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use super::block_sort::BlocksInOrder;
use super::pusher::SharedMemory;
use super::spiller::RunFile;
use super::{MEMORY, Sorted, append_record, order_by};

/// A merge of sorted sources: run files of [`Sorter::spill_to`](super::Sorter::spill_to), and
/// records that the program gives. Of records with equal keys, those of earlier sources come first.
///
/// ```
/// use sortwell::KeyedMerge;
///
/// let mut merge = KeyedMerge::new();
/// merge.source([(b"a", b"1"), (b"c", b"2")].map(Ok));
/// merge.source([(b"b", b"3"), (b"c", b"4")].map(Ok));
/// let mut sorted = merge.finish()?;
/// let mut payloads = Vec::new();
/// while let Some(record) = sorted.next()? {
///     payloads.extend_from_slice(record.payload);
/// }
/// assert_eq!(payloads, b"1324");
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct KeyedMerge {
    job: job::MergeJob,
    progress: Arc<Progress>,
    /// Division of the memory that the merge has a part of, if it merges what was pushed.
    shared: Option<SharedMemory>,
    /// Bytes of windows and copies for the longest records of the pushers.
    long_bytes: u64,
    /// True once the sort of a pusher has failed.
    has_failed: Arc<AtomicBool>,
}

impl Default for KeyedMerge {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyedMerge {
    /// Returns a merge without sources, with 256 MiB of memory and a thread for each processor.
    pub fn new() -> Self {
        let nowhere = Output::Stdout; // replaced before the job runs
        let mut job = job::MergeJob::new(Vec::new(), nowhere, Format::KEYED);
        (job.memory, job.check) = (Budget::Bytes(MEMORY), true);
        let (progress, has_failed) = Default::default();
        Self { job, progress, shared: None, long_bytes: 0, has_failed }
    }

    /// Returns the merge of the pushers of a sort, with its options.
    pub(super) fn of_pushers(
        sort: &job::SortJob,
        progress: Arc<Progress>,
        shared: SharedMemory,
    ) -> Self {
        let mut merge = Self { progress, shared: Some(shared), ..Self::new() };
        merge.job.threads = sort.threads;
        merge.job.temp.clone_from(&sort.temp);
        merge.job.verify = sort.verify;
        merge.job.order = sort.order.clone();
        merge.job.select.unique = sort.select.unique.map(|_| Unique::First);
        merge.job.select.limit = sort.select.limit;
        merge
    }

    /// Sets the memory of this merge. Default: 256 MiB.
    pub fn memory(&mut self, memory: ByteSize) -> &mut Self {
        self.job.memory = Budget::Bytes(memory);
        self
    }

    /// Sets the number of worker threads, of which a merge of runs uses several. Default: one for
    /// each processor.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.job.threads = Some(threads.max(1));
        self
    }

    /// Adds a directory for temporary files, which a merge of very many sources needs. Default: the
    /// directory for temporary files of the system.
    pub fn temp(&mut self, directory: impl Into<PathBuf>) -> &mut Self {
        self.job.temp.push(directory.into());
        self
    }

    /// Sets whether only the first of the records with equal keys is kept. Default: false.
    pub fn unique(&mut self, unique: bool) -> &mut Self {
        self.job.select.unique = unique.then_some(Unique::First);
        self
    }

    /// Returns at most this number of records, the first in order. Default: all.
    pub fn limit(&mut self, records: u64) -> &mut Self {
        self.job.select.limit = Some(records);
        self
    }

    /// Sets whether the result is proven to hold the records of all sources, in order. Default:
    /// true. Sources that are not in order are found in any case.
    pub fn verify(&mut self, verify: bool) -> &mut Self {
        self.job.verify = verify;
        self
    }

    /// Orders records by a function of two keys, as
    /// [`Sorter::by_comparison`](super::Sorter::by_comparison) does. The sources are in this order;
    /// for runs, it is the function of the sorter that made them.
    ///
    /// ```
    /// use sortwell::{KeyedMerge, Sorter};
    ///
    /// let folder = tempfile::tempdir().expect("a folder");
    /// let descending = |a: &[u8], b: &[u8]| b.cmp(a);
    /// let mut sorter = Sorter::new();
    /// sorter.by_comparison(descending);
    /// let mut spiller = sorter.spill_to(folder.path());
    /// for key in [b"a", b"c", b"b"] {
    ///     spiller.push(key, b"")?;
    /// }
    /// let mut merge = KeyedMerge::new();
    /// merge.by_comparison(descending);
    /// for run in spiller.finish()? {
    ///     merge.run(&run);
    /// }
    /// let mut sorted = merge.finish()?;
    /// assert_eq!(sorted.next()?.map(|record| record.key), Some(&b"c"[..]));
    /// # Ok::<(), sortwell::Error>(())
    /// ```
    pub fn by_comparison(
        &mut self,
        compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
    ) -> &mut Self {
        self.by_prefix(|_| 0, compare)
    }

    /// Orders records by a number of each key, and by a function of two keys if their numbers are
    /// equal, as [`Sorter::by_prefix`](super::Sorter::by_prefix) does.
    pub fn by_prefix(
        &mut self,
        prefix: impl Fn(&[u8]) -> u64 + Send + Sync + 'static,
        compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
    ) -> &mut Self {
        self.job.order.comparison = Some(order_by(prefix, compare));
        self
    }

    /// Returns the progress of the merge. Any thread may watch it, and stop the merge through it.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Adds a run. The file stays as it is. If it does not have the number of records that it was
    /// made with, the merge fails at its end with [`Error::Malformed`].
    pub fn run(&mut self, run: &RunFile) -> &mut Self {
        self.job.input_records.resize(self.job.inputs.len(), None);
        self.job.input_records.push(Some(run.records));
        self.job.inputs.push(Input::File(run.path.clone()));
        self
    }

    /// Adds a source of keys and payloads, in the order of the merge: ascending by the bytes of
    /// their keys, unless a function orders them. It is asked for them by a
    /// thread of the merge. Its first error ends the merge with that error.
    pub fn source<K, P, I>(&mut self, records: I) -> &mut Self
    where
        K: AsRef<[u8]>,
        P: AsRef<[u8]>,
        I: IntoIterator<Item = Result<(K, P)>>,
        I::IntoIter: Send + 'static,
    {
        let records =
            SourceRecords { records: records.into_iter().fuse(), bytes: Vec::new(), at: 0 };
        self.supply(records)
    }

    /// Adds the records of a sort.
    pub(super) fn blocks(&mut self, blocks: BlocksInOrder) -> &mut Self {
        let (shared, has_failed) = (self.shared, Arc::clone(&self.has_failed));
        self.supply(SortedSource { blocks, at: 0, shared, has_failed })
    }

    /// Sets the bytes of the longest record of each sort.
    pub(super) fn expect_long_records(&mut self, longest: &[u64]) {
        let most = longest.iter().copied().max().unwrap_or(0);
        self.long_bytes = longest.iter().sum::<u64>() + 2 * most;
    }

    fn supply(&mut self, supply: impl Supply + 'static) -> &mut Self {
        let name = format!("source {}", self.job.inputs.len() + 1);
        self.job.inputs.push(Input::Supplied(Supplied::new(Path::new(&name), supply)));
        self
    }

    /// Begins the merge, and returns its records.
    ///
    /// # Errors
    ///
    /// [`Error`] if no thread can be started. Wrong options, unsorted sources and faults of disks
    /// are errors of the first calls of [`Sorted::next`].
    pub fn finish(self) -> Result<Sorted> {
        let Self { job, progress, shared, long_bytes, has_failed } = self;
        let comparison = job.order.comparison.clone();
        // The error of a pusher's sort names the memory of the sorter already.
        let named = move |error: Error| match shared {
            Some(shared) if !has_failed.load(AtomicOrdering::Relaxed) => {
                shared.of_sorter_by_merge(error, long_bytes)
            }
            _ => error,
        };
        Ok(Sorted::new(BlocksInOrder::merged_with(job, progress, named)?, comparison))
    }
}

/// Keys and payloads of the program, as a stream of keyed records.
struct SourceRecords<I> {
    records: I,
    /// A record, of which `at` bytes were read.
    bytes: Vec<u8>,
    at: usize,
}

impl<K, P, I> Supply for SourceRecords<I>
where
    K: AsRef<[u8]>,
    P: AsRef<[u8]>,
    I: Iterator<Item = Result<(K, P)>> + Send,
{
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.at == self.bytes.len() {
                if progress.is_stopping() {
                    return Err(Error::Interrupted);
                }
                let Some((key, payload)) = self.records.next().transpose()? else { break };
                self.bytes.clear();
                self.at = 0;
                append_record(&mut self.bytes, key.as_ref(), payload.as_ref())?;
            }
            filled += copied(&self.bytes, &mut self.at, &mut buffer[filled..]);
        }
        Ok(filled)
    }
}

/// The blocks of a sort, as a stream.
struct SortedSource {
    blocks: BlocksInOrder,
    /// Bytes of the block that were read.
    at: usize,
    shared: Option<SharedMemory>,
    /// Set when the sort fails.
    has_failed: Arc<AtomicBool>,
}

impl SortedSource {
    /// Takes the next block. Returns false after the last one.
    fn next_block(&mut self, progress: &Progress) -> Result<bool> {
        self.at = 0;
        let Self { blocks, shared, has_failed, .. } = self;
        let next = blocks.next_block_for(progress).map(|block| block.is_some());
        next.map_err(|error| {
            has_failed.store(true, AtomicOrdering::Relaxed);
            match shared {
                Some(shared) => shared.of_sorter(error),
                None => error,
            }
        })
    }
}

impl Supply for SortedSource {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.at == self.blocks.block().len() && !self.next_block(progress)? {
                break;
            }
            filled += copied(self.blocks.block(), &mut self.at, &mut buffer[filled..]);
        }
        Ok(filled)
    }
}

/// Copies bytes from place `at` on, as many as there are or have room, and returns their number.
fn copied(from: &[u8], at: &mut usize, to: &mut [u8]) -> usize {
    let bytes = to.len().min(from.len() - *at);
    to[..bytes].copy_from_slice(&from[*at..*at + bytes]);
    *at += bytes;
    bytes
}
