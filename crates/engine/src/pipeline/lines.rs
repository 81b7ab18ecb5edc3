//! Filling a load with records that differ in length: blocks are read to their places and dealt as
//! they arrive. Lines they are called here, whatever tells one from the next.
//!
//! Whoever takes in a block finds its line ends and deals the lines that lie in it whole. The ends
//! of blocks are left over, one line for each; they are dealt when the whole load is there:
//!
//! ```text
//!   | carried | block 0           | block 1            | block 2    |
//!      aaaaaaaaaa¶bbbbb¶ccc¶dddddddddd¶eeee¶ffffffffffffffffffffff¶ggg
//!                |_________|          |____|                     |
//!                  dealt on arrival                              carried to the next load
//! ```
//!
//! How many lines a block holds is not known before it is read, and the memory for their entries is
//! bounded. Blocks are admitted by their number of lines; where that passes the bound, the load is
//! *crowded*: nothing more is dealt on arrival, and in the end as much of it as there is room for
//! is dealt from the start, the rest being carried.
//!
//! Records that must not be are told when everything before them has been looked at: the first of a
//! load is the one that is complained of, whoever came upon another.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::{memchr, memrchr};

use super::chain::{Chain, Ready};
use super::dealers::{Dealers, LoadAccount};
use super::dealing::Dealing;
use super::entry_room::EntryRoom;
use super::gate::{FirstFault, Gate, Passed};
use super::sample;
use super::stage::{Claim, Fill, Worker};
use super::{Input, Stream, reading};
use crate::error::Result;
use crate::format::{Ends, Framing, RecordFault};
use crate::incore::{Classifier, Dealer, KeyedLoad, Pool};
use crate::io::{Completion, Operation, Region, Request};
use crate::key::{CutRecord, KeyEncoder, KeyTally, KnownWord};
use crate::load::Loaded;
use crate::load::lines::{LineLayout, LineSpan};
use crate::proof::Sum;
use crate::stats;

/// Contents of a span, as places in the load.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Places after the first line end in it and after the last; `None` where it holds no line end.
    ends: Option<(usize, usize)>,
    /// End of its data.
    end: usize,
}

/// A load of lines on its way into memory.
#[derive(Debug)]
pub struct RawLines<'a, K> {
    how: &'a Dealing<'a, K>,
    input: &'a Input,
    layout: LineLayout,
    /// The order of blocks, where these do not tell by themselves where records begin.
    chain: Option<Chain>,
    /// Spans of files that have been claimed, the first of all.
    claimed: AtomicUsize,
    /// Number of the next span to claim.
    next: AtomicUsize,
    /// Memory of each span while it is not being read.
    slots: Mutex<Vec<Option<Region>>>,
    /// Memory before the first span, with the carried bytes at its end, and after the last span.
    around: (Region, Region),
    found: Mutex<Vec<Found>>,
    /// Lines that still have room for an entry.
    room: EntryRoom,
    is_crowded: AtomicBool,
    dealers: Dealers,
    /// Rows that were left out for the number of their cells, of those that were dealt on arrival.
    ragged: AtomicU64,
    /// The first record found that must not be, by its place in the load.
    fault: FirstFault,
}

/// A load of lines in buckets.
#[derive(Debug)]
pub struct FilledLines {
    /// The load.
    pub load: KeyedLoad,
    /// The pool its buckets lie in.
    pub pool: Arc<Pool>,
    /// Pieces of its memory that the next load has to begin with.
    pub tail: Vec<Range<usize>>,
    /// Layout of the input's bytes in it.
    pub layout: LineLayout,
    /// End of the bytes that were read.
    pub end: usize,
    /// True if no line in it is whole, or has room. A load without records is another thing: all of
    /// its lines may have been left out.
    pub is_stuck: bool,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
    /// Memory of the load up to the first record that must not be, if there is one.
    pub fault: Option<RecordFault>,
}

impl<'a, K: KeyEncoder> RawLines<'a, K> {
    /// Returns a load with nothing read yet, in `memory`, at the start of which the carried bytes
    /// lie. Its entries lie in `pool`.
    pub fn new(
        how: &'a Dealing<'a, K>,
        input: &'a Input,
        (layout, classifier): (LineLayout, Option<Classifier>),
        (memory, pool): (Region, Region),
        workers: usize,
    ) -> Self {
        let (slots, around) = cut(memory, &layout);
        let found = vec![Found::default(); layout.spans.len()];
        let pool = Pool::new(pool);
        let room = pool.capacity(how.item.bytes(), how.buckets_max, workers);
        // Lines between blocks, and what was carried, are dealt in the end.
        let carried = &around.0[layout.start - layout.carried..layout.start];
        let between = layout.spans.len() + how.framing.count(carried);
        let begun = layout.start - layout.carried;
        let is_chained = !how.framing.is_local();
        Self {
            how,
            input,
            claimed: AtomicUsize::new(0),
            chain: is_chained.then(|| Chain::new(how.framing, carried, begun)),
            fault: FirstFault::default(),
            next: AtomicUsize::new(0),
            slots: Mutex::new(slots),
            around,
            found: Mutex::new(found),
            room: EntryRoom::new(room.saturating_sub(between as u64), workers),
            is_crowded: AtomicBool::new(room < between as u64),
            dealers: Dealers::new(how.item, pool, classifier, workers),
            ragged: AtomicU64::new(0),
            layout,
        }
    }

