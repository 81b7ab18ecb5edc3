//! The conformance suite of keys: every type in both directions at every place of the record, named
//! cases, all small inputs and random keys over random records, against a reference that decodes
//! the values and compares them with the language's own order.

use std::cmp::Ordering;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::text::machine_numbers;
use super::*;

mod reference;

use crate::key::{Key, ListMemory};
use reference::{Wanted, widths};

/// The key for `wanted` over records of this length.
fn key(wanted: &[Wanted], record_length: usize) -> CompiledKey {
    let texts: Vec<String> = wanted.iter().map(Wanted::text).collect();
    key_of(&texts, record_length)
}

/// The key that these texts make over records of this length.
fn key_of(texts: &[impl AsRef<str>], record_length: usize) -> CompiledKey {
    let keys: Vec<Key> = texts.iter().map(|text| text.as_ref().parse().unwrap()).collect();
    CompiledKey::of_keys(&keys, Format::Fixed { length: record_length as u32 }).unwrap()
}

/// Holds one pair of records to everything a [`KeyEncoder`] promises.
fn check(wanted: &[Wanted], a: &[u8], b: &[u8]) {
    let key = key(wanted, a.len());
    let expected = reference::compare(wanted, a, b);
    with_encoder!(&key, |encoder| check_encoder(encoder, a, b, expected));
}

fn check_encoder(encoder: &impl KeyEncoder, a: &[u8], b: &[u8], expected: Ordering) {
    let words = |record: &[u8]| -> Vec<u64> {
        (0..encoder.words()).map(|index| encoder.word(record, index)).collect()
    };
    let (words_a, words_b) = (words(a), words(b));
    assert_eq!(words_a.cmp(&words_b), expected, "words {words_a:x?} {words_b:x?}");
    for word in 0..=encoder.words() {
        let rest = words_a[word..].cmp(&words_b[word..]);
        assert_eq!(encoder.compare_from(a, b, word), rest, "compare from word {word}");
        assert_eq!(encoder.compare_from(b, a, word), rest.reverse(), "swapped, word {word}");
    }
    assert_eq!(encoder.compare_from(a, b, encoder.words() + 3), Ordering::Equal);
    assert_eq!(encoder.words(), encoder.key_length().div_ceil(WORD_BYTES));

    let mut bytes: Vec<u8> = words_a.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert!(bytes[encoder.key_length()..].iter().all(|byte| *byte == 0), "padding of {bytes:x?}");
    bytes.resize(bytes.len() + WORD_BYTES, 0);
    for length in 0..=bytes.len() {
        let mut out = Vec::new();
        encoder.key_bytes(a.into(), length, &mut out);
        let whole = length.min(encoder.key_length());
        assert_eq!(out, bytes[..whole], "at most {length} bytes");
    }
}

/// Every type in both directions, at every place of records from its own width to well past a word:
/// alone, before and behind another part.
#[test]
fn every_type_at_every_place() {
    for (name, width) in widths() {
        for record_length in width..width + 10 {
            let a: Vec<u8> = (0..record_length).map(|at| 0x80 ^ (at as u8) << 3).collect();
            for start in 0..=record_length - width {
                for is_descending in [false, true] {
                    let part = Wanted { name, start, end: start + width, is_descending };
                    let other =
                        Wanted { name: "bytes", start: 0, end: record_length, is_descending: true };
                    for at in 0..record_length {
                        let mut b = a.clone();
                        b[at] ^= 0x91;
                        check(&[part], &a, &b);
                        check(&[part, other], &a, &b);
                    }
                }
            }
        }
    }
}

#[test]
fn every_pair_of_one_byte_records() {
    for name in ["bytes", "u8", "i8"] {
        for is_descending in [false, true] {
            let wanted = [Wanted { name, start: 0, end: 1, is_descending }];
            let key = key(&wanted, 1);
            for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| ([a], [b]))) {
                let order = key.encoder().word(&a, 0).cmp(&key.encoder().word(&b, 0));
                assert_eq!(order, reference::compare(&wanted, &a, &b), "{name} {a:?} {b:?}");
            }
        }
    }
}

/// All pairs of bit patterns where numbers turn: zero, one, the sign, its neighbours, all ones,
/// infinities and the NaNs beside them.
#[test]
fn every_number_at_its_turning_points() {
    for (name, width) in widths() {
        let bits = 8 * width as u32;
        let mut patterns = vec![0u64, 1, 2, 0xff, 0x0102_0304_0506_0708];
        let infinity = if width == 4 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
        patterns.extend([infinity - 1, infinity, infinity + 1, infinity | infinity >> 1]);
        let sign = 1u64 << (bits - 1);
        patterns.extend(patterns.clone().into_iter().map(|pattern| pattern | sign));
        patterns.extend([sign - 1, u64::MAX >> (64 - bits)]);
        let values = patterns.iter().map(|pattern| {
            let bytes = pattern.to_be_bytes()[8 - width..].to_vec();
            if name.ends_with("le") { bytes.into_iter().rev().collect() } else { bytes }
        });
        let values: Vec<Vec<u8>> = values.collect();
        for is_descending in [false, true] {
            let wanted = [Wanted { name, start: 0, end: width, is_descending }];
            for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
                check(&wanted, a, b);
            }
        }
    }
}

