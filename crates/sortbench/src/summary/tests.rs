//! Summaries against a naive account, and joined against whole.

use super::{KeyOrder, Summary};
use crate::{KEY_LENGTH, RECORD_LENGTH, RecordKind};

/// Records whose keys are the given words, spaces after them, with a body that differs.
fn keyed(keys: &[&str]) -> Vec<u8> {
    let mut bytes = vec![0; keys.len() * RECORD_LENGTH];
    RecordKind::default().fill(0, &mut bytes);
    for (record, key) in bytes.chunks_mut(RECORD_LENGTH).zip(keys) {
        record[..KEY_LENGTH].fill(b' ');
        record[..key.len()].copy_from_slice(key.as_bytes());
    }
    bytes
}

/// Unordered, duplicates, first unordered; by the letter of the description.
fn naive(bytes: &[u8], order: KeyOrder) -> (u128, u128, Option<u128>) {
    let keys: Vec<Vec<u8>> = bytes
        .chunks(RECORD_LENGTH)
        .map(|record| match order {
            KeyOrder::Bytes => record[..KEY_LENGTH].to_vec(),
            KeyOrder::IgnoreCase => record[..KEY_LENGTH].to_ascii_lowercase(),
        })
        .collect();
    let unordered = (1..keys.len()).filter(|at| keys[*at] < keys[at - 1]);
    let duplicates = (1..keys.len()).filter(|at| keys[*at] == keys[at - 1]).count();
    let first = unordered.clone().next().map(|at| at as u128);
    (unordered.count() as u128, duplicates as u128, first)
}

fn agrees(bytes: &[u8], order: KeyOrder) -> Summary {
    let summary = Summary::of(bytes, order);
    let found = (summary.unordered, summary.duplicate_keys, summary.first_unordered);
    assert_eq!(found, naive(bytes, order));
    assert_eq!(summary.records, (bytes.len() / RECORD_LENGTH) as u128);
    summary
}

#[test]
fn named_orders() {
    for keys in [
        &["a"][..],
        &["a", "a"],
        &["a", "b", "c"],
        &["c", "b", "a"],
        &["a", "b", "a", "b", "b"],
        &["abcdefghij", "abcdefghii", "abcdefghij", "abcdefghij"],
        &["A", "a", "B", "b", "C"],
        &["Z", "[", "a", "_", "z"],
    ] {
        let bytes = keyed(keys);
        agrees(&bytes, KeyOrder::Bytes);
        agrees(&bytes, KeyOrder::IgnoreCase);
    }
    assert_eq!(Summary::of(&keyed(&["a", "B", "c"]), KeyOrder::Bytes).unordered, 1);
    assert_eq!(Summary::of(&keyed(&["a", "B", "c"]), KeyOrder::IgnoreCase).unordered, 0);
    assert_eq!(Summary::of(&keyed(&["a", "A"]), KeyOrder::IgnoreCase).duplicate_keys, 1);
}

/// All files of up to six records with three keys, cut everywhere: the pieces joined are the
/// whole.
#[test]
fn every_small_file_cut_everywhere() {
    let alphabet = ["a", "A", "b"];
    for length in 0..=6u32 {
        for code in 0..3usize.pow(length) {
            let keys: Vec<&str> =
                (0..length).map(|place| alphabet[code / 3usize.pow(place) % 3]).collect();
            let bytes = keyed(&keys);
            for order in [KeyOrder::Bytes, KeyOrder::IgnoreCase] {
                let whole = agrees(&bytes, order);
                for cut in 0..=keys.len() {
                    let (left, right) = bytes.split_at(cut * RECORD_LENGTH);
                    let mut joined = Summary::of(left, order);
                    joined.append(&Summary::of(right, order), order);
                    assert_eq!(joined, whole, "{keys:?} cut at {cut}, {order:?}");
                }
            }
        }
    }
}

#[test]
fn joining_is_associative() {
    let mut bytes = vec![0; 90 * RECORD_LENGTH];
    RecordKind { ascii: true, skewed: true }.fill(0, &mut bytes);
    let pieces: Vec<Summary> =
        bytes.chunks(7 * RECORD_LENGTH).map(|piece| Summary::of(piece, KeyOrder::Bytes)).collect();
    let whole = agrees(&bytes, KeyOrder::Bytes);
    let join = |pieces: &[Summary]| {
        pieces.iter().fold(Summary::default(), |mut sum, piece| {
            sum.append(piece, KeyOrder::Bytes);
            sum
        })
    };
    assert_eq!(join(&pieces), whole);
    for middle in 0..pieces.len() {
        let (left, right) = pieces.split_at(middle);
        assert_eq!(join(&[join(left), join(right)]), whole, "{middle}");
    }
}
