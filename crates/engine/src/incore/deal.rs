//! Dealing: each worker puts the entries of the blocks it read into its own chains of chunks, one
//! chain per bucket; afterwards a bucket is those chains together.
//!
//! Nothing is shared while dealing but the pool's next chunk number. Every worker notes after each
//! block how many items its chains held (a *mark*); from the marks a bucket can be read in the
//! order of the input, whichever worker dealt a block. Records that are items need that order to be
//! stable; entries are found sorted then where the input was, and equal keys need no sorting by
//! number.

mod chains;

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use self::chains::Chains;
use super::classifier::Classifier;
use super::item::{Item, entry, wide_entry};
use super::pool::{CHUNK, NONE, Pool};
use super::prefetch::prefetch_all;
use super::runs::{EntryRun, EntryRuns, RunSort};
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::proof::Sum;

/// Number of bytes of equally long records that are summed and dealt at a time, while they are in a
/// cache.
const PIECE: usize = 32 << 10;

/// Number of short records that are classified before they are put into buckets.
const AT_ONCE: usize = 16;

/// Fill of a worker's chains after one block.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Location where the block begins. The marks of all workers, sorted by it, give the input's
    /// order.
    first: u64,
    /// Index of this mark in its dealer's `marked`, counted in rows of one number per bucket.
    row: u32,
}

/// One worker's share of the buckets while dealing.
///
/// Dealers of a load lie side by side, each on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Dealer {
    pool: Arc<Pool>,
    item: Item,
    /// Items in each bucket.
    counts: Vec<u32>,
    /// Bytes of the records in each bucket, where these differ in length.
    bytes: Vec<u64>,
    /// Bytes of the longest of them.
    longest_bytes: u64,
    chains: Chains,
    marks: Vec<Mark>,
    /// For each mark, the counts of all buckets then.
    marked: Vec<u32>,
    /// Runs of all entries, if these are not dealt into chains. Buckets are only counted then.
    runs: Option<EntryRuns>,
}

impl Dealer {
    /// Returns a dealer with `buckets` empty chains.
    pub fn new(pool: Arc<Pool>, item: Item, buckets: usize) -> Self {
        Self {
            pool,
            item,
            counts: vec![0; buckets],
            bytes: vec![0; buckets],
            longest_bytes: 0,
            chains: Chains::new(item.bytes(), buckets),
            marks: Vec::new(),
            marked: Vec::new(),
            runs: None,
        }
    }

    /// Returns a dealer that collects wide entries in runs, and counts them by `ranges` key ranges.
    pub fn of_runs(pool: Arc<Pool>, how: RunSort, ranges: usize) -> Self {
        let mut dealer = Self::new(pool, Item::WideEntry, 0);
        (dealer.counts, dealer.bytes) = (vec![0; ranges], vec![0; ranges]);
        Self { runs: Some(EntryRuns::new(how)), ..dealer }
    }

