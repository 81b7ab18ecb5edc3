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
//! One thread does all; files are read ahead and written behind by the engine. The proof is that of
//! a sort: the records that were read from the inputs are those that were written, and with
//! `is_unique` those that were dropped.

mod check;
mod feed;
mod source;
mod tournament;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Outcome;
use super::crew::cut;
use super::spill::Spill;
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Arena, Direct, Engine, File, Region, Supplied, pipe};
use crate::key::KeyEncoder;
use crate::load::layout::PAGE;
use crate::output::Output;
use crate::plan::passes::intermediate_groups;
use crate::plan::streams::StreamPlan;
use crate::proof::Sum;
use crate::run::layout::BLOCK;
use crate::sink::{FileSink, Lane, LaneCounters, OPEN_LENGTH, Sink, Writer};
use crate::stats::{Phase, PhaseTime, Progress, Streams};
use crate::units::ByteSize;

pub use check::{CheckWork, Checked, Disorder, check};
use feed::{Feed, Reading};
use source::{Guard, Source};
use tournament::Tournament;

/// Bytes merged before they are handed on: a first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// A sorted input, not open yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard input.
    Stdin,
    /// A named pipe or device.
    Stream(PathBuf),
    /// What the caller makes.
    Supplied(Supplied),
    /// A file of so many bytes.
    File(PathBuf, u64),
    /// A file of our own, of so many bytes; removed when it has been merged.
    Spilled(PathBuf, u64),
}

impl Place {
    /// Bytes it has, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Stream(_) => None,
            Self::Supplied(supplied) => supplied.extent().map(|extent| extent.bytes),
            Self::File(_, bytes) | Self::Spilled(_, bytes) => Some(*bytes),
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
    /// What is merged; of equal records those of earlier inputs go first.
    pub inputs: Vec<Place>,
    /// Where merged inputs go that are merged again.
    pub temp: Vec<PathBuf>,
    /// How records are told apart.
    pub framing: Framing,
    /// The engine.
    pub engine: Engine,
    /// Whether files bypass the page cache.
    pub direct: Direct,
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
    /// Whether every input was read past the page cache.
    pub is_direct: bool,
}

/// Merges.
pub fn merge<K: KeyEncoder>(
    work: &MergeWork,
    key: &K,
    output: &mut Output,
    progress: &Progress,
) -> Result<Merged> {
    let mut spill = Spill::new(work.temp.clone());
    reserve(work, output, &spill, progress)?;
    let mut merger = Merger::new(work, key, progress)?;
    let mut inputs = work.inputs.clone();
    let mut passes = 1;
    merger.enter(Phase::IntermediateMerge);
    loop {
        let groups = intermediate_groups(inputs.len(), work.plan.width);
        if groups.is_empty() {
            break;
        }
        passes += 1;
        let mut gone = 0;
        for group in groups {
            let group = group.start - gone..group.end - gone;
            gone += group.len() - 1;
            let merged = merger.spill(&inputs[group.clone()], &mut spill)?;
            inputs.splice(group, [merged]);
        }
    }
    merger.enter(Phase::Writing);
    let sink = output.sink(OPEN_LENGTH)?;
    let bytes = merger.merge(&inputs, &sink, true)?;
    merger.enter(Phase::Finishing);
    let merged = merger.finish()?;
    let runs = work.inputs.len() as u64;
    let merge_width = runs.min(work.plan.width as u64);
    let outcome = Outcome { passes, bytes, runs, merge_width, ..merged.outcome };
    Ok(Merged { outcome, ..merged })
}

