//! How runs are merged: how many at once, and which first.
//!
//! A merge of `k` runs reads each run's piece of a slab in one request, so that the slab must hold
//! `k` pieces worth a disk's while; that bounds the merge width. More runs than that take
//! intermediate passes. These merge neighbouring runs (stability) and no more of them than is
//! needed for the last merge to be as wide as it may (Knuth, TAOCP vol. 3, section 5.4.9: the last
//! merges of an optimal pattern are full, so the first one may be partial).

use std::ops::Range;

use super::Plan;
use super::memory::{self, LaneMemory};
use crate::error::{Error, Result};
use crate::merge::Planner;
use crate::run::layout::BLOCK;
use crate::units::ByteSize;

/// Smallest piece of a run worth a request of its own: at 1 GB/s it takes a quarter of a
/// millisecond, several times what a request costs.
const PIECE_MIN: usize = 256 << 10;

/// Parts of each run, with the blocks they are rounded out to, that a slab must hold on average. A
/// run's part around the slab's end is read again with the next slab, so that of four parts one is
/// read twice; and one would be too few for the slab to fit at all.
const PARTS_MIN: usize = 4;

/// Most runs merged at once, whatever memory there is: each is an open file with a window on its
/// index.
const WIDTH_MAX: usize = 512;

/// Most runs merged at once with slabs of `slab_bytes`, of records of up to `longest_bytes`. Slabs
/// of that many runs fit, whatever their keys.
pub fn merge_width(slab_bytes: usize, longest_bytes: usize) -> usize {
    let part = BLOCK.max(longest_bytes) + 2 * BLOCK;
    let width = (slab_bytes / PIECE_MIN.max(PARTS_MIN * part)).min(WIDTH_MAX);
    assert!(width == 0 || least_slab(width, longest_bytes as u64) <= slab_bytes as u64);
    width
}

/// How many of a job's runs are merged at once, now that its longest record is known: as many as is
/// worth a disk's while, else two, if slabs of two runs are sure to fit.
///
/// # Errors
///
/// [`Error::Usage`] with the budget that would do, where two runs cannot be merged.
pub fn width_of(plan: &Plan, longest_bytes: u64) -> Result<usize> {
    let width = merge_width(plan.slab_bytes, longest_bytes as usize);
    if width >= 2 {
        return Ok(width);
    }
    if least_slab(2, longest_bytes) <= plan.slab_bytes as u64 {
        return Ok(2);
    }
    Err(Error::Usage(format!(
        "the longest record has {}, too many to merge runs of such records within the memory \
         budget; give at least {} with --memory",
        ByteSize(longest_bytes),
        least_budget(plan, longest_bytes)
    )))
}

/// The least slab for `runs` runs of such records.
fn least_slab(runs: usize, longest_bytes: u64) -> u64 {
    Planner::least_capacity(std::iter::repeat_n(longest_bytes, runs))
}

/// The least budget, in whole MiB, of a plan like `plan` that merges two runs of such records.
fn least_budget(plan: &Plan, longest_bytes: u64) -> ByteSize {
    let needed = |usable: usize| {
        let lane = LaneMemory::new(plan.lane.slack, usable, plan.threads);
        let own = (plan.threads * (lane.bytes() + plan.scratch_bytes)) as u64;
        own + 2 * least_slab(2, longest_bytes).next_multiple_of(BLOCK as u64)
    };
    let mut budget = ByteSize(0);
    loop {
        let usable = memory::usable(budget, plan.threads);
        let lacking = needed(usable).saturating_sub(usable as u64);
        if lacking == 0 {
            return budget;
        }
        budget = ByteSize((budget.bytes() + lacking).next_multiple_of(1 << 20));
    }
}

/// The groups of neighbouring runs, of `runs`, to merge next, where no more than `width` can be
/// merged at once; empty when all can. Runs in no group stay as they are.
pub fn intermediate_groups(runs: usize, width: usize) -> Vec<Range<usize>> {
    assert!(width >= 2);
    let mut groups = Vec::new();
    let mut left = runs;
    let mut start = 0;
    while left > width && start < runs {
        // Each group of n makes n runs one: left - n + 1.
        let size = (left - width + 1).min(width).min(runs - start);
        if size < 2 {
            break;
        }
        groups.push(start..start + size);
        start += size;
        left -= size - 1;
    }
    groups
}

#[cfg(test)]
mod tests;
