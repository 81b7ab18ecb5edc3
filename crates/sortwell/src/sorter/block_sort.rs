//! A sort of blocks of bytes: records of any format, pushed and pulled.
//!
//! ```text
//!   push --> block --> BlockQueue --> SortJob --> BlockQueue --> next_block
//!        '-- a long piece, lent ---'
//!   caller's thread                   a thread of its own       caller's thread
//! ```
//!
//! The caller's thread sorts what fits into one block, after the last record was pushed. There is
//! no second thread then, and no file.

use std::ops::Range;
#[cfg(feature = "unstable")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use sortwell_engine::io::Extent;
use sortwell_engine::job::{self, Output};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

#[cfg(feature = "unstable")]
pub use super::in_order::RecordsInOrder;
pub use super::queue::TakenBlock;
use super::queue::{BLOCK_BYTES, BlockQueue};
use super::running::{RunningJob, SORTED_MAX, sorted_blocks, with_ends};
#[cfg(feature = "unstable")]
use super::spiller::Spiller;
use super::{NUMBERS, append_record, numbers_of};

/// Least bytes that are lent to the sort, which copies them without a block between. The caller
/// waits for that, and shorter pieces are not worth it: with a load of three on two cores, pieces
/// of 256 KiB took 1.4 to 2.4 times as long as in blocks, by medians, and those of 4 MiB half as
/// long.
const LENT_LEAST: usize = 4 << 20;

/// Returns a sorter by `job`, which is for keyed records, that writes runs into a directory.
#[cfg(feature = "unstable")]
pub fn spiller(job: job::SortJob, progress: Arc<Progress>, directory: &Path) -> Spiller {
    Spiller::new(job, progress, directory)
}

/// A sort of bytes that are pushed.
#[derive(Debug)]
pub struct BlockSort {
    job: job::SortJob,
    progress: Arc<Progress>,
    /// Bytes that have not been handed over.
    block: Vec<u8>,
    /// The file that the sorted bytes are written to, instead of being pulled.
    file: Option<PathBuf>,
    state: BlockSortState,
}

/// State of a sort of blocks.
#[derive(Debug)]
enum BlockSortState {
    /// All bytes are in the block.
    Begun,
    /// Bytes were handed over.
    Running(RunningJob),
    /// The sort has failed; records that were pushed are lost.
    Failed,
}

impl BlockSort {
    /// Returns a sort by `job`, whose inputs and output are replaced by what is pushed and pulled.
    /// It has no thread, no file and no memory yet.
    pub fn new(job: job::SortJob, progress: Arc<Progress>) -> Self {
        let state = BlockSortState::Begun;
        Self { job, progress, block: Vec::new(), file: None, state }
    }

    /// Returns a sort by `job` whose bytes are written to `file`.
    pub fn to_file(job: job::SortJob, progress: Arc<Progress>, file: PathBuf) -> Self {
        let mut sort = Self::new(job, progress);
        sort.file = Some(file);
        sort
    }

    /// Returns the job. Options that are set after bytes were pushed may be without effect.
    pub const fn job(&mut self) -> &mut job::SortJob {
        &mut self.job
    }

