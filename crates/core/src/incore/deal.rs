//! Dealing: each worker puts the entries of the blocks it read into its own chains of chunks, one
//! chain per bucket; afterwards a bucket is those chains together.
//!
//! Nothing is shared while dealing but the pool's next chunk number. Where items are whole records,
//! their order must survive, so every worker notes after each block how full its chains were (a
//! *mark*); from the marks a bucket can be read in the order of the input.

use std::ops::Range;
use std::sync::Arc;

use super::classifier::Classifier;
use super::pool::{NONE, Pool};
use crate::key::KeyEncoder;

/// Longest record that is dealt itself. A cache line holds four such records, so that dealing one
/// costs as much memory traffic as dealing an entry and spares the gather its miss.
const RECORD_ITEM_MAX: usize = 16;

/// What lies in the buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Entries: digest and record number.
    Entry,
    /// The records themselves, of this many bytes.
    Record(usize),
}

impl Item {
    /// The better choice for records of `length` bytes.
    pub fn for_length(length: usize) -> Self {
        if length <= RECORD_ITEM_MAX { Self::Record(length) } else { Self::Entry }
    }

    /// Bytes of an item.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Entry => size_of::<u64>(),
            Self::Record(length) => length,
        }
    }
}

/// The end of one chain: where the next item goes.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// Next free place in `chunk`; `left` items still fit from there.
    at: *mut u8,
    left: u32,
    chunk: u32,
    /// Chunks in the chain.
    chunks: u32,
}

impl Tail {
    /// Items in the chain.
    fn count(&self, items_per_chunk: u32) -> usize {
        self.chunks as usize * items_per_chunk as usize - self.left as usize
    }
}

/// How full a worker's chains were after one block.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Number of the block's first record: marks of all workers, sorted by it, are the input's order.
    first_record: u32,
    /// Index of this mark in its dealer's `marked`, counted in rows of one number per bucket.
    row: u32,
}

/// One worker's share of the buckets while dealing.
#[derive(Debug)]
pub struct Dealer {
    pool: Arc<Pool>,
    item: Item,
    items_per_chunk: u32,
    tails: Vec<Tail>,
    marks: Vec<Mark>,
    /// For each mark, items in every bucket's chain up to then.
    marked: Vec<u32>,
}

// SAFETY: the pointers in `tails` lead into chunks that this dealer alone may write, wherever it is.
unsafe impl Send for Dealer {}
// SAFETY: a shared dealer offers only reads of its own fields.
unsafe impl Sync for Dealer {}

impl Dealer {
    /// A dealer with `buckets` empty chains.
    pub fn new(pool: Arc<Pool>, item: Item, buckets: usize) -> Self {
        let empty = Tail { at: std::ptr::null_mut(), left: 0, chunk: NONE, chunks: 0 };
        Self {
            pool,
            item,
            items_per_chunk: Pool::items_per_chunk(item.bytes()) as u32,
            tails: vec![empty; buckets],
            marks: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// Deals the records of one block, which are `records` (back to back, of `length` bytes each),
    /// numbered from `first_record` on. Blocks may come in any order.
    pub fn deal<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        records: &[u8],
        length: usize,
        first_record: u32,
    ) {
        for (number, record) in (first_record..).zip(records.chunks_exact(length)) {
            let (bucket, digest) = classifier.classify(key, record, number);
            match self.item {
                Item::Entry => self.push_entry(bucket, entry(digest, number)),
                Item::Record(_) => self.push_record(bucket, record),
            }
        }
        self.mark(first_record);
    }

    #[inline]
    fn push_entry(&mut self, bucket: u32, entry: u64) {
        debug_assert_eq!(self.item, Item::Entry);
        let at = self.place(bucket);
        // SAFETY: `place` returns room for one item of eight bytes that only this dealer may write;
        // chunks and the links before their items are aligned to eight bytes.
        unsafe { at.cast::<u64>().write(entry) };
    }

    #[inline]
    fn push_record(&mut self, bucket: u32, record: &[u8]) {
        assert_eq!(self.item, Item::Record(record.len()));
        let at = self.place(bucket);
        // SAFETY: `place` returns room for one item, which is `record.len()` bytes (asserted above),
        // that only this dealer may write; the record lies elsewhere.
        unsafe { copy_short(record, at) };
    }

    /// Room for one more item at the end of a bucket's chain.
    #[inline]
    fn place(&mut self, bucket: u32) -> *mut u8 {
        let tail = &mut self.tails[bucket as usize];
        if tail.left == 0 {
            tail.chunk = self.pool.take(tail.chunk);
            tail.at = self.pool.items(tail.chunk);
            tail.left = self.items_per_chunk;
            tail.chunks += 1;
        }
        let at = tail.at;
        tail.at = at.wrapping_add(self.item.bytes());
        tail.left -= 1;
        at
    }

    /// Deals one item again, from another bucket.
    pub(super) fn deal_item<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        (record, number): (&[u8], u32),
    ) {
        let (bucket, digest) = classifier.classify(key, record, number);
        match self.item {
            Item::Entry => self.push_entry(bucket, entry(digest, number)),
            Item::Record(_) => self.push_record(bucket, record),
        }
    }

    pub(super) fn mark(&mut self, first_record: u32) {
        if self.item == Item::Entry {
            return;
        }
        self.marks.push(Mark { first_record, row: self.marks.len() as u32 });
        let counts = self.tails.iter().map(|tail| tail.count(self.items_per_chunk) as u32);
        self.marked.extend(counts);
    }

    fn count(&self, bucket: usize) -> usize {
        self.tails[bucket].count(self.items_per_chunk)
    }

