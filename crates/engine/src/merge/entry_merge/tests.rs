//! Loads sorted in runs of many sizes and merged, against a stable sort of the standard library.

use std::sync::Arc;

use super::*;
use crate::format::{Format, Framing};
use crate::incore::bucket::BUCKET_ENTRIES_MAX;
use crate::incore::{IncoreSort, Item, Method, Pool, RunSort, Scratch};
use crate::io::Arena;
use crate::key::{CompiledKey, with_encoder};
use crate::units::ByteSize;

/// Counts around the sizes of runs, and of a chunk.
const COUNTS: [usize; 9] = [0, 1, 2, 15, 16, 17, 128, 257, 3000];

/// Sizes of runs: far below and above a chunk, and those that end within one.
const SIZES: [usize; 4] = [16, 100, 128, 5000];

/// Writes a key of `length` bytes.
type MakeKey = fn(u64, usize) -> String;

/// Kinds of keys: random, few, equal, descending, and agreeing for longer than an entry holds.
const KINDS: [MakeKey; 5] = [
    |number, length| format!("{:0length$}", number * 7919 % 10_007),
    |number, length| format!("{:0length$}", number * 31 % 3),
    |_, length| "7".repeat(length),
    |number, length| format!("{:0length$}", 999_999 - number),
    |number, length| format!("{}{:04}", "a".repeat(length), number * 37 % 500),
];

fn region(bytes: usize) -> crate::io::Region {
    Arena::new(ByteSize(bytes as u64)).unwrap()
}

/// Sorts records in runs, and merges all key ranges one by one; also returns how many there are.
fn sorted<K: KeyEncoder>(sort: &IncoreSort<'_, K>, records: &[u8]) -> (Vec<u8>, usize) {
    let count = sort.framing.count(records);
    let pool = Pool::bytes_needed(count as u64, sort.item.bytes(), sort.buckets_max, 1);
    let pool = Arc::new(Pool::new(region(pool as usize)));
    let (classifier, dealer) = sort.deal_whole(records, &pool);
    let mut memory = region(records.len());
    memory[..records.len()].copy_from_slice(records);
    let load = sort.finish(Some(memory), &classifier, vec![dealer]);
    assert_eq!((load.records(), load.bytes()), (count as u64, records.len() as u64));
    let runs = sort.runs.unwrap();
    let made = load.run_count().unwrap();
    assert_eq!(made.runs, count.div_ceil(runs.entries) as u64);
    assert_eq!(made.entries_max, count.min(runs.entries) as u64);
    let bytes = Scratch::bytes_needed(BUCKET_ENTRIES_MAX, sort.item);
    let mut scratch = Scratch::new(region(bytes), BUCKET_ENTRIES_MAX, sort.item, runs.method);
    load.settle_runs(sort.key, &mut scratch);
    let located = load.by_location();
    let (mut out, mut batch) = (Vec::new(), [0; 100]);
    for part in 0..load.parts() {
        let range = load.sorted_range(&(part..part + 1));
        assert_eq!(out.len() as u64, range.start);
        let mut merge = EntryMerge::new(sort.key, &load, &(part..part + 1), &located);
        loop {
            let taken = merge.next_batch(&mut batch);
            if taken == 0 {
                break;
            }
            for entry in &batch[..taken] {
                out.extend_from_slice(located.get(crate::incore::item::location(*entry)));
            }
        }
        assert_eq!(out.len() as u64, range.end);
    }
    (out, load.parts())
}

fn check(key: &CompiledKey, framing: Framing, records: &[u8]) -> usize {
    let mut parts = 0;
    with_encoder!(key, |key| {
        let mut expected: Vec<&[u8]> = framing.records(records).collect();
        expected.sort_by(|a, b| key.compare_from(a, b, 0));
        let expected = expected.concat();
        for (method, entries) in
            [Method::Mergesort, Method::Quicksort].into_iter().flat_map(|m| SIZES.map(|n| (m, n)))
        {
            let (item, bucket_records, buckets_max) = (Item::WideEntry, 200, 400);
            let runs = Some(RunSort { method, entries });
            let sort = IncoreSort { key, item, framing, bucket_records, buckets_max, runs };
            let (found, ranges) = sorted(&sort, records);
            assert!(found == expected, "{method:?} of {entries}, {framing:?}");
            parts = parts.max(ranges);
        }
    });
    parts
}

#[test]
fn records_of_one_length() {
    let mut parts = 0;
    for (length, key_bytes) in [(8, 5), (16, 12), (100, 60)] {
        let format = Format::Fixed { length: length as u32 };
        let key = CompiledKey::of_keys(&[format!("0..{key_bytes}").parse().unwrap()], format);
        let key = key.unwrap();
        for (make, count) in KINDS.iter().flat_map(|make| COUNTS.map(|count| (make, count))) {
            let mut records = vec![0; count * length];
            for (number, record) in (0..).zip(records.chunks_exact_mut(length)) {
                let text = make(number, key_bytes - 4);
                record[..key_bytes - 4].copy_from_slice(&text.as_bytes()[..key_bytes - 4]);
                let end = &text.as_bytes()[key_bytes - 4..];
                record[key_bytes - 4..][..end.len()].copy_from_slice(end);
                record[length - 2..].copy_from_slice(&(number as u16).to_le_bytes());
            }
            parts = parts.max(check(&key, Framing::Fixed(length), &records));
        }
    }
    assert!(parts > 5, "{parts} key ranges");
}

#[test]
fn lines() {
    for keys in [&["1"][..], &["2:int:desc", "1"], &["1:natural"]] {
        let keys: Vec<_> = keys.iter().map(|key| key.parse().unwrap()).collect();
        let key = CompiledKey::of_keys(&keys, "tsv".parse().unwrap()).unwrap();
        for (make, count) in KINDS.iter().flat_map(|make| COUNTS.map(|count| (make, count))) {
            let line = |number: u64| format!("{}\t{}\t{number}\n", make(number, 9), number % 5);
            let lines: String = (0..count as u64).map(line).collect();
            check(&key, Framing::Terminated(b'\n'), lines.as_bytes());
        }
    }
}