    /// Returns the progress of the sort.
    pub const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Checks that bytes can still be taken.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] after a stop, and after the sort has failed.
    pub fn check(&self) -> Result<()> {
        match self.state {
            BlockSortState::Begun | BlockSortState::Running(_) if !self.progress.is_stopping() => {
                Ok(())
            }
            _ => Err(Error::Interrupted),
        }
    }

    /// Adds bytes: whole records, or parts of them that later bytes complete.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause, as soon as the sort has found it. After an
    /// error of the sort, all calls fail.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.block.len() + bytes.len() <= BLOCK_BYTES {
            self.block.extend_from_slice(bytes);
            return Ok(());
        }
        self.push_records(1, bytes.len(), |range, to| to.copy_from_slice(&bytes[range]))
    }

    /// Adds `count` records of `length` bytes. `write` writes those of a range to a place of their
    /// length, whose bytes are any before. It is called for ranges in order. If the records are
    /// many, a thread of the sort calls it, for places in the memory of the sort itself.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn push_records(
        &mut self,
        length: usize,
        count: usize,
        mut write: impl FnMut(Range<usize>, &mut [u8]) + Send,
    ) -> Result<()> {
        if count * length < LENT_LEAST {
            return self.copy_records(length, count, &mut write);
        }
        self.check()?;
        if matches!(self.state, BlockSortState::Begun) || !self.block.is_empty() {
            self.hand_over()?;
        }
        let BlockSortState::Running(running) = &self.state else { return Err(Error::Interrupted) };
        let mut pieces = RecordPieces { length, count, next: 0, begun: Vec::new() };
        let mut source = |place: &mut [u8]| pieces.fill(place, &mut write);
        match running.pushed.put_all(&mut source, &self.progress) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure()),
        }
    }

    /// Copies records to blocks.
    fn copy_records(
        &mut self,
        length: usize,
        count: usize,
        write: &mut impl FnMut(Range<usize>, &mut [u8]),
    ) -> Result<()> {
        self.check()?;
        let mut next = 0;
        while next < count {
            let block = self.room(length)?;
            let start = block.len();
            let fit = (BLOCK_BYTES.saturating_sub(start) / length).clamp(1, count - next);
            block.resize(start + fit * length, 0);
            write(next..next + fit, &mut block[start..]);
            next += fit;
        }
        Ok(())
    }

    /// Returns the error of the sort, which takes no more bytes.
    fn failure(&mut self) -> Error {
        match std::mem::replace(&mut self.state, BlockSortState::Failed) {
            BlockSortState::Running(running) => running.failure(),
            BlockSortState::Begun | BlockSortState::Failed => Error::Interrupted,
        }
    }

    /// Adds a record of the format `keyed`.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn push_keyed(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        let bytes = NUMBERS + key.len() + payload.len();
        if bytes <= BLOCK_BYTES {
            return append_record(self.room(bytes)?, key, payload);
        }
        // Parts of a long record are passed on, so that no block is as long.
        let numbers = numbers_of(key.len(), payload.len())?;
        [&numbers, key, payload].into_iter().try_for_each(|part| self.push(part))
    }

    /// Returns a block with room for a record of this many bytes, which the caller appends.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn room(&mut self, bytes: usize) -> Result<&mut Vec<u8>> {
        self.check()?;
        if !self.block.is_empty() && self.block.len() + bytes > BLOCK_BYTES {
            self.hand_over()?;
        }
        Ok(&mut self.block)
    }

    /// Hands the block to the sort, which is started for the first one.
    fn hand_over(&mut self) -> Result<()> {
        if matches!(self.state, BlockSortState::Begun) {
            self.state = BlockSortState::Failed;
            let running = RunningJob::start_sort(&self.job, self.file.as_ref(), &self.progress)?;
            self.state = BlockSortState::Running(running);
        }
        let BlockSortState::Running(running) = &self.state else { return Err(Error::Interrupted) };
        let block = std::mem::take(&mut self.block);
        if !block.is_empty() && running.pushed.put(block, &self.progress).is_err() {
            return Err(self.failure());
        }
        self.block = running.pushed.empty_block();
        // A block that grew by doubling could take the memory of two.
        self.block.reserve_exact(BLOCK_BYTES);
        Ok(())
    }

    /// Ends the input, and returns the bytes in order. What was pushed is sorted now, as far as
    /// that did not happen before.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause.
    pub fn finish(mut self) -> Result<BlocksInOrder> {
        self.check()?;
        if matches!(self.state, BlockSortState::Running(_)) && !self.block.is_empty() {
            self.hand_over()?;
        }
        let progress = Arc::clone(&self.progress);
        match std::mem::replace(&mut self.state, BlockSortState::Failed) {
            BlockSortState::Running(running) => {
                running.pushed.finish();
                Ok(BlocksInOrder::running(progress, running))
            }
            BlockSortState::Begun | BlockSortState::Failed => {
                let statistics = self.sort_alone()?;
                let block = TakenBlock::alone(std::mem::take(&mut self.block));
                Ok(BlocksInOrder::done(progress, statistics, block))
            }
        }
    }

    /// Ends the input, and returns when the file is in place.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause.
    pub fn finish_file(self) -> Result<Statistics> {
        self.finish()?.close()
    }

    /// Sorts the only block by this thread.
    fn sort_alone(&mut self) -> Result<Statistics> {
        let (pushed, sorted) = (BlockQueue::new(1), BlockQueue::new(usize::MAX));
        let progress = self.progress.part();
        let records = self.job.format.framing().count(&self.block) as u64;
        let extent = Extent { bytes: self.block.len() as u64, records };
        pushed.put(std::mem::take(&mut self.block), &progress)?;
        pushed.finish();
        let output = self.file.clone().map_or_else(|| sorted_blocks(&sorted, false), Output::File);
        let mut job = with_ends(&self.job, &pushed, output, Some(extent));
        job.threads = Some(1);
        let statistics = job.run(&progress)?;
        sorted.finish();
        while let Some(block) = sorted.take(&progress)? {
            self.block.extend_from_slice(&block);
        }
        Ok(statistics)
    }
}

