//! State of a job, from its manifest's entries.

use std::path::Path;

use super::entry::{JobEntry, LogEntry, MergedEntry, PartEntry, RunEntry, SlabEntry};
use super::place_of;
use crate::error::{Error, Operation, Result, message};
use crate::key::KeyTally;
use crate::load::InputPlace;
use crate::proof::Sum;
use crate::run::Run;

/// Result whose error says what is wrong with an entry.
type Told<T> = std::result::Result<T, &'static str>;

/// State of a job that another process has begun.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Runs there are, in the order of the input.
    pub runs: Vec<Run>,
    /// Merges of inputs that are sorted already, in order.
    pub merging: Vec<PastMerge>,
    /// True if anything was done that need not be done again.
    pub is_begun: bool,
    /// Runs that were generated, before any were merged.
    pub generated: u64,
    /// Place at which the next load begins.
    pub next: InputPlace,
    /// Records read and their bytes.
    pub taken: (u64, u64),
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
    /// Count and checksum of what was read.
    pub read: Sum,
    /// Count and checksum of the dropped records.
    pub dropped: Sum,
    /// Counts about the keys of the records that were read.
    pub keys: KeyTally,
    /// Progress of the output.
    pub slab: Option<SlabEntry>,
    /// True if it is whole.
    pub is_whole: bool,
    /// Sorted parts of the input, in order.
    pub parts: Vec<PartEntry>,
}

/// A part of a merge of inputs that are sorted already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastMerge {
    /// The input of this number.
    Input(usize),
    /// The next of the runs there are.
    Run,
}

impl Past {
    /// Returns the job and the state that the entries of the manifest at `path` describe.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where they contradict each other.
    pub fn of(path: &Path, entries: Vec<LogEntry>) -> Result<(JobEntry, Self)> {
        let mut entries = entries.into_iter();
        let Some(LogEntry::Job(job)) = entries.next() else {
            return Err(contradiction(path, 0, "it does not begin with a job"));
        };
        let mut past = Self::default();
        if job.is_merge {
            past.merging.extend((0..job.inputs.len()).map(PastMerge::Input));
        }
        for (number, entry) in (1..).zip(entries) {
            let failed = |message: &str| contradiction(path, number, message);
            match entry {
                LogEntry::Job(_) => return Err(failed("a second job begins here")),
                LogEntry::Run(entry) => past.add_run(&job, &entry).map_err(failed)?,
                LogEntry::Merged(entry) => past.add_merged(&job, &entry).map_err(failed)?,
                LogEntry::Slab(entry) => past.add_slab(&job, entry).map_err(failed)?,
                LogEntry::Whole {} => past.is_whole = true,
                LogEntry::Lost {} => (past.is_whole, past.slab) = (false, None),
                LogEntry::Part(entry) => past.add_part(&job, entry).map_err(failed)?,
            }
            past.is_begun = true;
        }
        Ok((job, past))
    }

    fn add_run(&mut self, job: &JobEntry, entry: &RunEntry) -> Told<()> {
        if job.is_merge {
            return Err("a run was made of inputs that are sorted already");
        }
        if entry.next < self.next || entry.next.source > job.inputs.len() {
            return Err("a load ends before it begins, or after the inputs");
        }
        self.runs.push(own(job, entry.run.clone())?);
        self.generated += 1;
        self.next = entry.next;
        self.taken.0 = self.taken.0.saturating_add(entry.taken.0);
        self.taken.1 = self.taken.1.saturating_add(entry.taken.1);
        self.ragged = self.ragged.saturating_add(entry.ragged);
        self.read.add(entry.read);
        self.dropped.add(entry.dropped);
        self.keys.add(&entry.keys);
        Ok(())
    }

    fn add_part(&mut self, job: &JobEntry, entry: PartEntry) -> Told<()> {
        if entry.next < self.next || entry.next.source > job.inputs.len() {
            return Err("a part ends before it begins, or after the inputs");
        }
        self.next = entry.next;
        self.parts.push(entry);
        Ok(())
    }

    fn add_merged(&mut self, job: &JobEntry, entry: &MergedEntry) -> Told<()> {
        let (start, end) = entry.range;
        let most = if job.is_merge { self.merging.len() } else { self.runs.len() };
        if start >= end || end > most {
            return Err("runs were merged that do not exist");
        }
        let run = own(job, entry.run.clone())?;
        let range = if job.is_merge {
            let runs = |part: &[PastMerge]| part.iter().filter(|m| **m == PastMerge::Run).count();
            let before = runs(&self.merging[..start]);
            let range = before..before + runs(&self.merging[start..end]);
            self.merging.splice(start..end, [PastMerge::Run]);
            range
        } else {
            start..end
        };
        self.runs.splice(range, [run]);
        self.read.add(entry.read);
        self.dropped.add(entry.dropped);
        self.ragged = self.ragged.saturating_add(entry.ragged);
        self.keys.add(&entry.keys);
        self.slab = None;
        Ok(())
    }

    fn add_slab(&mut self, job: &JobEntry, entry: SlabEntry) -> Told<()> {
        let mut runs = self.runs.iter().map(|run| run.bytes);
        let bytes: Vec<u64> = if job.is_merge {
            let bytes_of = |merging: &PastMerge| match merging {
                PastMerge::Input(number) => job.inputs[*number].bytes,
                PastMerge::Run => runs.next().unwrap_or_default(),
            };
            self.merging.iter().map(bytes_of).collect()
        } else {
            runs.collect()
        };
        let passed = entry.streams.as_ref().map(|streams| streams.passed.len());
        let is_possible = entry.ends.len() == bytes.len()
            && entry.ends.iter().zip(&bytes).all(|(end, bytes)| end <= bytes)
            && entry.bound.0 < bytes.len()
            && entry.edge.len() as u64 <= entry.offset
            && (!job.is_merge || passed.is_some());
        self.slab = Some(entry);
        if is_possible { Ok(()) } else { Err("the output has records that no run had") }
    }
}

/// Returns a run that lies in one of the job's directories.
fn own(job: &JobEntry, run: Run) -> Told<Run> {
    let is_own = job.directories.iter().any(|directory| run.path.parent() == Some(&directory.0));
    if is_own { Ok(run) } else { Err("a run is in another directory") }
}

fn contradiction(path: &Path, number: usize, message: &str) -> Error {
    let clean = Operation::CleanSpill.on(place_of(path).display());
    let message = message!("{}; remove the saved work with {}", message, clean);
    Error::corrupt(path, number as u64, message)
}
