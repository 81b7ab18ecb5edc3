//! Filling a load from the input: blocks are read to their places and dealt as they arrive.
//!
//! Longer records stay where they were read, and each block's memory returns to its slot until all
//! slots make one region again. Short records are dealt themselves, and blocks are read into a few
//! buffers used again and again.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::dealers::{Dealers, LoadAccount};
use super::gate::{FirstFault, Gate};
use super::sample::{self, place_of};
use super::stage::{Claim, Fill, Worker};
use super::{Input, Stream, reading};
use crate::error::Result;
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, Item, KeyedLoad, Pool};
use crate::io::{Completion, Operation, Region, Request};
use crate::key::{CutRecord, KeyEncoder, KnownWord};
use crate::load::{Layout, Loaded, Span};
use crate::stats;

/// Memory of one load, empty.
#[derive(Debug)]
pub struct EmptyLoad {
    /// Memory that blocks are read into.
    pub read: Region,
    /// Memory that buckets are made of.
    pub pool: Region,
}

/// Description of the next load to fill.
#[derive(Debug)]
pub struct Prepared {
    /// Layout of the bytes to read.
    pub layout: Layout,
    /// Classifier of records; `None` where it is made from the first block.
    pub classifier: Option<Classifier>,
}

/// Settings for reading and dealing records, equal for all loads of a job.
#[derive(Debug)]
pub struct Dealing<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Kind of item that lies in the buckets.
    pub item: Item,
    /// Framing that separates records.
    pub framing: Framing,
    /// Bytes per record; of records that differ, their average.
    pub record_length: usize,
    /// Conditions on records, if any.
    pub gate: Option<&'a Gate>,
    /// True if records are counted and summed.
    pub verify: bool,
    /// Bytes of the longest span.
    pub block: usize,
    /// Records wanted in a bucket.
    pub bucket_records: usize,
    /// Most buckets.
    pub buckets_max: usize,
}

/// A load on its way into memory.
#[derive(Debug)]
pub struct RawLoad<'a, K> {
    how: &'a Dealing<'a, K>,
    input: &'a Input,
    layout: Layout,
    /// Number of the next span to claim.
    next: AtomicUsize,
    /// Memory of each span while it is not being read; or any free buffers, in no order.
    slots: Mutex<Vec<Option<Region>>>,
    dealers: Dealers,
    /// Records that a stream really held; the largest number there is while its end is not seen.
    stream_end: AtomicU32,
    /// The first record found that must not be, by its number in the load.
    fault: FirstFault,
}

/// A load of records of one length in buckets.
#[derive(Debug)]
pub struct FilledLoad {
    /// The load.
    pub load: KeyedLoad,
    /// The pool its buckets lie in.
    pub pool: Arc<Pool>,
    /// Memory that it was read through, where that is not the memory of its records.
    pub spare: Option<Region>,
    /// The first record that must not be, by its number in the load, and its place in the input:
    /// which, and at which byte.
    pub fault: Option<(RecordFault, (usize, u64))>,
}

impl<'a, K: KeyEncoder> RawLoad<'a, K> {
    /// Returns a load with nothing read yet.
    pub fn new(
        how: &'a Dealing<'a, K>,
        input: &'a Input,
        prepared: Prepared,
        memory: EmptyLoad,
        workers: usize,
    ) -> Self {
        let Prepared { layout, classifier } = prepared;
        let slots = match how.item {
            Item::Entry | Item::WideEntry => cut_into_spans(memory.read, &layout.spans),
            Item::Record(_) => cut_into_blocks(memory.read, how.block),
        };
        Self {
            how,
            input,
            layout,
            next: AtomicUsize::new(0),
            slots: Mutex::new(slots),
            dealers: Dealers::new(how.item, Pool::new(memory.pool), classifier, workers),
            stream_end: AtomicU32::new(u32::MAX),
            fault: FirstFault::default(),
        }
    }

