//! Statistics of a job: counters that every part writes while it runs, figures for people
//! afterwards.
//!
//! [`Progress`] is the live side: a few shared counters that workers raise once per block and that
//! another thread may read at any time; it also carries the request to stop. [`Statistics`] is the
//! whole account at the end, with what was looked at on the way ([`Timeline`]). How either is shown
//! is left to the command line.

mod activity;
mod counted;
mod course;
mod keys;
mod latency;
mod progress;
mod settings;
mod source;
mod timeline;
mod waits;

use serde::Serialize;

use crate::error::{Message, named};
use crate::units::{ByteSize, text};

pub use activity::{Activity, WorkerClock, WorkerTime};
pub use counted::Counted;
pub(crate) use course::Forecast;
pub use course::{Course, PhaseShare};
pub use keys::{InvalidKey, InvalidKeys, KeyFindings, KeySeen, KeyTally, UnmatchedKey};
pub use latency::{Histogram, Latency};
pub use progress::Progress;
pub(crate) use progress::StopRequest;
pub use settings::{LeverSetting, WriteBuffers};
pub use source::SourceShare;
pub use timeline::{Now, Timeline};
pub use waits::Waits;

/// The current phase of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Phase {
    /// Looking at the inputs, making the plan, sampling keys.
    Planning,
    /// Reading the one load of a one-pass sort and dealing its entries.
    Reading,
    /// Reading loads and writing them as sorted runs.
    RunGeneration,
    /// Merging runs into fewer, longer runs.
    IntermediateMerge,
    /// Writing the output: gathering a one-pass sort, or the final merge.
    Writing,
    /// Removing the runs, making the output durable and giving it its name.
    Finishing,
    /// Making the sort benchmark's records.
    Generating,
    /// Checking that records are sorted.
    Validating,
}

impl Phase {
    /// Each at the place of its number.
    const ALL: [Self; 8] = [
        Self::Planning,
        Self::Reading,
        Self::RunGeneration,
        Self::IntermediateMerge,
        Self::Writing,
        Self::Finishing,
        Self::Generating,
        Self::Validating,
    ];

    /// Returns the phase in words, for a progress line.
    pub fn words(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Reading => "reading",
            Self::RunGeneration => "writing runs",
            Self::IntermediateMerge => "merging runs",
            Self::Writing => "writing output",
            Self::Finishing => "finishing",
            Self::Generating => "generating",
            Self::Validating => "validating",
        }
    }
}

named! {
    /// The files that bytes come from and go to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Stream {
        /// Reads of the inputs.
        InputRead = "input_read",
        /// Writes of runs.
        SpillWritten = "spill_written",
        /// Reads of runs.
        SpillRead = "spill_read",
        /// Writes of the output.
        OutputWritten = "output_written",
    }
}

impl Stream {
    /// Returns the stream that a sort reads in a phase.
    pub fn read_in(phase: Phase) -> Self {
        match phase {
            Phase::IntermediateMerge | Phase::Writing | Phase::Finishing => Self::SpillRead,
            _ => Self::InputRead,
        }
    }

    /// Returns the stream that a sort writes in a phase.
    pub fn written_in(phase: Phase) -> Self {
        match phase {
            Phase::RunGeneration | Phase::IntermediateMerge => Self::SpillWritten,
            _ => Self::OutputWritten,
        }
    }
}

/// Bytes read from and written to each kind of file. Compressed data counts with its size after
/// decompression; its size in the files is given separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Streams {
    /// Read from the inputs.
    pub input_read: ByteSize,
    /// Written to run files.
    pub spill_written: ByteSize,
    /// Read back from run files.
    pub spill_read: ByteSize,
    /// Written to the output.
    pub output_written: ByteSize,
    /// Compressed bytes read, if inputs are compressed.
    pub compressed_read: Option<ByteSize>,
    /// Compressed bytes written, if the output is compressed.
    pub compressed_written: Option<ByteSize>,
}

/// The steps of a job, each of which all workers do together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stages {
    /// Number of steps.
    pub count: u64,
    /// Number of steps in which one load was read while another was written.
    pub overlapped: u64,
    /// Of all steps, those of merges.
    pub merging: u64,
    /// Of the steps of merges, those in which one slab was read while another was merged.
    pub merging_overlapped: u64,
}

/// The predicted time of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Prediction {
    /// Seconds of all phases.
    pub seconds: f64,
    /// Upper bound in seconds, if the system has to provide all memory afresh.
    pub most_seconds: f64,
    /// The phases, in order.
    pub phases: Vec<PhasePrediction>,
}

