//! Keys of two texts are ordered as a reference orders the texts, which compares without encoding.
//!
//! The first byte chooses the type; the two texts have a byte 255 between them. The reference is
//! the one of the encoders' own tests.

#![no_main]

use std::cmp::Ordering;

use libfuzzer_sys::fuzz_target;
use sortwell::key::KeyEncoder;
use sortwell::key::text::{NumberFormat, TextKey, TextOrder, TextSpec, TextType};

#[path = "../../crates/core/src/key/text/encode/tests/reference.rs"]
mod reference;

const PLAIN: NumberFormat = NumberFormat { radix: b'.', thousands: None };
const GERMAN: NumberFormat = NumberFormat { radix: b',', thousands: Some(b'.') };

type Compare = fn(&[u8], &[u8]) -> Ordering;

/// Every type with an encoder of its own, how its numbers are written, and its order.
const TYPES: [(TextType, NumberFormat, Compare); 10] = [
    (TextType::Decimal, PLAIN, |a, b| reference::decimals(a, b, PLAIN)),
    (TextType::Decimal, GERMAN, |a, b| reference::decimals(a, b, GERMAN)),
    (TextType::Int, PLAIN, reference::ints),
    (TextType::Human, PLAIN, reference::humans),
    (TextType::Size, PLAIN, reference::sizes),
    (TextType::General, PLAIN, reference::generals),
    (TextType::Float, PLAIN, reference::floats),
    (TextType::Month, PLAIN, reference::months),
    (TextType::Version, PLAIN, reference::versions),
    (TextType::Natural, PLAIN, reference::naturals),
];

fuzz_target!(|data: &[u8]| {
    let Some((&first, texts)) = data.split_first() else { return };
    let Some(middle) = texts.iter().position(|&byte| byte == 0xff) else { return };
    let (a, b) = (&texts[..middle], &texts[middle + 1..]);
    let (text_type, numbers, compare) = TYPES[usize::from(first) % TYPES.len()];
    let cannot_judge = |text: &[u8]| !text.is_ascii() || reference::is_far(text);
    if text_type == TextType::General && (cannot_judge(a) || cannot_judge(b)) {
        return;
    }
    let spec = TextSpec { text_type, ..TextSpec::default() };
    // A terminator that ends no text, so that all of it is the key.
    let order = TextOrder { specs: vec![spec], numbers, ..TextOrder::by_bytes(0xff) };
    let key = TextKey::new(&order).expect("plain numbers");
    let encoded = |text: &[u8]| {
        let mut out = Vec::new();
        key.key_bytes(&[text, &[0xff]].concat(), usize::MAX, &mut out);
        out
    };
    let order = encoded(a).cmp(&encoded(b));
    let said = || format!("{text_type:?} '{}' '{}'", a.escape_ascii(), b.escape_ascii());
    assert_eq!(order, compare(a, b), "{}", said());
});
