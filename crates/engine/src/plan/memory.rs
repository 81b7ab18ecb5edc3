//! Dividing the budget.
//!
//! ```text
//!   budget  = reserve (program, stacks, rings, indexes)  +  arena
//!   arena   = lanes (output buffers)  +  scratch (bucket sorts)  +  loads
//!   loads   = one load of everything            one pass
//!           | two loads, or two slabs, in turn  two passes and more
//!           | one load, or one slab, at a time  the same where nothing overlaps
//!   load    = records | pool of entries         longer records
//!           | read blocks | pool of records     short records, which are dealt themselves
//! ```
//!
//! Loads, slabs, scratch and output buffers are in the arena. Windows of merges of streams are
//! mappings of their own (`ElasticRegion`); the memory of loads goes back to the system first. The
//! reserve is left for small things.

use crate::codec::CompressRuns;
use crate::incore::bucket::BUCKET_ENTRIES_MAX;
use crate::incore::item::LOCATION_MAX;
use crate::incore::sort::buckets_max;
use crate::incore::{Item, Pool, Scratch};
use crate::load::layout::PAGE;
use crate::run::layout::BLOCK;
use crate::stats::WriteBuffers;
use crate::units::ByteSize;

use super::Need;
use super::levers::Levers;

/// Memory of the process outside the arena: its code, the C library, the allocator's first pages,
/// classifiers, layouts and edges. A sort of a thousand records peaks at 8-10 MiB, the first huge
/// pages of its buffers included.
const RESERVE: u64 = 12 << 20;

/// Stack pages, a ring and a sample buffer for each worker.
const RESERVE_PER_THREAD: u64 = 512 << 10;

/// Divisor of the budget that gives the limit for what workers take of the reserve, beyond which
/// the plan gives up workers.
const RESERVE_THREADS_SHARE: u64 = 4;

/// Divisor of the budget that gives the part for what grows with the input: indexes of runs, edges,
/// marks.
const RESERVE_SHARE: u64 = 32;

/// Output buffers of each worker: one being filled, the others being written.
pub(super) const BUFFERS: usize = 4;

/// The least of them, Oracle 7's default: one is filled while the other is written. A selection
/// holds records back in one more.
const BUFFERS_MIN: usize = 2;

/// Bytes of the smallest buffer, Oracle 7's default. Two such pieces make a block of a run.
const BUFFER_MIN: usize = BLOCK / 2;

/// Edge buffers of each worker.
const EDGES: usize = 4;

/// Maximum number of buffers that a user can set, and maximum bytes of one.
const BUFFERS_MAX: usize = 256;
const WANTED_MAX: usize = 1 << 30;

const CAPACITY_MIN: usize = 512 << 10;
const CAPACITY_MAX: usize = 4 << 20;

/// Divisor of the arena that gives the limit for the output buffers of all workers.
const BUFFERS_SHARE: usize = 16;

/// Most bytes of the output buffers of all workers, and of buffers that short records are read
/// through. With 16 workers, buffers of the largest size would be 256 MiB: the system takes longer
/// to give that than larger requests save.
pub(super) const BUFFERS_ENOUGH: usize = 64 << 20;

/// Divisor of the arena that gives the limit for lanes and scratch space, beyond which the plan
/// gives up workers.
const FIXED_SHARE: usize = 3;

/// Length of records that are dealt themselves at any budget. Whole records take more scratch space
/// and buffers for reading. Where that leaves fewer workers or far smaller loads, longer ones are
/// dealt as entries.
const SHORTEST_MAX: usize = 16;

/// Records of a load, which buckets count by 32-bit numbers.
const RECORDS_MAX: u64 = u32::MAX as u64;

/// Entries that a load of lines has room for even if it is expected to have hardly any.
const VARYING_LEAST: u64 = 4096;

/// Returns the number of bytes of the arena that a budget leaves if `wanted` workers are wanted.
pub fn usable(budget: ByteSize, wanted: usize) -> usize {
    let threads = threads_reserved(budget, wanted);
    let reserve = RESERVE + RESERVE_PER_THREAD * threads as u64 + budget.bytes() / RESERVE_SHARE;
    budget.bytes().saturating_sub(reserve) as usize & !(PAGE - 1)
}

/// Returns the number of workers for which there is a reserve, of those wanted.
pub fn threads_reserved(budget: ByteSize, wanted: usize) -> usize {
    let most = budget.bytes() / RESERVE_THREADS_SHARE / RESERVE_PER_THREAD;
    wanted.min(most as usize).max(1)
}

