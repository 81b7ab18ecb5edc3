//! Numbers as people write them: `1.234,56`, `$1,234`, `-5 €`. Their keys are those of `number`.
//!
//! A separator of thousands stands before every group of three digits, or before none.

use super::super::order::NumberFormat;
use super::number::{Grammar, Number, trimmed};
use super::{Class, Detail, KeySink, KeyType, KeyTypeRow, TextType, Traits, Typed};

/// The style in which people write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberStyle {
    /// Between the number and its fraction.
    pub radix: u8,
    /// Between groups of three digits of the whole number.
    pub thousands: Option<u8>,
    /// True if a sign of a currency may stand before or after the number.
    pub has_currency: bool,
    /// True if the number has no fraction.
    pub is_whole: bool,
}

/// A number as people write it. Modifiers of `int` and `decimal` ask for it.
#[derive(Debug)]
pub struct WrittenType;

impl KeyType for WrittenType {
    const TRAITS: Traits = Traits::of(Class::Strict).fills_word().spares_ends();

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let Detail::Style(form) = of.text_type.detail else { return None };
        parse(text, form)?.append(0, out);
        Some(())
    }

    fn expected(detail: &Detail) -> String {
        let Detail::Style(form) = *detail else { return String::new() };
        let NumberStyle { radix, thousands, has_currency, is_whole } = form;
        let shown = |byte: u8| char::from(byte).escape_default();
        let group = thousands.map(|byte| shown(byte).to_string()).unwrap_or_default();
        let fraction = if is_whole { String::new() } else { format!("{}56", shown(radix)) };
        let sign = if has_currency { ", with a sign of a currency or without" } else { "" };
        let name = if is_whole { "an int" } else { "a decimal" };
        format!("{name}, as in 1{group}234{fraction}{sign}")
    }
}

impl TextType {
    /// Returns the type of numbers in a style of people.
    pub const fn written(style: NumberStyle) -> Self {
        Self { row: KeyTypeRow::row::<WrittenType>(), detail: Detail::Style(style) }
    }

    /// Returns the style in which its numbers are written, if they have one.
    pub fn number_style(&self) -> Option<NumberStyle> {
        if let Detail::Style(style) = self.detail { Some(style) } else { None }
    }
}

/// Reads the number that is all of `text`; `None` where a sign or a separator stands in a wrong
/// place.
pub fn parse(text: &[u8], form: NumberStyle) -> Option<Number<'_>> {
    let (is_negative, rest) = unsigned(text, form)?;
    let NumberStyle { radix, thousands, is_whole, .. } = form;
    let grammar = Grammar { takes_plus: false, takes_fraction: !is_whole };
    let mut number = Number::read(rest, NumberFormat { radix, thousands }, grammar);
    number.is_negative = is_negative;
    Some(number)
}

impl NumberStyle {
    /// Returns the number that is all of `text` in plain notation: `-1234.50` of `-1.234,50 €`.
    pub fn plain(self, text: &[u8]) -> Option<Vec<u8>> {
        let (is_negative, rest) = unsigned(text, self)?;
        let mut plain = Vec::with_capacity(rest.len() + 1);
        plain.extend(is_negative.then_some(b'-'));
        let is_kept = |byte: &&u8| Some(**byte) != self.thousands;
        let point = |byte: &u8| if *byte == self.radix { b'.' } else { *byte };
        plain.extend(rest.iter().filter(is_kept).map(point));
        Some(plain)
    }
}

/// Returns whether the number that is all of `text` has a minus, and its digits, separators and
/// decimal sign; `None` where a sign or a separator stands in a wrong place.
fn unsigned(text: &[u8], form: NumberStyle) -> Option<(bool, &[u8])> {
    let mut rest = trimmed(text);
    let mut sign = take_sign(&mut rest);
    if form.has_currency {
        let has_currency = take_currency_before(&mut rest);
        if has_currency && sign.is_none() {
            sign = take_sign(&mut rest);
        }
        if !has_currency {
            take_currency_behind(&mut rest);
        }
    }
    let NumberStyle { radix, thousands, is_whole, .. } = form;
    // Of a whole number, the sign of a fraction may separate thousands.
    let point = rest.iter().position(|byte| *byte == radix && !is_whole);
    let (whole, fraction) = match point {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let is_fraction = fraction.iter().all(u8::is_ascii_digit);
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !is_fraction || !has_digits || !is_grouped(whole, thousands) {
        return None;
    }
    Some((sign == Some(b'-'), rest))
}

/// Returns whether a text is digits, all of them or none in groups.
fn is_grouped(whole: &[u8], thousands: Option<u8>) -> bool {
    let mut groups = whole.split(|byte| Some(*byte) == thousands);
    let first = groups.next().unwrap_or_default();
    let is_digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
    let (mut is_alone, mut are_threes) = (true, true);
    for group in groups {
        is_alone = false;
        are_threes &= group.len() == 3 && is_digits(group);
    }
    is_digits(first) && (is_alone || are_threes && (1..=3).contains(&first.len()))
}

fn take_sign(rest: &mut &[u8]) -> Option<u8> {
    let sign = rest.first().copied().filter(|byte| matches!(byte, b'-' | b'+'))?;
    *rest = &rest[1..];
    Some(sign)
}

/// Takes a sign of a currency, and blanks after it.
fn take_currency_before(rest: &mut &[u8]) -> bool {
    let lengths = [1, 2, 3].into_iter().filter(|length| *length <= rest.len());
    let Some(length) = lengths.into_iter().find(|length| is_currency(&rest[..*length])) else {
        return false;
    };
    *rest = trimmed(&rest[length..]);
    true
}

/// Takes a sign of a currency at the end, and blanks before it.
fn take_currency_behind(rest: &mut &[u8]) {
    let starts = [1, 2, 3].into_iter().filter_map(|length| rest.len().checked_sub(length));
    if let Some(start) = starts.into_iter().find(|start| is_currency(&rest[*start..])) {
        *rest = trimmed(&rest[..start]);
    }
}

/// Returns whether bytes are one character that Unicode has as a sign of a currency (Sc), as far as
/// these are in common use.
fn is_currency(bytes: &[u8]) -> bool {
    let mut characters = std::str::from_utf8(bytes).unwrap_or_default().chars();
    let only = characters.next().filter(|_| characters.next().is_none());
    only.is_some_and(
        |sign| matches!(sign, '$' | '\u{a2}'..='\u{a5}' | '\u{e3f}' | '\u{20a0}'..='\u{20cf}'),
    )
}
