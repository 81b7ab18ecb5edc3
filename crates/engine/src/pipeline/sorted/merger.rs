//! Merging group after group of sorted inputs, the last one into the output.

use std::path::Path;
use std::sync::Arc;

use super::emission::{Emission, Emitted, Filter};
use super::feed::Feed;
use super::kept::Guard;
use super::source::{Source, Standing};
use super::tournament::Tournament;
use super::{Memory, MergeWork, Merged, Place, open};
use crate::error::{Error, Result};
use crate::key::{KeyEncoder, KeyTally};
use crate::manifest::{
    EscapedBytes, LogEntry, MergedEntry, Past, RunText, SlabEntry, StreamsEntry,
};
use crate::order::OrderProof;
use crate::pipeline::Outcome;
use crate::pipeline::checkpoints::Checkpoints;
use crate::pipeline::gathering::Destination;
use crate::pipeline::phase_clock::PhaseClock;
use crate::pipeline::spill::{Size, Spill};
use crate::proof::Sum;
use crate::run::RunWriter;
use crate::sink::{Lane, LaneCounters};
use crate::stats::{Phase, PhaseTime, Progress, Streams};

/// Merges group after group.
pub struct Merger<'a, K> {
    work: &'a MergeWork,
    key: &'a K,
    progress: &'a Progress,
    feed: Feed<'a>,
    lane: Lane<'a>,
    tally: Tally<'a>,
    phases: Vec<(PhaseTime, LaneCounters)>,
    entered: PhaseClock,
    streams: Streams,
}

/// Tally of the records seen so far.
#[derive(Debug)]
struct Tally<'a> {
    /// Read from the inputs.
    read: Sum,
    /// Counts about the keys of inputs.
    keys: KeyTally,
    /// Written to the output.
    written: Sum,
    /// Written to the output, summed or not.
    records: u64,
    /// Rows of inputs that were left out for the number of their cells.
    ragged: u64,
    /// Drops equal records, where that is wanted.
    filter: Option<Filter<'a>>,
}

