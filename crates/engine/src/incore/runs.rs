//! Sorted runs of entries inside a load: microruns.
//!
//! A load is not dealt into buckets here. Each worker collects the entries of the blocks that it
//! read in an array. When the array is full, the worker sorts it, while the disk reads further
//! blocks, and appends it to its chain of chunks as one run. A loser tree over all runs of the load
//! yields the order later (`merge::EntryMerge`).
//!
//! ```text
//!   blocks, as they arrive        array of a worker          chain of a worker, in the pool
//!
//!   record record record  -->  [ e e e e e e e e ]  --sort-->  | run 0 | run 1 | run 2 | ...
//! ```
//!
//! - psort (Bertasi, Bressan and Peserico, 2008, section 1.1) sorts microruns of the square root of
//!   the number of records by merge sort.
//! - AlphaSort (Nyberg et al., VLDB Journal 1995, section 4) sorts 10 to 100 runs by quicksort.
//!
//! Entries are wide: all of the load shares one key range, of which 24 bits would say too little.
//! A run is sorted as integers while records still arrive, because a tie may need a record of a
//! block that another worker reads. `TiedRuns` orders the ties when the whole load is there.
//!
//! Invariant: a chunk is written by its dealer, then by the one worker that settles the run, and is
//! only read after that.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::bucket::Scratch;
use super::item::{
    Item, LOCATION_MAX, entry, is_whole, location, wide_entry, wide_location, wide_value,
};
use super::method::Method;
use super::pool::{NONE, Pool};
use super::ties;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Entries of a chunk.
const PER_CHUNK: usize = Pool::items_per_chunk(Item::WideEntry.bytes());

/// Time to wait for the runs that other workers settle.
const TURN: Duration = Duration::from_micros(50);

/// Settings of the runs of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSort {
    /// Method that sorts a run.
    pub method: Method,
    /// Entries of a run.
    pub entries: usize,
}

impl RunSort {
    /// Returns the number of bytes of a worker's array, with the spare space that the method needs.
    pub const fn array_bytes(self) -> usize {
        let arrays = match self.method {
            Method::Quicksort => 1,
            Method::Radix | Method::Mergesort => 2,
        };
        arrays * self.entries * size_of::<u128>()
    }
}

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RunEnd {
    /// Entries of the chain up to the end of the run.
    end: usize,
    /// True if keys of the run may differ after what their entries hold.
    is_tied: bool,
}

/// The runs of one worker.
#[derive(Debug)]
pub(super) struct EntryRuns {
    how: RunSort,
    /// Entries of the run that is not full yet.
    array: Vec<u128>,
    spare: Vec<u128>,
    /// Chunks of the chain, first to last.
    chunks: Vec<u32>,
    /// Entries in the chain.
    written: usize,
    ends: Vec<RunEnd>,
}

impl EntryRuns {
    /// Returns a worker without runs.
    pub fn new(how: RunSort) -> Self {
        let (array, spare) = (Vec::new(), Vec::new());
        Self { how, array, spare, chunks: Vec::new(), written: 0, ends: Vec::new() }
    }

    /// Adds an entry, and sorts the run if it is full then.
    #[inline]
    pub fn push(&mut self, entry: u128, pool: &Pool) {
        if self.array.capacity() == 0 {
            self.array.reserve_exact(self.how.entries);
        }
        self.array.push(entry);
        if self.array.len() == self.how.entries {
            self.close_run(pool);
        }
    }

    /// Sorts the entries of the array, and appends them to the chain as a run.
    fn close_run(&mut self, pool: &Pool) {
        if self.array.is_empty() {
            return;
        }
        if self.how.method != Method::Quicksort && self.spare.is_empty() {
            self.spare = vec![0; self.how.entries];
        }
        self.how.method.sort_wide(&mut self.array, &mut self.spare);
        let mut left = &self.array[..];
        while !left.is_empty() {
            let skip = self.written % PER_CHUNK;
            if skip == 0 {
                self.chunks.push(pool.take(self.chunks.last().copied().unwrap_or(NONE)));
            }
            let Some(chunk) = self.chunks.last() else { break };
            let (here, rest) = left.split_at(left.len().min(PER_CHUNK - skip));
            // SAFETY: the chunk has room for `PER_CHUNK` wide entries, lies on whole cache lines,
            // and was handed to this worker alone.
            unsafe {
                let to = pool.items(*chunk).cast::<u128>().add(skip);
                std::ptr::copy_nonoverlapping(here.as_ptr(), to, here.len());
            }
            self.written += here.len();
            left = rest;
        }
        let is_tied = self.array.windows(2).any(|pair| is_tie(pair[0], pair[1]));
        self.ends.push(RunEnd { end: self.written, is_tied });
        self.array.clear();
    }

    /// Sorts the last run, and gives the arrays back: dealing is over.
    pub fn seal(&mut self, pool: &Pool) {
        self.close_run(pool);
        (self.array, self.spare) = (Vec::new(), Vec::new());
    }

    /// Returns the runs.
    pub fn runs<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = (EntryRun<'a>, bool)> {
        let begins = [0].into_iter().chain(self.ends.iter().map(|run| run.end));
        begins.zip(&self.ends).map(move |(begin, run)| {
            let range = begin..run.end;
            assert!(range.end <= self.written);
            (EntryRun { pool, chunks: &self.chunks, range }, run.is_tied)
        })
    }
}

