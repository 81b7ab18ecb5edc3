//! Lines without their copies as an intake: blocks are read into a few buffers used again and
//! again, and each line that was not there before is copied to a store, and dealt.
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

use super::crew::cut;
use super::dealing::{Dealers, Dealing};
use super::edges::{EdgePieces, Edges};
use super::entry_room::EntryRoom;
use super::generate::IntakeCounts;
use super::intake::{Intake, ReadyLoad, sum_in};
use super::reading::record_ends;
use super::sample::{ComingLoad, Sampler};
use super::stage::{Claim, Fill, TURN, Worker};
use super::{JobInput, Work, reading};
use crate::error::Result;
use crate::incore::{Pool, SHELF, Shelf, Sieve};
use crate::io::{Completion, File, Region};
use crate::key::KeyEncoder;
use crate::load::{Cutter, LoadSpan};
use crate::plan::SieveMemory;
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

/// Lines of files on their way into memory, each once.
pub struct SieveIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    files: &'a [Arc<File>],
    terminator: u8,
    memory: SieveMemory,
    sampler: Sampler,
    /// Input left to read, while no load is being filled.
    source: Option<SieveSource>,
    /// Average bytes of a line, as far as they are known.
    average: usize,
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
    /// True if a load was begun: the first gets all memory, as it is the only one most often.
    has_begun: bool,
    is_unsuited: bool,
}

impl<'a, K: KeyEncoder> SieveIntake<'a, K> {
    /// Returns an intake at the start of the input.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, memory: SieveMemory) -> Result<Self> {
        let (JobInput::Files(files), Some(terminator)) = (&work.input, work.framing.terminator())
        else {
            unreachable!("only lines of files are sifted")
        };
        Ok(Self {
            work,
            how,
            files,
            terminator,
            memory,
            sampler: Sampler::new(work)?,
            source: Some(SieveSource::new(Cutter::new(
                work.sources(),
                work.framing,
                memory.block_bytes,
            ))),
            average: work.record_length,
            unused: None,
            has_begun: false,
            is_unsuited: false,
        })
    }

    /// Returns the memory of the sieve and the bytes of the store and the pool, for a load of the
    /// bytes that are left within `limit` bytes.
    fn divide(&self, limit: usize, left_bytes: u64) -> (SieveMemory, usize, usize) {
        let plan = &self.work.plan;
        let (sieve, load) = if plan.is_one_pass() {
            (self.memory, plan.load)
        } else {
            let sizes = plan.sizes.of_lines(self.average, self.how.sort.buckets_max);
            let sieve = SieveMemory::new(&sizes, left_bytes, limit).unwrap_or(self.memory);
            (sieve, sizes.load_within(limit - sieve.bytes()))
        };
        (sieve, load.read_bytes + sieve.store_extra_bytes, load.pool_bytes)
    }
}

impl<'a, K: KeyEncoder> Intake for SieveIntake<'a, K> {
    type Raw = RawSieve<'a, K>;

    fn is_over(&self) -> bool {
        self.source.as_ref().is_none_or(|source| source.cutter.is_over())
    }

    fn begin(&mut self, mut memory: Region, _: Option<&[u8]>) -> Result<Self::Raw> {
        let Some(mut source) = self.source.take() else { unreachable!("one load at a time") };
        let left = source.cutter.bytes_left();
        let (sieve, store_bytes, pool_bytes) = self.divide(memory.len(), left);
        // How far the load will reach is not known: it may be all.
        let sort = &self.how.sort;
        let wanted = sort.buckets_wanted(store_bytes, self.average);
        let load = ComingLoad { files: self.files, left: source.cutter.left(), bytes: left };
        let classifier = self.sampler.classifier(sort, load, wanted)?;
        let store = cut(&mut memory, store_bytes);
        let pool = Pool::new(cut(&mut memory, pool_bytes));
        let table = cut(&mut memory, sieve.table_bytes);
        let (block, workers) = (sieve.block_bytes, self.work.plan.threads);
        let blocks = sieve.buffers_bytes / block;
        source.buffers = (0..blocks).map(|_| cut(&mut memory, block)).collect();
        (self.unused, self.has_begun) = (Some(memory), true);
        let room = sort.room(&pool, workers);
        Ok(RawSieve {
            how: self.how,
            files: self.files,
            terminator: self.terminator,
            block,
            block_lines: block / self.average + 1,
            before: source.sifted,
            source: Mutex::new(source),
            sieve: Sieve::new(table, store),
            dealers: Dealers::new(self.how, pool, Some(classifier), workers),
            shelves: (0..workers).map(|_| Mutex::default()).collect(),
            room: EntryRoom::new(room, workers),
            is_unsuited: AtomicBool::new(false),
        })
    }

