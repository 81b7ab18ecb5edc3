//! Decimal numbers of any length, exact: read, added, compared and written as digits.
//!
//! A sum has as many digits after the point as the longest of its terms, so that it does not hang
//! on the order in which they are added: 1.5 and 2.50 make 4.00.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::key::text::trimmed;

/// Digits of the longest numbers that are added as integers.
const SHORT_DIGITS: usize = 18;

/// A decimal number: the sum of a long and a short one. Short terms are collected in the short one,
/// so that they do not cost the length of the long one each.
#[derive(Clone, Debug, Default)]
pub struct Decimal {
    long: LongDecimal,
    short: ShortDecimal,
}

impl Decimal {
    /// Reads digits with a point among them or not, a sign before them or not, and blanks around
    /// them or not; `None` for anything else.
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = trimmed(text);
        let (is_negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let point = text.iter().position(|byte| *byte == b'.');
        let (whole, fraction) = match point {
            Some(point) => (&text[..point], &text[point + 1..]),
            None => (text, &[][..]),
        };
        let digits = whole.iter().chain(fraction);
        if whole.len() + fraction.len() == 0 || !digits.clone().all(u8::is_ascii_digit) {
            return None;
        }
        let zeros = whole.iter().take_while(|digit| **digit == b'0').count();
        let scale = fraction.len();
        if whole.len() - zeros + scale <= SHORT_DIGITS {
            let magnitude = digits.fold(0, |value, digit| 10 * value + i128::from(digit - b'0'));
            let value = if is_negative { -magnitude } else { magnitude };
            return Some(Self { short: ShortDecimal { value, scale }, ..Self::default() });
        }
        let digits = fraction.iter().rev().chain(whole[zeros..].iter().rev());
        let digits = digits.map(|digit| digit - b'0').collect();
        let mut long = LongDecimal { is_negative, digits, scale };
        long.tidy();
        Some(Self { long, ..Self::default() })
    }

    /// Returns whether there is no digit after the point.
    pub fn is_whole(&self) -> bool {
        self.long.scale.max(self.short.scale) == 0
    }

    /// Returns the number of digits of its long part, each of which takes a byte.
    pub fn digits(&self) -> usize {
        self.long.digits.len()
    }

    /// Adds another number. The time mostly depends on the digits of that number alone.
    pub fn add(&mut self, other: &Self) {
        if !other.long.digits.is_empty() {
            self.long.add(&other.long);
        }
        self.short = match self.short.plus(other.short) {
            Some(sum) => sum,
            None => {
                self.long.add(&self.short.long());
                other.short
            }
        };
    }

    /// Appends it in plain notation.
    pub fn write(&self, out: &mut Vec<u8>) {
        let is_all_long = self.short.value == 0 && self.short.scale <= self.long.scale;
        let mut all = Cow::Borrowed(&self.long);
        if !is_all_long {
            all.to_mut().add(&self.short.long());
        }
        all.write(out);
    }
}

impl PartialEq for Decimal {
    /// Compares the numbers as they are written.
    fn eq(&self, other: &Self) -> bool {
        let [mut own, mut others] = [Vec::new(), Vec::new()];
        self.write(&mut own);
        other.write(&mut others);
        own == others
    }
}

impl Eq for Decimal {}

/// A number of some digits, or a sum of such numbers.
#[derive(Clone, Copy, Debug, Default)]
struct ShortDecimal {
    /// The number without its point.
    value: i128,
    /// Number of digits after the point, at most [`SHORT_DIGITS`].
    scale: usize,
}

impl ShortDecimal {
    /// Returns the sum of two numbers; `None` if it is too large.
    fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let [a, b] = [self, other].map(|number| {
            let factor = 10_i128.pow((scale - number.scale) as u32);
            number.value.checked_mul(factor)
        });
        Some(Self { value: a?.checked_add(b?)?, scale })
    }

    /// Returns the number as its digits.
    fn long(self) -> LongDecimal {
        let mut rest = self.value.unsigned_abs();
        let mut digits = Vec::new();
        while rest > 0 || digits.len() < self.scale {
            digits.push((rest % 10) as u8);
            rest /= 10;
        }
        LongDecimal { is_negative: self.value < 0, digits, scale: self.scale }
    }
}

