//! Merging sources as streams: from their beginnings to their ends, a window on each.
//!
//! ```text
//!   source a  |....|<- window: the next record, whole ->|<- piece read ahead ->|........|
//!   source b  |..........|<- window ->|<- piece ->|.....................................|
//! ```
//!
//! Between the windows of a sort's runs and their files are buffers that grow and shrink
//! (`buffers`).
//!
//! Inputs that are sorted already are merged so, and runs whose records are too long for slabs. A
//! run says how long its longest record is, so that windows are sure to have room. All workers
//! merge inputs that can be cut at keys (`ranges`). One worker merges the others, while the engine
//! reads ahead and writes full buffers.
//!
//! Progress of the output is noted between two stages. Nothing is half done there, and each source
//! continues at its next record.

use super::buffers::BufferPool;
use super::feed::Feed;
use super::kept::Guard;
use super::place::Standing;
use super::ranges::Ranges;
use super::records::StreamRecords;
use super::source::Source;
use super::tournament::Tournament;
use super::{InputAccount, SortedPlace, open};
use crate::error::{Error, Result};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::manifest::{SlabEntry, StreamsEntry};
use crate::merge::Bound;
use crate::operator::TaskOutlet;
use crate::order::OrderCheck;
use crate::pipeline::checkpoints::MergedTo;
use crate::pipeline::crew::Crew;
use crate::pipeline::destination::Destination;
use crate::pipeline::merge::{Brought, MergeContext, MergePlan, runs_of};
use crate::pipeline::slab_merge::table_window_bytes;
use crate::pipeline::stage::Worker;
use crate::plan::passes::longest_bytes;
use crate::plan::streams::{RunStreams, StreamPlan};
use crate::plan::{ExternalPlan, Plan};
use crate::proof::Sum;
use crate::run::{Run, RunReader};
use crate::stats::{Activity, Progress};
use crate::sys::limits;

/// Divisor of the memory for long records that gives the part for the copy of one that a selection
/// holds, if it holds one. Each further copy takes as much.
const KEPT_SHARE: usize = 3;

/// Bytes of the window on the table of each run that inputs were merged into: a page for each
/// megabyte or more of its records.
const TABLE_WINDOW_BYTES: usize = 8 << 10;

/// Merges `places` to `destination`. With an input plan, `memory` has the pieces to read ahead; a
/// sort's loads hold no memory meanwhile.
pub fn merge_streams<K: KeyEncoder>(
    merge: &MergeContext<'_, K>,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    places: &[SortedPlace],
    destination: Destination<'_>,
) -> Result<Brought> {
    // The threads of run generation have left memory in many arenas of the allocator.
    limits::trim_memory();
    let destination =
        Destination { checkpoints: destination.checkpoints.of_streams(), ..destination };
    let is_own = |past: &SlabEntry| match (merge.plan, &past.streams) {
        (MergePlan::Runs(..), _) => true,
        (MergePlan::Inputs(_), streams) => {
            streams.as_ref().is_some_and(|streams| streams.passed.len() == places.len())
        }
    };
    let past = destination.checkpoints.begin(&destination, crew, is_own)?;
    let mut brought = Brought { sum: sum_of_runs(merge, places)?, ..Brought::default() };
    let ragged_before = crew.inputs.ragged;
    let mut starts: Vec<Standing> = places.iter().map(SortedPlace::first).collect();
    if let Some(past) = past {
        brought.bytes = past.offset.saturating_sub(destination.start);
        starts = resume(merge.plan, &past, crew);
        for (place, start) in places.iter().zip(&starts).filter(|(place, _)| !place.is_spilled()) {
            brought.sum.records += start.records;
            crew.inputs.record_bytes += start.offset.saturating_sub(place.first().offset);
        }
    }
    let mut is_over = false;
    if let MergePlan::Inputs(plan) = merge.plan {
        let mut ranges = Ranges::cut(merge, plan, places, &starts, &destination, memory)?;
        while let Some(cut) = ranges.as_mut().filter(|_| !is_over) {
            if !cut.merge_stage(crew, memory, destination, &mut brought, &mut starts)? {
                break;
            }
            is_over = cut.are_over();
            if !is_over {
                note(destination, crew, &starts, brought.bytes)?;
            }
        }
    }
    if !is_over {
        merge_alone(merge, crew, memory, places, &starts, destination, &mut brought)?;
    }
    brought.sum.records -= crew.inputs.ragged - ragged_before;
    let runs = runs_of(places);
    let expected = runs.iter().map(|run| run.bytes).sum();
    let is_known = runs.len() == places.len() && destination.selection.is_none();
    if is_known && brought.bytes != expected {
        return Err(Error::Changed { expected, found: brought.bytes });
    }
    Ok(brought)
}

