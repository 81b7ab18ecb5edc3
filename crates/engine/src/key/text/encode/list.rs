//! Values of a list: the number of the value in it, three bytes.

use super::super::sink::Sink;

/// Keeps the first byte off the ends of its range.
const BIAS: u32 = 1 << 22;

/// Appends the number of a value in its list, less than 2^22.
#[inline]
pub fn append<S: Sink>(place: u32, out: &mut S) {
    let [_, bytes @ ..] = (place + BIAS).to_be_bytes();
    out.extend(&bytes);
}
