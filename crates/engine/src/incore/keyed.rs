//! A load whose records have all been dealt: buckets in key order, ready to be sorted by anyone.
//!
//! Most buckets are as the first dealing left them. One that outgrew what a worker can sort at once
//! (its keys came in an order the sample did not foresee, or agree further than the classifier
//! looked) is dealt again, by a classifier made for it alone, into the same pool; the parts take
//! its place. This ends, because after the last word of a key comes the location.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Sorter;
use super::bucket::{BUCKET_ENTRIES_MAX, Scratch, bucket_records_max};
use super::classifier::{Classifier, LOCATION, Leaf, Sample};
use super::deal::{Dealer, Dealt};
use super::item::{Item, location, wide_location};
use super::pool::Pool;
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::{Loaded, Records};

/// Sampled records per wanted part of a bucket that is dealt again, where it has that many.
const OVERSAMPLING: usize = 16;

/// Parts that a bucket dealt again makes, in all likelihood, at most.
const PARTS_MAX: usize = 512;

/// Place of one bucket.
#[derive(Clone, Copy, Debug)]
struct BucketPlace {
    /// Index in `KeyedLoad::dealings` of the dealing it comes from.
    dealing: usize,
    bucket: usize,
    leaf: Leaf,
    count: usize,
    /// Bytes of its records.
    bytes: u64,
    /// Bytes of the records of all parts before this one.
    start: u64,
}

/// A load in buckets.
#[derive(Debug)]
pub struct KeyedLoad {
    /// Place of the records, unless they are the buckets' items.
    loaded: Loaded,
    /// Records wanted in a bucket.
    bucket_records: usize,
    dealings: Vec<Dealt>,
    /// Buckets that are not empty, in key order.
    parts: Vec<BucketPlace>,
}

impl KeyedLoad {
    /// Puts the workers' shares of a load together, and deals again what is too large.
    pub fn new<K: KeyEncoder>(
        key: &K,
        (loaded, bucket_records): (Loaded, usize),
        classifier: &Classifier,
        dealers: Vec<Dealer>,
    ) -> Self {
        let mut load = Self { loaded, bucket_records, dealings: Vec::new(), parts: Vec::new() };
        load.add(key, classifier, Dealt::new(dealers));
        let mut start = 0;
        for part in &mut load.parts {
            part.start = start;
            start += part.bytes;
        }
        load
    }

    /// Forgets the buckets after the first `limit` records. The rest of the load is never sorted.
    pub fn keep_first(&mut self, limit: u64) {
        let mut held = 0;
        let needed = self.parts.iter().take_while(|part| {
            let is_needed = held < limit;
            held += part.count as u64;
            is_needed
        });
        let needed = needed.count();
        self.parts.truncate(needed);
    }

    /// Returns the records in the load.
    pub fn records(&self) -> u64 {
        self.parts.iter().map(|part| part.count as u64).sum()
    }

    /// Returns the number of bytes of the records in the load.
    pub fn bytes(&self) -> u64 {
        self.parts.last().map_or(0, |last| last.start + last.bytes)
    }

    /// Adds the buckets of a dealing, in order. Dealings within dealings are kept on a stack of our
    /// own: keys that agree for long make them deep.
    fn add<K: KeyEncoder>(&mut self, key: &K, classifier: &Classifier, dealt: Dealt) {
        let leaves = |classifier: &Classifier| {
            let leaves: Vec<Leaf> = (0..classifier.buckets()).map(|b| classifier.leaf(b)).collect();
            leaves.into_iter().enumerate()
        };
        self.dealings.push(dealt);
        let mut open = vec![(self.dealings.len() - 1, leaves(classifier))];
        while let Some((dealing, rest)) = open.last_mut() {
            let dealing = *dealing;
            let Some((bucket, leaf)) = rest.next() else {
                open.pop();
                continue;
            };
            match self.dealings[dealing].count(bucket) {
                0 => {}
                count
                    if count <= bucket_records_max(self.bucket_records)
                        || count <= BUCKET_ENTRIES_MAX && !self.has_room(dealing, count) =>
                {
                    let bytes = self.dealings[dealing].bytes(bucket, self.loaded.framing);
                    self.parts.push(BucketPlace { dealing, bucket, leaf, count, bytes, start: 0 });
                }
                _ => {
                    let (classifier, dealt) = self.deal_again(key, dealing, bucket, leaf.word);
                    self.dealings.push(dealt);
                    open.push((self.dealings.len() - 1, leaves(&classifier)));
                }
            }
        }
    }

    /// Returns whether the pool has room to deal `count` records again, even if they fall into as
    /// many buckets. Keys that part at ever new depths leave a chunk behind each time; what is left
    /// of them then stays together, as long as a worker can sort it.
    fn has_room(&self, dealing: usize, count: usize) -> bool {
        let dealt = &self.dealings[dealing];
        let full = count / Pool::items_per_chunk(dealt.item().bytes());
        let partial = count.min(PARTS_MAX);
        dealt.pool().available() >= (full + partial) as u64
    }

