//! Merging sorted sources: into fewer while there are too many, at last into the output.
//!
//! ```text
//!   sources  a  b  c  d  e  f  g  h        more than can be open, or have memory, at once
//!             \ | /    \ | /   |  |
//!   narrowed   abc      def    g  h        neighbours, so that equal records stay in order
//!                 \      |    /  /
//!   output          a b c d e f g h
//! ```
//!
//! A source is a run, or an input that is sorted already. There are two ways to merge: by slabs
//! (`slab_merge`), where all sources are runs, and as streams (`sorted`).

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::crew::Crew;
use super::destination::Destination;
use super::new_run::NewRun;
use super::slab_merge::merge_slabs;
use super::sorted::{SortedPlace, merge_streams};
use super::spill::Spill;
use super::{Gate, Work};
use crate::error::Result;
use crate::format::Framing;
use crate::io::{DirectStreams, Engine, Region};
use crate::key::KeyEncoder;
use crate::manifest::{LogEntry, MergedEntry};
use crate::operator::{Making, Select, Selection};
use crate::order::OrderProof;
use crate::plan::passes::{Choice, MergeMethod, copies_beside, intermediate_groups};
use crate::plan::streams::StreamPlan;
use crate::plan::{ExternalPlan, Plan};
use crate::proof::Sum;
use crate::run::{Run, RunPacking};
use crate::stats::Phase;

/// Rules for the records that a job writes, to runs and to the output.
#[derive(Clone, Debug)]
pub struct RecordRules {
    /// Framing that separates records.
    pub framing: Framing,
    /// Selection of the records that are written.
    pub select: Select,
    /// Changes made to the selected records.
    pub making: Arc<Making>,
    /// True if records are counted and summed as they are written.
    pub verify: bool,
    /// True if their order is proven as well.
    pub proves_order: bool,
    /// Name of their source in messages.
    pub origin: PathBuf,
    /// Compression of runs, if they are compressed.
    pub packing: Option<RunPacking>,
}

impl RecordRules {
    /// Returns what of the selection can be done before all records are together.
    pub fn early(&self) -> Option<Select> {
        self.making.early(&self.select)
    }

    /// Returns the selection of a run, if not all records are written to it.
    pub fn selection_of_run(&self) -> Option<Selection> {
        let is_summed = self.verify && !self.select.is_partial();
        let early = |select| Selection::early(select, Arc::clone(&self.making), is_summed);
        self.early().map(|select| early(select).of(&self.origin))
    }

    /// Returns the most copies of a long record that the selection holds at once.
    pub fn kept_copies(&self) -> u64 {
        self.making.kept_copies(&self.select)
    }

    /// Returns the most copies of a long record for which a merge of `runs` has room.
    pub fn copies_beside(&self, plan: &Plan, runs: &[Run]) -> u64 {
        let (copies, ample) = (self.kept_copies(), self.making.ample_copies(&self.select));
        copies_beside(plan, runs, copies, ample)
    }

    /// Returns the proof of the order of a run.
    pub fn order_of_run(&self) -> OrderProof {
        OrderProof::of_run(self.proves_order)
    }
}

/// Plan of the memory of a job's merges.
#[derive(Clone, Copy, Debug)]
pub enum MergePlan<'a> {
    /// All sources are runs of a sort.
    Runs(&'a Plan, &'a ExternalPlan),
    /// Sources are inputs, and runs that some of them were merged into.
    Inputs(&'a StreamPlan),
}

/// The settings that all merges of a job share.
pub struct MergeContext<'a, K> {
    /// Key that orders records.
    pub key: &'a K,
    /// Rules for what is written.
    pub rules: &'a RecordRules,
    /// Plan of memory.
    pub plan: MergePlan<'a>,
    /// The engine.
    pub engine: Engine,
    /// Choice of whether files bypass the page cache.
    pub direct: DirectStreams,
    /// Conditions on records of inputs.
    pub gate: &'a Gate,
    /// True if an input that is not sorted is an error.
    pub is_checked: bool,
    /// Bytes of output that a worker makes at a time, in a merge by slabs.
    pub task_bytes: u64,
}

/// Records that a merge has brought to its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// Count and checksum, before a selection.
    pub sum: Sum,
    /// Bytes written, where there is no selection.
    pub bytes: u64,
    /// Bytes of the longest.
    pub longest_bytes: u64,
}

impl From<Sum> for Brought {
    fn from(sum: Sum) -> Self {
        Self { sum, ..Self::default() }
    }
}

/// The merges that were needed until all sources could be merged at once.
#[derive(Clone, Copy, Debug)]
pub struct Narrowed {
    /// The way to merge the sources that are left.
    pub way: MergeMethod,
    /// The number of times each record was moved, at most.
    pub passes: u32,
    /// Sources that were merged into runs.
    pub merged: u64,
}

