//! Keys that are bytes of a line: their words, lengths and comparisons agree, in both directions.

use proptest::prelude::*;

use super::super::order::{End, Position, TextSpec};
use super::*;
use crate::key::{OPEN_WORD_BYTES, open_word};

fn line_key(start: usize, end: usize, is_descending: bool) -> LineKey {
    let at = |byte| Position { byte, ..Position::default() };
    let end = if end == usize::MAX { End::Record } else { End::At(at(end)) };
    let spec = TextSpec { start: at(start), end, is_descending, ..TextSpec::default() };
    LineKey::for_order(&TextOrder { specs: vec![spec], ..TextOrder::by_bytes(b'\n') }).unwrap()
}

fn key_of(key: &LineKey, record: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    key.key_bytes(record.into(), usize::MAX, &mut bytes);
    bytes
}

/// The order of the bytes themselves, and everything the key says about it.
fn check(key: &LineKey, a: &[u8], b: &[u8]) {
    let text = |record: &[u8]| {
        let text = &record[..record.len() - 1];
        text[key.start.min(text.len())..key.end.min(text.len())].to_vec()
    };
    let expected = text(a).cmp(&text(b));
    let expected = if key.is_descending { expected.reverse() } else { expected };
    let (key_a, key_b) = (key_of(key, a), key_of(key, b));
    assert_eq!(key_a.cmp(&key_b), expected, "{key:?} {a:?} {b:?}");
    let mut words = Vec::new();
    key.words_from(a, 0, usize::MAX, &mut words);
    assert_eq!(words.len(), 1 + key_a.len().saturating_sub(1) / OPEN_WORD_BYTES);
    for (index, word) in words.into_iter().enumerate() {
        let rest = &key_a[OPEN_WORD_BYTES * index..];
        assert_eq!(key.word(a, index), open_word(rest), "word {index}: {key:?} {a:?}");
        assert_eq!(word, open_word(rest), "word {index}: {key:?} {a:?}");
    }
    for limit in 0..key_a.len() + 2 {
        let mut cut = Vec::new();
        key.key_bytes(a.into(), limit, &mut cut);
        assert_eq!(cut, key_a[..limit.min(key_a.len())]);
    }
    for word in 0..3 {
        let goes_on = |index| {
            let here = key.word(a, index);
            here == key.word(b, index) && !key.is_last(index, here)
        };
        let is_equal = (0..word).all(goes_on);
        if is_equal {
            assert_eq!(key.compare_from(a, b, word), expected, "{word}: {key:?} {a:?} {b:?}");
        }
    }
}

fn keys() -> Vec<LineKey> {
    let ranges =
        [(0, usize::MAX), (3, usize::MAX), (0, 10), (0, 8), (0, 4), (2, 9), (5, 5), (5, 3)];
    let both = ranges.iter().flat_map(|&(a, b)| [false, true].map(|down| line_key(a, b, down)));
    both.collect()
}

/// Every pair of short lines of bytes at which orders turn.
#[test]
fn all_short_lines() {
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut last = lines.clone();
    for _ in 0..3 {
        let longer =
            last.iter().flat_map(|line| [0, 1, 2, 0xff].map(|byte| [&line[..], &[byte]].concat()));
        last = longer.collect();
        lines.extend(last.clone());
    }
    let records = lines.iter().map(|line| [&line[..], b"\n"].concat());
    let records: Vec<Vec<u8>> = records.collect();
    for key in [line_key(0, usize::MAX, false), line_key(0, usize::MAX, true), line_key(1, 2, true)]
    {
        for (a, b) in records.iter().flat_map(|a| records.iter().map(move |b| (a, b))) {
            check(&key, a, b);
        }
    }
}

#[test]
fn the_last_line_may_lack_its_end() {
    for key in keys() {
        assert_eq!(key_of(&key, b"0123456789abc\n"), key_of(&key, b"0123456789abc"));
        assert_eq!(key.word(b"01234567", 0), key.word(b"01234567\n", 0));
        assert_eq!(key.word(b"", 0), key.word(b"\n", 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines(
        shared in proptest::collection::vec(0u8..4, 0..20),
        ends in [(); 2].map(|()| proptest::collection::vec(0u8..4, 0..10)),
    ) {
        let [a, b] = ends.map(|end| [&shared[..], &end, b"\n"].concat());
        keys().iter().for_each(|key| check(key, &a, &b));
    }
}