/// The predicted time of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhasePrediction {
    /// The phase.
    pub phase: Phase,
    /// Seconds.
    pub seconds: f64,
    /// Upper bound in seconds, if the system has to provide all memory afresh.
    pub most_seconds: f64,
    /// Seconds that the busiest disk needs.
    pub disk_seconds: f64,
    /// Seconds that processors need, to get memory included.
    pub processor_seconds: f64,
}

/// The requests of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// Number of requests; 0 for a pipe.
    pub count: u64,
    /// Bytes of them that went through the page cache.
    pub cached_bytes: ByteSize,
    /// Sum over all requests of the number that the worker had in flight at their start, each
    /// included. Divided by `count`, it is the mean depth of the queue. It is `count` if the engine
    /// carries out one request at a time.
    pub in_flight: u64,
}

impl Requests {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            cached_bytes: ByteSize(self.cached_bytes.0 + other.cached_bytes.0),
            in_flight: self.in_flight + other.in_flight,
        }
    }

    /// Returns the requests since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            count: self.count - earlier.count,
            cached_bytes: ByteSize(self.cached_bytes.0 - earlier.cached_bytes.0),
            in_flight: self.in_flight - earlier.in_flight,
        }
    }
}

/// The requests of each stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StreamRequests {
    /// Reads of the inputs.
    pub input_read: Requests,
    /// Writes of runs.
    pub spill_written: Requests,
    /// Reads of runs.
    pub spill_read: Requests,
    /// Writes of the output.
    pub output_written: Requests,
}

impl StreamRequests {
    /// Returns the requests as an engine made them that carries out one at a time.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        let alone = |requests: Requests| Requests { in_flight: requests.count, ..requests };
        Self {
            input_read: alone(self.input_read),
            spill_written: alone(self.spill_written),
            spill_read: alone(self.spill_read),
            output_written: alone(self.output_written),
        }
    }
}

/// Runs in memory that loads were sorted in, and the tree that merged them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Microruns {
    /// Most entries of a run.
    pub entries: u64,
    /// Runs of all loads.
    pub runs: u64,
    /// Most runs of a load, which one tree merged.
    pub tree_width: u64,
}

/// Buffers of runs that are merged as streams, and their refills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MergeBuffers {
    /// psort's `g`: no buffer has more than `(1+g)B/n`, and each run is sure of `(1-g)B/n`.
    pub geometry: f64,
    /// Part of `B/n` below which a buffer is refilled.
    pub refill: f64,
    /// Runs of the last merge: `n`.
    pub runs: u64,
    /// Bytes of a microbuffer.
    pub microbuffer_bytes: ByteSize,
    /// Bytes of all buffers of the last merge: `B`.
    pub space: ByteSize,
    /// Most bytes of a buffer.
    pub buffer_max: ByteSize,
    /// Bytes that each run is sure of.
    pub buffer_min: ByteSize,
    /// Refills of all merges: each is one request.
    pub refills: u64,
    /// Bytes of these requests together.
    pub refill_bytes: ByteSize,
    /// Bytes of the largest of them.
    pub refill_max: ByteSize,
}

impl MergeBuffers {
    /// Returns the buffers of this merge, with the refills of merges before it.
    #[must_use]
    pub fn after(self, before: Self) -> Self {
        Self {
            refills: self.refills + before.refills,
            refill_bytes: ByteSize(self.refill_bytes.0 + before.refill_bytes.0),
            refill_max: self.refill_max.max(before.refill_max),
            ..self
        }
    }
}

/// Compression of the runs of a sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunCompression {
    /// Compression that was asked for: `auto`, or a codec with its level.
    pub wanted: String,
    /// Compression of the runs: `off`, or a codec with its level.
    pub choice: String,
    /// Reason for the choice.
    pub reason: &'static str,
    /// Blocks that were written, of 64 KiB each.
    pub blocks: u64,
    /// Blocks that were stored as they were, because they did not shrink.
    pub plain_blocks: u64,
    /// Bytes of all blocks before compression.
    pub bytes: ByteSize,
    /// Bytes of all blocks in the files.
    pub stored_bytes: ByteSize,
    /// Seconds of compressing, summed over threads.
    pub seconds: f64,
}

/// Latencies of the requests of each stream; `None` for a stream without requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StreamLatency {
    /// Reads of the inputs.
    pub input_read: Option<Latency>,
    /// Writes of runs.
    pub spill_written: Option<Latency>,
    /// Reads of runs.
    pub spill_read: Option<Latency>,
    /// Writes of the output.
    pub output_written: Option<Latency>,
}

/// One phase's share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseTime {
    /// The phase.
    pub phase: Phase,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds that workers were blocked on I/O, summed over workers.
    pub io_wait_seconds: f64,
    /// Processor seconds in user mode, all threads.
    pub user_seconds: f64,
    /// Processor seconds in the kernel, all threads.
    pub system_seconds: f64,
}