impl<'a, K: KeyEncoder> Merger<'a, K> {
    /// Returns a merger of the given number of inputs, after what was done before.
    pub fn new(
        work: &'a MergeWork,
        inputs: usize,
        (key, past): (&'a K, &Past),
        progress: &'a Progress,
    ) -> Result<Self> {
        let Memory { pieces, buffers, edges } = Memory::new(&work.plan, inputs)?;
        let lane = &work.plan.lane;
        let queue = work.engine.queue(lane.buffers + lane.edges)?;
        let (read, written) = (past.read, Sum::default());
        let reads = (work.engine, work.plan.read_depth);
        let feed = Feed::new(reads, pieces, work.plan.spare_bytes, progress)?;
        let dropped = work.verify.then_some(past.dropped);
        let filter = work.unique.as_ref().map(|unique| Filter::new(unique, dropped));
        Ok(Self {
            work,
            key,
            progress,
            feed,
            lane: Lane::new(queue, buffers, edges, lane.capacity, progress),
            tally: Tally {
                read,
                keys: past.keys.clone(),
                written,
                records: 0,
                ragged: past.ragged,
                filter,
            },
            phases: Vec::new(),
            entered: PhaseClock::now(LaneCounters::default()),
            streams: Streams::default(),
        })
    }

    /// Ends the current phase and begins `phase`.
    pub fn enter(&mut self, phase: Phase) {
        let now = PhaseClock::now(self.feed.counters().plus(self.lane.counters()));
        self.phases.push(self.entered.until(&now, self.progress.phase()));
        self.entered = now;
        self.progress.enter(phase);
    }

    /// Merges neighbours, the first of which is number `first` of what there is, into a run of our
    /// own.
    pub fn spill(
        &mut self,
        (first, inputs): (usize, &[Place]),
        spill: &mut Spill,
    ) -> Result<Place> {
        let (framing, key_length) = (self.work.framing, self.key.key_length());
        let create = |path: &Path| {
            RunWriter::create_open(path, self.work.direct.spill, (framing, key_length))
        };
        let bytes: Option<u64> = inputs.iter().map(Place::bytes).sum();
        // With its table, which lies aside meanwhile.
        let size = bytes.map_or(Size::Unknown, |bytes| Size::AtMost(bytes + bytes / 50));
        let writer = spill.create(size, create)?;
        let order = OrderProof::of_run(self.work.proves_order());
        let destination =
            Destination { is_summed: self.work.verify, ..Destination::run(&writer, None, &order) };
        let (read, dropped) = (self.tally.read, self.tally.dropped());
        let ragged = self.tally.ragged;
        let keys_before = std::mem::take(&mut self.tally.keys);
        let (mut emitted, mut sum) = (Emitted::default(), Sum::default());
        let starts = self.starts(inputs);
        let mut tree = self.open(inputs, &starts, None)?;
        self.emit(&mut tree, destination, (&mut emitted, &mut sum), u64::MAX)?;
        writer.sink().seal(&mut self.lane, emitted.bytes)?;
        sum.records = emitted.records;
        self.close(tree.into_sources(), inputs, &starts)?;
        let keys = std::mem::replace(&mut self.tally.keys, keys_before);
        self.tally.keys.add(&keys);
        let file = Arc::clone(writer.file());
        let sizes = (emitted.bytes, emitted.longest_bytes);
        let run = writer.finish_open(&mut self.lane, sum, sizes)?;
        self.lane.flush()?;
        if spill.is_logged() {
            let range = (first, first + inputs.len());
            let read = self.tally.read.less(read).into();
            let dropped = self.tally.dropped().less(dropped).into();
            let (run, ragged) = (RunText::from(&run), self.tally.ragged - ragged);
            let entry = MergedEntry { range, run, read, ragged, dropped, keys };
            spill.note_written(LogEntry::Merged(entry), file)?;
        }
        for place in inputs {
            if let Place::Spilled(run) = place {
                spill.remove(run)?;
            }
        }
        Ok(Place::Spilled(run))
    }

    /// Merges what is left to the output, or continues that; returns what was written.
    pub fn write(&mut self, inputs: &[Place], destination: Destination<'_>) -> Result<Emitted> {
        let (sink, checkpoints) = (destination.sink, destination.checkpoints);
        let count = inputs.len();
        let begun = checkpoints.map(|log| log.begin_streams(&destination, &mut self.lane, count));
        let past = begun.transpose()?.flatten();
        // All that was written before is runs.
        self.streams.spill_written.0 = self.lane.counters().bytes_written;
        let (mut emitted, mut sum) = (Emitted::default(), Sum::default());
        let mut starts = self.starts(inputs);
        if let Some((slab, streams)) = &past {
            (sum, emitted.bytes) = (slab.written.into(), slab.offset - destination.start);
            emitted.records = sum.records;
            self.tally.read = streams.read.into();
            self.tally.ragged = streams.ragged;
            self.tally.keys = streams.keys.clone();
            starts = standings(slab, streams).collect();
        } else if destination.start > 0 {
            let header = &self.work.header;
            sink.write(&mut self.lane, 0, destination.start, |writer| writer.put(header))?;
        }
        let mut tree = self.open(inputs, &starts, past.as_ref().map(|(_, streams)| streams))?;
        let stage_bytes = checkpoints.map_or(u64::MAX, Checkpoints::stage_bytes);
        while tree.winner().is_some() {
            let until = emitted.taken.saturating_add(stage_bytes);
            self.emit(&mut tree, destination, (&mut emitted, &mut sum), until)?;
            if let Some(checkpoints) = checkpoints.filter(|checkpoints| checkpoints.is_due())
                && tree.winner().is_some()
            {
                let written = Sum { records: emitted.records, ..sum };
                let offset = destination.start + emitted.bytes;
                let entry = self.standing(&tree, inputs, (offset, written), destination.order);
                checkpoints.streams_are_merged(sink, &mut self.lane, entry)?;
            }
        }
        sink.seal(&mut self.lane, destination.start + emitted.bytes)?;
        sum.records = emitted.records;
        self.lane.flush()?;
        self.close(tree.into_sources(), inputs, &starts)?;
        let written = self.lane.counters().bytes_written - self.streams.spill_written.0;
        self.streams.output_written.0 = written;
        (self.tally.written, self.tally.records) = (sum, emitted.records);
        Ok(emitted)
    }

    /// Returns where inputs begin.
    fn starts(&self, inputs: &[Place]) -> Vec<Standing> {
        inputs.iter().map(Place::first).collect()
    }

    /// Opens inputs at `starts`, where another merge was if there was one.
    fn open(
        &mut self,
        inputs: &[Place],
        starts: &[Standing],
        past: Option<&StreamsEntry>,
    ) -> Result<Tournament<'a, K>> {
        if let Some(filter) = &mut self.tally.filter {
            let last = past.and_then(|past| past.last.as_ref()).map(|last| &last.0[..]);
            filter.begin(self.key, last, &mut self.feed)?;
            if let Some(past) = past.filter(|_| self.work.verify) {
                filter.go_on(past.dropped.into());
            }
        }
        let mut sources = Vec::with_capacity(inputs.len());
        for (place, start) in inputs.iter().zip(starts) {
            let reading = open(place, self.work.direct, start.offset, &mut self.feed)?;
            let is_summed = self.work.verify && !place.is_spilled();
            let window_bytes = self.work.plan.piece_bytes;
            let source = Source::new(reading, self.work.framing, window_bytes, is_summed)?;
            // What we have merged ourselves is in order, and was looked at.
            let gate = (!place.is_spilled()).then_some(&self.work.gate);
            sources.push(source.with_gate(gate, self.key).at(*start));
        }
        let guard = self.work.is_checked.then(|| Guard::new(false));
        Tournament::new(self.key, sources, guard, &mut self.feed)
    }

