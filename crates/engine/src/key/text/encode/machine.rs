//! Numbers as machines have them: their bytes, the most significant first, and bits turned so that
//! they compare like the number. The same order as `scalar` gives to records of fixed length.

use super::super::super::key_type::{NumberClass, NumberType};
use super::super::sink::Sink;

/// Appends a number, whose width `bytes` have.
#[inline]
pub fn append<S: Sink>(bytes: &[u8], number: NumberType, out: &mut S) {
    let mut buffer = [0; 8];
    let width = bytes.len().min(number.width_bytes);
    let value = &mut buffer[..width];
    value.copy_from_slice(&bytes[..width]);
    if number.is_little_endian {
        value.reverse();
    }
    let is_negative = value.first().is_some_and(|first| first >> 7 == 1);
    if number.class == NumberClass::Float && is_negative {
        value.iter_mut().for_each(|byte| *byte = !*byte);
    } else if number.class != NumberClass::Unsigned
        && let Some(first) = value.first_mut()
    {
        *first ^= 0x80;
    }
    out.extend(value);
}