    /// Takes memory to read span `number` into; `None` where all buffers are in use.
    fn take_slot(&self, number: usize) -> Option<Region> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        match self.how.item {
            Item::Entry | Item::WideEntry => slots[number].take(),
            Item::Record(_) => slots.pop().flatten(),
        }
    }

    fn return_slot(&self, number: usize, region: Region) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        match self.how.item {
            Item::Entry | Item::WideEntry => slots[number] = Some(region),
            Item::Record(_) => slots.push(Some(region)),
        }
    }

    /// Deals the whole records of a span that has been read.
    fn deal(&self, worker: &mut Worker<'_>, span: &Span, bytes: &[u8]) {
        let length = self.how.record_length;
        let records = &bytes[span.skip..][..span.records as usize * length];
        let (key, block, first) = (self.how.key, (records, self.how.framing), span.first_record);
        let sum = self.how.verify.then_some(&mut worker.sum_in);
        let account = LoadAccount { sum, keys: &mut worker.keys };
        let Some(gate) = self.how.gate else {
            self.dealers.deal(worker.number, key, block, u64::from(first), account);
            return;
        };
        let first = first as usize;
        let dealt = self.dealers.deal_passed(worker.number, key, block, first, (gate, account));
        if let Err(fault) = dealt {
            self.fault.note(RecordFault { at: first + fault.at / length, ..fault });
            self.next.store(self.layout.spans.len(), Ordering::Relaxed);
        }
    }

    /// Reads and deals the next span of a stream, unless another worker is at it.
    fn claim_from_stream(&self, stream: &Mutex<Stream>, worker: &mut Worker<'_>) -> Result<Claim> {
        let Ok(mut stream) = stream.try_lock() else { return Ok(Claim::Later) };
        let number = self.next.load(Ordering::Relaxed);
        let Some(span) = self.layout.spans.get(number) else { return Ok(Claim::Exhausted) };
        let Some(mut region) = self.take_slot(number) else { return Ok(Claim::Later) };
        self.next.store(number + 1, Ordering::Relaxed);
        let (bytes, waited) = stream.fill(&mut region[..span.wanted], worker.lane.progress())?;
        let whole = (bytes.saturating_sub(span.skip) / self.how.record_length) as u32;
        let span = Span { records: span.records.min(whole), ..*span };
        if bytes < span.wanted {
            self.next.store(self.layout.spans.len(), Ordering::Relaxed);
            self.stream_end.store(span.first_record + whole, Ordering::Relaxed);
        }
        self.dealers.classifier(|| {
            let records = &region[span.skip..][..span.records as usize * self.how.record_length];
            let load_bytes = self.layout.records as usize * self.how.record_length;
            sample::of_first(self.how, (self.how.framing, records), load_bytes)
        });
        drop(stream);
        worker.lane.count_waiting(stats::Stream::InputRead, waited);
        worker.lane.count_streamed(bytes as u64, 0);
        self.deal(worker, &span, &region);
        self.return_slot(number, region);
        Ok(Claim::Worked)
    }

    /// Returns the load with all its buckets, once everything has been read.
    pub fn finish(self, workers: &mut [Worker<'_>]) -> FilledLoad {
        let Self { how, mut layout, slots, dealers, stream_end, fault, .. } = self;
        let (classifier, pool, mut dealers) = dealers.finish();
        layout.records = layout.records.min(stream_end.into_inner());
        let slots = slots.into_inner().unwrap_or_else(PoisonError::into_inner);
        let region = Region::join_all(slots.into_iter().flatten());
        let (region, spare) = match how.item {
            Item::Entry | Item::WideEntry => (Some(region), None),
            Item::Record(_) => (None, Some(region)),
        };
        let segments = std::mem::take(&mut layout.segments);
        let loaded = Loaded { region, framing: how.framing, segments };
        if loaded.region.is_some() {
            for number in layout.straddlers().take_while(|number| *number < layout.records) {
                let location = u64::from(number);
                let record = loaded.records().get(location);
                let Worker { sum_in: sum, keys, .. } = &mut workers[0];
                let deal = |record: CutRecord<'_>, word| {
                    let CutRecord { bytes, cell_ends } = record;
                    how.key.tally(record, word, keys);
                    if how.verify {
                        sum.add_record(bytes);
                    }
                    let key = KnownWord { key: how.key, word, cell_ends };
                    dealers[0].deal_item(&classifier, &key, (bytes, location));
                };
                if let Err(found) = Gate::pass(how.gate, how.key, how.framing, record, deal) {
                    fault.note(RecordFault { at: number as usize, ..found });
                }
            }
            dealers[0].mark(u64::from(layout.records));
        } else {
            assert_eq!(layout.straddlers().next(), None, "spans of short records hold them whole");
        }
        let load = KeyedLoad::new(how.key, (loaded, how.bucket_records), &classifier, dealers);
        let fault = fault.take().map(|fault| {
            let (span, offset) = place_of(&layout, how.record_length, fault.at as u32);
            (fault, (span.source, offset))
        });
        FilledLoad { load, pool, spare, fault }
    }
}

impl<K: KeyEncoder> Fill for RawLoad<'_, K> {
    fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim> {
        let files = match self.input {
            Input::Files(files) => files,
            Input::Stream(stream) => return self.claim_from_stream(stream, worker),
        };
        if self.next.load(Ordering::Relaxed) >= self.layout.spans.len() {
            return Ok(Claim::Exhausted);
        }
        let spare = match self.how.item {
            Item::Entry | Item::WideEntry => None,
            Item::Record(_) => match self.take_slot(0) {
                Some(region) => Some(region),
                None => return Ok(Claim::Later),
            },
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(span) = self.layout.spans.get(number) else {
            if let Some(region) = spare {
                self.return_slot(number, region);
            }
            return Ok(Claim::Exhausted);
        };
        let Some(region) = spare.or_else(|| self.take_slot(number)) else {
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
        self.deal(worker, &spans[number], &region);
        self.return_slot(number, region);
        Ok(true)
    }

    fn wait_turn(&self) {
        reading::wait_turn(self.input);
    }
}

/// Cuts a region into the spans' places.
fn cut_into_spans(mut region: Region, spans: &[Span]) -> Vec<Option<Region>> {
    let mut slots = Vec::with_capacity(spans.len() + 1);
    let mut start = 0;
    for next in spans.iter().skip(1) {
        let rest = region.split_off(next.at - start);
        slots.push(Some(region));
        (region, start) = (rest, next.at);
    }
    slots.push(Some(region));
    slots
}

/// Cuts a region into as many blocks as it holds.
fn cut_into_blocks(mut region: Region, block: usize) -> Vec<Option<Region>> {
    let mut slots = Vec::new();
    while region.len() >= 2 * block {
        let rest = region.split_off(block);
        slots.push(Some(region));
        region = rest;
    }
    slots.push(Some(region));
    slots
}
