//! One bucket, from its chunks to sorted entries, inside one worker's cache.

use super::classifier::{LOCATION, Leaf};
use super::deal::Dealt;
use super::item::{Item, entry};
use super::method::Method;
use super::ties;
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Entries wanted in a bucket. With its spare space that is 384 KiB, which leaves room in a
/// second-level cache of 1 MiB for the counters and for records passing through.
pub const BUCKET_ENTRIES: usize = 24 << 10;

/// Most entries a worker's scratch space holds. Buckets are cut from a sample and vary by half
/// their size; data that arrives in order from a pipe makes far larger ones, which are dealt again.
pub const BUCKET_ENTRIES_MAX: usize = 64 << 10;

const _: () = assert!(BUCKET_ENTRIES_MAX >= 2 * BUCKET_ENTRIES);

/// One worker's space to sort buckets in, used again for every bucket, and how that is done.
#[derive(Debug)]
pub struct Scratch {
    region: Region,
    capacity: usize,
    method: Method,
}

impl Scratch {
    /// Returns the number of bytes of scratch space for buckets of up to `capacity` items.
    pub const fn bytes_needed(capacity: usize, item: Item) -> usize {
        let records = match item {
            Item::Entry | Item::WideEntry => 0,
            Item::Record(length) => capacity * length,
        };
        capacity * (size_of::<u128>() + 2 * size_of::<u64>()) + records
    }

    /// Returns scratch space for buckets of up to `capacity` items.
    pub fn new(region: Region, capacity: usize, item: Item, method: Method) -> Self {
        assert!(region.len() >= Self::bytes_needed(capacity, item));
        assert_eq!(region.address() % align_of::<u128>(), 0);
        Self { region, capacity, method }
    }

    /// Returns the memory, for other uses.
    pub fn into_region(self) -> Region {
        self.region
    }

    /// Returns room for entries in order, while no bucket is sorted.
    pub fn entries(&mut self) -> &mut [u64] {
        self.parts().1
    }

    /// Gives the memory back to the system until it is written to again.
    pub fn release(&mut self) {
        self.region.release();
    }

    /// Pairs, entries, spare entries, and bytes of records.
    pub(super) fn parts(&mut self) -> (&mut [u128], &mut [u64], &mut [u64], &mut [u8]) {
        let capacity = self.capacity;
        let (wide, rest) = self.region.split_at_mut(capacity * size_of::<u128>());
        let (entries, rest) = rest.split_at_mut(capacity * size_of::<u64>());
        let (spare, records) = rest.split_at_mut(capacity * size_of::<u64>());
        // SAFETY: every bit pattern is a valid integer, the region starts aligned for `u128`
        // (asserted in `new`), and the parts before each are multiples of its alignment.
        unsafe {
            (wide.align_to_mut().1, entries.align_to_mut().1, spare.align_to_mut().1, records)
        }
    }

    /// Returns wide entries, and as many spare ones in place of the others.
    fn wide_parts(&mut self) -> (&mut [u128], &mut [u128]) {
        let wide_bytes = self.capacity * size_of::<u128>();
        let (wide, rest) = self.region.split_at_mut(wide_bytes);
        // SAFETY: as in `parts`; two entries take as much as a wide one.
        unsafe { (wide.align_to_mut().1, rest[..wide_bytes].align_to_mut().1) }
    }
}

/// Data needed to sort any bucket of a load.
#[derive(Debug)]
pub(super) struct BucketSorter<'a, K> {
    /// The key.
    pub key: &'a K,
    /// The load's records.
    pub records: Records<'a>,
}

impl<K: KeyEncoder> BucketSorter<'_, K> {
    /// Sorts bucket `bucket` of `dealt` and shows its entries in order, with the records that their
    /// locations mean.
    pub fn sort<R>(
        &self,
        dealt: &Dealt,
        bucket: usize,
        leaf: Leaf,
        scratch: &mut Scratch,
        show: impl FnOnce(&[u64], &Records<'_>) -> R,
    ) -> R {
        let count = dealt.count(bucket);
        assert!(count <= scratch.capacity, "larger buckets are dealt again");
        let method = scratch.method;
        if dealt.item() == Item::WideEntry {
            let (wide, spare) = scratch.wide_parts();
            collect(dealt, bucket, &mut wide[..count], |item| u128::from_ne_bytes(*item));
            method.sort_wide(&mut wide[..count], spare);
        }
        let (wide, entries, spare, bytes) = scratch.parts();
        let entries = &mut entries[..count];
        match dealt.item() {
            Item::Entry => {
                collect(dealt, bucket, entries, |item| u64::from_ne_bytes(*item));
                method.sort(entries, spare);
                ties::settle(entries, leaf, self.key, &self.records, wide);
                show(entries, &self.records)
            }
            Item::WideEntry => {
                ties::narrow(&wide[..count], entries);
                ties::settle_narrowed(entries, leaf, self.key, &self.records, wide);
                show(entries, &self.records)
            }
            Item::Record(length) => {
                let bytes = &mut bytes[..count * length];
                let leaf = self.collect_records(dealt, bucket, leaf, bytes, entries);
                let records = Records::new(bytes, Framing::Fixed(length));
                method.sort(entries, spare);
                ties::settle(entries, leaf, self.key, &records, wide);
                show(entries, &records)
            }
        }
    }

    /// Collects records in the order of the input, and makes entries located by their place.
    /// Returns the leaf that their digests are made by.
    fn collect_records(
        &self,
        dealt: &Dealt,
        bucket: usize,
        leaf: Leaf,
        bytes: &mut [u8],
        entries: &mut [u64],
    ) -> Leaf {
        let length = dealt.item().bytes();
        // Behind the last word of the key comes the location, which is known already.
        let is_by_place = leaf.word == LOCATION;
        // The leaf knows words of open keys as the classifier packs them, with an alphabet that is
        // not at hand here: the words of the bucket themselves say what tells them apart.
        let is_packed = !is_by_place && self.key.is_open();
        let (mut low, mut high) = (u64::MAX, 0);
        let (mut bytes, mut place, mut location) = (bytes, 0, 0);
        dealt.each(bucket, |items| {
            let (here, rest) = std::mem::take(&mut bytes).split_at_mut(items.len());
            here.copy_from_slice(items);
            bytes = rest;
            for record in items.chunks_exact(length) {
                let word = if is_by_place { 0 } else { self.key.word(record, leaf.word) };
                entries[place] = if is_packed {
                    (low, high) = (low.min(word), high.max(word));
                    word
                } else {
                    entry(if is_by_place { 0 } else { leaf.digest(word) }, location)
                };
                (place, location) = (place + 1, location + length as u64);
            }
        });
        if !is_packed {
            return leaf;
        }
        let leaf = Leaf::new(leaf.word, low.min(high), high);
        for (location, slot) in (0..).step_by(length).zip(entries) {
            *slot = entry(leaf.digest(*slot), location);
        }
        leaf
    }
}

/// Collects a bucket's entries, of `BYTES` bytes each, in any order.
fn collect<T, const BYTES: usize>(
    dealt: &Dealt,
    bucket: usize,
    out: &mut [T],
    read: impl Fn(&[u8; BYTES]) -> T,
) {
    let mut filled = 0;
    dealt.each(bucket, |items| {
        let (items, _) = items.as_chunks();
        for (slot, item) in out[filled..].iter_mut().zip(items) {
            *slot = read(item);
        }
        filled += items.len();
    });
    assert_eq!(filled, out.len());
}
