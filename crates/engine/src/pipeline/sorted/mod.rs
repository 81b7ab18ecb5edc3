//! Merging and checking inputs that are sorted already, as streams.
//!
//! ```text
//!   inputs   a  b  c  d  e  f  g  h        more than can be open, or have memory, at once
//!             \ | /    \ | /   |  |
//!   merged     abc      def    g  h        neighbours, so that equal records stay in order
//!                 \      |    /  /
//!   output          a b c d e f g h
//! ```
//!
//! One thread does all; files are read ahead and written behind by the engine. What is merged again
//! is written as runs are, so that every block read back is checked. The proof is that of a sort:
//! the records that were read from the inputs are those that were written, and with `is_unique`
//! those that were dropped.
//!
//! A sort merges its runs this way (`runs`) where their records are too long for slabs.

mod check;
mod emission;
pub(super) mod feed;
mod kept;
mod merger;
mod place;
mod runs;
pub(super) mod source;
mod tournament;

use std::collections::VecDeque;

use super::checkpoints::Checkpoints;
use super::crew::cut;
use super::gathering::Destination;
use super::spill::Spill;
use super::{Gate, Outcome, Written};
use crate::error::Result;
use crate::format::Framing;
use crate::io::{Arena, DirectStreams, Engine, Region, pipe};
use crate::key::{CompiledKey, KeyEncoder};
use crate::manifest::{Past, PastMerge, SlabEntry};
use crate::order::OrderProof;
use crate::output::OpenOutput;
use crate::plan::passes::intermediate_groups;
use crate::plan::streams::StreamPlan;
use crate::run::layout::BLOCK;
use crate::run::{RunBlocks, RunReader};
use crate::stats::{Phase, Progress, Requests, Streams};
use crate::units::ByteSize;

pub use check::{CheckWork, Checked, Disorder, check};
use feed::{Feed, Reading};
use merger::Merger;
pub use place::Place;
pub use runs::merge_runs;

/// Bytes of the window on the table of each run that is merged again: a page for each megabyte or
/// more of its records.
const TABLE_WINDOW_BYTES: usize = 8 << 10;

/// A merge with everything decided.
#[derive(Debug)]
pub struct MergeWork {
    /// Plan of how many inputs are open at once, and of their memory.
    pub plan: StreamPlan,
    /// Inputs to merge; of equal records those of earlier inputs go first. Empty when the merge is
    /// done.
    pub inputs: Vec<Place>,
    /// Framing that separates records.
    pub framing: Framing,
    /// Conditions on records.
    pub gate: Gate,
    /// Bytes at the top of the output.
    pub header: Vec<u8>,
    /// The engine.
    pub engine: Engine,
    /// Choice of whether files bypass the page cache.
    pub direct: DirectStreams,
    /// True if the output is proven.
    pub verify: bool,
    /// The equality of records, if only the first of equal ones is written.
    pub unique: Option<UniqueBy>,
    /// True if an input that is not sorted is an error.
    pub is_checked: bool,
    /// True if it is noted only now and then how far the output has come, where that is noted.
    pub is_thrifty: bool,
}

/// The equality of records.
#[derive(Clone, Debug)]
pub struct UniqueBy {
    /// The first keys of the order, which make them so; all keys without one.
    pub group: Option<CompiledKey>,
}

impl MergeWork {
    /// Returns whether the order of what is written is proven: that of inputs which are merged
    /// unchecked is whatever it is.
    pub(super) fn proves_order(&self) -> bool {
        self.verify && self.is_checked
    }
}

/// Result of a merge.
#[derive(Debug)]
pub struct Merged {
    /// Outcome, as of a sort.
    pub outcome: Outcome,
    /// Bytes read and written.
    pub streams: Streams,
    /// Of all reads, those of runs: in one phase there are reads of both.
    pub run_reads: Requests,
    /// True if every input was read past the page cache.
    pub is_direct: bool,
}

/// Merges, or continues a merge of which something was noted.
pub fn merge<K: KeyEncoder>(
    work: &mut MergeWork,
    key: &K,
    (output, spill): (&mut OpenOutput, &mut Spill),
    progress: &Progress,
) -> Result<Merged> {
    let inputs = std::mem::take(&mut work.inputs);
    let (runs, past) = (inputs.len(), spill.take_past());
    let mut passes = 1 + u32::from(past.as_ref().is_some_and(|past| !past.runs.is_empty()));
    let mut runs_merged_again = 0;
    let (mut inputs, past) = left(inputs, past);
    let work = &*work;
    reserve(work, (&inputs, past.slab.as_ref()), output, spill, progress)?;
    let mut merger = Merger::new(work, runs, (key, &past), progress)?;
    merger.enter(Phase::IntermediateMerge);
    loop {
        let groups = intermediate_groups(inputs.len(), work.plan.width);
        if groups.is_empty() {
            break;
        }
        passes += 1;
        // One list into another: to cut out group after group would move millions each time.
        let (mut left, mut done) = (inputs.into_iter(), 0);
        let mut merged = Vec::with_capacity(groups.len());
        for group in groups {
            merged.extend(left.by_ref().take(group.start - done));
            runs_merged_again += group.len() as u64;
            let places: Vec<Place> = left.by_ref().take(group.len()).collect();
            merged.push(merger.spill((merged.len(), &places), spill)?);
            done = group.end;
        }
        merged.extend(left);
        inputs = merged;
    }
    merger.enter(Phase::Writing);
    let slab = past.slab.filter(|slab| slab.ends.len() == inputs.len());
    let checkpoints = spill.take_manifest();
    let checkpoints = checkpoints.map(|log| Checkpoints::new(log, slab, work.is_thrifty));
    let (sink, is_summed, start) = (output.growing_sink()?, work.verify, work.header.len() as u64);
    let (table, selection, checkpoints) = (None, None, checkpoints.as_ref());
    let (sink, order) = (&sink, &OrderProof::of_output(work.proves_order()));
    let destination = Destination { sink, table, is_summed, start, selection, order, checkpoints };
    let emitted = merger.write(&inputs, destination);
    if checkpoints.is_some_and(Checkpoints::were_noted) {
        spill.mark_begun();
    }
    let bytes = emitted?.bytes;
    merger.enter(Phase::Finishing);
    let merged = merger.finish()?;
    let runs = runs as u64;
    let merge_width = runs.min(work.plan.width as u64);
    let written = Written { bytes: start + bytes, records: None };
    let outcome =
        Outcome { passes, bytes, written, runs, runs_merged_again, merge_width, ..merged.outcome };
    Ok(Merged { outcome, ..merged })
}