/// Returns the sum of the runs among `places`.
fn sum_of_runs<K: KeyEncoder>(merge: &MergeContext<'_, K>, places: &[SortedPlace]) -> Result<Sum> {
    let mut sum = Sum::default();
    for run in places.iter().filter_map(SortedPlace::run) {
        sum.add(RunReader::open(run, merge.direct.spill)?.footer().sum);
    }
    Ok(sum)
}

/// Notes that a merge of ranges has come to `standings`.
fn note(
    destination: Destination<'_>,
    crew: &mut Crew<'_>,
    standings: &[Standing],
    bytes: u64,
) -> Result<()> {
    let ends: Vec<u64> = standings.iter().map(|standing| standing.offset).collect();
    let streams = StreamsEntry {
        passed: standings.iter().map(|standing| (standing.records, standing.lines)).collect(),
        read: crew.sums().0,
        ragged: crew.inputs.ragged,
        keys: crew.tally(),
    };
    let bound = Bound { run: 0, offset: ends[0] };
    let place = MergedTo { bound, ends: &ends, bytes, streams: Some(streams) };
    destination.checkpoints.note_merged(&destination, place, ends.iter().copied(), crew)
}

/// Merges sources from their starts on by one worker.
fn merge_alone<K: KeyEncoder>(
    merge: &MergeContext<'_, K>,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    places: &[SortedPlace],
    starts: &[Standing],
    destination: Destination<'_>,
    brought: &mut Brought,
) -> Result<()> {
    let feed = match merge.plan {
        MergePlan::Inputs(plan) => {
            input_feed(merge, plan, std::mem::take(memory), 1, crew.progress)?
        }
        MergePlan::Runs(plan, external) => {
            memory.iter_mut().for_each(Region::release);
            crew.release_memory()?;
            run_feed(merge, plan, external, &runs_of(places), crew.progress)?
        }
    };
    let mut streams = OpenStreams::open(merge, feed, places, starts, None)?;
    let stay = crew.workers[0].begin_alone(Activity::Merging);
    let stage_bytes = destination.checkpoints.stage_bytes();
    let start = brought.bytes;
    while streams.tree.winner().is_some() && !destination.is_full() {
        streams.merge_stage(crew, destination, stage_bytes, brought)?;
        if streams.tree.winner().is_some() && destination.checkpoints.is_due() {
            let (bound, ends, standing) = streams.standing(crew);
            let bytes = brought.bytes;
            let place = MergedTo { bound, ends: &ends, bytes, streams: Some(standing) };
            destination.checkpoints.note_merged(&destination, place, ends.iter().copied(), crew)?;
        }
    }
    let part = streams.close(&mut crew.workers[0], brought.bytes - start)?;
    crew.workers[0].end_alone(stay);
    let pieces = part.add_to(brought, crew);
    if let MergePlan::Inputs(_) = merge.plan {
        *memory = pieces;
    }
    Ok(())
}

/// Continues where `past` says, and returns where the sources begin.
fn resume(plan: MergePlan<'_>, past: &SlabEntry, crew: &mut Crew<'_>) -> Vec<Standing> {
    let ends = past.ends.iter().copied();
    let (MergePlan::Inputs(_), Some(streams)) = (plan, &past.streams) else {
        return ends.map(Standing::at).collect();
    };
    crew.workers[0].sum_in = streams.read;
    crew.keys = streams.keys.clone();
    crew.inputs.ragged = streams.ragged;
    let passed = ends.zip(streams.passed.iter().copied());
    passed.map(|(offset, (records, lines))| Standing { offset, records, lines }).collect()
}

/// Account of sources that were merged, and of what read them.
#[derive(Debug, Default)]
pub struct MergedPart {
    /// Records of inputs, and the sum of those that are summed.
    sum: Sum,
    /// Bytes written, where there is no selection.
    pub bytes: u64,
    longest_bytes: u64,
    /// Records and lines that were passed of each source.
    pub passed: Vec<Standing>,
    account: InputAccount,
    pieces: Vec<Region>,
}

impl MergedPart {
    /// Returns the account of `sources` sources of which nothing was merged yet.
    pub fn new(sources: usize) -> Self {
        Self { passed: vec![Standing::default(); sources], ..Self::default() }
    }

    /// Adds another part of the same sources, and returns the pieces it was read in.
    pub fn add(&mut self, part: Self) -> Vec<Region> {
        self.sum.add(part.sum);
        self.bytes += part.bytes;
        self.longest_bytes = self.longest_bytes.max(part.longest_bytes);
        self.account.add(&part.account);
        for (all, passed) in self.passed.iter_mut().zip(part.passed) {
            all.records += passed.records;
            all.lines += passed.lines;
        }
        part.pieces
    }

