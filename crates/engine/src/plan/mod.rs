//! Deciding: how a job will be done, before anything is done.
//!
//! A [`Plan`] is a pure function of a [`Need`]: sizes of the input, record and key, the memory
//! budget and the number of workers. It opens no file and asks no clock, so that it can be printed,
//! tested and compared with the outcome. Its parts:
//!
//! - `besides` sums the parts of the budget that are not for records.
//! - `memory` divides the rest; `sieve` and `replacement` divide it for their ways to make runs.
//! - `passes` decides how runs are merged; `streams` divides the memory of merges as streams.
//! - `volume` counts the bytes that are moved and kept.
//! - `outlook` describes the volume for people; `price` says what it costs.

mod algorithm;
pub mod besides;
mod copies;
pub mod decisions;
mod external;
pub mod geometry;
pub mod levers;
pub mod marks;
pub mod memory;
pub mod microruns;
pub mod open_files;
pub mod outlook;
pub mod passes;
pub mod prediction;
pub mod price;
mod refusal;
pub mod replacement;
pub mod scratch;
mod sieve;
pub mod streams;
pub mod volume;

use crate::error::Result;
use crate::incore::{Item, Method};
use crate::io::Direct;
use crate::load::layout::{PAGE, whole_step};
use crate::units::ByteSize;

pub use algorithm::Algorithm;
use besides::{Besides, Reservation};
pub use external::{ExternalPlan, LoadLimit, RunGeneration, SpillReason, WidthLimit};
use levers::{Levers, Overlap};
use memory::{LaneMemory, LoadMemory};
pub use microruns::MicrorunPlan;
use open_files::OpenFiles;
use passes::MergeMethod;
use refusal::{least_budget, too_small};
pub use sieve::SieveMemory;

/// Inputs to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Bytes of all inputs together; `None` for a stream.
    pub input_bytes: Option<u64>,
    /// Number of inputs.
    pub inputs: usize,
    /// Bytes per record; where they differ, their average as far as it is known.
    pub record_length: usize,
    /// True if records differ in length.
    pub varies: bool,
    /// True if a word tells little of their keys.
    pub is_key_wide: bool,
    /// Records that are wanted, the first in order, where the others need not even be sorted.
    pub wanted: Option<u64>,
    /// True if records that are the same to the byte may be dropped as they are read.
    pub drops_copies: bool,
    /// Algorithm that brings records into order.
    pub algorithm: Algorithm,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Parts of the budget that records cannot use.
    pub besides: Besides,
    /// Files that can still be opened.
    pub files: OpenFiles,
    /// Files of the system that a run is made of, at most.
    pub run_members: usize,
    /// Workers wanted.
    pub threads: usize,
    /// True if records are selected, so that each worker holds some back.
    pub selects: bool,
    /// Settings of the user.
    pub levers: Levers,
}

/// Plan of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Kind of item that lies in the buckets.
    pub item: Item,
    /// Workers: as many as wanted, or as memory allows.
    pub threads: usize,
    /// Workers wanted.
    pub threads_wanted: usize,
    /// Memory of the whole arena.
    pub arena_bytes: usize,
    /// Memory with which each worker moves bytes.
    pub lane: LaneMemory,
    /// Bytes that each worker sorts buckets in.
    pub scratch_bytes: usize,
    /// Runs that loads are sorted in, if not in buckets.
    pub microruns: Option<MicrorunPlan>,
    /// Method by which it sorts.
    pub method: Method,
    /// Memory of one load: of all input, or of one that becomes a run.
    pub load: LoadMemory,
    /// Bytes of one read request.
    pub block_bytes: usize,
    /// Least bytes of a block that is dealt at once, so that marks of all blocks take little.
    pub block_least: usize,
    /// Read requests each worker keeps in flight.
    pub read_depth: usize,
    /// Bytes of output a worker makes at a time.
    pub task_bytes: u64,
    /// Records that are wanted, the first in order, if not all are.
    pub wanted: Option<u64>,
    /// Settings of the user.
    pub levers: Levers,
    /// Parts of the budget that records cannot use.
    pub besides: Besides,
    /// Bytes of the arena's share of the budget that one load of everything leaves.
    pub spare_bytes: usize,
    /// Inputs to the memory of loads, for dividing it again.
    pub sizes: memory::Sizes,
    /// Form of the sort.
    pub form: PlanForm,
}

