//! Natural order: text in which each run of digits is one number.
//!
//! A number stands where its first digit would, as a byte `0` and its value: so `a2 < a10`, and
//! both lie between `a!` and `ab`. Leading zeros do not count.

use std::cmp::Ordering;

use super::{Class, Content, Detail, KeySink, KeyType, Traits, TypeNames, Typed};
use super::{bytes, digits};

/// Text in which runs of digits compare by value and stand where digits do.
#[derive(Debug)]
pub struct NaturalType;

impl KeyType for NaturalType {
    const NAMES: TypeNames = &[("natural", Detail::None)];
    const TRAITS: Traits = Traits::of(Class::Text);

    fn append_content<S: KeySink>(text: Content<'_>, of: &Typed, out: &mut S) {
        match text.as_slice() {
            Some(text) => append(text.iter().copied(), of.is_open, out),
            None => append(text.bytes(), of.is_open, out),
        }
    }

    fn order_of(texts: [&[u8]; 2], agreed: usize, _: &Typed) -> Option<Ordering> {
        order_within_number(texts, agreed)
    }

    fn restart([text, _]: &[Content<'_>; 2], agreed: usize, _: &Typed) -> usize {
        if text.has_escapes_of_json() {
            return 0;
        }
        // A number goes on from the digits before it.
        let is_letter = |byte: &u8| text.of_byte(*byte).is_some_and(|byte| !byte.is_ascii_digit());
        text.raw()[..agreed].iter().rposition(is_letter).map_or(0, |last| last + 1)
    }
}

/// Returns the order of two texts that agree in the first `agreed` bytes and differ within a number
/// that has begun there; `None` if only their keys show it.
pub fn order_within_number([a, b]: [&[u8]; 2], agreed: usize) -> Option<Ordering> {
    let agreed = &a[..agreed];
    let mut digits = agreed.iter().rev().take_while(|byte| byte.is_ascii_digit());
    if digits.all(|digit| *digit == b'0') {
        return None;
    }
    let rest = [a, b].map(|text| &text[agreed.len()..]);
    let [longer_a, longer_b] =
        rest.map(|rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let order = longer_a.cmp(&longer_b);
    // Digits that agree as far as they go leave the order to what follows.
    let is_number = longer_a > 0 && rest[0].first() != rest[1].first();
    let by_digits = || is_number.then(|| rest[0].first().cmp(&rest[1].first()));
    if order.is_ne() { Some(order) } else { by_digits() }
}

/// Stands before every number.
const NUMBER: u8 = b'0';
const END: u8 = 0;

/// Letters that are appended together.
const LETTERS: usize = 32;

/// Appends `text`; without an end where the key is open.
pub fn append<S: KeySink>(mut text: impl Iterator<Item = u8> + Clone, is_open: bool, out: &mut S) {
    let mut letters = [0; LETTERS];
    let mut next = text.next();
    while next.is_some() {
        if out.room() == 0 {
            return;
        }
        let mut filled = 0;
        while let Some(byte) = next.filter(|byte| filled < LETTERS && !byte.is_ascii_digit()) {
            letters[filled] = byte;
            filled += 1;
            next = text.next();
        }
        bytes::append_escaped(&letters[..filled], out);
        if next.is_some_and(|byte| byte.is_ascii_digit()) {
            out.push(NUMBER);
            next = digits::append_run(next, &mut text, out);
        }
    }
    if !is_open {
        out.push(END);
    }
}
