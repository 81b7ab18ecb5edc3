//! Decimal numbers in text: `decimal`, `int`, and those of GNU sort.
//!
//! What is read is what the manual of GNU sort says of `-n` and `-h`, and what the program was seen
//! to do where the manual is silent: separators of thousands count nowhere and may stand anywhere
//! in the whole part, even first.

use std::cmp::Ordering;

use super::super::leading::leading;
use super::super::order::NumberFormat;
use super::digits;
use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed, Usual};

/// A whole number of any length after optional blanks and a sign; anything else is 0.
#[derive(Debug)]
pub struct IntType;

impl KeyType for IntType {
    const NAMES: TypeNames = &[("int", Detail::None)];
    const EXPECTED: &'static str = "an int";
    const TRAITS: Traits = Traits { usual: Usual::Numbers(WHOLE), ..NUMBER_TRAITS };

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        Number::read(text, of.options.numbers, WHOLE).append(0, out);
        Some(())
    }

    fn is_value(text: &[u8], of: &Typed) -> bool {
        is_value(text, true, of.options.numbers)
    }

    fn order_of(texts: [&[u8]; 2], _: usize, of: &Typed) -> Option<Ordering> {
        order_of(texts, WHOLE, of)
    }
}

/// A number of any length with an optional fraction after optional blanks and a sign; anything else
/// is 0. It has no exponent.
#[derive(Debug)]
pub struct DecimalType;

impl KeyType for DecimalType {
    const NAMES: TypeNames = &[("decimal", Detail::None)];
    const EXPECTED: &'static str = "a decimal";
    const TRAITS: Traits = Traits { usual: Usual::Numbers(SIGNED), ..NUMBER_TRAITS };

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        Number::read(text, of.options.numbers, SIGNED).append(0, out);
        Some(())
    }

    fn is_value(text: &[u8], of: &Typed) -> bool {
        is_value(text, false, of.options.numbers)
    }

    fn order_of(texts: [&[u8]; 2], _: usize, of: &Typed) -> Option<Ordering> {
        order_of(texts, SIGNED, of)
    }
}

/// The numbers of `-n` of POSIX sort. A plus sign is no part of one: `+5` is 0.
#[derive(Debug)]
pub struct NumericType;

impl KeyType for NumericType {
    const TRAITS: Traits =
        Traits { class: Class::Unchecked, usual: Usual::Numbers(NO_PLUS), ..NUMBER_TRAITS };

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        Number::read(text, of.options.numbers, NO_PLUS).append(0, out);
        Some(())
    }

    fn order_of(texts: [&[u8]; 2], _: usize, of: &Typed) -> Option<Ordering> {
        order_of(texts, NO_PLUS, of)
    }
}

/// Traits of all types of numbers.
const NUMBER_TRAITS: Traits = Traits::of(Class::Loose).fills_word().spares_ends();

/// Returns the order of the numbers at the beginning of two texts.
fn order_of(texts: [&[u8]; 2], grammar: Grammar, of: &Typed) -> Option<Ordering> {
    let [a, b] = texts.map(|text| Number::read(text, of.options.numbers, grammar));
    a.compare(&b)
}

/// Returns whether `text` is an optional sign and digits, with a fraction or without unless
/// `is_whole`. Blanks at its ends do not count.
#[inline]
pub fn is_value(text: &[u8], is_whole: bool, format: NumberFormat) -> bool {
    if is_whole && plain(text).is_some() {
        return true;
    }
    let text = trimmed(text);
    if !is_whole {
        return length(text, format).is_some_and(|length| length == text.len());
    }
    let digits = match text {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    let is_one = |byte: u8| byte.is_ascii_digit() || Some(byte) == format.thousands;
    digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(|&byte| is_one(byte))
}

/// Returns the number of bytes of the number that `text` begins with, which has digits.
#[inline]
pub fn length(text: &[u8], format: NumberFormat) -> Option<usize> {
    let length = text.len() - Number::read(text, format, SIGNED).rest.len();
    text[..length].iter().any(u8::is_ascii_digit).then_some(length)
}

/// Appends the decimal that is all of `text`, and returns whether it is one.
pub fn append_decimal<S: KeySink>(text: &str, format: NumberFormat, out: &mut S) -> bool {
    let is_number = is_value(text.as_bytes(), false, format);
    if is_number {
        Number::read(text.as_bytes(), format, SIGNED).append(0, out);
    }
    is_number
}

/// A number found in text, not yet looked at as a value.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    pub is_negative: bool,
    /// Digits and separators of thousands; leading zeros and separators are gone.
    pub whole: &'a [u8],
    /// Digits, without trailing zeros.
    pub fraction: &'a [u8],
    /// Text that follows the number.
    pub rest: &'a [u8],
    /// True if digits of the whole part are separated.
    has_separators: bool,
}

/// Optional elements of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grammar {
    pub takes_plus: bool,
    pub takes_fraction: bool,
}

/// Numbers with a fraction and either sign.
pub const SIGNED: Grammar = Grammar { takes_plus: true, takes_fraction: true };

/// Numbers without a fraction, with either sign.
const WHOLE: Grammar = Grammar { takes_plus: true, takes_fraction: false };

