//! Filling a load from the input: blocks are read to their places and dealt as they arrive.
//!
//! A worker that takes in a block finds where its records end and deals those that lie in it whole.
//! The ends of blocks are left over, one record for each; they are dealt when the whole load is
//! there:
//!
//! ```text
//!   | carried | block 0           | block 1            | block 2    |
//!      aaaaaaaaaa¶bbbbb¶ccc¶dddddddddd¶eeee¶ffffffffffffffffffffff¶ggg
//!                |_________|          |____|                     |
//!                  dealt on arrival                              carried to the next load
//! ```
//!
//! Records of one length end at places that are known in advance: nothing is searched for, most
//! blocks hold whole records only, and loads end with a record, so that nothing is carried. Short
//! ones of these are dealt themselves, and blocks are read into a few buffers used again and again.
//!
//! Otherwise it is not known before reading how many records a block holds, and the memory for
//! their entries is bounded. Blocks are admitted by their number of records; where that passes the
//! bound, the load is *crowded*: nothing more is dealt on arrival, and in the end as much of it as
//! there is room for is dealt from the start, the rest being carried.
//!
//! Malformed records are reported when everything before them has been looked at: the first of a
//! load is the one that is complained of, whichever worker came upon another.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chain::{BlockChain, OrderedBlock};
use super::crew::cut;
use super::dealing::{Dealers, Dealing};
use super::entry_room::EntryRoom;
use super::gate::{FirstFault, Passed};
use super::leftover::{FoundRecords, LeftoverRecords, LoadTail, loaded_inputs};
use super::reading::{StreamTurn, record_ends};
use super::sample;
use super::stage::{Claim, Fill, TURN, Worker};
use super::stream::StreamPiece;
use super::{InputStream, JobInput, reading};
use crate::error::{Error, Result};
use crate::format::{Ends, Framing, RecordFault};
use crate::incore::{Classifier, Dealer, Item, KeyedLoad, Pool};
use crate::io::{Completion, Region};
use crate::key::{KeyEncoder, KeyTally};
use crate::load::{InputPlace, LoadLayout, LoadSpan};
use crate::proof::Sum;
use crate::stats;

/// Memory of a load's spans, and their contents.
#[derive(Debug)]
struct SpanSlots {
    /// Memory of each span while it is not being read; or free buffers, in no order.
    regions: Vec<Option<Region>>,
    found: Vec<FoundRecords>,
    /// Spans that have been claimed, the first of all.
    claimed: usize,
    /// True if no more are to be claimed.
    is_closed: bool,
}

/// Memory that a load is filled in.
#[derive(Debug)]
pub struct RawLoadMemory {
    /// Memory of records, where the carried bytes lie in their place; or of buffers.
    pub records: Region,
    /// Memory of the buckets.
    pub pool: Region,
    /// Bytes of a buffer.
    pub block_bytes: usize,
    /// Entries that the pool is made for, if its size was planned for their number.
    pub planned: u64,
}

/// A load on its way into memory. It is the first state of a load: workers read and deal its spans.
/// [`finish`](Self::finish) makes a [`FilledLoad`] of it.
#[derive(Debug)]
pub struct RawLoad<'a, K> {
    how: &'a Dealing<'a, K>,
    input: &'a JobInput,
    layout: LoadLayout,
    /// The order of blocks, where these do not tell by themselves where records begin.
    chain: Option<BlockChain>,
    slots: Mutex<SpanSlots>,
    /// Memory before the first span, with the carried bytes at its end, and after the last span.
    around: [Option<Region>; 2],
    /// Records that still have room for an entry.
    room: EntryRoom,
    /// Records whose room is set aside, because they are dealt in the end.
    between: u64,
    /// Entries that the pool is made for, if that was planned.
    planned: u64,
    is_crowded: AtomicBool,
    dealers: Dealers<'a, K>,
    /// The first record found that must not be, by its place in the load.
    fault: FirstFault,
    /// Turn to read a stream.
    turn: StreamTurn,
}