/// A number as its digits. Zero is not negative.
#[derive(Clone, Debug, Default)]
struct LongDecimal {
    is_negative: bool,
    /// Values of the digits, the least significant first; as many as the scale, or more.
    digits: Vec<u8>,
    /// Number of digits after the point.
    scale: usize,
}

impl LongDecimal {
    fn add(&mut self, other: &Self) {
        self.widen(self.scale.max(other.scale));
        let place = self.scale - other.scale;
        if self.is_negative == other.is_negative {
            // Without zeros before them, the digits have none before their sum.
            add_digits(&mut self.digits, &other.digits, place);
            return;
        }
        if self.compare_magnitude(other).is_ge() {
            subtract_digits(&mut self.digits, &other.digits, place);
        } else {
            let mut other = other.clone();
            other.widen(self.scale);
            subtract_digits(&mut other.digits, &self.digits, 0);
            *self = other;
        }
        self.tidy();
    }

    /// Compares two numbers without their signs.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        let whole = |number: &Self| number.digits.len() - number.scale;
        // Without zeros before them, more digits before the point make a greater number.
        whole(self).cmp(&whole(other)).then_with(|| {
            let length = self.digits.len().max(other.digits.len());
            padded(self, length).cmp(padded(other, length))
        })
    }

    /// Appends the number in plain notation.
    fn write(&self, out: &mut Vec<u8>) {
        if self.is_negative {
            out.push(b'-');
        }
        if self.digits.len() == self.scale {
            out.push(b'0');
        }
        for (place, digit) in self.digits.iter().enumerate().rev() {
            if place + 1 == self.scale {
                out.push(b'.');
            }
            out.push(b'0' + digit);
        }
    }

    /// Gives it `scale` digits after the point, at least as many as it has.
    fn widen(&mut self, scale: usize) {
        let zeros = scale - self.scale;
        if zeros > 0 {
            self.digits.splice(0..0, std::iter::repeat_n(0, zeros));
            self.scale = scale;
        }
    }

    /// Takes away zeros before the first digit that counts, and the sign of zero.
    fn tidy(&mut self) {
        while self.digits.len() > self.scale && self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.is_negative = self.is_negative && self.digits.iter().rev().any(|digit| *digit > 0);
    }
}

/// Adds `more` to `digits` from place `start` on, both the least significant first.
fn add_digits(digits: &mut Vec<u8>, more: &[u8], start: usize) {
    digits.resize(digits.len().max(start + more.len()), 0);
    let mut carry = 0;
    for (place, digit) in digits[start..].iter_mut().enumerate() {
        if place >= more.len() && carry == 0 {
            return;
        }
        let sum = *digit + more.get(place).unwrap_or(&0) + carry;
        (*digit, carry) = (sum % 10, sum / 10);
    }
    if carry > 0 {
        digits.push(carry);
    }
}

/// Takes `less` from `digits`, from place `start` on. It is no more than they are.
fn subtract_digits(digits: &mut [u8], less: &[u8], start: usize) {
    let mut borrowed = 0;
    for (place, digit) in digits[start..].iter_mut().enumerate() {
        if place >= less.len() && borrowed == 0 {
            return;
        }
        let taken = less.get(place).unwrap_or(&0) + borrowed;
        borrowed = u8::from(*digit < taken);
        *digit = *digit + 10 * borrowed - taken;
    }
    assert_eq!(borrowed, 0, "the greater comes first");
}

/// Returns the digits of a number from the most significant on, and zeros up to this length.
fn padded(number: &LongDecimal, length: usize) -> impl Iterator<Item = u8> {
    let digits = number.digits.iter().rev().copied();
    digits.chain(std::iter::repeat(0)).take(length)
}

#[cfg(test)]
mod tests;
