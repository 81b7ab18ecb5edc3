//! A key that is one integer or float: one word, so that prefixes decide every comparison.

use std::cmp::Ordering;

use super::KeyEncoder;
use super::part::Part;
use super::scalar::Scalar;

/// One number of at most eight bytes, ascending or descending. Floats stand in IEEE 754 totalOrder:
/// -NaN, -inf, ..., -0, +0, ..., +inf, +NaN.
#[derive(Clone, Debug)]
pub struct NumberKey {
    scalar: Scalar,
    width_bytes: usize,
}

impl NumberKey {
    pub(super) fn new(part: Part, record_length: usize) -> Self {
        Self { scalar: Scalar::new(part, record_length), width_bytes: part.length() }
    }
}

impl KeyEncoder for NumberKey {
    #[inline]
    fn key_length(&self) -> usize {
        self.width_bytes
    }

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        debug_assert_eq!(index, 0, "a number is one word");
        self.scalar.word(record)
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        match word {
            0 => self.scalar.word(a).cmp(&self.scalar.word(b)),
            _ => Ordering::Equal,
        }
    }
}