    /// Adds this to the account of a job, and returns the pieces that were read in.
    pub fn add_to(self, brought: &mut Brought, crew: &mut Crew<'_>) -> Vec<Region> {
        brought.sum.add(self.sum);
        brought.longest_bytes = brought.longest_bytes.max(self.longest_bytes);
        crew.inputs.add(&self.account);
        self.pieces
    }
}

/// Open sources of a merge.
pub struct OpenStreams<'m, 'k, 'p, K> {
    merge: &'m MergeContext<'k, K>,
    places: &'m [SortedPlace],
    starts: &'m [Standing],
    feed: Feed<'p>,
    tree: Tournament<'k, K>,
    longest_bytes: u64,
    /// True if the sources end before their last records.
    is_range: bool,
}

impl<'m, 'k, 'p, K: KeyEncoder> OpenStreams<'m, 'k, 'p, K> {
    /// Opens sources from `starts` on, each up to its end among `ends` or to its last record.
    pub fn open(
        merge: &'m MergeContext<'k, K>,
        mut feed: InputFeed<'p>,
        places: &'m [SortedPlace],
        starts: &'m [Standing],
        ends: Option<&[u64]>,
    ) -> Result<Self> {
        let mut sources = Vec::with_capacity(places.len());
        for (number, (place, start)) in places.iter().zip(starts).enumerate() {
            let (from, to) = (start.offset, ends.map(|ends| ends[number]));
            let reading = open(place, merge.direct, from, to, feed.table_bytes, &mut feed.feed)?;
            let (framing, is_input) = (merge.rules.framing, !place.is_spilled());
            let is_summed = merge.rules.verify && is_input;
            let source = Source::new(reading, framing, feed.window_bytes, is_summed)?;
            // What we have merged ourselves is in order, and was looked at.
            let gate = is_input.then_some(merge.gate);
            sources.push(source.limited_to(feed.longest).with_gate(gate, merge.key).at(*start));
        }
        let (guard, mut feed) = (merge.is_checked.then(|| Guard::new(false)), feed.feed);
        let tree = Tournament::new(merge.key, sources, guard, &mut feed)?;
        let is_range = ends.is_some();
        Ok(Self { merge, places, starts, feed, tree, longest_bytes: 0, is_range })
    }

    /// Returns the next records, up to `bytes` bytes, which `check` looks at.
    pub fn records(
        &mut self,
        check: OrderCheck<'k, K>,
        bytes: u64,
    ) -> StreamRecords<'_, 'k, 'p, K> {
        StreamRecords {
            tree: &mut self.tree,
            feed: &mut self.feed,
            framing: self.merge.rules.framing,
            check,
            left: bytes,
            longest_bytes: &mut self.longest_bytes,
        }
    }

    /// Merges the next `bytes` bytes of records, or all that are left.
    fn merge_stage(
        &mut self,
        crew: &mut Crew<'_>,
        destination: Destination<'_>,
        bytes: u64,
        brought: &mut Brought,
    ) -> Result<()> {
        let (key, framing) = (self.merge.key, self.merge.rules.framing);
        let Worker { lane, sum_out, .. } = &mut crew.workers[0];
        let mut records = self.records(destination.check(key), bytes);
        let start = brought.bytes;
        brought.bytes += destination.write_from(key, lane, start, |outlet| match outlet {
            TaskOutlet::All(writer) => {
                let (to, records) = (destination, &mut records);
                let end = to.write_all(key, framing, records, start, writer, sum_out)?;
                Ok(end - start)
            }
            TaskOutlet::Selected(writer) => {
                destination.select_all(&mut records, writer).map(|()| 0)
            }
        })?;
        let check = records.check;
        destination.order.end_task(key, 0, check)
    }

    /// Returns the next record, where each source goes on, and what else is noted.
    fn standing(&self, crew: &Crew<'_>) -> (Bound, Vec<u64>, StreamsEntry) {
        let (first, sources) = self.tree.standing();
        let (mut read, mut ragged) = (crew.sums().0, crew.inputs.ragged);
        let mut keys = crew.tally();
        let (mut ends, mut passed) = (Vec::new(), Vec::new());
        for (source, place) in sources.iter().zip(self.places) {
            let Standing { offset, records, lines } = source.standing();
            ends.push(place.end_in(offset));
            passed.push((records, lines));
            if !place.is_spilled() {
                read.add(source.sum_before());
            }
            ragged += source.ragged();
            keys.add(&source.keys_before(self.merge.key));
        }
        let bound = Bound { run: first, offset: ends[first] };
        let streams = match self.merge.plan {
            MergePlan::Runs(..) => StreamsEntry::default(),
            MergePlan::Inputs(_) => StreamsEntry { passed, read, ragged, keys },
        };
        (bound, ends, streams)
    }

    /// Ends the merge, of which `bytes` bytes were written, and accounts for what was read.
    pub fn close(mut self, worker: &mut Worker<'_>, bytes: u64) -> Result<MergedPart> {
        let mut part =
            MergedPart { bytes, longest_bytes: self.longest_bytes, ..MergedPart::new(0) };
        let places = self.places.iter().zip(self.starts);
        for (source, (place, start)) in self.tree.into_sources().into_iter().zip(places) {
            let end = source.standing();
            let records = end.records.saturating_sub(start.records);
            let lines = end.lines.saturating_sub(start.lines);
            part.passed.push(Standing { offset: end.offset, records, lines });
            if !place.is_spilled() {
                part.sum.add(Sum { records, ..source.sum() });
                worker.sum_in.add(source.sum());
                worker.keys.add(&source.keys());
                part.account.ragged += source.ragged();
                part.account.record_bytes += place.end_in(end.offset).saturating_sub(start.offset);
                // What stands at the top was read too.
                let top = if start.offset == place.first().offset { start.offset } else { 0 };
                part.account.bytes += place.end_in(end.offset) + top - start.offset;
            }
            source.close(&mut self.feed)?;
        }
        let counters = self.feed.counters();
        worker.lane.count(counters);
        (part.account.run_reads, part.account.is_direct) = self.feed.reads();
        part.account.buffers = self.feed.buffers();
        if self.is_range {
            // Blocks at both ends of a range are read for its neighbours, too.
            part.account.bytes = counters.bytes_read - part.account.run_reads.1.bytes();
        }
        part.pieces = self.feed.into_pieces();
        Ok(part)
    }
}