/// Divisor of the memory for loads that gives the limit for buffers of writes past the page cache.
const DIRECT_SHARE: usize = 10;

/// Returns whether runs are written past the page cache where the user leaves that open: the rule
/// of Oracle 7.3 for `SORT_DIRECT_WRITES=AUTO`. The smallest buffers of `threads` workers take at
/// most a tenth of the `sort_area` bytes that these have for loads, so that each has 640 KiB.
pub fn suits_direct_writes(threads: usize, sort_area: usize) -> bool {
    threads * BUFFERS_MIN * BUFFER_MIN <= sort_area / DIRECT_SHARE
}

/// Returns the number of workers that memory allows, of those `reserved`.
pub fn threads(need: &Need, reserved: usize, item: Item, usable: usize) -> usize {
    let fits = |threads: usize| {
        let lane = LaneMemory::new(need.record_length, usable, threads, &need.levers, need.selects);
        threads * (lane.bytes() + scratch_bytes(item)) <= usable / FIXED_SHARE
    };
    (1..=reserved).rev().find(|threads| fits(*threads)).unwrap_or(1)
}

/// Returns the kind of item in the buckets for a need, and another one that is better where memory
/// is scarce.
pub fn items(need: &Need) -> (Item, Option<Item>) {
    match (need.varies, need.is_key_wide || need.algorithm.makes_microruns()) {
        (false, true) if need.algorithm.makes_microruns() => (Item::WideEntry, None),
        (false, _) => {
            let is_longer = need.record_length > SHORTEST_MAX;
            (Item::for_length(need.record_length), is_longer.then_some(Item::Entry))
        }
        (true, false) => (Item::Entry, None),
        (true, true) => (Item::WideEntry, None),
    }
}

/// Returns the number of bytes that one worker sorts buckets in.
pub fn scratch_bytes(item: Item) -> usize {
    Scratch::bytes_needed(BUCKET_ENTRIES_MAX, item).next_multiple_of(PAGE)
}

/// One worker's output buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneMemory {
    /// Output buffers, the one in which a selection holds records back included.
    pub buffers: usize,
    /// True if a selection holds records back.
    pub selects: bool,
    /// Bytes of each that are filled before it is written.
    pub capacity: usize,
    /// Bytes after them, for the record that fills it.
    pub slack: usize,
    /// Edge buffers, each of one block of a run.
    pub edges: usize,
}

impl LaneMemory {
    /// Returns the buffers of one of `threads` workers that share `usable` bytes. `selects` says
    /// whether a selection holds records back.
    pub fn new(
        record_length: usize,
        usable: usize,
        threads: usize,
        levers: &Levers,
        selects: bool,
    ) -> Self {
        let set = levers.write_buffers.map(|count| count.clamp(BUFFERS_MIN, BUFFERS_MAX));
        let shared = (usable / BUFFERS_SHARE).min(BUFFERS_ENOUGH);
        let share = shared / (set.unwrap_or(0).max(BUFFERS) * threads.max(1));
        let usual = share.clamp(CAPACITY_MIN, CAPACITY_MAX) / BLOCK * BLOCK;
        let wanted = levers.write_buffer.map(|size| usize::try_from(size.bytes()));
        let capacity = wanted.map_or(usual, |bytes| capacity(bytes.unwrap_or(usize::MAX)));
        // Only whole blocks can be compressed.
        let is_compressed = levers.compress_runs != CompressRuns::Off;
        let capacity = if is_compressed { capacity.max(BLOCK) } else { capacity };
        let slack = record_length.next_multiple_of(PAGE);
        Self {
            buffers: set.map_or(BUFFERS, |count| count + usize::from(selects)),
            selects,
            capacity,
            // A lane tells buffers from edges by their lengths.
            slack: if capacity + slack == BLOCK { slack + PAGE } else { slack },
            // A block that is written in pieces is kept in one, for its checksum.
            edges: EDGES + usize::from(capacity < BLOCK),
        }
    }

    /// Returns the output buffers, for the account of a job.
    pub fn write_buffers(&self) -> WriteBuffers {
        WriteBuffers { count: self.buffers as u64, bytes: ByteSize(self.capacity as u64) }
    }

    /// Returns the number of bytes of one output buffer.
    pub fn buffer_bytes(&self) -> usize {
        self.capacity + self.slack
    }

    /// Returns the number of bytes of all buffers of one worker.
    pub fn bytes(&self) -> usize {
        self.buffers * self.buffer_bytes() + self.edges * BLOCK
    }
}

