//! Memory of a sieve: what duplicates are dropped with while they are read.
//!
//! ```text
//!   load = store (kept records, with their lengths) | pool of entries | table | read buffers
//! ```

use super::memory::Sizes;

/// Inputs smaller than this are sorted as quickly with all their duplicates.
const INPUT_LEAST: u64 = 16 << 20;

/// Largest read request: records are copied out of it while it is in the caches.
const BLOCK_MAX: usize = 1 << 20;

/// Records of the input for each slot of the table. Where nine of ten are duplicates, four in ten
/// slots are used.
const RECORDS_PER_SLOT: u64 = 4;

/// Bytes of a slot.
const SLOT: u64 = 8;

/// Bytes of the length that a kept record goes with.
const LENGTH: u64 = 4;

/// Divisor of the store that gives what may be lost at the ends of shelves.
const SHELVES_SHARE: u64 = 16;

/// Divisors of a load that give two limits: of the table, and of all memory that a sieve needs in
/// addition to the load.
const TABLE_SHARE: usize = 8;
const WHOLE_SHARE: usize = 2;

/// Memory of a sieve, without the load it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SieveMemory {
    /// Bytes of one read request.
    pub block_bytes: usize,
    /// Memory that is read into: blocks in flight.
    pub buffers_bytes: usize,
    /// Memory of the table.
    pub table_bytes: usize,
    /// Memory of the store beyond what records take in a load.
    pub store_extra_bytes: usize,
}

impl SieveMemory {
    /// Returns the memory for an input of `input_bytes`, in a load within `limit` bytes; `None`
    /// where it is not worth it.
    pub fn new(sizes: &Sizes, input_bytes: u64, limit: usize) -> Option<Self> {
        let block_bytes = sizes.block_bytes.min(BLOCK_MAX);
        let expected = input_bytes / sizes.record_length as u64;
        let table = (expected / RECORDS_PER_SLOT).next_power_of_two().saturating_mul(SLOT);
        let most = 1 << (limit / TABLE_SHARE).max(1).ilog2();
        let held_bytes = input_bytes.min(limit as u64);
        let held = held_bytes / sizes.record_length as u64;
        let pages = |bytes: u64| (bytes as usize).next_multiple_of(super::PAGE);
        let memory = Self {
            block_bytes,
            buffers_bytes: block_bytes * sizes.threads * sizes.read_depth,
            table_bytes: pages(table.min(most)),
            store_extra_bytes: pages(held * LENGTH + held_bytes / SHELVES_SHARE),
        };
        let is_worth_it = input_bytes >= INPUT_LEAST;
        (is_worth_it && memory.bytes() <= limit / WHOLE_SHARE).then_some(memory)
    }

    /// Returns the number of bytes of all.
    pub fn bytes(&self) -> usize {
        self.buffers_bytes + self.table_bytes + self.store_extra_bytes
    }
}
