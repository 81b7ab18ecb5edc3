//! Truth: one byte, false before true.

use super::super::sink::Sink;
use super::super::text_type::{Class, Detail, KeyType, Names, Traits};
use super::super::typed::Typed;

/// True or false, false first.
#[derive(Debug)]
pub struct Bool;

impl KeyType for Bool {
    const NAMES: Names = &[("bool", Detail::None)];
    const EXPECTED: &'static str = "a bool, as in true or false";
    const TRAITS: Traits = Traits::of(Class::Strict).is_coarse().spares_ends();

    #[inline]
    fn append<S: Sink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        append(parse(text)?, out);
        Some(())
    }
}

/// The words for each, in any case.
const FALSE: [&str; 6] = ["false", "f", "no", "n", "0", "off"];
const TRUE: [&str; 6] = ["true", "t", "yes", "y", "1", "on"];

/// Reads the truth that is all of `text`.
pub fn parse(text: &[u8]) -> Option<bool> {
    let is_in =
        |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    match (is_in(&TRUE), is_in(&FALSE)) {
        (false, false) => None,
        (is_true, _) => Some(is_true),
    }
}

/// Appends a truth. Neither byte is at an end of the range, nor is its complement.
#[inline]
pub fn append<S: Sink>(is_true: bool, out: &mut S) {
    out.push(0x40 + u8::from(is_true));
}
