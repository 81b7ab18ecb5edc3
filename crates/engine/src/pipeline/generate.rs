//! Bringing the input into memory: one load if it fits, else one sorted run after another.
//!
//! Two loads take turns: while one is gathered and written as a run, the next is read and dealt,
//! and meanwhile the keys of the one after that are sampled. A record that is too long for one of
//! them gets the memory of both:
//!
//! ```text
//!   | load n     | load n + 1 |        take turns
//!   | load n + 2, with a long record | the one before is written first, and so is this one then
//!   | load n + 3 | load n + 4 |
//! ```
//!
//! Where nothing overlaps there is one load, of all memory: it is written before the next is begun.

use super::Work;
use super::crew::Crew;
use super::dealing::Dealing;
use super::gathering::Gathering;
use super::intake::{Intake, Ready};
use super::new_run::NewRun;
use super::record_intake::RecordIntake;
use super::replacement;
use super::sieve_intake::SieveIntake;
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::Result;
use crate::incore::KeyedLoad;
use crate::incore::bucket::bucket_records;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::manifest::{Entry, Past, RunEntry, RunText};
use crate::plan::passes::{least_budget_mib, longest_merged};
use crate::run::Run;
use crate::run::layout::Geometry;
use crate::stats::Phase;

/// Result of run generation.
pub enum Generated {
    /// Everything is in memory.
    Whole(Box<KeyedLoad>, Taken),
    /// Runs, in the order of the input, and the memory of the loads.
    Runs(Vec<Run>, Taken, Vec<Region>),
    /// The input has more records than one load was planned for; holds their average bytes.
    Crowded(usize),
    /// Dropping duplicates as they are read is not worth it, or cannot be done.
    Unsieved,
}

/// Records and bytes that were taken in; a selection may leave fewer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    pub records: u64,
    pub bytes: u64,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
}

impl Taken {
    /// Adds what else was taken in.
    pub fn add(&mut self, other: Self) {
        self.records += other.records;
        self.bytes += other.bytes;
        self.ragged += other.ragged;
    }

    /// Returns what was taken in since `earlier`.
    pub fn less(self, earlier: Self) -> Self {
        Self {
            records: self.records - earlier.records,
            bytes: self.bytes - earlier.bytes,
            ragged: self.ragged - earlier.ragged,
        }
    }
}

/// Reads all of the input.
pub fn generate<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    (memory, past): (Vec<Region>, Past),
    spill: &mut Spill,
) -> Result<Generated> {
    let plan = &work.plan;
    if plan.replacement.is_some() {
        return replacement::generate(work, key, crew, memory, spill);
    }
    let start = past.next;
    let how = Dealing {
        key,
        item: plan.item,
        framing: work.framing,
        gate: (!work.gate.is_open(key)).then_some(&work.gate),
        verify: work.verify,
        bucket_records: bucket_records(work.record_length),
        buckets_max: plan.load.buckets_max,
    };
    let generation = Generation::after(past, work, key, crew, memory);
    match plan.sieve {
        Some(sieve) => generation.run(SieveIntake::new(work, &how, sieve)?, spill),
        None => generation.run(RecordIntake::new(work, &how, start)?, spill),
    }
}

/// Run generation under way.
struct Generation<'a, 'w, K> {
    work: &'a Work,
    key: &'a K,
    crew: &'a mut Crew<'w>,
    /// Memory of loads that is not in use.
    memory: Vec<Region>,
    runs: Vec<Run>,
    taken: Taken,
}

impl<'a, 'w, K: KeyEncoder> Generation<'a, 'w, K> {
    /// Returns run generation that continues after `past`.
    fn after(
        past: Past,
        work: &'a Work,
        key: &'a K,
        crew: &'a mut Crew<'w>,
        memory: Vec<Region>,
    ) -> Self {
        let first = &mut crew.workers[0];
        first.sum_in.add(past.read);
        first.sum_out.add(past.dropped);
        crew.keys.add(&past.keys);
        let (records, bytes) = past.taken;
        let (runs, taken) = (past.runs, Taken { records, bytes, ragged: past.ragged });
        Self { work, key, crew, memory, runs, taken }
    }

    /// Finishes the run that a load has become, and notes it.
    fn finish_run(&mut self, run: NewRun, ready: &Ready, spill: &mut Spill) -> Result<()> {
        let before = self.crew.sums().1;
        let file = run.file();
        let run = run.finish(self.key, self.crew, ready.sum)?;
        if spill.is_logged() {
            let entry = Entry::Run(RunEntry {
                run: RunText::from(&run),
                next: ready.next,
                taken: (ready.taken.records, ready.taken.bytes),
                ragged: ready.taken.ragged,
                read: ready.sum.into(),
                dropped: self.crew.sums().1.less(before).into(),
                keys: ready.keys.clone(),
            });
            spill.note(entry, file, self.crew)?;
        }
        self.runs.push(run);
        Ok(())
    }

    /// Reads all loads, and writes runs unless the first is all there is.
    fn run(mut self, mut intake: impl Intake, spill: &mut Spill) -> Result<Generated> {
        let is_one_pass = self.work.plan.is_one_pass;
        self.crew.enter(if is_one_pass { Phase::Reading } else { Phase::RunGeneration })?;
        if intake.needs_all() {
            let joined = Region::join_all(self.memory.drain(..));
            self.memory.push(joined);
        }
        let mut ready = None;
        while ready.is_some() || !intake.is_over() {
            ready = self.turn(&mut intake, ready, spill)?;
            if intake.is_unsuited() {
                return Ok(Generated::Unsieved);
            }
            let Some(now) = ready else { continue };
            if self.runs.is_empty() && intake.is_over() {
                return Ok(Generated::Whole(Box::new(now.load), self.taken));
            }
            if is_one_pass {
                let records = now.load.records().max(1);
                return Ok(Generated::Crowded((now.load.bytes() / records) as usize));
            }
            ready = Some(now);
        }
        spill.settle(self.crew)?;
        // The last line may have had all memory and been left out: short ones are merged by slabs.
        if self.memory.len() < self.work.plan.areas {
            self.halve_memory();
        }
        Ok(Generated::Runs(self.runs, self.taken, self.memory))
    }

