//! A key that is one range of bytes of the record, ascending or descending, or one number there.
//!
//! The first and the last word are settled when the key is made ([`Scalar`]); the words between are
//! whole and lie within the record, so they are plain loads.

use std::cmp::Ordering;

use super::part::{ByteKeyPart, Encoding};
use super::scalar::Scalar;
use super::{CutRecord, KeyEncoder, WORD_BYTES};

/// One range of bytes, or one number of at most eight. Comparing bytes beyond the prefix is a
/// memcmp of the records themselves. Floats stand in IEEE 754 totalOrder: -NaN, -inf, ..., -0, +0,
/// ..., +inf, +NaN.
#[derive(Clone, Debug)]
pub struct SliceKey {
    start: usize,
    end: usize,
    is_descending: bool,
    /// True if the bytes are a number, whose only word is all of its key.
    is_number: bool,
    first: Scalar,
    /// The last word, padded; the same as `first` where there is only one.
    last: Scalar,
}

impl SliceKey {
    pub(super) fn new(part: ByteKeyPart, record_length: usize) -> Self {
        let last_start = part.start + (part.length() - 1) / WORD_BYTES * WORD_BYTES;
        let first_end = part.end.min(part.start + WORD_BYTES);
        Self {
            start: part.start,
            end: part.end,
            is_descending: part.is_descending,
            is_number: part.encoding != Encoding::Bytes,
            first: Scalar::new(ByteKeyPart { end: first_end, ..part }, record_length),
            last: Scalar::new(ByteKeyPart { start: last_start, ..part }, record_length),
        }
    }

    /// Returns the bytes of the record from `word` on, which are the key's own unless it descends.
    fn bytes_from<'a>(&self, record: &'a [u8], word: usize) -> &'a [u8] {
        &record[self.end.min(self.start + word * WORD_BYTES)..self.end]
    }

    /// Returns a word after the first. It is out of line, as the first decides most of the time.
    #[inline(never)]
    fn later_word(&self, record: &[u8], index: usize) -> u64 {
        match self.bytes_from(record, index).split_first_chunk() {
            Some((bytes, _)) => {
                let word = u64::from_be_bytes(*bytes);
                if self.is_descending { !word } else { word }
            }
            None => self.last.word(record),
        }
    }
}

impl KeyEncoder for SliceKey {
    #[inline]
    fn key_length(&self) -> usize {
        self.end - self.start
    }

    #[inline(always)]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        debug_assert!(index < self.words(), "word {index} of {}", self.words());
        if index == 0 { self.first.word(record) } else { self.later_word(record, index) }
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        if self.is_number {
            let value = |record| if word == 0 { self.first.word(record) } else { 0 };
            return value(a).cmp(&value(b));
        }
        let order = self.bytes_from(a, word).cmp(self.bytes_from(b, word));
        if self.is_descending { order.reverse() } else { order }
    }

    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        if self.is_number {
            let word = self.first.word(record.bytes).to_be_bytes();
            return out.extend(&word[..self.key_length().min(limit)]);
        }
        let flip = if self.is_descending { u8::MAX } else { 0 };
        let bytes = &record.bytes[self.start..self.end.min(self.start.saturating_add(limit))];
        out.extend(bytes.iter().map(|byte| byte ^ flip));
    }
}
