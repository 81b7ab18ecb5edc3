//! 80-bit floating point as the x87 has it, rounded from decimal or hexadecimal text.
//!
//! GNU sort compares by C's `long double`, so that numbers which differ only behind the 64th bit
//! are equal, and so they must be here. Rounding is to nearest, ties to even, and exact: numbers of
//! up to 19 digits whose power of ten is small are one 128-bit multiplication or division (the
//! limits of Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990, for a 128-bit
//! intermediate); the rest goes through long integers.

use std::cmp::Ordering;

/// The magnitude of a number: ordered as the pair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extended {
    /// Biased by 16383; 0 for numbers below 2^-16382, 32767 for infinity.
    pub exponent: u16,
    /// Mantissa with the leading bit.
    pub mantissa: u64,
}

impl Extended {
    pub const ZERO: Self = Self { exponent: 0, mantissa: 0 };
    pub const INFINITY: Self = Self { exponent: EXPONENT_TOP as u16, mantissa: 1 << 63 };
}

const BIAS: i64 = 16383;
const EXPONENT_TOP: i64 = 32767;
/// Powers of ten beyond which every number is zero or infinity, with room to spare.
const POWER_MAX: i64 = 5000;
/// Digits after which no number can lie halfway between two others. The smallest halfway point is
/// 2^-16446, whose digits are fewer than this.
pub const DIGITS_MAX: usize = 12_000;
/// Digits that nearly always decide how a number is rounded: 64 bits are 20 digits.
const FEW_DIGITS: usize = 40;
/// The largest power of five below 2^64.
const FIVES_MAX: u32 = 27;

/// Returns the number of `value` x 2^`power`, a little more than that where `is_more`.
pub fn round(value: u128, power: i64, is_more: bool) -> Extended {
    if value == 0 {
        return Extended::ZERO;
    }
    let bits = i64::from(128 - value.leading_zeros());
    let exponent = power + bits - 1 + BIAS;
    // Numbers too small for an exponent of their own share the least, and have fewer bits.
    let drop = if exponent >= 1 { bits - 64 } else { 1 - BIAS - 63 - power };
    let mantissa = shifted(value, drop, is_more);
    let exponent = exponent.max(0);
    let (exponent, mantissa) = match (exponent, mantissa >> 63, mantissa >> 64) {
        (0, 1, _) => (1, mantissa),
        (_, _, 1) => (exponent + 1, mantissa >> 1),
        _ => (exponent, mantissa),
    };
    if exponent >= EXPONENT_TOP {
        return Extended::INFINITY;
    }
    Extended { exponent: exponent as u16, mantissa: mantissa as u64 }
}

/// Returns `value` without its last `drop` bits, rounded.
fn shifted(value: u128, drop: i64, is_more: bool) -> u128 {
    if drop <= 0 {
        return value << -drop;
    }
    if drop > 128 {
        return 0;
    }
    let kept = value.checked_shr(drop as u32).unwrap_or(0);
    let half = 1u128 << (drop - 1);
    let rest = value & (half | (half - 1));
    let is_up = match rest.cmp(&half) {
        Ordering::Less => false,
        Ordering::Equal => is_more || kept & 1 == 1,
        Ordering::Greater => true,
    };
    kept + u128::from(is_up)
}

/// Returns the number of `digits` (ASCII, the first not 0) x 10^`power`.
pub fn from_decimal(digits: &[u8], power: i64) -> Extended {
    let significant = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |at| at + 1);
    let power = power.saturating_add((digits.len() - significant) as i64);
    let digits = &digits[..significant];
    if digits.is_empty() {
        return Extended::ZERO;
    }
    let size = power.saturating_add(digits.len() as i64);
    if size > POWER_MAX {
        return Extended::INFINITY;
    }
    if size < -POWER_MAX {
        return Extended::ZERO;
    }
    if digits.len() <= 19 && power.unsigned_abs() <= u64::from(FIVES_MAX) {
        let value = digits.iter().fold(0, |value, digit| value * 10 + u128::from(digit - b'0'));
        let fives = 5u128.pow(power.unsigned_abs() as u32);
        if power >= 0 {
            return round(value * fives, power, false);
        }
        // At least 65 bits of quotient: the dividend has 128, the divisor no more than 63.
        let up = value.leading_zeros();
        let (dividend, power) = (value << up, power - i64::from(up));
        return round(dividend / fives, power, dividend % fives != 0);
    }
    from_many(digits, power)
}

