//! Deciding: how a job will be done, before anything is done.
//!
//! A [`Plan`] is a pure function of a [`Need`]: sizes of the input, record and key, the memory
//! budget and the number of workers. It opens no file and asks no clock, so that it can be printed,
//! tested and held against the outcome. `memory` divides the budget, but for what `besides` says is
//! not for records; `sieve` says what dropping
//! duplicates early takes of it, `passes` decides how runs are merged, `streams` divides memory
//! among what is merged as streams, `outlook` says what it all comes to.

pub mod besides;
pub mod memory;
pub mod outlook;
pub mod passes;
mod sieve;
pub mod streams;

use crate::error::{Error, Result};
use crate::incore::Item;
use crate::load::layout::PAGE;
use crate::units::ByteSize;

use besides::Besides;
use memory::{LaneMemory, LoadMemory};
pub use sieve::SieveMemory;

/// What the plan follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Bytes of all inputs together; `None` for a stream.
    pub input_bytes: Option<u64>,
    /// Number of inputs.
    pub inputs: usize,
    /// Bytes per record; where they differ, their average as far as it is known.
    pub record_length: usize,
    /// Whether records differ in length.
    pub varies: bool,
    /// Whether a word tells little of their keys.
    pub is_key_wide: bool,
    /// Records that are wanted, the first in order, where the others need not even be sorted.
    pub wanted: Option<u64>,
    /// Whether records that are the same to the byte may be dropped as they are read.
    pub drops_copies: bool,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// What takes a part of it beside records.
    pub besides: Besides,
    /// Files that can still be opened.
    pub descriptors: usize,
    /// Workers wanted.
    pub threads: usize,
}

/// How a job will be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What lies in the buckets.
    pub item: Item,
    /// Workers: as many as wanted, or as memory allows.
    pub threads: usize,
    /// Workers wanted.
    pub threads_wanted: usize,
    /// Memory of the whole arena.
    pub arena_bytes: usize,
    /// What each worker moves bytes with.
    pub lane: LaneMemory,
    /// Bytes that each worker sorts buckets in.
    pub scratch_bytes: usize,
    /// Whether all input fits one load.
    pub is_one_pass: bool,
    /// Memory of one load: the only one, or one of two that take turns.
    pub load: LoadMemory,
    /// Bytes of one read request.
    pub block_bytes: usize,
    /// Read requests each worker keeps in flight.
    pub read_depth: usize,
    /// Bytes of output a worker makes at a time.
    pub task_bytes: u64,
    /// Memory of one slab of a merge; two take turns.
    pub slab_bytes: usize,
    /// Most runs merged at once.
    pub merge_width: usize,
    /// Most runs open at once, whatever memory there is.
    pub open_max: usize,
    /// Most memory of a load that no record makes larger.
    pub load_limit: usize,
    /// What duplicates are dropped with as they are read, if they are.
    pub sieve: Option<SieveMemory>,
    /// What takes a part of the budget beside records.
    pub besides: Besides,
    /// What loads follow from, for dividing their memory anew.
    pub sizes: memory::Sizes,
}

/// Read requests in flight over all workers. Eight keep the disks we know busy.
const READS_IN_FLIGHT: usize = 8;

/// Largest read request: a second's worth of requests is a few hundred, and each is cut by the
/// kernel anyway.
const BLOCK_MAX: usize = 4 << 20;

/// Smallest read request that a disk still serves at full speed.
const BLOCK_MIN: usize = 256 << 10;

/// Most read requests a load is cut into: workers keep a number per block and bucket.
const BLOCKS_MAX: usize = 4096;

/// Largest task: edges between tasks cost a small write each.
const TASK_MAX: u64 = 8 << 20;