/// A load whose spans have all been read and dealt. The intake makes a
/// [`ReadyLoad`](super::intake::ReadyLoad) of it, after it has looked for faults and kept the tail.
#[derive(Debug)]
pub struct FilledLoad {
    /// The load.
    pub load: KeyedLoad,
    /// Memory that it was read through, where that is not the memory of its records.
    pub spare: Option<Region>,
    /// Layout of the input's bytes in it.
    pub layout: LoadLayout,
    /// Bytes of it that are whole records or a tail, by input.
    pub pieces: Vec<Range<usize>>,
    /// Bytes of its memory that the next load has to begin with.
    pub tail: Range<usize>,
    /// Origins of the pieces of the tail, each with its first byte, counted over all pieces.
    pub origins: Vec<(usize, InputPlace)>,
    /// True if no record in it is whole, or has room. A load without records is another thing: all
    /// of its records may have been left out.
    pub is_stuck: bool,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
    /// The first record that must not be, if there is one, by its place in the load.
    pub fault: Option<RecordFault>,
}

impl<'a, K: KeyEncoder> RawLoad<'a, K> {
    /// Returns a load with nothing read yet.
    pub fn new(
        how: &'a Dealing<'a, K>,
        input: &'a JobInput,
        layout: LoadLayout,
        classifier: Option<Classifier>,
        memory: RawLoadMemory,
        workers: usize,
    ) -> Self {
        let RawLoadMemory { records: mut memory, pool, block_bytes: block, planned } = memory;
        let pool = Pool::new(pool);
        let begin = layout.begin();
        let carried = match how.sort.item {
            Item::Entry | Item::WideEntry => &memory[begin..layout.start],
            Item::Record(_) => &[],
        };
        // A stream is read in order.
        let is_chained = !how.sort.framing.is_local() && matches!(input, JobInput::Files(_));
        let chain = is_chained.then(|| BlockChain::new(how.sort.framing, carried, begin));
        let (room, between) = match how.sort.framing {
            // Loads of these are cut by their number.
            Framing::Fixed(_) => (u64::MAX / 2, 0),
            _ => {
                // Records between blocks, and what was carried, are dealt in the end.
                let between = layout.spans.len() + how.sort.framing.count(carried);
                (how.sort.room(&pool, workers).max(planned), between as u64)
            }
        };
        let (regions, around) = match how.sort.item {
            Item::Entry | Item::WideEntry => cut_into_spans(memory, &layout),
            Item::Record(_) => {
                let blocks = (0..memory.len() / block).map(|_| Some(cut(&mut memory, block)));
                (blocks.collect(), [None, Some(memory)])
            }
        };
        let found = vec![FoundRecords::default(); layout.spans.len()];
        Self {
            how,
            input,
            chain,
            slots: Mutex::new(SpanSlots { regions, found, claimed: 0, is_closed: false }),
            around,
            room: EntryRoom::new(room.saturating_sub(between), workers),
            between,
            planned,
            is_crowded: AtomicBool::new(room < between),
            dealers: Dealers::new(how, pool, classifier, workers),
            fault: FirstFault::default(),
            turn: StreamTurn::default(),
            layout,
        }
    }

