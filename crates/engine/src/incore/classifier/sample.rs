//! The keys that a classifier is built from.

use super::super::alphabet::Alphabet;
use super::{DEPTH_WORDS, LOCATION};
use crate::key::{KeyEncoder, is_last_open_word};

/// The keys a classifier is built from: for each sampled record a row of its key's words, from
/// `first_word` on, with the record's location after the last word.
#[derive(Debug)]
pub struct Sample {
    /// The first word in a row.
    pub(super) first_word: usize,
    /// Columns of a row: words, and the location where the key does not continue beyond them.
    pub(super) columns: usize,
    /// Test of whether a key's word, at an index and of a value, is its last.
    is_last: IsLast,
    values: Vec<u64>,
}

/// [`KeyEncoder::is_last`] of a key that is not known by type.
#[derive(Clone, Copy, Debug)]
enum IsLast {
    /// The word with this index.
    At(usize),
    /// Depends on the word itself.
    AsOpen,
}

impl Sample {
    /// Returns an empty sample of keys that agree in all words before `first_word`.
    pub fn new<K: KeyEncoder>(key: &K, first_word: usize) -> Self {
        let words = key.words();
        let columns = match first_word {
            LOCATION => 1,
            _ => (words + 1 - first_word).min(DEPTH_WORDS),
        };
        let is_last = if key.is_open() { IsLast::AsOpen } else { IsLast::At(words - 1) };
        Self { first_word, columns, is_last, values: Vec::new() }
    }

    /// Adds one record.
    pub fn push<K: KeyEncoder>(&mut self, key: &K, record: &[u8], location: u64) {
        let row = self.values.len();
        if self.first_word != LOCATION {
            key.words_from(record, self.first_word, self.columns, &mut self.values);
        }
        if self.values.len() < row + self.columns {
            self.values.push(location);
        }
        self.values.resize(row + self.columns, 0);
    }

    /// Returns whether word `word` of a key, which is `value`, is its last.
    pub(super) fn is_last(&self, word: usize, value: u64) -> bool {
        match self.is_last {
            IsLast::At(last) => word >= last,
            IsLast::AsOpen => is_last_open_word(value),
        }
    }

    /// Returns the alphabets of the words of open keys, as far as any sampled key goes.
    pub(super) fn alphabets(&self) -> Vec<Alphabet> {
        if matches!(self.is_last, IsLast::At(_)) || self.first_word == LOCATION {
            return Vec::new();
        }
        let of_column = |column: usize| {
            let rows = self.values.chunks_exact(self.columns);
            let goes_on = |row: &&[u64]| !row[..column].iter().any(|word| is_last_open_word(*word));
            let mut words = rows.filter(goes_on).map(|row| row[column]).peekable();
            words.peek().is_some().then(|| Alphabet::of(words))
        };
        (0..self.columns).map_while(of_column).collect()
    }

    /// Returns whether nothing was sampled.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the records sampled.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Returns the rows in order.
    pub(super) fn sorted(&self) -> Vec<&[u64]> {
        let mut rows: Vec<&[u64]> = self.values.chunks_exact(self.columns).collect();
        rows.sort_unstable();
        rows
    }
}
