//! Prediction of the time of a plan on disks and processors of known rates. Pure arithmetic.
//!
//! In each phase disks and processors work at the same time, so that it takes about as long as
//! whatever has most to do (AlphaSort, section 6, and NOW-Sort, section 5, reckon alike):
//!
//! ```text
//!   one pass     reading          input read,               costs + memory
//!                writing          output written,           costs
//!                finishing        sync
//!   two passes   run generation   input read, runs written, costs + memory
//!                writing          runs read, output written, costs
//!                finishing        sync, removal of runs
//! ```
//!
//! A disk that is both read and written in a phase does so at the rate of both at once. Of several
//! disks the one that has most to do counts. Disks and processors hide one behind the other, the
//! better the more they differ (`HIDING` says how much). Where a load is read before another is
//! written, nothing of the one is hidden behind the other: their times are added.
//!
//! Memory comes fast if it was in use shortly before, by whomever, and may come slowly if not:
//! nobody can know before it is touched. Times are foretold for memory most of which was (`STALE`),
//! and the most that they may become for memory none of which was.

use super::levers::{FACTOR_USUAL, Levers};
use super::passes::MergeMethod;
use super::volume::Volume;
use super::{BLOCK_MAX, ExternalPlan, Need, PAGE, Plan, PlanForm, READS_IN_FLIGHT, SpillReason};
use crate::error::Result;
use crate::profile::{Cost, Costs, DiskProfile};
use crate::stats::{Phase, PhasePrediction, Prediction};
use crate::units::ByteSize;

/// Rates of a machine, as far as they concern one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// The disks that the input lies on, each with its share of it; none where it is in memory.
    pub input: Vec<DiskPart>,
    /// Parts of the disks that hold runs.
    pub spill: Vec<DiskPart>,
    /// Parts of the disks that hold the output; empty where it goes to a pipe.
    pub output: Vec<DiskPart>,
    /// Costs of processing records.
    pub costs: Costs,
    /// Bytes per second of memory that was never touched before, to all threads; infinite where
    /// that was not measured.
    pub fresh_memory: f64,
    /// Bytes per second of memory that was in use shortly before.
    pub reused_memory: f64,
    /// Threads that processors have room for.
    pub cores: usize,
}

/// Exponent by which the times of disks and processors are added as powers. With 1 their times
/// would not overlap; with an infinite exponent they would overlap fully. A worker that deals a
/// block or makes a piece of output does not ask for more meanwhile. Where both have as much to do,
/// phases were measured to take 1.5 to 1.9 times that; where one has far more, they take no more
/// than it.
const HIDING: f64 = 1.5;

/// Additional time of a stage: at its start nothing has been read yet, and at its end it waits for
/// the last write. Measured with loads and slabs of 20 MB, where that is a third of the time.
const STAGE_SECONDS: f64 = 0.005;

/// The part of fresh memory that is expected not to have been in use shortly before, on a machine
/// that gets its memory from another: in calm hours one pass took what that makes of its memory.
const STALE: f64 = 0.05;

/// Two passes have to take no more than this share of the time of one to be chosen: how fast memory
/// comes varies from moment to moment, and predictions were found to be wrong by half.
const GAIN: f64 = 1.0 / 3.0;

/// Smaller budgets are not chosen: their loads and slabs take more time than predicted.
const LEAST_CHOSEN: u64 = 256 << 20;

/// More requests in flight are not chosen, whatever a profile says.
const DEPTH_CHOSEN: usize = 64;

/// A disk's part of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskPart {
    /// Device number, equal for all paths on this disk.
    pub device: u64,
    /// The share of the stream's bytes, 0 to 1.
    pub share: f64,
    /// Profile of the disk.
    pub disk: DiskProfile,
}

/// Bytes that a phase moves on each disk.
#[derive(Default)]
struct Traffic<'a>(Vec<(&'a DiskPart, f64, f64)>);

impl<'a> Traffic<'a> {
    fn new(parts: &'a [DiskPart], read: u64, written: u64) -> Self {
        let mut traffic = Self::default();
        for part in parts {
            traffic.add(part, read as f64 * part.share, written as f64 * part.share);
        }
        traffic
    }

    fn add(&mut self, part: &'a DiskPart, read: f64, written: f64) {
        match self.0.iter_mut().find(|(known, ..)| known.device == part.device) {
            Some(known) => (known.1, known.2) = (known.1 + read, known.2 + written),
            None => self.0.push((part, read, written)),
        }
    }

