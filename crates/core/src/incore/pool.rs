//! Memory for buckets: equal chunks of one region, handed out one at a time.
//!
//! Nobody knows how full a bucket will be while blocks still arrive, and fresh memory is the scarcest
//! thing there is: so a bucket is a chain of small chunks, and the pool as a whole needs hardly more
//! room than its items (at most one part-filled chunk per bucket and worker is wasted).
//!
//! A chunk is a link (the number of the chunk before it in its chain, or [`NONE`]) and then items:
//!
//! ```text
//!   | link u64 | item | item | item | ... | unused |
//! ```
//!
//! What must stay true: a chunk is written only by the one [`Dealer`](super::Dealer) that took it, and
//! read only after dealing is over.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::io::Region;

/// No chunk: the end of a chain.
pub const NONE: u32 = u32::MAX;

/// Bytes of a chunk's link. Eight, so that entries behind it are aligned.
const LINK: usize = size_of::<u64>();

/// Bytes of a chunk. Small enough that part-filled ones do not matter (512 buckets on 16 workers waste
/// 8 MiB at most), large enough that taking one (an atomic addition) is rare.
pub const CHUNK: usize = 2048;

/// A region cut into chunks.
#[derive(Debug)]
pub struct Pool {
    /// The memory; reached only through `start` while this is a pool.
    region: Region,
    start: *mut u8,
    /// Chunks in the region.
    total: u32,
    /// Chunks below this number have been handed out at least once.
    used: AtomicU32,
    /// Chunks handed out and given back.
    free: Mutex<Vec<u32>>,
}

// SAFETY: the pool owns its region, and a chunk is handed to one dealer at a time.
unsafe impl Send for Pool {}
// SAFETY: as above; the shared counters are atomic or locked.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool over all of `region`.
    pub fn new(mut region: Region) -> Self {
        assert_eq!(region.address() % LINK, 0, "chunks must be aligned for entries");
        let total = u32::try_from(region.len() / CHUNK).unwrap_or(NONE - 1);
        let start = region.as_mut_ptr();
        Self { region, start, total, used: AtomicU32::new(0), free: Mutex::new(Vec::new()) }
    }

    /// Bytes of a pool that can hold `items` of `item_bytes`, dealt by `workers` into `buckets`, with
    /// room to deal again what falls into too few buckets.
    pub fn bytes_needed(items: u64, item_bytes: usize, buckets: usize, workers: usize) -> u64 {
        let full = items.div_ceil(Self::items_per_chunk(item_bytes) as u64);
        let partial = (buckets * workers) as u64;
        (full + partial + full / 32 + 256) * CHUNK as u64
    }

    /// Items that fit a chunk.
    pub const fn items_per_chunk(item_bytes: usize) -> usize {
        (CHUNK - LINK) / item_bytes
    }

    /// The memory, for other uses, when nothing in it is needed any more.
    pub fn into_region(self) -> Region {
        self.region
    }

    /// Hands out a chunk linked to `previous`; the caller alone may write its items.
    pub(super) fn take(&self, previous: u32) -> u32 {
        let number = self.reuse().unwrap_or_else(|| self.used.fetch_add(1, Ordering::Relaxed));
        assert!(number < self.total, "a pool is made large enough for all its items");
        // SAFETY: the chunk lies inside the region (asserted above) and is aligned (asserted in
        // `new`); it was handed out to this caller alone.
        unsafe { self.start(number).cast::<u64>().write(u64::from(previous)) };
        number
    }

    fn reuse(&self) -> Option<u32> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Takes a chunk back.
    pub(super) fn give_back(&self, chunk: u32) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    /// Where a chunk's items begin.
    pub(super) fn items(&self, chunk: u32) -> *mut u8 {
        self.start(chunk).wrapping_add(LINK)
    }

    /// The chunk before `chunk` in its chain.
    pub(super) fn previous(&self, chunk: u32) -> u32 {
        // SAFETY: `take` wrote a link at the start of every chunk it handed out.
        unsafe { self.start(chunk).cast::<u64>().read() as u32 }
    }

    fn start(&self, chunk: u32) -> *mut u8 {
        assert!(chunk < self.total);
        self.start.wrapping_add(chunk as usize * CHUNK)
    }
}
