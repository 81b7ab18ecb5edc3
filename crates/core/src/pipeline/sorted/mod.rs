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
mod runs;
pub(super) mod source;
mod tournament;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr_iter;

use super::crew::cut;
use super::gathering::Destination;
use super::phase_clock::PhaseClock;
use super::spill::{Size, Spill};
use super::{Gate, Outcome, Written};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Arena, Direct, DirectStreams, Engine, File, Region, SpillPlace, Supplied, pipe};
use crate::key::KeyEncoder;
use crate::output::Output;
use crate::plan::passes::intermediate_groups;
use crate::plan::streams::StreamPlan;
use crate::proof::Sum;
use crate::run::layout::BLOCK;
use crate::run::{Blocks, Run, RunReader, RunWriter};
use crate::sink::{Lane, LaneCounters, OPEN_LENGTH};
use crate::stats::{Phase, PhaseTime, Progress, Requests, Streams};
use crate::units::ByteSize;

pub use check::{CheckWork, Checked, Disorder, check};
use emission::{Emission, Emitted, Filter};
use feed::{Feed, Reading};
pub use runs::merge_runs;
use source::{Guard, Source};
use tournament::Tournament;

/// Bytes of the window on the table of each run that is merged again: a page for each megabyte or
/// more of its records.
const TABLE_WINDOW_BYTES: usize = 8 << 10;

/// A sorted input, not open yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard input.
    Stdin,
    /// A named pipe or device.
    Stream(PathBuf),
    /// What the caller makes.
    Supplied {
        /// The stream.
        stream: Supplied,
        /// Bytes of what stood at its top.
        skip: u64,
    },
    /// A file.
    File {
        /// Its name.
        path: PathBuf,
        /// How many bytes it has.
        bytes: u64,
        /// Bytes of what stands at its top.
        skip: u64,
        /// Whether it is the definition of a striped one.
        is_striped: bool,
    },
    /// A run of our own; removed when it has been merged.
    Spilled(Run),
}

impl Place {
    /// Bytes of it that are no records.
    fn skip(&self) -> u64 {
        match self {
            Self::File { skip, .. } | Self::Supplied { skip, .. } => *skip,
            Self::Stdin | Self::Stream(_) | Self::Spilled(_) => 0,
        }
    }

    /// Bytes it has, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Stream(_) => None,
            Self::Supplied { stream, .. } => stream.extent().map(|extent| extent.bytes),
            Self::File { bytes, .. } => Some(*bytes),
            Self::Spilled(run) => Some(run.bytes),
        }
    }

    /// Lets the bytes of a file begin behind what stands at its top.
    pub fn pass(&mut self, top: u64) {
        if let Self::File { skip, .. } = self {
            *skip = top;
        }
    }

    /// Opens a file.
    ///
    /// # Panics
    ///
    /// If it is none.
    pub fn open_file(&self, direct: Direct) -> Result<Arc<File>> {
        match self {
            Self::File { path, is_striped: true, .. } => File::open_stripes(path, direct),
            Self::File { path, .. } => File::open_read(path, direct),
            other => unreachable!("{other:?} is no file"),
        }
    }

    fn is_spilled(&self) -> bool {
        matches!(self, Self::Spilled(..))
    }
}

/// A merge with everything decided.
#[derive(Debug)]
pub struct MergeWork {
    /// How many at once, and their memory.
    pub plan: StreamPlan,
    /// What is merged; of equal records those of earlier inputs go first. Gone when it is done.
    pub inputs: Vec<Place>,
    /// Where merged inputs go that are merged again.
    pub temp: Vec<SpillPlace>,
    /// Most bytes of these together.
    pub temp_limit: Option<ByteSize>,
    /// How records are told apart.
    pub framing: Framing,
    /// What is asked of records.
    pub gate: Gate,
    /// What stands at the top of the output.
    pub header: Vec<u8>,
    /// The engine.
    pub engine: Engine,
    /// Whether files bypass the page cache.
    pub direct: DirectStreams,
    /// Whether the output is proven.
    pub verify: bool,
    /// Whether of equal records only the first is written.
    pub is_unique: bool,
    /// Whether an input that is not sorted is an error.
    pub is_checked: bool,
}

/// What a merge came to.
#[derive(Debug)]
pub struct Merged {
    /// As of a sort.
    pub outcome: Outcome,
    /// What was read and written.
    pub streams: Streams,
    /// Of all reads, those of runs: in one phase there are reads of both.
    pub run_reads: Requests,
    /// Whether every input was read past the page cache.
    pub is_direct: bool,
}

