//! Merging of runs: how many at once, which first, and by slabs or as streams.
//!
//! A merge of `k` runs by slabs reads each run's piece of a slab in sequential requests. So the
//! slab must hold `k` pieces worth a disk's while; that bounds the merge width. More runs than that
//! take intermediate passes. These merge neighbouring runs (stability) and no more of them than is
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
//! little more than one record of each. (Where nothing overlaps there is one slab, of the memory of
//! both.) Streams are merged by one worker, which suffices for long records; they are chosen where
//! slabs could not be had at all, or would take more passes than without the long records, and
//! streams take fewer.

use std::ops::Range;
use std::str::FromStr;

use super::memory::{self, LaneMemory};
use super::open_files::OpenFiles;
use super::streams::RunStreams;
use super::{ExternalPlan, Plan};
use crate::error::{ConfigErrorKind, Error, ParseError, Result, Setting, config, message};
use crate::load::layout::PAGE;
use crate::merge::Planner;
use crate::operator::SHORT_MAX;
use crate::run::Run;
use crate::run::layout::BLOCK;
use crate::units::ByteSize;

/// Parts of each run, with the blocks they are rounded out to, that a slab must hold on average. A
/// run's part around the slab's end is read again with the next slab, so that of four parts one is
/// read twice; and one would be too few for the slab to fit at all.
const PARTS_MIN: usize = 4;

/// Most runs merged at once, whatever memory there is: each is an open file with a window on its
/// index.
pub const WIDTH_MAX: usize = 512;

/// Way in which runs are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMethod {
    /// By key ranges, by all workers.
    Slabs,
    /// From their beginnings to their ends. One worker merges runs. Several may merge sorted
    /// inputs, cut into ranges of keys.
    Streams,
}

impl MergeMethod {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slabs => "slabs",
            Self::Streams => "streams",
        }
    }
}

impl FromStr for MergeMethod {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        let known = [Self::Slabs, Self::Streams].into_iter().find(|way| way.name() == text);
        known.ok_or_else(|| {
            let message = message!("'{}' is not a way to merge; use slabs or streams", text);
            ParseError::new("way to merge", text, message)
        })
    }
}

/// Choice of how a job's runs are merged next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// By slabs or as streams.
    pub way: MergeMethod,
    /// Most runs at once, whichever they are; at least two, if there are as many.
    pub width: usize,
    /// The groups of neighbours to merge first; empty when all runs can be merged at once. Runs
    /// with short records make wider groups.
    pub groups: Vec<Range<usize>>,
}

impl Choice {
    /// Returns how `runs` are merged next, now that their longest records are known. `copies`
    /// is the number of copies of a record that a selection holds at once.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with the budget that would do, where two of the runs cannot be merged.
    pub fn new(plan: &Plan, external: &ExternalPlan, runs: &[Run], copies: u64) -> Result<Self> {
        let usual = Shares::usual(external, runs);
        let slabs = Shares::of_slabs(external, runs, copies);
        let bytes = plan.stream_bytes() as u64;
        let streams = Shares::of_streams(external, bytes, runs, copies);
        let way = match (plan.levers.merge, slabs.is_enough(), streams.is_enough()) {
            (Some(MergeMethod::Slabs), false, _) => return Err(too_long_for_slabs(runs)),
            (Some(MergeMethod::Streams), _, false) | (_, false, false) => {
                return Err(too_long(plan, runs, copies));
            }
            (Some(way), ..) => way,
            (None, false, true) => MergeMethod::Streams,
            (None, true, true)
                if slabs.rounds() > usual.rounds() && streams.rounds() < slabs.rounds() =>
            {
                MergeMethod::Streams
            }
            (None, true, _) => MergeMethod::Slabs,
        };
        Ok(match way {
            MergeMethod::Slabs => slabs.choice(way),
            MergeMethod::Streams => streams.choice(way),
        })
    }
}

/// Shares of the memory for a merge that runs need.
#[derive(Clone, Debug)]
struct Shares {
    /// Bytes, run by run.
    needs: Vec<u64>,
    /// Bytes there are.
    room: u64,
    /// Most runs that may be open.
    open_max: usize,
}

impl Shares {
    /// Returns the shares of a merge by slabs, as if no record were longer than usual.
    fn usual(plan: &ExternalPlan, runs: &[Run]) -> Self {
        let needs = runs.iter().map(|run| well(usual_part_bytes(run), plan.seek_bytes)).collect();
        Self { needs, room: plan.slab_bytes as u64, open_max: plan.open_max }
    }

