//! Counts of processor events during a job.

use serde::Serialize;

/// Events of a whole job in user mode, all its threads together; or why none were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Counted {
    /// Counts of events; `None` for an event that the processor does not count.
    Events {
        /// Cycles of the processor's clock.
        cycles: Option<u64>,
        /// Instructions that were carried out.
        instructions: Option<u64>,
        /// Misses of the last cache that the processor counts them for.
        cache_misses: Option<u64>,
        /// Loads whose page was not in the first-level data TLB.
        tlb_misses: Option<u64>,
    },
    /// No counts.
    Nothing {
        /// The reason and the remedy, in one sentence without a full stop.
        missing: String,
    },
}

#[cfg(test)]
mod tests;
