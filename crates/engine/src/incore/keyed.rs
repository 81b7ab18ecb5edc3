//! A load whose records have all been dealt: buckets in key order, ready to be sorted by anyone.
//!
//! [`IncoreSort::finish`](super::IncoreSort::finish) makes it, and decides which buckets are dealt
//! again; their parts take their places.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::bucket::{BucketSorter, Scratch};
use super::classifier::{Classifier, LOCATION, Leaf};
use super::deal::Dealt;
use super::item::{Item, location, wide_location};
use super::pool::Pool;
use super::runs::{EntryRun, TiedRuns};
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::{Loaded, Records};

/// Place of one bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct BucketPlace {
    /// Index in `KeyedLoad::dealings` of the dealing it comes from.
    dealing: usize,
    bucket: usize,
    leaf: Leaf,
    /// Records in it.
    pub count: usize,
    /// Bytes of its records.
    bytes: u64,
    /// Bytes of the records of all parts before this one.
    start: u64,
}

/// A load in buckets. It is made when all records have been dealt, and stays the same while the
/// pipeline passes it on, from the load that was filled to the one that is gathered.
#[derive(Debug)]
pub struct KeyedLoad {
    /// Place of the records, unless they are the buckets' items.
    loaded: Loaded,
    dealings: Vec<Dealt>,
    /// Buckets that are not empty, in key order.
    parts: Vec<BucketPlace>,
    /// Key ranges of a load in runs, which the buckets are then.
    ranges: Option<KeyRanges>,
}

/// Key ranges of a load whose entries lie in runs.
#[derive(Debug)]
struct KeyRanges {
    classifier: Classifier,
    tied: TiedRuns,
}

/// Number of runs in a load, and of their entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCount {
    /// Runs.
    pub runs: u64,
    /// Entries of the longest.
    pub entries_max: u64,
}

impl KeyedLoad {
    /// Returns a load without buckets.
    pub(super) fn new(loaded: Loaded) -> Self {
        Self { loaded, dealings: Vec::new(), parts: Vec::new(), ranges: None }
    }

    /// Returns the load as one in runs, with the key ranges of `classifier`.
    pub(super) fn in_runs(self, classifier: Classifier) -> Self {
        Self { ranges: Some(KeyRanges { classifier, tied: TiedRuns::default() }), ..self }
    }

    /// Returns whether entries lie in sorted runs, not in buckets.
    pub fn is_in_runs(&self) -> bool {
        self.ranges.is_some()
    }

    /// Returns the number of runs, if the load is in runs.
    pub fn run_count(&self) -> Option<RunCount> {
        self.ranges.as_ref()?;
        let runs = self.dealings[0].runs();
        let entries_max = runs.iter().map(|(run, _)| run.len() as u64).max().unwrap_or(0);
        Some(RunCount { runs: runs.len() as u64, entries_max })
    }

    /// Puts the ties of all runs in order, together with other workers. Returns when all are.
    pub fn settle_runs<K: KeyEncoder>(&self, key: &K, scratch: &mut Scratch) {
        if let Some(KeyRanges { classifier, tied }) = &self.ranges {
            let (runs, word) = (self.dealings[0].runs(), classifier.first_word());
            tied.settle(&runs, key, word, &self.loaded.records(), scratch);
        }
    }