    /// Deals the records of one block, which lie back to back in `block`, the first at location
    /// `first`, and adds them to `sum`, if one is wanted. Returns their number. Blocks may come in
    /// any order.
    pub fn deal<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        block: &[u8],
        framing: Framing,
        first: u64,
        mut sum: Option<&mut Sum>,
    ) -> u64 {
        let dealt = match framing {
            Framing::Fixed(length) => {
                let mut location = first;
                for piece in block.chunks((PIECE / length).max(1) * length) {
                    if let Some(sum) = &mut sum {
                        sum.add_all(framing, piece);
                    }
                    self.deal_fixed(classifier, key, piece, length, location);
                    location += piece.len() as u64;
                }
                block.len() / length
            }
            Framing::Terminated(end) => {
                let (mut begun, mut lines) = (0, 0);
                for at in memchr_iter(end, block) {
                    let record = &block[begun..=at];
                    if let Some(sum) = &mut sum {
                        sum.add_record(record);
                    }
                    self.deal_item(classifier, key, record, first + begun as u64);
                    (begun, lines) = (at + 1, lines + 1);
                }
                debug_assert_eq!(begun, block.len(), "a block is whole records");
                lines
            }
            Framing::Quoted(_) | Framing::Prefixed(_) | Framing::Grouped(_) => {
                let (mut begun, mut records) = (first, 0);
                for record in framing.records(block) {
                    if let Some(sum) = &mut sum {
                        sum.add_record(record);
                    }
                    self.deal_item(classifier, key, record, begun);
                    (begun, records) = (begun + record.len() as u64, records + 1);
                }
                records
            }
        };
        self.mark(first);
        dealt as u64
    }

    fn deal_fixed<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        block: &[u8],
        length: usize,
        first: u64,
    ) {
        let step = length as u64;
        let located = (0..).zip(block.chunks_exact(length));
        let located = located.map(|(number, record)| (first + number * step, record));
        // The common sizes are spelled out so that lines and copies have lengths known beforehand.
        match self.item {
            Item::Entry => {
                for (location, record) in located {
                    let (bucket, digest) = classifier.classify(key, record, location);
                    self.push(bucket, entry(digest, location).to_ne_bytes().as_slice());
                }
            }
            Item::WideEntry => {
                for (location, record) in located {
                    self.deal_item(classifier, key, record, location);
                }
            }
            Item::Record(8) => self.deal_short(classifier, key, block, 8, first),
            Item::Record(16) => self.deal_short(classifier, key, block, 16, first),
            Item::Record(length) => self.deal_short(classifier, key, block, length, first),
        }
    }

    /// Deals short records. The places that some of them go to are fetched while their neighbours
    /// are classified.
    #[inline(always)]
    fn deal_short<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        block: &[u8],
        length: usize,
        first: u64,
    ) {
        let mut location = first;
        for some in block.chunks(AT_ONCE * length) {
            let mut buckets = [0; AT_ONCE];
            for (slot, record) in buckets.iter_mut().zip(some.chunks_exact(length)) {
                *slot = classifier.bucket(key, record, location);
                self.chains.prefetch(*slot as usize);
                location += length as u64;
            }
            for (bucket, record) in buckets.iter().zip(some.chunks_exact(length)) {
                self.push(*bucket, &record[..length]);
            }
        }
    }

    /// Deals one record. A [`mark`](Self::mark) must follow, in time.
    pub fn deal_item<K: KeyEncoder>(
        &mut self,
        classifier: &Classifier,
        key: &K,
        record: &[u8],
        location: u64,
    ) {
        let bucket = match self.item {
            Item::Entry => {
                let (bucket, digest) = classifier.classify(key, record, location);
                self.push(bucket, entry(digest, location).to_ne_bytes().as_slice());
                bucket
            }
            Item::WideEntry => match &mut self.runs {
                Some(runs) => {
                    let (range, value) = classifier.classify_whole(key, record, location);
                    runs.push(wide_entry(value, location), &self.pool);
                    self.counts[range as usize] += 1;
                    range
                }
                None => {
                    let (bucket, value) = classifier.classify_wide(key, record, location);
                    self.push(bucket, wide_entry(value, location).to_ne_bytes().as_slice());
                    bucket
                }
            },
            Item::Record(length) => {
                let bucket = classifier.bucket(key, record, location);
                self.push(bucket, &record[..length]);
                bucket
            }
        };
        self.bytes[bucket as usize] += record.len() as u64;
        self.longest_bytes = self.longest_bytes.max(record.len() as u64);
    }

    /// Adds an item to a bucket.
    #[inline(always)]
    fn push(&mut self, bucket: u32, item: &[u8]) {
        self.counts[bucket as usize] += 1;
        self.chains.push(bucket as usize, item, &self.pool);
    }

    /// Moves what does not fill a line to the chains: dealing is over.
    fn seal(&mut self) {
        if let Some(runs) = &mut self.runs {
            return runs.seal(&self.pool);
        }
        self.chains.seal(&self.pool);
    }

    /// Notes that all items dealt since the last mark belong, in the order of the input, before the
    /// blocks that begin after location `first`.
    pub fn mark(&mut self, first: u64) {
        if self.runs.is_some() {
            return; // locations order runs
        }
        self.marks.push(Mark { first, row: self.marks.len() as u32 });
        self.marked.extend_from_slice(&self.counts);
    }

    fn count(&self, bucket: usize) -> usize {
        self.counts[bucket] as usize
    }

    /// Returns the chunks of a bucket's chain, first to last.
    fn chain(&self, bucket: usize) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut chunk = self.chains.last_chunk(bucket);
        while chunk != NONE {
            chain.push(chunk);
            chunk = self.pool.previous(chunk);
        }
        chain.reverse();
        chain
    }

    /// Returns the range of a bucket's chain that the block of mark `row` added.
    fn added(&self, row: u32, bucket: usize) -> Range<usize> {
        let at = |row: usize| self.marked[row * self.counts.len() + bucket] as usize;
        let before = if row == 0 { 0 } else { at(row as usize - 1) };
        before..at(row as usize)
    }
}

/// Buckets after dealing: every worker's chains, now read-only.
#[derive(Debug)]
pub struct Dealt {
    item: Item,
    dealers: Vec<Dealer>,
    /// Dealer and mark of every block, in the order of the input. Entries in runs have none.
    blocks: Vec<(u32, Mark)>,
}

