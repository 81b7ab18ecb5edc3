//! Filling a load with lines of which copies are dropped on the way: blocks are read into a few
//! buffers used again and again, and each line that was not there before is copied to a store, and
//! dealt.
//!
//! ```text
//!     files -- blocks in flight --> buffers -- lines --> sieve -- new ones --> store, buckets
//!                  ^                   |                   '----- copies ----> counted, dropped
//!                  '-------------------'
//! ```
//!
//! A load ends when its store is full, or the input is over: most often the latter. The sieve is
//! *unsuited* where lines do not repeat, or are so long that what blocks leave at their ends would
//! need memory of its own; the input is read again then, without it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memchr_iter;

use super::dealing::{Dealers, Dealing};
use super::edges::{Edges, Piece};
use super::entry_room::EntryRoom;
use super::generate::Taken;
use super::raw_load::record_ends;
use super::reading;
use super::stage::{Claim, Fill, TURN, Worker};
use crate::error::Result;
use crate::incore::{Classifier, KeyedLoad, Pool, SHELF, Shelf, Sieve};
use crate::io::{Completion, File, Region};
use crate::key::KeyEncoder;
use crate::load::{Cutter, Loaded, Span};
use crate::proof::Sum;

/// Bytes of a line across blocks, at most.
const EDGE_MAX: usize = 64 << 10;

/// Divisor of the lines that gives the least number of copies for the sieve to continue. It counts
/// when the trial bytes of the input, or the trial share of it, have been read. Where all lines are
/// equally frequent, half of all are copies then.
const COPIES_SHARE: u64 = 32;
const TRIAL_LEAST: u64 = 32 << 20;
const TRIAL_SHARE: u64 = 32;

/// Largest part of the store for a block, as a multiple of its bytes. With more, the sieve is
/// unsuited: short lines that are not copies take more.
const STORE_TIMES: usize = 2;

/// Largest number of lines of a block, as a multiple of the average.
const LINES_TIMES: usize = 4;

/// Input still to be read, and the lines between the blocks already read.
#[derive(Debug)]
pub struct Source {
    cutter: Cutter,
    edges: Edges,
    /// Blocks claimed, of all loads.
    claimed: usize,
    /// Blocks being read.
    reading: BTreeMap<usize, Span>,
    /// Number of blocks that have not been dealt yet.
    pending: usize,
    /// Lines taken in, and those of them that were dropped.
    taken: Taken,
    dropped: Taken,
    /// Number of bytes after which the sieve checks for copies.
    trial_bytes: u64,
}

impl Source {
    /// Returns all that `cutter` cuts.
    pub fn new(cutter: Cutter) -> Self {
        let bytes = cutter.bytes_left();
        Self {
            cutter,
            edges: Edges::default(),
            claimed: 0,
            reading: BTreeMap::new(),
            pending: 0,
            taken: Taken::default(),
            dropped: Taken::default(),
            trial_bytes: TRIAL_LEAST.max(bytes / TRIAL_SHARE),
        }
    }

    /// Returns what no load has claimed yet.
    pub fn cutter(&self) -> &Cutter {
        &self.cutter
    }

    /// Returns whether a block that has been dealt was worth it. That is asked once there is enough
    /// to tell.
    fn is_worth_it(&mut self) -> bool {
        if self.taken.bytes < self.trial_bytes {
            return true;
        }
        self.trial_bytes = u64::MAX;
        self.dropped.records >= self.taken.records / COPIES_SHARE
    }
}

/// Records that one worker has sifted.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Sifted {
    shelf: Shelf,
    dropped: Taken,
    /// Of what was dropped.
    sum: Sum,
}

/// A load of lines without copies on its way into memory.
#[derive(Debug)]
pub struct RawSieve<'a, K> {
    how: &'a Dealing<'a, K>,
    files: &'a [Arc<File>],
    terminator: u8,
    block: usize,
    /// Lines that a block is expected to have.
    block_lines: usize,
    source: Mutex<Source>,
    buffers: Mutex<Vec<Region>>,
    sieve: Sieve,
    dealers: Dealers,
    each: Vec<Mutex<Sifted>>,
    room: EntryRoom,
    is_unsuited: AtomicBool,
}

