//! Whole keys of text records, of both shapes: conformance to the contract of keys, orders of
//! several specs against a comparison spec by spec, and what `sort` was seen to do.

use crate::key::is_last_open_word;
use crate::key::text::TextType;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::order::{
    Collation, End, Invalid, InvalidPlace, LastResort, Position, Translation,
};
use super::super::text_type::Class;
use super::*;
use crate::key::{CompiledKey, OPEN_WORD_BYTES, open_word, with_encoder};
use std::sync::Arc;

/// Orders letters by case last and NULs as themselves: equal where only case differs.
#[derive(Debug)]
struct Caseless;

impl Collation for Caseless {
    fn append_key(&self, text: &[u8], _: usize, out: &mut Vec<u8>) {
        for byte in text {
            match byte {
                0 => out.extend([0, 1]),
                _ => out.push(byte.to_ascii_lowercase()),
            }
        }
    }

    fn piece_bytes(&self, piece: &[u8]) -> usize {
        piece.len()
    }

    fn describe(&self) -> String {
        "caseless".into()
    }
}

/// Holds one pair of records to everything a [`KeyEncoder`] promises, and returns their order.
fn order_of(key: &CompiledKey, a: &[u8], b: &[u8]) -> Ordering {
    with_encoder!(key, |encoder| check(encoder, a, b))
}

fn check(encoder: &impl KeyEncoder, a: &[u8], b: &[u8]) -> Ordering {
    let [key_a, key_b] = [a, b].map(|record| {
        let mut key = Vec::new();
        encoder.key_bytes(record.into(), usize::MAX, &mut key);
        key
    });
    assert_eq!(encoder.key_length(), usize::MAX);
    let expected = key_a.cmp(&key_b);
    let said = || format!("'{}' and '{}'", a.escape_ascii(), b.escape_ascii());
    let mut words = Vec::new();
    encoder.words_from(a, 0, 1000, &mut words);
    assert_eq!(words.len(), 1 + key_a.len().saturating_sub(1) / OPEN_WORD_BYTES);
    for (index, word) in words.into_iter().enumerate() {
        let rest = &key_a[OPEN_WORD_BYTES * index..];
        assert_eq!(encoder.word(a, index), open_word(rest), "word {index} of {}", said());
        assert_eq!(word, open_word(rest), "word {index} of {}", said());
    }
    for limit in 0..key_a.len() + 3 {
        let mut cut = b"xy".to_vec();
        encoder.key_bytes(a.into(), limit, &mut cut);
        assert_eq!(cut[2..], key_a[..limit.min(key_a.len())], "{limit} bytes of {}", said());
    }
    let mut word = 0;
    loop {
        assert_eq!(encoder.compare_from(a, b, word), expected, "from {word}: {}", said());
        assert_eq!(encoder.compare_from(b, a, word), expected.reverse(), "{word}: {}", said());
        let here = encoder.word(a, word);
        if here != encoder.word(b, word) || encoder.is_last(word, here) {
            return expected;
        }
        word += 1;
    }
}

fn at(field: usize, byte: usize) -> Position {
    Position { field, byte, skips_blanks: false }
}

fn field(number: usize, text_type: TextType) -> TextSpec {
    let (start, end) = (at(number, 0), End::Field(number));
    TextSpec { start, end, text_type, ..TextSpec::default() }
}

fn lines(specs: Vec<TextSpec>, then_whole: Option<LastResort>) -> TextOrder {
    TextOrder { specs, ..TextOrder::by_bytes(b'\n') }
        .with(|options| options.then_whole = then_whole)
}

/// Sorts lines by `order`, checking every pair.
fn sorted<'a>(order: &TextOrder, lines: &[&'a str]) -> Vec<&'a str> {
    let key = CompiledKey::new(order).unwrap();
    let record = |line: &str| format!("{line}\n").into_bytes();
    let mut lines = lines.to_vec();
    lines.sort_by(|a, b| order_of(&key, &record(a), &record(b)));
    lines
}

