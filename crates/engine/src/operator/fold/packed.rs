//! Packed decimals of mainframes in a range of bytes: two digits a byte, and the sign in the last
//! half.
//!
//! What is written has the signs that z/Architecture prefers: C for plus, zero as well, and D for
//! minus (IBM, "z/Architecture Principles of Operation", chapter 8, Decimal Instructions).

/// Place of such a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Index of its first byte.
    pub start: usize,
    /// Number of its bytes: up to [`WIDTH_MAX`].
    pub width: usize,
}

/// Bytes of the widest: 31 digits, as many as the machine's own instructions take.
pub const WIDTH_MAX: usize = 16;

const PLUS: u8 = 0xc;
const MINUS: u8 = 0xd;

impl Packed {
    /// Digits that it has room for.
    pub fn digits(self) -> u32 {
        2 * self.width as u32 - 1
    }

    /// Returns the value of its bytes; `None` where they are no number.
    pub fn read(bytes: &[u8]) -> Option<i128> {
        let (last, others) = bytes.split_last()?;
        let halves = others.iter().flat_map(|byte| [byte >> 4, byte & 15]).chain([last >> 4]);
        let add = |value: i128, digit: u8| (digit < 10).then(|| 10 * value + i128::from(digit));
        let value = halves.into_iter().try_fold(0, add)?;
        match last & 15 {
            0xb | MINUS => Some(-value),
            0xa | PLUS | 0xe | 0xf => Some(value),
            _ => None,
        }
    }

    /// Returns whether a value fits.
    pub fn holds(self, value: i128) -> bool {
        value.unsigned_abs() < 10_u128.pow(self.digits())
    }

    /// Puts a value that fits into its bytes.
    pub fn write(value: i128, bytes: &mut [u8]) {
        let mut rest = value.unsigned_abs();
        let mut half = if value < 0 { MINUS } else { PLUS };
        for byte in bytes.iter_mut().rev() {
            let high = (rest % 10) as u8;
            *byte = high << 4 | half;
            half = (rest / 10 % 10) as u8;
            rest /= 100;
        }
    }
}

#[cfg(test)]
mod tests;