    /// Writes the next records to `destination`, until the limit of bytes is reached.
    fn emit(
        &mut self,
        tree: &mut Tournament<'_, K>,
        destination: Destination<'_>,
        (emitted, sum): (&mut Emitted, &mut Sum),
        until: u64,
    ) -> Result<()> {
        let Self { work, key, feed, lane, tally, .. } = self;
        let (framing, filter, before) = (work.framing, tally.filter.as_mut(), emitted.bytes);
        destination.begin_stage();
        let (key, mut order) = (*key, destination.check(*key));
        let check = &mut order;
        let mut emission = Emission { key, framing, feed, destination, sum, check, filter };
        let write = destination.sink.write_from(lane, destination.start + before, |writer| {
            emission.write(tree, writer, (emitted, until))?;
            Ok(emitted.bytes - before)
        });
        write?;
        destination.order.end_task(key, 0, order)
    }

    /// Returns how far it has come with `inputs`, and with the output, which ends at `offset` now.
    fn standing(
        &self,
        tree: &Tournament<'_, K>,
        inputs: &[Place],
        (offset, written): (u64, Sum),
        order: &OrderProof,
    ) -> SlabEntry {
        let (first, sources) = tree.standing();
        let (mut read, mut ragged) = (self.tally.read, self.tally.ragged);
        let mut keys = self.tally.keys.clone();
        let (mut ends, mut passed) = (Vec::new(), Vec::new());
        for (source, place) in sources.iter().zip(inputs) {
            let Standing { offset, records, lines } = source.standing();
            ends.push(end_in(place, offset));
            passed.push((records, lines));
            read.add(source.sum_before());
            ragged += source.ragged();
            keys.add(&source.keys_before(self.key));
        }
        let last = self.tally.filter.as_ref().and_then(Filter::last);
        let streams = StreamsEntry {
            passed,
            read: read.into(),
            ragged,
            dropped: self.tally.dropped().into(),
            keys,
            last: last.map(|record| EscapedBytes(record.to_vec())),
        };
        let (bound, edge, written) =
            ((first, ends[first]), EscapedBytes::default(), written.into());
        let (selected, streams, last) = (None, Some(streams), order.last().map(Into::into));
        SlabEntry { bound, ends, offset, edge, written, selected, streams, last }
    }

    /// Notes what was read of inputs that have been merged, from `starts` on.
    fn close(&mut self, sources: Vec<Source>, inputs: &[Place], starts: &[Standing]) -> Result<()> {
        for ((source, place), start) in sources.into_iter().zip(inputs).zip(starts) {
            self.tally.read.add(source.sum());
            self.tally.ragged += source.ragged();
            self.tally.keys.add(&source.keys());
            let (_, end) = source.place();
            source.close(&mut self.feed)?;
            if !place.is_spilled() {
                // What stands at the top was read too.
                let top = if start.records == 0 { start.offset } else { 0 };
                self.streams.input_read.0 += end_in(place, end) + top - start.offset;
            }
        }
        Ok(())
    }

    /// Holds what was written and dropped against what was read.
    pub fn finish(self) -> Result<Merged> {
        let dropped = self.tally.dropped();
        let keys = self.key.findings(&self.tally.keys);
        let Tally { read, mut written, records, ragged, .. } = self.tally;
        let ragged = self.work.gate.drops_ragged().then_some(ragged);
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
        let is_order_proven = self.work.proves_order();
        let outcome = Outcome {
            records,
            phases,
            engine,
            ragged,
            proof,
            is_order_proven,
            keys,
            ..Outcome::default()
        };
        let (run_reads, spill_read) = self.feed.run_reads();
        let streams = Streams { spill_read, ..self.streams };
        Ok(Merged { outcome, streams, run_reads, is_direct: self.feed.is_direct() })
    }
}

impl Tally<'_> {
    /// Returns the sum of the records dropped so far.
    fn dropped(&self) -> Sum {
        self.filter.as_ref().map(Filter::dropped).unwrap_or_default()
    }
}

/// Returns where in an input a record ends that ends at `offset` for us: a line's end that is
/// lacking is not there.
fn end_in(place: &Place, offset: u64) -> u64 {
    place.bytes().map_or(offset, |bytes| offset.min(bytes))
}

/// Returns where the inputs were when `slab` was noted.
fn standings<'a>(
    slab: &'a SlabEntry,
    streams: &'a StreamsEntry,
) -> impl Iterator<Item = Standing> + 'a {
    let places = slab.ends.iter().zip(&streams.passed);
    places.map(|(offset, (records, lines))| Standing {
        offset: *offset,
        records: *records,
        lines: *lines,
    })
}
