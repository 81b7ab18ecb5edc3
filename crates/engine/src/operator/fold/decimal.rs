//! Decimal numbers of any length, exact: read, added, compared and written as digits.
//!
//! A sum has as many digits after the point as the longest of its terms, so that it does not hang
//! on the order in which they are added: 1.5 and 2.50 make 4.00.

use std::cmp::Ordering;

/// A decimal number. Zero is not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    /// Values of the digits, the least significant first; as many as the scale, or more.
    digits: Vec<u8>,
    /// Number of digits after the point.
    scale: usize,
}

impl Decimal {
    /// Reads digits with a point among them or not, a sign before them or not, and blanks around
    /// them or not; `None` for anything else.
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii();
        let (is_negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let point = text.iter().position(|byte| *byte == b'.');
        let (whole, behind) = match point {
            Some(point) => (&text[..point], &text[point + 1..]),
            None => (text, &[][..]),
        };
        let mut parts = behind.iter().rev().chain(whole.iter().rev());
        if whole.len() + behind.len() == 0 || !parts.clone().all(u8::is_ascii_digit) {
            return None;
        }
        let mut digits = Vec::with_capacity(whole.len() + behind.len());
        digits.extend(parts.by_ref().map(|digit| digit - b'0'));
        let mut number = Self { is_negative, digits, scale: behind.len() };
        number.tidy();
        Some(number)
    }

    /// Returns whether there is no digit after the point.
    pub fn is_whole(&self) -> bool {
        self.scale == 0
    }

    /// Adds another number. The time mostly depends on the digits of that number alone.
    pub fn add(&mut self, other: &Self) {
        self.widen(self.scale.max(other.scale));
        let place = self.scale - other.scale;
        if self.is_negative == other.is_negative {
            add_digits(&mut self.digits, &other.digits, place);
        } else if self.compare_magnitude(other).is_ge() {
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

    /// Appends it in plain notation.
    pub fn write(&self, out: &mut Vec<u8>) {
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
        self.is_negative &= self.digits.iter().rev().any(|digit| *digit > 0);
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
fn padded(number: &Decimal, length: usize) -> impl Iterator<Item = u8> {
    let digits = number.digits.iter().rev().copied();
    digits.chain(std::iter::repeat(0)).take(length)
}

#[cfg(test)]
mod tests;
