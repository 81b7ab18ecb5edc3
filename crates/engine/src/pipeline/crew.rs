//! The workers of a job and the memory they take turns with.

use super::phase_clock::PhaseClock;
use super::sorted::InputAccount;
use super::stage::{Worker, WorkerObservations};
use crate::error::Result;
use crate::incore::{Item, Method, RunCount, Scratch};
use crate::io::{ALIGNMENT_MAX, Arena, Engine, Region};
use crate::key::KeyTally;
use crate::plan::Plan;
use crate::plan::levers::Overlap;
use crate::plan::memory::LaneMemory;
use crate::proof::Sum;
use crate::run::layout::BLOCK;
use crate::sink::{Lane, LaneCounters};
use crate::stats::{Activity, Microruns, Phase, PhaseTime, Progress, WorkerClock};
use crate::sys::Affinity;
use crate::units::ByteSize;

const _: () = assert!(ALIGNMENT_MAX <= BLOCK, "the buffer of an edge holds a granule of any file");

/// Workers of a job and the memory of each.
#[derive(Clone, Copy, Debug)]
pub struct Staff {
    /// Workers.
    pub threads: usize,
    /// Memory with which each moves bytes.
    pub lane: LaneMemory,
    /// Memory in which each sorts buckets, and how.
    pub scratch: Option<(usize, Item, Method)>,
    /// Reads that each keeps in flight.
    pub read_depth: usize,
    /// Phases in which what one writes in a stage may still be under way in the next.
    pub overlaps: OverlappedPhases,
    /// True if each waits for each of its requests.
    pub waits: bool,
    /// Choice of whether they stay on their processors.
    pub affinity: Affinity,
}

/// Choice of the phases in which stages overlap.
#[derive(Clone, Copy, Debug)]
pub struct OverlappedPhases {
    /// Run generation, and a sort in memory.
    pub runs: bool,
    /// Merges.
    pub merge: bool,
}

impl OverlappedPhases {
    /// Returns whether stages overlap in a phase.
    fn contain(self, phase: Phase) -> bool {
        match phase {
            Phase::IntermediateMerge | Phase::Writing | Phase::Finishing => self.merge,
            _ => self.runs,
        }
    }
}

impl Staff {
    /// Returns the workers of a sort.
    pub fn of_sort(plan: &Plan) -> Self {
        Self {
            threads: plan.threads,
            lane: plan.lane,
            scratch: Some((plan.scratch_bytes, plan.item, plan.method)),
            read_depth: plan.read_depth,
            overlaps: OverlappedPhases {
                runs: plan.levers.overlap != Overlap::Sync,
                merge: plan.levers.overlap_of_merges() != Overlap::Sync,
            },
            waits: plan.levers.waits(),
            affinity: plan.levers.affinity,
        }
    }

    /// Returns the number of bytes that all workers have.
    pub fn bytes(&self) -> usize {
        self.threads * (self.lane.bytes() + self.scratch.map_or(0, |(bytes, ..)| bytes))
    }
}

/// All workers, and an account of their time.
#[derive(Debug)]
pub struct Crew<'p> {
    /// The workers.
    pub workers: Vec<Worker<'p>>,
    /// Counts about the keys of all loads so far.
    pub keys: KeyTally,
    /// Runs in memory that loads were sorted in.
    pub microruns: Microruns,
    /// Account of the inputs that merges have read.
    pub inputs: InputAccount,
    /// Receiver of progress reports.
    pub progress: &'p Progress,
    overlaps: OverlappedPhases,
    phases: Vec<(PhaseTime, LaneCounters)>,
    entered: PhaseClock,
}

impl<'p> Crew<'p> {
    /// Returns the plan's workers, and the memory for loads: a region for each that is there at
    /// once.
    pub fn of_sort(
        plan: &Plan,
        engine: Engine,
        progress: &'p Progress,
    ) -> Result<(Self, Vec<Region>)> {
        let mut arena: Region = Arena::new(ByteSize(plan.arena_bytes as u64))?;
        let crew = Self::new(&Staff::of_sort(plan), &mut arena, engine, progress)?;
        let mut loads = Vec::new();
        if let Some(external) = plan.external() {
            let others = 1..external.load_areas;
            loads.extend(others.map(|_| cut(&mut arena, external.area_bytes)));
        }
        loads.push(arena);
        Ok((crew, loads))
    }