/// Reader of the sources of one merge, and the memory of each.
pub struct InputFeed<'p> {
    feed: Feed<'p>,
    /// Bytes of a window, at first.
    window_bytes: usize,
    /// Most bytes of a record, if it is limited.
    longest: Option<usize>,
    /// Bytes of the window on the table of a run.
    table_bytes: usize,
}

/// Returns the bytes of a merge of inputs for the copies of one long record, of which a selection
/// holds `copies`.
pub fn kept_of_inputs(plan: &StreamPlan, copies: u64) -> usize {
    let copies = copies as usize;
    plan.spare_bytes / (KEPT_SHARE - 1 + copies) * copies
}

/// Returns what reads inputs in these pieces, with the share of one of `threads` workers.
pub fn input_feed<'p, K: KeyEncoder>(
    merge: &MergeContext<'_, K>,
    plan: &StreamPlan,
    pieces: Vec<Region>,
    threads: usize,
    progress: &'p Progress,
) -> Result<InputFeed<'p>> {
    // A selection holds copies of its own, which no window counts.
    let copies = merge.rules.kept_copies() as usize;
    let kept = kept_of_inputs(plan, copies as u64);
    let spare_bytes = (plan.spare_bytes - kept) / threads;
    Ok(InputFeed {
        feed: Feed::new(merge.engine, plan.read_depth, pieces, spare_bytes, progress)?
            .waiting(plan.waits),
        window_bytes: plan.piece_bytes,
        longest: kept.checked_div(copies).map(|kept| plan.piece_bytes + kept),
        table_bytes: TABLE_WINDOW_BYTES,
    })
}

/// Returns what reads runs, in buffers of their own.
fn run_feed<'p, K: KeyEncoder>(
    merge: &MergeContext<'_, K>,
    plan: &Plan,
    external: &ExternalPlan,
    runs: &[Run],
    progress: &'p Progress,
) -> Result<InputFeed<'p>> {
    let longest: Vec<u64> = runs.iter().map(|run| run.longest_bytes).collect();
    // A selection holds copies of its own, which no window counts.
    let kept = (merge.rules.copies_beside(plan, runs) * longest_bytes(runs)) as usize;
    let bytes = plan.stream_bytes().saturating_sub(kept);
    let streams = RunStreams::new(&longest, bytes, &plan.levers);
    let pool = BufferPool::new(streams.buffers)?;
    Ok(InputFeed {
        feed: Feed::of_runs(merge.engine, pool, streams.spare_bytes, progress)?
            .waiting(plan.levers.waits()),
        window_bytes: streams.window_bytes,
        longest: None,
        table_bytes: table_window_bytes(external, runs.len()),
    })
}
