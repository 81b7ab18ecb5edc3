//! Keys of two texts are ordered as a reference orders the texts, which compares without encoding.
//!
//! The first byte chooses the type, the second how long the first text is. The references are those
//! of the encoders' own tests: one for the types that take what they can read, one for those that
//! check.

#![no_main]

use std::cmp::Ordering;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sortwell_engine::format::Format;
use sortwell_engine::key::text::{NumberFormat, TextKey, TextOrder, TextSpec, TextType};
use sortwell_engine::key::{Key, KeyEncoder, ListMemory};

#[path = "../../crates/engine/src/key/text/encode/tests/reference.rs"]
mod reference;
#[path = "../../crates/engine/src/key/text/typed/tests/reference.rs"]
mod values;

const PLAIN: NumberFormat = NumberFormat { radix: b'.', thousands: None };
const GERMAN: NumberFormat = NumberFormat { radix: b',', thousands: Some(b'.') };

type Compare = fn(&[u8], &[u8]) -> Ordering;

/// Every type with an encoder of its own, how its numbers are written, and its order.
static TYPES: LazyLock<[(TextType, NumberFormat, Compare); 12]> = LazyLock::new(|| {
    [
        (TextType::DECIMAL, PLAIN, |a, b| reference::decimals(a, b, PLAIN, true)),
        (TextType::DECIMAL, GERMAN, |a, b| reference::decimals(a, b, GERMAN, true)),
        (TextType::NUMERIC, PLAIN, |a, b| reference::decimals(a, b, PLAIN, false)),
        (TextType::NUMERIC, GERMAN, |a, b| reference::decimals(a, b, GERMAN, false)),
        (TextType::INT, PLAIN, reference::ints),
        (TextType::HUMAN, PLAIN, reference::humans),
        (TextType::SIZE, PLAIN, reference::sizes),
        (TextType::GENERAL, PLAIN, reference::generals),
        (TextType::FLOAT, PLAIN, reference::floats),
        (TextType::MONTH, PLAIN, reference::months),
        (TextType::VERSION, PLAIN, reference::versions),
        (spec("natural").text_type, PLAIN, reference::naturals),
    ]
});

/// The types that check, as they are named in keys.
const CHECKED: [&str; 12] = [
    "date",
    "time",
    "timestamp",
    "ip",
    "uuid",
    "bool",
    "packed",
    "zoned",
    "zoned-leading",
    "zoned-separate=ebcdic",
    "zoned=ebcdic",
    "zoned-leading-separate",
];

fuzz_target!(|data: &[u8]| {
    let &[first, length, ref texts @ ..] = data else { return };
    let (a, b) = texts.split_at(usize::from(length).min(texts.len()));
    let kind = usize::from(first) % (TYPES.len() + CHECKED.len());
    match kind.checked_sub(TYPES.len()) {
        None => loose(&TYPES[kind], a, b),
        Some(kind) => checked(CHECKED[kind], a, b),
    }
});

/// Returns the spec of a key of this type over the whole record.
fn spec(kind: &str) -> TextSpec {
    let key: Key = format!("..:{kind}").parse().expect("a type");
    key.spec(ListMemory::UNBOUNDED).expect("no file")
}

fn encoded(key: &TextKey, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    key.key_bytes(text, usize::MAX, &mut out);
    out
}

fn loose(kind: &(TextType, NumberFormat, Compare), a: &[u8], b: &[u8]) {
    let (text_type, numbers, compare) = kind.clone();
    let cannot_judge = |text: &[u8]| !text.is_ascii() || reference::is_far(text);
    if text_type == TextType::GENERAL && (cannot_judge(a) || cannot_judge(b)) {
        return;
    }
    let said = format!("{text_type:?} '{}' '{}'", a.escape_ascii(), b.escape_ascii());
    let spec = TextSpec { text_type, ..TextSpec::default() };
    // A terminator that ends no text, so that all of it is the key.
    let order = TextOrder { specs: vec![spec], ..TextOrder::by_bytes(0xff) }
        .with(|options| options.numbers = numbers);
    let key = TextKey::new(&order).expect("plain numbers");
    let [key_a, key_b] = [a, b].map(|text| encoded(&key, &[text, &[0xff]].concat()));
    assert_eq!(key_a.cmp(&key_b), compare(a, b), "{said}");
}

fn checked(kind: &str, a: &[u8], b: &[u8]) {
    // All of a record, whatever it holds, is the key.
    let order =
        TextOrder { specs: vec![spec(kind)], ..TextOrder::of(Format::Fixed { length: 1 }) };
    let key = TextKey::new(&order).expect("plain numbers");
    let [value_a, value_b] = [a, b].map(|text| {
        let value = values::value(kind, text);
        let is_empty = match kind.starts_with("zoned") || kind == "packed" {
            true => text.is_empty(),
            false => text.iter().all(|byte| b" \t\n".contains(byte)),
        };
        let is_fine = value.is_some() || is_empty;
        assert_eq!(key.fault(text).is_none(), is_fine, "{kind} '{}'", text.escape_ascii());
        value
    });
    if let (Some(value_a), Some(value_b)) = (value_a, value_b) {
        let order = encoded(&key, a).cmp(&encoded(&key, b));
        let said = format!("{kind} '{}' '{}'", a.escape_ascii(), b.escape_ascii());
        assert_eq!(order, value_a.cmp(&value_b), "{said}");
    }
}
