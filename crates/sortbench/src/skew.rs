//! Beginnings of the keys of a skewed file: the skew bytes that a record takes, and their number.
//!
//! The skew bytes change only when the record number gains a bit, so early in a file (and for most
//! of any file) long ranges of records share the beginnings of their keys. Every function here is a
//! handful of instructions, called once a record; none depends on a neighbouring record.

use crate::skew_bytes;

/// Replaces the most significant bits of a binary key's first eight bytes, where `low` is the lower
/// half of the record's number from the sequence: it says how many bits, from none to 48.
#[inline]
pub(crate) fn binary(record: u128, low: u64, high: u64) -> u64 {
    let bits = match (low >> 32) & 63 {
        bits @ 0..=48 => bits,
        _ => 0,
    };
    // 48 bits at most, so the shift of `keep` is always below 64.
    let keep = u64::MAX >> bits;
    let skew = skew_bytes::BINARY[index(record)] << 16;
    (high & keep) | (skew & !keep)
}

/// Returns the bytes that replace the beginning of an ASCII key: none to six.
#[inline]
pub(crate) fn ascii(record: u128, low: u64) -> &'static [u8] {
    let bytes = match (low >> 32) & 7 {
        7 => 0,
        bytes => bytes as usize,
    };
    &skew_bytes::ASCII[index(record)][..bytes]
}

/// Returns the row of skew bytes a record takes: the number of significant bits of its number.
///
/// Except that within each half of the number, any of the four uppermost bits counts as all 64: the
/// reference generator has this quirk, and files must not differ from its files.
fn index(record: u128) -> usize {
    match (record >> 64) as u64 {
        0 => significant_bits(record as u64),
        upper => 64 + significant_bits(upper),
    }
}

fn significant_bits(half: u64) -> usize {
    if half >> 60 != 0 { 64 } else { (u64::BITS - half.leading_zeros()) as usize }
}

#[cfg(test)]
mod tests;
