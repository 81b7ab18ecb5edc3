//! Division of the memory of a build between the scan and the sort of its entries.
//!
//! ```text
//!   budget = fixed, pages | blocks of each scanning thread | one long block and its entry | sort
//! ```
//!
//! A block is long if it is longer than the share of a thread. Threads hold one at a time.

use sortwell_engine::ByteSize;

use crate::entry::LONGEST_MAX;
use crate::store::{IndexTarget, cache_bytes};

/// Bytes of a block of data, at most and at least.
pub const BLOCK_MAX: u64 = 1 << 20;
const BLOCK_MIN: u64 = 64 << 10;

/// Blocks of memory that each thread of the scan takes: data, a piece of entries, pieces that wait,
/// and the ones that the sort reads or needs next.
const BLOCKS_EACH: u64 = 6;

/// Memory of branches, of files, and of all that is small.
const FIXED: u64 = 4 << 20;

/// Memory of a scanning and of a packing thread: their stacks, a group of pages, and what waits for
/// its turn.
const EACH: u64 = 1 << 20;

/// Memory that the sort has at least, before records may be longer than [`BLOCK_MAX`].
const SORT_LEAST: u64 = 32 << 20;

/// Memory for long blocks, as a multiple of the longest record: while a block is cut, half as much
/// as the record again, and a copy of the record that has begun, and also an entry of a record
/// before.
const LONG_TIMES: u64 = 4;

/// Part of the budget that a record may have.
const LONGEST_SHARE: u64 = 16;

const MIB: u64 = 1 << 20;

/// Memory of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanMemory {
    /// The budget of the whole build.
    pub budget: u64,
    /// Threads of the scan.
    pub threads: u64,
    /// Kind of file that the build writes.
    pub target: IndexTarget,
    /// Bytes that are read at once, and bytes of entries that are handed on at once.
    pub block: u64,
    /// Most bytes of a record.
    pub longest: u64,
    /// Bytes of memory that the scan and the packing take.
    pub taken: u64,
}

impl ScanMemory {
    /// Divides `budget` bytes.
    pub fn new(budget: u64, threads: u64, target: IndexTarget) -> Self {
        let block = (budget / 8 / threads / BLOCKS_EACH).clamp(BLOCK_MIN, BLOCK_MAX);
        let fixed = FIXED + cache_bytes(target, budget);
        let blocks = fixed + threads * (block * BLOCKS_EACH + EACH);
        let spare = budget.saturating_sub(blocks + SORT_LEAST);
        let longest = (budget / LONGEST_SHARE).min(spare / LONG_TIMES);
        let longest = longest.clamp(BLOCK_MAX, LONGEST_MAX);
        // Blocks of threads have room for shorter ones.
        let long = LONG_TIMES * (longest - BLOCK_MAX);
        Self { budget, threads, target, block, longest, taken: blocks + long }
    }

    /// Returns the bytes of memory that are left for the sort.
    pub fn left(&self) -> u64 {
        self.budget.saturating_sub(self.taken)
    }

    /// Returns the bytes of memory for a long block, the record cut after it, and an entry.
    pub fn long_bytes(&self) -> u64 {
        LONG_TIMES * self.longest
    }

    /// Returns the bytes from which on a block is long.
    pub fn long_from(&self) -> u64 {
        self.block.max(self.longest / LONG_TIMES / self.threads)
    }

    /// Returns the least budget whose scan accepts records of `length` bytes, whose entries have
    /// `entry` bytes; `None` if no budget does.
    pub fn least_for(&self, length: u64, entry: u64) -> Option<ByteSize> {
        let is_enough = |memory: &Self| {
            memory.longest >= length && memory.long_bytes() >= 2 * length.saturating_add(entry)
        };
        (length <= LONGEST_MAX).then(|| self.least(is_enough))
    }

    /// Returns the least budget that leaves `bytes` bytes for the sort.
    pub fn least_leaving(&self, bytes: u64) -> ByteSize {
        self.least(|memory| memory.left() >= bytes)
    }

    /// Returns the least budget in MiB that is more than this one and of which `is_enough` is true.
    fn least(&self, is_enough: impl Fn(&Self) -> bool) -> ByteSize {
        let at = |mib: u64| Self::new(mib * MIB, self.threads, self.target);
        let (mut less, mut step) = (self.budget / MIB, 1);
        while step < 1 << 40 && !is_enough(&at(less + step)) {
            (less, step) = (less + step, 2 * step);
        }
        // Between these, it is enough from some budget on.
        let mut enough = less + step;
        while enough - less > 1 {
            let middle = less.midpoint(enough);
            (less, enough) = if is_enough(&at(middle)) { (less, middle) } else { (middle, enough) };
        }
        ByteSize::mib(enough)
    }
}

#[cfg(test)]
mod tests;
