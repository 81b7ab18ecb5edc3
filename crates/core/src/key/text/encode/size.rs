//! Sizes: `1K` is 1000, `2.5Gi` and `2.5GiB` are 2684354560. By value and exact, however long.

use super::super::order::NumberFormat;
use super::super::sink::Sink;
use super::digits;
use super::number::{Grammar, Number};

/// Each stands for a thousand, or 1024, of the one before.
pub const PREFIXES: &[u8; 10] = b"KMGTPEZYRQ";

/// Appends a size; one without digits is 0.
pub fn append<S: Sink>(text: &[u8], format: NumberFormat, out: &mut S) {
    let number = Number::read(text, format, Grammar { takes_plus: true, takes_fraction: true });
    let (steps, is_binary) = suffix(number.rest);
    if steps == 0 || number.is_zero() || !is_binary {
        number.append(3 * i64::from(steps), out);
        return;
    }
    let (mut significand, power) = number.significand();
    for _ in 0..steps {
        times_1024(&mut significand);
    }
    let exponent = significand.len() as i64 + power;
    let last = significand.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
    digits::append(number.is_negative, exponent, significand[..=last].iter().copied(), out);
}

/// The steps of a thousand that a suffix stands for, and whether they are of 1024. A blank may
/// stand before it, case does not count, and what follows is not looked at.
fn suffix(rest: &[u8]) -> (u8, bool) {
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let Some(prefix) = rest.first().map(u8::to_ascii_uppercase) else { return (0, false) };
    let steps = PREFIXES.iter().position(|&known| known == prefix).map_or(0, |at| at as u8 + 1);
    (steps, matches!(rest.get(1), Some(b'i' | b'I')))
}

/// Multiplies a number in ASCII digits, in place.
fn times_1024(number: &mut Vec<u8>) {
    let mut carry = 0u32;
    for digit in number.iter_mut().rev() {
        let product = u32::from(*digit - b'0') * 1024 + carry;
        *digit = b'0' + (product % 10) as u8;
        carry = product / 10;
    }
    if carry > 0 {
        number.splice(0..0, carry.to_string().into_bytes());
    }
}
