//! Run generation by replacement selection: records go through memory one by one, and runs are as
//! long as the order of the input allows.
//!
//! ```text
//!   inputs --piece ahead--> window --take--> tournament --leave--> buffers --> run 1, run 2, ...
//!                                            in the memory of all loads
//! ```
//!
//! One worker does all; while it does, the engine reads a piece ahead and writes the buffers
//! behind. Runs are of open length, as nobody knows where one ends before the first record of the
//! next is the first of all. Which record is in which run, and why equal records stay in order, is
//! told where the tournament is (`incore::replacement`).

mod reader;

use std::path::Path;

use super::Work;
use super::crew::{Crew, cut};
use super::destination::Destination;
use super::generate::Generated;
use super::new_run::NewRun;
use super::spill::{Size, Spill};
use super::stage::Worker;
use crate::error::{Error, Result, Setting, message};
use crate::format::Framing;
use crate::incore::replacement::{LEAF_BYTES, Tournament};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::operator::{GroupWriter, TaskOutlet};
use crate::order::{OrderCheck, OrderProof};
use crate::plan::replacement::ReplacementMemory;
use crate::proof::Sum;
use crate::run::layout::RunGeometry;
use crate::run::{Run, RunWriter};
use crate::sink::{Lane, Writer};
use crate::stats::{Activity, Phase};
use crate::units::ByteSize;

use reader::RecordReader;

/// Bytes that leave before they are looked at again: a first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// Reads all of the input, and writes runs.
pub fn generate<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    (planned, memory): (ReplacementMemory, Vec<Region>),
    spill: &mut Spill,
) -> Result<Generated> {
    crew.enter(Phase::RunGeneration)?;
    let stay = crew.workers[0].begin_alone(Activity::Dealing);
    let mut reader = RecordReader::new(work, key, planned, crew.progress)?;
    reader.advance()?;
    let average = reader.average().and_then(|average| ReplacementMemory::new(&work.plan, average));
    let division = average.unwrap_or(planned);
    let mut own = Region::join_all(memory);
    let rest = own.split_off(division.leaves as usize * LEAF_BYTES + division.store_bytes);
    let tournament = Tournament::new(key, work.framing, division.leaves, own);
    let longest = division.longest_bytes;
    let mut generation = SelectionRuns { work, key, reader, tournament, longest };
    let mut runs = Vec::new();
    generation.take_in()?;
    while generation.has_first() {
        runs.push(generation.write_run(crew, spill)?);
    }
    let SelectionRuns { reader, tournament, .. } = generation;
    assert!(reader.record().is_none(), "every record has had room");
    let Worker { lane, sum_in, .. } = &mut crew.workers[0];
    sum_in.add(reader.sum);
    lane.count(reader.feed.counters());
    crew.keys.add(&reader.keys);
    let taken = reader.taken;
    crew.workers[0].end_alone(stay);
    let mut whole = tournament.into_region().join(rest);
    let others = 1..work.plan.areas;
    let mut memory: Vec<Region> = others.map(|_| cut(&mut whole, work.plan.slab_bytes)).collect();
    memory.push(whole);
    Ok(Generated::Runs(runs, taken, memory))
}

/// Run generation under way.
struct SelectionRuns<'a, 'p, K> {
    work: &'a Work,
    key: &'a K,
    reader: RecordReader<'a, 'p, K>,
    tournament: Tournament<'a, K>,
    /// Most bytes of a record.
    longest: usize,
}

/// State of the run being written.
#[derive(Clone, Copy, Debug, Default)]
struct RunSize {
    records: u64,
    bytes: u64,
    longest_bytes: u64,
}

impl<K: KeyEncoder> SelectionRuns<'_, '_, K> {
    /// Takes in as many records as have room.
    #[inline]
    fn take_in(&mut self) -> Result<()> {
        while let Some((record, prefix)) = self.reader.record() {
            if record.len() > self.longest {
                return Err(self.too_long());
            }
            if !self.tournament.take(record, prefix) {
                return Ok(());
            }
            self.reader.advance()?;
        }
        Ok(())
    }

    /// Returns whether there is a record in memory.
    fn has_first(&mut self) -> bool {
        self.tournament.first().is_some()
    }