    /// Fills the next load, if there is one and memory for it, while the one before is written as
    /// a run.
    fn turn<I: Intake>(
        &mut self,
        intake: &mut I,
        ready: Option<Ready>,
        spill: &mut Spill,
    ) -> Result<Option<Ready>> {
        let key = self.key;
        let raw = self.begin(intake, ready.as_ref())?;
        let writer = match &ready {
            Some(ready) if ready.load.records() > 0 => Some(self.create_run(ready, spill)?),
            _ => None,
        };
        let task_bytes = self.work.task_bytes();
        let gathering = ready.as_ref().zip(writer.as_ref()).map(|(ready, run)| {
            let destination = run.destination();
            Gathering::new(key, &ready.load, self.work.framing, destination, task_bytes)
        });
        let before = self.crew.sums().0;
        let looks_ahead = raw.is_some() && intake.looks_ahead();
        let is_busy = looks_ahead || spill.is_pending();
        stage::run(
            &mut self.crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            gathering.as_ref().map(|gathering| gathering as &dyn Drain),
            is_busy.then_some(|| {
                if looks_ahead {
                    intake.prepare()?;
                }
                spill.settle_meanwhile()
            }),
        )?;
        drop(gathering);
        if let Some(ready) = ready {
            if let Some(writer) = writer {
                self.finish_run(writer, &ready, spill)?;
            }
            let memory = ready.into_memory();
            let is_waited_for = raw.is_none() && !intake.is_over();
            let memory = if is_waited_for { self.join_all(memory, intake) } else { memory };
            self.memory.push(memory);
        }
        let Some(raw) = raw else { return Ok(None) };
        let mut ready = intake.finish(raw, &mut self.crew.workers, before)?;
        self.check_length(&ready, intake)?;
        ready.next = intake.place();
        ready.keys = self.crew.close_tally();
        self.taken.add(ready.taken);
        if let Some(limit) = self.work.plan.wanted {
            ready.load.keep_first(limit);
        }
        if ready.load.records() == 0 && intake.is_over() {
            self.memory.push(ready.into_memory());
            return Ok(None);
        }
        // A load that holds no whole record yet is still needed: the next begins with its bytes.
        Ok(Some(ready))
    }

    /// Begins the next load, if there is one and memory for it while `ready` is still there.
    fn begin<I: Intake>(
        &mut self,
        intake: &mut I,
        ready: Option<&Ready>,
    ) -> Result<Option<I::Raw>> {
        if intake.is_over() {
            return Ok(None);
        }
        let slab_bytes = self.work.plan.slab_bytes;
        let Some(mut memory) = self.memory.pop() else { return Ok(None) };
        match ready {
            Some(_) if intake.needs_all() => {
                self.memory.push(memory);
                Ok(None)
            }
            Some(ready) => intake.begin(memory, ready.load.loaded_bytes()).map(Some),
            // All memory was one load's; two take turns again.
            None if self.work.plan.areas > 1 && self.memory.is_empty() && !intake.needs_all() => {
                let half = memory.split_off(slab_bytes);
                let raw = intake.begin(half, Some(&memory))?;
                self.memory.push(memory);
                Ok(Some(raw))
            }
            None => intake.begin(memory, None).map(Some),
        }
    }

    /// Makes two of the one piece of memory that there is.
    fn halve_memory(&mut self) {
        let halves = self.memory.pop().map(|mut memory| {
            let half = memory.split_off(self.work.plan.slab_bytes);
            [memory, half]
        });
        self.memory.extend(halves.into_iter().flatten());
    }

    /// Returns all memory in one piece, now that the load that lay in `memory` has been written;
    /// what the next begins with is at its start.
    fn join_all(&mut self, memory: Region, intake: &mut impl Intake) -> Region {
        let address = memory.address();
        let mut joined = Region::join_all(self.memory.drain(..).chain([memory]));
        let start = address - joined.address();
        intake.move_tail(&mut joined, start);
        joined
    }

    /// Sees that the load's records are not too long to be merged, if they have to be.
    fn check_length(&self, ready: &Ready, intake: &mut impl Intake) -> Result<()> {
        let plan = &self.work.plan;
        let is_merged = !self.runs.is_empty() || !intake.is_over();
        if plan.is_one_pass || !is_merged || ready.load.records() == 0 {
            return Ok(());
        }
        let keeps_one = self.work.select.groups();
        let (longest, most) = (ready.load.longest_bytes(), longest_merged(plan, keeps_one));
        if longest <= most {
            return Ok(());
        }
        let least = least_budget_mib(plan, &[longest; 2], keeps_one);
        intake.refuse_long(ready, most, least)
    }

    /// Creates the file of the run that a load becomes.
    fn create_run(&self, ready: &Ready, spill: &mut Spill) -> Result<NewRun> {
        let Ready { load, .. } = ready;
        let (bytes, records, longest) = (load.bytes(), load.records(), load.longest_bytes());
        let key_length = self.key.key_length();
        let geometry = Geometry::new(self.work.framing, key_length, bytes, records, longest);
        NewRun::create(self.work, spill, geometry)
    }
}