impl Plan {
    /// The plan for a need.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the budget is too small for even the smallest sort.
    pub fn new(need: &Need) -> Result<Self> {
        let item = match (need.varies, need.is_key_wide) {
            (false, _) => Item::for_length(need.record_length),
            (true, false) => Item::Entry,
            (true, true) => Item::WideEntry,
        };
        let usable = memory::usable(need.besides.rest_of(need.budget), need.threads);
        let threads = memory::threads(need, item, usable);
        let lane = LaneMemory::new(need.record_length, usable, threads);
        let scratch_bytes = memory::scratch_bytes(item);
        let fixed = threads * (lane.bytes() + scratch_bytes);
        let shared = usable.saturating_sub(fixed) & !(PAGE - 1);
        let block_bytes = (shared / 64).clamp(BLOCK_MIN, BLOCK_MAX).max(shared / BLOCKS_MAX);
        let block_bytes = block_bytes & !(PAGE - 1);
        let read_depth = (READS_IN_FLIGHT / threads).max(2);
        let sizes = memory::Sizes {
            item,
            record_length: need.record_length,
            varies: need.varies,
            threads,
            block_bytes,
            read_depth,
            buckets: None,
        };

        let padding = 2 * PAGE as u64 * need.inputs as u64;
        let whole = need.input_bytes.map(|bytes| sizes.load_for(bytes + padding, bytes));
        let half = (shared / 2) & !(PAGE - 1);
        let load_limit = load_limit(need).min(half);
        let is_worth_it = |load: &LoadMemory| load.bytes() / 4 <= load_limit;
        let one = whole.filter(|load| load.bytes() <= shared && is_worth_it(load));
        let is_one_pass = one.is_some();
        // It takes what a load leaves, or its share of one.
        let (limit, left) = match &one {
            Some(load) => (shared, shared - load.bytes()),
            None => (half, half),
        };
        let sieve = need.input_bytes.filter(|_| need.drops_copies);
        let sieve = sieve.and_then(|bytes| SieveMemory::new(&sizes, bytes, limit));
        let sieve = sieve.filter(|sieve| sieve.bytes() <= left);
        let load = one.unwrap_or_else(|| sizes.load_within(load_limit));
        let open_max = passes::open_max(need.descriptors, threads);
        let merge_width = passes::merge_width(half, need.record_length).min(open_max);
        if !is_one_pass && (load.records_max < 2 || merge_width < 2) {
            return Err(too_small(need, fixed));
        }
        let extra = sieve.map_or(0, |sieve| sieve.bytes());
        let arena_bytes = if is_one_pass { load.bytes() + extra } else { 2 * half } + fixed;
        let task_share = load.records_bytes / (8 * threads as u64);
        Ok(Self {
            item,
            threads,
            threads_wanted: need.threads,
            arena_bytes,
            lane,
            scratch_bytes,
            is_one_pass,
            load,
            block_bytes,
            read_depth,
            task_bytes: task_share.clamp(1, TASK_MAX),
            slab_bytes: half,
            merge_width,
            open_max,
            load_limit,
            sieve,
            besides: need.besides,
            sizes,
        })
    }
}

/// Loads of which hardly anything is kept are not worth memory that was never touched before: it
/// takes longer to get than the input takes to read.
const LOAD_LEAST: u64 = 64 << 20;

/// A load has so many times what is wanted of all.
const LOAD_TIMES: u64 = 8;

/// Most memory of a load for a need.
fn load_limit(need: &Need) -> usize {
    let wanted_bytes = |wanted: u64| wanted.saturating_mul(need.record_length as u64);
    let limit = need.wanted.map(|wanted| wanted_bytes(wanted).saturating_mul(LOAD_TIMES));
    limit.map_or(usize::MAX, |limit| limit.max(LOAD_LEAST) as usize & !(PAGE - 1))
}

impl Plan {
    /// Bytes that reads and writes of all passes move, for an input of `bytes`.
    pub fn bytes_to_move(&self, bytes: u64) -> u64 {
        let passes = if self.is_one_pass { 1 } else { 2 };
        2 * (passes * bytes + self.merged_twice(bytes))
    }

    /// Memory of a merge of streams: all but the output buffers of the one worker that does it.
    pub fn stream_bytes(&self) -> usize {
        self.arena_bytes - self.lane.bytes()
    }

    /// Spill space that intermediate merges need besides the runs: the largest group's.
    pub fn intermediate_bytes(&self, bytes: u64) -> u64 {
        let groups = passes::intermediate_groups(self.runs(bytes), self.merge_width);
        let largest = groups.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        (largest as u64 * self.load.records_bytes).min(bytes)
    }

    /// Bytes that intermediate merges move, in one direction.
    fn merged_twice(&self, bytes: u64) -> u64 {
        let mut moved = 0;
        let mut runs = self.runs(bytes);
        let mut run_bytes = bytes / runs.max(1) as u64;
        loop {
            let groups = passes::intermediate_groups(runs, self.merge_width);
            let merged: usize = groups.iter().map(ExactSizeIterator::len).sum();
            if merged == 0 {
                return moved;
            }
            moved += merged as u64 * run_bytes;
            runs = runs - merged + groups.len();
            run_bytes = bytes / runs as u64;
        }
    }

    /// Runs that an input of `bytes` bytes makes.
    pub fn runs(&self, bytes: u64) -> usize {
        if self.is_one_pass { 0 } else { bytes.div_ceil(self.load.records_bytes.max(1)) as usize }
    }
}

fn too_small(need: &Need, fixed: usize) -> Error {
    let least = need.besides.around_mib(memory::least_budget(need, fixed));
    Error::Usage(format!(
        "a memory budget of {} is too small to sort records of {}; give at least {least} MiB \
         with --memory",
        need.budget,
        ByteSize(need.record_length as u64)
    ))
}

#[cfg(test)]
mod tests;