/// Returns what [`from_long`] does, in most cases from a few digits: the number lies between these
/// digits followed by zeros and the next larger number of as many digits, and where both are
/// rounded to one number, so is all between them.
fn from_many(digits: &[u8], power: i64) -> Extended {
    let Some((few, rest)) = digits.split_at_checked(FEW_DIGITS) else {
        return from_long(digits, power);
    };
    let power_of_few = power + rest.len() as i64;
    let mut next = few.to_vec();
    let nines = few.iter().rev().take_while(|&&digit| digit == b'9').count();
    next[few.len() - nines..].fill(b'0');
    match few.len() - nines {
        0 => next.insert(0, b'1'),
        above => next[above - 1] += 1,
    }
    let lower = from_long(few, power_of_few);
    let is_settled = lower == from_long(&next, power_of_few);
    if is_settled { lower } else { from_long(digits, power) }
}

/// Returns the number of `digits` (ASCII, the first not 0) x 10^`power`, computed with long
/// integers.
pub(super) fn from_long(digits: &[u8], power: i64) -> Extended {
    let kept = &digits[..digits.len().min(DIGITS_MAX)];
    let power = power + (digits.len() - kept.len()) as i64;
    let mut above = Long::from_digits(kept);
    let mut below = Long(vec![1]);
    let scaled = if power >= 0 { &mut above } else { &mut below };
    let (nines, rest) = (power.unsigned_abs() / 9, power.unsigned_abs() % 9);
    (0..nines).for_each(|_| scaled.multiply_add(10_u32.pow(9), 0));
    scaled.multiply_add(10_u32.pow(rest as u32), 0);
    // So that the quotient has 66 or 67 bits.
    let shift = 66 + below.bits() - above.bits();
    let scaled = if shift >= 0 { &mut above } else { &mut below };
    scaled.shift_left(shift.unsigned_abs() as usize);
    let mut quotient = 0u128;
    below.shift_left(67);
    for _ in 0..68 {
        quotient <<= 1;
        if above.compare(&below).is_ge() {
            above.subtract(&below);
            quotient |= 1;
        }
        below.halve();
    }
    let is_more = kept.len() < digits.len() || above.0.iter().any(|&limb| limb != 0);
    round(quotient, -shift, is_more)
}

/// A natural number in 32-bit limbs, the least first, without zeros at the top.
#[derive(Debug)]
struct Long(Vec<u32>);

impl Long {
    fn from_digits(digits: &[u8]) -> Self {
        let mut number = Self(Vec::with_capacity(digits.len() / 9 + 1));
        for chunk in digits.chunks(9) {
            let value = chunk.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            number.multiply_add(10u32.pow(chunk.len() as u32), value);
        }
        number
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn bits(&self) -> i64 {
        let top = self.0.last().map_or(0, |limb| 32 - i64::from(limb.leading_zeros()));
        top + 32 * (self.0.len() as i64 - 1)
    }

    fn shift_left(&mut self, bits: usize) {
        self.multiply_add(1 << (bits % 32), 0);
        self.0.splice(0..0, std::iter::repeat_n(0, bits / 32));
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for limb in self.0.iter_mut().rev() {
            (*limb, carry) = (*limb >> 1 | carry << 31, *limb & 1);
        }
        self.trim();
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Takes off `other`, which is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let taken = i64::from(other.0.get(index).copied().unwrap_or(0)) + borrow;
            let rest = i64::from(*limb) - taken;
            borrow = i64::from(rest < 0);
            *limb = rest as u32;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}
