//! Keys of `decimal.Decimal`: a sign, the exponent of the first digit, and the digits.
//!
//! ```text
//!   80                        0, also -0
//!   81, 8 bytes, digits, 00   positive: the exponent as an integer; two digits a byte, plus 1
//!   F3                        infinity
//!   F4                        NaN of every kind: all are equal
//!   7E, 0C                    negative: all bits of the positive value flipped
//! ```
//!
//! The digits come from the text of the value, which Python writes exactly. Zeros at the end are
//! left out, as 1.0 and 1.00 are equal.

use sortwell::KeyValue;

use super::flip;

const ZERO: u8 = 0x80;
const POSITIVE: u8 = 0x81;
const INFINITY: u8 = 0xF3;
const NAN: u8 = 0xF4;

/// End of the digits; less than every pair of them.
const END: u8 = 0;

/// Appends the key of a decimal with this text, such as `-1.5E+7`, `NaN12` or `Infinity`.
pub fn append(text: &str, key: &mut Vec<u8>) {
    let start = key.len();
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if text.contains("NaN") {
        key.push(NAN);
        return;
    }
    if text.starts_with("Inf") {
        key.push(INFINITY);
    } else if !append_finite(text, key) {
        key.push(ZERO);
        return;
    }
    if is_negative {
        flip(&mut key[start..]);
    }
}

/// Appends a positive value. Returns false for 0.
fn append_finite(text: &str, key: &mut Vec<u8>) -> bool {
    let (digits, exponent) = text.split_once(['E', 'e']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = whole.bytes().chain(fraction.bytes()).map(|digit| digit.wrapping_sub(b'0'));
    let digits: Vec<u8> = digits.collect();
    let Some(first) = digits.iter().position(|digit| *digit != 0) else { return false };
    let end = digits.len() - digits.iter().rev().take_while(|digit| **digit == 0).count();
    key.push(POSITIVE);
    (exponent + whole.len() as i64 - first as i64).append_to(key);
    for pair in digits[first..end].chunks(2) {
        key.push(pair[0] * 10 + pair.get(1).copied().unwrap_or_default() + 1);
    }
    key.push(END);
    true
}
