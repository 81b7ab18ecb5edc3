//! What the processor counted of a job.

use serde::Serialize;

/// Events of a whole job in user mode, all its threads together; or why none were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Counted {
    /// So many, as far as the processor counts them.
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
    /// None.
    Nothing {
        /// Why, and what would change that, in one sentence without a full stop.
        missing: String,
    },
}

#[cfg(test)]
mod tests;