    /// Takes in a span of which `bytes` bytes have been read, and returns whether it was dealt. A
    /// span of a chain waits for its turn.
    fn take_in(
        &self,
        worker: &mut Worker<'_>,
        number: usize,
        memory: Region,
        bytes: usize,
    ) -> bool {
        let spans = &self.layout.spans;
        match &self.chain {
            None => {
                let skip = spans[number].skip.min(bytes);
                let ends = line_ends(self.how.framing, &memory[skip..bytes]);
                self.deal(worker, Ready { number, memory, bytes, ends: Ok(ends) });
                true
            }
            Some(chain) => {
                chain.arrive(number, &spans[number], memory, bytes);
                false
            }
        }
    }

    /// Deals the next span that has waited for others; whether there was one.
    fn deal_next(&self, worker: &mut Worker<'_>) -> bool {
        let next = self.chain.as_ref().and_then(|chain| chain.next(&self.layout.spans));
        next.map(|ready| self.deal(worker, ready)).is_some()
    }

    /// Deals the lines that lie whole in a span.
    fn deal(&self, worker: &mut Worker<'_>, ready: Ready) {
        let Ready { number, memory, bytes, ends } = ready;
        let LineSpan { at, skip, .. } = self.layout.spans[number];
        let (at, block) = (at + skip.min(bytes), &memory[skip.min(bytes)..bytes]);
        let ends = ends.unwrap_or_else(|fault| {
            self.note(fault);
            None
        });
        let mut found = Found { ends: None, end: at + block.len() };
        if let Some((first, last)) = ends {
            found.ends = Some((at + first, at + last));
            let lines = &block[first..last];
            match self.room.admit(self.how.framing, lines) {
                Some(taken) => {
                    let dealt = self.deal_lines(worker, lines, at + first);
                    self.room.give_back(taken - dealt);
                }
                None => self.is_crowded.store(true, Ordering::Relaxed),
            }
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner)[number] = found;
        self.return_slot(number, memory);
    }

    /// Deals whole lines, the first at `location`; how many they were.
    fn deal_lines(&self, worker: &mut Worker<'_>, lines: &[u8], location: usize) -> u64 {
        if self.is_crowded.load(Ordering::Relaxed) || self.fault.is_before(location) {
            return 0;
        }
        let (how, block) = (self.how, (lines, self.how.framing));
        let sum = how.verify.then_some(&mut worker.sum_in);
        let account = LoadAccount { sum, keys: &mut worker.keys };
        let Some(gate) = how.gate else {
            return self.dealers.deal(worker.number, how.key, block, location as u64, account);
        };
        let passage = (gate, account);
        let dealt = self.dealers.deal_passed(worker.number, how.key, block, location, passage);
        let Passed { shown, ragged } = dealt.unwrap_or_else(|fault| {
            self.note(RecordFault { at: location + fault.at, ..fault });
            Passed::default()
        });
        if ragged > 0 {
            self.ragged.fetch_add(ragged, Ordering::Relaxed);
        }
        shown
    }

    /// Notes a record that must not be. Nothing more is read then.
    fn note(&self, fault: RecordFault) {
        self.fault.note(fault);
        self.next.store(self.layout.spans.len(), Ordering::Relaxed);
    }

    /// Reads and deals the next span of a stream, unless another worker is at it.
    fn claim_from_stream(&self, stream: &Mutex<Stream>, worker: &mut Worker<'_>) -> Result<Claim> {
        let Ok(mut stream) = stream.try_lock() else { return Ok(Claim::Later) };
        let number = self.next.load(Ordering::Relaxed);
        if number >= self.layout.spans.len() || self.is_crowded.load(Ordering::Relaxed) {
            return Ok(Claim::Exhausted);
        }
        let Some(mut region) = self.take_slot(number) else { return Ok(Claim::Later) };
        self.next.store(number + 1, Ordering::Relaxed);
        let wanted = self.layout.spans[number].wanted;
        let (bytes, waited) = stream.fill(&mut region[..wanted], worker.lane.progress())?;
        if bytes < wanted {
            self.next.store(self.layout.spans.len(), Ordering::Relaxed);
        }
        self.dealers.classifier(|| {
            let span = (self.how.framing, &region[..bytes]);
            let load_bytes = self.layout.spans.iter().map(|span| span.wanted).sum();
            sample::of_first(self.how, span, load_bytes)
        });
        drop(stream);
        worker.lane.count_waiting(stats::Stream::InputRead, waited);
        worker.lane.count_streamed(bytes as u64, 0);
        if !self.take_in(worker, number, region, bytes) {
            while self.deal_next(worker) {}
        }
        Ok(Claim::Worked)
    }

