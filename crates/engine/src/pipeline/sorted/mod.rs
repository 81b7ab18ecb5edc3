//! Merging and checking sorted sources as streams.
//!
//! Files are read ahead by the engine, and pipes when they are needed. What is merged again is
//! written as runs are, so that every block read back is checked. The proof is that of a sort: the
//! records that were read from the inputs are those that were written or dropped.

mod buffers;
mod check;
mod cuts;
pub(super) mod feed;
mod kept;
pub(super) mod place;
mod ranges;
mod records;
pub(super) mod source;
mod streams;
mod tournament;

use std::collections::VecDeque;

use super::checkpoints::Checkpoints;
use super::crew::{Crew, OverlappedPhases, Staff, cut};
use super::delivery::{Delivery, prove};
use super::merge::{Brought, MergeContext, MergePlan, RecordRules};
use super::outcome::Written;
use super::spill::Spill;
use super::{Gate, Outcome};
use crate::error::Result;
use crate::io::{Arena, DirectStreams, Engine, Region, pipe};
use crate::key::KeyEncoder;
use crate::manifest::{Past, PastMerge, SlabEntry};
use crate::operator::{KeptMemory, KeptRoom};
use crate::output::OpenOutput;
use crate::plan::passes::intermediate_groups;
use crate::plan::streams::StreamPlan;
use crate::run::{RunBlocks, RunReader};
use crate::stats::{MergeBuffers, Phase, PhaseShare, Progress, Requests, SourceShare};
use crate::sys::Affinity;
use crate::units::ByteSize;

pub use check::{CheckWork, Checked, Disorder, check};
use feed::{Feed, Reading};
pub use place::SortedPlace;
pub use streams::merge_streams;

/// A merge with everything decided.
#[derive(Debug)]
pub struct MergeWork {
    /// Plan of how many inputs are open at once, and of their memory.
    pub plan: StreamPlan,
    /// Inputs to merge; of equal records those of earlier inputs go first. Empty when the merge is
    /// done.
    pub inputs: Vec<SortedPlace>,
    /// Rules for the records that are written.
    pub rules: RecordRules,
    /// Conditions on records.
    pub gate: Gate,
    /// Bytes at the top of the output.
    pub header: Vec<u8>,
    /// The engine.
    pub engine: Engine,
    /// Choice of whether files bypass the page cache.
    pub direct: DirectStreams,
    /// True if an input that is not sorted is an error.
    pub is_checked: bool,
    /// True if it is noted only now and then how far the output has come, where that is noted.
    pub is_thrifty: bool,
}

/// Account of the inputs that merges have read.
#[derive(Clone, Copy, Debug)]
pub struct InputAccount {
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes of their records.
    pub record_bytes: u64,
    /// Requests that read runs, and their bytes: in one phase there are reads of both.
    pub run_reads: (Requests, ByteSize),
    /// True if every input was read past the page cache.
    pub is_direct: bool,
    /// Workers that merged at the same time, at most.
    pub threads: usize,
    /// Buffers of a sort's runs, if these were merged as streams.
    pub buffers: Option<MergeBuffers>,
}

impl Default for InputAccount {
    fn default() -> Self {
        Self {
            ragged: 0,
            bytes: 0,
            record_bytes: 0,
            run_reads: Default::default(),
            is_direct: true,
            threads: 1,
            buffers: None,
        }
    }
}

impl InputAccount {
    /// Adds the account of others.
    fn add(&mut self, other: &Self) {
        self.ragged += other.ragged;
        self.bytes += other.bytes;
        self.record_bytes += other.record_bytes;
        self.run_reads.0 = self.run_reads.0.plus(other.run_reads.0);
        self.run_reads.1.0 += other.run_reads.1.0;
        self.is_direct &= other.is_direct;
        self.threads = self.threads.max(other.threads);
        if let Some(buffers) = other.buffers {
            self.buffers = Some(self.buffers.map_or(buffers, |before| buffers.after(before)));
        }
    }
}

