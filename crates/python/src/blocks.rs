//! Records that the program pushes, and takes back in blocks of whole records.
//!
//! ```text
//!   Options --push--> Pushing --finish--> Pulling --last block--> Ended
//!      any --an error of the sort--> Failed
//! ```

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use sortwell::unstable_sort::{BlockSort, RecordsInOrder, TakenBlock};
use sortwell::{Error, Format, Progress, Result};
use sortwell_cli::embed::{EmbeddedCommand, JobWords};

use crate::buffer::{Block, LentBytes};
use crate::ending::{Guarded, detached};
use crate::faults;
use crate::job::{OptionWords, job_words};
use crate::waiting::Wait;

/// Bytes of the blocks that the sort takes, and least bytes of those it returns.
const BLOCK_BYTES: usize = 1 << 20;

/// Most bytes that wait to be pushed. Copying as much takes less time than giving up the
/// interpreter lock and taking it again.
const PENDING_BYTES: usize = 64 << 10;

/// A sort of records that the program pushes.
#[pyclass(frozen, module = "sortwell._native")]
pub struct BlockSorter {
    state: Arc<Guarded<BlockState>>,
    /// The statistics as JSON, once the last block was taken.
    statistics: OnceLock<String>,
    wait: Wait,
}

/// State of a sort of blocks between two calls.
struct BlockState {
    words: JobWords,
    stage: BlockStage,
    /// Bytes that were pushed last.
    pending: Vec<u8>,
}

/// Stage of a sort of blocks.
enum BlockStage {
    Options,
    Pushing(Box<BlocksIn>),
    Pulling(Box<BlocksOut>),
    Ended,
    Failed,
}

/// The side of a sort that takes records.
struct BlocksIn {
    sort: BlockSort,
    is_keyed: bool,
}

/// The side of a sort that returns records.
struct BlocksOut(RecordsInOrder);

impl BlocksIn {
    /// Pushes what waits, then the bytes of a buffer.
    fn push(&mut self, pending: &mut Vec<u8>, more: &LentBytes) -> Result<()> {
        self.sort.push(pending)?;
        pending.clear();
        self.sort.push_records(1, more.len(), |range, to| more.copy_to(range.start, to))
    }
}

impl BlocksOut {
    /// Returns the next whole records; `None` after the last one.
    fn next_block(&mut self) -> Result<Option<TakenBlock>> {
        let Self(records) = self;
        if let Some(block) = records.take_block(BLOCK_BYTES / 2)? {
            return Ok(Some(block));
        }
        let most = records.fixed_length().map(|length| BLOCK_BYTES / length);
        let mut block = Vec::with_capacity(BLOCK_BYTES);
        while block.len() < BLOCK_BYTES {
            let is_taken = match most {
                Some(most) => records.advance_some(most)?,
                None => records.advance()?,
            };
            if !is_taken {
                break;
            }
            block.extend_from_slice(records.lent());
        }
        Ok((!block.is_empty()).then(|| TakenBlock::alone(block)))
    }
}

impl BlockState {
    /// Returns the side that takes records, which the first call begins.
    fn pushing(
        &mut self,
        py: Python<'_>,
        progress: &Arc<Progress>,
        function: &str,
        is_keyed: bool,
    ) -> PyResult<&mut BlocksIn> {
        if matches!(self.stage, BlockStage::Options) {
            let job = self.job(is_keyed).map_err(|error| faults::exception(py, &error))?;
            let is_keyed = job.format == Format::KEYED;
            let sort = BlockSort::new(job, Arc::clone(progress));
            self.stage = BlockStage::Pushing(Box::new(BlocksIn { sort, is_keyed }));
        }
        match &mut self.stage {
            BlockStage::Pushing(pushing) if is_keyed && !pushing.is_keyed => Err(faults::usage(
                py,
                format!(
                    "{function}: records with keys need the format 'keyed', and the sort has \
                     another; leave format= out"
                ),
            )),
            BlockStage::Pushing(pushing) => Ok(pushing),
            BlockStage::Failed => Err(failed_before(py, function)),
            _ => Err(faults::usage(
                py,
                format!(
                    "{function}: the input is complete (finish); use a new Sorter for more records"
                ),
            )),
        }
    }

    fn job(&mut self, is_keyed: bool) -> Result<sortwell::unstable::job::SortJob> {
        let mut words = self.words.clone();
        if is_keyed && !words.has("format") {
            words.set("format".as_ref(), Some("keyed".as_ref()))?;
        }
        let job = words.pushed_job()?;
        self.words = words;
        Ok(job)
    }

    /// Ends the sort after an error, and removes what it left.
    fn fail(&mut self, py: Python<'_>) {
        let stage = std::mem::replace(&mut self.stage, BlockStage::Failed);
        detached(py, move || drop(stage));
        self.pending = Vec::new();
    }
}

fn failed_before(py: Python<'_>, function: &str) -> PyErr {
    faults::usage(py, format!("{function}: the sort has failed before; use a new Sorter"))
}

fn closed(py: Python<'_>, function: &str) -> PyErr {
    faults::usage(py, format!("{function}: the sorter is closed; use a new one"))
}