#[test]
fn each_shape_of_key_is_recognised() {
    let range = |start, end| TextSpec { start, end, ..TextSpec::default() };
    let is_line = |specs, then| {
        matches!(CompiledKey::new(&lines(specs, then)).unwrap(), CompiledKey::Line(_))
    };
    let bytes = || Some(LastResort::default());
    let collated =
        || Some(LastResort { collation: Some(Arc::new(Caseless)), ..LastResort::default() });
    assert!(is_line(vec![], None) && is_line(vec![], bytes()) && !is_line(vec![], collated()));
    let whole = || vec![TextSpec::default()];
    assert!(is_line(whole(), None) && is_line(whole(), bytes()) && is_line(whole(), collated()));
    let start = || vec![range(at(0, 0), End::At(at(0, 10)))];
    assert!(is_line(start(), None) && !is_line(start(), bytes()));
    assert!(!is_line(vec![range(at(0, 0), End::Within(at(0, 10), 0))], None));
    assert!(!is_line(vec![range(at(1, 0), End::Record)], None));
    assert!(!is_line(vec![field(0, TextType::INT)], None));
    assert!(!is_line(vec![TextSpec { trims: true, ..TextSpec::default() }], None));
    let translation = Translation { folds_case: true, ..Translation::default() };
    assert!(!is_line(vec![TextSpec { translation, ..TextSpec::default() }], None));
}

#[test]
fn keys_follow_one_another() {
    let tab = |specs, then| TextOrder { separator: Separator::Byte(b'\t'), ..lines(specs, then) };
    let specs = vec![field(1, TextType::DECIMAL), field(0, TextType::BYTES)];
    let order = tab(specs, Some(LastResort::default()));
    let expected = ["z\t-10", "a\tx", "b\t0", "a\t9\t1", "a\t9\t2", "aa\t9.0", "b\t09", "c\t10"];
    let mut given = expected;
    given.reverse();
    assert_eq!(sorted(&order, &given), expected);
    let down = TextSpec { is_descending: true, ..field(1, TextType::DECIMAL) };
    let order = tab(vec![down, field(0, TextType::BYTES)], Some(LastResort::default()));
    let expected = ["c\t10", "a\t9\t1", "a\t9\t2", "aa\t9.0", "b\t09", "a\tx", "b\t0", "z\t-10"];
    assert_eq!(sorted(&order, &given), expected);
}

#[test]
fn the_last_resort_has_a_direction_of_its_own() {
    let down = || Some(LastResort { is_descending: true, collation: None });
    let specs = || vec![field(0, TextType::INT)];
    let given = ["1 a", "01", "2", "1"];
    assert_eq!(sorted(&lines(specs(), None), &given), ["1 a", "01", "1", "2"]);
    assert_eq!(sorted(&lines(specs(), down()), &given), ["1 a", "1", "01", "2"]);
    let up = Some(LastResort::default());
    assert_eq!(sorted(&lines(specs(), up), &given), ["01", "1", "1 a", "2"]);
    let caseless = Some(LastResort { collation: Some(Arc::new(Caseless)), is_descending: false });
    // What a collation finds equal stays as it came, as GNU sort has it.
    assert_eq!(sorted(&lines(vec![], caseless), &["b", "a", "B", "A"]), ["a", "A", "b", "B"]);
}

#[test]
fn few_words_are_the_words() {
    let collation = Some(Arc::new(Caseless) as Arc<dyn Collation>);
    let spec = TextSpec { collation, ..TextSpec::default() };
    let key = TextKey::new(&lines(vec![spec], Some(LastResort::default()))).expect("a key");
    for length in 0..40 {
        let record = [b'x'; 40];
        let record = &record[..length];
        let words: Vec<u64> = {
            let mut words: Vec<u64> = Vec::new();
            while words.last().is_none_or(|last| !is_last_open_word(*last)) {
                words.push(key.word(record, words.len()));
            }
            words
        };
        for first in 0..words.len() {
            let behind = words[first..].iter().copied().chain(std::iter::repeat(0));
            let wanted: Vec<u64> = behind.take(FEW_WORDS).collect();
            assert_eq!(key.few_words(record.into(), first).as_slice(), wanted, "{length} {first}");
        }
    }
}