/// Merges.
pub fn merge<K: KeyEncoder>(
    work: &mut MergeWork,
    key: &K,
    output: &mut Output,
    progress: &Progress,
) -> Result<Merged> {
    let mut spill = Spill::new(work.temp.clone(), work.temp_limit);
    reserve(work, output, &spill, progress)?;
    let mut inputs = std::mem::take(&mut work.inputs);
    let (work, runs) = (&*work, inputs.len());
    let mut merger = Merger::new(work, runs, key, progress)?;
    let mut passes = 1;
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
            let places: Vec<Place> = left.by_ref().take(group.len()).collect();
            merged.push(merger.spill(&places, &mut spill)?);
            done = group.end;
        }
        merged.extend(left);
        inputs = merged;
    }
    merger.enter(Phase::Writing);
    let sink = output.sink(OPEN_LENGTH)?;
    let is_summed = work.verify;
    let destination = Destination {
        sink: &sink,
        table: None,
        is_summed,
        start: 0,
        selection: None,
        checkpoints: None,
    };
    let (Emitted { bytes, .. }, _) = merger.merge(&inputs, destination, true)?;
    merger.enter(Phase::Finishing);
    let merged = merger.finish()?;
    let runs = runs as u64;
    let merge_width = runs.min(work.plan.width as u64);
    let written = Written { bytes: work.header.len() as u64 + bytes, records: None };
    let outcome = Outcome { passes, bytes, written, runs, merge_width, ..merged.outcome };
    Ok(Merged { outcome, ..merged })
}

/// Makes sure that there is room, before there is work that could be lost, and says how much there
/// is to do. Nothing of it can be said of streams.
fn reserve(work: &MergeWork, output: &Output, spill: &Spill, progress: &Progress) -> Result<()> {
    let Some(mut sizes) = work.inputs.iter().map(Place::bytes).collect::<Option<Vec<u64>>>() else {
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
            if needed > 0 && !work.is_unique {
                spill.check_limit(needed)?;
            }
            spill.check_space(needed, 0, needed)?;
        }
    }
    progress.expect_bytes(2 * (bytes + spilled));
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

/// Opens an input.
fn open(place: &Place, direct: DirectStreams, feed: &mut Feed<'_>) -> Result<Reading> {
    match place {
        Place::Stdin => Ok(feed.open_stream(pipe::Reader::stdin()?)),
        Place::Stream(path) => Ok(feed.open_stream(pipe::Reader::open(path)?)),
        Place::Supplied { stream, .. } => {
            Ok(feed.open_stream(pipe::Reader::supplied(stream.clone())))
        }
        Place::File { skip, .. } => {
            let mut reading = feed.open(place.open_file(direct.input)?)?;
            reading.pass(*skip, feed)?;
            Ok(reading)
        }
        Place::Spilled(run) => {
            feed.open_run(Blocks::new(RunReader::open(run, direct.spill)?, TABLE_WINDOW_BYTES)?)
        }
    }
}

/// Merges group after group.
struct Merger<'a, K> {
    work: &'a MergeWork,
    key: &'a K,
    progress: &'a Progress,
    feed: Feed<'a>,
    lane: Lane<'a>,
    tally: Tally,
    phases: Vec<(PhaseTime, LaneCounters)>,
    entered: PhaseClock,
    streams: Streams,
}

/// What was seen of records so far.
#[derive(Debug)]
struct Tally {
    /// Read from the inputs.
    read: Sum,
    /// Written to the output.
    written: Sum,
    /// Written to the output, summed or not.
    records: u64,
    /// Drops equal records, where that is wanted.
    filter: Option<Filter>,
}

impl<'a, K: KeyEncoder> Merger<'a, K> {
    fn new(work: &'a MergeWork, inputs: usize, key: &'a K, progress: &'a Progress) -> Result<Self> {
        let Memory { pieces, buffers, edges } = Memory::new(&work.plan, inputs)?;
        let lane = &work.plan.lane;
        let queue = work.engine.queue(lane.buffers + lane.edges)?;
        let (read, written) = (Sum::default(), Sum::default());
        let filter = work.is_unique.then(|| Filter::new(work.verify));
        Ok(Self {
            work,
            key,
            progress,
            feed: Feed::new(work.engine, pieces, work.plan.spare_bytes, progress)?,
            lane: Lane::new(queue, buffers, edges, lane.capacity, progress),
            tally: Tally { read, written, records: 0, filter },
            phases: Vec::new(),
            entered: PhaseClock::now(LaneCounters::default()),
            streams: Streams::default(),
        })
    }

    /// Ends the current phase and begins `phase`.
    fn enter(&mut self, phase: Phase) {
        let now = PhaseClock::now(self.feed.counters().plus(self.lane.counters()));
        self.phases.push(self.entered.until(&now, self.progress.phase()));
        self.entered = now;
        self.progress.enter(phase);
    }