/// Parts of a plan in which a sort in memory and one with runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanForm {
    /// One pass: all input is one load.
    InMemory {
        /// Memory in which copies are dropped as they are read, if they are.
        sieve: Option<SieveMemory>,
    },
    /// Two passes and more: loads become runs, which are merged.
    External(ExternalPlan),
}

/// Memory of a run until it is merged: its name, its sizes, and its share of lists. A hundred
/// thousand took 164 bytes each.
const RUN_BYTES: u64 = 200;

/// Runs that the reserve has room for.
const RUNS_USUAL: u64 = 4096;

/// Most rounds in which the size of a load and that of its runs are found.
const MICRORUN_ROUNDS: usize = 6;

/// Read requests in flight over all workers. Eight keep the disks we know busy.
const READS_IN_FLIGHT: usize = 8;

/// Largest read request. A disk serves a few hundred of this size in a second, and the kernel
/// splits each of them anyway.
const BLOCK_MAX: usize = 4 << 20;

/// Largest that a user may ask for.
const BLOCK_WANTED_MAX: u64 = 1 << 30;

/// Smallest read request that a disk still serves at full speed.
const BLOCK_MIN: usize = 256 << 10;

/// Largest task: edges between tasks cost a small write each.
const TASK_MAX: u64 = 8 << 20;

impl Need {
    /// Returns the need of the same job within another budget.
    #[must_use]
    pub fn within(&self, budget: ByteSize) -> Self {
        Self { budget, besides: self.besides.of(budget), ..*self }
    }

    /// Returns a copy that also reserves memory for requests beyond the default number, and for
    /// the compression of runs.
    fn with_requests(&self) -> Self {
        let mut need = *self;
        let threads = memory::threads_reserved(self.budget, self.threads);
        need.besides.add(self.levers.requests(threads));
        need.besides.add(self.levers.coders(threads));
        need
    }
}

impl Plan {
    /// Returns the plan for a need.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where the budget is too small for even the smallest
    /// sort, or levers do not go together.
    pub fn new(need: &Need) -> Result<Self> {
        need.levers.check(need.algorithm)?;
        let need = &need.with_requests();
        let plan = Self::around_runs(need).ok_or_else(|| too_small(need))?;
        plan.with(need.algorithm).map(|plan| plan.or_without_overlap(need))
    }

    /// Returns the plan for the rest of a resumed sort, some of whose runs exist. It is external,
    /// with the settings and the memory for runs of the plan for the whole. Another plan might
    /// merge fewer runs at once, and the recorded part of their last merge would be lost.
    ///
    /// # Errors
    ///
    /// Those of [`Plan::new`].
    pub fn after_runs(need: &Need) -> Result<Self> {
        let Self { levers, besides, .. } = Self::new(need)?;
        let rest = Need { input_bytes: None, levers, besides, ..*need };
        Self::within(&rest).ok_or_else(|| too_small(need))?.with(need.algorithm)
    }

    /// Returns the plan for a need, with room for what is known of all runs; `None` where the
    /// budget is too small.
    fn around_runs(need: &Need) -> Option<Self> {
        let plan = Self::within(need)?;
        match plan.runs_bytes(need.input_bytes.unwrap_or(0)) {
            0 => Some(plan),
            runs => {
                let mut need = *need;
                need.besides.add(Reservation::fixed(runs));
                Self::within(&need)
            }
        }
    }