    /// Returns the rest of each run from a part on. Ties of runs must be settled.
    pub fn runs_from<K: KeyEncoder>(
        &self,
        key: &K,
        part: usize,
    ) -> impl Iterator<Item = EntryRun<'_>> {
        let (records, first) = (self.loaded.records(), self.parts[part].bucket as u32);
        let runs = self.ranges.iter().flat_map(|ranges| {
            self.dealings[0].runs().into_iter().map(|(run, _)| (&ranges.classifier, run))
        });
        runs.map(move |(classifier, run)| {
            if first == 0 {
                return run;
            }
            let begin = run.partition_point(|entry| {
                let location = wide_location(entry);
                classifier.bucket(key, records.get(location), location) < first
            });
            run.after(begin)
        })
    }

    /// Returns the number of records in a group of buckets.
    pub fn records_in(&self, parts: &Range<usize>) -> usize {
        self.parts[parts.clone()].iter().map(|part| part.count).sum()
    }

    /// Returns the records, by location.
    pub fn by_location(&self) -> Records<'_> {
        self.loaded.records()
    }

    /// Takes a dealing in. Returns its buckets that are not empty, in key order; each is then
    /// [kept](Self::keep) or dealt again.
    pub(super) fn add(
        &mut self,
        classifier: &Classifier,
        dealt: Dealt,
    ) -> std::vec::IntoIter<BucketPlace> {
        let (dealing, framing) = (self.dealings.len(), self.loaded.framing);
        let place = |bucket| {
            let (count, bytes) = (dealt.count(bucket), dealt.bytes(bucket, framing));
            let leaf = classifier.leaf(bucket);
            (count > 0).then_some(BucketPlace { dealing, bucket, leaf, count, bytes, start: 0 })
        };
        let places: Vec<BucketPlace> = (0..classifier.buckets()).filter_map(place).collect();
        self.dealings.push(dealt);
        places.into_iter()
    }

    /// Makes a bucket the last part.
    pub(super) fn keep(&mut self, bucket: BucketPlace) {
        self.parts.push(BucketPlace { start: self.bytes(), ..bucket });
    }

    /// Returns the number of parts that a bucket may be dealt into again, with `unsettled` records
    /// in it and in other buckets that may be: each part can waste a chunk. A bucket gets half of
    /// its share of the chunks that are left, as parts may be dealt again as well.
    pub(super) fn parts_max(&self, bucket: &BucketPlace, unsettled: usize) -> usize {
        let share = u128::from(self.pool().available()) * bucket.count as u128;
        (share / (2 * unsettled.max(1) as u128)) as usize
    }

    /// Returns the pool that the buckets lie in.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        self.dealings[0].pool()
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
        let sorter = BucketSorter { key, records: self.loaded.records() };
        sorter.sort(&self.dealings[dealing], bucket, leaf, scratch, show)
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

    /// Returns the memory of the records, unless they are the buckets' items, and that of the
    /// buckets, if no dealer is left elsewhere: for other uses.
    pub fn into_regions(self) -> [Option<Region>; 2] {
        let pool = Arc::clone(self.pool());
        drop(self.dealings);
        [self.loaded.region, Arc::into_inner(pool).map(Pool::into_region)]
    }

    /// Returns the first word, from that of the bucket's leaf on, in which not all its keys are
    /// equal; [`LOCATION`] where all are.
    pub(super) fn first_difference<K: KeyEncoder>(&self, key: &K, bucket: &BucketPlace) -> usize {
        let records = self.loaded.records();
        let item = self.dealings[bucket.dealing].item();
        let first_word = bucket.leaf.word;
        let mut model: Option<Cow<'_, [u8]>> = None;
        let mut agreed = LOCATION;
        self.each_record(bucket, |_, record, location| match &model {
            None => {
                model = Some(match item {
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
    pub(super) fn each_record(&self, bucket: &BucketPlace, show: impl FnMut(usize, &[u8], u64)) {
        let dealt = &self.dealings[bucket.dealing];
        dealt.each(bucket.bucket, self.by_item(dealt.item(), show));
    }

    /// Shows the records of a bucket, like [`each_record`](Self::each_record), for the last time:
    /// `show` may deal them again into the same pool.
    pub(super) fn drain_records(&self, bucket: &BucketPlace, show: impl FnMut(usize, &[u8], u64)) {
        let dealt = &self.dealings[bucket.dealing];
        dealt.drain(bucket.bucket, self.by_item(dealt.item(), show));
    }

    /// Returns a function that shows the records of items, which it is given in their order.
    fn by_item(&self, item: Item, mut show: impl FnMut(usize, &[u8], u64)) -> impl FnMut(&[u8]) {
        let (records, mut place) = (self.loaded.records(), 0);
        move |items| match item {
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
        }
    }
}

#[cfg(test)]
mod tests;