/// The order of floats written out, so that the documentation and `total_cmp` are both held to it.
#[test]
fn floats_stand_in_total_order() {
    let ascending = [
        -f64::NAN,
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -f64::MIN_POSITIVE,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        1.0,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let word = |text: &str, bytes: &[u8]| key_of(&[text], bytes.len()).encoder().word(bytes, 0);
    for pair in ascending.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        let (le, be) = (f64::to_le_bytes, f64::to_be_bytes);
        assert!(word("0..8:f64le", &le(low)) < word("0..8:f64le", &le(high)), "{low} {high}");
        assert!(word("0..8:f64be", &be(low)) < word("0..8:f64be", &be(high)), "{low} {high}");
        let descending = "0..8:f64le:desc";
        assert!(word(descending, &le(low)) > word(descending, &le(high)), "{low} {high}");
        let (low, high) = (low as f32, high as f32);
        if low.to_bits() != high.to_bits() {
            let (le, be) = (f32::to_le_bytes, f32::to_be_bytes);
            assert!(word("0..4:f32le", &le(low)) < word("0..4:f32le", &le(high)), "{low} {high}");
            assert!(word("0..4:f32be", &be(low)) < word("0..4:f32be", &be(high)), "{low} {high}");
        }
    }
}

#[test]
fn words_are_the_normalized_bytes() {
    let words = |texts: &[&str], record: &[u8]| -> Vec<u64> {
        let key = key_of(texts, record.len());
        let encoder = key.encoder();
        (0..encoder.words()).map(|index| encoder.word(record, index)).collect()
    };
    let record = *b"\x07\0\0\0Smith and Wesson";
    assert_eq!(words(&["0..4:u32le:desc"], &record), [0xffff_fff8_0000_0000]);
    assert_eq!(words(&["0..4:i32le"], &record), [0x8000_0007_0000_0000]);
    let smith = u64::from_be_bytes(*b"Smith\0\0\0");
    assert_eq!(words(&["4..9"], &record), [smith]);
    assert_eq!(words(&["4..9:desc"], &record), [!smith & 0xffff_ffff_ff00_0000]);
    let expected = [0xffff_fff8_0000_0000 | smith >> 32, u64::from_be_bytes(*b"h\0\0\0\0\0\0\0")];
    assert_eq!(words(&["0..4:u32le:desc", "4..9"], &record), expected);
    // A number across the border of two words.
    let expected = [smith >> 16 << 16 | 0x8000, 0x0007_0000_0000_0000];
    assert_eq!(words(&["4..10", "0..4:i32le"], b"\x07\0\0\0Smith\0"), expected);
}

#[test]
fn each_shape_of_key_is_recognised() {
    let key = |texts: &[&str]| key_of(texts, 100);
    for slice in [&[][..], &["0..10"], &["0..10:desc"], &["0..8:u64be"], &["0..4", "4..8"]] {
        assert!(matches!(key(slice), CompiledKey::Slice(_)), "{slice:?}");
    }
    for number in [&["0..8:u64le"][..], &["9..10:i8"], &["0..4:f32be:desc", "0..2"]] {
        assert!(matches!(key(number), CompiledKey::Slice(_)), "{number:?}");
    }
    for composite in [&["4..8", "0..4"][..], &["0..4:u32le", "4..8:u32le"], &["0..4", "4..8:desc"]]
    {
        assert!(matches!(key(composite), CompiledKey::Composite(_)), "{composite:?}");
    }
    assert_eq!(key(&[]).encoder().key_length(), 100);
    assert_eq!(key(&[]).encoder().words(), 13);
}

/// The longest record: differences at both ends and in the middle, as one slice and as many parts.
#[test]
fn a_record_of_a_mebibyte() {
    let length = 1 << 20;
    let wanted = |name, start, end, is_descending| Wanted { name, start, end, is_descending };
    let keys = [
        vec![wanted("bytes", 0, length, false)],
        vec![wanted("bytes", 0, length, true)],
        vec![wanted("bytes", 3, length - 5, true), wanted("bytes", 0, length, false)],
        vec![wanted("f64le", length - 8, length, true), wanted("bytes", 0, length, true)],
        (0..length / 4096)
            .map(|at| wanted("i32le", length - (at + 1) * 4096, length - at * 4096 - 4092, false))
            .chain([wanted("bytes", 0, length, true)])
            .collect(),
    ];
    let a: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
    for (wanted, at) in
        keys.iter().flat_map(|key| [0, 7, length / 2, length - 1].map(|at| (key, at)))
    {
        let mut b = a.clone();
        b[at] ^= 0x80;
        let key = key(wanted, length);
        let encoder = key.encoder();
        let expected = reference::compare(wanted, &a, &b);
        assert_eq!(encoder.compare_from(&a, &b, 0), expected);
        let words = |record: &[u8]| -> Vec<u64> {
            (0..encoder.words()).map(|index| encoder.word(record, index)).collect()
        };
        let (words_a, words_b) = (words(&a), words(&b));
        assert_eq!(words_a.cmp(&words_b), expected);
        let middle = encoder.words() / 2;
        let rest = words_a[middle..].cmp(&words_b[middle..]);
        assert_eq!(encoder.compare_from(&a, &b, middle), rest);
        let mut encoded = Vec::new();
        encoder.key_bytes(a.as_slice().into(), usize::MAX, &mut encoded);
        encoded.resize(encoder.words() * WORD_BYTES, 0);
        assert!(
            encoded
                .chunks(8)
                .map(|word| word.try_into().unwrap())
                .map(u64::from_be_bytes)
                .eq(words_a)
        );
    }
}