    /// Writes the run of the first record.
    fn write_run(&mut self, crew: &mut Crew<'_>, spill: &mut Spill) -> Result<Run> {
        let (framing, key_length) = (self.work.framing, self.key.key_length());
        let Some((number, _)) = self.tournament.first() else { unreachable!("asked before") };
        let mut sum = Sum::default();
        if self.work.early().is_some() {
            let geometry = RunGeometry::new(framing, key_length, 0, 0, 0);
            let run = NewRun::create(self.work, spill, geometry)?;
            let destination = run.destination();
            destination.begin_stage();
            let lane = &mut crew.workers[0].lane;
            destination.write(self.key, lane, (0, 0, 0), |outlet| match outlet {
                TaskOutlet::Selected(writer) => self.select(number, writer, &mut sum),
                TaskOutlet::All(_) => unreachable!("only some are written"),
            })?;
            return run.finish(self.key, crew, sum);
        }
        let direct = self.work.direct;
        let create = |path: &Path| RunWriter::create_open(path, direct, (framing, key_length));
        let run = spill.create(Size::Unknown, create)?;
        let lane: &mut Lane<'_> = &mut crew.workers[0].lane;
        let is_summed = self.work.verify;
        let order = OrderProof::of_run(is_summed);
        let destination = Destination { is_summed, ..Destination::run(&run, None, &order) };
        let mut written = RunSize::default();
        run.sink().write_open(lane, |writer| {
            self.write(number, destination, writer, (&mut written, &mut sum))?;
            Ok(written.bytes)
        })?;
        sum.records = written.records;
        run.finish_open(lane, sum, (written.bytes, written.longest_bytes))
    }

    /// Writes the records of run `number`.
    fn write(
        &mut self,
        number: u32,
        destination: Destination<'_>,
        writer: &mut dyn Writer,
        (written, sum): (&mut RunSize, &mut Sum),
    ) -> Result<()> {
        let (key, framing) = (self.key, self.work.framing);
        let mut check = destination.check(key);
        loop {
            self.reader.feed.check_stop()?;
            let room = writer.room();
            let batch = room.len().min(BATCH_BYTES);
            let offset = written.bytes;
            self.fill(number, &mut room[..batch], (written, &mut check))?;
            let filled = (written.bytes - offset) as usize;
            destination.order.verify(&check, Some(written.bytes))?;
            if filled > 0 {
                destination.note(key, framing, offset, &room[..filled], sum);
                writer.commit(filled)?;
                continue;
            }
            let Some(record) = self.first_of(number, written) else { break };
            check.next_all(Framing::Fixed(record.len()), record);
            destination.order.verify(&check, Some(offset))?;
            destination.note(key, framing, offset, record, sum);
            writer.put(record)?;
            written.count(record.len());
            self.go_on()?;
        }
        destination.order.end_task(key, 0, check)
    }

    /// Fills `out` with records of run `number` until the next one does not fit.
    fn fill(
        &mut self,
        number: u32,
        out: &mut [u8],
        (written, check): (&mut RunSize, &mut OrderCheck<'_, K>),
    ) -> Result<()> {
        let (mut filled, mut last) = (0, None);
        while let Some(record) = self.first_of(number, written) {
            let end = filled + record.len();
            let Some(place) = out.get_mut(filled..end) else { break };
            place.copy_from_slice(record);
            written.count(record.len());
            check.next((&out[filled..end]).into(), last.map(|start: usize| &out[start..filled]));
            (last, filled) = (Some(filled), end);
            self.go_on()?;
        }
        if let Some(start) = last {
            check.keep(&out[start..filled]);
        }
        // Nobody wants what the run has more.
        while self.work.plan.wanted.is_some_and(|most| written.records >= most)
            && self.tournament.first().is_some_and(|(run, _)| run == number)
        {
            self.go_on()?;
        }
        Ok(())
    }

    /// Hands the records of run `number` to a selection.
    fn select(
        &mut self,
        number: u32,
        writer: &mut GroupWriter<'_, '_>,
        sum: &mut Sum,
    ) -> Result<()> {
        while let Some((_, record)) = self.tournament.first().filter(|(run, _)| *run == number) {
            writer.take(record)?;
            if self.work.verify {
                sum.add_record(record);
            }
            self.go_on()?;
        }
        Ok(())
    }

    /// Returns the first record, if it is one of run `number` and wanted.
    #[inline]
    fn first_of(&mut self, number: u32, written: &RunSize) -> Option<&[u8]> {
        let is_wanted = self.work.plan.wanted.is_none_or(|most| written.records < most);
        let first = self.tournament.first().filter(|(run, _)| *run == number && is_wanted);
        first.map(|(_, record)| record)
    }

    /// Lets the first record leave, and others take its place.
    #[inline]
    fn go_on(&mut self) -> Result<()> {
        self.tournament.leave();
        self.take_in()
    }

    #[cold]
    fn too_long(&self) -> Error {
        let (path, record, number) = self.reader.place();
        let (length, most) = (ByteSize(record as u64), ByteSize(self.longest as u64));
        let message = message!(
            "record {} has {}, and {} takes records of up to {} within the memory budget; give \
             more with {}, or {}",
            number,
            length,
            Setting::Algorithm.to("replacement-selection"),
            most,
            Setting::Memory,
            Setting::Algorithm.to("radix"),
        );
        Error::BudgetExceeded { path, message, least: None }
    }
}

impl RunSize {
    /// Counts a record of `length` bytes.
    #[inline]
    fn count(&mut self, length: usize) {
        self.records += 1;
        self.bytes += length as u64;
        self.longest_bytes = self.longest_bytes.max(length as u64);
    }
}
