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

use super::super::sink::{KeySink, load};

const ZERO: u8 = 0x80;
const SMALL: u8 = 0x81;
const PLAIN: u8 = 0x82;
const LARGE: u8 = 0xfb;
/// The header of exponent 0.
const EXPONENT_ZERO: u8 = PLAIN + 40;
const EXPONENT_MIN: i64 = -40;
const EXPONENT_MAX: i64 = EXPONENT_MIN + (LARGE - PLAIN) as i64 - 1;

/// Appends zero.
#[inline]
pub fn append_zero<S: KeySink>(out: &mut S) {
    out.push(ZERO);
}

/// Appends 0.d1d2d3... x 10^`exponent`. There is a digit, and neither the first nor the last is
/// `b'0'`.
#[inline]
pub fn append<S: KeySink>(
    is_negative: bool,
    exponent: i64,
    mut digits: impl Iterator<Item = u8>,
    out: &mut S,
) {
    out.inverted_if(is_negative, |out| {
        append_exponent(exponent, out);
        // There is always a first digit.
        let mut next = Some(digits.next().unwrap_or(b'0'));
        while let Some(high) = next.filter(|_| out.room() > 0) {
            let low = digits.next();
            next = low.and_then(|_| digits.next());
            let pair = 10 * (high - b'0') + low.map_or(0, |low| low - b'0');
            out.push(2 * pair + u8::from(next.is_some()));
        }
    });
}

/// Digits that are looked at together.
const FEW: usize = 16;

/// Digits of a long number that are brought into their form together; an even number.
const PIECE: usize = 256;

/// Returns eight bytes of which each has this value.
const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns whether `bytes` are all digits, up to sixteen.
#[inline]
pub fn are_few(bytes: &[u8]) -> bool {
    let all_digits = |bytes: &[u8]| are_digits(load(bytes), bytes.len());
    match bytes.split_at_checked(8) {
        None => all_digits(bytes),
        Some((first, rest)) => rest.len() <= FEW - 8 && all_digits(first) && all_digits(rest),
    }
}

/// Returns whether the first `length` bytes of a big-endian `word`, or all eight of them, are
/// digits.
#[inline]
fn are_digits(word: u64, length: usize) -> bool {
    // The upper half of a digit is 3, also after 6 is added to the lower half (Muła). Behind the
    // last byte, zeros are made digits.
    let word = word | eight(b'0').checked_shr(8 * length.min(8) as u32).unwrap_or(0);
    (word | word.wrapping_add(eight(6))) & eight(0xf0) == eight(0x30)
        && word & eight(0xf0) == eight(0x30)
}

/// Appends the value of `text`, complemented where `is_descending`, if that is nothing but up to
/// sixteen digits and perhaps a minus sign, as most numbers are; returns whether it is. Leading
/// zeros are taken only among the first eight digits, and only where these are all.
#[inline]
pub fn append_few<S: KeySink>(text: &[u8], is_descending: bool, out: &mut S) -> bool {
    let is_negative = text.first() == Some(&b'-');
    let text = &text[usize::from(is_negative)..];
    let (first, rest) = text.split_at(text.len().min(8));
    let [first_word, rest_word] = [load(first), load(rest)];
    let are_digits = are_digits(first_word, first.len()) && are_digits(rest_word, rest.len());
    let zeros = (first_word & eight(0x0f)).leading_zeros() / 8;
    if first.is_empty() || rest.len() > FEW - 8 || !are_digits || zeros > 0 && !rest.is_empty() {
        return false;
    }
    let pairs = pairs(first_word.checked_shl(8 * zeros).unwrap_or(0)) << 32 | pairs(rest_word);
    let is_inverted = is_negative != is_descending;
    if pairs == 0 {
        out.push(if is_descending { !ZERO } else { ZERO });
        return true;
    }
    let flip = if is_inverted { u64::MAX } else { 0 };
    out.push((EXPONENT_ZERO + text.len() as u8 - zeros as u8) ^ flip as u8);
    append_few_pairs(pairs, flip, out);
    true
}

/// Appends the pairs of a number up to the last that is not zero; each bit is changed that is one
/// in `flip`.
#[inline]
fn append_few_pairs<S: KeySink>(pairs: u64, flip: u64, out: &mut S) {
    let count = 8 - pairs.trailing_zeros() / 8;
    let continues = eight(1) & !(u64::MAX >> (8 * (count - 1)));
    out.extend(&(((2 * pairs) | continues) ^ flip).to_be_bytes()[..count as usize]);
}