    /// Returns the plan for a need, runs being made of loads; `None` where the budget is too small.
    fn within(need: &Need) -> Option<Self> {
        let rest = need.besides.rest_of(need.budget);
        let usable = memory::usable(rest, need.threads);
        let reserved = memory::threads_reserved(rest, need.threads);
        let plan = |item| {
            let most = memory::threads(need, reserved, item, usable);
            // The buffers of each thread may leave too little for the reads that were asked for.
            (1..=most).rev().find_map(|threads| Self::with_threads(need, item, usable, threads))
        };
        let (item, alternative) = memory::items(need);
        let (plan, other) = (plan(item), alternative.and_then(plan));
        let is_better = |other: &Self| plan.as_ref().is_none_or(|plan| other.outdoes(plan));
        if other.as_ref().is_some_and(is_better) { other } else { plan }
    }

    /// Returns whether a plan has more workers than another, or loads larger by more than a third.
    fn outdoes(&self, other: &Self) -> bool {
        self.threads > other.threads || self.load.records_max / 4 * 3 > other.load.records_max
    }

    /// Returns the plan for `threads` threads that share `usable` bytes.
    fn with_threads(need: &Need, item: Item, usable: usize, threads: usize) -> Option<Self> {
        let divide = |runs| Self::with_microruns(need, item, usable, threads, runs);
        let mut plan = divide(None)?;
        if !need.algorithm.makes_microruns() {
            return Some(plan);
        }
        // The load decides on its runs, and their memory is taken from the load. So a smaller load
        // has smaller runs, and these leave more for the load. The first round does not count, as
        // the load may have become one of several.
        for round in 0..MICRORUN_ROUNDS {
            plan = divide(MicrorunPlan::new(need, &plan.load, threads))?;
            if round > 0 && plan.microruns.is_some_and(|runs| runs.hold(&plan.load)) {
                return Some(plan);
            }
        }
        divide(plan.microruns.map(MicrorunPlan::with_twice_the_width))
    }

    /// Returns the plan whose loads are sorted in `microruns`, if in any.
    fn with_microruns(
        need: &Need,
        item: Item,
        usable: usize,
        threads: usize,
        microruns: Option<MicrorunPlan>,
    ) -> Option<Self> {
        let lane = LaneMemory::new(need.record_length, usable, threads, &need.levers, need.selects);
        let scratch_bytes =
            microruns.map_or_else(|| memory::scratch_bytes(item), |runs| runs.scratch_bytes());
        let fixed = threads * (lane.bytes() + scratch_bytes);
        let heap = threads * microruns.map_or(0, |runs| runs.heap_bytes());
        let shared = usable.saturating_sub(fixed + heap) & !(PAGE - 1);
        let reads = need.levers.queue_depth.unwrap_or(READS_IN_FLIGHT);
        let reads = (reads / threads).max(2) * threads;
        let most = need.input_bytes.map_or(shared, |bytes| bytes.min(shared as u64) as usize);
        let block_least = marks::block_least(most, need.record_length);
        let block_wanted = block_bytes(&need.levers, item, shared, reads);
        // Of blocks that must be larger than wanted, fewer are read at the same time.
        let reads =
            if block_least > block_wanted { reads * block_wanted / block_least } else { reads };
        let block_bytes = whole_requests(item, block_wanted.max(block_least));
        let sizes = memory::Sizes {
            item,
            record_length: need.record_length,
            varies: need.varies,
            threads,
            block_bytes,
            read_depth: (reads / threads).max(2),
            buckets: None,
        };

        let (load, areas_bytes, form) = match whole_load(need, &sizes, shared) {
            Ok(load) => {
                let sieve = sieve(need, &sizes, shared, shared - load.bytes());
                let extra = sieve.map_or(0, |sieve| sieve.bytes());
                (load, load.bytes() + extra, PlanForm::InMemory { sieve })
            }
            Err(reason) => {
                // One worker merges streams, in the memory of all others too.
                let further = fixed - lane.bytes();
                let (load, external) = ExternalPlan::new(need, &sizes, shared, further, reason)?;
                (load, external.areas_bytes(), PlanForm::External(external))
            }
        };
        Some(Self {
            item,
            threads,
            threads_wanted: need.threads,
            arena_bytes: areas_bytes + fixed,
            lane,
            scratch_bytes,
            microruns,
            method: need.algorithm.method(),
            load,
            block_bytes,
            block_least,
            read_depth: if need.levers.waits() { 1 } else { sizes.read_depth },
            task_bytes: (load.records_bytes / (8 * threads as u64)).clamp(1, TASK_MAX),
            wanted: need.wanted,
            levers: need.levers,
            besides: need.besides,
            spare_bytes: shared.saturating_sub(areas_bytes),
            sizes,
            form,
        })
    }