    /// Returns the shares of a merge by slabs. Long records are usually rare. So a slab needs
    /// several parts of the usual length for each run, but only one of the longest, and two more of
    /// the longest in all.
    fn of_slabs(plan: &ExternalPlan, runs: &[Run], copies: u64) -> Self {
        let slab_bytes = plan.slab_beside(kept_bytes(runs, copies));
        let extra = |run: &Run| part_bytes(run.longest_bytes) - usual_part_bytes(run);
        let usual = |run: &Run| well(usual_part_bytes(run), plan.seek_bytes);
        let longest_extra = runs.iter().map(extra).max().unwrap_or(0);
        let needs = runs.iter().map(|run| usual(run) + extra(run)).collect();
        let room = slab_bytes.saturating_sub(2 * longest_extra);
        let shares = Self { needs, room, open_max: plan.open_max };
        let least = Planner::least_capacity(longest_first(runs).into_iter().take(shares.width()));
        assert!(shares.width() == 0 || least <= slab_bytes, "slabs fit");
        shares
    }

    /// Returns the shares of a merge of streams in `bytes` bytes.
    fn of_streams(plan: &ExternalPlan, bytes: u64, runs: &[Run], copies: u64) -> Self {
        let kept = copies * longest_bytes(runs);
        let least = |run: &Run| RunStreams::least_bytes([run.longest_bytes]);
        let room = bytes.saturating_sub(kept);
        // Long records come first: with them, pieces are as short as they may be.
        let most = runs.iter().map(least).max().unwrap_or(0);
        let seek = (plan.seek_bytes as u64).min((room / 2).saturating_sub(most));
        let needs = runs.iter().map(|run| least(run) + seek).collect();
        Self { needs, room, open_max: plan.open_max }
    }

    /// Returns the maximum number of runs that are sure to have room, whichever they are.
    fn width(&self) -> usize {
        let mut needs = self.needs.clone();
        needs.sort_unstable_by(|a, b| b.cmp(a));
        let mut taken = 0;
        let fits = |need: &&u64| {
            taken += **need;
            taken <= self.room
        };
        needs.iter().take(self.open_max).take_while(fits).count()
    }

    /// Returns whether any two runs can be merged, or the only one.
    fn is_enough(&self) -> bool {
        self.width() >= self.needs.len().min(2)
    }

    /// Returns the groups of neighbours to merge next, no wider than there is room for and no more
    /// than it takes for all to have room.
    fn groups(&self) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let (mut total, mut left) = (self.needs.iter().sum::<u64>(), self.needs.len());
        let mut start = 0;
        while start < self.needs.len() {
            let (mut end, mut sum, mut most) = (start, 0, 0);
            // Merged, these take as much room as the one that takes most.
            let is_wanted = |end: usize, sum: u64, most: u64| {
                total - (sum - most) > self.room
                    || left + start + 1 > self.open_max + end.max(start + 1)
            };
            while let Some(need) = self.needs.get(end).filter(|_| is_wanted(end, sum, most)) {
                if sum + need > self.room || end - start == self.open_max {
                    break;
                }
                (end, sum, most) = (end + 1, sum + need, most.max(*need));
            }
            if end - start < 2 {
                break;
            }
            (total, left) = (total - (sum - most), left - (end - start - 1));
            groups.push(start..end);
            start = end;
        }
        groups
    }

    /// Times that each record is merged, at most.
    fn rounds(&self) -> u32 {
        let mut shares = self.clone();
        let mut rounds = 1;
        loop {
            let groups = shares.groups();
            if groups.is_empty() {
                return rounds;
            }
            rounds += 1;
            for group in groups.into_iter().rev() {
                let most = shares.needs[group.clone()].iter().max().copied();
                shares.needs.splice(group, most);
            }
        }
    }

    fn choice(&self, way: MergeMethod) -> Choice {
        Choice { way, width: self.width(), groups: self.groups() }
    }
}

impl ExternalPlan {
    /// Returns the number of bytes of each slab of a merge of `runs`, all at once: no more than is
    /// wanted, but where they have long records.
    pub fn slab_for(&self, runs: &[Run], copies: u64) -> usize {
        let shares = Shares::of_slabs(self, runs, copies);
        let slab_bytes = self.slab_beside(kept_bytes(runs, copies));
        let extra = slab_bytes - shares.room;
        let needed = shares.needs.iter().sum::<u64>().saturating_add(extra);
        needed.max(self.slab_wanted as u64).min(slab_bytes) as usize
    }