    fn slots(&self) -> MutexGuard<'_, SpanSlots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the next span and memory for it. Otherwise says whether there may be one later.
    fn claim_span(&self) -> std::result::Result<(usize, Region), Claim> {
        let mut slots = self.slots();
        let number = slots.claimed;
        if slots.is_closed || number == self.layout.spans.len() {
            // What others are about to take in may be for this worker to deal.
            let is_over = self.chain.as_ref().is_none_or(|chain| chain.passed() >= number);
            return Err(if is_over { Claim::Exhausted } else { Claim::Later });
        }
        let region = match self.how.sort.item {
            Item::Entry | Item::WideEntry => slots.regions[number].take(),
            Item::Record(_) => slots.regions.pop().flatten(),
        };
        let region = region.ok_or(Claim::Later)?;
        slots.claimed += 1;
        Ok((number, region))
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
        let span = &self.layout.spans[number];
        match &self.chain {
            None => {
                let skip = span.skip.min(bytes);
                let begin = span.offset + skip as u64;
                let ends = record_ends(self.how.sort.framing, &memory[skip..bytes], begin);
                self.deal(worker, OrderedBlock { number, memory, bytes, ends: Ok(ends) });
                true
            }
            Some(chain) => {
                chain.arrive(number, span, memory, bytes);
                false
            }
        }
    }

    /// Deals the next span that has waited for others. Returns whether there was one.
    fn deal_next(&self, worker: &mut Worker<'_>) -> bool {
        let next = self.chain.as_ref().and_then(|chain| chain.next(&self.layout.spans));
        next.map(|ready| self.deal(worker, ready)).is_some()
    }

    /// Deals the records that lie whole in a span.
    fn deal(&self, worker: &mut Worker<'_>, ready: OrderedBlock) {
        let OrderedBlock { number, memory, bytes, ends } = ready;
        let LoadSpan { at, skip, .. } = self.layout.spans[number];
        let (at, block) = (at + skip.min(bytes), &memory[skip.min(bytes)..bytes]);
        let mut found = FoundRecords { end: at + block.len(), ..FoundRecords::default() };
        match ends {
            Ok(None) => {}
            Ok(Some((first, last))) => {
                found.ends = Some((at + first, at + last));
                found.ragged = self.deal_records(worker, &block[first..last], at + first);
            }
            Err(fault) => self.note(worker, fault),
        }
        self.put_back(number, memory, found);
    }

    /// Puts the memory of a span back, and notes its contents.
    fn put_back(&self, number: usize, memory: Region, found: FoundRecords) {
        let mut slots = self.slots();
        slots.found[number] = found;
        match self.how.sort.item {
            Item::Entry | Item::WideEntry => slots.regions[number] = Some(memory),
            Item::Record(_) => slots.regions.push(Some(memory)),
        }
    }

    /// Deals whole records, the first at `location`, if there is room for them. Returns how many
    /// were left out for the number of their cells.
    fn deal_records(&self, worker: &mut Worker<'_>, records: &[u8], location: usize) -> u64 {
        let Some(admitted) = self.room.admit(self.how.sort.framing, records) else {
            self.is_crowded.store(true, Ordering::Relaxed);
            return 0;
        };
        let is_futile = self.is_crowded.load(Ordering::Relaxed) || self.fault.is_before(location);
        let dealt = match is_futile {
            true => Ok(Passed::default()),
            false => self.dealers.deal(worker, records, location),
        };
        match dealt {
            Ok(Passed { shown, ragged }) => {
                self.room.give_back(admitted - shown);
                ragged
            }
            Err(fault) => {
                // What was dealt before it has its room.
                self.note(worker, fault);
                0
            }
        }
    }

    /// Notes a malformed record. Nothing more is read then, and a worker that waits for a stream
    /// ends its reading.
    fn note(&self, worker: &Worker<'_>, fault: RecordFault) {
        self.fault.note(fault);
        self.slots().is_closed = true;
        worker.lane.progress().set_failing(true);
    }

    /// Returns where the first and the last record end in the first bytes of a span. `known` are
    /// those that a stream has found.
    fn ends_in(&self, number: usize, bytes: &[u8], known: Ends) -> Ends {
        let framing = self.how.sort.framing;
        match framing.is_local() {
            true => record_ends(framing, bytes, self.layout.spans[number].offset),
            false => known,
        }
    }

