//! Bringing the input into memory: one load if it fits, else one sorted run after another.
//!
//! Two loads take turns: while one is gathered and written as a run, the next is read and dealt,
//! and meanwhile the keys of the one after that are sampled.

use super::Work;
use super::crew::Crew;
use super::dealing::Dealing;
use super::gathering::{Destination, Gathering};
use super::intake::{FixedIntake, Intake, Ready};
use super::line_intake::LineIntake;
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::Result;
use crate::format::Framing;
use crate::incore::KeyedLoad;
use crate::incore::bucket::bucket_records;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::Cutter;
use crate::run::layout::Geometry;
use crate::run::{Run, RunWriter};
use crate::stats::Phase;

/// What run generation ends with.
pub enum Generated {
    /// Everything is in memory.
    Whole(Box<KeyedLoad>),
    /// Runs, in the order of the input, and the memory of the loads.
    Runs(Vec<Run>, Vec<Region>),
    /// The input has more records than one load was planned for: so many bytes each, on average.
    Crowded(usize),
}

/// Reads all of the input.
pub fn generate<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: Vec<Region>,
    spill: &mut Spill,
) -> Result<Generated> {
    let plan = &work.plan;
    let cutter = Cutter::new(work.sources(), work.record_length, plan.block_bytes);
    let how = Dealing {
        key,
        item: plan.item,
        framing: work.framing,
        record_length: work.record_length,
        verify: work.verify,
        block: cutter.block(),
        bucket_records: bucket_records(work.record_length),
        buckets_max: plan.load.buckets_max,
    };
    let generation = Generation { work, key, crew, memory, runs: Vec::new() };
    match work.framing {
        Framing::Fixed(_) => generation.run(FixedIntake::new(work, &how, cutter)?, spill),
        Framing::Terminated(end) => generation.run(LineIntake::new(work, &how, end)?, spill),
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
}

impl<K: KeyEncoder> Generation<'_, '_, K> {
    /// Reads all loads, and writes runs unless the first is all there is.
    fn run(mut self, mut intake: impl Intake, spill: &mut Spill) -> Result<Generated> {
        let is_one_pass = self.work.plan.is_one_pass;
        self.crew.enter(if is_one_pass { Phase::Reading } else { Phase::RunGeneration })?;
        let mut ready = None;
        while ready.is_some() || !intake.is_over() {
            ready = self.turn(&mut intake, ready, spill)?;
            let Some(now) = ready else { continue };
            if self.runs.is_empty() && intake.is_over() {
                return Ok(Generated::Whole(Box::new(now.load)));
            }
            if is_one_pass {
                let records = now.load.records().max(1);
                return Ok(Generated::Crowded((now.load.bytes() / records) as usize));
            }
            ready = Some(now);
        }
        Ok(Generated::Runs(self.runs, self.memory))
    }

    /// Fills the next load, if there is one, while the one before is written as a run.
    fn turn<I: Intake>(
        &mut self,
        intake: &mut I,
        ready: Option<Ready>,
        spill: &mut Spill,
    ) -> Result<Option<Ready>> {
        let (key, plan) = (self.key, &self.work.plan);
        let raw = if intake.is_over() {
            None
        } else {
            let memory = self.memory.pop().unwrap_or_else(|| unreachable!("one of two is free"));
            Some(intake.begin(memory, ready.as_ref())?)
        };
        let writer = match &ready {
            Some(ready) if ready.load.records() > 0 => Some(self.create_run(ready, spill)?),
            _ => None,
        };
        let gathering = ready.as_ref().zip(writer.as_ref()).map(|(ready, run)| {
            let destination = Destination::run(run);
            Gathering::new(key, &ready.load, self.work.framing, destination, plan.task_bytes)
        });
        let before = self.crew.sums().0;
        let looks_ahead = raw.is_some() && intake.looks_ahead();
        stage::run(
            &mut self.crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            gathering.as_ref().map(|gathering| gathering as &dyn Drain),
            looks_ahead.then_some(|| intake.prepare()),
        )?;
        drop(gathering);
        if let Some(ready) = ready {
            if let Some(writer) = writer {
                self.runs.push(writer.finish(&mut self.crew.workers[0].lane, ready.sum)?);
            }
            self.memory.push(ready.into_memory());
        }
        let Some(raw) = raw else { return Ok(None) };
        let mut ready = intake.finish(raw, &mut self.crew.workers, before)?;
        if let Some(limit) = self.work.run_limit() {
            ready.load.keep_first(limit);
        }
        if ready.load.records() == 0 && intake.is_over() {
            self.memory.push(ready.into_memory());
            return Ok(None);
        }
        // A load that holds no whole record yet is still needed: the next begins with its bytes.
        Ok(Some(ready))
    }

    /// Creates the file of the run that a load becomes.
    fn create_run(&self, ready: &Ready, spill: &mut Spill) -> Result<RunWriter> {
        let Ready { load, .. } = ready;
        let (bytes, records, longest) = (load.bytes(), load.records(), load.longest_bytes());
        let key_length = self.key.key_length();
        let geometry = Geometry::new(self.work.framing, key_length, bytes, records, longest);
        RunWriter::create(&spill.next_path()?, self.work.direct, geometry)
    }
}