    /// Returns this plan, or one without overlap where that merges less before the last merge and
    /// the user has not set the form. Moving no bytes is better than reading some while others are
    /// written.
    fn or_without_overlap(self, need: &Need) -> Self {
        let is_selected = self.external().is_some_and(|plan| plan.replacement().is_some());
        let is_free = need.levers.is_overlap_open() && !is_selected;
        let Some(bytes) = need.input_bytes.filter(|_| is_free) else { return self };
        let merged = |plan: &Self| plan.volume(bytes).merged_bytes;
        let before = merged(&self);
        if before == 0 {
            return self;
        }
        let levers = need.levers.with_open_overlap(Overlap::Sync);
        let other = Self::around_runs(&Need { levers, ..*need });
        other.filter(|other| merged(other) < before).unwrap_or(self)
    }

    /// Returns the plan with runs made by `algorithm`, if there are any runs.
    fn with(mut self, algorithm: Algorithm) -> Result<Self> {
        if let (PlanForm::External(external), Algorithm::ReplacementSelection) =
            (&mut self.form, algorithm)
        {
            external.select(&self.sizes)?;
        }
        Ok(self)
    }
}

/// Returns the load of all input, if it may be one within `shared` bytes.
fn whole_load(
    need: &Need,
    sizes: &memory::Sizes,
    shared: usize,
) -> std::result::Result<LoadMemory, SpillReason> {
    let bytes = need.input_bytes.ok_or(SpillReason::UnknownLength)?;
    if let Some(run) = need.levers.run.filter(|run| bytes > run.bytes()) {
        return Err(SpillReason::RunSize(run));
    }
    // Inputs are rounded out to pages where they are read.
    let padding = 2 * PAGE as u64 * need.inputs as u64;
    let load = sizes.load_for(bytes + padding, bytes);
    if load.bytes() > shared {
        let [needed, room] = [load.bytes(), shared].map(|bytes| ByteSize(bytes as u64));
        return Err(SpillReason::TooLarge { needed, room });
    }
    match external::load_limit(need, sizes) {
        Some(limit) if load.bytes() / 4 > limit => {
            Err(need.levers.run.map_or(SpillReason::FewWanted, SpillReason::RunSize))
        }
        _ => Ok(load),
    }
}

/// Returns what copies are dropped with, if they are, in a load of `limit` bytes and what is left
/// of it.
fn sieve(need: &Need, sizes: &memory::Sizes, limit: usize, left: usize) -> Option<SieveMemory> {
    let copies = need.input_bytes.filter(|_| need.drops_copies)?;
    SieveMemory::new(sizes, copies, limit).filter(|sieve| sieve.bytes() <= left)
}

/// Returns the number of bytes of a read request, where loads share `shared` bytes. All `reads`
/// reads in flight together take an eighth of it, and no more than a limit if they are buffers.
fn block_bytes(levers: &Levers, item: Item, shared: usize, reads: usize) -> usize {
    let room = match item {
        Item::Entry | Item::WideEntry => shared / 8,
        Item::Record(_) => (shared / 8).min(memory::BUFFERS_ENOUGH),
    };
    let usual = (room / reads.max(READS_IN_FLIGHT)).clamp(BLOCK_MIN, BLOCK_MAX);
    levers.block.map_or(usual, |block| block.bytes().min(BLOCK_WANTED_MAX) as usize)
}