    /// Merges neighbours into a run of our own.
    fn spill(&mut self, inputs: &[Place], spill: &mut Spill) -> Result<Place> {
        let (framing, key_length) = (self.work.framing, self.key.key_length());
        let create = |path: &Path| {
            RunWriter::create_open(path, self.work.direct.spill, (framing, key_length))
        };
        let bytes: Option<u64> = inputs.iter().map(Place::bytes).sum();
        // With its table, which lies aside meanwhile.
        let size = bytes.map_or(Size::Unknown, |bytes| Size::AtMost(bytes + bytes / 50));
        let writer = spill.create(size, create)?;
        let is_summed = self.work.verify;
        let destination = Destination { is_summed, ..Destination::run(&writer, None) };
        let (Emitted { bytes, longest_bytes, .. }, sum) = self.merge(inputs, destination, false)?;
        for place in inputs {
            if let Place::Spilled(run) = place {
                spill.remove(run)?;
            }
        }
        let run = writer.finish_open(&mut self.lane, sum, (bytes, longest_bytes))?;
        self.lane.flush()?;
        Ok(Place::Spilled(run))
    }

    /// Merges to `destination`; what was written, and its count and checksum.
    fn merge(
        &mut self,
        inputs: &[Place],
        destination: Destination<'_>,
        is_last: bool,
    ) -> Result<(Emitted, Sum)> {
        let mut sources = Vec::with_capacity(inputs.len());
        let lines = memchr_iter(b'\n', &self.work.header).count() as u64;
        for place in inputs {
            let reading = open(place, self.work.direct, &mut self.feed)?;
            let is_summed = self.work.verify && !place.is_spilled();
            let window_bytes = self.work.plan.piece_bytes;
            let source = Source::new(reading, self.work.framing, window_bytes, is_summed)?;
            let gate = (!place.is_spilled()).then_some(&self.work.gate);
            sources.push(source.with_gate(gate, self.key, (place.skip(), lines)));
        }
        // What we have merged ourselves is in order.
        let guard = self.work.is_checked.then(|| Guard::new(false));
        let mut tree = Tournament::new(self.key, sources, guard, &mut self.feed)?;
        let Self { work, key, feed, lane, tally, .. } = self;
        let (mut emitted, mut sum) = (Emitted::default(), Sum::default());
        let before = lane.counters().bytes_written;
        let header: &[u8] = if is_last { &work.header } else { &[] };
        destination.sink.write_open(lane, |writer| {
            if !header.is_empty() {
                writer.put(header)?;
            }
            let (framing, filter) = (work.framing, tally.filter.as_mut());
            let sum = &mut sum;
            let mut emission = Emission { key: *key, framing, feed, destination, sum, filter };
            emitted = emission.write(&mut tree, writer)?;
            Ok(header.len() as u64 + emitted.bytes)
        })?;
        sum.records = emitted.records;
        self.lane.flush()?;
        self.close(tree.into_sources(), inputs)?;
        if is_last {
            // All that was written before is runs.
            self.streams.spill_written.0 = before;
            self.streams.output_written.0 = self.lane.counters().bytes_written - before;
            (self.tally.written, self.tally.records) = (sum, emitted.records);
        }
        Ok((emitted, sum))
    }

    /// Notes what was read of inputs that have been merged.
    fn close(&mut self, sources: Vec<Source>, inputs: &[Place]) -> Result<()> {
        for (source, place) in sources.into_iter().zip(inputs) {
            self.tally.read.add(source.sum());
            let (_, end) = source.place();
            // A line's end that was lacking was not read.
            let end = place.bytes().map_or(end, |bytes| end.min(bytes));
            source.close(&mut self.feed)?;
            if !place.is_spilled() {
                self.streams.input_read.0 += end;
            }
        }
        Ok(())
    }

    /// Holds what was written and dropped against what was read.
    fn finish(self) -> Result<Merged> {
        let Tally { read, mut written, records, filter } = self.tally;
        let proof = self.work.verify.then_some(written);
        written.add(filter.map(|filter| filter.dropped()).unwrap_or_default());
        if self.work.verify && read != written {
            return Err(Error::Proof {
                records_in: read.records,
                checksum_in: read.checksum,
                records_out: written.records,
                checksum_out: written.checksum,
            });
        }
        let (phases, engine) = (self.phases, self.feed.engine());
        let outcome = Outcome { records, phases, engine, proof, ..Outcome::default() };
        let (run_reads, spill_read) = self.feed.run_reads();
        let streams = Streams { spill_read, ..self.streams };
        Ok(Merged { outcome, streams, run_reads, is_direct: self.feed.is_direct() })
    }
}