    /// Returns the bytes of each slab where `kept` bytes of the memory of all are for copies.
    fn slab_beside(&self, kept: u64) -> u64 {
        let share = kept.div_ceil(self.slabs as u64).next_multiple_of(PAGE as u64);
        (self.slab_bytes as u64).saturating_sub(share)
    }
}

/// Returns the maximum number of runs open at once, of `run_members` files each. Two are tried in
/// any case: without a second descriptor a file is read through the page cache.
pub fn open_max(files: OpenFiles, run_members: usize, threads: usize) -> usize {
    files.at_once(run_members, threads).clamp(2, WIDTH_MAX)
}

/// Returns the maximum number of runs merged at once with slabs of `slab_bytes`, of records of up
/// to `longest_bytes` and with `seek_bytes` bytes more of each for the beginning of reads. Slabs of
/// that many runs fit, whatever their keys.
pub fn merge_width(slab_bytes: usize, longest_bytes: usize, seek_bytes: usize) -> usize {
    let part = part_bytes(longest_bytes as u64);
    let width = (slab_bytes as u64 / well(part, seek_bytes)).min(WIDTH_MAX as u64) as usize;
    assert!(width == 0 || least_slab(width, longest_bytes as u64) <= slab_bytes as u64);
    width
}

/// Returns the number of bytes of a run's piece of a slab, of records of `length` bytes.
pub fn usual_piece(length: usize, seek_bytes: usize) -> usize {
    usize::try_from(well(part_bytes(length as u64), seek_bytes)).unwrap_or(usize::MAX)
}

/// Returns the most bytes for the beginning of reads with which two runs have room in a slab.
pub fn slabs_seek_max(slab_bytes: usize, longest_bytes: usize) -> usize {
    (slab_bytes / 2).saturating_sub(usual_piece(longest_bytes, 0))
}

/// Returns the most bytes for the beginning of reads with which two runs can be merged as streams.
pub fn streams_seek_max(bytes: usize, longest_bytes: usize) -> usize {
    let least = RunStreams::least_bytes([longest_bytes as u64]);
    (bytes / 2).saturating_sub(usize::try_from(least).unwrap_or(usize::MAX))
}

/// Returns the number of bytes of a part that ends with a record of `record_bytes`, with the blocks
/// it is rounded to.
fn part_bytes(record_bytes: u64) -> u64 {
    record_bytes.max(BLOCK as u64) + 2 * BLOCK as u64
}

/// Returns the number of bytes of a part of records as long as those of `run` are on average.
fn usual_part_bytes(run: &Run) -> u64 {
    part_bytes(run.bytes.div_ceil(run.records.max(1)).min(run.longest_bytes))
}

/// Returns the number of bytes of a slab for one run to be read well, of parts of `part` bytes and
/// with `seek_bytes` bytes more for the beginning of reads.
fn well(part: u64, seek_bytes: usize) -> u64 {
    PARTS_MIN as u64 * part + seek_bytes as u64
}

/// Returns the maximum number of bytes of any record.
pub fn longest_bytes(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.longest_bytes).max().unwrap_or(0)
}

/// Records that are read to plan a slab, where their keys are equal as far as indexes keep them.
const COMPARED: u64 = 2;

/// Returns the bytes of memory beside slabs for `copies` copies of the longest record of `runs`,
/// and for those that are compared: none if it is short.
pub fn kept_bytes(runs: &[Run], copies: u64) -> u64 {
    let longest = longest_bytes(runs);
    if longest > SHORT_MAX as u64 { (copies + COMPARED) * longest } else { 0 }
}

/// Returns the maximum number of runs merged as streams in `bytes` bytes, of records of up to
/// `longest_bytes` and with `seek_bytes` bytes more of each for the beginning of reads.
pub fn stream_width(bytes: usize, longest_bytes: usize, seek_bytes: usize) -> usize {
    let each = stream_share(longest_bytes, seek_bytes);
    (bytes as u64 / each).min(WIDTH_MAX as u64) as usize
}

/// Returns the least bytes for one of the runs of [`stream_width`].
pub fn stream_share(longest_bytes: usize, seek_bytes: usize) -> u64 {
    RunStreams::least_bytes([longest_bytes as u64]) + seek_bytes as u64
}

/// Returns the least slab for `runs` runs of such records.
fn least_slab(runs: usize, longest_bytes: u64) -> u64 {
    Planner::least_capacity(std::iter::repeat_n(longest_bytes, runs))
}

/// Returns the bytes of each run's longest record, the longest first.
fn longest_first(runs: &[Run]) -> Vec<u64> {
    let mut longest: Vec<u64> = runs.iter().map(|run| run.longest_bytes).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    longest
}