    /// Adds what else is moved at the same time.
    fn join(&mut self, other: Self) {
        other.0.into_iter().for_each(|(part, read, written)| self.add(part, read, written));
    }

    /// Seconds of the disk that has most to do.
    fn seconds(&self) -> f64 {
        let seconds = |(DiskPart { disk, .. }, read, written): &(&DiskPart, f64, f64)| {
            let common = read.min(*written);
            let (reads, writes) = (read - common, written - common);
            2.0 * common / disk.both + reads / disk.read + writes / disk.write
        };
        self.0.iter().map(seconds).fold(0.0, f64::max)
    }
}

/// Work of disks and processors at the same time.
struct OverlappedWork<'a> {
    traffic: Traffic<'a>,
    processor_seconds: f64,
}

impl<'a> OverlappedWork<'a> {
    fn reading(parts: &'a [DiskPart], bytes: u64) -> Self {
        Self { traffic: Traffic::new(parts, bytes, 0), processor_seconds: 0.0 }
    }

    fn writing(parts: &'a [DiskPart], bytes: u64) -> Self {
        Self { traffic: Traffic::new(parts, 0, bytes), processor_seconds: 0.0 }
    }

    /// Returns the work with `seconds` more for processors.
    fn of(self, seconds: f64) -> Self {
        Self { processor_seconds: self.processor_seconds + seconds, ..self }
    }

    fn seconds(&self) -> f64 {
        let power = |seconds: f64| seconds.powf(HIDING);
        let both = power(self.traffic.seconds()) + power(self.processor_seconds);
        both.powf(1.0 / HIDING)
    }
}

impl Rates {
    /// Returns how long `plan` takes for an input of `bytes` bytes.
    pub fn predict(&self, plan: &Plan, bytes: u64) -> Prediction {
        let seconds_a_byte = STALE / self.fresh_memory + (1.0 - STALE) / self.reused_memory;
        let mut phases = self.phases(plan, bytes, 1.0 / seconds_a_byte);
        for (phase, slow) in phases.iter_mut().zip(self.phases(plan, bytes, self.fresh_memory)) {
            phase.most_seconds = slow.seconds.max(phase.seconds);
        }
        let most_seconds = phases.iter().map(|phase| phase.most_seconds).sum();
        Prediction { seconds: seconds(&phases), most_seconds, phases }
    }

    /// Returns how long it takes at most, as far as that is for memory to say.
    fn most_seconds(&self, plan: &Plan, bytes: u64) -> f64 {
        seconds(&self.phases(plan, bytes, self.fresh_memory))
    }

    /// Returns the phases, where memory comes at `memory` bytes per second.
    fn phases(&self, plan: &Plan, bytes: u64, memory: f64) -> Vec<PhasePrediction> {
        let volume = plan.volume(bytes);
        let touching = plan.touched_bytes(bytes) as f64 / memory;
        match plan.external() {
            None => self.one_pass(plan, &volume, touching),
            Some(external) => self.more_passes(plan, external, &volume, touching),
        }
    }

    /// Returns the plan for a need and an input of `bytes` bytes that is done first, with requests
    /// as the disks want them: that of the whole budget, or one of two passes in less memory, where
    /// memory that was never touched comes so slowly that moving everything twice takes less time.
    ///
    /// # Errors
    ///
    /// Those of [`Plan::new`].
    pub fn choose(&self, need: &Need, bytes: u64) -> Result<Plan> {
        let usual = Plan::new(need)?;
        let (need, whole) = self.suited(need, usual, bytes);
        if !whole.is_one_pass() || self.fresh_memory.is_infinite() {
            return Ok(whole);
        }
        let seconds = |plan: &Plan| self.most_seconds(plan, bytes);
        let (mut best, mut least) = (None, GAIN * seconds(&whole));
        let least_bytes = LEAST_CHOSEN.min(need.budget.bytes());
        let mut budget = need.budget.bytes().min(whole.arena_bytes as u64) / 2;
        while budget >= least_bytes {
            let smaller = Plan::new(&Need { budget: ByteSize(budget), ..need });
            let is_alike =
                |plan: &Plan| plan.volume(bytes).passes == 2 && plan.threads == whole.threads;
            let smaller = smaller.ok().filter(is_alike);
            if let Some(plan) = smaller
                && seconds(&plan) < least
            {
                (least, best) = (seconds(&plan), Some(plan));
            }
            budget /= 2;
        }
        let Some(mut plan) = best else { return Ok(whole) };
        if let PlanForm::External(external) = &mut plan.form {
            external.reason = SpillReason::SlowMemory;
        }
        Ok(plan)
    }

