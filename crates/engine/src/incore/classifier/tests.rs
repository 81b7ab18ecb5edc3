//! Promises of every bucket: in the order of (key, location), bucket numbers never fall, and
//! within a bucket neither do digests; whatever the sample saw.

use super::*;
use crate::format::Format;
use crate::incore::item::is_whole;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, ListMemory, with_encoder};

const COUNT: u32 = 6000;

fn key_of(text: &str, length: usize) -> CompiledKey {
    CompiledKey::of_keys(&[text.parse().unwrap()], Format::Fixed { length: length as u32 }).unwrap()
}

/// A mixed-up number (splitmix64's last step).
fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Records by their number, for each kind of data: keys of `length` bytes.
fn kinds(length: usize) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let all = |make: &dyn Fn(u64, &mut Vec<u8>)| {
        (0..u64::from(COUNT))
            .map(|number| {
                let mut record: Vec<u8> =
                    (0..length as u64).map(|at| mixed(number << 16 | at) as u8).collect();
                make(number, &mut record);
                record
            })
            .collect::<Vec<_>>()
    };
    let put = |record: &mut Vec<u8>, value: u64| {
        record.fill(0);
        let width = record.len().min(8);
        record[..width].copy_from_slice(&value.to_be_bytes()[..width]);
    };
    vec![
        ("random", all(&|_, _| {})),
        ("equal", all(&|_, record| record.fill(9))),
        ("largest", all(&|_, record| record.fill(0xff))),
        ("two values", all(&|number, record| record.fill((mixed(number) & 1) as u8))),
        ("sorted", all(&|number, record| put(record, number << 50))),
        ("close together", all(&|number, record| put(record, 1 << 60 | mixed(number) & 0xfff))),
        ("skewed", all(&|n, record| put(record, mixed(n) >> (mixed(n ^ 77) % 64)))),
        (
            "one heavy value",
            all(&|n, record| {
                if n % 3 > 0 {
                    record.fill(0x42);
                }
            }),
        ),
        (
            "nested",
            all(&|n, record| {
                let agreed = (mixed(n ^ 1) as usize) % (record.len() + 1);
                record[..agreed].fill(0xaa);
            }),
        ),
        (
            "common beginning",
            all(&|_, record| {
                let agreed = record.len().saturating_sub(8);
                record[..agreed].fill(0x33);
            }),
        ),
    ]
}

/// Holds a classifier to its promise over `records`; how many are in each bucket.
fn check<K: KeyEncoder>(key: &K, classifier: &Classifier, records: &[Vec<u8>]) -> Vec<usize> {
    let mut order: Vec<u64> = (0..records.len() as u64).collect();
    let record = |number: u64| records[number as usize].as_slice();
    order.sort_by(|&a, &b| key.compare_from(record(a), record(b), 0)); // stable: by number
    let mut counts = vec![0; classifier.buckets()];
    let mut before = (0, 0);
    let mut wide_before: Option<((u32, u128), u64)> = None;
    for number in order {
        let wide = classifier.classify_wide(key, record(number), number);
        if let Some((before, last)) = wide_before.replace((wide, number)) {
            assert!(wide >= before, "record {number}: {wide:x?} after {before:x?}");
            let are_equal = key.compare_from(record(last), record(number), 0).is_eq();
            assert!(!are_equal || wide.0 != before.0 || wide == before, "record {number}");
            assert!(are_equal || wide != before || !is_whole(wide.1), "record {number}");
        }
        let (bucket, digest) = classifier.classify(key, record(number), number);
        assert_eq!(bucket, classifier.bucket(key, record(number), number));
        assert!(
            (bucket, digest) >= before,
            "record {number}: {:?} after {before:?}",
            (bucket, digest)
        );
        assert_eq!(bucket, wide.0);
        before = (bucket, digest);
        counts[bucket as usize] += 1;
    }
    counts
}

/// A classifier made of every `step`-th of the records in `seen`.
fn built<K: KeyEncoder>(
    key: &K,
    records: &[Vec<u8>],
    (seen, step): (std::ops::Range<usize>, usize),
    per_bucket: usize,
) -> Classifier {
    let mut sample = Sample::new(key, 0);
    for number in seen.step_by(step) {
        sample.push(key, &records[number], number as u64);
    }
    Classifier::build(&sample, per_bucket)
}

#[test]
fn buckets_and_digests_keep_the_order_of_keys() {
    for length in [1, 3, 8, 9, 16, 24, 130, 200, 300] {
        for direction in ["asc", "desc"] {
            let key = key_of(&format!("0..{length}:{direction}"), length);
            for (name, records) in kinds(length) {
                println!("{name}, {length} bytes {direction}");
                let all = records.len();
                with_encoder!(&key, |key| {
                    for seen in [(0..all, 7), (0..1, 1), (0..all / 10, 3), (all / 2..all, 400)] {
                        for per_bucket in [1, 8, 1 << 20] {
                            check(key, &built(key, &records, seen.clone(), per_bucket), &records);
                        }
                    }
                });
            }
        }
    }
}

/// With a sample of every record, no bucket is much larger than wanted, but for equal keys beyond
/// the words looked at.
#[test]
fn nothing_is_too_skewed_to_be_cut() {
    for length in [1, 8, 9, 24, 100] {
        let key = key_of("..", length);
        for (name, records) in kinds(length) {
            with_encoder!(&key, |key| {
                let classifier = built(key, &records, (0..records.len(), 1), 100);
                let counts = check(key, &classifier, &records);
                let largest = counts.iter().max().unwrap();
                assert!(*largest <= 200, "{name}, {length} bytes: {largest} in a bucket");
                assert!(counts.len() < 8 * records.len() / 100 + 50, "{name}: {}", counts.len());
            });
        }
    }
}