/// Returns what is left of `inputs` to be merged, and what was done before.
fn left(inputs: Vec<Place>, past: Option<Past>) -> (Vec<Place>, Past) {
    let Some(mut past) = past else { return (inputs, Past::default()) };
    let mut runs = VecDeque::from(std::mem::take(&mut past.runs));
    let place = |merging: &PastMerge| match merging {
        PastMerge::Input(number) => inputs.get(*number).cloned(),
        PastMerge::Run => runs.pop_front().map(Place::Spilled),
    };
    (past.merging.iter().filter_map(place).collect(), past)
}

/// Makes sure that there is room, before there is work that could be lost, and says how much there
/// is to do. Nothing of it can be said of streams.
fn reserve(
    work: &MergeWork,
    (inputs, slab): (&[Place], Option<&SlabEntry>),
    output: &OpenOutput,
    spill: &Spill,
    progress: &Progress,
) -> Result<()> {
    let Some(mut sizes) = inputs.iter().map(Place::bytes).collect::<Option<Vec<u64>>>() else {
        return Ok(());
    };
    let lines_lacking = work.framing.terminator().map_or(0, |_| sizes.len() as u64);
    let bytes = sizes.iter().sum::<u64>();
    output.reserve(bytes + lines_lacking)?;
    let mut spilled = 0;
    loop {
        let groups = intermediate_groups(sizes.len(), work.plan.width);
        if groups.is_empty() {
            break;
        }
        let before = spilled;
        for group in groups.into_iter().rev() {
            let merged: u64 = sizes[group.clone()].iter().sum();
            spilled += merged;
            sizes.splice(group, [merged]);
        }
        // What a round reads is removed as it goes; the first has most of it still to come.
        if before == 0 {
            // Tables take less than one part in a hundred, and lie aside meanwhile.
            let needed = spilled + spilled / 50 + lines_lacking;
            if needed > 0 && work.unique.is_none() {
                spill.check_limit(needed)?;
            }
            spill.check_space(needed, 0, needed)?;
        }
    }
    let done = slab.filter(|_| spilled == 0).map_or(0, |slab| slab.ends.iter().sum());
    progress.expect_bytes(2 * (bytes + spilled).saturating_sub(done));
    Ok(())
}

/// The memory of all inputs that are merged at once, and of the output.
struct Memory {
    /// For reading ahead, one for each input.
    pieces: Vec<Region>,
    buffers: Vec<Region>,
    edges: Vec<Region>,
}

impl Memory {
    fn new(plan: &StreamPlan, inputs: usize) -> Result<Self> {
        let at_once = inputs.clamp(1, plan.width);
        let bytes = plan.lane.bytes() + at_once * plan.piece_bytes;
        let mut arena = Arena::new(ByteSize(bytes as u64))?;
        let mut take = |count: usize, bytes: usize| -> Vec<Region> {
            (0..count).map(|_| cut(&mut arena, bytes)).collect()
        };
        Ok(Self {
            pieces: take(at_once, plan.piece_bytes),
            buffers: take(plan.lane.buffers, plan.lane.buffer_bytes()),
            edges: take(plan.lane.edges, BLOCK),
        })
    }
}

/// Opens an input; a file from byte `from` on, of a run's records.
fn open(place: &Place, direct: DirectStreams, from: u64, feed: &mut Feed<'_>) -> Result<Reading> {
    match place {
        Place::Stdin => Ok(feed.open_stream(pipe::PipeReader::stdin()?)),
        Place::Stream(path) => Ok(feed.open_stream(pipe::PipeReader::open(path)?)),
        Place::Supplied { stream, .. } => {
            Ok(feed.open_stream(pipe::PipeReader::supplied(stream.clone())))
        }
        Place::File { .. } => feed.open(place.open_file(direct.input)?, from),
        Place::Spilled(run) => {
            let run = RunReader::open(run, direct.spill)?;
            feed.open_run(RunBlocks::new(run, TABLE_WINDOW_BYTES)?, from)
        }
    }
}