/// Two records that share much, out of bytes at which orders turn.
fn records(length: usize) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let byte = prop_oneof![
        4 => proptest::sample::select(vec![0u8, 1, 0x7f, 0x80, 0xff, 0xf0]),
        1 => any::<u8>(),
    ];
    let pair = (byte.clone(), byte, 0u8..4);
    proptest::collection::vec(pair, length).prop_map(|bytes| {
        let second = |(a, b, choice): &(u8, u8, u8)| if *choice == 0 { *b } else { *a };
        (bytes.iter().map(|(a, ..)| *a).collect(), bytes.iter().map(second).collect())
    })
}

/// One to six parts of any type that fit the record, in any order, overlapping or not.
fn parts(record_length: usize) -> impl Strategy<Value = Vec<Wanted>> {
    let fitting: Vec<_> = widths().filter(|(_, width)| *width <= record_length).collect();
    let one =
        (proptest::sample::select(fitting), any::<[proptest::sample::Index; 2]>(), any::<bool>());
    let one = one.prop_map(move |((name, width), [place, end], is_descending)| {
        let start = place.index(record_length - width + 1);
        let longest = record_length - start;
        let length = if name == "bytes" { 1 + end.index(longest) } else { width };
        Wanted { name, start, end: start + length, is_descending }
    });
    proptest::collection::vec(one, 1..=6)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8192,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0002),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_keys_order_random_records_like_the_reference(
        (wanted, (a, b)) in (1usize..48).prop_flat_map(|length| (parts(length), records(length)))
    ) {
        check(&wanted, &a, &b);
    }
}

/// Lines that agree for long, differ in bytes that are escaped, or end in each other.
fn lines_that_agree() -> Vec<Vec<u8>> {
    let ends: [&[u8]; 14] = [
        b"", b"\0", b"\x01", b"\0\x01", b"a", b"A", b"a\0", b"ab 7", b"ab 07", b"ab 7.c", b"ab.c",
        b"ab.cd", b".a7.b", b"AB 10",
    ];
    let mut lines = Vec::new();
    for shared in [0, 1, 6, 7, 8, 14, 64, 500] {
        for end in ends {
            let start: Vec<u8> = b"p\x01q\0r 12s.t".iter().copied().cycle().take(shared).collect();
            lines.push([start.as_slice(), end, b"\n"].concat());
        }
    }
    lines
}

#[test]
fn comparisons_and_first_differences_are_those_of_the_words() {
    let specs = ["..", "..:desc", "1..:desc", "..:ci", "..:ci:desc", "1 2:int", "..:natural"];
    let more = ["..:version", "..:version:desc", "..:trim 1:int", "2:natural:ci 1", "1:version:ci"];
    let lines = lines_that_agree();
    for spec in specs.into_iter().chain(more) {
        let specs = spec.split(' ').map(|spec| spec.parse::<Key>().expect(spec));
        let specs = specs.map(|spec| spec.spec(ListMemory::UNBOUNDED).expect("no files")).collect();
        let order = TextOrder { specs, ..TextOrder::by_bytes(b'\n') };
        let key = CompiledKey::new(&order).expect(spec);
        let key = key.encoder();
        let words = |line: &Vec<u8>| {
            let mut words = vec![key.word(line, 0)];
            while !key.is_last(words.len() - 1, words[words.len() - 1]) {
                words.push(key.word(line, words.len()));
            }
            words
        };
        let keys: Vec<Vec<u64>> = lines.iter().map(words).collect();
        for (a, words_a) in lines.iter().zip(&keys) {
            for (b, words_b) in lines.iter().zip(&keys) {
                let said = || format!("{spec}: '{}' '{}'", a.escape_ascii(), b.escape_ascii());
                let differing = words_a.iter().zip(words_b).position(|(a, b)| a != b);
                assert_eq!(key.first_difference(a, b, 0), differing, "{}", said());
                assert_eq!(key.compare_from(a, b, 0), words_a.cmp(words_b), "{}", said());
            }
        }
    }
}