/// Merges, or continues a merge of which something was noted.
pub fn merge<K: KeyEncoder>(
    work: &mut MergeWork,
    key: &K,
    output: &mut OpenOutput,
    spill: &mut Spill,
    progress: &Progress,
) -> Result<(Outcome, InputAccount)> {
    let inputs = std::mem::take(&mut work.inputs);
    let (inputs_count, past) = (inputs.len(), spill.take_past());
    let passes = 1 + u32::from(past.as_ref().is_some_and(|past| !past.runs.is_empty()));
    let bytes_of_all = record_bytes(&inputs);
    let (mut places, past) = left(inputs, past);
    let work = &*work;
    reserve(work, &places, past.slab.as_ref(), output, spill, progress)?;
    let (mut crew, mut memory) = crew(work, inputs_count, progress)?;
    crew.workers[0].sum_in.add(past.read);
    crew.workers[0].sum_out.add(past.dropped);
    (crew.keys, crew.inputs.ragged) = (past.keys, past.ragged);
    // Inputs of runs that were merged before are not read again.
    crew.inputs.record_bytes = bytes_of_all - record_bytes(&places);
    let merge = MergeContext {
        key,
        rules: &work.rules,
        plan: MergePlan::Inputs(&work.plan),
        engine: work.engine,
        direct: work.direct,
        gate: &work.gate,
        is_checked: work.is_checked,
        task_bytes: 0,
    };
    crew.enter(Phase::IntermediateMerge)?;
    let narrowed = merge.narrow(&mut crew, &mut memory, spill, &mut places)?;
    crew.enter(Phase::Writing)?;
    let slab = past.slab.filter(|slab| slab.ends.len() == places.len());
    let checkpoints = &Checkpoints::new(spill.take_manifest(), slab, work.is_thrifty);
    let (rules, header) = (&work.rules, work.header.clone());
    let kept = kept_memory(work);
    let delivery = Delivery { rules, header, size: None, checkpoints, kept };
    let written = delivery.write(key, &mut crew, output, |crew, to| {
        merge.merge(crew, narrowed.way, &mut memory, &places, to)
    });
    if checkpoints.were_noted() {
        spill.mark_begun();
    }
    let (written, brought) = written?;
    crew.close_tally();
    crew.enter(Phase::Finishing)?;
    // Merges that write some of the records do not read the others.
    let is_proven = work.rules.verify && !work.rules.select.is_partial();
    let proof = is_proven.then(|| prove(&crew, None)).transpose()?;
    let (records, bytes) = merged_amount(&crew, rules, &brought, &written);
    let outcome = Outcome {
        records,
        bytes,
        written,
        passes: passes + narrowed.passes,
        runs: inputs_count as u64,
        runs_merged_again: narrowed.merged,
        merge_width: inputs_count.min(work.plan.width) as u64,
        phases: crew.phases(),
        engine: crew.engine(),
        ragged: work.gate.drops_ragged().then_some(crew.inputs.ragged),
        proof,
        is_order_proven: work.rules.proves_order,
        keys: key.findings(&crew.keys),
        ..Outcome::default()
    };
    Ok((outcome, crew.inputs))
}

/// Returns the memory for long records that a selection keeps.
fn kept_memory(work: &MergeWork) -> KeptMemory<'static> {
    let copies = work.rules.kept_copies();
    let bytes = streams::kept_of_inputs(&work.plan, copies) as u64;
    let bytes = bytes + copies * work.plan.piece_bytes as u64;
    KeptMemory { load: &[], room: KeptRoom { bytes, least: None } }
}

/// Returns the number of records that were merged, and their bytes.
fn merged_amount(
    crew: &Crew<'_>,
    rules: &RecordRules,
    brought: &Brought,
    written: &Written,
) -> (u64, u64) {
    match written.records {
        // The records that were read depend on the size of buffers.
        Some(selected) if rules.select.is_partial() => (selected, written.of_records()),
        Some(_) => (crew.sums().0.records, crew.inputs.record_bytes),
        None => (brought.sum.records, written.of_records()),
    }
}

/// Returns the bytes of the records of inputs, where the length of these is known.
fn record_bytes(inputs: &[SortedPlace]) -> u64 {
    let known = inputs.iter().filter(|place| !place.is_spilled());
    let bytes = known.filter_map(|place| Some(place.bytes()?.saturating_sub(place.first().offset)));
    bytes.sum()
}

