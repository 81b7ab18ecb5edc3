//! Binary64 numbers: eight bytes, the bits of the number so that they order as it does.

use super::super::sink::Sink;

/// Appends a number as Rust reads it, without blanks at both ends. Text that is not a number
/// becomes all zeros, which no number has. Negative zero is zero.
pub fn append<S: Sink>(text: &[u8], out: &mut S) {
    let number = std::str::from_utf8(text.trim_ascii()).ok().and_then(|text| text.parse().ok());
    out.extend(&number.map_or(0, order).to_be_bytes());
}

/// Returns the bits of a number, as an integer in the order of numbers; NaN, of either sign, is the
/// last.
fn order(number: f64) -> u64 {
    let number = if number.is_nan() { f64::NAN.abs() } else { number + 0.0 };
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
