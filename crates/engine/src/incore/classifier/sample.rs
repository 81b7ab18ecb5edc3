//! The keys that a classifier is built from.

use super::super::alphabet::Alphabet;
use super::splitters::{RANK, SampledRecords, Splitters, is_equality};
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
    /// The records, until they are ranked, if a function compares them.
    records: SampledRecords,
    /// Some of the records, if a function compares them.
    pub(super) splitters: Splitters,
}

/// [`KeyEncoder::is_last`] of a key that is not known by type.
#[derive(Clone, Copy, Debug)]
enum IsLast {
    /// The word with this index.
    At(usize),
    /// Depends on the word itself.
    AsOpen,
    /// The rank, if it is that of a splitter.
    AsRank,
}

impl Sample {
    /// Returns an empty sample of keys that agree in all words before `first_word`.
    pub fn new<K: KeyEncoder>(key: &K, first_word: usize) -> Self {
        let words = key.words();
        let columns = match first_word {
            LOCATION => 1,
            _ if key.is_compared() => RANK + 2 - first_word,
            _ => (words + 1 - first_word).min(DEPTH_WORDS),
        };
        let is_last = match key.is_open() {
            true if key.is_compared() => IsLast::AsRank,
            true => IsLast::AsOpen,
            false => IsLast::At(words - 1),
        };
        let (values, records) = (Vec::new(), SampledRecords::new());
        Self { first_word, columns, is_last, values, records, splitters: Splitters::default() }
    }

    /// Adds one record.
    pub fn push<K: KeyEncoder>(&mut self, key: &K, record: &[u8], location: u64) {
        if key.is_compared() && self.first_word != LOCATION {
            return self.records.show(record, location);
        }
        let row = self.values.len();
        if self.first_word != LOCATION {
            key.words_from(record, self.first_word, self.columns, &mut self.values);
        }
        if self.values.len() < row + self.columns {
            self.values.push(location);
        }
        self.values.resize(row + self.columns, 0);
    }

    /// Ranks the records among some of them, if a function compares them. It comes after the last
    /// [`push`](Self::push).
    pub fn rank<K: KeyEncoder>(&mut self, key: &K) {
        if !key.is_compared() || self.first_word == LOCATION {
            return;
        }
        self.splitters = self.records.splitters(key);
        self.values.clear();
        for (record, location) in self.records.records() {
            let rank = self.splitters.rank(key, record);
            let number = (self.first_word == 0).then(|| key.word(record, 0));
            let last = if is_equality(rank) { *location } else { 0 };
            self.values.extend(number.into_iter().chain([rank, last]));
        }
    }

    /// Returns whether word `word` of a key, which is `value`, is its last.
    pub(super) fn is_last(&self, word: usize, value: u64) -> bool {
        match self.is_last {
            IsLast::At(last) => word >= last,
            IsLast::AsOpen => is_last_open_word(value),
            IsLast::AsRank => word == RANK && is_equality(value),
        }
    }

    /// Returns the alphabets of the words of open keys, as far as any sampled key goes.
    pub(super) fn alphabets(&self) -> Vec<Alphabet> {
        if !matches!(self.is_last, IsLast::AsOpen) || self.first_word == LOCATION {
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
