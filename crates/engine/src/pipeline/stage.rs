//! One stage: workers that fill one load while they drain another.
//!
//! All workers are alike (no reader, no writer, no master): each keeps some reads of the next load
//! in flight, takes in what has arrived, and in between makes a piece of output from the load
//! before. What a stage fills and drains is behind two small traits, so that run generation,
//! intermediate merges and the final merge are the same loop:
//!
//! ```text
//!   stage      fill                  drain
//!   first      load 0                -
//!   then       load n: deal          load n-1: sort, gather, write a run
//!   last       -                     last load
//!   merging    slab n: check         slab n-1: merge, write
//! ```
//!
//! A user may have one done after the other (`--overlap`): then no stage does both, and each waits
//! for its writes. Workers may be told to stay on processors (`--affinity`). Calls behind the
//! traits happen once per block or task, never per record.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::incore::Scratch;
use crate::io::{Completion, Request};
use crate::key::KeyTally;
use crate::proof::Sum;
use crate::sink::Lane;
use crate::stats::{Activity, Phase, Progress, Stages, WorkerClock, WorkerTime};
use crate::sys::processors::{self, Stay};

/// Time to wait for memory that other workers are about to return: less than a block takes to deal.
pub const TURN: Duration = Duration::from_micros(100);

/// One worker and all that is its own, on cache lines of its own: it counts and sums with every
/// record.
#[derive(Debug)]
#[repr(align(128))]
pub struct Worker<'p> {
    /// Number of the worker, from 0.
    pub number: usize,
    /// Reads it keeps in flight.
    pub read_depth: usize,
    /// True if what it writes in a stage may still be under way in the next.
    pub overlaps: bool,
    /// The processors it stays on, if it does.
    pub processors: Option<Vec<usize>>,
    /// Lane that it moves bytes with.
    pub lane: Lane<'p>,
    /// Memory in which it sorts buckets.
    pub scratch: Scratch,
    /// Records it read from the input.
    pub sum_in: Sum,
    /// Records it wrote to the output.
    pub sum_out: Sum,
    /// Counts about the keys of the load that it reads.
    pub keys: KeyTally,
    /// Observations of the worker.
    pub seen: WorkerObservations,
    /// Clock of how it spends its time.
    pub clock: WorkerClock,
}

impl Worker<'_> {
    /// Turns to another activity.
    pub fn turn_to(&mut self, activity: Activity) {
        self.clock.turn_from(self.lane.counters().counted(), activity);
    }

    /// Waits for what it writes, if nothing else may be done at the same time.
    fn settle(&mut self) -> Result<()> {
        if self.overlaps { Ok(()) } else { self.lane.flush() }
    }

    /// Begins work that this worker does alone, on the calling thread. The thread stays on this
    /// worker's processors until the returned value is dropped.
    pub fn begin_alone(&mut self, activity: Activity) -> Stay {
        self.turn_to(activity);
        Stay::on(self.processors.as_deref())
    }

    /// Ends work that [`begin_alone`](Self::begin_alone) began.
    pub fn end_alone(&mut self, stay: Stay) {
        self.turn_to(Activity::Resting);
        self.seen.processors.insert(processors::current());
        drop(stay);
    }
}

/// Observations of a worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerObservations {
    /// Stages of the worker.
    pub stages: Stages,
    /// The processors it was on when they ended, in order.
    pub processors: BTreeSet<usize>,
    /// Bytes of records that it copied past the caches.
    pub streamed_bytes: u64,
    /// Time that it spent on each activity.
    pub time: WorkerTime,
}

/// Result of asking a [`Fill`] for work.
#[derive(Debug)]
pub enum Claim {
    /// Read this.
    Read(Request),
    /// A piece of work was done at once; there may be more.
    Worked,
    /// Nothing just now: others hold what is needed.
    Later,
    /// Nothing more, ever.
    Exhausted,
}

/// A load being brought into memory.
pub trait Fill: Sync {
    /// Returns the next thing to read.
    fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim>;

