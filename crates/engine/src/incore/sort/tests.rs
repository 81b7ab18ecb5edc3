//! Loads sorted wholly in memory through the page, against a stable sort of the standard library.

use super::*;
use crate::format::Format;
use crate::incore::{Method, Scratch, gather};
use crate::io::Arena;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, with_encoder};
use crate::order::OrderCheck;
use crate::units::ByteSize;

/// Records wanted in a bucket: few, so that small loads have many and deal some again.
const BUCKET_RECORDS: usize = 40;

/// Counts around what a bucket may hold before it is dealt again, and many.
const COUNTS: [usize; 8] = [0, 1, 2, 79, 106, 107, 120, 6000];

fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Writes the bytes of a key, of any length, of the record with a number.
type MakeKey = dyn Fn(u64, &mut [u8]);

/// Fills a key with digits of a number, the last one last.
fn put(key: &mut [u8], mut value: u64) {
    for byte in key.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// Kinds of keys: random, few, equal, in order and against it, agreeing for long and ever longer.
fn kinds() -> [Box<MakeKey>; 7] {
    [
        Box::new(|number, key| put(key, mixed(number) >> 20)),
        Box::new(|number, key| put(key, mixed(number) % 3)),
        Box::new(|_, key| key.fill(b'7')),
        Box::new(|number, key| put(key, number)),
        Box::new(|number, key| put(key, 9_999_999 - number)),
        Box::new(|number, key| put(key, mixed(number) % 50 / 49 * number)),
        Box::new(|number, key| {
            let agreed = mixed(number) as usize % (key.len() + 1);
            key.fill(b'a');
            key[agreed..].fill(b'a' + (number % 5) as u8);
        }),
    ]
}

/// Sorts records in memory; also how many buckets the first dealing has, and the load.
fn sorted<K: KeyEncoder>(sort: &IncoreSort<'_, K>, records: &[u8]) -> (Vec<u8>, usize, usize) {
    let count = sort.framing.count(records) as u64;
    let pool = Pool::bytes_needed(count, sort.item.bytes(), sort.buckets_max, 1);
    let pool = Arc::new(Pool::new(Arena::new(ByteSize(pool)).unwrap()));
    let (classifier, dealer) = sort.deal_whole(records, &pool);
    let region = (!matches!(sort.item, Item::Record(_))).then(|| {
        let mut region = Arena::new(ByteSize(records.len() as u64)).unwrap();
        region[..records.len()].copy_from_slice(records);
        region
    });
    let load = sort.finish(region, &classifier, vec![dealer]);
    assert_eq!((load.records(), load.bytes()), (count, records.len() as u64));
    let scratch = Scratch::bytes_needed(BUCKET_ENTRIES_MAX, sort.item);
    let scratch = Arena::new(ByteSize(scratch as u64)).unwrap();
    let mut scratch = Scratch::new(scratch, BUCKET_ENTRIES_MAX, sort.item, Method::default());
    let mut out = vec![0; records.len()];
    for part in 0..load.parts() {
        let range = load.sorted_range(&(part..part + 1));
        let out = &mut out[range.start as usize..range.end as usize];
        load.sort_part(sort.key, part, &mut scratch, |entries, records| {
            let check = &mut OrderCheck::new(sort.key, false);
            let gathered = gather(entries, records, out, None, check);
            assert_eq!((gathered.records, gathered.bytes), (entries.len(), out.len()));
        });
    }
    (out, classifier.buckets(), load.parts())
}

/// Holds records against a stable sort; whether a bucket was dealt again into several.
fn check(key: &CompiledKey, item: Item, framing: Framing, records: &[u8]) -> bool {
    with_encoder!(key, |key| {
        let buckets_max = framing.count(records) / BUCKET_RECORDS * 2 + 8;
        let bucket_records = BUCKET_RECORDS;
        let sort = IncoreSort { key, item, framing, bucket_records, buckets_max, runs: None };
        let (found, buckets, parts) = sorted(&sort, records);
        let mut expected: Vec<&[u8]> = framing.records(records).collect();
        expected.sort_by(|a, b| key.compare_from(a, b, 0));
        assert!(found == expected.concat(), "{item:?}, {framing:?}, {} records", expected.len());
        assert!(buckets <= buckets_max);
        parts > buckets
    })
}

/// Records that are dealt themselves, and records that entries point to: equal keys stay in the
/// order of the input, which the bytes after them show.
#[test]
fn records_of_one_length() {
    let mut again = 0;
    for (length, key_bytes) in [(1, 1), (2, 1), (8, 5), (16, 12), (17, 4), (100, 60), (300, 260)] {
        let format = Format::Fixed { length: length as u32 };
        let key = CompiledKey::of_keys(&[format!("0..{key_bytes}").parse().unwrap()], format);
        let key = key.unwrap();
        for (make, count) in kinds().iter().flat_map(|make| COUNTS.map(|count| (make, count))) {
            let mut records = vec![0; count * length];
            for (number, record) in (0..).zip(records.chunks_exact_mut(length)) {
                let (key, rest) = record.split_at_mut(key_bytes);
                make(number, key);
                let width = rest.len().min(8);
                rest[..width].copy_from_slice(&number.to_le_bytes()[..width]);
            }
            let usual = Item::for_length(length);
            let items = if usual == Item::Entry { &[usual, Item::WideEntry][..] } else { &[usual] };
            for item in items {
                again += usize::from(check(&key, *item, Framing::Fixed(length), &records));
            }
        }
    }
    assert!(again > 20, "{again} loads had buckets dealt again");
}

#[test]
fn lines() {
    let key = CompiledKey::of_keys(&["1".parse().unwrap()], "tsv".parse().unwrap()).unwrap();
    let mut again = 0;
    for (make, count) in kinds().iter().flat_map(|make| COUNTS.map(|count| (make, count))) {
        for key_bytes in [1, 7, 40, 300] {
            let mut lines = Vec::new();
            for number in 0..count as u64 {
                let start = lines.len();
                lines.resize(start + key_bytes, 0);
                make(number, &mut lines[start..]);
                lines.extend(format!("\t{number}{}\n", "-".repeat(number as usize % 13)).bytes());
            }
            for item in [Item::Entry, Item::WideEntry] {
                again += usize::from(check(&key, item, Framing::Terminated(b'\n'), &lines));
            }
        }
    }
    assert!(again > 20, "{again} loads had buckets dealt again");
}

/// A stream may begin with few more records than are sampled, with as many, or with fewer.
#[test]
fn as_many_records_are_sampled_as_there_may_be() {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    let framing = Framing::Terminated(b'\n');
    with_encoder!(&key, |key| {
        let item = Item::Entry;
        let sort =
            IncoreSort { key, item, framing, bucket_records: 1, buckets_max: 100, runs: None };
        for records in 0..80 {
            let lines: Vec<u8> =
                (0..records).flat_map(|n| [b"x".repeat(n), vec![b'\n']]).flatten().collect();
            for rows_max in 0..100 {
                let (sample, _) = sort.sample(&lines, 1 << 20, rows_max);
                assert_eq!(sample.len(), rows_max.min(records), "of {records}");
            }
        }
    });
}

/// Keys that are alike as far as a classifier looks make one bucket; those that are sampled all and
/// differ make as many as are wanted, and never more than are allowed.
#[test]
fn buckets_wanted_and_at_most() {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    let framing = Framing::Terminated(b'\n');
    let lines: Vec<u8> =
        (0..5000).flat_map(|n| format!("{:08}\n", mixed(n) % 100_000_000).into_bytes()).collect();
    with_encoder!(&key, |key| {
        for buckets_max in [1, 2, 10, 300] {
            let item = Item::Entry;
            let sort =
                IncoreSort { key, item, framing, bucket_records: 50, buckets_max, runs: None };
            let (sample, wanted) = sort.sample(&lines, lines.len(), usize::MAX);
            assert_eq!((sample.len(), wanted), (records_to_sample(100), 100));
            let buckets = sort.classifier(sample, wanted).buckets();
            assert!(buckets <= buckets_max, "{buckets} buckets of {buckets_max}");
            assert!(buckets_max < 300 || buckets >= wanted / 2, "{buckets} buckets");
            assert_eq!(sort.sample(&lines, 10 * lines.len(), 70).0.len(), 70);
            assert_eq!(sort.sample(&lines, 10 * lines.len(), usize::MAX).0.len(), 5000);
            assert!(sort.sample(&[], 1 << 20, 70).0.is_empty(), "nothing to sample");
        }
    });
    assert_eq!(
        (bucket_records(100), bucket_records(1 << 20), bucket_records(1 << 30)),
        (24576, 4, 1)
    );
    assert_eq!((buckets_max(40_000, 100), buckets_max(3, 1 << 30)), (1, 3));
}

/// A pool may be nearly full when a bucket that no worker can sort at once is dealt again. Its
/// parts are then fewer and larger than wanted.
#[test]
fn a_large_bucket_is_dealt_again_in_a_full_pool() {
    const LINES: u64 = 400_000;
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    // They agree for longer than a classifier looks.
    let agreed = "p".repeat(CLASSIFIER_BYTES);
    let line = |number| format!("{agreed}{:08x}\n", mixed(number) as u32).into_bytes();
    let lines: Vec<u8> = (0..LINES).flat_map(line).collect();
    with_encoder!(&key, |key| {
        let (item, framing, bucket_records) = (Item::Entry, Framing::Terminated(b'\n'), 512);
        let sort = IncoreSort { key, item, framing, bucket_records, buckets_max: 2, runs: None };
        let (found, buckets, parts) = sorted(&sort, &lines);
        assert_eq!(buckets, 1);
        assert!((2..LINES as usize / bucket_records).contains(&parts), "{parts} parts");
        let mut expected: Vec<&[u8]> = framing.records(&lines).collect();
        expected.sort_unstable();
        assert!(found == expected.concat());
    });
}
