//! Facts about a record's key that are known early. The ends of the first fields were seen when the
//! record was split from the next. The first word was made to see whether there is a key.

use std::cmp::Ordering;

use super::{FEW_WORDS, KeyEncoder};

/// A record, and the ends of its first fields, as far as they were seen when it was split from the
/// next.
#[derive(Clone, Copy, Debug)]
pub struct CutRecord<'a> {
    /// All of it.
    pub bytes: &'a [u8],
    /// Ends of the fields that are known; may be empty.
    pub field_ends: &'a [u32],
}

impl<'a> From<&'a [u8]> for CutRecord<'a> {
    /// Returns a record of which nothing is known.
    #[inline]
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, field_ends: &[] }
    }
}

/// The key of one record, whose first word is `word`.
#[derive(Clone, Copy, Debug)]
pub struct KnownWord<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Word 0 of the record that is asked about.
    pub word: u64,
    /// Ends of its first fields, as far as they are known.
    pub field_ends: &'a [u32],
}

impl<K: KeyEncoder> KeyEncoder for KnownWord<'_, K> {
    #[inline]
    fn key_length(&self) -> usize {
        self.key.key_length()
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        if index == 0 { self.word } else { self.key.word(record, index) }
    }

    #[inline]
    fn is_costly(&self) -> bool {
        self.key.is_costly()
    }

    #[inline]
    fn few_words(&self, record: CutRecord<'_>, first: usize) -> [u64; FEW_WORDS] {
        let field_ends =
            if record.field_ends.is_empty() { self.field_ends } else { record.field_ends };
        self.key.few_words(CutRecord { field_ends, ..record }, first)
    }

    #[inline]
    fn is_compared(&self) -> bool {
        self.key.is_compared()
    }

    #[inline]
    fn is_last(&self, index: usize, word: u64) -> bool {
        self.key.is_last(index, word)
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        self.key.compare_from(a, b, word)
    }

    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        self.key.key_bytes(record, limit, out);
    }
}

#[cfg(test)]
mod tests;