/// Memory of such a load.
#[derive(Debug)]
pub struct SieveLoad {
    /// Kept records.
    pub store: Region,
    /// Memory that buckets are made of.
    pub pool: Region,
    /// Hashes of kept records.
    pub table: Region,
    /// Memory that blocks are read into, one region a block.
    pub buffers: Vec<Region>,
}

/// A load of lines without copies in buckets.
#[derive(Debug)]
pub struct FilledSieve {
    /// The load.
    pub load: KeyedLoad,
    /// The pool its buckets lie in.
    pub pool: Arc<Pool>,
    /// The rest of its memory.
    pub spare: Vec<Region>,
    /// Input left to read.
    pub source: Source,
    /// Records that were dropped, and their sum.
    pub dropped: (Taken, Sum),
    /// True if the input has to be read again without a sieve.
    pub is_unsuited: bool,
}

impl<'a, K: KeyEncoder> RawSieve<'a, K> {
    /// Returns a load with nothing read yet, of lines that have `average` bytes on average.
    pub fn new(
        how: &'a Dealing<'a, K>,
        (files, terminator): (&'a [Arc<File>], u8),
        (source, classifier, average): (Source, Classifier, usize),
        SieveLoad { store, pool, table, buffers }: SieveLoad,
        workers: usize,
    ) -> Self {
        let block = buffers.first().map_or(0, |buffer| buffer.len());
        let pool = Pool::new(pool);
        let room = pool.capacity(how.item.bytes(), how.buckets_max, workers);
        Self {
            how,
            files,
            terminator,
            block,
            block_lines: block / average.max(1) + 1,
            source: Mutex::new(source),
            buffers: Mutex::new(buffers),
            sieve: Sieve::new(table, store),
            dealers: Dealers::new(how.item, pool, Some(classifier), workers),
            each: (0..workers).map(|_| Mutex::default()).collect(),
            room: EntryRoom::new(room, workers),
            is_unsuited: AtomicBool::new(false),
        }
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn buffers(&self) -> MutexGuard<'_, Vec<Region>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there is room for one more block, after those that are pending.
    fn has_room(&self, pending: usize) -> bool {
        let blocks = pending + 1;
        let store = blocks * STORE_TIMES * self.block + self.each.len() * SHELF;
        self.sieve.room() >= store
            && self.room.left() >= (blocks * LINES_TIMES * self.block_lines) as u64
    }

    /// Deals what is new of the lines of a block, and of those that lie across its ends.
    fn deal(&self, worker: &mut Worker<'_>, number: usize, block: &[u8], is_end: bool) {
        let ends = record_ends(self.how.framing, block, 0);
        let (first, last) = ends.unwrap_or((block.len(), block.len()));
        let lines = &block[first..last];
        if first.max(block.len() - last) > EDGE_MAX {
            return self.is_unsuited.store(true, Ordering::Relaxed);
        }
        let tail = ends.map(|_| block[last..].to_vec());
        let piece = Piece { head: block[..first].to_vec(), tail, is_end };
        let (joined, is_long) = {
            let edges = &mut self.source().edges;
            (edges.join(number, piece, self.terminator), edges.open_bytes() > EDGE_MAX)
        };
        let (mut taken, mut dropped) = self.pass(worker, lines);
        for line in &joined {
            let (one, copy) = self.pass(worker, line);
            taken.add(one);
            dropped.add(copy);
        }
        let mut source = self.source();
        source.taken.add(taken);
        source.dropped.add(dropped);
        source.pending -= 1;
        if is_long || !source.is_worth_it() {
            self.is_unsuited.store(true, Ordering::Relaxed);
        }
    }

    /// Deals the new ones of whole lines. Returns the counts of all lines, and of those dropped.
    fn pass(&self, worker: &mut Worker<'_>, lines: &[u8]) -> (Taken, Taken) {
        let Dealing { key, framing, verify, .. } = *self.how;
        let Some(admitted) = self.room.admit(framing, lines) else {
            self.is_unsuited.store(true, Ordering::Relaxed);
            return Default::default();
        };
        let mut sifted = self.each[worker.number].lock().unwrap_or_else(PoisonError::into_inner);
        let Sifted { shelf, dropped, sum } = &mut *sifted;
        let before = *dropped;
        let mut records = 0;
        let passed = self.dealers.with(worker.number, |dealer, classifier| {
            let mut begun = 0;
            let cut = memchr_iter(self.terminator, lines).map(|at| {
                let line = &lines[begun..=at];
                begun = at + 1;
                line
            });
            self.sieve.sift(shelf, cut, |line, hash, place| {
                records += 1;
                if verify {
                    worker.sum_in.add_hashed(hash);
                }
                if let Some(location) = place {
                    return dealer.deal_item(classifier, key, (line, location));
                }
                dropped.add(Taken { records: 1, bytes: line.len() as u64, ragged: 0 });
                if verify {
                    sum.add_hashed(hash);
                }
            })
        });
        if passed.is_err() {
            self.is_unsuited.store(true, Ordering::Relaxed);
        }
        let dropped = dropped.less(before);
        self.room.give_back(admitted - (records - dropped.records));
        (Taken { records, bytes: lines.len() as u64, ragged: 0 }, dropped)
    }

    /// Returns the load with all its buckets, once everything has been read.
    pub fn finish(self) -> FilledSieve {
        let Self { how, source, buffers, sieve, dealers, each, is_unsuited, .. } = self;
        let (classifier, pool, mut dealers) = dealers.finish();
        dealers.iter_mut().for_each(|dealer| dealer.mark(u64::MAX));
        let (table, store) = sieve.into_regions();
        let loaded = Loaded { region: Some(store), framing: how.framing };
        let load = KeyedLoad::new(how.key, (loaded, how.bucket_records), &classifier, dealers);
        let mut dropped = (Taken::default(), Sum::default());
        for sifted in each {
            let sifted = sifted.into_inner().unwrap_or_else(PoisonError::into_inner);
            dropped.0.add(sifted.dropped);
            dropped.1.add(sifted.sum);
        }
        let mut spare = buffers.into_inner().unwrap_or_else(PoisonError::into_inner);
        spare.push(table);
        FilledSieve {
            load,
            pool,
            spare,
            source: source.into_inner().unwrap_or_else(PoisonError::into_inner),
            dropped,
            is_unsuited: is_unsuited.into_inner(),
        }
    }
}

impl<K: KeyEncoder> Fill for RawSieve<'_, K> {
    fn claim(&self, _: &mut Worker<'_>) -> Result<Claim> {
        if self.is_unsuited.load(Ordering::Relaxed) {
            return Ok(Claim::Exhausted);
        }
        let mut source = self.source();
        if !self.has_room(source.pending) {
            // What is pending may turn out to need less.
            return Ok(if source.pending > 0 { Claim::Later } else { Claim::Exhausted });
        }
        if source.cutter.is_over() {
            return Ok(Claim::Exhausted);
        }
        let Some(region) = self.buffers().pop() else { return Ok(Claim::Later) };
        let Some(span) = source.cutter.next_span(region.len(), 0) else {
            unreachable!("a buffer has room for a page, and there is more")
        };
        let number = source.claimed;
        source.claimed += 1;
        source.pending += 1;
        source.reading.insert(number, span);
        Ok(Claim::Read(reading::request(self.files, &span, region, number)))
    }

    fn arrived(&self, worker: &mut Worker<'_>, completion: Completion) -> Result<bool> {
        let number = completion.request.tag as usize;
        let Some(span) = self.source().reading.remove(&number) else {
            unreachable!("what arrives was claimed")
        };
        let region = reading::arrived(completion, &span)?;
        if !self.is_unsuited.load(Ordering::Relaxed) {
            self.deal(worker, number, &region[span.skip..span.wanted], span.is_end);
        }
        self.buffers().push(region);
        Ok(true)
    }

    fn wait_turn(&self) {
        std::thread::sleep(TURN);
    }
}
