//! Runs that a load is sorted in, in memory: their size, and the memory of the tree that merges
//! them.

use super::memory::{LoadMemory, scratch_bytes};
use super::{Need, PAGE};
use crate::incore::bucket::BUCKET_ENTRIES_MAX;
use crate::incore::{Item, Method, RunSort, Scratch};
use crate::merge::entry_merge::RUN_BYTES;

/// Fewest runs of AlphaSort, and most, unless the user sets their number (Nyberg et al. 1995,
/// section 4: "between ten and 100 runs").
const ALPHASORT_RUNS_MIN: u64 = 10;
const ALPHASORT_RUNS_MAX: u64 = 100;

/// Entries of a run that a second-level cache holds. AlphaSort sorted 100,000 of half the size.
const CACHED_ENTRIES: u64 = 32 << 10;

/// Fewest entries of a run.
const ENTRIES_MIN: u64 = 16;

/// Most entries of a run: a worker has an array of them.
const ENTRIES_MAX: u64 = 1 << 24;

/// Runs that a load is sorted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicrorunPlan {
    /// Method and size of a run.
    pub sort: RunSort,
    /// Most runs of a load: the width of the tree.
    pub width_max: usize,
    /// True if the user has set the size or the number.
    pub is_asked: bool,
}

impl MicrorunPlan {
    /// Returns the runs of a load that `load` has room for, if loads are sorted in runs.
    pub(super) fn new(need: &Need, load: &LoadMemory, threads: usize) -> Option<Self> {
        if !need.algorithm.makes_microruns() {
            return None;
        }
        let method = need.algorithm.method();
        // Where records vary in length, there is room for more than are expected.
        let most = u64::from(load.records_max);
        let expected = most.min(load.records_bytes / need.record_length as u64).max(1);
        let asked = match method {
            Method::Mergesort => need.levers.microrun.map(|entries| entries as u64),
            _ => need.levers.alphasort_runs.map(|runs| expected.div_ceil(runs as u64)),
        };
        let usual = || match method {
            Method::Mergesort => root_upwards(expected).next_power_of_two(),
            _ => {
                let runs = expected / CACHED_ENTRIES;
                expected.div_ceil(runs.clamp(ALPHASORT_RUNS_MIN, ALPHASORT_RUNS_MAX))
            }
        };
        let entries = asked.unwrap_or_else(usual).clamp(ENTRIES_MIN, ENTRIES_MAX);
        Some(Self {
            sort: RunSort { method, entries: entries as usize },
            // The last run of each worker may be short.
            width_max: most.div_ceil(entries) as usize + threads,
            is_asked: asked.is_some(),
        })
    }

    /// Returns whether all records of a load are in runs that the tree has room for.
    pub(super) fn hold(&self, load: &LoadMemory) -> bool {
        self.width_max as u64 * self.sort.entries as u64 >= u64::from(load.records_max)
    }

    /// Returns the same runs with a tree that has room for twice as many.
    pub(super) fn with_twice_the_width(self) -> Self {
        Self { width_max: 2 * self.width_max, ..self }
    }

    /// Returns the number of bytes of a worker's scratch space: it settles the ties of a run.
    pub(super) fn scratch_bytes(&self) -> usize {
        let entries = self.sort.entries.max(BUCKET_ENTRIES_MAX);
        let bytes = Scratch::bytes_needed(entries, Item::WideEntry).next_multiple_of(PAGE);
        bytes.max(scratch_bytes(Item::WideEntry))
    }

    /// Returns the number of bytes of a worker outside the arena: the run that it fills, and its
    /// tree.
    pub(super) fn heap_bytes(&self) -> usize {
        self.sort.array_bytes() + self.width_max * RUN_BYTES
    }
}

/// Returns the square root, rounded up.
fn root_upwards(number: u64) -> u64 {
    let root = number.isqrt();
    root + u64::from(root * root < number)
}

#[cfg(test)]
mod tests;
