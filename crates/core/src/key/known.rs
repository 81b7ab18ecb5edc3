//! A key of which the first word is known already: it was made to see whether there is a key.

use std::cmp::Ordering;

use super::{FEW_WORDS, KeyEncoder};

/// The key of one record, whose first word is `word`.
#[derive(Clone, Copy, Debug)]
pub struct KnownWord<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Word 0 of the record that is asked about.
    pub word: u64,
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
    fn few_words(&self, record: &[u8], first: usize) -> [u64; FEW_WORDS] {
        self.key.few_words(record, first)
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        self.key.compare_from(a, b, word)
    }

    fn key_bytes(&self, record: &[u8], limit: usize, out: &mut Vec<u8>) {
        self.key.key_bytes(record, limit, out);
    }

    fn words_from(&self, record: &[u8], first: usize, count: usize, out: &mut Vec<u64>) {
        self.key.words_from(record, first, count, out);
    }
}

#[cfg(test)]
mod tests;
