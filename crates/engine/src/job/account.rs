//! The account of a finished job, drawn up from what every room counted.

use std::time::Instant;

use crate::error::Result;
use crate::io::Engine;
use crate::key::text::TextOrder;
use crate::pipeline::sorted::InputAccount;
use crate::pipeline::{Outcome, Work, WorkerObservations};
use crate::plan::levers::JobChoices;
use crate::plan::memory::LaneMemory;
use crate::plan::passes::MergeMethod;
use crate::plan::{Algorithm, ExternalPlan};
use crate::sink::LaneCounters;
use crate::stats::{Phase, PhaseTime, Proof, Statistics, StreamLatency, StreamRequests, Streams};
use crate::sys::limits::{self, ProcessorTime};
use crate::units::ByteSize;

/// State at the start of a job, above all its clocks.
#[derive(Debug)]
pub struct Account {
    /// Origins of the collations in use, if any.
    collations: Vec<String>,
    begun: Instant,
    used: ProcessorTime,
}

/// Record of how a job moved its bytes.
#[derive(Debug)]
pub struct Made {
    /// Algorithm that brought the records into order.
    pub algorithm: Option<Algorithm>,
    /// Worker threads.
    pub threads: usize,
    /// True if inputs were read past the page cache.
    pub direct_input: bool,
    /// True if the output was written past it.
    pub direct_output: bool,
    /// Output buffers of each worker.
    pub lane: LaneMemory,
    /// Choices of the user.
    pub choices: JobChoices,
    /// The engine that moved bytes.
    pub engine: Engine,
    /// Bytes read and written.
    pub streams: Streams,
    /// Requests that moved them.
    pub requests: StreamRequests,
}

impl Account {
    /// Starts the clocks of a job that orders records so.
    pub fn open(order: &TextOrder) -> Self {
        Self {
            collations: order.collations(),
            begun: Instant::now(),
            used: limits::processor_time(),
        }
    }

    /// Stops them, for a sort.
    pub fn close(
        &self,
        work: &Work,
        outcome: &Outcome,
        budget: ByteSize,
        direct_output: bool,
        choices: JobChoices,
    ) -> Result<Statistics> {
        let selected = work.plan.external().and_then(ExternalPlan::replacement);
        let selected = selected.map(|_| Algorithm::ReplacementSelection);
        let sorted = match work.plan.microruns {
            Some(_) => Algorithm::Microruns(work.plan.method),
            None => Algorithm::Buckets(work.plan.method),
        };
        let algorithm = selected.unwrap_or(sorted);
        let made = Made {
            algorithm: Some(algorithm),
            threads: work.plan.threads,
            direct_input: work.input.is_direct(),
            direct_output,
            lane: work.plan.lane,
            choices,
            engine: work.engine,
            streams: streams(&outcome.phases),
            requests: requests(&outcome.phases),
        };
        self.close_with(outcome, budget, &made)
    }

    /// Stops them, with what only the job itself knows.
    pub fn close_with(
        &self,
        outcome: &Outcome,
        budget: ByteSize,
        made: &Made,
    ) -> Result<Statistics> {
        let used = limits::processor_time();
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut phases: Vec<PhaseTime> = outcome.phases.iter().map(|(time, _)| *time).collect();
        let known = |of: fn(&PhaseTime) -> f64| phases.iter().map(of).sum::<f64>();
        let user_seconds = used.user_seconds - self.used.user_seconds;
        let system_seconds = used.system_seconds - self.used.system_seconds;
        phases.push(PhaseTime {
            phase: Phase::Finishing,
            seconds: (seconds - known(|time| time.seconds)).max(0.0),
            io_wait_seconds: 0.0,
            user_seconds: (user_seconds - known(|time| time.user_seconds)).max(0.0),
            system_seconds: (system_seconds - known(|time| time.system_seconds)).max(0.0),
        });
        phases.retain(|time| time.seconds > 0.0005);
        let asynchronous = made.engine.is_asynchronous() && !made.choices.levers.waits();
        Ok(Statistics {
            records: outcome.records,
            bytes: ByteSize(outcome.bytes),
            records_selected: outcome.written.records,
            bytes_selected: outcome.written.selected_bytes().map(ByteSize),
            ragged_rows_dropped: outcome.ragged,
            keys: outcome.keys.clone(),
            collations: self.collations.clone(),
            seconds,
            passes: outcome.passes,
            loads: outcome.loads,
            algorithm: made.algorithm.map(Algorithm::name),
            microruns: outcome.microruns,
            streamed: ByteSize(outcome.seen.iter().map(|seen| seen.streamed_bytes).sum()),
            runs: outcome.runs,
            runs_merged_again: outcome.runs_merged_again,
            merge_width: outcome.merge_width,
            merge: outcome.merged.map(MergeMethod::name),
            merge_buffers: outcome.buffers,
            run_compression: outcome.compression.clone(),
            threads: made.threads,
            stages: outcome.seen.first().map(|seen| seen.stages).unwrap_or_default(),
            processors: outcome.seen.iter().map(processors_of).collect(),
            engine: outcome.engine,
            direct_input: made.direct_input,
            direct_output: made.direct_output,
            direct_spill: direct_spill(made),
            asynchronous,
            levers: made.choices.set(),
            write_buffers: made.lane.write_buffers(),
            memory_budget: budget,
            memory_peak: limits::memory_peak().unwrap_or_default(),
            streams: made.streams,
            requests: if asynchronous { made.requests } else { made.requests.one_by_one() },
            phases,
            user_seconds,
            system_seconds,
            prediction: None,
            timeline: None,
            latency: StreamLatency::default(),
            workers: outcome.seen.iter().map(|seen| seen.time.rested_of(seconds)).collect(),
            counters: None,
            advice: Vec::new(),
            proof: outcome.proof.map(|sum| Proof { records: sum.records, checksum: sum.checksum }),
            is_order_proven: outcome.is_order_proven,
        })
    }
}