/// Records that are written piece by piece.
struct RecordPieces {
    length: usize,
    count: usize,
    /// Number of the first record that was not written.
    next: usize,
    /// The rest of a record whose beginning was written.
    begun: Vec<u8>,
}

impl RecordPieces {
    /// Fills `place` with the next bytes, or a part of it with the last ones. Returns their number.
    fn fill(&mut self, place: &mut [u8], write: &mut impl FnMut(Range<usize>, &mut [u8])) -> usize {
        let mut filled = self.fill_begun(place);
        let whole = ((place.len() - filled) / self.length).min(self.count - self.next);
        let end = filled + whole * self.length;
        write(self.next..self.next + whole, &mut place[filled..end]);
        (self.next, filled) = (self.next + whole, end);
        if filled < place.len() && self.next < self.count {
            self.begun.resize(self.length, 0);
            write(self.next..self.next + 1, &mut self.begun);
            self.next += 1;
            filled += self.fill_begun(&mut place[filled..]);
        }
        filled
    }

    fn fill_begun(&mut self, place: &mut [u8]) -> usize {
        let bytes = self.begun.len().min(place.len());
        place[..bytes].copy_from_slice(&self.begun[..bytes]);
        self.begun.drain(..bytes);
        bytes
    }
}

impl Drop for BlockSort {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut self.state, BlockSortState::Failed);
        if let BlockSortState::Running(running) = state {
            running.stop();
        }
    }
}

/// The bytes of a sort or a merge in order, block by block.
#[derive(Debug)]
pub struct BlocksInOrder {
    progress: Arc<Progress>,
    /// End of the job; `None` after an error.
    end: Option<JobEnd>,
    /// The block that was taken last.
    block: TakenBlock,
    /// True if the block waits to be returned.
    is_block_new: bool,
}

/// End of a job.
#[derive(Debug)]
enum JobEnd {
    /// Blocks are still to be taken.
    Running(RunningJob),
    /// All blocks were taken.
    Done(Box<Statistics>),
}

impl BlocksInOrder {
    /// Returns the blocks of a job whose input is complete.
    pub(super) const fn running(progress: Arc<Progress>, job: RunningJob) -> Self {
        let end = Some(JobEnd::Running(job));
        Self { progress, end, block: TakenBlock::alone(Vec::new()), is_block_new: false }
    }

    /// Begins a merge, whose output is replaced by what is pulled.
    ///
    /// # Errors
    ///
    /// [`Error`] if no thread can be started. Wrong options, unsorted inputs and faults of disks
    /// are errors of the first calls of [`next_block`](Self::next_block).
    #[cfg(feature = "unstable")]
    pub fn merged(job: job::MergeJob, progress: Arc<Progress>) -> Result<Self> {
        Self::merged_with(job, progress, |error| error)
    }