    /// Chunks of a bucket's chain, first to last.
    fn chain(&self, bucket: usize) -> Vec<u32> {
        let tail = self.tails[bucket];
        let mut chain = Vec::with_capacity(tail.chunks as usize);
        let mut chunk = tail.chunk;
        while chunk != NONE {
            chain.push(chunk);
            chunk = self.pool.previous(chunk);
        }
        chain.reverse();
        chain
    }

    /// Items of a bucket's chain that the block of mark `row` added.
    fn added(&self, row: u32, bucket: usize) -> Range<usize> {
        let at = |row: usize| self.marked[row * self.tails.len() + bucket] as usize;
        let before = if row == 0 { 0 } else { at(row as usize - 1) };
        before..at(row as usize)
    }
}

/// An entry: orders by digest, then by record number.
#[inline]
pub const fn entry(digest: u32, number: u32) -> u64 {
    (digest as u64) << 32 | number as u64
}

/// Copies a record of at most [`RECORD_ITEM_MAX`] bytes; the common lengths without a call.
///
/// # Safety
///
/// `to` must be valid for writing `record.len()` bytes, and these must not overlap `record`.
#[inline]
unsafe fn copy_short(record: &[u8], to: *mut u8) {
    // SAFETY: the caller's duties are those of the copies below, each of `record.len()` bytes.
    unsafe {
        match record.len() {
            16 => to.cast::<[u8; 16]>().write(record.as_ptr().cast::<[u8; 16]>().read()),
            8 => to.cast::<[u8; 8]>().write(record.as_ptr().cast::<[u8; 8]>().read()),
            length => std::ptr::copy_nonoverlapping(record.as_ptr(), to, length),
        }
    }
}

/// Buckets after dealing: every worker's chains, now read-only.
#[derive(Debug)]
pub struct Dealt {
    item: Item,
    dealers: Vec<Dealer>,
    /// Where items are records: dealer and mark of every block, in the order of the input.
    blocks: Vec<(u32, Mark)>,
}

impl Dealt {
    /// Puts the workers' shares together. All dealers share one pool and one classifier.
    pub fn new(dealers: Vec<Dealer>) -> Self {
        assert!(!dealers.is_empty());
        let mut blocks: Vec<(u32, Mark)> = (0..)
            .zip(&dealers)
            .flat_map(|(number, dealer)| dealer.marks.iter().map(move |&mark| (number, mark)))
            .collect();
        blocks.sort_unstable_by_key(|(_, mark)| mark.first_record);
        Self { item: dealers[0].item, dealers, blocks }
    }

    /// What lies in the buckets.
    pub fn item(&self) -> Item {
        self.item
    }

    /// The pool the buckets lie in.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.dealers[0].pool
    }

    /// Items in a bucket.
    pub fn count(&self, bucket: usize) -> usize {
        self.dealers.iter().map(|dealer| dealer.count(bucket)).sum()
    }

    /// Shows a bucket's items, some at a time: records in the order of the input, entries in any.
    pub fn each(&self, bucket: usize, mut show: impl FnMut(&[u8])) {
        self.visit(bucket, &mut show, false);
    }

    /// Like [`each`](Self::each), for the last time: chunks go back to the pool once shown, so that
    /// `show` may deal the items again into the same pool.
    pub fn drain(&self, bucket: usize, mut show: impl FnMut(&[u8])) {
        self.visit(bucket, &mut show, true);
    }

    fn visit(&self, bucket: usize, show: &mut dyn FnMut(&[u8]), last_time: bool) {
        let mut chains: Vec<Chain<'_>> =
            self.dealers.iter().map(|dealer| Chain::new(dealer, bucket)).collect();
        match self.item {
            Item::Entry => {
                for chain in &mut chains {
                    chain.show(0..chain.items, show, last_time);
                }
            }
            Item::Record(_) => {
                for (dealer, mark) in &self.blocks {
                    let added = self.dealers[*dealer as usize].added(mark.row, bucket);
                    chains[*dealer as usize].show(added, show, last_time);
                }
            }
        }
    }
}

/// One dealer's chain of one bucket, being read.
struct Chain<'a> {
    dealer: &'a Dealer,
    items: usize,
    chunks: Vec<u32>,
    /// Items of each chunk that have not been shown yet.
    unshown: Vec<u32>,
}

impl<'a> Chain<'a> {
    fn new(dealer: &'a Dealer, bucket: usize) -> Self {
        let chunks = dealer.chain(bucket);
        let mut unshown = vec![dealer.items_per_chunk; chunks.len()];
        if let Some(last) = unshown.last_mut() {
            *last -= dealer.tails[bucket].left;
        }
        Self { dealer, items: dealer.count(bucket), chunks, unshown }
    }

    /// Shows items `range` of the chain; the last time, gives back every chunk that is used up.
    fn show(&mut self, range: Range<usize>, show: &mut dyn FnMut(&[u8]), last_time: bool) {
        assert!(range.end <= self.items);
        let per_chunk = self.dealer.items_per_chunk as usize;
        let item_bytes = self.dealer.item.bytes();
        let mut at = range.start;
        while at < range.end {
            let (index, skip) = (at / per_chunk, at % per_chunk);
            let now = (range.end - at).min(per_chunk - skip);
            let chunk = self.chunks[index];
            // SAFETY: items `skip..skip + now` of this chunk were written while dealing: they lie
            // below the chain's count (asserted above). Nobody writes to them any more: dealing is
            // over, and a chunk is given back only below, after its last item was shown.
            show(unsafe {
                let start = self.dealer.pool.items(chunk).add(skip * item_bytes);
                std::slice::from_raw_parts(start, now * item_bytes)
            });
            at += now;
            self.unshown[index] -= now as u32;
            if last_time && self.unshown[index] == 0 {
                self.dealer.pool.give_back(chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests;