    fn take_slot(&self, number: usize) -> Option<Region> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)[number].take()
    }

    fn return_slot(&self, number: usize, region: Region) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(region);
    }

    /// Returns the load with all its buckets, once everything has been read.
    pub fn finish(self, workers: &mut [Worker<'_>], sum_before: Sum) -> FilledLines {
        let Self { how, layout, slots, around, found, dealers, fault, .. } = self;
        let slots = slots.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let regions =
            std::iter::once(around.0).chain(slots.into_iter().flatten()).chain([around.1]);
        let joined = regions.reduce(Region::join);
        let mut region = joined.unwrap_or_else(|| unreachable!("a load has memory"));
        let pieces = finish_inputs(&mut region, &layout, &found, how.framing);
        let end = pieces.last().map_or(0, |piece| piece.bytes.end);
        let (classifier, mut pool, mut dealers) = dealers.finish();
        let workers_count = dealers.len();
        let is_crowded = self.is_crowded.into_inner();
        if is_crowded {
            dealers.clear();
            let emptied = Arc::into_inner(pool).map(Pool::into_region);
            let emptied = emptied.unwrap_or_else(|| unreachable!("all dealers are gone"));
            pool = Arc::new(Pool::new(emptied));
            forget_sums(workers, sum_before);
            dealers.push(Dealer::new(Arc::clone(&pool), how.item, classifier.buckets()));
        }
        let room = pool.capacity(how.item.bytes(), how.buckets_max, workers_count);
        let Worker { sum_in: sum, keys, .. } = &mut workers[0];
        let mut rest = Rest {
            how,
            classifier: &classifier,
            dealer: &mut dealers[0],
            sum,
            keys,
            room: if is_crowded { room } else { u64::MAX },
            ragged: if is_crowded { 0 } else { self.ragged.into_inner() },
            fault: &fault,
        };
        let all: usize = pieces.iter().map(|piece| piece.bytes.len()).sum();
        let mut tail: Vec<Range<usize>> = Vec::new();
        for piece in pieces {
            let already = if is_crowded { &[] } else { piece.dealt.as_slice() };
            let left = rest.deal(&region, piece.bytes, already);
            tail.extend((!left.is_empty()).then_some(left));
        }
        let is_stuck = tail.iter().map(ExactSizeIterator::len).sum::<usize>() == all;
        let (fault, ragged) = (fault.take(), rest.ragged);
        dealers[0].mark(u64::MAX);
        let loaded = Loaded { region: Some(region), framing: how.framing, segments: Vec::new() };
        let load = KeyedLoad::new(how.key, (loaded, how.bucket_records), &classifier, dealers);
        FilledLines { load, pool, tail, layout, end, is_stuck, ragged, fault }
    }
}

/// Takes back what was summed and seen of a load that is dealt once more.
fn forget_sums(workers: &mut [Worker<'_>], before: Sum) {
    for worker in &mut *workers {
        worker.sum_in = Sum::default();
        worker.keys = KeyTally::default();
    }
    workers[0].sum_in = before;
}

/// Bytes of a load that belong together: of one input, with what was carried before them.
#[derive(Debug)]
struct Piece {
    bytes: Range<usize>,
    /// Whole lines in it that were dealt on arrival, ascending.
    dealt: Vec<Range<usize>>,
}

/// Returns the pieces of a load, each of whose inputs that end in it ends with a terminator.
fn finish_inputs(
    region: &mut Region,
    layout: &LineLayout,
    found: &[Found],
    framing: Framing,
) -> Vec<Piece> {
    let first = layout.start - layout.carried;
    let mut pieces = Vec::new();
    let mut piece = Piece { bytes: first..layout.start, dealt: Vec::new() };
    for (span, found) in layout.spans.iter().zip(found) {
        if found.end == 0 {
            break; // it was not read any more
        }
        let start = span.at + span.skip;
        if piece.bytes.end != start {
            let next = Piece { bytes: start..start, dealt: Vec::new() };
            pieces.push(std::mem::replace(&mut piece, next));
        }
        piece.bytes.end = found.end;
        piece.dealt.extend(found.ends.map(|(first, last)| first..last));
        if span.is_end
            && let Some(end) = framing.terminator()
            && !piece.bytes.is_empty()
            && region[found.end - 1] != end
        {
            region[found.end] = end;
            piece.bytes.end += 1;
        }
    }
    pieces.push(piece);
    pieces
}

/// Lines that are dealt when the whole load is there.
struct Rest<'a, K> {
    how: &'a Dealing<'a, K>,
    classifier: &'a Classifier,
    dealer: &'a mut Dealer,
    sum: &'a mut Sum,
    keys: &'a mut KeyTally,
    /// Lines that may still be dealt.
    room: u64,
    /// Rows that were left out for the number of their cells.
    ragged: u64,
    fault: &'a FirstFault,
}

