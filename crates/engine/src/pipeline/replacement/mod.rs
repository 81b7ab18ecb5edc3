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

use super::Work;
use super::crew::Crew;
use super::destination::{Destination, SortedRecords, TakeRecord};
use super::generate::{Generated, GeneratedRuns, slab_memory};
use super::merge::Brought;
use super::new_run::NewRun;
use super::spill::{Size, Spill};
use super::stage::Worker;
use crate::error::{Error, Result, Setting, message};
use crate::format::Framing;
use crate::incore::replacement::SelectionTournament;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::operator::TaskOutlet;
use crate::order::OrderCheck;
use crate::plan::ExternalPlan;
use crate::plan::replacement::ReplacementMemory;
use crate::proof::Sum;
use crate::run::Run;
use crate::stats::{Activity, Phase};
use crate::units::ByteSize;

use reader::RecordReader;

/// Reads all of the input, and writes runs.
pub fn generate<'a, K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    external: &'a ExternalPlan,
    planned: ReplacementMemory,
    memory: Vec<Region>,
    spill: &mut Spill,
) -> Result<Generated<'a>> {
    crew.enter(Phase::RunGeneration)?;
    let stay = crew.workers[0].begin_alone(Activity::Dealing);
    let mut reader = RecordReader::new(work, key, planned, crew.progress)?;
    reader.advance()?;
    let divide = |average| ReplacementMemory::new(external, &work.plan.sizes, average);
    let average = reader.average().and_then(divide);
    let division = average.unwrap_or(planned);
    let mut own = Region::join_all(memory);
    let rest = own.split_off(division.tree_bytes());
    let tournament = SelectionTournament::new(key, work.framing, division.leaves, own);
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
    let memory = slab_memory([tournament.into_region(), rest], external);
    Ok(Generated::Runs(GeneratedRuns { external, runs, taken, memory }))
}

/// Run generation under way.
struct SelectionRuns<'a, 'p, K> {
    work: &'a Work,
    key: &'a K,
    reader: RecordReader<'a, 'p, K>,
    tournament: SelectionTournament<'a, K>,
    /// Most bytes of a record.
    longest: usize,
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
        let (key, work, rules) = (self.key, self.work, self.work.rules());
        let Some((number, _)) = self.tournament.first() else { unreachable!("asked before") };
        let run = NewRun::open(&rules, work.direct, spill, key.key_length(), Size::Unknown)?;
        let destination = Destination { is_summed: work.verify, ..run.destination() };
        let mut sum = Sum::default();
        let mut records = RunRecords {
            generation: self,
            number,
            check: destination.check(key),
            is_summed: work.verify && rules.early().is_some(),
            brought: Brought::default(),
        };
        let lane = &mut crew.workers[0].lane;
        let bytes = destination.write_from(key, lane, 0, |outlet| match outlet {
            TaskOutlet::All(writer) => {
                destination.write_all(key, rules.framing, &mut records, 0, writer, &mut sum)
            }
            TaskOutlet::Selected(writer) => {
                destination.select_all(&mut records, writer).map(|()| 0)
            }
        })?;
        let RunRecords { check, brought, .. } = records;
        destination.order.end_task(key, 0, check)?;
        let checksum = sum.checksum.wrapping_add(brought.sum.checksum);
        let sum = Sum { checksum, ..brought.sum };
        run.finish(key, crew, Brought { sum, bytes, ..brought })
    }

    /// Returns the first record, if it is one of run `number` and wanted.
    #[inline]
    fn first_of(&mut self, number: u32, records: u64) -> Option<&[u8]> {
        let is_wanted = self.work.plan.wanted.is_none_or(|most| records < most);
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

/// Records of one run, as they leave.
struct RunRecords<'g, 'a, 'p, K> {
    generation: &'g mut SelectionRuns<'a, 'p, K>,
    /// Number of the run.
    number: u32,
    check: OrderCheck<'a, K>,
    /// True if records are summed as they leave, since the selection that takes them does not.
    is_summed: bool,
    brought: Brought,
}

impl<K: KeyEncoder> RunRecords<'_, '_, '_, K> {
    /// Counts a record of `length` bytes.
    #[inline]
    fn count(&mut self, length: usize) {
        self.brought.sum.records += 1;
        self.brought.longest_bytes = self.brought.longest_bytes.max(length as u64);
    }
}

impl<K: KeyEncoder> SortedRecords<K> for RunRecords<'_, '_, '_, K> {
    fn fill(&mut self, out: &mut [u8], sum: Option<&mut Sum>) -> Result<usize> {
        self.generation.reader.feed.check_stop()?;
        let (mut filled, mut last) = (0, None);
        while let Some(record) = self.generation.first_of(self.number, self.brought.sum.records) {
            let end = filled + record.len();
            let Some(place) = out.get_mut(filled..end) else { break };
            place.copy_from_slice(record);
            self.count(end - filled);
            let previous = last.map(|start: usize| &out[start..filled]);
            self.check.next((&out[filled..end]).into(), previous);
            (last, filled) = (Some(filled), end);
            self.generation.go_on()?;
        }
        if let Some(start) = last {
            self.check.keep(&out[start..filled]);
        }
        if let Some(sum) = sum {
            sum.add_all(self.generation.work.framing, &out[..filled]);
        }
        // Nobody wants what the run has more.
        let Self { generation, number, brought, .. } = self;
        while generation.work.plan.wanted.is_some_and(|most| brought.sum.records >= most)
            && generation.tournament.first().is_some_and(|(run, _)| run == *number)
        {
            generation.go_on()?;
        }
        Ok(filled)
    }

    fn next_record(&mut self, take: &mut TakeRecord<'_, K>) -> Result<bool> {
        let first = self.generation.first_of(self.number, self.brought.sum.records);
        let Some(record) = first else { return Ok(false) };
        self.check.next_all(Framing::Fixed(record.len()), record);
        take(&self.check, record)?;
        if self.is_summed {
            self.brought.sum.add_record(record);
            self.brought.sum.records -= 1; // it is counted below
        }
        let length = record.len();
        self.count(length);
        self.generation.go_on().map(|()| true)
    }

    fn check(&self) -> &OrderCheck<'_, K> {
        &self.check
    }
}
