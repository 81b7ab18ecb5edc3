//! Keys of bool, int and float, which have one order: that of their exact values.
//!
//! A value other than 0 is a sign, the exponent of its first bit, and the bits that follow. Sign
//! and exponent are two bytes, or nine for large integers. The bits come in groups of seven, each
//! in a byte whose lowest bit says that a group follows. Zeros at the end are left out.
//!
//! ```text
//!   80                  0, also -0.0
//!   81 xx to F1 xx      positive: the exponent
//!   F2 and 8 bytes      positive: an exponent that is too large for two bytes
//!   F3                  infinity
//!   F4                  NaN: all are equal
//!   7F to 0C            negative: all bits of the positive value flipped
//! ```
//!
//! IEEE 754 calls an order with a place for NaN a total one (totalOrder); unlike there, -0.0 is 0
//! and NaN has no sign, as for `==` and for sorting by `(isnan(x), x)`.

use super::flip;

const ZERO: u8 = 0x80;
const FIRST: u16 = 0x8100;
const LARGE: u8 = 0xF2;
const INFINITY: u8 = 0xF3;
const NAN: u8 = 0xF4;

/// The least exponent of a float: that of the least subnormal one.
const EXPONENT_MIN: i64 = -1074;
/// The first exponent that is too large for two bytes.
const EXPONENT_LARGE: i64 = 0x6000;

/// Bits of a byte that belong to the value.
const GROUP: u32 = 7;

/// Appends the key of an integer.
#[inline]
pub fn append_int(value: i64, key: &mut Vec<u8>) {
    let start = key.len();
    let magnitude = value.unsigned_abs();
    if magnitude == 0 {
        key.push(ZERO);
        return;
    }
    append_bits(0, magnitude, key);
    if value < 0 {
        flip(&mut key[start..]);
    }
}

/// Appends the key of a float.
#[inline]
pub fn append_float(value: f64, key: &mut Vec<u8>) {
    const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let start = key.len();
    if value == 0.0 {
        key.push(ZERO);
        return;
    }
    if value.is_nan() {
        key.push(NAN);
        return;
    }
    if value.is_infinite() {
        key.push(INFINITY);
    } else {
        let bits = value.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let exponent = (bits >> FRACTION_BITS & 0x7FF) as i64;
        // The value is an integer times a power of two.
        let (integer, scale) = match exponent {
            0 => (fraction, EXPONENT_MIN),
            _ => (fraction | 1 << FRACTION_BITS, exponent - 1 + EXPONENT_MIN),
        };
        append_bits(scale, integer, key);
    }
    if value < 0.0 {
        flip(&mut key[start..]);
    }
}

/// Appends the key of an integer of any size. Its magnitude is in big-endian bytes, of which the
/// first is not 0.
pub fn append_large(is_negative: bool, magnitude: &[u8], key: &mut Vec<u8>) {
    let start = key.len();
    let Some(first) = magnitude.first() else {
        key.push(ZERO);
        return;
    };
    let skipped = first.leading_zeros() as usize + 1; // with the first bit, which is always 1
    append_exponent((magnitude.len() * 8 - skipped) as i64, key);
    let used = magnitude.len() - magnitude.iter().rev().take_while(|byte| **byte == 0).count();
    let (mut bits, mut count) = (u32::from(*first) & (0xFF >> skipped), 8 - skipped as u32);
    let mut rest = magnitude[1..used.max(1)].iter().peekable();
    loop {
        while count < GROUP && rest.peek().is_some() {
            bits = bits << 8 | u32::from(rest.next().copied().unwrap_or_default());
            count += 8;
        }
        if count < GROUP {
            bits <<= GROUP - count;
            count = GROUP;
        }
        count -= GROUP;
        let group = bits >> count;
        bits &= (1 << count) - 1;
        let more = bits != 0 || rest.peek().is_some();
        key.push((group << 1) as u8 | u8::from(more));
        if !more {
            break;
        }
    }
    if is_negative {
        flip(&mut key[start..]);
    }
}

/// Appends `integer`, which is not 0, times two to the power of `scale`.
#[inline]
fn append_bits(scale: i64, integer: u64, key: &mut Vec<u8>) {
    let zeros = integer.leading_zeros();
    append_exponent(scale + i64::from(u64::BITS - 1 - zeros), key);
    let mut rest = integer << zeros << 1;
    loop {
        let group = (rest >> (u64::BITS - GROUP)) as u8;
        rest <<= GROUP;
        key.push(group << 1 | u8::from(rest != 0));
        if rest == 0 {
            break;
        }
    }
}

/// Appends the exponent of a positive value.
#[inline]
fn append_exponent(exponent: i64, key: &mut Vec<u8>) {
    if exponent < EXPONENT_LARGE {
        let ordered = FIRST + (exponent - EXPONENT_MIN) as u16;
        key.extend_from_slice(&ordered.to_be_bytes());
    } else {
        key.push(LARGE);
        key.extend_from_slice(&exponent.to_be_bytes());
    }
}
