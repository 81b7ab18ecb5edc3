//! The sort of one load in memory, from its first sampled key to its sorted buckets.
//!
//! ```text
//!        before the load       each block, as it arrives,          each bucket, by any worker,
//!                              by the worker that read it          when all blocks have arrived
//!
//!   1 sample    2 classify     3 deal                              5 sort         6 gather
//!
//!    . .  .                    record 0 --.    bucket 0   1   2     +-------+
//!   .  . .   -->  a trie,      record 1 --+-->   +-+     +-+ +-+    | d d d |--> records in
//!     .  .        which maps   record 2 --'      | |     | | | |--> | d d d |    order, in an
//!   . .  . .      a key to a                     +-+     +-+ +-+    +-------+    output buffer
//!   some keys     bucket                      chunks of one |       one L2 cache
//!                                             pool          |
//!                                4 deal again <-------------'
//!                                  a bucket that is too large
//! ```
//!
//! - Phases 1 and 2, [`IncoreSort::sample`] and [`IncoreSort::classifier`], are those of sample
//!   sort (Blelloch et al., SPAA 1991; ips4o, Axtmann et al., ESA 2017), with a trie as the search.
//! - Phase 3, [`IncoreSort::deal`]: NOW-Sort (Arpaci-Dusseau et al., SIGMOD 1997, section 4.2) puts
//!   entries into buckets while the disk still reads. Their ends are written by cache lines (Satish
//!   et al., SIGMOD 2010, section 4).
//! - Phase 4, [`IncoreSort::finish`], is sample sort of one bucket, from where its keys differ.
//! - Phases 5 and 6, [`KeyedLoad::sort_part`] and [`gather`](super::gather()): AlphaSort (Nyberg et
//!   al., VLDB Journal 1995, section 4) found that a cache miss costs more than a comparison. So it
//!   sorts small entries, not records, a cache-full at a time, and copies the records last.
//!
//! Everything here runs on one thread and does no I/O. `pipeline` reads pages for the sample and
//! blocks to deal, has a dealer for each worker, and lets any of them sort and gather buckets.
//! [`IncoreSort::deal_whole`] conducts phases 1 to 3 for a load that lies in memory already.

use std::sync::Arc;

use super::bucket::{BUCKET_ENTRIES, BUCKET_ENTRIES_MAX};
use super::classifier::{CLASSIFIER_BYTES, Classifier, LOCATION, Sample};
use super::deal::{Dealer, Dealt};
use super::item::Item;
use super::keyed::{BucketPlace, KeyedLoad};
use super::pool::Pool;
use super::runs::RunSort;
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::Loaded;
use crate::proof::Sum;

/// Sampled records per wanted bucket: buckets then differ by about a fifth of their size.
const OVERSAMPLING: usize = 24;

/// Sampled records per wanted part of a bucket that is dealt again, where it has that many.
pub(super) const OVERSAMPLING_AGAIN: usize = 16;

/// Dealings within dealings of records that a function compares. Each makes many parts, unless the
/// function contradicts itself.
const COMPARED_DEPTH_MAX: usize = 32;

/// Dealings within dealings after which a worker sorts what it can: keys that agree for so long are
/// compared as quickly.
const DEALT_DEPTH_MAX: usize = 16;

/// Bytes of records wanted in a bucket at most: buckets are what workers share the work by.
const BUCKET_BYTES: usize = 4 << 20;

/// Bytes dealt at a time of a load that lies in memory: the largest block that jobs read unasked.
const BLOCK_BYTES: usize = 4 << 20;

/// Returns the records wanted in a bucket.
pub fn bucket_records(record_length: usize) -> usize {
    (BUCKET_BYTES / record_length).clamp(1, BUCKET_ENTRIES)
}

/// Returns the maximum number of buckets that a load of `records` records is dealt into.
pub fn buckets_max(records: u64, record_length: usize) -> usize {
    let wanted = records / bucket_records(record_length) as u64;
    // Keys that agree for long are dealt again many times. Each time leaves some small buckets.
    let nested = 3 * (record_length / CLASSIFIER_BYTES) as u64;
    if wanted <= 1 { 1 } else { (2 * wanted + 256 + nested).min(records) as usize }
}

/// Returns the number of records to sample for `buckets` buckets.
pub fn records_to_sample(buckets: usize) -> usize {
    buckets * OVERSAMPLING
}

