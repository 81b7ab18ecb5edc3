//! Memory for buckets: equal chunks of one region, handed out one at a time.
//!
//! Nobody knows how full a bucket will be while blocks still arrive, and fresh memory is the
//! scarcest thing there is: so a bucket is a chain of small chunks, and the pool as a whole needs
//! hardly more room than its items (at most one part-filled chunk per bucket and worker is wasted).
//!
//! A chunk is all items; which chunk comes before it in its chain stands in a table of links at the
//! start of the region, so that items lie on whole cache lines:
//!
//! ```text
//!   | link of chunk 0 | link of chunk 1 | ... | pad |  chunk 0  |  chunk 1  | ... |
//! ```
//!
//! Invariant: a chunk is written only by the one [`Dealer`](super::Dealer) that took it,
//! and read only after dealing is over.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::io::Region;

/// No chunk: the end of a chain.
pub const NONE: u32 = u32::MAX;

/// Bytes of a link.
const LINK: usize = size_of::<u32>();

/// Alignment of chunks: a cache line.
pub const LINE: usize = 128;

/// Bytes of a chunk. Small enough that part-filled ones do not matter (512 buckets on 16 workers
/// waste 16 MiB at most), large enough that taking one (an atomic addition) is rare.
pub const CHUNK: usize = 2048;

/// A region cut into chunks.
#[derive(Debug)]
pub struct Pool {
    /// The memory; reached only through `start` while this is a pool.
    region: Region,
    start: *mut u8,
    /// Bytes of the table of links: where chunk 0 begins.
    links: usize,
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
    /// Returns a pool over all of `region`.
    pub fn new(mut region: Region) -> Self {
        assert_eq!(region.address() % LINE, 0, "chunks lie on whole cache lines");
        let total = (region.len() / (CHUNK + LINK)).saturating_sub(1).min(NONE as usize - 1);
        let links = (total * LINK).next_multiple_of(LINE);
        let start = region.as_mut_ptr();
        let (used, free) = (AtomicU32::new(0), Mutex::default());
        Self { region, start, links, total: total as u32, used, free }
    }

    /// Returns the number of bytes of a pool that can hold `items` of `item_bytes`, dealt by
    /// `workers` into `buckets`, with room to deal again what falls into too few buckets.
    pub fn bytes_needed(items: u64, item_bytes: usize, buckets: usize, workers: usize) -> u64 {
        let full = items.div_ceil(Self::items_per_chunk(item_bytes) as u64);
        let partial = (buckets as u64 * workers as u64).min(items);
        (full + partial + full / 32 + 256) * (CHUNK + LINK) as u64
    }

    /// Items that are sure to find room, dealt by `workers` into `buckets`; the counterpart of
    /// [`bytes_needed`](Self::bytes_needed).
    pub fn capacity(&self, item_bytes: usize, buckets: usize, workers: usize) -> u64 {
        let total = u64::from(self.total);
        let partial = buckets as u64 * workers as u64 + total / 32 + 256;
        let full = total.saturating_sub(partial) * Self::items_per_chunk(item_bytes) as u64;
        // However they fall, no item takes more than a chunk; and some may be dealt again.
        full.max(total / 2)
    }

    /// Chunks that can still be handed out.
    pub(super) fn available(&self) -> u64 {
        let unused = self.total.saturating_sub(self.used.load(Ordering::Relaxed));
        u64::from(unused) + self.free.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    /// Items that fit a chunk.
    pub const fn items_per_chunk(item_bytes: usize) -> usize {
        CHUNK / item_bytes
    }

    /// Returns the memory, for other uses, when nothing in it is needed any more.
    pub fn into_region(self) -> Region {
        self.region
    }

    /// Hands out a chunk linked to `previous`; the caller alone may write its items.
    pub(super) fn take(&self, previous: u32) -> u32 {
        let number = self.reuse().unwrap_or_else(|| self.used.fetch_add(1, Ordering::Relaxed));
        assert!(number < self.total, "a pool is made large enough for all its items");
        // SAFETY: the table has a link for each chunk below `total` (asserted above), and the chunk
        // was handed out to this caller alone.
        unsafe { self.start.cast::<u32>().add(number as usize).write(previous) };
        number
    }

    fn reuse(&self) -> Option<u32> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Takes a chunk back.
    pub(super) fn give_back(&self, chunk: u32) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    /// Returns where a chunk's items begin.
    pub(super) fn items(&self, chunk: u32) -> *mut u8 {
        assert!(chunk < self.total);
        self.start.wrapping_add(self.links + chunk as usize * CHUNK)
    }

    /// Returns the chunk before `chunk` in its chain.
    pub(super) fn previous(&self, chunk: u32) -> u32 {
        assert!(chunk < self.total);
        // SAFETY: `take` wrote the link of every chunk it handed out.
        unsafe { self.start.cast::<u32>().add(chunk as usize).read() }
    }
}
