//! Numbers of any length as bytes: a header for sign and size, then two decimal digits a byte.
//!
//! ```text
//!     value     0.d1 d2 d3 ... x 10^E, d1 and the last digit not 0
//!     header    81 and E in 8 bytes | 82..fa: E from -40 to 80 | fb and E in 8 bytes
//!     digits    2 x (10 d1 + d2) + 1, 2 x (10 d3 + d4) + 1, ..., 2 x the last pair
//!     zero      80           negative: all bytes complemented
//! ```
//!
//! The low bit of a pair says whether another follows, so digits end themselves. Numbers of up to
//! 14 digits fit into a key prefix.

use super::super::sink::Sink;

const ZERO: u8 = 0x80;
const SMALL: u8 = 0x81;
const PLAIN: u8 = 0x82;
const LARGE: u8 = 0xfb;
const EXPONENT_MIN: i64 = -40;
const EXPONENT_MAX: i64 = EXPONENT_MIN + (LARGE - PLAIN) as i64 - 1;

/// Appends zero.
#[inline]
pub fn append_zero<S: Sink>(out: &mut S) {
    out.push(ZERO);
}

/// Appends 0.d1d2d3... x 10^`exponent`. There is a digit, and neither the first nor the last is
/// `b'0'`.
#[inline]
pub fn append<S: Sink>(
    is_negative: bool,
    exponent: i64,
    mut digits: impl Iterator<Item = u8>,
    out: &mut S,
) {
    let mark = out.mark();
    append_exponent(exponent, out);
    let Some(mut high) = digits.next() else { return };
    while out.room() > 0 {
        let pair = 10 * (high - b'0');
        let Some(low) = digits.next() else {
            out.push(2 * pair);
            break;
        };
        let pair = pair + (low - b'0');
        let Some(next) = digits.next() else {
            out.push(2 * pair);
            break;
        };
        out.push(2 * pair + 1);
        high = next;
    }
    if is_negative {
        out.invert_from(mark);
    }
}

#[inline]
fn append_exponent<S: Sink>(exponent: i64, out: &mut S) {
    if (EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent) {
        out.push(PLAIN + (exponent - EXPONENT_MIN) as u8);
        return;
    }
    out.push(if exponent < 0 { SMALL } else { LARGE });
    out.extend(&(exponent as u64 ^ 1 << 63).to_be_bytes());
}

/// Appends the value of digits from 0 to 9, which may be none: zero then, whatever the sign. Larger
/// ones count as 9.
#[inline]
pub fn append_value<S: Sink>(
    is_negative: bool,
    digits: impl Iterator<Item = u8> + Clone,
    out: &mut S,
) {
    let count = digits.clone().count();
    let zeros = digits.clone().take_while(|&digit| digit == 0).count();
    let end = digits.clone().enumerate().filter(|(_, digit)| *digit != 0).last();
    let Some((last, _)) = end else { return append_zero(out) };
    let significant = digits.take(last + 1).skip(zeros).map(|digit| b'0' + digit.min(9));
    append(is_negative, (count - zeros) as i64, significant, out);
}

/// Appends the value of a run of ASCII digits, which may be empty: zero then.
#[inline]
pub fn append_run<S: Sink>(run: &[u8], out: &mut S) {
    let zeros = run.iter().take_while(|&&digit| digit == b'0').count();
    let run = &run[zeros..];
    match run.iter().rposition(|&digit| digit != b'0') {
        Some(last) => append(false, run.len() as i64, run[..=last].iter().copied(), out),
        None => append_zero(out),
    }
}
