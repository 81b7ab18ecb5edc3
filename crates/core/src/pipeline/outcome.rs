//! What a sort or a merge came to.

use super::Seen;
use crate::plan::passes::Way;
use crate::proof::Sum;
use crate::sink::LaneCounters;
use crate::stats::{KeyFindings, PhaseTime};

/// What a sort came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Records sorted.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What came of them to the output.
    pub written: Written,
    /// Time and bytes of each phase.
    pub phases: Vec<(PhaseTime, LaneCounters)>,
    /// The engine that was used.
    pub engine: &'static str,
    /// Rows that were left out for the number of their cells, where some may be.
    pub ragged: Option<u64>,
    /// Count and checksum of the records, where they were proven.
    pub proof: Option<Sum>,
    /// Whether the order of what was written was proven.
    pub is_order_proven: bool,
    /// Loads the input was read in.
    pub loads: u64,
    /// Times the data was read and written.
    pub passes: u32,
    /// Runs that were generated.
    pub runs: u64,
    /// Runs that were merged into longer ones before the last merge.
    pub runs_merged_again: u64,
    /// Most runs merged at once.
    pub merge_width: u64,
    /// How runs were merged in the end, if there were any.
    pub merged: Option<Way>,
    /// What each worker was seen at.
    pub seen: Vec<Seen>,
    /// Keys that are no values of their types.
    pub keys: KeyFindings,
}

/// What came to the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Bytes, the header included.
    pub bytes: u64,
    /// Records, where not all were written.
    pub records: Option<u64>,
}

/// How a sort ended.
#[derive(Debug)]
pub enum Ended {
    /// With the output written.
    Sorted(Box<Outcome>),
    /// With nothing written: records are shorter than was planned for. They have so many bytes, on
    /// average.
    Crowded(usize),
    /// With nothing written: duplicates were to be dropped as they are read, and that is not worth
    /// it.
    Unsieved,
}
