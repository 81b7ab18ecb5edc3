//! A key of several parts, one after the other: `-k 20..24:i32le -k 0..10:desc`.
//!
//! ```text
//!     parts        |-- i32le --|------ 0..10:desc ------------|
//!     key bytes    0           4                              14
//!     words        |-------- word 0 -------|------- word 1 ------ 0 0|
//!     pieces       |     a     |     b     |        c         |
//! ```
//!
//! A part may begin and end anywhere in a word; what it gives to one word is a *piece*. The pieces
//! of word 0, wanted once per record, are kept; those of later words are worked out when asked for
//! (a key may be 1 MiB long, and keeping all would cost megabytes). Comparisons do not need them:
//! they go part by part over the records.

use std::cmp::Ordering;

use super::part::{ByteKeyPart, Encoding};
use super::scalar::Scalar;
use super::{KeyEncoder, WORD_BYTES};

/// Several parts, compared from the first to the last.
#[derive(Clone, Debug)]
pub struct CompositeKey {
    record_length: usize,
    key_length: usize,
    /// In the order of the key, each beginning where the one before ended; at least one.
    placed: Box<[Placed]>,
    /// The pieces of word 0.
    first: Box<[WordPiece]>,
}

/// A part and its place in the key.
#[derive(Clone, Copy, Debug)]
struct Placed {
    part: ByteKeyPart,
    key_start: usize,
    /// The load of a number; `None` for bytes, which may be many and are compared in place.
    number: Option<Scalar>,
}

/// Contribution of one part to one word.
#[derive(Clone, Copy, Debug)]
struct WordPiece {
    scalar: Scalar,
    /// Drops the bytes of a number that belong to the word before; less than 64. Bytes are loaded
    /// from where they are wanted, and drop none.
    skip_bits: u32,
    /// Number of bits to move the rest after the pieces before it. What falls out at the bottom
    /// belongs to the next word. Less than 64.
    place_bits: u32,
}

impl CompositeKey {
    pub(super) fn new(parts: &[ByteKeyPart], record_length: usize) -> Self {
        assert!(!parts.is_empty(), "a key has at least one part");
        let mut key_length = 0;
        let placed = parts.iter().map(|&part| {
            let key_start = key_length;
            key_length += part.length();
            let is_number = part.encoding != Encoding::Bytes;
            let number = is_number.then(|| Scalar::new(part, record_length));
            Placed { part, key_start, number }
        });
        let placed: Box<[Placed]> = placed.collect();
        let mut key = Self { record_length, key_length, placed, first: Box::default() };
        key.first = key.pieces(0).collect();
        key
    }

    /// Returns the parts with a byte at `key_offset` of the key or after it.
    fn placed_from(&self, key_offset: usize) -> &[Placed] {
        let first = self.placed.partition_point(|placed| placed.key_end() <= key_offset);
        &self.placed[first..]
    }

    /// Returns the pieces of word `index`, in order.
    fn pieces(&self, index: usize) -> impl Iterator<Item = WordPiece> + '_ {
        let word_start = index * WORD_BYTES;
        self.placed_from(word_start)
            .iter()
            .take_while(move |placed| placed.key_start < word_start + WORD_BYTES)
            .map(move |placed| placed.piece(word_start, self.record_length))
    }
}

impl Placed {
    fn key_end(&self) -> usize {
        self.key_start + self.part.length()
    }

    /// Returns the contribution of this part to the word at `word_start` of the key; at least one
    /// byte.
    fn piece(&self, word_start: usize, record_length: usize) -> WordPiece {
        let skip = word_start.saturating_sub(self.key_start);
        let place = self.key_start.saturating_sub(word_start);
        let place_bits = 8 * place as u32;
        match self.number {
            Some(scalar) => WordPiece { scalar, skip_bits: 8 * skip as u32, place_bits },
            None => {
                let start = self.part.start + skip;
                let end = self.part.end.min(start + WORD_BYTES);
                let scalar = Scalar::new(ByteKeyPart { start, end, ..self.part }, record_length);
                WordPiece { scalar, skip_bits: 0, place_bits }
            }
        }
    }

    /// Compares what this part makes of two records, from its byte `skip` on.
    #[inline]
    fn compare(&self, a: &[u8], b: &[u8], skip: usize) -> Ordering {
        if let Some(number) = self.number {
            let skip_bits = 8 * skip as u32;
            return (number.word(a) << skip_bits).cmp(&(number.word(b) << skip_bits));
        }
        let bytes = self.part.start + skip..self.part.end;
        let order = a[bytes.clone()].cmp(&b[bytes]);
        if self.part.is_descending { order.reverse() } else { order }
    }
}

impl WordPiece {
    #[inline]
    fn word(&self, record: &[u8]) -> u64 {
        self.scalar.word(record) << self.skip_bits >> self.place_bits
    }
}

impl KeyEncoder for CompositeKey {
    #[inline]
    fn key_length(&self) -> usize {
        self.key_length
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        debug_assert!(index < self.words(), "word {index} of {}", self.words());
        if index == 0 {
            return self.first.iter().fold(0, |word, piece| word | piece.word(record));
        }
        self.pieces(index).fold(0, |word, piece| word | piece.word(record))
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        let key_offset = word * WORD_BYTES;
        for placed in self.placed_from(key_offset) {
            let order = placed.compare(a, b, key_offset.saturating_sub(placed.key_start));
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}