/// Returns what is left of `inputs` to be merged, and what was done before.
fn left(inputs: Vec<SortedPlace>, past: Option<Past>) -> (Vec<SortedPlace>, Past) {
    let Some(mut past) = past else { return (inputs, Past::default()) };
    let mut runs = VecDeque::from(std::mem::take(&mut past.runs));
    let place = |merging: &PastMerge| match merging {
        PastMerge::Input(number) => inputs.get(*number).cloned(),
        PastMerge::Run => runs.pop_front().map(SortedPlace::Spilled),
    };
    (past.merging.iter().filter_map(place).collect(), past)
}

/// Makes sure that there is room, before there is work that could be lost, and says how much there
/// is to do. Of streams, nothing can be said but how much their sources let expect.
fn reserve(
    work: &MergeWork,
    inputs: &[SortedPlace],
    slab: Option<&SlabEntry>,
    output: &OpenOutput,
    spill: &Spill,
    progress: &Progress,
) -> Result<()> {
    let Some(mut sizes) = inputs.iter().map(SortedPlace::bytes).collect::<Option<Vec<u64>>>()
    else {
        if let Some(source) = SourceShare::common(inputs.iter().map(SortedPlace::source)) {
            progress.expect_by(source, |bytes| vec![PhaseShare::only(Phase::Writing, 2 * bytes)]);
        }
        return Ok(());
    };
    let lines_lacking = work.rules.framing.terminator().map_or(0, |_| sizes.len() as u64);
    let bytes = sizes.iter().sum::<u64>();
    let keeps_all = work.rules.select.is_all();
    if keeps_all {
        output.reserve(bytes + lines_lacking)?;
    }
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
            if needed > 0 && keeps_all {
                spill.check_limit(needed)?;
                spill.check_space(needed, 0, needed)?;
            }
        }
    }
    let done = slab.filter(|_| spilled == 0).map_or(0, |slab| slab.ends.iter().sum());
    progress.expect_bytes(2 * (bytes + spilled).saturating_sub(done));
    Ok(())
}

/// Returns the workers of a merge, and the pieces in which inputs are read ahead.
fn crew<'p>(
    work: &MergeWork,
    inputs: usize,
    progress: &'p Progress,
) -> Result<(Crew<'p>, Vec<Region>)> {
    let StreamPlan { threads, lane, .. } = work.plan;
    let staff = Staff {
        threads,
        lane,
        scratch: None,
        read_depth: 0,
        overlaps: OverlappedPhases { runs: true, merge: true },
        waits: work.plan.waits,
        affinity: Affinity::default(),
    };
    let mut arena = Arena::new(ByteSize(staff.bytes() as u64))?;
    let crew = Crew::new(&staff, &mut arena, work.engine, progress)?;
    Ok((crew, pieces(&work.plan, inputs, threads)?))
}

/// Returns the pieces in which `threads` workers read `inputs` inputs ahead.
fn pieces(plan: &StreamPlan, inputs: usize, threads: usize) -> Result<Vec<Region>> {
    let count = threads * inputs.clamp(1, plan.width);
    let mut arena = Arena::new(ByteSize((count * plan.piece_bytes) as u64))?;
    Ok((0..count).map(|_| cut(&mut arena, plan.piece_bytes)).collect())
}

/// Opens an input; of a file, or of the records of a run, bytes `from..to`. The window on the table
/// of a run has `table_bytes` bytes.
fn open(
    place: &SortedPlace,
    direct: DirectStreams,
    from: u64,
    to: Option<u64>,
    table_bytes: usize,
    feed: &mut Feed<'_>,
) -> Result<Reading> {
    match place {
        SortedPlace::Stdin => Ok(feed.open_stream(pipe::PipeReader::stdin()?)),
        SortedPlace::Stream(path) => Ok(feed.open_stream(pipe::PipeReader::open(path)?)),
        SortedPlace::Supplied { stream, .. } => {
            Ok(feed.open_stream(pipe::PipeReader::supplied(stream.clone())))
        }
        SortedPlace::File { records, .. } => {
            let reading = feed.open(place.open_file(direct.input)?, from, to)?;
            Ok(reading.of_records(records.filter(|_| to.is_none())))
        }
        SortedPlace::Spilled(run) => {
            let run = RunReader::open(run, direct.spill)?;
            feed.open_run(RunBlocks::new(run, table_bytes)?, from, to)
        }
    }
}