#[test]
fn translations_come_before_types() {
    let with = |translation| lines(vec![TextSpec { translation, ..TextSpec::default() }], None);
    let folds = Translation { folds_case: true, ..Translation::default() };
    assert_eq!(sorted(&with(folds), &["b", "B", "a", "_", "A"]), ["a", "A", "b", "B", "_"]);
    let dictionary = Translation { only_dictionary: true, ..Translation::default() };
    assert_eq!(sorted(&with(dictionary), &["(b", "-a ", "c", "a"]), ["a", "-a ", "(b", "c"]);
    let printing = Translation { only_printing: true, ..Translation::default() };
    assert_eq!(sorted(&with(printing), &["b", "\u{1}a", "\u{7f}c"]), ["\u{1}a", "b", "\u{7f}c"]);
    let human = TextSpec { translation: folds, ..field(0, TextType::HUMAN) };
    assert_eq!(sorted(&lines(vec![human], None), &["1m", "2K"]), ["2K", "1m"]);
}

#[test]
fn collations_and_trimming_apply_to_fields() {
    let collation = Some(Arc::new(Caseless) as Arc<dyn Collation>);
    let first = TextSpec { collation, trims: true, ..field(0, TextType::BYTES) };
    let order = lines(vec![first.clone(), field(1, TextType::INT)], None);
    assert_eq!(sorted(&order, &["B 1", "  a 3", "A 2", "b 0"]), ["A 2", "  a 3", "b 0", "B 1"]);
    let shuffled = TextSpec { text_type: TextType::RANDOM, ..first };
    let order = lines(vec![shuffled], None);
    let key = CompiledKey::new(&order).unwrap();
    assert_eq!(order_of(&key, b"a 1\n", b"A 2\n"), Ordering::Equal);
    assert_ne!(order_of(&key, b"a 1\n", b"b 1\n"), Ordering::Equal);
}

#[test]
fn number_formats_that_contradict_themselves_are_refused() {
    for (radix, thousands) in [(b'.', Some(b'.')), (b'1', None), (b'.', Some(b'0'))] {
        let mut order = lines(vec![field(0, TextType::DECIMAL)], None);
        order.options.numbers.radix = radix;
        order.options.numbers.thousands = thousands;
        assert!(matches!(CompiledKey::new(&order), Err(Error::Config(_))));
    }
}

#[test]
fn bytes_of_a_key_can_be_shown() {
    let key = TextKey::new(&lines(vec![field(1, TextType::INT)], None)).unwrap();
    assert_eq!(key.located(b"a  12 b\n", 0), Some(&b"  12"[..]));
    assert_eq!(key.located(b"a\n", 0), Some(&b""[..]));
    assert_eq!(key.located(b"a\n", 1), None);
}

