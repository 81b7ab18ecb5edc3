//! A whole load in memory against a stable sort: hard orders, samples that saw nothing of the data,
//! buckets that outgrow a worker, and pools that must never run dry.

use super::*;
use crate::format::Format;
use crate::format::Framing;
use crate::incore::bucket::{BUCKET_ENTRIES, BUCKET_ENTRIES_MAX};
use crate::incore::sort::{OVERSAMPLING_AGAIN, bucket_records};
use crate::incore::{Dealer, IncoreSort, Method, Sample, gather};
use crate::io::Arena;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, ListMemory, with_encoder};
use crate::order::OrderCheck;
use crate::proof::Sum;
use crate::units::ByteSize;

const WORKERS: usize = 3;

/// Records dealt at a time.
const BLOCK_RECORDS: usize = 1111;

/// What the classifier of the first dealing knows.
#[derive(Clone, Copy, Debug)]
enum Seen {
    /// Every so many records.
    Every(usize),
    /// One record, and none like it.
    One,
    /// Nothing.
    Nothing,
}

fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// `count` records of `length` bytes whose first `key_bytes` are what `make` makes of zeros.
fn records(
    count: usize,
    (length, key_bytes): (usize, usize),
    make: impl Fn(u64, &mut [u8]),
) -> Vec<u8> {
    let mut data = vec![0; count * length];
    for (number, record) in (0..).zip(data.chunks_exact_mut(length)) {
        let (key, rest) = record.split_at_mut(key_bytes);
        for (at, byte) in (0..).zip(rest) {
            *byte = mixed(number * 3 + (at << 40)) as u8;
        }
        make(number, key);
    }
    data
}

fn put(key: &mut [u8], value: u64) {
    let width = key.len().min(8);
    key[..width].copy_from_slice(&value.to_be_bytes()[..width]);
}

fn classifier<K: KeyEncoder>(key: &K, data: &[u8], length: usize, seen: Seen) -> Classifier {
    let mut sample = Sample::new(key, 0);
    match seen {
        Seen::Every(step) => {
            for (number, record) in (0..).zip(data.chunks_exact(length)).step_by(step) {
                sample.push(key, record, number * length as u64);
            }
        }
        Seen::One => sample.push(key, &vec![0x7e; length], 0),
        Seen::Nothing => return Classifier::single(0),
    }
    Classifier::build(&sample, 16)
}

/// Deals a load as workers would: blocks in any order to anyone.
fn keyed<K: KeyEncoder>(key: &K, data: &[u8], length: usize, seen: Seen) -> KeyedLoad {
    let item = Item::for_length(length);
    let classifier = classifier(key, data, length, seen);
    let count = (data.len() / length) as u64;
    let bytes = Pool::bytes_needed(count, item.bytes(), classifier.buckets(), WORKERS);
    let pool = Arc::new(Pool::new(Arena::new(ByteSize(bytes)).unwrap()));
    let (framing, bucket_records) = (Framing::Fixed(length), bucket_records(length));
    let buckets_max = classifier.buckets();
    let sort = IncoreSort { key, item, framing, bucket_records, buckets_max, runs: None };
    let mut dealers: Vec<Dealer> = (0..WORKERS).map(|_| sort.dealer(&classifier, &pool)).collect();
    let blocks: Vec<&[u8]> = data.chunks(BLOCK_RECORDS * length).collect();
    for (index, block) in blocks.iter().enumerate().rev() {
        let first = (index * BLOCK_RECORDS * length) as u64;
        let worker = mixed(index as u64) as usize % WORKERS;
        sort.deal(&classifier, &mut dealers[worker], block, first, None);
    }
    let region = (item == Item::Entry).then(|| {
        let mut region = Arena::new(ByteSize(data.len() as u64)).unwrap();
        region[..data.len()].copy_from_slice(data);
        region
    });
    sort.finish(region, &classifier, dealers)
}

fn sorted<K: KeyEncoder>(load: &KeyedLoad, key: &K, length: usize) -> Vec<u8> {
    let item = Item::for_length(length);
    let bytes = Scratch::bytes_needed(BUCKET_ENTRIES_MAX, item);
    let region = Arena::new(ByteSize(bytes as u64)).unwrap();
    let mut scratch = Scratch::new(region, BUCKET_ENTRIES_MAX, item, Method::default());
    let mut out = Vec::new();
    for task in load.tasks(1 << 20) {
        assert_eq!(load.sorted_range(&task).start, out.len() as u64);
        for part in task {
            load.sort_part(key, part, &mut scratch, |entries, records| {
                let start = out.len();
                out.resize(start + entries.len() * length, 0);
                let mut sum = Sum::default();
                let mut check = OrderCheck::new(key, true);
                gather(entries, records, &mut out[start..], Some(&mut sum), &mut check);
                assert!(!check.is_disordered(), "in order");
                assert_eq!(sum.records, entries.len() as u64);
            });
        }
    }
    assert_eq!((load.bytes(), load.records() * length as u64), (out.len() as u64, load.bytes()));
    out
}