    /// Handles a claimed piece that has been read. Returns whether that made work, which was done.
    fn arrived(&self, worker: &mut Worker<'_>, completion: Completion) -> Result<bool>;

    /// Returns what a worker is at when something has been read.
    fn activity(&self) -> Activity {
        Activity::Dealing
    }

    /// Does a piece of work that arrivals have left to any worker. Returns whether there was one.
    fn work(&self, worker: &mut Worker<'_>) -> bool {
        let _ = worker;
        false
    }

    /// Waits until a claim answered [`Claim::Later`] is worth repeating.
    fn wait_turn(&self) {
        std::thread::sleep(TURN);
    }
}

/// A load in memory being turned into output.
pub trait Drain: Sync {
    /// Returns the next task; tasks are claimed in the order of the output.
    fn claim(&self) -> Option<usize>;

    /// Does a task, and turns the worker to what it does meanwhile.
    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()>;
}

/// Nothing to do beside a stage.
pub const NOTHING_ELSE: Option<fn() -> Result<()>> = None;

/// Runs one stage to its end; `meanwhile` is done on the calling thread at the same time. Where
/// there is no such thing and one worker, that thread is the worker: starting another takes longer
/// than sorting a page of lines.
///
/// # Errors
///
/// The first error of any worker; the others stop at their next step, and wait for nothing more.
pub fn run<T>(
    workers: &mut [Worker<'_>],
    fill: Option<&dyn Fill>,
    drain: Option<&dyn Drain>,
    meanwhile: Option<impl FnOnce() -> Result<T>>,
) -> Result<Option<T>> {
    let [Worker { lane, .. }, ..] = workers else { unreachable!("a job has workers") };
    let failed = &StageFailure { is_noted: AtomicBool::new(false), progress: lane.progress() };
    if let ([worker @ Worker { processors: None, .. }], None) = (&mut *workers, &meanwhile) {
        let step = StageStep { fill, is_exhausted: fill.is_none(), drain, failed };
        return step.run(worker).map(|()| None);
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(workers.len());
        for worker in workers {
            let step = StageStep { fill, is_exhausted: fill.is_none(), drain, failed };
            let name = format!("worker {}", worker.number);
            let thread = std::thread::Builder::new().name(name).spawn_scoped(scope, || {
                let alarm = Alarm(failed);
                step.run(worker).inspect(|()| std::mem::forget(alarm))
            });
            match thread {
                Ok(thread) => threads.push(thread),
                Err(e) => {
                    failed.note();
                    return Err(Error::io("start", Path::new("a worker thread"), e));
                }
            }
        }
        let other = meanwhile.map(|meanwhile| meanwhile()).transpose();
        if other.is_err() {
            failed.note();
        }
        let mut error = None;
        for thread in threads {
            let outcome = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // A worker that merely stopped because of another has nothing to tell.
            if let (Err(e), None | Some(Error::Interrupted)) = (outcome, &error) {
                error = Some(e);
            }
        }
        match (other, error) {
            (Err(e), None | Some(Error::Interrupted)) | (_, Some(e)) => Err(e),
            (Ok(value), None) => Ok(value),
        }
    })
}

/// Knowledge of all workers of a stage about whether one of them has failed. Until the stage ends,
/// the job [is failing](Progress::is_stopping) if it has one that failed, or if its fill has found
/// a record that must not be.
struct StageFailure<'a> {
    is_noted: AtomicBool,
    progress: &'a Progress,
}

impl StageFailure<'_> {
    /// Lets all workers end at their next step, and what they wait for before.
    fn note(&self) {
        self.is_noted.store(true, Ordering::Relaxed);
        self.progress.set_failing(true);
    }
}

impl Drop for StageFailure<'_> {
    fn drop(&mut self) {
        self.progress.set_failing(false);
    }
}

/// Tells the others when a worker fails, by an error or a panic.
struct Alarm<'a>(&'a StageFailure<'a>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.note();
    }
}

/// Work of a worker in a stage.
struct StageStep<'a> {
    fill: Option<&'a dyn Fill>,
    /// True if `fill` has nothing more to claim; reads may still be in flight.
    is_exhausted: bool,
    drain: Option<&'a dyn Drain>,
    failed: &'a StageFailure<'a>,
}

