//! A load whose records have all been dealt: buckets in key order, ready to be sorted by anyone.
//!
//! Most buckets are as the first dealing left them. One that outgrew what a worker can sort at once
//! (its keys came in an order the sample did not foresee, or agree further than the classifier
//! looked) is dealt again, by a classifier made for it alone, into the same pool; the parts take
//! its place. This ends, because behind the last word of a key comes the record number.

use std::ops::Range;
use std::sync::Arc;

use super::Sorter;
use super::bucket::{Scratch, bucket_records, bucket_records_max};
use super::classifier::{Classifier, Leaf, Sample};
use super::deal::{Dealer, Dealt};
use super::item::{Item, number};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::{Layout, Records};

/// Sampled records per wanted part of a bucket that is dealt again, where it has that many.
const OVERSAMPLING: usize = 16;

/// Where one bucket lies.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Which dealing it comes from, in `KeyedLoad::dealings`.
    dealing: usize,
    bucket: usize,
    leaf: Leaf,
    /// Records of all parts before this one.
    first_record: u64,
    count: usize,
}

/// A load in buckets.
#[derive(Debug)]
pub struct KeyedLoad {
    /// Where records are, unless they are the buckets' items.
    region: Option<Region>,
    layout: Layout,
    record_length: usize,
    dealings: Vec<Dealt>,
    /// Buckets that are not empty, in key order.
    parts: Vec<Part>,
}

impl KeyedLoad {
    /// Puts the workers' shares of a load together, and deals again what is too large.
    pub fn new<K: KeyEncoder>(
        key: &K,
        (region, layout, record_length): (Option<Region>, Layout, usize),
        classifier: &Classifier,
        dealers: Vec<Dealer>,
    ) -> Self {
        let mut load =
            Self { region, layout, record_length, dealings: Vec::new(), parts: Vec::new() };
        load.add(key, classifier, Dealt::new(dealers));
        let mut first_record = 0;
        for part in &mut load.parts {
            part.first_record = first_record;
            first_record += part.count as u64;
        }
        load
    }

    /// Records in the load.
    pub fn records(&self) -> u64 {
        self.parts.last().map_or(0, |last| last.first_record + last.count as u64)
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
                count if count <= bucket_records_max(self.record_length) => {
                    self.parts.push(Part { dealing, bucket, leaf, first_record: 0, count });
                }
                _ => {
                    let (classifier, dealt) = self.deal_again(key, dealing, bucket, leaf.word);
                    self.dealings.push(dealt);
                    open.push((self.dealings.len() - 1, leaves(&classifier)));
                }
            }
        }
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
        let records = self.load_records();
        let dealt = &self.dealings[dealing];
        let first_word = first_difference(key, dealt, bucket, &records, first_word);
        let wanted = bucket_records(self.record_length);
        let step = (wanted / OVERSAMPLING).max(1);
        let mut sample = Sample::new(key, first_word);
        for_each_record(dealt, bucket, &records, false, |place, record, number| {
            if is_sampled(place, step) {
                sample.push(key, record, number);
            }
        });
        let classifier = Classifier::build(&sample, (wanted / step).min(sample.len() / 2));
        let mut dealer = Dealer::new(Arc::clone(dealt.pool()), dealt.item(), classifier.buckets());
        for_each_record(dealt, bucket, &records, true, |_, record, number| {
            dealer.deal_item(&classifier, key, (record, number));
        });
        dealer.mark(0);
        (classifier, Dealt::new(vec![dealer]))
    }

    /// The load's records by number; none where they are the buckets' items.
    fn load_records(&self) -> Records<'_> {
        let bytes = self.region.as_deref().unwrap_or_default();
        Records::new(bytes, self.record_length, &self.layout.segments)
    }

    /// Number of buckets.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Neighbouring buckets together, so that each group has `bytes` bytes of records or more.
    pub fn tasks(&self, bytes: u64) -> Vec<Range<usize>> {
        let wanted = bytes.div_ceil(self.record_length as u64);
        let mut tasks = Vec::new();
        let mut begun = 0;
        for (index, part) in self.parts.iter().enumerate() {
            let held = part.first_record + part.count as u64 - self.parts[begun].first_record;
            if held >= wanted || index + 1 == self.parts.len() {
                tasks.push(begun..index + 1);
                begun = index + 1;
            }
        }
        tasks
    }

    /// The records of a group of buckets: their numbers in the sorted load.
    pub fn sorted_range(&self, task: &Range<usize>) -> Range<u64> {
        let last = self.parts[task.end - 1];
        self.parts[task.start].first_record..last.first_record + last.count as u64
    }

    /// Sorts one bucket and shows its entries in order, with the records that their numbers mean.
    pub fn sort_part<K: KeyEncoder, R>(
        &self,
        key: &K,
        part: usize,
        scratch: &mut Scratch,
        show: impl FnOnce(&[u64], &Records<'_>) -> R,
    ) -> R {
        let Part { dealing, bucket, leaf, .. } = self.parts[part];
        let sorter = Sorter { key, records: self.load_records() };
        sorter.sort((&self.dealings[dealing], bucket, leaf), scratch, show)
    }

    /// The memory of the records, for other uses. The pool's memory goes to whoever holds the pool.
    pub fn into_region(self) -> Option<Region> {
        self.region
    }
}

/// Whether a record is one of about `1 / step` of all, chosen without regard to any pattern in them
/// (Fibonacci hashing; Knuth, TAOCP vol. 3, section 6.4).
fn is_sampled(place: usize, step: usize) -> bool {
    let hash = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash.is_multiple_of(step as u64)
}

/// The first word, from `first_word` on, in which not all keys of a bucket are equal; the number of
/// words where all are.
fn first_difference<K: KeyEncoder>(
    key: &K,
    dealt: &Dealt,
    bucket: usize,
    records: &Records<'_>,
    first_word: usize,
) -> usize {
    let mut model: Option<Vec<u8>> = None;
    let mut agreed = key.words();
    for_each_record(dealt, bucket, records, false, |_, record, _| match &model {
        None => model = Some(record.to_vec()),
        Some(model) => {
            let mut words = first_word..agreed;
            let differs = |word: &usize| key.word(model, *word) != key.word(record, *word);
            agreed = words.find(differs).unwrap_or(agreed);
        }
    });
    agreed.max(first_word)
}

/// Shows the records of a bucket with their places in it and their numbers.
fn for_each_record(
    dealt: &Dealt,
    bucket: usize,
    records: &Records<'_>,
    last_time: bool,
    mut show: impl FnMut(usize, &[u8], u32),
) {
    let mut place = 0;
    let mut show_items = |items: &[u8]| match dealt.item() {
        Item::Entry => {
            for item in items.as_chunks::<8>().0 {
                let number = number(u64::from_ne_bytes(*item));
                show(place, records.get(number), number);
                place += 1;
            }
        }
        Item::Record(length) => {
            for record in items.chunks_exact(length) {
                show(place, record, place as u32);
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