    /// Begins a merge as `merged` does, whose error is what `named` makes of it.
    ///
    /// # Errors
    ///
    /// [`Error`] if no thread can be started.
    pub(super) fn merged_with(
        mut job: job::MergeJob,
        progress: Arc<Progress>,
        named: impl FnOnce(Error) -> Error + Send + 'static,
    ) -> Result<Self> {
        let (pushed, sorted) = (BlockQueue::new(1), BlockQueue::new(SORTED_MAX));
        job.output = sorted_blocks(&sorted, true);
        let run = move |progress: &Progress| job.run(progress).map_err(named);
        let running = RunningJob::start(pushed, sorted, &progress, run)?;
        Ok(Self::running(progress, running))
    }

    /// Returns the only block of a job that has ended.
    fn done(progress: Arc<Progress>, statistics: Statistics, block: TakenBlock) -> Self {
        let end = Some(JobEnd::Done(Box::new(statistics)));
        Self { progress, end, block, is_block_new: true }
    }

    /// Returns the block that was taken last; empty before the first one.
    pub fn block(&self) -> &[u8] {
        if self.is_block_new { &[] } else { &self.block }
    }

    /// Takes the block that was taken last out of this.
    #[cfg(feature = "unstable")]
    pub(super) fn take_block(&mut self) -> TakenBlock {
        std::mem::take(&mut self.block)
    }

    /// Checks that the job was not asked to stop. If it was, all later calls fail too.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`].
    #[inline]
    pub fn check_stop(&mut self) -> Result<()> {
        if self.progress.is_stopping() { Err(self.interrupt()) } else { Ok(()) }
    }

    #[cold]
    fn interrupt(&mut self) -> Error {
        match self.end.take() {
            Some(JobEnd::Running(running)) => running.failure(),
            _ => Error::Interrupted,
        }
    }

    /// Takes the next block, and returns it; `None` after the last one. The order and the number of
    /// records are proven by then, unless the job does not verify.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks can cause; [`Error::Interrupted`] after an error, and after a
    /// stop.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>> {
        let progress = Arc::clone(&self.progress);
        self.next_block_for(&progress)
    }

    /// Takes the next block as [`next_block`](Self::next_block) does, for a job with this progress,
    /// which waits no longer than it is of use.
    ///
    /// # Errors
    ///
    /// Those of [`next_block`](Self::next_block).
    pub(super) fn next_block_for(&mut self, progress: &Progress) -> Result<Option<&[u8]>> {
        if std::mem::take(&mut self.is_block_new) {
            return Ok(Some(&self.block));
        }
        // Its memory is given back before another one is waited for.
        self.block = TakenBlock::default();
        let running = match self.end.take() {
            None => return Err(Error::Interrupted),
            Some(JobEnd::Running(running)) => running,
            done => {
                self.end = done;
                return Ok(None);
            }
        };
        match running.sorted.take(progress) {
            Ok(Some(block)) => {
                (self.block, self.end) = (block, Some(JobEnd::Running(running)));
                Ok(Some(&self.block))
            }
            Ok(None) => {
                self.end = Some(JobEnd::Done(Box::new(running.join()?)));
                Ok(None)
            }
            Err(_) => Err(running.failure()),
        }
    }

    /// Passes the blocks that are left, and returns the statistics of the job.
    ///
    /// # Errors
    ///
    /// Those of [`next_block`](Self::next_block).
    pub fn close(mut self) -> Result<Statistics> {
        while self.next_block()?.is_some() {}
        match self.end.take() {
            Some(JobEnd::Done(statistics)) => Ok(*statistics),
            _ => Err(Error::Interrupted),
        }
    }
}

impl Drop for BlocksInOrder {
    fn drop(&mut self) {
        if let Some(JobEnd::Running(running)) = self.end.take() {
            running.stop();
        }
    }
}
