//! The order of records: from keys as text to bytes that compare with memcmp.
//!
//! A [`Key`] names a place in the record and the type of what is there. [`OrderOptions::bind`]
//! checks a list of them against the format of the records and makes one [`TextOrder`].
//! [`CompiledKey::new`] turns that into one *normalized key*: bytes of each record that, compared
//! as unsigned bytes, stand in that order (key conditioning; Graefe, "Implementing Sorting in
//! Database Systems", ACM Computing Surveys 38(3), 2006, on key normalization). Its first eight
//! bytes, read as one big-endian integer, are the key prefix of an entry (AlphaSort, VLDB Journal
//! 1995, section 4).
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
//! instantiated once per shape (see `with_encoder`). The two of fixed-length records stand on
//! `scalar::Scalar`, one load of up to eight bytes that does not branch on the type; those of text
//! are in [`text`].
//!
//! Invariant of fixed-length records: two have equal normalized keys exactly when all
//! bytes under the key are equal. No encoding of theirs loses a bit, which is why `part` may drop
//! parts seen before. Encodings of text do lose some: `1.0` is `1`.
//!
//! Stability (record numbers as the last tie-break) is left to `incore` and `merge`.

mod compared;
mod composite;
mod known;
mod options;
mod part;
mod scalar;
mod slice;
mod spec;
pub mod text;

use std::cmp::Ordering;

pub use compared::{Compare, ComparedKey, OrderFunction, panic_message};
pub use composite::CompositeKey;
pub use known::{CutRecord, KnownWord};
pub use options::OrderOptions;
pub use slice::SliceKey;
pub use spec::{
    FormatFault, Key, KeyError, KeyFault, ListMemory, ModifierFault, PlaceFault, TypeFault,
    gnu_key, read_byte, words,
};
pub use text::NumberType;
use text::{LineKey, TextKey, TextOrder};

use crate::error::{Message, Result};
use crate::format::{FieldCutter, Format};
use crate::stats::KeyFindings;
pub use crate::stats::{KeySeen, KeyTally};

/// Bytes of a word, the unit in which normalized keys are compared.
pub const WORD_BYTES: usize = 8;

/// Bytes of the key in a word of an open key: the last byte of the word is for their number.
pub const OPEN_WORD_BYTES: usize = WORD_BYTES - 1;

/// Words that are asked for together of a key that has to be made: 28 bytes of it.
pub const FEW_WORDS: usize = 4;

/// The last byte of a word of an open key that is not its last.
const CONTINUES: u64 = WORD_BYTES as u64;

/// Returns the first word of the open key `rest`: seven bytes of the key, then how many of them
/// there are, or eight where the key continues. So equal words of two keys are both the last or
/// neither, and of keys that differ only in zeros at their end the shorter comes first.
#[inline]
pub fn open_word(rest: &[u8]) -> u64 {
    if let Some(bytes) = rest.first_chunk() {
        return continued(u64::from_be_bytes(*bytes));
    }
    let mut bytes = [0; WORD_BYTES];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes[OPEN_WORD_BYTES] = rest.len() as u8;
    u64::from_be_bytes(bytes)
}

/// Returns a word of seven bytes of an open key that continues: the eighth byte is dropped.
#[inline]
pub const fn continued(word: u64) -> u64 {
    word & !0xff | CONTINUES
}

/// Returns whether a word of an open key is its last.
#[inline]
pub const fn is_last_open_word(word: u64) -> bool {
    word & 0xff != CONTINUES
}

/// Returns the word in which open keys differ that first differ in byte `at`: as bytes that both
/// have, or as the end of the shorter. A word tells its own end, so that a key that ends with it
/// differs there.
pub(crate) const fn differing_word(at: usize, is_end: bool) -> usize {
    if is_end { at.saturating_sub(1) / OPEN_WORD_BYTES } else { at / OPEN_WORD_BYTES }
}

/// Returns the number of bytes at the beginning of two texts that agree.
pub(crate) fn agreeing_bytes(a: &[u8], b: &[u8]) -> usize {
    /// Compared as one: long enough to be fast, short enough to be looked at again.
    const BLOCK: usize = 256;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let mut agreed = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    for (a, b) in a[agreed..].as_chunks().0.iter().zip(b[agreed..].as_chunks().0) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return agreed + (differing.trailing_zeros() / u8::BITS) as usize;
        }
        agreed += WORD_BYTES;
    }
    agreed + a[agreed..].iter().zip(&b[agreed..]).take_while(|(a, b)| a == b).count()
}

/// Yields the normalized key of a record, word by word.
///
/// Every record given must have the form the key was made for.
pub trait KeyEncoder: Send + Sync {
    /// Returns the number of bytes of the normalized key; at least 1. `usize::MAX` where it differs
    /// from record to record: such a key is *open*.
    fn key_length(&self) -> usize;