impl<K: KeyEncoder> Rest<'_, K> {
    /// Deals the lines of `piece` that are not in `dealt`. Returns what is left of it in the end:
    /// an unfinished line, or lines that had no room.
    fn deal(&mut self, region: &[u8], piece: Range<usize>, dealt: &[Range<usize>]) -> Range<usize> {
        let mut at = piece.start;
        for range in dealt {
            at = self.deal_lines(region, at..range.start);
            if self.fault.is_before(range.start) {
                return at..at; // what was dealt behind it is of no account
            }
            debug_assert!(at == range.start, "before dealt lines there are whole lines");
            at = range.end;
        }
        self.deal_lines(region, at..piece.end)..piece.end
    }

    /// Deals whole lines until there is no room for more; where the first that was not dealt
    /// begins.
    fn deal_lines(&mut self, region: &[u8], range: Range<usize>) -> usize {
        let Dealing { key, framing, .. } = *self.how;
        let mut begun = range.start;
        while let Some(length) = framing.whole_length(&region[begun..range.end]) {
            if self.room == 0 {
                return begun;
            }
            self.room -= 1;
            let line = &region[begun..begun + length];
            let deal = |record: CutRecord<'_>, word| {
                let CutRecord { bytes, cell_ends } = record;
                key.tally(record, word, self.keys);
                if self.how.verify {
                    self.sum.add_record(bytes);
                }
                let key = KnownWord { key, word, cell_ends };
                self.dealer.deal_item(self.classifier, &key, (bytes, begun as u64));
            };
            match Gate::pass(self.how.gate, key, framing, line, deal) {
                Ok(passed) => self.ragged += passed.ragged,
                Err(found) => self.fault.note(RecordFault { at: begun, ..found }),
            }
            begun += length;
        }
        begun
    }
}

/// Returns the places after the first line end in `block` and after the last, where lines can be
/// cut without context.
pub fn line_ends(framing: Framing, block: &[u8]) -> Ends {
    let end = framing.terminator()?;
    let first = memchr(end, block)?;
    let last = memrchr(end, block).unwrap_or(first);
    Some((first + 1, last + 1))
}

impl<K: KeyEncoder> Fill for RawLines<'_, K> {
    fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim> {
        let files = match self.input {
            Input::Files(files) => files,
            Input::Stream(stream) => return self.claim_from_stream(stream, worker),
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(span) = self.layout.spans.get(number) else {
            // What others are about to take in may be for this worker to deal.
            let claimed = self.claimed.load(Ordering::Relaxed);
            let is_over = self.chain.as_ref().is_none_or(|chain| chain.passed() >= claimed);
            return Ok(if is_over { Claim::Exhausted } else { Claim::Later });
        };
        self.claimed.fetch_add(1, Ordering::Relaxed);
        let Some(region) = self.take_slot(number) else {
            unreachable!("each span is claimed once")
        };
        Ok(Claim::Read(Request {
            operation: Operation::Read,
            file: Arc::clone(&files[span.source]),
            offset: span.offset,
            region,
            range: 0..span.length,
            tag: number as u64,
        }))
    }

    fn arrived(&self, worker: &mut Worker<'_>, completion: Completion) -> Result<bool> {
        let spans = &self.layout.spans;
        let (number, region) = reading::arrived(completion, |number| {
            let span = &spans[number];
            (span.offset, span.wanted)
        })?;
        Ok(self.take_in(worker, number, region, spans[number].wanted))
    }

    fn work(&self, worker: &mut Worker<'_>) -> bool {
        self.deal_next(worker)
    }

    fn wait_turn(&self) {
        reading::wait_turn(self.input);
    }
}

/// Cuts a region into the spans' places, and what lies around them.
fn cut(mut region: Region, layout: &LineLayout) -> (Vec<Option<Region>>, (Region, Region)) {
    let mut rest = region.split_off(layout.start);
    let front = region;
    let mut slots = Vec::with_capacity(layout.spans.len());
    let mut start = layout.start;
    for (number, span) in layout.spans.iter().enumerate() {
        // What lies between two inputs goes with the first of them.
        let end = layout.spans.get(number + 1).map_or(span.at + span.length, |next| next.at);
        let behind = rest.split_off(end - start);
        slots.push(Some(std::mem::replace(&mut rest, behind)));
        start = end;
    }
    (slots, (front, rest))
}