    fn needs_all(&self) -> bool {
        !self.has_begun
    }

    fn is_unsuited(&self) -> bool {
        self.is_unsuited
    }

    fn refuse_long(&mut self, _: &ReadyLoad, _: u64, _: u64) -> Result<()> {
        self.is_unsuited = true;
        Ok(())
    }

    fn finish(
        &mut self,
        raw: Self::Raw,
        workers: &mut [Worker<'_>],
        before: Sum,
    ) -> Result<ReadyLoad> {
        let RawSieve { how, source, before: earlier, sieve, dealers, is_unsuited, .. } = raw;
        let (classifier, _, mut dealers) = dealers.finish();
        dealers.iter_mut().for_each(|dealer| dealer.mark(u64::MAX));
        let (table, store) = sieve.into_regions();
        let load = how.sort.finish(Some(store), &classifier, dealers);
        let mut source = source.into_inner().unwrap_or_else(PoisonError::into_inner);
        let dropped_sum = source.sifted.dropped_sum.less(earlier.dropped_sum);
        let mut spare = std::mem::take(&mut source.buffers);
        spare.push(table);
        spare.extend(self.unused.take());
        let sum = sum_in(workers).less(before).less(dropped_sum);
        // They go no further than here, each the same as one that does.
        workers[0].sum_out.add(dropped_sum);
        if load.records() > 0 {
            self.average = (load.bytes() / load.records()).max(1) as usize;
        }
        let dropped = source.sifted.dropped.less(earlier.dropped);
        self.source = Some(source);
        let is_unfinished = self.work.plan.is_one_pass() && !self.is_over();
        self.is_unsuited = is_unsuited.into_inner() || is_unfinished;
        let mut ready = ReadyLoad::new(load, sum, spare);
        ready.taken.add(dropped);
        Ok(ready)
    }
}

/// Input still to be read, and the lines between the blocks already read.
#[derive(Debug)]
struct SieveSource {
    cutter: Cutter,
    edges: Edges,
    /// Blocks claimed, of all loads.
    claimed: usize,
    /// Blocks being read.
    reading: BTreeMap<usize, LoadSpan>,
    /// Number of blocks that have not been dealt yet.
    pending: usize,
    /// Buffers of the load being filled that are not in use.
    buffers: Vec<Region>,
    /// Lines of all loads.
    sifted: SiftedLines,
    /// Number of bytes after which the sieve checks for copies.
    trial_bytes: u64,
}

impl SieveSource {
    /// Returns all that `cutter` cuts.
    fn new(cutter: Cutter) -> Self {
        let bytes = cutter.bytes_left();
        Self {
            cutter,
            edges: Edges::default(),
            claimed: 0,
            reading: BTreeMap::new(),
            pending: 0,
            buffers: Vec::new(),
            sifted: SiftedLines::default(),
            trial_bytes: TRIAL_LEAST.max(bytes / TRIAL_SHARE),
        }
    }

