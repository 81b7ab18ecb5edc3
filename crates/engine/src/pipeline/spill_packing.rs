//! Compression of the runs of a job: the wish of the user, and an account of what came of it.

use crate::codec::CompressRuns;
use crate::plan::prediction::Rates;
use crate::run::{PackingEvidence, RunPacking};
use crate::stats::RunCompression;
use crate::units::ByteSize;

/// Compression of the runs of one job.
#[derive(Debug, Default)]
pub struct SpillPacking {
    wanted: CompressRuns,
    /// Bytes a second that the spill disks read and write together, if they were measured.
    profile_rate: Option<f64>,
    packing: RunPacking,
}

impl SpillPacking {
    /// Returns the compression that a user wants. With `auto`, blocks of the first run decide.
    pub fn new(wanted: CompressRuns, rates: Option<&Rates>) -> Self {
        let profile_rate = rates.and_then(Rates::spill_rate);
        let packing = match wanted {
            CompressRuns::Auto => RunPacking::default(),
            CompressRuns::Off => RunPacking::fixed((None, "it was not asked for")),
            CompressRuns::As(compression) => RunPacking::fixed((Some(compression), "as asked for")),
        };
        Self { wanted, profile_rate, packing }
    }

    /// Notes what the first load has shown of disks and processors.
    pub fn observe(&self, evidence: impl FnOnce() -> PackingEvidence) {
        let profile_rate = self.profile_rate;
        self.packing.observe(|| PackingEvidence { profile_rate, ..evidence() });
    }

    /// Returns whether all runs are compressed, because the user wants it.
    pub fn is_chosen(&self) -> bool {
        matches!(self.wanted, CompressRuns::As(_))
    }

    /// Returns the compression of the next run, if it is compressed.
    pub fn of_run(&self) -> Option<RunPacking> {
        self.packing.is_on().then(|| self.packing.clone())
    }

    /// Returns the account of it; `None` if no compression was wanted.
    pub fn account(&self) -> Option<RunCompression> {
        if self.wanted == CompressRuns::Off {
            return None;
        }
        let choice = self.packing.choice();
        let (choice, reason) = choice.unwrap_or((None, "too little was spilled for a trial"));
        let choice = choice.map_or_else(|| "off".to_owned(), |choice| choice.to_string());
        let count = self.packing.count();
        let ((blocks, plain_blocks), (bytes, stored)) = (count.blocks(), count.bytes());
        Some(RunCompression {
            wanted: self.wanted.to_string(),
            choice,
            reason,
            blocks,
            plain_blocks,
            bytes: ByteSize(bytes),
            stored_bytes: ByteSize(stored),
            seconds: count.seconds(),
        })
    }
}
