//! The first pass alone: records that are pushed become sorted run files, for a merge later.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortwell_engine::io::sync_directory;
use sortwell_engine::job::{Budget, SortJob};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use super::block_sort::BlockSort;
use crate::key_writer::{KeyWriter, WrittenKey};

/// The part of the memory that the records of a run take: a sort of a stream keeps two loads.
const LOAD_SHARE: u64 = 3;

/// Bytes of memory that a record takes in addition to its own.
const ENTRY_BYTES: u64 = 16;

/// A sorted run: a file of keyed records, in the format `keyed` of the command.
///
/// The file has no checksums. A [`KeyedMerge`](super::KeyedMerge) checks the order of its records
/// and their number, so that a file that was cut off is an error. A payload that has changed is
/// not noticed.
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
/// `run-2.keyed` and so on. After an error or a drop, the runs that are finished stay. A process
/// that is killed also leaves two hidden files: an empty one, `.run-3.keyed` for instance, which
/// reserves the name, and one that it was writing, `..run-3.keyed.sortwell-` and more.
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
    /// The run that records are pushed to, and its name.
    run: Option<(BlockSort, RunName)>,
    /// Bytes that its records take in memory.
    taken: u64,
    runs: Vec<RunFile>,
    key: WrittenKey,
    /// Reason to refuse all records, if there is one.
    refusal: Option<Error>,
    has_failed: bool,
}

impl Spiller {
    /// Returns a sorter of runs with the options of `job`.
    pub(super) fn new(job: SortJob, progress: Arc<Progress>, directory: &Path) -> Self {
        Self {
            job,
            progress,
            directory: directory.to_owned(),
            run: None,
            taken: 0,
            runs: Vec::new(),
            key: WrittenKey::default(),
            refusal: None,
            has_failed: false,
        }
    }

    /// Returns the sorter as one that refuses all records, if there is a reason.
    pub(super) fn refusing(self, refusal: Option<Error>) -> Self {
        Self { refusal, ..self }
    }

    /// Checks that records can still be pushed.
    fn check(&mut self) -> Result<()> {
        match self.refusal.take() {
            Some(refusal) => {
                self.has_failed = true;
                Err(refusal)
            }
            None if self.has_failed => Err(Error::Interrupted),
            None => Ok(()),
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that disks or options can cause, as soon as the sort has found it. After an
    /// error, all calls fail.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.check()?;
        self.has_failed = true;
        let memory = match self.job.memory {
            Budget::Bytes(memory) => memory,
            share => {
                let memory = share.resolve()?;
                self.job.memory = Budget::Bytes(memory);
                memory
            }
        };
        let bytes = (key.len() + payload.len()) as u64 + ENTRY_BYTES;
        if self.taken > 0 && self.taken + bytes > memory.bytes() / LOAD_SHARE {
            self.end_run()?;
        }
        let start = || {
            let name = RunName::new(&self.directory, self.runs.len() + 1);
            let file = name.hidden.clone();
            (BlockSort::to_file(self.job.clone(), Arc::clone(&self.progress), file), name)
        };
        let (run, _) = self.run.get_or_insert_with(start);
        run.push_keyed(key, payload)?;
        (self.taken, self.has_failed) = (self.taken + bytes, false);
        Ok(())
    }

    /// Adds a record whose key `write` writes, as [`Sorter::push_by`](super::Sorter::push_by) does.
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

    /// Writes the run that records were pushed to.
    fn end_run(&mut self) -> Result<()> {
        let Some((run, name)) = self.run.take() else { return Ok(()) };
        self.taken = 0;
        let statistics = run.finish_file()?;
        let records = statistics.records_selected.unwrap_or(statistics.records);
        self.runs.push(RunFile { path: name.keep()?, records });
        Ok(())
    }

    /// Writes the last run, and returns all of them in the order in which their records were
    /// pushed.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    pub fn finish(mut self) -> Result<Vec<RunFile>> {
        self.check()?;
        self.end_run()?;
        Ok(self.runs)
    }
}

/// The name of a run, which no other sorter in the directory takes: a hidden file reserves it. The
/// run is written over that file, and gets its name when it is whole.
#[derive(Debug)]
struct RunName {
    /// The name without directory, as that of a run.
    name: String,
    /// The path of the hidden file.
    hidden: PathBuf,
    /// True if this has made the hidden file, and is to remove it.
    is_own: bool,
}

impl RunName {
    /// Returns the first free name from number `least` on.
    fn new(directory: &Path, least: usize) -> Self {
        let mut number = least;
        loop {
            let name = format!("run-{number}.keyed");
            let hidden = directory.join(format!(".{name}"));
            let is_own = match File::create_new(&hidden) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    number += 1;
                    continue;
                }
                // The sort reports what is wrong with the directory.
                made => made.is_ok(),
            };
            let reserved = Self { name, hidden, is_own };
            if fs::symlink_metadata(reserved.path()).is_err() {
                return reserved;
            }
            number += 1;
        }
    }

    /// Returns the path of the run.
    fn path(&self) -> PathBuf {
        self.hidden.with_file_name(&self.name)
    }

    /// Names a run that is whole, and returns its path.
    fn keep(mut self) -> Result<PathBuf> {
        let path = self.path();
        let renamed = fs::rename(&self.hidden, &path);
        renamed.map_err(|error| Error::io("rename", &self.hidden, error))?;
        self.is_own = false;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_directory(parent.unwrap_or(Path::new(".")))?;
        Ok(path)
    }
}

impl Drop for RunName {
    fn drop(&mut self) {
        if self.is_own {
            // A hidden file that stays is no run, and the error before matters more.
            fs::remove_file(&self.hidden).ok();
        }
    }
}