/// Returns a number from 0 up to 1 that is in no pattern with its neighbours (Fibonacci hashing;
/// Knuth, TAOCP vol. 3, section 6.4). It is the same each time, so that runs can be repeated.
pub fn chance(number: u64) -> f64 {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The settings of the sort, equal for all loads of a job.
#[derive(Debug)]
pub struct IncoreSort<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Kind of item that lies in the buckets.
    pub item: Item,
    /// Framing that separates records.
    pub framing: Framing,
    /// Records wanted in a bucket.
    pub bucket_records: usize,
    /// Most buckets of the first dealing.
    pub buckets_max: usize,
    /// Runs that the load is sorted in, if it is not dealt into buckets. Items are wide entries
    /// then, and buckets are key ranges that one task merges.
    pub runs: Option<RunSort>,
}

impl<K: KeyEncoder> IncoreSort<'_, K> {
    /// Returns the number of buckets wanted for a load of `bytes` bytes in records of `average`
    /// bytes.
    pub fn buckets_wanted(&self, bytes: usize, average: usize) -> usize {
        bytes / average.max(1) / self.bucket_records
    }

    /// Samples at most `rows_max` of the whole records in `first`, with which a load of
    /// `load_bytes` bytes begins. Also returns the number of buckets wanted for it.
    ///
    /// Records are taken at even distances, each shifted by chance within its share: data in
    /// order, in waves or in clusters is then seen as evenly as random data.
    pub fn sample(&self, first: &[u8], load_bytes: usize, rows_max: usize) -> (Sample, usize) {
        let records = self.framing.count(first);
        let wanted = self.buckets_wanted(load_bytes, first.len().div_ceil(records.max(1)));
        let rows =
            if wanted > 1 { records_to_sample(wanted).min(rows_max).min(records) } else { 0 };
        let (mut sample, mut number, mut at) = (Sample::new(self.key, 0), 0, 0);
        for row in 0..rows {
            let (begin, end) = (row * records / rows, (row + 1) * records / rows);
            let shifted = begin + (chance(row as u64) * (end - begin) as f64) as usize;
            let passed = shifted.min(end - 1) - number;
            at = match self.framing.fixed_length() {
                Some(length) => at + passed * length,
                None => (0..passed).fold(at, |at, _| at + self.framing.first_length(&first[at..])),
            };
            let length = self.framing.first_length(&first[at..]);
            if length == 0 {
                break;
            }
            sample.push(self.key, &first[at..at + length], at as u64);
            (number, at) = (number + passed + 1, at + length);
        }
        (sample, wanted)
    }

    /// Returns a classifier of buckets of even size, as many as wanted, but no more than
    /// `buckets_max` whatever the keys are.
    pub fn classifier(&self, mut sample: Sample, wanted: usize) -> Classifier {
        sample.rank(self.key);
        // A function that contradicts itself would give other ranges when it is called again.
        let is_one_range = self.runs.is_some() && self.key.is_compared();
        if sample.is_empty() || wanted <= 1 || is_one_range {
            return Classifier::single(0);
        }
        let mut per_bucket = sample.len().div_ceil(wanted);
        loop {
            let classifier = Classifier::build(&sample, per_bucket);
            if classifier.buckets() <= self.buckets_max {
                return classifier;
            }
            if per_bucket > sample.len() {
                return Classifier::single(0);
            }
            per_bucket *= 2;
        }
    }

    /// Returns the number of records that are sure to find room in a pool, dealt by `workers`.
    /// Dealers count them in 32 bits.
    pub fn room(&self, pool: &Pool, workers: usize) -> u64 {
        pool.capacity(self.item.bytes(), self.buckets_max, workers).min(u64::from(u32::MAX))
    }

    /// Returns a dealer for one worker, with nothing dealt.
    pub fn dealer(&self, classifier: &Classifier, pool: &Arc<Pool>) -> Dealer {
        let (pool, buckets) = (Arc::clone(pool), classifier.buckets());
        match self.runs {
            None => Dealer::new(pool, self.item, buckets),
            Some(runs) => Dealer::of_runs(pool, runs, buckets),
        }
    }

    /// Deals the records of a block of whole ones, the first at location `first`, and adds them to
    /// `sum`, if one is wanted. Returns their number.
    pub fn deal(
        &self,
        classifier: &Classifier,
        dealer: &mut Dealer,
        block: &[u8],
        first: u64,
        sum: Option<&mut Sum>,
    ) -> u64 {
        dealer.deal(classifier, self.key, block, self.framing, first, sum)
    }

    /// Deals the records of a load that lies in memory: samples them, classifies and deals them
    /// block by block, as one worker of a job would.
    pub fn deal_whole(&self, records: &[u8], pool: &Arc<Pool>) -> (Classifier, Dealer) {
        let (sample, wanted) = self.sample(records, records.len(), usize::MAX);
        let classifier = self.classifier(sample, wanted);
        let mut dealer = self.dealer(&classifier, pool);
        let mut begun = 0;
        while begun < records.len() {
            let rest = &records[begun..];
            let end = self.framing.first_from(rest, BLOCK_BYTES).unwrap_or(rest.len());
            self.deal(&classifier, &mut dealer, &rest[..end], begun as u64, None);
            begun += end;
        }
        (classifier, dealer)
    }

    /// Puts the workers' shares of a load together, and deals again what is too large. `region` is
    /// the memory of the records, unless they are the buckets' items.
    ///
    /// Most buckets stay as the first dealing left them. One outgrows what a worker can sort at
    /// once if its keys came in an order that the sample did not foresee, or agree further than the
    /// classifier looked. A classifier made for it alone then deals it into the same pool; the
    /// parts take its place. This ends, because after the last word of a key comes the location.
    pub fn finish(
        &self,
        region: Option<Region>,
        classifier: &Classifier,
        dealers: Vec<Dealer>,
    ) -> KeyedLoad {
        let mut load = KeyedLoad::new(Loaded { region, framing: self.framing });
        if self.runs.is_some() {
            let ranges = load.add(classifier, Dealt::new(dealers));
            ranges.for_each(|range| load.keep(range));
            return load.in_runs(classifier.clone());
        }
        // Keys that agree for long make dealings within dealings deep: the stack is our own.
        let buckets = load.add(classifier, Dealt::new(dealers));
        let mut unsettled = buckets.as_slice().iter().map(|bucket| bucket.count).sum();
        let mut open = vec![buckets];
        while let Some(buckets) = open.last_mut() {
            let Some(bucket) = buckets.next() else {
                open.pop();
                continue;
            };
            let parts_max = load.parts_max(&bucket, unsettled);
            if self.is_settled(&bucket, parts_max, open.len()) {
                unsettled -= bucket.count;
                load.keep(bucket);
                continue;
            }
            let is_given_up = self.key.is_compared() && open.len() > COMPARED_DEPTH_MAX;
            let (classifier, dealt) = self.deal_again(&load, &bucket, parts_max, is_given_up);
            open.push(load.add(&classifier, dealt));
        }
        load
    }

    /// Returns whether a bucket is small enough to be sorted, or cannot be dealt into at most
    /// `parts_max` parts. Keys that part at ever new depths take one more chunk each time; when the
    /// pool has no room for them any more, what is left stays together, as long as a worker can
    /// sort it. A bucket also stays together after [`DEALT_DEPTH_MAX`] dealings within dealings.
    /// Where keys are beginnings of one another, each dealing passes all of them and takes out one.
    fn is_settled(&self, bucket: &BucketPlace, parts_max: usize, depth: usize) -> bool {
        let is_stuck = bucket.count / self.bucket_records > parts_max || depth > DEALT_DEPTH_MAX;
        bucket.count <= self.bucket_records * BUCKET_ENTRIES_MAX / BUCKET_ENTRIES
            || bucket.count <= BUCKET_ENTRIES_MAX && is_stuck
    }

    /// Deals a bucket again, from the first word in which its keys differ: into `parts_max` parts
    /// at most, or into as few as its keys allow. Its records never all end up in one bucket
    /// again. If it is given up to order them by keys, locations do.
    fn deal_again(
        &self,
        load: &KeyedLoad,
        bucket: &BucketPlace,
        parts_max: usize,
        is_given_up: bool,
    ) -> (Classifier, Dealt) {
        let first_word = match is_given_up {
            true => LOCATION,
            false => load.first_difference(self.key, bucket),
        };
        let mut sample = Sample::new(self.key, first_word);
        let step = (self.bucket_records / OVERSAMPLING_AGAIN).max(1);
        load.each_record(bucket, |place, record, location| {
            if is_sampled(place, step) {
                sample.push(self.key, record, location);
            }
        });
        sample.rank(self.key);
        let per_bucket_max = sample.len() / 2;
        let mut per_bucket = (self.bucket_records / step).min(per_bucket_max);
        let mut classifier = Classifier::build(&sample, per_bucket);
        while classifier.buckets() > parts_max && per_bucket < per_bucket_max {
            per_bucket = (2 * per_bucket).min(per_bucket_max);
            classifier = Classifier::build(&sample, per_bucket);
        }
        let mut dealer = self.dealer(&classifier, load.pool());
        load.drain_records(bucket, |_, record, location| {
            dealer.deal_item(&classifier, self.key, record, location);
        });
        dealer.mark(0);
        (classifier, Dealt::new(vec![dealer]))
    }
}

/// Returns whether a record is one of about `1 / step` of all, chosen without regard to any pattern
/// in them. ([`chance`] below a bound would choose places at few distances.)
fn is_sampled(place: usize, step: usize) -> bool {
    let hash = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash.is_multiple_of(step as u64)
}

#[cfg(test)]
mod tests;