    /// Returns workers, whose memory is cut from `arena`.
    pub fn new(
        staff: &Staff,
        arena: &mut Region,
        engine: Engine,
        progress: &'p Progress,
    ) -> Result<Self> {
        let Staff { threads, lane, scratch, read_depth, overlaps, waits, affinity } = *staff;
        let mut workers = Vec::with_capacity(threads);
        for (number, processors) in affinity.places(threads).into_iter().enumerate() {
            let edges = (0..lane.edges).map(|_| cut(arena, BLOCK)).collect();
            let buffers = (0..lane.buffers).map(|_| cut(arena, lane.buffer_bytes())).collect();
            let queue = engine.queue(read_depth + lane.buffers + lane.edges)?;
            workers.push(Worker {
                number,
                read_depth,
                overlaps: overlaps.contain(progress.phase()),
                processors,
                lane: Lane::new(queue, buffers, edges, lane.capacity, progress).waiting(waits),
                scratch: match scratch {
                    Some((bytes, item, method)) => {
                        let capacity = bytes / Scratch::bytes_needed(1, item);
                        Scratch::new(cut(arena, bytes), capacity, item, method)
                    }
                    None => Scratch::new(cut(arena, 0), 0, Item::Entry, Method::default()),
                },
                sum_in: Sum::default(),
                sum_out: Sum::default(),
                keys: KeyTally::default(),
                seen: WorkerObservations::default(),
                clock: WorkerClock::default(),
            });
        }
        Ok(Self {
            workers,
            keys: KeyTally::default(),
            microruns: Microruns::default(),
            inputs: InputAccount::default(),
            progress,
            overlaps,
            phases: Vec::new(),
            entered: PhaseClock::now(LaneCounters::default()),
        })
    }

    /// Ends the current phase, waiting for its writes, and begins `phase`.
    pub fn enter(&mut self, phase: Phase) -> Result<()> {
        self.close_phase()?;
        self.progress.enter(phase);
        let overlaps = self.overlaps.contain(phase);
        self.workers.iter_mut().for_each(|worker| worker.overlaps = overlaps);
        Ok(())
    }

    /// Ends the current phase, waiting for its writes.
    pub fn close_phase(&mut self) -> Result<()> {
        self.flush()?;
        let now = PhaseClock::now(self.counters());
        self.phases.push(self.entered.until(&now, self.progress.phase()));
        self.entered = now;
        Ok(())
    }

    /// Waits until all writes have ended. No read may be in flight.
    pub fn flush(&mut self) -> Result<()> {
        self.workers.iter_mut().try_for_each(|worker| worker.lane.flush())
    }

    /// Releases the memory of all workers to the system, except the output buffers of the first
    /// worker. The others take memory again when they get work.
    pub fn release_memory(&mut self) -> Result<()> {
        for worker in &mut self.workers {
            worker.lane.flush()?;
            worker.scratch.release();
            if worker.number > 0 {
                worker.lane.release();
            }
        }
        Ok(())
    }

    /// Returns each phase, in order, with what was moved in it; a phase entered twice counts once.
    pub fn phases(&self) -> Vec<(PhaseTime, LaneCounters)> {
        let mut merged: Vec<(PhaseTime, LaneCounters)> = Vec::new();
        for (time, moved) in &self.phases {
            match merged.last_mut() {
                Some((last, sum)) if last.phase == time.phase => {
                    last.add(time);
                    *sum = sum.plus(*moved);
                }
                _ => merged.push((*time, *moved)),
            }
        }
        merged
    }

    /// Returns what all workers read, and what they wrote to the output.
    pub fn sums(&self) -> (Sum, Sum) {
        let mut sums = (Sum::default(), Sum::default());
        for worker in &self.workers {
            sums.0.add(worker.sum_in);
            sums.1.add(worker.sum_out);
        }
        sums
    }

    /// Returns the counts about all keys so far.
    pub fn tally(&self) -> KeyTally {
        let mut tally = self.keys.clone();
        self.workers.iter().for_each(|worker| tally.add(&worker.keys));
        tally
    }

    /// Returns what workers have seen of the keys of a load, which counts with the others now.
    pub fn close_tally(&mut self) -> KeyTally {
        let mut tally = KeyTally::default();
        for worker in &mut self.workers {
            tally.add(&std::mem::take(&mut worker.keys));
        }
        self.keys.add(&tally);
        tally
    }

    /// Counts the runs in memory of a load.
    pub fn count_microruns(&mut self, load: RunCount) {
        let Microruns { entries, runs, tree_width } = &mut self.microruns;
        *entries = load.entries_max.max(*entries);
        *runs += load.runs;
        *tree_width = load.runs.max(*tree_width);
    }

    /// Returns the observations of each worker.
    pub fn seen(&self) -> Vec<WorkerObservations> {
        let seen = |worker: &Worker<'_>| {
            let counters = worker.lane.counters();
            let mut clock = worker.clock;
            clock.turn_from(counters.counted(), Activity::Resting);
            let time = clock.time(counters.waited, counters.writing);
            WorkerObservations { time, ..worker.seen.clone() }
        };
        self.workers.iter().map(seen).collect()
    }

    /// Returns the engine's name.
    pub fn engine(&self) -> &'static str {
        self.workers[0].lane.engine()
    }

    fn counters(&self) -> LaneCounters {
        let counters = self.workers.iter().map(|worker| worker.lane.counters());
        counters.fold(LaneCounters::default(), LaneCounters::plus)
    }
}

/// Returns the first `bytes` of a region; the rest stays.
pub fn cut(region: &mut Region, bytes: usize) -> Region {
    let rest = region.split_off(bytes);
    std::mem::replace(region, rest)
}