    /// Reads a span of a stream, up to the first bytes that tell that the job fails.
    fn fill_span(
        &self,
        stream: &mut InputStream,
        worker: &mut Worker<'_>,
        number: usize,
        region: &mut Region,
    ) -> Result<StreamPiece> {
        let LoadSpan { at, offset, wanted, .. } = self.layout.spans[number];
        let progress = worker.lane.progress();
        // A record that began before the span is dealt later. Before the first there is none.
        let mut checked = (offset == 0).then_some(0);
        let mut judge = |bytes: &[u8], ends: Ends| {
            worker.lane.look()?;
            let Some((first, last)) = self.ends_in(number, bytes, ends) else { return Ok(false) };
            let records = &bytes[checked.replace(last).unwrap_or(first)..last];
            Ok(self.how.gate.is_some() && self.how.check(records, at).is_err())
        };
        stream.fill_unless(&mut region[..wanted], progress, Some(&mut judge))
    }

    /// Reads and deals the next span of a stream, unless another worker is at it.
    fn claim_from_stream(
        &self,
        stream: &Mutex<InputStream>,
        worker: &mut Worker<'_>,
    ) -> Result<Claim> {
        let Some(turn) = self.turn.take() else { return Ok(Claim::Later) };
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_crowded.load(Ordering::Relaxed) {
            return Ok(Claim::Exhausted);
        }
        let (number, mut region) = match self.claim_span() {
            Ok(claimed) => claimed,
            Err(claim) => return Ok(claim),
        };
        let piece = match self.fill_span(&mut stream, worker, number, &mut region) {
            Err(Error::Interrupted) if self.fault.is_before(usize::MAX) => {
                // The load ends with the record that another worker has found.
                self.put_back(number, region, FoundRecords::default());
                return Ok(Claim::Exhausted);
            }
            filled => filled?,
        };
        let StreamPiece { bytes, waited, unfinished, ends } = piece;
        let LoadSpan { at, wanted, .. } = self.layout.spans[number];
        if bytes < wanted {
            self.slots().is_closed = true;
        }
        let ends = ends.map(|ends| self.ends_in(number, &region[..bytes], ends));
        let ends = ends.map_err(|fault| {
            let at = if fault.at == 0 { at - unfinished } else { at + fault.at };
            RecordFault { at, ..fault }
        });
        if let Ok(Some((first, last))) = ends {
            let records = &region[first..last];
            let make = || sample::of_first(&self.how.sort, records, self.layout.bytes());
            self.dealers.classifier(make);
        }
        drop((stream, turn));
        worker.lane.count_waiting(stats::Stream::InputRead, waited);
        worker.lane.count_streamed(bytes as u64, 0);
        self.deal(worker, OrderedBlock { number, memory: region, bytes, ends });
        Ok(Claim::Worked)
    }