/// Makes sure that there is room, before there is work that could be lost, and says how much there
/// is to do. Nothing of it can be said of streams.
fn reserve(work: &MergeWork, output: &Output, spill: &Spill, progress: &Progress) -> Result<()> {
    let Some(mut sizes) = work.inputs.iter().map(Place::bytes).collect::<Option<Vec<u64>>>() else {
        return Ok(());
    };
    let lines_lacking = match work.framing {
        Framing::Fixed(_) => 0,
        Framing::Terminated(_) => sizes.len() as u64,
    };
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
            spill.check_space(spilled + lines_lacking)?;
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
fn open(place: &Place, direct: Direct, feed: &mut Feed<'_>) -> Result<Reading> {
    match place {
        Place::Stdin => Ok(feed.open_stream(pipe::Reader::stdin()?)),
        Place::Stream(path) => Ok(feed.open_stream(pipe::Reader::open(path)?)),
        Place::Supplied(made) => Ok(feed.open_stream(pipe::Reader::supplied(made.clone()))),
        Place::File(path, _) | Place::Spilled(path, _) => feed.open(File::open_read(path, direct)?),
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
    entered: (Instant, LaneCounters),
    streams: Streams,
}

/// What was seen of records so far.
#[derive(Debug, Default)]
struct Tally {
    /// Read from the inputs.
    read: Sum,
    /// Written to the output.
    written: Sum,
    /// Dropped, for being equal to the one before them.
    dropped: Sum,
    /// Written to the output, summed or not.
    records: u64,
    /// The record that was written last and its key prefix, where equal ones are dropped.
    last: Option<u64>,
    last_record: Vec<u8>,
}

impl<'a, K: KeyEncoder> Merger<'a, K> {
    fn new(work: &'a MergeWork, key: &'a K, progress: &'a Progress) -> Result<Self> {
        let Memory { pieces, buffers, edges } = Memory::new(&work.plan, work.inputs.len())?;
        let lane = &work.plan.lane;
        let queue = work.engine.queue(lane.buffers + lane.edges)?;
        Ok(Self {
            work,
            key,
            progress,
            feed: Feed::new(work.engine, pieces, work.plan.spare_bytes, progress)?,
            lane: Lane::new(queue, buffers, edges, lane.capacity, progress),
            tally: Tally::default(),
            phases: Vec::new(),
            entered: (Instant::now(), LaneCounters::default()),
            streams: Streams::default(),
        })
    }

    /// Ends the current phase and begins `phase`.
    fn enter(&mut self, phase: Phase) {
        let now = self.feed.counters().plus(self.lane.counters());
        let (begun, before) = std::mem::replace(&mut self.entered, (Instant::now(), now));
        let done = now.since(before);
        let (seconds, waited) = (begun.elapsed().as_secs_f64(), done.waited.as_secs_f64());
        let time = PhaseTime { phase: self.progress.phase(), seconds, io_wait_seconds: waited };
        self.phases.push((time, done));
        self.progress.enter(phase);
    }

    /// Merges neighbours into a file of our own.
    fn spill(&mut self, inputs: &[Place], spill: &mut Spill) -> Result<Place> {
        let path = spill.next_path()?;
        let file = File::create(&path, self.work.direct)?;
        let granule = file.block_bytes().max(PAGE);
        let sink = Sink::File(FileSink::new(file.clone(), 0, OPEN_LENGTH, granule));
        let bytes = self.merge(inputs, &sink, false)?;
        file.set_len(bytes)?;
        Ok(Place::Spilled(path, bytes))
    }

    /// Merges to `sink`; bytes written.
    fn merge(&mut self, inputs: &[Place], sink: &Sink, is_last: bool) -> Result<u64> {
        let mut sources = Vec::with_capacity(inputs.len());
        for place in inputs {
            let reading = open(place, self.work.direct, &mut self.feed)?;
            let is_summed = self.work.verify && !place.is_spilled();
            let window_bytes = self.work.plan.piece_bytes;
            sources.push(Source::new(reading, self.work.framing, window_bytes, is_summed));
        }
        // What we have merged ourselves is in order.
        let guard = self.work.is_checked.then(|| Guard::new(false));
        let mut tree = Tournament::new(self.key, sources, guard, &mut self.feed)?;
        self.tally.last = None;
        let Self { work, key, feed, lane, tally, .. } = self;
        let bytes = sink.write_open(lane, |writer| {
            let mut output = Emission { work, key: *key, feed, tally, is_last };
            output.write(&mut tree, writer)
        })?;
        self.lane.flush()?;
        for (source, place) in tree.into_sources().into_iter().zip(inputs) {
            self.tally.read.add(source.sum());
            let (_, end) = source.place();
            // A line's end that was lacking was not read.
            let end = place.bytes().map_or(end, |bytes| end.min(bytes));
            source.close(&mut self.feed)?;
            let read = match place {
                Place::Spilled(path, _) => {
                    remove(path)?;
                    &mut self.streams.spill_read
                }
                _ => &mut self.streams.input_read,
            };
            read.0 += end;
        }
        let written = match is_last {
            true => &mut self.streams.output_written,
            false => &mut self.streams.spill_written,
        };
        written.0 += bytes;
        Ok(bytes)
    }

    /// Holds what was written and dropped against what was read.
    fn finish(self) -> Result<Merged> {
        let Tally { read, mut written, dropped, records, .. } = self.tally;
        let proof = self.work.verify.then_some(written);
        written.add(dropped);
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
        Ok(Merged { outcome, streams: self.streams, is_direct: self.feed.is_direct() })
    }
}

fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(|e| Error::io("remove", path, e))
}

/// Writing one group's records.
struct Emission<'m, 'p, K> {
    work: &'m MergeWork,
    key: &'m K,
    feed: &'m mut Feed<'p>,
    tally: &'m mut Tally,
    /// Whether this is the output, which is proven.
    is_last: bool,
}

impl<K: KeyEncoder> Emission<'_, '_, K> {
    /// Writes all records; their bytes.
    fn write(&mut self, tree: &mut Tournament<'_, K>, writer: &mut dyn Writer) -> Result<u64> {
        let mut bytes = 0;
        loop {
            let room = writer.room();
            let batch = room.len().min(BATCH_BYTES);
            let filled = self.fill(tree, &mut room[..batch])?;
            if filled > 0 {
                writer.commit(filled)?;
                bytes += filled as u64;
                continue;
            }
            let Some(source) = tree.winner() else { return Ok(bytes) };
            self.note(source, source.record())?;
            writer.put(source.record())?;
            bytes += source.record().len() as u64;
            tree.advance(self.feed)?;
        }
    }

    /// Fills `out` with records until the next one does not fit; bytes filled.
    fn fill(&mut self, tree: &mut Tournament<'_, K>, out: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while let Some(source) = tree.winner() {
            if self.work.is_unique && self.is_repeated(source) {
                if self.work.verify {
                    self.tally.dropped.add_record(source.record());
                }
            } else {
                let record = source.record();
                let Some(place) = out.get_mut(filled..filled + record.len()) else { break };
                place.copy_from_slice(record);
                filled += record.len();
                self.note(source, place)?;
            }
            tree.advance(self.feed)?;
        }
        Ok(filled)
    }

    /// Whether the record is equal to the one written last.
    fn is_repeated(&self, source: &Source) -> bool {
        self.tally.last == Some(source.prefix())
            && self.key.compare_from(&self.tally.last_record, source.record(), 1).is_eq()
    }

    /// Takes note of the next record of `source`, which is written as `record`.
    #[inline]
    fn note(&mut self, source: &Source, record: &[u8]) -> Result<()> {
        let Self { work, feed, tally, .. } = self;
        if self.is_last {
            tally.records += 1;
            if work.verify {
                tally.written.add_record(record);
            }
        }
        if work.is_unique {
            source.keep(&mut tally.last_record, feed)?;
            tally.last = Some(source.prefix());
        }
        Ok(())
    }
}