    /// Returns a need and a plan with requests as the disks want them. It changes each setting that
    /// the user left open, if the memory for it costs no more passes and no more runs.
    fn suited(&self, need: &Need, usual: Plan, bytes: u64) -> (Need, Plan) {
        let wishes = [Self::wish_depth, Self::wish_block, Self::wish_factor];
        let (mut need, mut best) = (*need, usual);
        for wish in wishes {
            let Some(levers) = wish(self, &best) else { continue };
            let wished = Need { levers, ..need };
            let Ok(plan) = Plan::new(&wished) else { continue };
            let (new, old) = (plan.volume(bytes), best.volume(bytes));
            if new.passes <= old.passes && new.runs <= old.runs {
                (need, best) = (wished, plan);
            }
        }
        (need, best)
    }

    /// Returns the bytes a second that the disks with runs read and write together.
    pub fn spill_rate(&self) -> Option<f64> {
        let seconds = self.spill.iter().map(|part| part.share / part.disk.both);
        seconds.reduce(f64::max).filter(|seconds| *seconds > 0.0).map(f64::recip)
    }

    /// Returns the disks that are read.
    fn disks(&self) -> impl Iterator<Item = &DiskProfile> {
        self.input.iter().chain(&self.spill).map(|part| &part.disk)
    }

    /// Returns settings with more requests in flight than a plan has.
    fn wish_depth(&self, plan: &Plan) -> Option<Levers> {
        let most = self.disks().map(|disk| disk.queue_depth).max();
        let most = most.filter(|depth| *depth > READS_IN_FLIGHT)?.min(DEPTH_CHOSEN);
        let is_free = plan.levers.queue_depth.is_none();
        is_free.then_some(Levers { queue_depth: Some(most), ..plan.levers })
    }

    /// Returns settings with larger requests than a plan has. All of them in flight fit in a load.
    fn wish_block(&self, plan: &Plan) -> Option<Levers> {
        let most = self.disks().map(|disk| disk.request_bytes).max()?.min(BLOCK_MAX as u64);
        let reads = plan.threads * plan.read_depth;
        let room = plan.load.bytes() / reads / PAGE * PAGE;
        let most = most.min(room as u64);
        let is_free = plan.levers.block.is_none() && most > plan.block_bytes as u64;
        is_free.then_some(Levers { block: Some(ByteSize(most)), ..plan.levers })
    }

    /// Returns settings with larger pieces of runs than a plan has.
    fn wish_factor(&self, plan: &Plan) -> Option<Levers> {
        let most = self.spill.iter().map(|part| part.disk.read_factor).fold(0.0, f64::max);
        let is_free = plan.levers.read_factor.is_none() && most > f64::from(FACTOR_USUAL);
        is_free.then_some(Levers { read_factor: Some(most as u32), ..plan.levers })
    }

    fn one_pass(&self, plan: &Plan, volume: &Volume, touching: f64) -> Vec<PhasePrediction> {
        let (read, written) = (volume.input_bytes, volume.output_bytes);
        let dealing = self.cost(plan, self.costs.reading, read) + touching;
        let sorting = self.cost(plan, self.costs.writing, written);
        vec![
            phase(Phase::Reading, &[OverlappedWork::reading(&self.input, read).of(dealing)], 1),
            phase(Phase::Writing, &[OverlappedWork::writing(&self.output, written).of(sorting)], 1),
            self.finishing(volume),
        ]
    }