    /// Returns the load with all its buckets, once everything has been read:
    ///
    /// 1. The memory of all spans becomes one piece.
    /// 2. The buckets of a crowded load are emptied, so that it is dealt again from its start.
    /// 3. The records that are left over are dealt. Those that have no room, and unfinished ones,
    ///    are the tail.
    /// 4. The buckets are finished.
    pub fn finish(self, workers: &mut [Worker<'_>], sum_before: Sum) -> FilledLoad {
        let Self { how, layout, slots, around: [front, back], dealers, fault, .. } = self;
        let SpanSlots { regions, found, .. } =
            slots.into_inner().unwrap_or_else(PoisonError::into_inner);
        let regions = front.into_iter().chain(regions.into_iter().flatten()).chain(back);
        let mut memory = Region::join_all(regions);

        let (classifier, mut pool, mut dealers) = dealers.finish();
        let workers_count = dealers.len();
        let is_crowded = self.is_crowded.into_inner();
        if is_crowded {
            pool = empty_pool(pool, dealers);
            forget_sums(workers, sum_before);
            dealers = vec![how.sort.dealer(&classifier, &pool)];
        }

        let inputs = match how.sort.item {
            Item::Entry | Item::WideEntry => {
                loaded_inputs(&mut memory, &layout, &found, how.sort.framing)
            }
            // Every short record lies in a span whole.
            Item::Record(_) => Vec::new(),
        };
        let room = match is_crowded {
            true => how.sort.room(&pool, workers_count).max(self.planned),
            false => self.room.left().saturating_add(self.between),
        };
        let mut rest = LeftoverRecords {
            how,
            classifier: &classifier,
            dealer: &mut dealers[0],
            worker: &mut workers[0],
            room,
            ragged: if is_crowded { 0 } else { found.iter().map(|found| found.ragged).sum() },
            fault: &fault,
        };
        let LoadTail { bytes: tail, origins } =
            rest.deal_inputs(&mut memory, &layout, &inputs, is_crowded);
        let (fault, ragged) = (fault.take(), rest.ragged);

        dealers[0].mark(u64::MAX);
        let all: usize = inputs.iter().map(|input| input.bytes.len()).sum();
        let is_stuck = !matches!(how.sort.item, Item::Record(_)) && tail.len() == all;
        let pieces = inputs.into_iter().map(|input| input.bytes).collect();
        let (region, spare) = match how.sort.item {
            Item::Entry | Item::WideEntry => (Some(memory), None),
            Item::Record(_) => (None, Some(memory)),
        };
        let load = how.sort.finish(region, &classifier, dealers);
        FilledLoad { load, spare, layout, pieces, tail, origins, is_stuck, ragged, fault }
    }
}

/// Returns the pool without items, once all that `dealers` dealt is of no more use.
fn empty_pool(pool: Arc<Pool>, dealers: Vec<Dealer>) -> Arc<Pool> {
    drop(dealers);
    let emptied = Arc::into_inner(pool).map(Pool::into_region);
    let emptied = emptied.unwrap_or_else(|| unreachable!("all dealers are gone"));
    Arc::new(Pool::new(emptied))
}

/// Takes back what was summed and seen of a load that is dealt once more.
fn forget_sums(workers: &mut [Worker<'_>], before: Sum) {
    for worker in &mut *workers {
        worker.sum_in = Sum::default();
        worker.keys = KeyTally::default();
    }
    workers[0].sum_in = before;
}

impl<K: KeyEncoder> Fill for RawLoad<'_, K> {
    fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim> {
        let files = match self.input {
            JobInput::Files(files) => files,
            JobInput::Stream(stream) => return self.claim_from_stream(stream, worker),
        };
        Ok(match self.claim_span() {
            Ok((number, region)) => {
                let span = &self.layout.spans[number];
                Claim::Read(reading::request(files, span, region, number))
            }
            Err(claim) => claim,
        })
    }

    fn arrived(&self, worker: &mut Worker<'_>, completion: Completion) -> Result<bool> {
        let number = completion.request.tag as usize;
        let span = &self.layout.spans[number];
        let region = reading::arrived(completion, span)?;
        Ok(self.take_in(worker, number, region, span.wanted))
    }

    fn work(&self, worker: &mut Worker<'_>) -> bool {
        self.deal_next(worker)
    }

    fn wait_turn(&self) {
        match self.input {
            JobInput::Stream(_) => self.turn.wait(),
            JobInput::Files(_) => std::thread::sleep(TURN),
        }
    }
}

/// Cuts a region into the spans' places, and what lies before and after them.
fn cut_into_spans(
    mut region: Region,
    layout: &LoadLayout,
) -> (Vec<Option<Region>>, [Option<Region>; 2]) {
    let front = cut(&mut region, layout.start);
    let nexts = layout.spans.iter().skip(1).map(|next| Some(next.at)).chain([None]);
    let slots = layout.spans.iter().zip(nexts).map(|(span, next)| {
        // What lies between two inputs goes with the first of them.
        let bytes = next.map_or(span.length, |next| next - span.at);
        Some(cut(&mut region, bytes))
    });
    (slots.collect(), [Some(front), Some(region)])
}
