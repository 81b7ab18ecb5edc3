//! The first pass alone: records that are pushed become sorted run files, for a merge later.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortwell_engine::job::{Budget, SortJob};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use super::block_sort::BlockSort;

/// The part of the memory that the records of a run take: a sort of a stream keeps two loads.
const LOAD_SHARE: u64 = 3;

/// Bytes of memory that a record takes in addition to its own.
const ENTRY_BYTES: u64 = 16;

/// A sorted run: a file of keyed records, in the format `keyed` of the command.
///
/// ```
/// use sortwell::{KeyedMerge, Sorter};
///
/// # let folder = tempfile::tempdir()?;
/// let mut spiller = Sorter::new().spill_to(folder.path());
/// spiller.push(b"b", b"1")?;
/// spiller.push(b"a", b"2")?;
/// let runs = spiller.finish()?;
/// assert_eq!((runs.len(), runs[0].records), (1, 2));
///
/// let mut merge = KeyedMerge::new();
/// runs.iter().for_each(|run| drop(merge.run(run)));
/// let mut sorted = merge.finish()?;
/// assert_eq!(sorted.next()?.map(|record| record.key), Some(&b"a"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// The file. It belongs to the caller.
    pub path: PathBuf,
    /// Number of records.
    pub records: u64,
}

/// A sorter that writes sorted runs and does not merge them.
///
/// A run is as long as memory allows. It appears whole and durable under its name, `run-1.keyed`,
/// `run-2.keyed` and so on. After an error or a drop, the runs that are finished stay.
///
/// ```
/// use sortwell::{ByteSize, Sorter};
///
/// # let folder = tempfile::tempdir()?;
/// let mut sorter = Sorter::new();
/// sorter.memory(ByteSize::mib(32));
/// let mut spiller = sorter.spill_to(folder.path());
/// for number in 0..600_000_u32 {
///     spiller.push(&number.to_le_bytes(), b"payload")?;
/// }
/// assert!(spiller.finish()?.len() > 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Spiller {
    job: SortJob,
    progress: Arc<Progress>,
    directory: PathBuf,
    /// The run that records are pushed to.
    run: Option<BlockSort>,
    /// Bytes that its records take in memory.
    taken: u64,
    runs: Vec<RunFile>,
    has_failed: bool,
}

impl Spiller {
    /// Returns a sorter of runs with the options of `job`.
    pub(super) fn new(job: SortJob, progress: Arc<Progress>, directory: &Path) -> Self {
        let (run, taken, runs) = (None, 0, Vec::new());
        let directory = directory.to_owned();
        Self { job, progress, directory, run, taken, runs, has_failed: false }
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause, as soon as the sort has found it. After an
    /// error, all calls fail.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        if self.has_failed {
            return Err(Error::Interrupted);
        }
        self.has_failed = true;
        let Budget::Bytes(memory) = self.job.memory else { return Err(Error::Interrupted) };
        let bytes = (key.len() + payload.len()) as u64 + ENTRY_BYTES;
        if self.taken > 0 && self.taken + bytes > memory.bytes() / LOAD_SHARE {
            self.end_run()?;
        }
        let start = || {
            let path = self.directory.join(format!("run-{}.keyed", self.runs.len() + 1));
            BlockSort::to_file(self.job.clone(), Arc::clone(&self.progress), path)
        };
        let run = self.run.get_or_insert_with(start);
        run.push_keyed(key, payload)?;
        (self.taken, self.has_failed) = (self.taken + bytes, false);
        Ok(())
    }

    /// Writes the run that records were pushed to.
    fn end_run(&mut self) -> Result<()> {
        let Some(run) = self.run.take() else { return Ok(()) };
        self.taken = 0;
        let path = self.directory.join(format!("run-{}.keyed", self.runs.len() + 1));
        let statistics = run.finish_file()?;
        let records = statistics.records_selected.unwrap_or(statistics.records);
        self.runs.push(RunFile { path, records });
        Ok(())
    }

    /// Writes the last run, and returns all of them in the order in which their records were
    /// pushed.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn finish(mut self) -> Result<Vec<RunFile>> {
        if self.has_failed {
            return Err(Error::Interrupted);
        }
        self.end_run()?;
        Ok(self.runs)
    }
}
