//! Ties of every size and depth, of keys that are loaded and of keys that are made, against a
//! stable sort.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::format::Framing;
use crate::incore::Classifier;
use crate::incore::item::{entry, wide_entry};
use crate::key::text::{LastResort, TextOrder, TextSpec, Translation};
use crate::key::{CompiledKey, with_encoder};

fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

/// Lines as bytes, and lines without regard to case: the one key is loaded, the other made.
fn keys() -> [CompiledKey; 2] {
    let folds = Translation { folds_case: true, ..Translation::default() };
    let folded = TextSpec { translation: folds, ..TextSpec::default() };
    let by_bytes = TextOrder::by_bytes(b'\n');
    let without_case = TextOrder { specs: vec![folded], ..TextOrder::by_bytes(b'\n') };
    let then = without_case.with(|options| options.then_whole = Some(LastResort::default()));
    [by_bytes, then].map(|order| CompiledKey::new(&order).expect("a key"))
}

/// Settles entries of all lines of `text`, which begin alike, with `space` pairs of scratch space,
/// and holds them against a stable sort.
fn check<K: KeyEncoder>(key: &K, text: &[u8], space: usize) {
    let framing = Framing::Terminated(b'\n');
    let records = Records::new(text, framing);
    let leaf = Classifier::single(0).leaf(0);
    let mut entries = Vec::new();
    let mut at = 0;
    for record in framing.records(text) {
        entries.push(entry(leaf.digest(key.word(record, 0)), at));
        at += record.len() as u64;
    }
    let mut expected = entries.clone();
    expected.sort_by(|a, b| {
        let [a, b] = [a, b].map(|entry| records.get(location(*entry)));
        key.compare_from(a, b, 0)
    });
    entries.sort_unstable();
    let mut wide = vec![0; entries.len().max(space)];
    settle(&mut entries, leaf, key, &records, &mut wide);
    let mut narrowed = vec![0; entries.len()];
    for (place, entry) in wide.iter_mut().zip(&expected).map(|(wide, e)| (wide, location(*e))) {
        let (_, value) = Classifier::single(0).classify_wide(key, records.get(entry), entry);
        *place = wide_entry(value, entry);
    }
    wide[..narrowed.len()].sort_unstable();
    narrow(&wide[..narrowed.len()], &mut narrowed);
    settle_narrowed(&mut narrowed, leaf, key, &records, &mut wide);
    let places = |entries: &[u64]| entries.iter().map(|e| location(*e)).collect::<Vec<_>>();
    assert!(places(&entries) == places(&expected), "{} lines, {space}", entries.len());
    assert!(places(&narrowed) == places(&expected), "{} wide lines, {space}", entries.len());
}

/// Lines that agree in `equal` bytes at least, then are made of two letters in both cases.
fn lines(count: u64, equal: usize, letters: u32) -> Vec<u8> {
    let mut text = Vec::new();
    for number in 0..count {
        text.resize(text.len() + equal, b'x');
        let mut bits = mixed(number);
        for _ in 0..mixed(!number) as u32 % (letters + 1) {
            text.push(b"aAbB"[(bits & 3) as usize]);
            bits >>= 2;
        }
        text.push(b'\n');
    }
    text
}

#[test]
fn groups_of_any_size_and_depth() {
    for key in &keys() {
        for count in [2, SMALL as u64, 1000, 20_000] {
            for (equal, letters) in [(3, 3), (8, 4), (30, 10), (200, 2), (90, 0)] {
                let text = lines(count, equal, letters);
                // With space for no more than the pairs, and for the rows of all lines.
                for space in [0, 3 * count as usize] {
                    with_encoder!(key, |key| check(key, &text, space));
                }
            }
        }
    }
}

#[test]
fn ties_among_others() {
    let mut text = Vec::new();
    for number in 0..5000_u64 {
        let start = mixed(number) % 700;
        text.extend(format!("{start:03}{}\n", mixed(number << 8) % 90).bytes());
    }
    for key in &keys() {
        with_encoder!(key, |key| check(key, &text, 0));
    }
}

/// A key that counts how often a record is looked at.
struct Counting<'a, K> {
    key: &'a K,
    looks: AtomicU64,
}

impl<K: KeyEncoder> KeyEncoder for Counting<'_, K> {
    fn key_length(&self) -> usize {
        self.key.key_length()
    }

    fn word(&self, record: &[u8], index: usize) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.key.word(record, index)
    }

    fn first_difference(&self, a: &[u8], b: &[u8], first: usize) -> Option<usize> {
        self.looks.fetch_add(2, Ordering::Relaxed);
        self.key.first_difference(a, b, first)
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> std::cmp::Ordering {
        self.looks.fetch_add(2, Ordering::Relaxed);
        self.key.compare_from(a, b, word)
    }
}

#[test]
fn records_are_looked_at_as_often_however_much_their_keys_share() {
    let looks = |equal: usize| {
        let text = lines(1000, equal, 12);
        let [key, _] = keys();
        with_encoder!(&key, |key| {
            let counting = Counting { key, looks: AtomicU64::new(0) };
            check(&counting, &text, 0);
            counting.looks.into_inner()
        })
    };
    let (few, many) = (looks(70), looks(7000));
    assert!(many < few + few / 10, "{few} looks at lines that share 70 bytes, {many} at 7000");
}
