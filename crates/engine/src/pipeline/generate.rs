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

use std::time::Instant;

use super::Work;
use super::crew::{Crew, cut};
use super::dealing::Dealing;
use super::gathering::Gathering;
use super::intake::{Intake, ReadyLoad};
use super::new_run::NewRun;
use super::record_intake::RecordIntake;
use super::replacement;
use super::sieve_intake::SieveIntake;
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::Result;
use crate::incore::IncoreSort;
use crate::incore::KeyedLoad;
use crate::incore::sort::bucket_records;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::manifest::{LogEntry, Past, RunEntry};
use crate::plan::passes::longest_merged;
use crate::plan::{ExternalPlan, RunGeneration};
use crate::run::layout::RunGeometry;
use crate::run::{PackingEvidence, Run};
use crate::stats::{Phase, Stream};

/// Result of run generation.
pub enum Generated<'a> {
    /// Everything is in memory.
    Whole(Box<KeyedLoad>, IntakeCounts),
    /// No record is left for the only load.
    Nothing(IntakeCounts),
    /// Runs to be merged.
    Runs(GeneratedRuns<'a>),
    /// The input has more records than one load was planned for; holds their average bytes.
    Crowded(usize),
    /// Dropping duplicates as they are read is not worth it, or cannot be done.
    Unsieved,
}

/// Runs of an external sort, still to be merged.
pub struct GeneratedRuns<'a> {
    /// Plan of how they are merged.
    pub external: &'a ExternalPlan,
    /// Runs, in the order of the input.
    pub runs: Vec<Run>,
    /// Records that they were made of.
    pub taken: IntakeCounts,
    /// Memory of the loads.
    pub memory: Vec<Region>,
}

/// Records and bytes that were taken in; a selection may leave fewer.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntakeCounts {
    pub records: u64,
    pub bytes: u64,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
}

impl IntakeCounts {
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
pub fn generate<'p, K: KeyEncoder>(
    work: &'p Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: Vec<Region>,
    past: Past,
    spill: &mut Spill,
) -> Result<Generated<'p>> {
    let how = Dealing {
        sort: IncoreSort {
            key,
            item: work.plan.item,
            framing: work.framing,
            bucket_records: work.plan.range_records().unwrap_or(bucket_records(work.record_length)),
            buckets_max: work.plan.load.buckets_max,
            runs: work.plan.microruns.map(|runs| runs.sort),
        },
        gate: (!work.gate.is_open(key)).then_some(&work.gate),
        verify: work.verify,
    };
    let start = past.next;
    if let Some(external) = work.plan.external()
        && let RunGeneration::Replacement(planned) = external.generation
    {
        return replacement::generate(work, key, crew, external, planned, memory, spill);
    }
    let loads = LoadGeneration::after(past, work, key, crew, memory);
    match work.plan.sieve() {
        Some(planned) => loads.run(SieveIntake::new(work, &how, planned)?, spill),
        None => loads.run(RecordIntake::new(work, &how, start)?, spill),
    }
}

/// Divides the memory of all loads among the slabs of a merge.
pub fn slab_memory(
    loads: impl IntoIterator<Item = Region>,
    external: &ExternalPlan,
) -> Vec<Region> {
    let mut rest = Region::join_all(loads);
    let others = 1..external.slabs;
    let mut slabs: Vec<Region> = others.map(|_| cut(&mut rest, external.slab_bytes)).collect();
    slabs.push(rest);
    slabs
}

/// Run generation by loads under way.
struct LoadGeneration<'a, 'w, 'p, K> {
    work: &'p Work,
    key: &'a K,
    crew: &'a mut Crew<'w>,
    /// Memory of loads that is not in use.
    memory: Vec<Region>,
    runs: Vec<Run>,
    taken: IntakeCounts,
    /// Rows left out of loads that became no run. They are noted with the next run.
    unnoted: u64,
    /// Time at which the first load was begun.
    begun: Instant,
}