impl StageStep<'_> {
    fn run(mut self, worker: &mut Worker<'_>) -> Result<()> {
        if let Some(own) = &worker.processors {
            processors::stay_on(own);
        }
        let is_overlapped = self.fill.is_some() && self.drain.is_some();
        worker.turn_to(Activity::Reading);
        let outcome = self.work(worker).and_then(|()| worker.settle());
        worker.turn_to(Activity::Resting);
        worker.seen.stages.count += 1;
        worker.seen.stages.overlapped += u64::from(is_overlapped);
        if !matches!(worker.lane.progress().phase(), Phase::RunGeneration | Phase::Reading) {
            worker.seen.stages.merging += 1;
            worker.seen.stages.merging_overlapped += u64::from(is_overlapped);
        }
        worker.seen.processors.insert(processors::current());
        outcome
    }

    fn work(&mut self, worker: &mut Worker<'_>) -> Result<()> {
        loop {
            let has_failed = self.failed.is_noted.load(Ordering::Relaxed);
            if has_failed || worker.lane.progress().is_stop_requested() {
                return Err(Error::Interrupted);
            }
            let has_worked = self.take_in(worker)? | self.read_ahead(worker)?;
            let has_worked = has_worked | self.fill.is_some_and(|fill| work(fill, worker));
            if self.drain(worker)? | has_worked {
                continue;
            }
            let waits_for_buffer = self.drain.is_some() && !worker.lane.has_buffer();
            if worker.lane.reads_pending() > 0 || waits_for_buffer {
                worker.lane.wait()?;
            } else {
                match self.fill {
                    Some(fill) if !self.is_exhausted => {
                        worker.turn_to(Activity::Resting);
                        fill.wait_turn();
                        worker.turn_to(Activity::Reading);
                    }
                    _ => return Ok(()),
                }
            }
        }
    }

    /// Starts reads until enough are in flight. Returns whether other work was done too.
    fn read_ahead(&mut self, worker: &mut Worker<'_>) -> Result<bool> {
        let Some(fill) = self.fill else { return Ok(false) };
        while !self.is_exhausted && worker.lane.reads_pending() < worker.read_depth {
            // Of a stream, it deals at once what it has read.
            worker.turn_to(fill.activity());
            let claim = fill.claim(worker);
            worker.turn_to(Activity::Reading);
            match claim? {
                Claim::Read(request) => worker.lane.read(request)?,
                Claim::Worked => return Ok(true),
                Claim::Later => break,
                Claim::Exhausted => self.is_exhausted = true,
            }
        }
        Ok(false)
    }

    /// Takes in reads that have ended, up to one that makes work: others may wait for them.
    fn take_in(&mut self, worker: &mut Worker<'_>) -> Result<bool> {
        let mut has_arrived = false;
        while let Some(completion) = worker.lane.next_arrival()? {
            has_arrived = true;
            let Some(fill) = self.fill else { continue };
            worker.turn_to(fill.activity());
            let has_worked = fill.arrived(worker, completion);
            worker.turn_to(Activity::Reading);
            if has_worked? {
                break;
            }
        }
        Ok(has_arrived)
    }

    /// Makes one piece of output, if that can begin without waiting.
    fn drain(&mut self, worker: &mut Worker<'_>) -> Result<bool> {
        let Some(drain) = self.drain else { return Ok(false) };
        if !worker.lane.has_buffer() {
            return Ok(false);
        }
        match drain.claim() {
            Some(task) => {
                let produced = drain.produce(task, worker);
                worker.turn_to(Activity::Reading);
                produced.map(|()| true)
            }
            None => {
                self.drain = None;
                Ok(false)
            }
        }
    }
}

/// Does a piece of work that arrivals have left.
fn work(fill: &dyn Fill, worker: &mut Worker<'_>) -> bool {
    worker.turn_to(fill.activity());
    let has_worked = fill.work(worker);
    worker.turn_to(Activity::Reading);
    has_worked
}

#[cfg(test)]
mod tests;