    /// Deals bucket `bucket` of dealing `dealing` again, looking at keys from `first_word` on. Its
    /// records never all end up in one bucket again.
    fn deal_again<K: KeyEncoder>(
        &self,
        key: &K,
        dealing: usize,
        bucket: usize,
        first_word: usize,
    ) -> (Classifier, Dealt) {
        let records = self.loaded.records();
        let dealt = &self.dealings[dealing];
        let first_word = first_difference(key, dealt, bucket, &records, first_word);
        let wanted = self.bucket_records;
        let step = (wanted / OVERSAMPLING).max(1);
        let mut sample = Sample::new(key, first_word);
        for_each_record(dealt, bucket, &records, false, |place, record, location| {
            if is_sampled(place, step) {
                sample.push(key, record, location);
            }
        });
        let classifier = Classifier::build(&sample, (wanted / step).min(sample.len() / 2));
        let mut dealer = Dealer::new(Arc::clone(dealt.pool()), dealt.item(), classifier.buckets());
        for_each_record(dealt, bucket, &records, true, |_, record, location| {
            dealer.deal_item(&classifier, key, (record, location));
        });
        dealer.mark(0);
        (classifier, Dealt::new(vec![dealer]))
    }

    /// Returns the number of buckets.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns groups of neighbouring buckets, so that each group has `bytes` bytes of records or
    /// more.
    pub fn tasks(&self, bytes: u64) -> Vec<Range<usize>> {
        let mut tasks = Vec::new();
        let mut begun = 0;
        for (index, part) in self.parts.iter().enumerate() {
            let held = part.start + part.bytes - self.parts[begun].start;
            if held >= bytes || index + 1 == self.parts.len() {
                tasks.push(begun..index + 1);
                begun = index + 1;
            }
        }
        tasks
    }

    /// Returns the records of a group of buckets: their bytes in the sorted load.
    pub fn sorted_range(&self, task: &Range<usize>) -> Range<u64> {
        let last = self.parts[task.end - 1];
        self.parts[task.start].start..last.start + last.bytes
    }

    /// Sorts one bucket and shows its entries in order, with the records that their locations mean.
    pub fn sort_part<K: KeyEncoder, R>(
        &self,
        key: &K,
        part: usize,
        scratch: &mut Scratch,
        show: impl FnOnce(&[u64], &Records<'_>) -> R,
    ) -> R {
        let BucketPlace { dealing, bucket, leaf, .. } = self.parts[part];
        let sorter = Sorter { key, records: self.loaded.records() };
        sorter.sort((&self.dealings[dealing], bucket, leaf), scratch, show)
    }

    /// Returns the number of bytes of the longest record.
    pub fn longest_bytes(&self) -> u64 {
        match self.loaded.framing {
            Framing::Fixed(length) => length as u64,
            _ => self.dealings[0].longest_bytes(),
        }
    }

    /// Returns the memory of the records.
    pub fn loaded_bytes(&self) -> Option<&[u8]> {
        self.loaded.region.as_deref()
    }

    /// Returns the memory of the records, for other uses. The pool's memory goes to the holder of
    /// the pool.
    pub fn into_region(self) -> Option<Region> {
        self.loaded.region
    }
}

/// Returns whether a record is one of about `1 / step` of all, chosen without regard to any pattern
/// in them (Fibonacci hashing; Knuth, TAOCP vol. 3, section 6.4).
fn is_sampled(place: usize, step: usize) -> bool {
    let hash = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash.is_multiple_of(step as u64)
}

/// Returns the first word, from `first_word` on, in which not all keys of a bucket are equal;
/// [`LOCATION`] where all are.
fn first_difference<K: KeyEncoder>(
    key: &K,
    dealt: &Dealt,
    bucket: usize,
    records: &Records<'_>,
    first_word: usize,
) -> usize {
    let mut model: Option<Cow<'_, [u8]>> = None;
    let mut agreed = LOCATION;
    for_each_record(dealt, bucket, records, false, |_, record, location| match &model {
        None => {
            model = Some(match dealt.item() {
                Item::Record(_) => Cow::Owned(record.to_vec()),
                Item::Entry | Item::WideEntry => Cow::Borrowed(records.get(location)),
            });
        }
        Some(model) if agreed > first_word => {
            let differs = key.first_difference(model, record, first_word);
            agreed = differs.unwrap_or(LOCATION).min(agreed);
        }
        Some(_) => {}
    });
    agreed
}

/// Shows the records of a bucket with their places in it and their locations.
fn for_each_record(
    dealt: &Dealt,
    bucket: usize,
    records: &Records<'_>,
    last_time: bool,
    mut show: impl FnMut(usize, &[u8], u64),
) {
    let mut place = 0;
    let mut show_items = |items: &[u8]| match dealt.item() {
        Item::Entry => {
            for item in items.as_chunks::<8>().0 {
                let location = location(u64::from_ne_bytes(*item));
                show(place, records.get(location), location);
                place += 1;
            }
        }
        Item::WideEntry => {
            for item in items.as_chunks::<16>().0 {
                let location = wide_location(u128::from_ne_bytes(*item));
                show(place, records.get(location), location);
                place += 1;
            }
        }
        Item::Record(length) => {
            for record in items.chunks_exact(length) {
                show(place, record, place as u64);
                place += 1;
            }
        }
    };
    if last_time {
        dealt.drain(bucket, &mut show_items);
    } else {
        dealt.each(bucket, &mut show_items);
    }
}

#[cfg(test)]
mod tests;