    /// Appends the first `limit` bytes of the normalized key, or all of it where it is shorter.
    /// Keys so cut compare as slices do, unless they are equal and have `limit` bytes.
    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        let end = out.len() + self.key_length().min(limit);
        let words = (0..self.words()).map(|index| self.word(record.bytes, index).to_be_bytes());
        out.extend(words.flatten().take(end - out.len()));
    }

    /// Returns word `index` of the normalized key as a big-endian integer, so that comparing words
    /// in order compares keys. The last word of a key is padded with zeros; those of open keys say
    /// themselves whether they are the last ([`open_word`]). No word after a key's last is ever
    /// asked for.
    ///
    /// Word 0, the key prefix, is wanted once per record and is a handful of instructions.
    fn word(&self, record: &[u8], index: usize) -> u64;

    /// Returns the number of words of the normalized key, the last padded; at least 1, and more
    /// than any key has where the key is open.
    fn words(&self) -> usize {
        self.key_length().div_ceil(WORD_BYTES)
    }

    /// Returns whether words have to be made, each from the beginning of the key, instead of being
    /// loaded. A caller that needs several words then asks for them together.
    #[inline]
    fn is_costly(&self) -> bool {
        false
    }

    /// Returns whether a function compares records, so that the key has no word but the first.
    #[inline]
    fn is_compared(&self) -> bool {
        false
    }

    /// Returns words of the key from word `first` on, and zeros after its last.
    #[inline]
    fn few_words(&self, record: CutRecord<'_>, first: usize) -> [u64; FEW_WORDS] {
        let mut words = [0; FEW_WORDS];
        for (index, word) in (first..self.words()).zip(&mut words) {
            *word = self.word(record.bytes, index);
            if self.is_last(index, *word) {
                break;
            }
        }
        words
    }

    /// Returns the number of cells at the beginning of a row whose ends are useful to know.
    fn cells_wanted(&self) -> usize {
        0
    }

    /// Returns word 0 of the key.
    #[inline]
    fn first_word(&self, record: CutRecord<'_>) -> u64 {
        self.word(record.bytes, 0)
    }

    /// Returns a cutter that finds the end of a record and of the fields that the key is in, where
    /// that is less work than finding one after the other.
    fn field_cutter(&self) -> Option<&FieldCutter> {
        None
    }

    /// Returns whether only records that are the same to the byte have equal keys.
    fn is_whole_record(&self) -> bool {
        false
    }

    /// Returns the number of bytes of memory that making the key of a long record takes in
    /// proportion to it.
    fn scratch_bytes(&self, record: &[u8]) -> usize {
        let _ = record;
        0
    }

    /// Returns whether there may be records that have no key.
    fn is_partial(&self) -> bool {
        false
    }

    /// Returns what keeps `record` from having a key, if anything does: which field it is, what
    /// stands there and what should. No word of the key of such a record is asked for where the
    /// order is to be trusted.
    fn fault(&self, record: &[u8]) -> Option<Message> {
        let _ = record;
        None
    }

    /// Returns word 0 of the key, or what keeps `record` from having one: both at the cost of
    /// finding its fields once.
    ///
    /// # Errors
    ///
    /// As [`fault`](Self::fault) says it.
    fn checked_word(&self, record: CutRecord<'_>) -> std::result::Result<u64, Message> {
        match self.fault(record.bytes) {
            Some(fault) => Err(fault),
            None => Ok(self.word(record.bytes, 0)),
        }
    }

    /// Returns whether records with a key that is no value have a place before or after all others.
    fn places_invalid(&self) -> bool {
        false
    }

    /// Returns whether something is to be noted of keys as records are read.
    fn is_watched(&self) -> bool {
        false
    }

    /// Notes of a record, word 0 of whose key is `word`, whether its keys are values. Every record
    /// that takes part is shown once, where records may be placed; where not, until the tally is
    /// settled.
    #[inline]
    fn tally(&self, record: CutRecord<'_>, word: u64, tally: &mut KeyTally) {
        let _ = (record, word, tally);
    }

    /// Returns what the tally of all records comes to.
    fn findings(&self, tally: &KeyTally) -> KeyFindings {
        let _ = tally;
        KeyFindings::default()
    }

    /// Returns whether keys differ in length.
    fn is_open(&self) -> bool {
        self.key_length() == usize::MAX
    }

    /// Returns whether word `index` of a key, which is `word`, is its last. Keys that agree up to
    /// there are equal.
    #[inline]
    fn is_last(&self, index: usize, word: u64) -> bool {
        if self.is_open() { is_last_open_word(word) } else { index + 1 >= self.words() }
    }

    /// Compares two records by the words of their keys from `word` on; all words before are equal.
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        (word..self.words())
            .map(|index| self.word(a, index).cmp(&self.word(b, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Returns the first word in which the keys of two records differ; `None` where they are equal.
    /// All words before `first` are equal. Takes time in proportion to the records, however far
    /// their keys agree.
    fn first_difference(&self, a: &[u8], b: &[u8], first: usize) -> Option<usize> {
        for index in first..self.words() {
            let word = self.word(a, index);
            if word != self.word(b, index) {
                return Some(index);
            }
            if self.is_last(index, word) {
                return None;
            }
        }
        None
    }

    /// Appends up to `count` words of the key of `record`, from word `first` on.
    fn words_from(&self, record: &[u8], first: usize, count: usize, out: &mut Vec<u64>) {
        let end = first.saturating_add(count).min(self.words());
        for index in (first..end).step_by(FEW_WORDS) {
            let few = self.few_words(record.into(), index);
            for (index, word) in (index..end).zip(few) {
                out.push(word);
                if self.is_last(index, word) {
                    return;
                }
            }
        }
    }
}

/// The encoder for an order of records, by shape.
///
/// Code that touches records one by one takes `&impl KeyEncoder` and is entered through
/// `with_encoder`; everything else asks [`CompiledKey::encoder`].
#[derive(Clone, Debug)]
pub enum CompiledKey {
    /// One range of bytes, or one integer or float, ascending or descending.
    Slice(SliceKey),
    /// Anything else: several parts, one after the other.
    Composite(CompositeKey),
    /// Bytes of a text record as they are.
    Line(LineKey),
    /// Any other order of text records.
    Text(TextKey),
    /// A function of the caller.
    Compared(ComparedKey),
}

/// Evaluates `body` with `encoder` bound to the concrete encoder inside a [`CompiledKey`], so that
/// generic code is chosen once, outside the loop:
/// `with_encoder!(key, |encoder| sort(encoder, load))`.
macro_rules! with_encoder {
    ($key:expr, |$encoder:ident| $body:expr) => {
        match $key {
            $crate::key::CompiledKey::Slice($encoder) => $body,
            $crate::key::CompiledKey::Composite($encoder) => $body,
            $crate::key::CompiledKey::Line($encoder) => $body,
            $crate::key::CompiledKey::Text($encoder) => $body,
            $crate::key::CompiledKey::Compared($encoder) => $body,
        }
    };
}
pub(crate) use with_encoder;

impl CompiledKey {
    /// Returns the key that orders records as `order` says.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for an order that contradicts itself.
    pub fn new(order: &TextOrder) -> Result<Self> {
        if let Some(comparison) = &order.options.comparison {
            return Ok(Self::Compared(ComparedKey::new(comparison.clone(), order.body)));
        }
        if let Some((record_length, parts)) = part::resolve(order) {
            return Ok(Self::of_parts(&parts, record_length));
        }
        match LineKey::for_order(order) {
            Some(key) => Ok(Self::Line(key)),
            None => TextKey::new(order).map(Self::Text),
        }
    }

    /// Returns the first `count` parts of a key of text; `None` of any other key.
    pub(crate) fn beginning(&self, count: usize) -> Option<Self> {
        match self {
            Self::Text(key) => Some(Self::Text(key.clone().beginning(count))),
            _ => None,
        }
    }

    /// Returns the byte in front of the keys of records with an invalid part, if there is one for
    /// any part.
    pub(crate) fn invalid_mark(&self) -> Option<u8> {
        if let Self::Text(key) = self { key.invalid_mark() } else { None }
    }

    /// Returns the key that orders records of `format` by `keys`, most significant first.
    ///
    /// ```
    /// use sortwell_engine::format::Format;
    /// use sortwell_engine::key::CompiledKey;
    ///
    /// let keys = ["0..4:u32le".parse()?];
    /// let key = CompiledKey::of_keys(&keys, Format::Fixed { length: 8 })?;
    /// assert!(key.are_equal(b"\x01\0\0\0left", b"\x01\0\0\0east"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`OrderOptions::bind`].
    pub fn of_keys(keys: &[Key], format: Format) -> Result<Self> {
        Self::new(&OrderOptions::default().bind(keys, format, ListMemory::UNBOUNDED)?)
    }

    /// Returns the key of these parts of records of fixed length, by its shape.
    fn of_parts(parts: &[part::ByteKeyPart], record_length: usize) -> Self {
        match parts {
            [only] => Self::Slice(SliceKey::new(*only, record_length)),
            _ => Self::Composite(CompositeKey::new(parts, record_length)),
        }
    }

    /// Returns whether two records have equal keys.
    #[inline]
    pub fn are_equal(&self, a: &[u8], b: &[u8]) -> bool {
        self.encoder().compare_from(a, b, 0).is_eq()
    }

    /// Returns the encoder as a trait object, for work that is not done for each record.
    pub fn encoder(&self) -> &dyn KeyEncoder {
        self::with_encoder!(self, |encoder| encoder)
    }
}

#[cfg(test)]
mod tests;