impl<'a, 'w, 'p, K: KeyEncoder> LoadGeneration<'a, 'w, 'p, K> {
    /// Returns run generation that continues after `past`.
    fn after(
        past: Past,
        work: &'p Work,
        key: &'a K,
        crew: &'a mut Crew<'w>,
        memory: Vec<Region>,
    ) -> Self {
        let first = &mut crew.workers[0];
        first.sum_in.add(past.read);
        first.sum_out.add(past.dropped);
        crew.keys.add(&past.keys);
        let (records, bytes) = past.taken;
        let (runs, taken) = (past.runs, IntakeCounts { records, bytes, ragged: past.ragged });
        Self { work, key, crew, memory, runs, taken, unnoted: 0, begun: Instant::now() }
    }

    /// Finishes the run that a load has become, and notes it.
    fn finish_run(&mut self, run: NewRun, ready: &ReadyLoad, spill: &mut Spill) -> Result<()> {
        let before = self.crew.sums().1;
        let ragged = ready.taken.ragged + std::mem::take(&mut self.unnoted);
        let file = run.file();
        let run = run.finish(self.key, self.crew, ready.sum)?;
        spill.note(file, self.crew, |crew| {
            LogEntry::Run(RunEntry {
                run: run.clone(),
                next: ready.next,
                taken: (ready.taken.records, ready.taken.bytes),
                ragged,
                read: ready.sum,
                dropped: crew.sums().1.less(before),
                keys: ready.keys.clone(),
            })
        })?;
        self.runs.push(run);
        Ok(())
    }