impl<'a, K: KeyEncoder> MergeContext<'a, K> {
    /// Returns the merges of a sort's runs.
    pub fn of_runs(
        work: &'a Work,
        external: &'a ExternalPlan,
        rules: &'a RecordRules,
        key: &'a K,
    ) -> Self {
        Self {
            key,
            rules,
            plan: MergePlan::Runs(&work.plan, external),
            engine: work.engine,
            direct: DirectStreams { spill: work.direct, ..DirectStreams::default() },
            gate: &work.gate,
            is_checked: false,
            task_bytes: work.task_bytes(),
        }
    }

    /// Merges neighbours until no more are left than can be merged at once, given their longest
    /// records.
    pub fn narrow(
        &self,
        crew: &mut Crew<'_>,
        memory: &mut Vec<Region>,
        spill: &mut Spill,
        places: &mut Vec<SortedPlace>,
    ) -> Result<Narrowed> {
        let (mut passes, mut count) = (0, 0);
        loop {
            // Merged, runs with long records are fewer; those that are left may allow for more.
            let (way, groups) = self.groups(places)?;
            if groups.is_empty() {
                return Ok(Narrowed { way, passes, merged: count });
            }
            passes += 1;
            self.expect(crew, places, &groups);
            // One list into another: to cut out group after group would move millions each time.
            let (mut left, mut done) = (std::mem::take(places).into_iter(), 0);
            for group in groups {
                places.extend(left.by_ref().take(group.start - done));
                let sources: Vec<SortedPlace> = left.by_ref().take(group.len()).collect();
                count += sources.len() as u64;
                let first = places.len();
                let run = self.merge_to_run(crew, way, &mut *memory, spill, first, &sources)?;
                places.push(SortedPlace::Spilled(run));
                for run in sources.iter().filter_map(SortedPlace::run) {
                    spill.remove(run)?;
                }
                done = group.end;
            }
            places.extend(left);
            crew.flush()?;
        }
    }

    /// Merges sources, the first of which is number `first` of all, into a run.
    fn merge_to_run(
        &self,
        crew: &mut Crew<'_>,
        way: MergeMethod,
        memory: &mut Vec<Region>,
        spill: &mut Spill,
        first: usize,
        sources: &[SortedPlace],
    ) -> Result<Run> {
        let (before, ragged) = (crew.sums(), crew.inputs.ragged);
        let run = NewRun::of_sources(self, spill, sources)?;
        let brought = self.merge(crew, way, memory, sources, run.destination())?;
        let file = run.file();
        let run = run.finish(self.key, crew, brought)?;
        let keys = crew.close_tally();
        spill.note(file, crew, |crew| {
            let (read, dropped) = crew.sums();
            LogEntry::Merged(MergedEntry {
                range: (first, first + sources.len()),
                run: run.clone(),
                read: read.less(before.0),
                ragged: crew.inputs.ragged - ragged,
                dropped: dropped.less(before.1),
                keys,
            })
        })?;
        spill.settle(crew)?; // What it was merged from goes now.
        Ok(run)
    }

    /// Returns the way to merge `places`, and the groups of neighbours to merge first.
    fn groups(&self, places: &[SortedPlace]) -> Result<(MergeMethod, Vec<Range<usize>>)> {
        match self.plan {
            MergePlan::Runs(plan, external) => {
                let runs = runs_of(places);
                let copies = self.rules.copies_beside(plan, &runs);
                let choice = Choice::new(plan, external, &runs, copies)?;
                Ok((choice.way, choice.groups))
            }
            MergePlan::Inputs(plan) => {
                Ok((MergeMethod::Streams, intermediate_groups(places.len(), plan.width)))
            }
        }
    }

    /// Says how much there is to do, now that these groups are merged before all runs are: more
    /// than was planned, if long records make merges narrower.
    fn expect(&self, crew: &Crew<'_>, places: &[SortedPlace], groups: &[Range<usize>]) {
        let bytes =
            |places: &[SortedPlace]| places.iter().filter_map(SortedPlace::bytes).sum::<u64>();
        let again: u64 = groups.iter().map(|group| bytes(&places[group.clone()])).sum();
        let (done, total) = crew.progress.bytes();
        if let (Some(total), MergePlan::Runs(..)) = (total, self.plan) {
            let total = total.max(done + 2 * (again + bytes(places)));
            crew.progress.expect_more(Phase::IntermediateMerge, 2 * again, total);
        }
    }

    /// Merges `places` to `destination`.
    pub fn merge(
        &self,
        crew: &mut Crew<'_>,
        way: MergeMethod,
        memory: &mut Vec<Region>,
        places: &[SortedPlace],
        destination: Destination<'_>,
    ) -> Result<Brought> {
        match (way, self.plan) {
            (MergeMethod::Slabs, MergePlan::Runs(plan, external)) => {
                merge_slabs(self, plan, external, crew, memory, &runs_of(places), destination)
            }
            _ => merge_streams(self, crew, memory, places, destination),
        }
    }
}

/// Returns the runs among `places`.
pub fn runs_of(places: &[SortedPlace]) -> Vec<Run> {
    places.iter().filter_map(SortedPlace::run).cloned().collect()
}

/// Returns the places of runs.
pub fn places_of(runs: Vec<Run>) -> Vec<SortedPlace> {
    runs.into_iter().map(SortedPlace::Spilled).collect()
}