/// Holds a load against a stable sort; how often something was dealt.
fn check(data: &[u8], length: usize, specs: &[&str], seen: Seen) -> usize {
    let parsed: Vec<Key> = specs.iter().map(|text| text.parse().unwrap()).collect();
    let format = Format::Fixed { length: length as u32 };
    let key = CompiledKey::of_keys(&parsed, format).unwrap();
    check_key(&key, data, length, (&format!("{specs:?}"), seen))
}

/// Does so for any key, which `name` describes.
fn check_key(key: &CompiledKey, data: &[u8], length: usize, (name, seen): (&str, Seen)) -> usize {
    with_encoder!(key, |key| {
        let load = keyed(key, data, length, seen);
        let mut expected: Vec<&[u8]> = data.chunks_exact(length).collect();
        expected.sort_by(|a, b| key.compare_from(a, b, 0));
        assert!(sorted(&load, key, length) == expected.concat(), "{length}, {name}, {seen:?}");
        load.dealings.len()
    })
}

/// Short records are dealt themselves, and their digests made later: of open keys without the
/// alphabets that the classifier cut the buckets by.
#[test]
fn short_records_with_open_keys() {
    for length in [1, 2, 4, 7, 8, 9, 16, 17, 24, 31] {
        for symbols in [b"0123456789".as_slice(), b"ab", b" .-+0aZ~\xff"] {
            let data = records(1500, (length, length), |number, key| {
                for (at, byte) in (0..).zip(key) {
                    *byte = symbols[mixed(number << 8 | at) as usize % symbols.len()];
                }
            });
            let halves = [format!("{}..{length}", length / 2), format!("0..{length}:desc")];
            for text in ["int", "natural", "version", "decimal", "text"] {
                let format = format!("fixed:{length}").parse().unwrap();
                let first = format!("0..{length}:{text}");
                let keys = [&first, &halves[0], &halves[1]];
                let specs = keys.map(|key| key.parse::<Key>().unwrap());
                let specs =
                    specs.iter().map(|spec| spec.spec(ListMemory::UNBOUNDED).unwrap()).collect();
                let order = TextOrder { specs, ..TextOrder::of(format) };
                let key = CompiledKey::new(&order).unwrap();
                for seen in [Seen::Every(1), Seen::Every(7), Seen::One, Seen::Nothing] {
                    check_key(&key, &data, length, (text, seen));
                }
            }
        }
    }
}

/// More records than a worker sorts at once, by two thirds.
const MANY: usize = BUCKET_ENTRIES_MAX * 5 / 3;

#[test]
fn hard_orders() {
    let count = MANY as u64;
    for (length, key_bytes) in [(16, 8), (12, 12), (24, 10), (31, 20), (40, 20)] {
        let shape = (length, key_bytes);
        let kinds = [
            records(MANY, shape, |number, key| put(key, mixed(number))),
            records(MANY, shape, |_, key| key.fill(3)),
            records(MANY, shape, |number, key| key.fill((mixed(number) & 1) as u8)),
            records(MANY, shape, |number, key| put(key, number << 40)),
            records(MANY, shape, |number, key| put(key, (count - number) << 40)),
            records(MANY, shape, |number, key| put(key, (number % 1000) << 40)),
            records(MANY, shape, |number, key| put(key, number.min(count - number) << 30)),
            records(MANY, shape, |n, key| put(key, mixed(n) >> (mixed(n ^ 9) % 64))),
        ];
        let spec = format!("0..{key_bytes}");
        for data in &kinds {
            check(data, length, &[&spec], Seen::Every(50));
        }
    }
}

/// All falls into one bucket, or beyond the sample: it has to be dealt again, and is.
#[test]
fn samples_that_saw_nothing_of_the_data() {
    for length in [16, 40] {
        for seen in [Seen::One, Seen::Nothing] {
            let data = records(MANY, (length, 8), |number, key| put(key, mixed(number) >> 2));
            assert!(check(&data, length, &["0..8"], seen) > 1, "dealt again: {length} {seen:?}");
            let data = records(MANY, (length, 8), |number, key| put(key, number));
            assert!(check(&data, length, &["0..8:desc"], seen) > 1);
            let data = records(MANY, (length, 8), |_, key| key.fill(1));
            assert!(check(&data, length, &["0..8"], seen) > 1);
        }
    }
}

