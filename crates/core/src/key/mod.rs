//! What a record is ordered by: from a key spec as text to bytes that compare with memcmp.
//!
//! A [`KeySpec`] names a place in the record and what the bytes there mean. [`Key::new`] turns a
//! list of them into one *normalized key*: a fixed number of bytes per record that, compared as
//! unsigned bytes, stand in the order the specs ask for (key conditioning; Graefe, "Implementing
//! Sorting in Database Systems", ACM Computing Surveys 38(3), 2006, on key normalization). Its
//! first eight bytes, read as one big-endian integer, are the key prefix of an entry (AlphaSort,
//! SIGMOD 1994, section 3).
//!
//! ```text
//!     record   .. 07 00 00 00 .. "Smith" ..        keys 4..8:u32le:desc, 12..17
//!                     |             |
//!     key      ff ff ff f8   53 6d 69 74   68 [00 00 00 00 00 00 00]
//!              '------- word 0 ---------'  '--------- word 1 ------'   padding is zero, always
//! ```
//!
//! Normalized keys are never stored beside records: every word is computed from the record when it
//! is asked for, without allocating. Each shape of key is a type of its own, so that hot loops are
//! instantiated once per shape (see `with_encoder`). The three of fixed-length records stand on
//! `scalar::Scalar`, one load of up to eight bytes that does not branch on the type; those of text
//! are in [`text`].
//!
//! What must stay true of fixed-length records: two have equal normalized keys exactly when all
//! bytes under the key are equal. No encoding of theirs loses a bit, which is why `part` may drop
//! parts seen before. Encodings of text do lose some: `1.0` is `1`.
//!
//! Stability (record numbers as the last tie-break) is left to `incore` and `merge`.

mod composite;
mod key_type;
mod number;
mod part;
mod scalar;
mod slice;
mod spec;
pub mod text;

use std::cmp::Ordering;

pub use composite::CompositeKey;
pub use number::NumberKey;
pub use slice::SliceKey;
pub use spec::KeySpec;
use text::{LineKey, TextKey, TextOrder};

use crate::error::Result;

/// Bytes of a word, the unit in which normalized keys are compared.
pub const WORD_BYTES: usize = 8;

/// Yields the normalized key of a record, word by word.
///
/// Every record given must have the form the key was made for.
pub trait KeyEncoder: Send + Sync {
    /// Bytes of the normalized key; at least 1. `usize::MAX` where it differs from record to record:
    /// such a key is *open*.
    fn key_length(&self) -> usize;

    /// Appends the first `limit` bytes of the normalized key, or all of it where it is shorter.
    /// Keys so cut compare as slices do, unless they are equal and have `limit` bytes.
    fn key_bytes(&self, record: &[u8], limit: usize, out: &mut Vec<u8>) {
        let (start, length) = (out.len(), self.key_length().min(limit));
        out.resize(start + length, 0);
        self.encode(record, &mut out[start..]);
    }

    /// Whether the key of `record` has no byte in word `index` or behind it.
    fn ends_before(&self, _record: &[u8], index: usize) -> bool {
        index >= self.words()
    }

    /// Word `index` of the normalized key as a big-endian integer, so that comparing words in order
    /// compares keys. The last word is padded with zeros; open keys are followed by words of zeros,
    /// and where two of them differ in zeros only, the shorter comes first. `index` is less than
    /// [`Self::words`].
    ///
    /// Word 0, the key prefix, is wanted once per record and is a handful of instructions.
    fn word(&self, record: &[u8], index: usize) -> u64;

    /// Words of the normalized key, the last padded; at least 1, and without end for open keys.
    fn words(&self) -> usize {
        self.key_length().div_ceil(WORD_BYTES)
    }

    /// Compares two records by the words of their keys from `word` on; equal when there are none.
    /// The words before are known to be equal: an open key may look at them again.
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        (word..self.words())
            .map(|index| self.word(a, index).cmp(&self.word(b, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Fills `out` with the first bytes of the normalized key, and with zeros beyond its end.
    fn encode(&self, record: &[u8], out: &mut [u8]) {
        let words = self.words();
        for (index, bytes) in out.chunks_mut(WORD_BYTES).enumerate() {
            let word = if index < words { self.word(record, index) } else { 0 };
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
    }
}

/// The encoder for a list of key specs, by shape.
///
/// Code that touches records one by one takes `&impl KeyEncoder` and is entered through
/// `with_encoder`; everything else asks [`Key::encoder`].
#[derive(Clone, Debug)]
pub enum Key {
    /// One range of bytes, ascending or descending.
    Slice(SliceKey),
    /// One integer or float: one word, and the key prefix is the whole key.
    Number(NumberKey),
    /// Anything else: several parts, one after the other.
    Composite(CompositeKey),
    /// Bytes of a text record as they are.
    Line(LineKey),
    /// Any other order of text records.
    Text(TextKey),
}

/// Evaluates `body` with `encoder` bound to the concrete encoder inside a [`Key`], so that generic
/// code is chosen once, outside the loop: `with_encoder!(key, |encoder| sort(encoder, load))`.
macro_rules! with_encoder {
    ($key:expr, |$encoder:ident| $body:expr) => {
        match $key {
            $crate::key::Key::Slice($encoder) => $body,
            $crate::key::Key::Number($encoder) => $body,
            $crate::key::Key::Composite($encoder) => $body,
            $crate::key::Key::Line($encoder) => $body,
            $crate::key::Key::Text($encoder) => $body,
        }
    };
}
pub(crate) use with_encoder;

impl Key {
    /// The key that orders records of `record_length` bytes by `specs`, most significant first; by
    /// the whole record as bytes where there are none.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`](crate::Error::Usage) for a spec that reaches beyond the record.
    pub fn new(specs: &[KeySpec], record_length: usize) -> Result<Self> {
        let parts = part::resolve(specs, record_length)?;
        Ok(match parts.as_slice() {
            [only] => match only.encoding {
                part::Encoding::Bytes => Self::Slice(SliceKey::new(*only, record_length)),
                part::Encoding::Number(_) => Self::Number(NumberKey::new(*only, record_length)),
            },
            _ => Self::Composite(CompositeKey::new(&parts, record_length)),
        })
    }

    /// The key that orders text records as `order` says.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`](crate::Error::Usage) for an order that contradicts itself.
    pub fn for_lines(order: &TextOrder) -> Result<Self> {
        match LineKey::for_order(order) {
            Some(key) => Ok(Self::Line(key)),
            None => TextKey::new(order).map(Self::Text),
        }
    }

    /// The encoder behind a pointer, for everything that is not done record by record.
    pub fn encoder(&self) -> &dyn KeyEncoder {
        self::with_encoder!(self, |encoder| encoder)
    }
}

#[cfg(test)]
mod tests;
