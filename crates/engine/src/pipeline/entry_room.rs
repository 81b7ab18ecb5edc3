//! Room for entries, where it is not known before a block is read how many records it holds.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::Framing;

/// Number of blocks of the shortest records. While each worker has room for them, blocks are
/// admitted uncounted.
const AMPLE_BLOCKS: u64 = 4;

/// Records that still have room for an entry.
#[derive(Debug)]
pub struct EntryRoom {
    left: AtomicU64,
    workers: u64,
}

impl EntryRoom {
    /// Returns room for `entries` entries, which `workers` workers take from.
    pub fn new(entries: u64, workers: usize) -> Self {
        Self { left: AtomicU64::new(entries), workers: workers as u64 }
    }

    /// Entries that there is room for.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes room for the records in `block`, and returns how much was taken, if there was enough.
    /// Unneeded room is [given back](Self::give_back).
    pub fn admit(&self, framing: Framing, block: &[u8]) -> Option<u64> {
        let take = |records: u64| {
            let less = |left: u64| left.checked_sub(records);
            let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            taken.is_ok().then_some(records)
        };
        // Counting is spared while all workers have room for the most records a block can hold.
        let most = (block.len() / framing.least_length()) as u64;
        let is_ample = self.left() >= AMPLE_BLOCKS * self.workers * most;
        take(if is_ample { most } else { framing.count(block) as u64 })
    }

    /// Gives back room that was taken and not needed.
    pub fn give_back(&self, entries: u64) {
        self.left.fetch_add(entries, Ordering::Relaxed);
    }
}