    /// Returns whether a block that has been dealt was worth it. That is asked once there is enough
    /// to tell.
    fn is_worth_it(&mut self) -> bool {
        let SiftedLines { taken, dropped, .. } = self.sifted;
        if taken.bytes < self.trial_bytes {
            return true;
        }
        self.trial_bytes = u64::MAX;
        dropped.records >= taken.records / COPIES_SHARE
    }
}

/// Counts of lines that were sifted.
#[derive(Clone, Copy, Debug, Default)]
struct SiftedLines {
    /// All of them.
    taken: IntakeCounts,
    /// Lines that were dropped, and their sum.
    dropped: IntakeCounts,
    dropped_sum: Sum,
}

impl SiftedLines {
    fn add(&mut self, other: Self) {
        self.taken.add(other.taken);
        self.dropped.add(other.dropped);
        self.dropped_sum.add(other.dropped_sum);
    }
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
    source: Mutex<SieveSource>,
    /// Lines of the loads before.
    before: SiftedLines,
    sieve: Sieve,
    dealers: Dealers<'a, K>,
    shelves: Vec<Mutex<Shelf>>,
    room: EntryRoom,
    is_unsuited: AtomicBool,
}

impl<K: KeyEncoder> RawSieve<'_, K> {
    fn source(&self) -> MutexGuard<'_, SieveSource> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there is room for one more block, after those that are pending.
    fn has_room(&self, pending: usize) -> bool {
        let blocks = pending + 1;
        let store = blocks * STORE_TIMES * self.block + self.shelves.len() * SHELF;
        self.sieve.room() >= store
            && self.room.left() >= (blocks * LINES_TIMES * self.block_lines) as u64
    }

    /// Deals what is new of the lines of a block, and of those that lie across its ends.
    fn deal(&self, worker: &mut Worker<'_>, number: usize, block: &[u8], is_end: bool) {
        let ends = record_ends(self.how.sort.framing, block, 0);
        let (first, last) = ends.unwrap_or((block.len(), block.len()));
        let lines = &block[first..last];
        if first.max(block.len() - last) > EDGE_MAX {
            return self.is_unsuited.store(true, Ordering::Relaxed);
        }
        let tail = ends.map(|_| block[last..].to_vec());
        let piece = EdgePieces { head: block[..first].to_vec(), tail, is_end };
        let (joined, is_long) = {
            let edges = &mut self.source().edges;
            (edges.join(number, piece, self.terminator), edges.open_bytes() > EDGE_MAX)
        };
        let mut sifted = self.pass(worker, lines);
        sifted.add(self.pass(worker, &joined));
        let mut source = self.source();
        source.sifted.add(sifted);
        source.pending -= 1;
        if is_long || !source.is_worth_it() {
            self.is_unsuited.store(true, Ordering::Relaxed);
        }
    }

    /// Deals the new ones of whole lines, and counts them all.
    fn pass(&self, worker: &mut Worker<'_>, lines: &[u8]) -> SiftedLines {
        let (sort, verify) = (&self.how.sort, self.how.verify);
        let mut sifted = SiftedLines::default();
        let Some(admitted) = self.room.admit(sort.framing, lines) else {
            self.is_unsuited.store(true, Ordering::Relaxed);
            return sifted;
        };
        let SiftedLines { taken, dropped, dropped_sum } = &mut sifted;
        let shelf = self.shelves[worker.number].lock();
        let shelf = &mut *shelf.unwrap_or_else(PoisonError::into_inner);
        let passed = self.dealers.with(worker.number, |dealer, classifier| {
            let mut begun = 0;
            let cut = memchr_iter(self.terminator, lines).map(|at| {
                let line = &lines[begun..=at];
                begun = at + 1;
                line
            });
            self.sieve.sift(shelf, cut, |line, hash, place| {
                taken.records += 1;
                if verify {
                    worker.sum_in.add_hashed(hash);
                }
                if let Some(location) = place {
                    return dealer.deal_item(classifier, sort.key, line, location);
                }
                dropped.add(IntakeCounts { records: 1, bytes: line.len() as u64, ragged: 0 });
                if verify {
                    dropped_sum.add_hashed(hash);
                }
            })
        });
        if passed.is_err() {
            self.is_unsuited.store(true, Ordering::Relaxed);
        }
        taken.bytes = lines.len() as u64;
        self.room.give_back(admitted - (taken.records - dropped.records));
        sifted
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
        let Some(region) = source.buffers.pop() else { return Ok(Claim::Later) };
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
        self.source().buffers.push(region);
        Ok(true)
    }

    fn wait_turn(&self) {
        std::thread::sleep(TURN);
    }
}
