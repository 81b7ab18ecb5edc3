//! The key of a line that is the line itself, without what ends it.

use std::cmp::Ordering;

use super::{KeyEncoder, OPEN_WORD_BYTES, open_word};

/// Whole records without their last byte, ascending.
#[derive(Clone, Copy, Debug)]
pub struct LineKey;

impl LineKey {
    fn rest(record: &[u8], word: usize) -> &[u8] {
        let text = &record[..record.len().saturating_sub(1)];
        &text[text.len().min(word * OPEN_WORD_BYTES)..]
    }
}

impl KeyEncoder for LineKey {
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: &[u8], limit: usize, out: &mut Vec<u8>) {
        let text = Self::rest(record, 0);
        out.extend_from_slice(&text[..text.len().min(limit)]);
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        open_word(Self::rest(record, index))
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        Self::rest(a, word).cmp(Self::rest(b, word))
    }
}