    /// Reads all loads, and writes runs unless the first is all there is.
    fn run(mut self, mut intake: impl Intake, spill: &mut Spill) -> Result<Generated<'p>> {
        let external = self.work.plan.external();
        self.crew.enter(external.map_or(Phase::Reading, |_| Phase::RunGeneration))?;
        if intake.needs_all() {
            self.join_memory(&mut intake);
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
            if external.is_none() {
                let records = now.load.records().max(1);
                return Ok(Generated::Crowded((now.load.bytes() / records) as usize));
            }
            ready = Some(now);
        }
        let Some(external) = external else { return Ok(Generated::Nothing(self.taken)) };
        spill.settle(self.crew)?;
        let Self { runs, taken, memory, .. } = self;
        let memory = slab_memory(memory, external);
        Ok(Generated::Runs(GeneratedRuns { external, runs, taken, memory }))
    }

    /// Fills the next load, if there is one and memory for it, while `previous` is written as a
    /// run. Returns the load that was filled.
    fn turn<I: Intake>(
        &mut self,
        intake: &mut I,
        previous: Option<ReadyLoad>,
        spill: &mut Spill,
    ) -> Result<Option<ReadyLoad>> {
        let key = self.key;
        let raw = self.begin(intake, previous.as_ref())?;
        let writer = match &previous {
            Some(previous) if previous.load.records() > 0 => {
                Some(self.create_run(previous, spill)?)
            }
            _ => None,
        };
        let gathering = previous.as_ref().zip(writer.as_ref()).map(|(previous, run)| {
            Gathering::new(key, &previous.load, self.work, run.destination())
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
        if let Some(previous) = previous {
            match writer {
                Some(writer) => self.finish_run(writer, &previous, spill)?,
                None => self.unnoted += previous.taken.ragged,
            }
            self.memory.push(previous.into_memory());
            if raw.is_none() && !intake.is_over() {
                self.join_memory(intake);
            }
        }
        let Some(raw) = raw else { return Ok(None) };
        let mut filled = intake.finish(raw, &mut self.crew.workers, before)?;
        self.check_length(&filled, intake)?;
        filled.next = intake.place();
        filled.keys = self.crew.close_tally();
        self.taken.add(filled.taken);
        if let Some(count) = filled.load.run_count() {
            self.crew.count_microruns(count);
        }
        if let Some(limit) = self.work.plan.wanted {
            filled.load.keep_first(limit);
        }
        if filled.load.records() == 0 && intake.is_over() {
            self.memory.push(filled.into_memory());
            return Ok(None);
        }
        // A load that holds no whole record yet is still needed: the next begins with its bytes.
        Ok(Some(filled))
    }

    /// Begins the next load, if there is one and memory for it while `previous` is still there.
    /// This is the unused memory at the beginning of each turn, where load 2 has a long record:
    ///
    /// ```text
    ///   memory    turn
    ///   [A] [B]   load 0 begins in A
    ///   [B]       load 1 begins in B, and load 0 is written
    ///   [A]       load 2 does not begin, as it needs all; load 1 is written
    ///   [A   B]   load 2 begins in all memory, which was joined
    ///   -         load 3 does not begin, as there is no memory; load 2 is written
    ///   [A   B]   load 3 begins in A, after memory was halved
    ///   [B]       load 4 begins in B, and load 3 is written
    /// ```
    fn begin<I: Intake>(
        &mut self,
        intake: &mut I,
        previous: Option<&ReadyLoad>,
    ) -> Result<Option<I::Raw>> {
        let has_to_wait = previous.is_some() && intake.needs_all();
        if intake.is_over() || has_to_wait || self.memory.is_empty() {
            return Ok(None);
        }
        if let (None, false, Some(external)) =
            (previous, intake.needs_all(), self.work.plan.external())
        {
            self.halve_memory(external);
        }
        // The load begins with bytes that lie with `previous`, or at the start of all memory.
        let memory = self.memory.remove(0);
        intake.begin(memory, previous.and_then(|previous| previous.load.loaded_bytes())).map(Some)
    }

    /// Makes two of one piece of memory, where two loads take turns.
    fn halve_memory(&mut self, external: &ExternalPlan) {
        if let ([memory], 2..) = (&mut self.memory[..], external.load_areas) {
            let half = memory.split_off(external.area_bytes);
            self.memory.push(half);
        }
    }

    /// Makes one piece of all memory, now that the load in the last piece has been written. Moves
    /// the bytes that the next load begins with to its start:
    ///
    /// ```text
    ///   [ unused         ] [ load n            | tail ]
    ///   [ tail |           unused                     ]
    /// ```
    fn join_memory(&mut self, intake: &mut impl Intake) {
        let address = self.memory.last().map_or(0, Region::address);
        let mut joined = Region::join_all(self.memory.drain(..));
        let start = address - joined.address();
        intake.move_tail(&mut joined, start);
        self.memory.push(joined);
    }

    /// Sees that the load's records are not too long to be merged, if they have to be.
    fn check_length(&self, ready: &ReadyLoad, intake: &mut impl Intake) -> Result<()> {
        let plan = &self.work.plan;
        let is_merged = !self.runs.is_empty() || !intake.is_over();
        if plan.is_one_pass() || !is_merged || ready.load.records() == 0 {
            return Ok(());
        }
        let most = longest_merged(plan, self.work.kept_copies());
        let longest = ready.load.longest_bytes();
        if longest <= most {
            return Ok(());
        }
        intake.refuse_long(ready, most, self.work.least_budget_mib(longest))
    }

    /// Creates the file of the run that a load becomes.
    fn create_run(&self, ready: &ReadyLoad, spill: &mut Spill) -> Result<NewRun> {
        let ReadyLoad { load, .. } = ready;
        self.work.packing.observe(|| PackingEvidence {
            read_bytes: self.crew.progress.bytes_of(Stream::InputRead),
            seconds: self.begun.elapsed().as_secs_f64(),
            waited_seconds: self.crew.progress.waited().total().as_secs_f64(),
            threads: self.crew.workers.len(),
            profile_rate: None,
        });
        let (bytes, records, longest) = (load.bytes(), load.records(), load.longest_bytes());
        let key_length = self.key.key_length();
        let geometry = RunGeometry::new(self.work.framing, key_length, bytes, records, longest);
        NewRun::create(self.work, spill, geometry)
    }
}