impl PhaseTime {
    /// Counts more of the same phase.
    pub fn add(&mut self, more: &Self) {
        self.seconds += more.seconds;
        self.io_wait_seconds += more.io_wait_seconds;
        self.user_seconds += more.user_seconds;
        self.system_seconds += more.system_seconds;
    }
}

/// The proof that the output holds the input's records, each exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// Records in, and records out.
    pub records: u64,
    /// Sum of every record's 128-bit hash, modulo 2^128, as 32 hexadecimal digits.
    #[serde(serialize_with = "text::serialize")]
    pub checksum: u128,
}

/// The statistics of a finished sort.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Records sorted or merged. A merge that ends early, after a limit, counts those it wrote.
    pub records: u64,
    /// Bytes of these records.
    pub bytes: ByteSize,
    /// Records in the output, if the job selected records.
    pub records_selected: Option<u64>,
    /// Bytes of the records in the output, before compression, if the job selected records.
    pub bytes_selected: Option<ByteSize>,
    /// Rows dropped because they had a different number of cells than the header or the first row;
    /// `None` if such rows are not dropped.
    pub ragged_rows_dropped: Option<u64>,
    /// Keys that are not values of their types.
    pub keys: KeyFindings,
    /// Orders of languages that keys asked for, with the version of their data.
    pub collations: Vec<String>,
    /// Wall-clock seconds from the start of the job to the durable output.
    pub seconds: f64,
    /// Number of times that the data was read and written: 1 if it fitted in memory.
    pub passes: u32,
    /// Loads the input was read in.
    pub loads: u64,
    /// Algorithm of a sort: `radix`, `quicksort`, `mergesort`, `alphasort` or
    /// `replacement-selection`.
    pub algorithm: Option<&'static str>,
    /// Runs in memory that loads were sorted in; `None` where they were dealt into buckets.
    pub microruns: Option<Microruns>,
    /// Bytes of records that loads copied to output buffers past the caches.
    pub streamed: ByteSize,
    /// Runs spilled by run generation; 0 in one pass.
    pub runs: u64,
    /// Runs, or inputs of a merge, that were merged into longer ones before the last merge.
    pub runs_merged_again: u64,
    /// Most runs merged at once; 0 in one pass.
    pub merge_width: u64,
    /// Form of the last merge: `slabs` or `streams`; `None` without a merge.
    pub merge: Option<&'static str>,
    /// Buffers of runs, if these were merged as streams.
    pub merge_buffers: Option<MergeBuffers>,
    /// Compression of runs, if it was asked for.
    pub run_compression: Option<RunCompression>,
    /// Worker threads.
    pub threads: usize,
    /// Steps in which loads were brought into memory or turned into output.
    pub stages: Stages,
    /// The processors that each worker was seen on at the end of its stages.
    pub processors: Vec<Vec<usize>>,
    /// The I/O engine that was used.
    pub engine: &'static str,
    /// True if the reads of the inputs bypassed the page cache.
    pub direct_input: bool,
    /// True if the writes of the output bypassed the page cache.
    pub direct_output: bool,
    /// True if the writes of runs bypassed the page cache; `None` without runs.
    pub direct_spill: Option<bool>,
    /// True if workers continued while their requests were carried out.
    pub asynchronous: bool,
    /// Settings of the plan that the user has set.
    pub levers: Vec<LeverSetting>,
    /// Output buffers of each worker.
    pub write_buffers: WriteBuffers,
    /// The memory budget.
    pub memory_budget: ByteSize,
    /// Highest resident size of the process so far (`VmHWM`).
    pub memory_peak: ByteSize,
    /// Bytes by stream.
    pub streams: Streams,
    /// Requests by stream.
    pub requests: StreamRequests,
    /// Time by phase, in order.
    pub phases: Vec<PhaseTime>,
    /// Processor seconds in user mode, all threads.
    pub user_seconds: f64,
    /// Processor seconds in the kernel, all threads.
    pub system_seconds: f64,
    /// The predicted time, if the machine was measured.
    pub prediction: Option<Prediction>,
    /// Activity over time, if the job was to record it.
    pub timeline: Option<Timeline>,
    /// Latencies of requests, by stream.
    pub latency: StreamLatency,
    /// Time of each worker, by activity.
    pub workers: Vec<WorkerTime>,
    /// Counters of the processor, or the reason for their absence, if the job recorded a timeline.
    pub counters: Option<Counted>,
    /// Advice to make the job faster, in sentences.
    pub advice: Vec<Message>,
    /// The proof, unless it was switched off or the output holds selected records only.
    pub proof: Option<Proof>,
    /// True if the key of each written record was compared with that of the record before.
    pub is_order_proven: bool,
}

#[cfg(test)]
mod tests;