/// Keys that agree to different depths, a few bytes long: cells within cells end anywhere, and what
/// one bucket knows of its values is a range, whatever they are.
#[test]
fn cells_within_cells_end_with_those_around_them() {
    let key = key_of("0..4:i32be", 13);
    for round in 0..120_u64 {
        let make = |number: u64| {
            let mut record: Vec<u8> =
                (0..13).map(|at| mixed(round << 40 | number << 8 | at) as u8).collect();
            let agreed = mixed(number ^ round << 32 ^ 1) as usize % 5;
            record[..agreed].fill(0xaa);
            record
        };
        let records: Vec<Vec<u8>> = (0..4600).map(make).collect();
        with_encoder!(&key, |key| {
            let mut sample = Sample::new(key, 0);
            for (number, record) in (0..).zip(&records) {
                sample.push(key, record, number);
            }
            let classifier = Classifier::build(&sample, 43);
            check(key, &classifier, &records);
        });
    }
}

#[test]
fn numbers_are_numbers() {
    let data: Vec<Vec<u8>> =
        (0..COUNT).map(|number| mixed(number.into()).to_le_bytes().to_vec()).collect();
    for text in ["0..8:i64le", "0..8:f64le:desc", "2..6:i32be"] {
        let key = key_of(text, 8);
        with_encoder!(&key, |key| {
            let counts = check(key, &built(key, &data, (0..data.len(), 5), 10), &data);
            assert!(counts.len() > 50, "{text}: {} buckets", counts.len());
        });
    }
}

#[test]
fn no_sample_or_one_bucket_keeps_order_too() {
    let key = key_of("0..24", 24);
    for (_, records) in kinds(24) {
        with_encoder!(&key, |key| {
            let empty = Classifier::build(&Sample::new(key, 0), 10);
            assert_eq!(empty.buckets(), 1);
            check(key, &empty, &records);
            check(key, &Classifier::single(0), &records);
        });
    }
}

/// Keys known to agree in their first words are looked at from there on, and a classifier may begin
/// after the last word: at the location.
#[test]
fn later_first_words() {
    let length = 300;
    let mut records = kinds(length).swap_remove(0).1;
    for record in &mut records {
        record[..272].fill(5);
    }
    let key = key_of("..", length);
    with_encoder!(&key, |key| {
        for first_word in [0, 16, 30, 34] {
            let mut sample = Sample::new(key, first_word);
            for (number, record) in (0..).zip(&records).step_by(3) {
                sample.push(key, record, number);
            }
            let counts = check(key, &Classifier::build(&sample, 10), &records);
            assert!(counts.len() > 50 || first_word < 19, "{first_word}: {}", counts.len());
        }
        let equal = vec![vec![5; length]; COUNT as usize];
        let mut sample = Sample::new(key, LOCATION);
        (0..COUNT).step_by(10).for_each(|number| sample.push(key, &equal[0], u64::from(number)));
        let counts = check(key, &Classifier::build(&sample, 10), &equal);
        assert!(counts.len() > 30 && counts.iter().all(|count| *count < 300), "{counts:?}");
    });
}

/// Keys that differ in length, and say themselves where they end: the beginning of a longer one
/// comes first, and so does one that lacks only zeros. Lines as they are, and a number in them.
#[test]
fn open_keys_keep_their_order() {
    let line = |mut text: Vec<u8>| {
        text.retain(|byte| *byte != b'\n');
        text.push(b'\n');
        text
    };
    let mut by_number = TextOrder::by_bytes(b'\n');
    by_number.specs =
        ["..:natural".parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap()].into();
    for order in [TextOrder::by_bytes(b'\n'), by_number] {
        let key = CompiledKey::new(&order).unwrap();
        for length in [1, 8, 40, 200] {
            for (name, records) in kinds(length) {
                println!("{name}, up to {length} bytes");
                let cut = |(number, record): (u64, Vec<u8>)| {
                    let kept = mixed(number ^ 5) as usize % (length + 1);
                    line(record[..kept].to_vec())
                };
                let records: Vec<Vec<u8>> = (0..).zip(records).map(cut).collect();
                with_encoder!(&key, |key| {
                    let all = 0..records.len();
                    for (seen, per_bucket) in
                        [((all.clone(), 7), 1), ((all, 7), 100), ((0..1, 1), 1), ((0..600, 3), 1)]
                    {
                        let classifier = built(key, &records, seen, per_bucket);
                        check(key, &classifier, &records);
                    }
                });
            }
        }
    }
}

/// Empty lines and equal ones are cut by where they are, like any other equal keys.
#[test]
fn equal_open_keys_are_cut_by_their_place() {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    for text in [&b"\n"[..], b"a\n", b"exactly\n", b"eight by\n", b"more than one word\n"] {
        let records = vec![text.to_vec(); COUNT as usize];
        with_encoder!(&key, |key| {
            let counts = check(key, &built(key, &records, (0..records.len(), 3), 30), &records);
            assert!(counts.iter().all(|count| *count <= 300), "{text:?}: {counts:?}");
        });
    }
}
