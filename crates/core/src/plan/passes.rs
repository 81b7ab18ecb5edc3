//! How runs are merged: how many at once, which first, and by slabs or as streams.
//!
//! A merge of `k` runs by slabs reads each run's piece of a slab in one request, so that the slab
//! must hold `k` pieces worth a disk's while; that bounds the merge width. More runs than that take
//! intermediate passes. These merge neighbouring runs (stability) and no more of them than is
//! needed for the last merge to be as wide as it may (Knuth, TAOCP vol. 3, section 5.4.9: the last
//! merges of an optimal pattern are full, so the first one may be partial).
//!
//! A slab holds whole parts of its runs, and a part is as long as the longest record in it wants:
//!
//! ```text
//!   two slabs in turn  | part of a | part of b | the part passed, and that of the bound | x 2
//!   streams            | window on a: one record | window on b | pieces read ahead |
//! ```
//!
//! So two runs with records of a tenth of the memory are too much for slabs, while streams want
//! little more than one record of each. Streams are merged by one worker, which suffices for long
//! records; they are chosen where records much longer than most leave slabs less than half of their
//! width, and slabs would take more passes or could not be had at all.

use std::ops::Range;

use super::Plan;
use super::memory::{self, LaneMemory};
use super::streams::RunStreams;
use crate::error::{Error, Result};
use crate::load::layout::PAGE;
use crate::merge::Planner;
use crate::run::Run;
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
pub const WIDTH_MAX: usize = 512;

/// How runs are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By key ranges, by all workers.
    Slabs,
    /// From their beginnings to their ends, by one.
    Streams,
}

/// How a job's runs are merged next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// By slabs or as streams.
    pub way: Way,
    /// Most runs at once; at least two, if there are as many.
    pub width: usize,
}

impl Choice {
    /// How `runs` are merged next, now that their longest records are known. `keeps_one` says
    /// whether a record is kept while the next is looked at, as a selection of equal records does.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the budget that would do, where two of the runs cannot be merged.
    pub fn new(plan: &Plan, runs: &[Run], keeps_one: bool) -> Result<Self> {
        let least = runs.len().min(2);
        let slabs = slab_width(plan.slab_bytes, runs);
        let by_slabs = Self { way: Way::Slabs, width: slabs };
        let is_foreseen = slabs >= least && !runs.iter().any(has_long_records);
        if is_foreseen || slabs >= runs.len().min(ordinary_width(plan.slab_bytes) / 2).max(least) {
            return Ok(by_slabs);
        }
        let streams = stream_width(plan, runs, keeps_one);
        if streams < least && slabs < least {
            return Err(too_long(plan, runs, keeps_one));
        }
        let is_shorter = slabs < least || passes(runs.len(), streams) < passes(runs.len(), slabs);
        let by_streams = Self { way: Way::Streams, width: streams };
        Ok(if streams >= least && is_shorter { by_streams } else { by_slabs })
    }
}

/// Most runs merged at once with slabs of `slab_bytes`, of records of up to `longest_bytes`. Slabs
/// of that many runs fit, whatever their keys.
pub fn merge_width(slab_bytes: usize, longest_bytes: usize) -> usize {
    let part = part_bytes(longest_bytes as u64);
    let width = (slab_bytes as u64 / well(part)).min(WIDTH_MAX as u64) as usize;
    assert!(width == 0 || least_slab(width, longest_bytes as u64) <= slab_bytes as u64);
    width
}

/// Merge width where no record is longer than a block.
fn ordinary_width(slab_bytes: usize) -> usize {
    merge_width(slab_bytes, 1)
}

/// Most of `runs` merged at once by slabs, whichever they are. Long records are rare as a rule, so
/// that a slab needs several parts of the usual length for each run, but of the longest only one;
/// and two more of them in all.
fn slab_width(slab_bytes: usize, runs: &[Run]) -> usize {
    let extra = |run: &Run| part_bytes(run.longest_bytes) - usual_part_bytes(run);
    let longest_extra = runs.iter().map(extra).max().unwrap_or(0);
    let needs = runs.iter().map(|run| well(usual_part_bytes(run)) + extra(run));
    let room = (slab_bytes as u64).saturating_sub(2 * longest_extra);
    let width = widest(needs.collect(), room);
    assert!(least_slab_of(runs, width) <= slab_bytes as u64 || width == 0);
    width
}