impl Dealt {
    /// Puts the workers' shares together. All dealers share one pool and one classifier.
    pub fn new(mut dealers: Vec<Dealer>) -> Self {
        assert!(!dealers.is_empty());
        dealers.iter_mut().for_each(Dealer::seal);
        let mut blocks: Vec<(u32, Mark)> = (0..)
            .zip(&dealers)
            .flat_map(|(number, dealer)| dealer.marks.iter().map(move |&mark| (number, mark)))
            .collect();
        blocks.sort_unstable_by_key(|(_, mark)| mark.first);
        Self { item: dealers[0].item, dealers, blocks }
    }

    /// Returns the kind of item in the buckets.
    pub fn item(&self) -> Item {
        self.item
    }

    /// Returns the pool the buckets lie in.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.dealers[0].pool
    }

    /// Returns the runs of all dealers, each with whether its keys may tie. There are none where
    /// items were dealt into buckets.
    pub(super) fn runs(&self) -> Vec<(EntryRun<'_>, bool)> {
        let runs = |dealer| {
            let Dealer { runs, pool, .. }: &Dealer = dealer;
            runs.iter().flat_map(|runs| runs.runs(pool))
        };
        self.dealers.iter().flat_map(runs).collect()
    }

    /// Returns the number of items in a bucket.
    pub fn count(&self, bucket: usize) -> usize {
        self.dealers.iter().map(|dealer| dealer.count(bucket)).sum()
    }

    /// Returns the number of bytes of the longest record, where they differ in length.
    pub fn longest_bytes(&self) -> u64 {
        self.dealers.iter().map(|dealer| dealer.longest_bytes).max().unwrap_or(0)
    }

    /// Returns the number of bytes of a bucket's records.
    pub fn bytes(&self, bucket: usize, framing: Framing) -> u64 {
        match framing {
            Framing::Fixed(length) => (self.count(bucket) * length) as u64,
            _ => self.dealers.iter().map(|dealer| dealer.bytes[bucket]).sum(),
        }
    }

    /// Shows a bucket's items, some at a time, in the order of the blocks they came in. Entries of
    /// records that cross blocks are last.
    pub fn each(&self, bucket: usize, mut show: impl FnMut(&[u8])) {
        self.visit(bucket, &mut show, false);
    }

    /// Shows the items of a bucket, like [`each`](Self::each), for the last time. Chunks go back to
    /// the pool once shown, so that `show` may deal the items again into the same pool.
    pub fn drain(&self, bucket: usize, mut show: impl FnMut(&[u8])) {
        self.visit(bucket, &mut show, true);
    }

    fn visit(&self, bucket: usize, show: &mut dyn FnMut(&[u8]), last_time: bool) {
        let mut chains: Vec<ChunkReader<'_>> =
            self.dealers.iter().map(|dealer| ChunkReader::new(dealer, bucket)).collect();
        for (dealer, mark) in &self.blocks {
            let added = self.dealers[*dealer as usize].added(mark.row, bucket);
            chains[*dealer as usize].show(added, show, last_time);
        }
    }
}

/// One dealer's chain of one bucket, being read.
struct ChunkReader<'a> {
    dealer: &'a Dealer,
    per_chunk: usize,
    items: usize,
    chunks: Vec<u32>,
    /// Items of each chunk that have not been shown yet.
    unshown: Vec<u32>,
}

impl<'a> ChunkReader<'a> {
    fn new(dealer: &'a Dealer, bucket: usize) -> Self {
        let per_chunk = Pool::items_per_chunk(dealer.item.bytes()) as u32;
        let (chunks, items) = (dealer.chain(bucket), dealer.counts[bucket]);
        let mut unshown = vec![per_chunk; chunks.len()];
        if let Some(last) = unshown.last_mut() {
            *last = items - (chunks.len() as u32 - 1) * per_chunk;
        }
        Self { dealer, per_chunk: per_chunk as usize, items: items as usize, chunks, unshown }
    }

    /// Shows items `range` of the chain; the last time, gives back every chunk that is used up.
    fn show(&mut self, range: Range<usize>, show: &mut dyn FnMut(&[u8]), last_time: bool) {
        assert!(range.end <= self.items);
        let per_chunk = self.per_chunk;
        let item_bytes = self.dealer.item.bytes();
        let mut at = range.start;
        while at < range.end {
            let (index, skip) = (at / per_chunk, at % per_chunk);
            let now = (range.end - at).min(per_chunk - skip);
            let chunk = self.chunks[index];
            if let Some(next) = self.chunks.get(index + 1) {
                prefetch_all(self.dealer.pool.items(*next), CHUNK);
            }
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
