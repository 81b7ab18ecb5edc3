//! Measurement of sortwell's own steps on a load in memory: sample and deal, sort every bucket,
//! gather.
//!
//! All of it is the library's (`sortwell::unstable::incore`), used as its pipeline does on one
//! thread.

use std::sync::Arc;

use sortwell::unstable::format::Framing;
use sortwell::unstable::incore::bucket::BUCKET_ENTRIES;
use sortwell::unstable::incore::{
    Classifier, Dealer, Dealt, Item, Method, Pool, Sample, Scratch, Sorter,
};
use sortwell::unstable::io::Region;
use sortwell::unstable::key::{CompiledKey, KeyEncoder};
use sortwell::unstable::load::Records;
use sortwell::{ConfigErrorKind, Format};
use sortwell::{Error, Result};

use super::memory::touched;

/// Sampled records per wanted bucket, as in a sort of a file.
const OVERSAMPLING: usize = 24;

/// Buckets that there may be for each that is wanted, and beside these.
const BUCKETS_MAX_SHARE: usize = 4;
const BUCKETS_MAX_MORE: usize = 64;

/// Bytes dealt at a time, as in a sort of a file.
const BLOCK_BYTES: usize = 4 << 20;

/// Memory to deal records of one length into buckets.
#[derive(Debug)]
pub struct Own {
    pool: Option<Region>,
    length: usize,
    wanted: usize,
}

/// Records in buckets.
#[derive(Debug)]
pub struct InBuckets {
    classifier: Classifier,
    dealt: Dealt,
}

impl Own {
    /// Returns the number of bytes of memory for `count` records of `length` bytes.
    pub fn bytes_needed(count: usize, length: usize) -> u64 {
        let wanted = count.div_ceil(BUCKET_ENTRIES);
        let buckets = BUCKETS_MAX_SHARE * wanted + BUCKETS_MAX_MORE;
        Pool::bytes_needed(count as u64, Item::for_length(length).bytes(), buckets, 1)
    }

    /// Allocates the memory for `count` records of `length` bytes.
    ///
    /// # Errors
    ///
    /// That the system has no more.
    pub fn new(count: usize, length: usize) -> Result<Self> {
        let pool = Some(touched(Self::bytes_needed(count, length) as usize)?);
        Ok(Self { pool, length, wanted: count.div_ceil(BUCKET_ENTRIES) })
    }

    /// Samples records, and deals them into buckets.
    pub fn deal<K: KeyEncoder>(&mut self, key: &K, bytes: &[u8]) -> Result<InBuckets> {
        let memory =
            self.pool.take().ok_or_else(|| Error::config(ConfigErrorKind::Other, "dealt twice"))?;
        let classifier = self.classifier(key, bytes);
        let pool = Arc::new(Pool::new(memory));
        let mut dealer = Dealer::new(pool, Item::for_length(self.length), classifier.buckets());
        let framing = Framing::Fixed(self.length);
        let mut first = 0;
        for block in bytes.chunks(BLOCK_BYTES / self.length * self.length) {
            dealer.deal(&classifier, key, (block, framing), first, None);
            first += block.len() as u64;
        }
        Ok(InBuckets { classifier, dealt: Dealt::new(vec![dealer]) })
    }

    fn classifier<K: KeyEncoder>(&self, key: &K, bytes: &[u8]) -> Classifier {
        let rows = self.wanted * OVERSAMPLING;
        if self.wanted <= 1 {
            return Classifier::single(0);
        }
        let mut sample = Sample::new(key, 0);
        let records = (0..).zip(bytes.chunks_exact(self.length));
        let step = (bytes.len() / self.length / rows).max(1);
        let length = self.length as u64;
        records
            .step_by(step)
            .for_each(|(number, record)| sample.push(key, record, number * length));
        let classifier = Classifier::build(&sample, sample.len().div_ceil(self.wanted));
        let most = BUCKETS_MAX_SHARE * self.wanted + BUCKETS_MAX_MORE;
        if classifier.buckets() <= most { classifier } else { Classifier::single(0) }
    }

    /// Takes the memory of buckets back.
    pub fn clear(&mut self, buckets: InBuckets) {
        let pool = Arc::clone(buckets.dealt.pool());
        drop(buckets);
        self.pool = Arc::into_inner(pool).map(Pool::into_region);
    }
}

impl InBuckets {
    /// Returns memory in which the largest bucket can be sorted.
    ///
    /// # Errors
    ///
    /// That the system has no more memory.
    pub fn scratch(&self) -> Result<Scratch> {
        let counts = (0..self.classifier.buckets()).map(|bucket| self.dealt.count(bucket));
        let (capacity, item) = (counts.max().unwrap_or(0).max(1), self.dealt.item());
        let region = touched(Scratch::bytes_needed(capacity, item))?;
        Ok(Scratch::new(region, (capacity, item), Method::Radix))
    }

    /// Sorts every bucket, and shows its entries with the records that they mean.
    pub fn sort<K: KeyEncoder>(
        &self,
        (key, records): (&K, Records<'_>),
        scratch: &mut Scratch,
        mut show: impl FnMut(&[u64], &Records<'_>),
    ) {
        let sorter = Sorter { key, records };
        for bucket in 0..self.classifier.buckets() {
            let leaf = self.classifier.leaf(bucket);
            sorter.sort((&self.dealt, bucket, leaf), scratch, &mut show);
        }
    }
}

/// Returns the key of the first `bytes` bytes of a record of `length`, in the order of bytes.
///
/// # Errors
///
/// That there is no such key.
pub fn key_of_first(bytes: usize, length: usize) -> Result<sortwell::unstable::key::SliceKey> {
    let key = format!("0..{bytes}").parse()?;
    match CompiledKey::of_keys(&[key], Format::Fixed { length: length as u32 })? {
        CompiledKey::Slice(key) => Ok(key),
        other => {
            Err(Error::config(ConfigErrorKind::Other, format!("{other:?} is no key of bytes")))
        }
    }
}