/// Keys that agree for longer than one classifier looks: the second one looks on from there.
#[test]
fn keys_that_agree_for_long() {
    for key_bytes in [100, 128, 136, 150] {
        let data = records(MANY, (key_bytes + 4, key_bytes), |number, key| {
            let end = key.len() - 8;
            put(&mut key[end..], mixed(number) % 5000);
        });
        let spec = format!("0..{key_bytes}");
        let dealings = check(&data, key_bytes + 4, &[&spec], Seen::Every(40));
        assert_eq!(dealings > 1, key_bytes > 128, "{key_bytes} bytes: {dealings} dealings");
        let equal = records(MANY, (key_bytes + 4, key_bytes), |_, _| {});
        check(&equal, key_bytes + 4, &[&spec], Seen::Every(40));
    }
}

/// The sample of a bucket that is dealt again is about one in so many of its records: data that
/// repeats in just that rhythm must not fool it.
#[test]
fn data_in_the_rhythm_of_the_sample() {
    for length in [16, 40] {
        let step = (BUCKET_ENTRIES / OVERSAMPLING_AGAIN) as u64;
        for period in [step, step / 2, 3 * step, 16] {
            let data = records(MANY, (length, 8), |number, key| put(key, mixed(number % period)));
            check(&data, length, &["0..8"], Seen::Nothing);
            let data = records(MANY, (length, 8), |number, key| {
                let is_sampled = number % period == 0;
                put(key, if is_sampled { 1 << 40 } else { mixed(number) });
            });
            check(&data, length, &["0..8"], Seen::Nothing);
        }
    }
}

/// Many heavy values at many depths, all dealt again into what the pool has left.
#[test]
fn nested_skew_does_not_exhaust_the_pool() {
    for (length, key_bytes, count) in [(16, 14, 4 * MANY), (70, 64, 4 * MANY), (5000, 80, 4000)] {
        let data = records(count, (length, key_bytes), |number, key| {
            let agreed = mixed(number ^ 1) as usize % (key.len() + 1);
            for (at, byte) in key[agreed..].iter_mut().enumerate() {
                *byte = mixed(number << 8 | at as u64) as u8 & 3;
            }
        });
        let spec = format!("0..{key_bytes}");
        for seen in [Seen::Nothing, Seen::One, Seen::Every(1000)] {
            check(&data, length, &[&spec], seen);
        }
    }
}

/// A few records of a megabyte, equal all along, or to some depth: no stack is deep enough for one
/// call a word, and no time is long enough for looking at each word alone.
#[test]
fn few_and_very_long_keys() {
    let length = 1 << 20;
    for data in [vec![1; 40 * length], nested_megabytes(40, length)] {
        for seen in [Seen::Every(3), Seen::Nothing] {
            check(&data, length, &[], seen);
        }
    }
}

/// Each record agrees with the one before for a bit longer.
fn nested_megabytes(count: usize, length: usize) -> Vec<u8> {
    let mut data = vec![9; count * length];
    for (number, record) in data.chunks_exact_mut(length).enumerate() {
        record[number * 20_000] = 8 + (number % 3) as u8;
    }
    data
}

/// Every count of equal and of two-valued keys around what a bucket may hold: whatever the sample
/// sees, dealing again gets somewhere.
#[test]
fn dealing_again_always_ends() {
    // Longer records are looked at in fewer counts, as they take the time of several.
    for (length, step) in [(100_000, 2), (300_000, 6)] {
        for count in (1..70).step_by(step) {
            for values in 1..4 {
                let data = records(count, (length, 1000), |number, key| {
                    key[900] = u8::from(number % values == 1);
                });
                check(&data, length, &["0..1000"], Seen::Nothing);
            }
        }
    }
}

#[test]
fn several_parts_of_a_key() {
    let data = records(MANY, (24, 12), |number, key| {
        key[0] = (number % 3) as u8;
        key[4..12].copy_from_slice(&(mixed(number) % 700).to_le_bytes());
    });
    for seen in [Seen::Every(30), Seen::Nothing] {
        check(&data, 24, &["0..1:desc", "4..12:u64le", "2..3"], seen);
    }
}

#[test]
fn small_loads_of_every_size() {
    for length in [1, 9, 16, 31, 32, 100] {
        for count in [0, 1, 2, 3, 23, 24, 25, 127, 128, 129, 3000] {
            let data = records(count, (length, 1), |number, key| put(key, mixed(number) >> 3));
            check(&data, length, &["0..1"], Seen::Every(7));
            check(&data, length, &[], Seen::Nothing);
        }
    }
}
/// Goes into incore/keyed/tests.rs: keys that agree to a random depth out of many words.
#[test]
fn keys_nested_for_hundreds_of_words() {
    for (length, count) in [(5000, 4000), (1000, 20_000), (70_000, 300)] {
        let data = records(count, (length, length), |number, key| {
            let agreed = mixed(number ^ 1) as usize % (key.len() + 1);
            key.fill(0xaa);
            for (at, byte) in key[agreed..].iter_mut().enumerate() {
                *byte = mixed(number << 20 | at as u64) as u8;
            }
        });
        check(&data, length, &[], Seen::Every(7));
        check(&data, length, &[], Seen::Nothing);
    }
}