/// Returns whether two entries say the same of keys that may still differ.
fn is_tie(a: u128, b: u128) -> bool {
    wide_value(a) == wide_value(b) && !is_whole(wide_value(a))
}

/// A sorted run: a range of a worker's chain.
#[derive(Clone, Debug)]
pub struct EntryRun<'a> {
    pool: &'a Pool,
    chunks: &'a [u32],
    range: Range<usize>,
}

impl EntryRun<'_> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Returns the place of an entry in memory.
    #[inline]
    fn place(&self, index: usize) -> *mut u128 {
        let at = self.range.start + index;
        assert!(at < self.range.end);
        self.pool.items(self.chunks[at / PER_CHUNK]).cast::<u128>().wrapping_add(at % PER_CHUNK)
    }

    /// Returns an entry.
    #[inline]
    pub fn get(&self, index: usize) -> u128 {
        // SAFETY: the entry is in the range of a run (asserted in `place`), which `close_run`
        // wrote. Nobody writes to it at the same time (invariant of this module).
        unsafe { self.place(index).read() }
    }

    /// Returns the run without its first `count` entries.
    #[must_use]
    pub fn after(mut self, count: usize) -> Self {
        self.range.start = self.range.end.min(self.range.start + count);
        self
    }

    /// Returns the number of entries at the start for which `is_before` is true.
    pub fn partition_point(&self, mut is_before: impl FnMut(u128) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.get(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Puts each group of ties in the order of keys and locations.
    fn settle<K: KeyEncoder>(
        &self,
        word: usize,
        key: &K,
        records: &Records<'_>,
        scratch: &mut Scratch,
    ) {
        let (wide, group, ..) = scratch.parts();
        let mut begun = 0;
        while begun < self.len() {
            let first = self.get(begun);
            let mut end = begun + 1;
            while end < self.len() && is_tie(first, self.get(end)) {
                end += 1;
            }
            if end - begun > 1 {
                let group = &mut group[..end - begun];
                for (place, slot) in group.iter_mut().enumerate() {
                    *slot = entry(0, wide_location(self.get(begun + place)));
                }
                ties::order(group, word, key, records, wide, 0);
                for (place, slot) in group.iter().enumerate() {
                    let settled = wide_entry(wide_value(first), location(*slot));
                    // SAFETY: as in `get`; and this worker alone has claimed the run.
                    unsafe { self.place(begun + place).write(settled) };
                }
            }
            begun = end;
        }
    }
}

/// The runs of a load whose ties are not settled yet. All workers share the work.
#[derive(Debug, Default)]
pub(super) struct TiedRuns {
    /// Next run to look at.
    next: AtomicUsize,
    /// Runs that are done with.
    done: AtomicUsize,
}

/// Counts a run as done, also after a panic: the others must not wait for it.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

impl TiedRuns {
    /// Settles runs that no other worker has claimed, and waits until all of `runs` are settled.
    /// `word` is the first word of keys that entries hold.
    pub fn settle<K: KeyEncoder>(
        &self,
        runs: &[(EntryRun<'_>, bool)],
        key: &K,
        word: usize,
        records: &Records<'_>,
        scratch: &mut Scratch,
    ) {
        loop {
            let claimed = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((run, is_tied)) = runs.get(claimed) else { break };
            let done = Done(&self.done);
            if *is_tied {
                run.settle(word, key, records, scratch);
            }
            drop(done);
        }
        while self.done.load(Ordering::Acquire) < runs.len() {
            std::thread::sleep(TURN);
        }
    }
}

/// One run while it is merged.
#[derive(Debug)]
pub struct EntryCursor<'a> {
    run: EntryRun<'a>,
    /// The next entry, if there is one.
    entry: Option<u128>,
    /// Place of the entry in its run.
    index: usize,
    records: &'a Records<'a>,
}

impl<'a> EntryCursor<'a> {
    /// Returns a run at its first entry.
    pub fn new(run: EntryRun<'a>, records: &'a Records<'a>) -> Self {
        let entry = (!run.is_empty()).then(|| run.get(0));
        Self { run, entry, index: 0, records }
    }

    /// Returns the next record, if there is one.
    pub fn record(&self) -> Option<&[u8]> {
        self.entry.map(|entry| self.records.get(wide_location(entry)))
    }

    /// Returns an integer that orders the next entry among those of other runs. Entries that tie
    /// have the same, and an exhausted run has the largest.
    #[inline]
    pub fn prefix(&self) -> u128 {
        match self.entry {
            Some(entry) if is_whole(wide_value(entry)) => entry,
            Some(entry) => entry & !u128::from(LOCATION_MAX),
            None => u128::MAX,
        }
    }

    /// Returns the place of the next record in the input.
    pub fn location(&self) -> u64 {
        self.entry.map_or(u64::MAX, wide_location)
    }

    /// Returns the location of the next record, and moves on.
    #[inline]
    pub fn take(&mut self) -> Option<u64> {
        let taken = self.entry?;
        self.index += 1;
        self.entry = (self.index < self.run.len()).then(|| self.run.get(self.index));
        Some(wide_location(taken))
    }
}