/// Returns `bytes` as those of read requests.
fn whole_requests(item: Item, bytes: usize) -> usize {
    match item {
        // Rounded up to what requests can go past the page cache with.
        Item::Entry | Item::WideEntry => bytes.next_multiple_of(PAGE),
        // Dealt as they arrive, short records must lie whole in one request: 124 KiB at most.
        Item::Record(length) => {
            let step = whole_step(length);
            (bytes / step).max(1) * step
        }
    }
}

impl Plan {
    /// Returns whether runs go past the page cache, given the user's wish.
    pub fn spill_direct(&self, wish: Direct) -> Direct {
        // Replacement selection has all of the memory; loads may be smaller.
        let sort_area = |plan: &ExternalPlan| match plan.replacement() {
            Some(_) => plan.areas_bytes(),
            None => plan.load_areas * self.load.bytes(),
        };
        let is_suited =
            |plan: &ExternalPlan| memory::suits_direct_writes(self.threads, sort_area(plan));
        match wish {
            Direct::Auto if !self.external().is_none_or(is_suited) => Direct::Off,
            other => other,
        }
    }

    /// Returns the number of bytes of the arena that are used where no record is longer than usual;
    /// the rest costs only addresses.
    pub fn used_bytes(&self) -> usize {
        let unused = |plan: &ExternalPlan| plan.areas_bytes() - plan.used_bytes();
        self.arena_bytes - self.external().map_or(0, unused)
    }

    /// Returns the number of bytes that runs take beside records, where an input of `bytes` bytes
    /// makes more runs than the reserve has room for.
    fn runs_bytes(&self, bytes: u64) -> u64 {
        if self.is_one_pass() {
            return 0;
        }
        // Loads end at whole pages: of the smallest that leaves half.
        let least = self.load.records_bytes.saturating_sub(2 * PAGE as u64).max(PAGE as u64);
        bytes.div_ceil(least).saturating_sub(RUNS_USUAL) * RUN_BYTES
    }

    /// Returns the records of a key range that one task merges, if loads are sorted in runs. Each
    /// task has to find its place in every run, so ranges are larger than tasks of buckets.
    pub fn range_records(&self) -> Option<usize> {
        let range_bytes = 2 * self.task_bytes as usize;
        self.microruns.map(|_| (range_bytes / self.sizes.record_length).max(1))
    }

    /// Returns whether all input is one load, so that there are no runs.
    pub fn is_one_pass(&self) -> bool {
        matches!(self.form, PlanForm::InMemory { .. })
    }

    /// Returns the part that a sort in memory does not have.
    pub fn external(&self) -> Option<&ExternalPlan> {
        match &self.form {
            PlanForm::InMemory { .. } => None,
            PlanForm::External(external) => Some(external),
        }
    }

    /// Returns the number of loads that are in memory at once.
    pub fn load_areas(&self) -> usize {
        self.external().map_or(1, |external| external.load_areas)
    }

    /// Returns the memory in which copies are dropped as they are read, if they are.
    pub fn sieve(&self) -> Option<SieveMemory> {
        match &self.form {
            PlanForm::InMemory { sieve } => *sieve,
            PlanForm::External(external) => external.sieve(),
        }
    }

    /// Returns how runs are expected to be merged.
    pub fn merge_way(&self) -> MergeMethod {
        self.levers.merge.unwrap_or(MergeMethod::Slabs)
    }

    /// Returns the memory of a merge of streams: all but the output buffers of the one worker that
    /// does it.
    pub fn stream_bytes(&self) -> usize {
        self.arena_bytes - self.lane.bytes()
    }
}

#[cfg(test)]
mod tests;
