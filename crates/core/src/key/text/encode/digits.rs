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

use super::super::sink::{Sink, load};

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

/// Digits that are looked at together.
const FEW: usize = 16;

/// Eight bytes of which each has this value.
const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Whether `bytes` are all digits, up to sixteen.
#[inline]
pub fn are_few(bytes: &[u8]) -> bool {
    // The upper half of a digit is 3, also after 6 is added to the lower half (Muła). Behind the
    // last byte, zeros are made digits.
    let all_digits = |bytes: &[u8]| {
        let behind = eight(b'0').checked_shr(8 * bytes.len().min(8) as u32).unwrap_or(0);
        let word = load(bytes) | behind;
        (word | word.wrapping_add(eight(6))) & eight(0xf0) == eight(0x30)
            && word & eight(0xf0) == eight(0x30)
    };
    match bytes.split_at_checked(8) {
        None => all_digits(bytes),
        Some((first, rest)) => rest.len() <= FEW - 8 && all_digits(first) && all_digits(rest),
    }
}

/// Appends the value of `digits`, of which there is one and the first is not `b'0'`, times
/// 10^`shift`.
#[inline]
pub fn append_whole<S: Sink>(is_negative: bool, shift: i64, digits: &[u8], out: &mut S) {
    let exponent = digits.len() as i64 + shift;
    if digits.len() > FEW {
        let last = digits.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
        append(is_negative, exponent, digits[..=last].iter().copied(), out);
        return;
    }
    let mark = out.mark();
    append_exponent(exponent, out);
    let (first, rest) = digits.split_at(digits.len().min(8));
    let pairs = pairs(load(first)) << 32 | pairs(load(rest));
    // Behind the last pair that is not zero, nothing follows.
    let count = 8 - pairs.trailing_zeros() / 8;
    let continues = eight(1) & !(u64::MAX >> (8 * (count - 1)));
    out.extend(&((2 * pairs) | continues).to_be_bytes()[..count as usize]);
    if is_negative {
        out.invert_from(mark);
    }
}

/// The values of the pairs of eight ASCII digits, one a byte; bytes of zero are digits of zero.
#[inline]
fn pairs(digits: u64) -> u64 {
    const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
    let digits = digits & eight(0x0f);
    let apart = 10 * (digits >> 8 & PAIRS) + (digits & PAIRS);
    let closer = (apart | apart >> 8) & 0x0000_ffff_0000_ffff;
    (closer | closer >> 16) & 0xffff_ffff
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
    match &run[zeros..] {
        [] => append_zero(out),
        digits => append_whole(false, 0, digits, out),
    }
}