/// Returns the bytes of a buffer for which a user has asked for `wanted`: half a block of a run, or
/// whole blocks.
fn capacity(wanted: usize) -> usize {
    match wanted {
        0..=BUFFER_MIN => BUFFER_MIN,
        _ => wanted.min(WANTED_MAX).next_multiple_of(BLOCK),
    }
}

/// The memory of one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadMemory {
    /// Most bytes of records, with what alignment adds.
    pub records_bytes: u64,
    /// Most records.
    pub records_max: u32,
    /// Memory that is read into: the whole load, or blocks in flight where records are dealt.
    pub read_bytes: usize,
    /// Memory of the buckets.
    pub pool_bytes: usize,
    /// Most buckets.
    pub buckets_max: usize,
}

impl LoadMemory {
    /// Returns the number of bytes of both.
    pub fn bytes(&self) -> usize {
        self.read_bytes + self.pool_bytes
    }
}

/// Inputs to the memory of a load, apart from its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Kind of item that lies in the buckets.
    pub item: Item,
    /// Bytes per record, or their average.
    pub record_length: usize,
    /// True if records differ in length.
    pub varies: bool,
    /// Workers.
    pub threads: usize,
    /// Bytes of one read request.
    pub block_bytes: usize,
    /// Read requests in flight, per worker.
    pub read_depth: usize,
    /// Buckets, where it is known already how many there may be. What they would come to for the
    /// longest of records does not matter then: their chunks could leave nothing for reading.
    pub buckets: Option<usize>,
}

impl Sizes {
    /// Returns a copy for lines of `average` bytes, dealt into `buckets` buckets.
    #[must_use]
    pub fn of_lines(self, average: usize, buckets: usize) -> Self {
        Self { record_length: average.max(1), buckets: Some(buckets), ..self }
    }

    /// Returns the bytes of the buffers that short records are read through.
    pub fn buffers_bytes(&self) -> usize {
        match self.item {
            Item::Entry | Item::WideEntry => 0,
            Item::Record(_) => self.block_bytes * self.threads * self.read_depth,
        }
    }

    /// Returns the memory of a load of `bytes` bytes of records that take `padded` bytes where they
    /// are read.
    pub fn load_for(&self, padded: u64, bytes: u64) -> LoadMemory {
        let expected = bytes / self.record_length as u64;
        // Averages come from a sample; memory that is not needed in the end is never touched.
        let allowance = if self.varies { expected / 4 + VARYING_LEAST } else { 0 };
        let most = if self.varies { u64::MAX } else { RECORDS_MAX };
        let records = (expected + allowance).min(most);
        let buckets_max = self.buckets.unwrap_or_else(|| buckets_max(records, self.record_length));
        let pool = Pool::bytes_needed(records, self.item.bytes(), buckets_max, self.threads);
        let read = match self.item {
            Item::Entry | Item::WideEntry => padded.next_multiple_of(PAGE as u64),
            Item::Record(_) => self.buffers_bytes() as u64,
        };
        let is_located = !matches!(self.item, Item::Record(_));
        let is_too_many = expected > most || is_located && padded > LOCATION_MAX;
        LoadMemory {
            records_bytes: padded,
            records_max: records.min(RECORDS_MAX) as u32,
            read_bytes: if is_too_many { usize::MAX / 4 } else { read as usize },
            pool_bytes: (pool as usize).next_multiple_of(PAGE),
            buckets_max,
        }
    }

    /// Returns the least bytes of a load: two records of one length, or one of average length.
    /// Where files are read past the page cache, the pages at its ends are read for its neighbours
    /// too: it has room for them.
    pub fn least_load(&self) -> u64 {
        let records = if self.varies { 1 } else { 2 };
        (records * self.record_length as u64).next_multiple_of(PAGE as u64) + 3 * PAGE as u64
    }

    /// Returns the load of a run of about `bytes` bytes, or the least one.
    pub fn load_of(&self, bytes: u64) -> LoadMemory {
        let whole = (bytes / PAGE as u64 * PAGE as u64).max(self.least_load());
        self.load_for(whole, whole)
    }

    /// Returns the largest load within `limit` bytes of memory.
    pub fn load_within(&self, limit: usize) -> LoadMemory {
        let ceiling = (limit as u64).min(RECORDS_MAX.saturating_mul(self.record_length as u64));
        let fits = |bytes: u64| self.load_for(bytes, bytes).bytes() <= limit;
        let (mut low, mut high) = (0, ceiling / PAGE as u64 + 1);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if fits(middle * PAGE as u64) { low = middle } else { high = middle }
        }
        self.load_for(low * PAGE as u64, low * PAGE as u64)
    }
}