impl BlockSorter {
    /// Does work on the state. If it fails, so does the sort.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        state: &mut BlockState,
        work: impl FnOnce(&mut BlockState) -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = self.wait.run(py, || work(state));
        let done = done.and_then(|done| done.map_err(|error| faults::exception(py, &error)));
        if done.is_err() {
            state.fail(py);
        }
        done
    }

    fn act<T>(
        &self,
        py: Python<'_>,
        function: &str,
        act: impl FnOnce(&mut BlockState) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut state = self.state.lock(py, function)?;
        act(state.as_mut().ok_or_else(|| closed(py, function))?)
    }

    /// Pushes bytes after those that wait.
    fn push_bytes(&self, py: Python<'_>, state: &mut BlockState, more: &LentBytes) -> PyResult<()> {
        if state.pending.len() + more.len() <= PENDING_BYTES {
            more.append_to(&mut state.pending);
            return Ok(());
        }
        self.run(py, state, |BlockState { stage, pending, .. }| match stage {
            BlockStage::Pushing(pushing) => pushing.push(pending, more),
            _ => Err(Error::Interrupted),
        })
    }

    fn take_block(&self, py: Python<'_>) -> PyResult<Option<Block>> {
        self.act(py, "finish", |state| {
            match state.stage {
                BlockStage::Pulling(_) => {}
                BlockStage::Ended => return Ok(None),
                BlockStage::Failed => return Err(failed_before(py, "finish")),
                _ => return Err(faults::usage(py, "finish: it was not called")),
            }
            let block = self.run(py, state, |state| {
                let BlockStage::Pulling(blocks) = &mut state.stage else {
                    return Err(Error::Interrupted);
                };
                if let Some(block) = blocks.next_block()? {
                    return Ok(Some(block));
                }
                if let BlockStage::Pulling(blocks) =
                    std::mem::replace(&mut state.stage, BlockStage::Failed)
                {
                    let statistics = blocks.0.close()?;
                    self.statistics.get_or_init(|| state.words.statistics(&statistics, None));
                    state.stage = BlockStage::Ended;
                }
                Ok(None)
            })?;
            if block.is_none() {
                self.wait.show_end(py).map_err(|raised| faults::interruption(py, raised))?;
            }
            Ok(block.map(Block::new))
        })
    }
}

#[pymethods]
impl BlockSorter {
    #[new]
    fn new(
        py: Python<'_>,
        options: Vec<OptionWords>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let words = job_words(py, EmbeddedCommand::Sort, options)?;
        let wait = Wait::new(py, Arc::default(), progress)?;
        let state = BlockState { words, stage: BlockStage::Options, pending: Vec::new() };
        let state = Guarded::new(state, wait.progress());
        Ok(Self { state, statistics: OnceLock::new(), wait })
    }

    fn push(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = LentBytes::of(buffer)?;
        self.act(py, "push", |state| {
            state.pushing(py, self.wait.progress(), "push", false)?;
            self.push_bytes(py, state, &bytes)
        })
    }

    fn push_keyed(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        payload: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (key, payload) = (LentBytes::of(key)?, LentBytes::of(payload)?);
        let follows = u32::try_from(key.len() + payload.len() + 4).map_err(|_| {
            faults::usage(py, "push_keyed: the record has more than 4 GiB; push shorter records")
        })?;
        self.act(py, "push_keyed", |state| {
            state.pushing(py, self.wait.progress(), "push_keyed", true)?;
            // The numbers in front of a record of the format 'keyed'.
            state.pending.extend_from_slice(&follows.to_le_bytes());
            state.pending.extend_from_slice(&(key.len() as u32).to_le_bytes());
            self.push_bytes(py, state, &key)?;
            self.push_bytes(py, state, &payload)
        })
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.act(py, "finish", |state| {
            state.pushing(py, self.wait.progress(), "finish", false)?;
            self.run(py, state, |state| {
                let BlockStage::Pushing(mut pushing) =
                    std::mem::replace(&mut state.stage, BlockStage::Failed)
                else {
                    return Err(Error::Interrupted);
                };
                pushing.sort.push(&std::mem::take(&mut state.pending))?;
                let blocks = BlocksOut(RecordsInOrder::of_sort(pushing.sort)?);
                state.stage = BlockStage::Pulling(Box::new(blocks));
                Ok(())
            })
        })
    }

    /// Returns the next block; `None` after the last one.
    fn next_block(&self, py: Python<'_>) -> PyResult<Option<Block>> {
        self.take_block(py).map_err(|raised| faults::in_iterator(py, raised))
    }

    /// Returns the statistics as JSON; `None` before the last block was taken.
    fn statistics(&self) -> Option<&str> {
        self.statistics.get().map(String::as_str)
    }

    /// Stops the sort and removes its files, unless it has ended.
    fn close(&self) {
        self.state.close_detached();
    }

    /// Visits the callback, which never changes; see [`SortedItems`](crate::items::SortedItems).
    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        self.wait.traverse(&visit)
    }
}

impl Drop for BlockSorter {
    fn drop(&mut self) {
        self.state.close_detached();
    }
}