/// Most of `runs` merged at once as streams, whichever they are.
fn stream_width(plan: &Plan, runs: &[Run], keeps_one: bool) -> usize {
    let kept = if keeps_one { longest_bytes(runs) } else { 0 };
    let needs = runs.iter().map(|run| RunStreams::least_bytes([run.longest_bytes]));
    widest(needs.collect(), (plan.stream_bytes() as u64).saturating_sub(kept))
}

/// How many of any runs are sure to have room, where each needs so much.
fn widest(mut needs: Vec<u64>, room: u64) -> usize {
    needs.sort_unstable_by(|a, b| b.cmp(a));
    let mut taken = 0;
    let fits = |need: &&u64| {
        taken += **need;
        taken <= room
    };
    needs.iter().take(WIDTH_MAX).take_while(fits).count()
}

/// Whether some records of a run are much longer than most.
fn has_long_records(run: &Run) -> bool {
    part_bytes(run.longest_bytes) > usual_part_bytes(run)
}

/// Bytes of a part that ends with a record of `record_bytes`, with the blocks it is rounded to.
fn part_bytes(record_bytes: u64) -> u64 {
    record_bytes.max(BLOCK as u64) + 2 * BLOCK as u64
}

/// Bytes of a part of records as long as those of `run` are on average.
fn usual_part_bytes(run: &Run) -> u64 {
    part_bytes(run.bytes.div_ceil(run.records.max(1)).min(run.longest_bytes))
}

/// Bytes of a slab for one run to be read well, of parts of `part` bytes.
fn well(part: u64) -> u64 {
    (PARTS_MIN as u64 * part).max(PIECE_MIN as u64)
}

/// Most bytes of any record.
pub fn longest_bytes(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.longest_bytes).max().unwrap_or(0)
}

/// The least slab for `runs` runs of such records.
fn least_slab(runs: usize, longest_bytes: u64) -> u64 {
    Planner::least_capacity(std::iter::repeat_n(longest_bytes, runs))
}

/// The least slab for any `width` of `runs`.
fn least_slab_of(runs: &[Run], width: usize) -> u64 {
    Planner::least_capacity(longest_first(runs).into_iter().take(width))
}

/// The bytes of each run's longest record, the longest first.
fn longest_first(runs: &[Run]) -> Vec<u64> {
    let mut longest: Vec<u64> = runs.iter().map(|run| run.longest_bytes).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    longest
}

/// Times that each record is merged, at most, of `runs` runs with so many merged at once.
fn passes(runs: usize, width: usize) -> u32 {
    let (mut passes, mut reach) = (1, width.max(2));
    while reach < runs {
        (passes, reach) = (passes + 1, reach.saturating_mul(width.max(2)));
    }
    passes
}

fn too_long(plan: &Plan, runs: &[Run], keeps_one: bool) -> Error {
    let longest = longest_first(runs);
    Error::Usage(format!(
        "the longest record has {}, too many to merge runs of such records within the memory \
         budget; give at least {} MiB with --memory",
        ByteSize(longest[0]),
        least_budget_mib(plan, &longest[..2.min(longest.len())], keeps_one)
    ))
}

/// Most bytes of records any two of which are sure to be merged.
pub fn longest_merged(plan: &Plan, keeps_one: bool) -> u64 {
    let beside = RunStreams::least_bytes([1, 1]) - 2 * RunStreams::least_window_bytes();
    let left = (plan.stream_bytes() as u64).saturating_sub(beside);
    let longest = left / if keeps_one { 3 } else { 2 } / PAGE as u64 * PAGE as u64;
    longest.max(RunStreams::least_window_bytes())
}

/// The least budget, in MiB, of a plan like `plan` that merges runs with such longest records, the
/// longest first.
pub fn least_budget_mib(plan: &Plan, longest: &[u64], keeps_one: bool) -> u64 {
    let kept = longest.first().filter(|_| keeps_one).copied().unwrap_or(0);
    let needed = |usable: usize| {
        let lane = LaneMemory::new(plan.lane.slack, usable, plan.threads);
        lane.bytes() as u64 + RunStreams::least_bytes(longest.iter().copied()) + kept
    };
    let mut budget = ByteSize(0);
    loop {
        let usable = memory::usable(budget, plan.threads_wanted);
        let lacking = needed(usable).saturating_sub(usable as u64);
        if lacking == 0 {
            return budget.bytes() >> 20;
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