/// Specs of any kind over short records of the bytes that matter.
fn any_order() -> impl Strategy<Value = TextOrder> {
    let types = [
        TextType::BYTES,
        TextType::INT,
        TextType::named("time").unwrap().1,
        TextType::named("bool").unwrap().1,
        TextType::DECIMAL,
        TextType::NUMERIC,
        TextType::SIZE,
        TextType::HUMAN,
        TextType::VERSION,
        TextType::named("natural").unwrap().1,
        TextType::GENERAL,
        TextType::FLOAT,
        TextType::RANDOM,
    ];
    let position = (0usize..3, 0usize..3, any::<bool>())
        .prop_map(|(field, byte, skips_blanks)| Position { field, byte, skips_blanks });
    let end = prop_oneof![
        Just(End::Record),
        (0usize..3).prop_map(End::Field),
        position.clone().prop_map(End::At),
        (position.clone(), 0usize..3).prop_map(|(position, last)| End::Within(position, last)),
    ];
    let flags = any::<[bool; 4]>();
    let places = [None, None, Some(InvalidPlace::First), Some(InvalidPlace::Last)];
    let places = proptest::sample::select(places.to_vec());
    let types = proptest::sample::select(types.to_vec());
    let spec = (position, end, types, flags, places.clone()).prop_map(
        |(start, end, text_type, [is_descending, trims, folds_case, is_collated], nulls)| {
            TextSpec {
                nulls,
                start,
                end,
                text_type,
                translation: Translation { folds_case, ..Translation::default() },
                collation: is_collated.then(|| Arc::new(Caseless) as Arc<dyn Collation>),
                is_descending,
                trims,
                ..TextSpec::default()
            }
        },
    );
    let separator = prop_oneof![Just(Separator::Blanks), Just(Separator::Byte(b':'))];
    let last = proptest::option::of(any::<bool>());
    let specs = proptest::collection::vec(spec, 0..4);
    (specs, separator, last, places).prop_map(|(specs, separator, last, place)| {
        let then_whole = last.map(|is_descending| LastResort { is_descending, collation: None });
        // Types that check have no order of what is invalid where it is a fault.
        let is_checked = specs.iter().any(|spec| spec.text_type.traits().class == Class::Strict);
        let place = place.or(is_checked.then_some(InvalidPlace::Last));
        let invalid = place.map(Invalid::Placed);
        TextOrder { separator, ..lines(specs, then_whole) }
            .with(|options| options.invalid = invalid)
    })
}

/// Two records that begin alike, of bytes that mean something.
fn records() -> impl Strategy<Value = [Vec<u8>; 2]> {
    let bytes = |most: usize| {
        let any = proptest::sample::select(b"01.a: \0\x01BKi-".to_vec());
        let digits = proptest::sample::select(b"012".to_vec());
        let any = proptest::collection::vec(any, 0..most);
        prop_oneof![3 => any, 1 => proptest::collection::vec(digits, 0..most)]
    };
    (bytes(30), bytes(20), bytes(20)).prop_map(|(beginning, a, b)| {
        [a, b].map(|rest| [beginning.as_slice(), &rest, b"\n"].concat())
    })
}

/// Spec by spec: each alone says how two records stand, and the first that tells them apart wins.
/// Before that, what is no value by any spec stands apart.
fn one_by_one(order: &TextOrder, a: &[u8], b: &[u8]) -> Ordering {
    let only = |spec: &TextSpec| {
        let order = TextOrder { specs: vec![spec.clone()], ..order.clone() }
            .with(|options| options.then_whole = None);
        TextKey::new(&order).unwrap()
    };
    let alone = |spec: &TextSpec| only(spec).compare_from(a, b, 0);
    let is_invalid = |record: &[u8]| {
        let is_no_value = |key: TextKey| key.parts[0].is_invalid(&mut key.fields(record));
        order.specs.iter().any(|spec| is_no_value(only(spec)))
    };
    let apart = match order.options.invalid {
        Some(Invalid::Placed(InvalidPlace::First)) => is_invalid(b).cmp(&is_invalid(a)),
        _ => is_invalid(a).cmp(&is_invalid(b)),
    };
    if apart.is_ne() {
        return apart;
    }
    let whole = || match &order.options.then_whole {
        None if order.specs.is_empty() => a[..a.len() - 1].cmp(&b[..b.len() - 1]),
        None => Ordering::Equal,
        Some(last) if last.is_descending => b[..b.len() - 1].cmp(&a[..a.len() - 1]),
        Some(_) => a[..a.len() - 1].cmp(&b[..b.len() - 1]),
    };
    order.specs.iter().map(alone).find(|order| order.is_ne()).unwrap_or_else(whole)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0004),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_orders_of_random_records(order in any_order(), [a, b] in records()) {
        let key = CompiledKey::new(&order).unwrap();
        prop_assert_eq!(order_of(&key, &a, &b), one_by_one(&order, &a, &b));
    }
}