fn too_long(plan: &Plan, runs: &[Run], copies: u64) -> Error {
    let longest = longest_first(runs);
    let least = least_budget_mib(plan, &longest[..2.min(longest.len())], copies);
    config!(
        ConfigErrorKind::BudgetTooSmall { least: Some(ByteSize::mib(least)) },
        "the longest record has {}, too many to merge runs of such records within the memory \
         budget; give at least {} MiB with {}",
        ByteSize(longest[0]),
        least,
        Setting::Memory,
    )
}

fn too_long_for_slabs(runs: &[Run]) -> Error {
    config!(
        ConfigErrorKind::BudgetTooSmall { least: None },
        "the longest record has {}, too many to merge runs of such records by slabs within the \
         memory budget; give more with {}, or leave {} out",
        ByteSize(longest_bytes(runs)),
        Setting::Memory,
        Setting::Merge,
    )
}

/// Returns the maximum number of bytes of records any two of which are sure to be merged.
pub fn longest_merged(plan: &Plan, copies: u64) -> u64 {
    let beside = RunStreams::least_bytes([1, 1]) - 2 * RunStreams::least_window_bytes();
    let left = (plan.stream_bytes() as u64).saturating_sub(beside);
    let longest = left / (2 + copies) / PAGE as u64 * PAGE as u64;
    longest.max(RunStreams::least_window_bytes())
}

/// Returns `ample` copies of a long record where a merge of `runs` has room for them, and otherwise
/// `copies`, which are enough for most.
pub fn copies_beside(plan: &Plan, runs: &[Run], copies: u64, ample: u64) -> u64 {
    if longest_bytes(runs) <= longest_merged(plan, ample) { ample } else { copies }
}

/// Returns the least budget, in MiB, of a plan like `plan` that merges runs with such longest
/// records, the longest first.
pub fn least_budget_mib(plan: &Plan, longest: &[u64], copies: u64) -> u64 {
    let kept = copies * longest.first().copied().unwrap_or(0);
    let needed = |usable: usize| {
        let lane = {
            let LaneMemory { slack, selects, .. } = plan.lane;
            LaneMemory::new(slack, usable, plan.threads, &plan.levers, selects)
        };
        lane.bytes() as u64 + RunStreams::least_bytes(longest.iter().copied()) + kept
    };
    plan.besides.around_mib(least_with(plan.threads_wanted, needed))
}

/// Returns the least budget for `threads` workers of which all bytes that are `needed` of the
/// arena's share are left.
pub(super) fn least_with(threads: usize, needed: impl Fn(usize) -> u64) -> ByteSize {
    let mut budget = ByteSize(0);
    loop {
        let usable = memory::usable(budget, threads);
        let lacking = needed(usable).saturating_sub(usable as u64);
        if lacking == 0 {
            return budget;
        }
        budget = ByteSize((budget.bytes() + lacking).next_multiple_of(1 << 20));
    }
}

/// Returns a budget, in MiB, with a quarter more memory than `plan` has: for a line that would be
/// short enough to be merged and still finds no room in a load.
pub fn larger_budget_mib(plan: &Plan) -> u64 {
    budget_of_arena_mib(plan, plan.arena_bytes + plan.arena_bytes / 4)
}

/// Returns `least_mib`, or a larger budget where `plan`, which was not enough, has as much.
pub fn raised_budget_mib(plan: &Plan, least_mib: u64) -> u64 {
    match least_mib > budget_of_arena_mib(plan, plan.arena_bytes) {
        true => least_mib,
        false => larger_budget_mib(plan),
    }
}

/// Returns the least budget, in MiB, of a plan like `plan` with an arena of `arena_bytes` bytes.
fn budget_of_arena_mib(plan: &Plan, arena_bytes: usize) -> u64 {
    let usable = |mib: u64| memory::usable(ByteSize::mib(mib), plan.threads_wanted);
    let budget = (1..1 << 24).find(|mib| usable(*mib) >= arena_bytes).unwrap_or(1 << 24);
    plan.besides.around_mib(ByteSize::mib(budget))
}

/// Returns the groups of neighbouring runs, of `runs`, to merge next, where no more than `width`
/// can be merged at once; empty when all can. Runs in no group stay as they are.
pub fn intermediate_groups(runs: usize, width: usize) -> Vec<Range<usize>> {
    assert!(width >= 2);
    Shares { needs: vec![1; runs], room: width as u64, open_max: width }.groups()
}

#[cfg(test)]
mod tests;
