//! Counts of keys that are no values of their types, made while records are read, and the findings
//! that follow from them.
//!
//! Each worker has a tally of the load that it reads, and tallies add up to that of a job. So they
//! are the same for any number of workers, any loads, and a job that another has begun.

use serde::{Deserialize, Serialize};

/// Counts about the keys of some records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyTally {
    /// Records that were looked at, where keys may place them.
    pub records: u64,
    /// Records that a key which is no value has placed before or after all others.
    pub invalid: u64,
    /// Each key that may meet what is no value, in their order; none before a record was seen.
    pub keys: Vec<KeySeen>,
    /// True once every key has had a value. Then only placed records are counted.
    #[serde(skip)]
    is_settled: bool,
}

/// Counts about one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySeen {
    /// Records that it has placed before or after all others.
    pub invalid: u64,
    /// True if a record had a value.
    pub has_value: bool,
    /// True if a record had bytes that are neither a value nor empty.
    pub has_other: bool,
    /// The types, by their bits, of which some such record had no value either. Complete only if no
    /// record had a value.
    pub ruled_out: u32,
}

impl KeyTally {
    /// Returns whether nothing is left to learn of records that are not placed by their keys.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Notes whether every key has had a value.
    pub fn settle(&mut self) {
        self.is_settled = self.keys.iter().all(|seen| seen.has_value);
    }

    /// Returns whether no record was seen.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds what was seen of other records.
    pub fn add(&mut self, other: &Self) {
        self.records = self.records.saturating_add(other.records);
        self.invalid = self.invalid.saturating_add(other.invalid);
        self.keys.resize(self.keys.len().max(other.keys.len()), KeySeen::default());
        for (seen, other) in self.keys.iter_mut().zip(&other.keys) {
            seen.invalid = seen.invalid.saturating_add(other.invalid);
            seen.has_value |= other.has_value;
            seen.has_other |= other.has_other;
            seen.ruled_out |= other.ruled_out;
        }
    }

    /// Takes away the counts of records that will be seen again.
    pub fn forget(&mut self, other: &Self) {
        self.records -= other.records;
        self.invalid -= other.invalid;
        for (seen, other) in self.keys.iter_mut().zip(&other.keys) {
            seen.invalid -= other.invalid;
        }
    }
}

/// Counts about keys that are not values of their types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KeyFindings {
    /// Records that are placed before or after all others, where a key can do that.
    pub invalid: Option<InvalidKeys>,
    /// Keys of which no record has a value, and some are not empty.
    pub unmatched: Vec<UnmatchedKey>,
    /// Counts that the findings follow from. Those of several jobs add up.
    #[serde(skip)]
    pub tally: KeyTally,
}

/// Records with a key that is not a value of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InvalidKeys {
    /// Number of them.
    pub records: u64,
    /// Number of all records that were read and take part.
    pub of_records: u64,
    /// Their place among all records: `first` or `last`.
    pub place: &'static str,
    /// The keys that are not values of their types in some of these records.
    pub keys: Vec<InvalidKey>,
}

/// A key that is not a value of its type in some records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InvalidKey {
    /// Place of the key in records, in words.
    pub key: String,
    /// Expected values, in words that follow "is not".
    pub expected: String,
    /// Number of the records.
    pub records: u64,
}

/// A key of which no record has a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnmatchedKey {
    /// Place of the key in records, in words.
    pub key: String,
    /// Expected values, in words that follow "is not".
    pub expected: String,
    /// A type of which all records have values, as it is written in a key.
    pub suggestion: Option<&'static str>,
}

#[cfg(test)]
mod tests;
