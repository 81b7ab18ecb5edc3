//! Results of a sort or a merge.

use super::WorkerObservations;
use crate::plan::passes::MergeMethod;
use crate::proof::Sum;
use crate::sink::LaneCounters;
use crate::stats::{KeyFindings, MergeBuffers, Microruns, PhaseTime, RunCompression};

/// The result of a sort.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Records sorted.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The part of them that was written.
    pub written: Written,
    /// Time and bytes of each phase.
    pub phases: Vec<(PhaseTime, LaneCounters)>,
    /// The engine that was used.
    pub engine: &'static str,
    /// Rows that were left out for the number of their cells, where some may be.
    pub ragged: Option<u64>,
    /// Count and checksum of the records, where they were proven.
    pub proof: Option<Sum>,
    /// True if the order of the output was proven.
    pub is_order_proven: bool,
    /// Loads the input was read in.
    pub loads: u64,
    /// Times the data was read and written.
    pub passes: u32,
    /// Runs in memory that loads were sorted in, if they were not dealt into buckets.
    pub microruns: Option<Microruns>,
    /// Runs that were generated.
    pub runs: u64,
    /// Runs that were merged into longer ones before the last merge.
    pub runs_merged_again: u64,
    /// Most runs merged at once.
    pub merge_width: u64,
    /// The form of the last merge, if there were runs.
    pub merged: Option<MergeMethod>,
    /// Buffers of runs, if these were merged as streams.
    pub buffers: Option<MergeBuffers>,
    /// Compression of runs, if it was asked for.
    pub compression: Option<RunCompression>,
    /// The activities of each worker.
    pub seen: Vec<WorkerObservations>,
    /// Keys that are no values of their types.
    pub keys: KeyFindings,
}

/// The records and bytes in the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Bytes, the header included.
    pub bytes: u64,
    /// Bytes of the header.
    pub header_bytes: u64,
    /// Records, where not all were written.
    pub records: Option<u64>,
}

impl Written {
    /// Returns the bytes of the records.
    pub fn of_records(&self) -> u64 {
        self.bytes - self.header_bytes
    }

    /// Returns the bytes of the records where not all were written.
    pub fn selected_bytes(&self) -> Option<u64> {
        self.records.map(|_| self.of_records())
    }
}

/// The end of a sort.
#[derive(Debug)]
pub enum SortEnd {
    /// With the output written.
    Sorted(Box<Outcome>),
    /// Nothing was written, because records are shorter than planned; holds their average bytes.
    Crowded(usize),
    /// With nothing written: duplicates were to be dropped as they are read, and that is not worth
    /// it.
    Unsieved,
}