/// Numbers with a fraction, of which only a minus is a sign, as GNU sort has them.
pub const NO_PLUS: Grammar = Grammar { takes_plus: false, takes_fraction: true };

/// Blanks are skipped in front of a number.
#[inline]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Returns `text` from its first byte that is not a blank.
#[inline]
pub fn without_blanks(text: &[u8]) -> &[u8] {
    &text[leading(text, is_blank)..]
}

/// Returns `text` without blanks at both ends.
#[inline]
pub fn trimmed(text: &[u8]) -> &[u8] {
    if let (Some(&first), Some(&last)) = (text.first(), text.last())
        && !is_blank(first)
        && !is_blank(last)
    {
        return text; // as nearly always
    }
    let text = without_blanks(text);
    let end = text.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// Returns whether `text`, nothing but digits and perhaps a minus sign, is negative, and its
/// digits; for a few digits, as nearly all numbers have.
#[inline]
pub fn plain(text: &[u8]) -> Option<(bool, &[u8])> {
    let is_negative = text.first() == Some(&b'-');
    let digits = &text[usize::from(is_negative)..];
    (!digits.is_empty() && digits::are_few(digits)).then_some((is_negative, digits))
}

impl<'a> Number<'a> {
    /// Returns the number at the beginning of `text`. It has no digits if the text does not begin
    /// with a number.
    #[inline]
    pub fn read(text: &'a [u8], format: NumberFormat, grammar: Grammar) -> Self {
        if let Some((is_negative, digits)) = plain(text) {
            let whole = match digits.iter().position(|&digit| digit != b'0') {
                Some(first) => &digits[first..],
                None => &[],
            };
            return Self { is_negative, whole, fraction: &[], rest: &[], has_separators: false };
        }
        let mut text = without_blanks(text);
        let is_negative = text.first() == Some(&b'-');
        if is_negative || grammar.takes_plus && text.first() == Some(&b'+') {
            text = &text[1..];
        }
        let separator = format.thousands;
        let is_whole = |byte: u8| byte.is_ascii_digit() || Some(byte) == separator;
        let (whole, mut rest) = text.split_at(match separator {
            None => leading(text, |byte| byte.is_ascii_digit()),
            Some(_) => leading(text, is_whole),
        });
        let whole = &whole[leading(whole, |byte| byte == b'0' || Some(byte) == separator)..];
        let mut fraction: &[u8] = &[];
        if grammar.takes_fraction && rest.first() == Some(&format.radix) {
            let behind = &rest[1..];
            (fraction, rest) = behind.split_at(leading(behind, |byte| byte.is_ascii_digit()));
            let last = fraction.iter().rposition(|&digit| digit != b'0');
            fraction = &fraction[..last.map_or(0, |last| last + 1)];
        }
        let has_separators = separator.is_some_and(|byte| whole.contains(&byte));
        Self { is_negative, whole, fraction, rest, has_separators }
    }

    /// Returns whether it is zero, as is what is no number.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// Returns the digits from the first that is not 0, and the exponent that puts a point in front
    /// of it. There may be zeros at the end.
    pub fn digits(&self) -> (i64, impl DoubleEndedIterator<Item = u8> + Clone + 'a) {
        let mut fraction = self.fraction;
        let exponent = if self.whole.is_empty() {
            let zeros = fraction.iter().take_while(|&&digit| digit == b'0').count();
            fraction = &fraction[zeros..];
            -(zeros as i64)
        } else {
            self.whole.iter().filter(|byte| byte.is_ascii_digit()).count() as i64
        };
        let whole = self.whole.iter().filter(|byte| byte.is_ascii_digit());
        (exponent, whole.chain(fraction).copied())
    }

    /// Appends its value times 10^`shift`.
    #[inline]
    pub fn append<S: KeySink>(&self, shift: i64, out: &mut S) {
        if self.is_zero() {
            digits::append_zero(out);
            return;
        }
        if self.fraction.is_empty() && !self.has_separators {
            digits::append_whole(self.is_negative, shift, self.whole, out);
            return;
        }
        if !self.has_separators {
            let zeros = match self.whole {
                [] => leading(self.fraction, |digit| digit == b'0'),
                _ => 0,
            };
            let exponent = self.whole.len() as i64 - zeros as i64;
            let digits = [self.whole, &self.fraction[zeros..]];
            digits::append_parts(self.is_negative, exponent + shift, digits, out);
            return;
        }
        let (exponent, digits) = self.digits();
        let zeros = digits.clone().rev().take_while(|&digit| digit == b'0').count();
        let significant = digits.clone().count() - zeros;
        digits::append(self.is_negative, exponent + shift, digits.take(significant), out);
    }

    /// Compares the values of two numbers; `None` where digits have separators between them.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.has_separators || other.has_separators {
            return None;
        }
        let is_below = |number: &Self| number.is_negative && !number.is_zero();
        // No digits are less than any.
        let magnitude = |number: &Self| (number.whole.len(), number.whole, number.fraction);
        Some(match (is_below(self), is_below(other)) {
            (false, false) => magnitude(self).cmp(&magnitude(other)),
            (true, true) => magnitude(other).cmp(&magnitude(self)),
            (is_below, other_is_below) => other_is_below.cmp(&is_below),
        })
    }
}

#[cfg(test)]
mod tests;
