//! Runs against a stable sort of what went in: each is in order, together they are all, and merged
//! in their order they are the stable sort.

use super::{LEAF_BYTES, SelectionTournament};
use crate::format::Format;
use crate::format::Framing;
use crate::io::Arena;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, KeyEncoder, ListMemory, with_encoder};
use crate::units::ByteSize;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// The runs that come of `records` in memory for `leaves` of them.
fn runs<K: KeyEncoder>(
    key: &K,
    framing: Framing,
    leaves: u32,
    store_bytes: usize,
    records: &[Vec<u8>],
) -> Vec<Vec<Vec<u8>>> {
    let bytes = leaves as usize * LEAF_BYTES + store_bytes;
    let memory = Arena::new(ByteSize(bytes as u64)).unwrap();
    let length = memory.len();
    let mut tournament = SelectionTournament::new(key, framing, leaves, memory);
    let mut runs: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut coming = records.iter();
    let mut next = coming.next();
    loop {
        while let Some(record) = next
            && tournament.take(record, key.word(record, 0))
        {
            next = coming.next();
        }
        let Some((run, record)) = tournament.first() else { break };
        let record = record.to_vec();
        if run as usize > runs.len() {
            runs.push(Vec::new());
        }
        assert_eq!(run as usize, runs.len(), "runs are written one after the other");
        runs.last_mut().unwrap().push(record);
        tournament.leave();
    }
    assert!(next.is_none(), "everything was taken in");
    assert_eq!(tournament.into_region().len(), length);
    runs
}

fn assert_sorted<K: KeyEncoder>(key: &K, runs: &[Vec<Vec<u8>>], records: &[Vec<u8>]) {
    let compare = |a: &Vec<u8>, b: &Vec<u8>| key.compare_from(a, b, 0);
    assert!(runs.iter().all(|run| run.is_sorted_by(|a, b| compare(a, b).is_le())));
    let (mut merged, mut expected) = (runs.concat(), records.to_vec());
    merged.sort_by(compare);
    expected.sort_by(compare);
    assert!(merged == expected, "merged in their order, runs are the stable sort");
}

/// Records of `length` bytes, the first `width` of which are the key, with one of `values` values,
/// and the last four a number.
fn numbered(count: u32, length: usize, values: u64, state: &mut u64) -> Vec<Vec<u8>> {
    let record = |number: u32| {
        let mut record = vec![b'.'; length];
        record[0] = (next(state) % values) as u8;
        record[length - 4..].copy_from_slice(&number.to_be_bytes());
        record
    };
    (0..count).map(record).collect()
}

#[test]
fn equal_records_of_fixed_length_leave_as_they_came() {
    let mut state = 5;
    for (spec, length) in [("0..1", 6), ("0..1:u8:desc", 5), ("0..9", 20)] {
        let key =
            CompiledKey::of_keys(&[spec.parse().unwrap()], Format::Fixed { length: length as u32 })
                .unwrap();
        for values in [1, 2, 5, 200] {
            for leaves in [1, 2, 3, 10, 64] {
                for count in [0, 1, leaves, leaves + 1, 1000] {
                    let records = numbered(count, length, values, &mut state);
                    let bytes = (leaves as usize + 1) * length;
                    with_encoder!(&key, |key| {
                        let found = runs(key, Framing::Fixed(length), leaves, bytes, &records);
                        assert_sorted(key, &found, &records);
                    });
                }
            }
        }
    }
}

#[test]
fn equal_lines_leave_as_they_came() {
    let mut state = 6;
    let spec = "1[0..1]".parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap();
    let order = TextOrder { specs: vec![spec], ..TextOrder::by_bytes(b'\n') };
    let key = CompiledKey::new(&order).unwrap();
    for (longest, leaves, bytes) in [(8, 50, 2000), (100, 20, 2000), (400, 200, 4000)] {
        for values in [1, 3, 26] {
            let line = |number: u32| {
                let length = 1 + next(&mut state) as usize % longest;
                let letter = (b'a' + (next(&mut state) % values) as u8) as char;
                format!("{letter}{number:0length$}\n").into_bytes()
            };
            let records: Vec<Vec<u8>> = (0..2000).map(line).collect();
            with_encoder!(&key, |key| {
                let found = runs(key, Framing::Terminated(b'\n'), leaves, bytes, &records);
                assert_sorted(key, &found, &records);
            });
        }
    }
}

/// Runs of `count` records with these keys in memory for 100.
fn runs_of(keys: impl Iterator<Item = u32>) -> usize {
    let key =
        CompiledKey::of_keys(&["0..4".parse().unwrap()], Format::Fixed { length: 8 }).unwrap();
    let record = |key: u32| [key.to_be_bytes(), [0; 4]].concat();
    let records: Vec<Vec<u8>> = keys.map(record).collect();
    with_encoder!(&key, |key| {
        let found = runs(key, Framing::Fixed(8), 100, 101 * 8, &records);
        assert_sorted(key, &found, &records);
        found.len()
    })
}

#[test]
fn runs_are_as_long_as_the_order_allows() {
    let mut state = 3;
    assert_eq!(runs_of(0..10_000), 1, "sorted");
    assert_eq!(runs_of((0..10_000).map(|_| 7)), 1, "all equal");
    assert_eq!(runs_of((0..10_000).rev()), 100, "reversed: as long as memory");
    let displaced = |place: u32, state: &mut u64| place + next(state) as u32 % 99;
    assert_eq!(runs_of((0..10_000).map(|place| displaced(place, &mut state))), 1, "nearly sorted");
    let random = runs_of((0..100_000).map(|_| next(&mut state) as u32));
    assert!((475..=525).contains(&random), "{random} runs, each twice as long as memory");
}
