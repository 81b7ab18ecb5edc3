//! Measurement of sortwell's own steps on a load in memory: sample and deal, sort every bucket,
//! gather.
//!
//! All of it is the library's ([`IncoreSort`]), used as its pipeline does on one thread.

use std::sync::Arc;

use bytemuck::Pod;
use sortwell::unstable::format::Framing;
use sortwell::unstable::incore::bucket::BUCKET_ENTRIES_MAX;
use sortwell::unstable::incore::sort::{bucket_records, buckets_max};
use sortwell::unstable::incore::{IncoreSort, Item, KeyedLoad, Method, Pool, Scratch};
use sortwell::unstable::io::Region;
use sortwell::unstable::key::{CompiledKey, KeyEncoder};
use sortwell::unstable::load::Records;
use sortwell::{ConfigErrorKind, Format};
use sortwell::{Error, Result};

use super::memory::{AlignedValues, touched};

/// Records of one length, and memory to deal and sort them in.
#[derive(Debug)]
pub struct Own<'k, K> {
    sort: IncoreSort<'k, K>,
    /// Bytes of the records.
    bytes: usize,
    /// The records and the memory of buckets, while they are not in a load.
    memory: Option<(Region, Region)>,
    scratch: Scratch,
}

impl<'k, K: KeyEncoder> Own<'k, K> {
    /// Allocates the memory for `records`, which are all of it afterwards.
    ///
    /// # Errors
    ///
    /// That the system has no more.
    pub fn new<T: Pod>(key: &'k K, records: AlignedValues<T>) -> Result<Self> {
        let (count, length) = (records.len(), size_of::<T>());
        let (item, buckets_max) = (Item::for_length(length), buckets_max(count as u64, length));
        let [pool, scratch] = sizes(count, length);
        let (pool, scratch) = (touched(pool)?, touched(scratch)?);
        let (framing, bucket_records) = (Framing::Fixed(length), bucket_records(length));
        Ok(Self {
            sort: IncoreSort { key, item, framing, bucket_records, buckets_max, runs: None },
            bytes: count * length,
            memory: Some((records.into_region(), pool)),
            scratch: Scratch::new(scratch, BUCKET_ENTRIES_MAX, item, Method::Radix),
        })
    }

    /// Samples records, and deals them into buckets.
    ///
    /// # Errors
    ///
    /// That they are in a load already.
    pub fn deal(&mut self) -> Result<KeyedLoad> {
        let memory = self.memory.take();
        let memory = memory.ok_or_else(|| Error::config(ConfigErrorKind::Other, "dealt twice"));
        let (records, pool) = memory?;
        let pool = Arc::new(Pool::new(pool));
        let (classifier, dealer) = self.sort.deal_whole(&records[..self.bytes], &pool);
        Ok(self.sort.finish(Some(records), &classifier, vec![dealer]))
    }

    /// Sorts every bucket, and shows its entries with the records that they mean.
    pub fn sort(&mut self, load: &KeyedLoad, mut show: impl FnMut(&[u64], &Records<'_>)) {
        for part in 0..load.parts() {
            load.sort_part(self.sort.key, part, &mut self.scratch, &mut show);
        }
    }

    /// Takes the memory of a load back.
    pub fn clear(&mut self, load: KeyedLoad) {
        let [records, pool] = load.into_regions();
        self.memory = records.zip(pool);
    }
}

/// Returns the number of bytes that a sort of `count` records of `length` bytes takes beyond them.
pub fn bytes_needed(count: usize, length: usize) -> u64 {
    sizes(count, length).into_iter().sum::<usize>() as u64
}

/// Returns the bytes of buckets for `count` records, and of the memory to sort one in.
fn sizes(count: usize, length: usize) -> [usize; 2] {
    let (item, count) = (Item::for_length(length), count as u64);
    let pool = Pool::bytes_needed(count, item.bytes(), buckets_max(count, length), 1);
    [pool as usize, Scratch::bytes_needed(BUCKET_ENTRIES_MAX, item)]
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
