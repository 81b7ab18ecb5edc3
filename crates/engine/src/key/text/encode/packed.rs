//! Packed decimals of mainframes, COBOL's `COMP-3` and `PACKED-DECIMAL`: by value.
//!
//! ```text
//!     12 34 5C      +12345       two digits a byte, and the sign in the last half
//!     12 34 5D      -12345       signs: A C E F plus, B D minus
//!     00 0C, 00 0D  0
//! ```
//!
//! IBM, "z/Architecture Principles of Operation", chapter 8 (Decimal Instructions): A, C, E and F
//! are plus and B and D minus, C and D preferred; F stands in unsigned fields. Numbers there have
//! up to 31 digits, here as many as the range of bytes has.

use super::{BufferSink, Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};
use super::{digits, number};

/// A packed decimal of mainframes (COBOL's `COMP-3`): two digits a byte, the sign in the last half
/// byte.
#[derive(Debug)]
pub struct PackedType;

impl KeyType for PackedType {
    const NAMES: TypeNames = &[("packed", Detail::None)];
    const EXPECTED: &'static str =
        "a packed decimal: two digits a byte, then the sign, as in 12 3C";
    const TRAITS: Traits =
        Traits { is_binary: true, ..Traits::of(Class::StrictBytes).fills_word().spares_ends() };

    fn append<S: KeySink>(bytes: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        let sign = bytes.last().map_or(0, |last| last & 15);
        let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = halves.take((2 * bytes.len()).saturating_sub(1));
        digits::append_value(matches!(sign, 0xb | 0xd), digits, out);
        Some(())
    }

    fn is_value(bytes: &[u8], _: &Typed) -> bool {
        let Some((&last, others)) = bytes.split_last() else { return false };
        let are_digits = |byte: u8| byte >> 4 < 10 && byte & 15 < 10;
        others.iter().all(|&byte| are_digits(byte)) && last >> 4 < 10 && last & 15 >= 10
    }

    fn append_number(text: &str, of: &Typed, out: &mut BufferSink<'_>) -> Option<bool> {
        Some(number::append_decimal(text, of.options.numbers, out))
    }
}

const PLUS: u8 = 0xc;
const MINUS: u8 = 0xd;

/// Returns the value of a number of up to 31 digits; `None` where the bytes are no number.
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

/// Puts a value that fits into its bytes, with the preferred signs, plus for zero as well.
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