/// Returns whether most bytes of runs were written past the page cache, if there were runs.
fn direct_spill(made: &Made) -> Option<bool> {
    let (bytes, requests) = (made.streams.spill_written, made.requests.spill_written);
    (requests.count > 0).then_some(requests.cached_bytes.0 < bytes.0 / 2)
}

fn processors_of(seen: &WorkerObservations) -> Vec<usize> {
    seen.processors.iter().copied().collect()
}

/// Returns the bytes of each stream, added up from those of each phase.
fn streams(phases: &[(PhaseTime, LaneCounters)]) -> Streams {
    let mut streams = Streams::default();
    let add = |stream: &mut ByteSize, bytes: u64| stream.0 += bytes;
    for (moved, (reads_runs, writes_runs)) in with_runs(phases) {
        let read = if reads_runs { &mut streams.spill_read } else { &mut streams.input_read };
        add(read, moved.bytes_read);
        let to = if writes_runs { &mut streams.spill_written } else { &mut streams.output_written };
        add(to, moved.bytes_written);
    }
    streams
}

/// Returns the requests of each stream, added up from those of each phase.
fn requests(phases: &[(PhaseTime, LaneCounters)]) -> StreamRequests {
    let mut requests = StreamRequests::default();
    for (moved, (reads_runs, writes_runs)) in with_runs(phases) {
        let read = if reads_runs { &mut requests.spill_read } else { &mut requests.input_read };
        *read = read.plus(moved.reads);
        let to =
            if writes_runs { &mut requests.spill_written } else { &mut requests.output_written };
        *to = to.plus(moved.writes);
    }
    requests
}

/// Returns the bytes and requests of a merge, which reads inputs and runs in the same phase.
pub fn streams_of_merge(
    phases: &[(PhaseTime, LaneCounters)],
    inputs: &InputAccount,
) -> (Streams, StreamRequests) {
    let (streams, requests) = (streams(phases), requests(phases));
    let (run_reads, spill_read) = inputs.run_reads;
    let mut input_reads = requests.input_read.plus(requests.spill_read).since(run_reads);
    // A merge that ends early has requested bytes ahead that it does not count as read.
    input_reads.cached_bytes.0 = input_reads.cached_bytes.0.min(inputs.bytes);
    (
        Streams { input_read: ByteSize(inputs.bytes), spill_read, ..streams },
        StreamRequests { input_read: input_reads, spill_read: run_reads, ..requests },
    )
}

/// Returns what was moved in each phase, and whether runs were read and whether runs were written.
fn with_runs(
    phases: &[(PhaseTime, LaneCounters)],
) -> impl Iterator<Item = (&LaneCounters, (bool, bool))> {
    let has_runs = phases.iter().any(|(time, _)| time.phase == Phase::RunGeneration);
    phases.iter().map(move |(time, moved)| {
        let is_generating = matches!(time.phase, Phase::Reading | Phase::RunGeneration);
        let writes_runs = matches!(time.phase, Phase::RunGeneration | Phase::IntermediateMerge);
        (moved, (has_runs && !is_generating, writes_runs))
    })
}
