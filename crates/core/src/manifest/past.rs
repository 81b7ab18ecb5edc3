//! What a manifest's entries come to: where a job stands.

use std::path::Path;

use super::entry::{Entry, InputPlace, JobEntry, MergedEntry, RunEntry, SlabEntry};
use crate::error::{Error, Result};
use crate::proof::Sum;
use crate::run::Run;

/// What is wrong with an entry is told in words.
type Told<T> = std::result::Result<T, &'static str>;

/// Where a job stands that another has begun.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Runs there are, in the order of the input.
    pub runs: Vec<Run>,
    /// Runs that were generated, before any were merged.
    pub generated: u64,
    /// Where the next load begins.
    pub next: InputPlace,
    /// Records read and their bytes.
    pub taken: (u64, u64),
    /// Count and checksum of what was read.
    pub read: Sum,
    /// The same of what was dropped.
    pub dropped: Sum,
    /// How far the output has come.
    pub slab: Option<SlabEntry>,
    /// Whether it is whole.
    pub is_whole: bool,
}

impl Past {
    /// What the entries of the manifest at `path` come to, and the job that they are of.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where they contradict each other.
    pub fn of(path: &Path, entries: Vec<Entry>) -> Result<(JobEntry, Self)> {
        let mut entries = entries.into_iter();
        let Some(Entry::Job(job)) = entries.next() else {
            return Err(contradiction(path, 0, "no job stands at the beginning"));
        };
        let mut past = Self::default();
        for (number, entry) in (1..).zip(entries) {
            let failed = |message: &str| contradiction(path, number, message);
            match entry {
                Entry::Job(_) => return Err(failed("another job begins here")),
                Entry::Run(entry) => past.add_run(&job, &entry).map_err(failed)?,
                Entry::Merged(entry) => past.add_merged(&job, &entry).map_err(failed)?,
                Entry::Slab(entry) => past.add_slab(entry).map_err(failed)?,
                Entry::Whole {} => past.is_whole = true,
            }
        }
        Ok((job, past))
    }

    fn add_run(&mut self, job: &JobEntry, entry: &RunEntry) -> Told<()> {
        if entry.next < self.next || entry.next.source > job.inputs.len() {
            return Err("a load ends before it begins, or behind the inputs");
        }
        self.runs.push(own(job, entry.run.run())?);
        self.generated += 1;
        self.next = entry.next;
        self.taken.0 = self.taken.0.saturating_add(entry.taken.0);
        self.taken.1 = self.taken.1.saturating_add(entry.taken.1);
        self.read.add(entry.read.into());
        self.dropped.add(entry.dropped.into());
        Ok(())
    }

    fn add_merged(&mut self, job: &JobEntry, entry: &MergedEntry) -> Told<()> {
        let (start, end) = entry.range;
        if start >= end || end > self.runs.len() {
            return Err("runs were merged that there are not");
        }
        self.runs.splice(start..end, [own(job, entry.run.run())?]);
        self.dropped.add(entry.dropped.into());
        self.slab = None;
        Ok(())
    }

    fn add_slab(&mut self, entry: SlabEntry) -> Told<()> {
        let is_within = |(end, run): (&u64, &Run)| *end <= run.bytes;
        let is_possible = entry.ends.len() == self.runs.len()
            && entry.ends.iter().zip(&self.runs).all(is_within)
            && entry.bound.0 < self.runs.len()
            && entry.edge.0.len() as u64 <= entry.offset;
        self.slab = Some(entry);
        if is_possible { Ok(()) } else { Err("the output has what no run had") }
    }
}

/// A run that lies in one of the job's directories.
fn own(job: &JobEntry, run: Run) -> Told<Run> {
    let is_own = job.directories.iter().any(|directory| run.path.parent() == Some(&directory.0));
    if is_own { Ok(run) } else { Err("a run lies elsewhere") }
}

fn contradiction(path: &Path, number: usize, message: &str) -> Error {
    let message = format!("{message}; remove it with 'sortwell spill clean'");
    Error::Corrupt { path: path.to_owned(), block: number as u64, message }
}