/// Appends the value of `digits`, of which there is one and the first is not `b'0'`, times
/// 10^`shift`.
#[inline]
pub fn append_whole<S: KeySink>(is_negative: bool, shift: i64, digits: &[u8], out: &mut S) {
    let exponent = digits.len() as i64 + shift;
    if digits.len() > FEW {
        let last = digits.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
        append_parts(is_negative, exponent, [&digits[..=last], &[]], out);
        return;
    }
    out.inverted_if(is_negative, |out| {
        append_exponent(exponent, out);
        let (first, rest) = digits.split_at(digits.len().min(8));
        append_few_pairs(pairs(load(first)) << 32 | pairs(load(rest)), 0, out);
    });
}

/// Appends 0.d1d2d3... x 10^`exponent`, whose digits are those of two `parts`. There is a digit,
/// and neither the first nor the last is `b'0'`.
#[inline]
pub fn append_parts<S: KeySink>(is_negative: bool, exponent: i64, parts: [&[u8]; 2], out: &mut S) {
    let [first, second] = parts;
    if first.len() + second.len() <= FEW {
        append(is_negative, exponent, first.iter().chain(second).copied(), out);
        return;
    }
    out.inverted_if(is_negative, |out| {
        append_exponent(exponent, out);
        match (first.split_last(), second.split_first()) {
            (Some((last, before)), Some((next, behind))) if first.len() % 2 == 1 => {
                append_pairs(before, true, out);
                append_pairs(&[*last, *next], !behind.is_empty(), out);
                append_pairs(behind, false, out);
            }
            _ => {
                append_pairs(first, !second.is_empty(), out);
                append_pairs(second, false, out);
            }
        }
    });
}

/// Appends digits two by two; others follow them where the number `continues`, and then their
/// number is even.
fn append_pairs<S: KeySink>(digits: &[u8], continues: bool, out: &mut S) {
    let last = digits.len().saturating_sub(1) / PIECE;
    for (place, piece) in digits.chunks(PIECE).enumerate() {
        if out.room() == 0 {
            return;
        }
        let mut bytes = [0; PIECE / 2];
        let (pairs, odd) = piece.as_chunks::<2>();
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            let digits = u16::from_le_bytes(*pair);
            *byte = (20 * (digits & 0x0f) + 2 * (digits >> 8 & 0x0f) + 1) as u8;
        }
        if let ([digit], Some(byte)) = (odd, bytes.get_mut(pairs.len())) {
            *byte = 20 * (digit - b'0') + 1;
        }
        let bytes = &mut bytes[..piece.len().div_ceil(2)];
        if let Some(end) = bytes.last_mut().filter(|_| place == last && !continues) {
            *end -= 1;
        }
        out.extend(bytes);
    }
}

/// Returns the values of the pairs of eight ASCII digits, one a byte; bytes of zero are digits of
/// zero.
#[inline]
fn pairs(digits: u64) -> u64 {
    const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
    let digits = digits & eight(0x0f);
    let apart = 10 * (digits >> 8 & PAIRS) + (digits & PAIRS);
    let closer = (apart | apart >> 8) & 0x0000_ffff_0000_ffff;
    (closer | closer >> 16) & 0xffff_ffff
}

#[inline]
fn append_exponent<S: KeySink>(exponent: i64, out: &mut S) {
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
pub fn append_value<S: KeySink>(
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

/// Appends the value of a run of ASCII digits that `first`, if it is a digit, and `rest` begin
/// with. Appends zero without digits. Returns the first byte after the run, and leaves `rest` after
/// that byte.
#[inline]
pub fn append_run<S: KeySink>(
    first: Option<u8>,
    rest: &mut (impl Iterator<Item = u8> + Clone),
    out: &mut S,
) -> Option<u8> {
    let mut next = first;
    while next == Some(b'0') {
        next = rest.next();
    }
    let Some(high) = next.filter(u8::is_ascii_digit) else {
        append_zero(out);
        return next;
    };
    let behind = rest.clone();
    let (mut few, mut count, mut significant) = ([high; FEW], 1, 1);
    loop {
        next = rest.next();
        let Some(digit) = next.filter(u8::is_ascii_digit) else { break };
        if let Some(place) = few.get_mut(count) {
            *place = digit;
        }
        count += 1;
        if digit != b'0' {
            significant = count;
        }
    }
    match few.get(..count) {
        Some(few) => append_whole(false, 0, few, out),
        None => {
            let digits = std::iter::once(high).chain(behind).take(significant);
            append(false, count as i64, digits, out);
        }
    }
    next
}