    fn more_passes(
        &self,
        plan: &Plan,
        external: &ExternalPlan,
        volume: &Volume,
        touching: f64,
    ) -> Vec<PhasePrediction> {
        let (read, generated) = (volume.input_bytes, volume.generated_bytes);
        let all = self.cost(plan, self.costs.run_generation, read);
        let dealing = self.cost(plan, self.costs.reading, read).min(all);
        let works = in_turn(
            external.load_areas > 1 || external.replacement().is_some(),
            OverlappedWork::reading(&self.input, read).of(dealing + touching),
            OverlappedWork::writing(&self.spill, generated).of(all - dealing),
        );
        let mut phases = vec![phase(Phase::RunGeneration, &works, volume.load_stages)];
        let is_overlapped = external.slabs > 1 || plan.merge_way() == MergeMethod::Streams;
        let merging = |kind, (read, output, written): (u64, &[DiskPart], u64)| {
            let costs = self.merging_cost(plan, written);
            let reading = OverlappedWork::reading(&self.spill, read);
            let works =
                in_turn(is_overlapped, reading, OverlappedWork::writing(output, written).of(costs));
            phase(kind, &works, volume.stages_of(written))
        };
        if volume.merged_bytes > 0 {
            let merged = (volume.merged_bytes, &self.spill[..], volume.merged_bytes);
            phases.push(merging(Phase::IntermediateMerge, merged));
        }
        let output = volume.output_bytes;
        let last = (volume.generated_bytes.min(output), &self.output[..], output);
        phases.push(merging(Phase::Writing, last));
        phases.push(self.finishing(volume));
        phases
    }

    /// Returns the seconds that the processors need for `bytes` bytes of records.
    fn cost(&self, plan: &Plan, cost: Cost, bytes: u64) -> f64 {
        let records = bytes as f64 / plan.sizes.record_length as f64;
        let nanoseconds = records * cost.record + bytes as f64 * cost.byte;
        nanoseconds / 1e9 / plan.threads.min(self.cores).max(1) as f64
    }

    /// Returns the seconds that processors need to merge `bytes` bytes. One worker merges streams.
    fn merging_cost(&self, plan: &Plan, bytes: u64) -> f64 {
        let cost = self.cost(plan, self.costs.merging, bytes);
        match plan.merge_way() {
            MergeMethod::Slabs => cost,
            MergeMethod::Streams => cost * plan.threads.min(self.cores).max(1) as f64,
        }
    }

    /// Returns the phase that makes the last writes durable and removes runs.
    fn finishing(&self, volume: &Volume) -> PhasePrediction {
        let durable = self.output.iter().map(|part| part.disk.sync_seconds).fold(0.0, f64::max);
        let removed =
            |part: &DiskPart| volume.generated_bytes as f64 * part.share / part.disk.remove;
        let removed: f64 = self.spill.iter().map(removed).sum();
        let (phase, seconds) = (Phase::Finishing, durable + removed);
        expected(phase, seconds, seconds, 0.0)
    }
}

/// Returns what reads and writes come to: one work if they are done at the same time, else two.
fn in_turn<'a>(
    is_overlapped: bool,
    mut reading: OverlappedWork<'a>,
    writing: OverlappedWork<'a>,
) -> Vec<OverlappedWork<'a>> {
    if !is_overlapped {
        return vec![reading, writing];
    }
    reading.traffic.join(writing.traffic);
    vec![reading.of(writing.processor_seconds)]
}

/// Returns a phase of `stages` stages, in which these works are done one after the other.
fn phase(phase: Phase, works: &[OverlappedWork<'_>], stages: u64) -> PhasePrediction {
    let stages = STAGE_SECONDS * stages as f64;
    let sum = |part: fn(&OverlappedWork<'_>) -> f64| works.iter().map(part).sum::<f64>();
    let disk_seconds = sum(|work| work.traffic.seconds());
    let seconds: f64 = works.iter().map(OverlappedWork::seconds).sum();
    expected(phase, stages + seconds, disk_seconds, sum(|work| work.processor_seconds))
}

/// Returns a phase that takes `seconds`, whatever the speed of memory, with the busy seconds of
/// disks and processors.
fn expected(
    phase: Phase,
    seconds: f64,
    disk_seconds: f64,
    processor_seconds: f64,
) -> PhasePrediction {
    PhasePrediction { phase, seconds, most_seconds: seconds, disk_seconds, processor_seconds }
}

/// Seconds of all phases.
fn seconds(phases: &[PhasePrediction]) -> f64 {
    phases.iter().map(|phase| phase.seconds).sum()
}

impl Plan {
    /// Returns the number of bytes of memory that an input of `bytes` bytes brings into use.
    fn touched_bytes(&self, bytes: u64) -> u64 {
        let records = bytes / self.sizes.record_length as u64;
        let read = (self.load.read_bytes as u64).min(bytes);
        let load = read + records * self.item.bytes() as u64;
        let beside = self.threads * (self.lane.bytes() + self.scratch_bytes);
        (self.load_areas() as u64 * load.min(self.load.bytes() as u64) + beside as u64)
            .min(self.arena_bytes as u64)
    }
}

#[cfg(test)]
mod tests;
