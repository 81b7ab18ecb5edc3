//! A record that later ones are compared with, when it is no longer where it was.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::key::KeyEncoder;
use crate::units::text;

/// Bytes of the longest record that is copied, and of the longest beginning of a key: workers keep
/// a few of them, which the plan's reserve has room for.
pub const KEPT_MAX: usize = 16 << 10;

/// A copy of a record, or of a long one the beginning of its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptRecord {
    /// All of it.
    Whole(#[serde(with = "text")] Vec<u8>),
    /// The first [`KEPT_MAX`] bytes of its normalized key.
    KeyStart(#[serde(with = "text")] Vec<u8>),
}

impl KeptRecord {
    /// Keeps `record`, in the memory of `before` where that will do.
    pub fn new<K: KeyEncoder>(key: &K, record: &[u8], before: Option<Self>) -> Self {
        let (Self::Whole(mut bytes) | Self::KeyStart(mut bytes)) =
            before.unwrap_or(Self::Whole(Vec::new()));
        bytes.clear();
        if record.len() <= KEPT_MAX {
            bytes.extend_from_slice(record);
            return Self::Whole(bytes);
        }
        key.key_bytes(record.into(), KEPT_MAX, &mut bytes);
        Self::KeyStart(bytes)
    }

    /// Returns the record, where it is whole.
    pub fn whole(&self) -> Option<&[u8]> {
        match self {
            Self::Whole(record) => Some(record),
            Self::KeyStart(_) => None,
        }
    }

    /// Compares the key with that of `record`, as far as it is known.
    pub fn compare<K: KeyEncoder>(&self, key: &K, record: &[u8]) -> Ordering {
        match self {
            Self::Whole(kept) => key.compare_from(kept, record, 0),
            Self::KeyStart(start) => start[..].cmp(&key_start(key, record)),
        }
    }

    /// Compares the key with that of another record that is kept, as far as both are known.
    pub fn compare_kept<K: KeyEncoder>(&self, key: &K, other: &Self) -> Ordering {
        match (self, other) {
            (_, Self::Whole(record)) => self.compare(key, record),
            (Self::Whole(record), Self::KeyStart(_)) => other.compare(key, record).reverse(),
            (Self::KeyStart(start), Self::KeyStart(other)) => start.cmp(other),
        }
    }
}

/// Returns the first [`KEPT_MAX`] bytes of a record's normalized key.
fn key_start<K: KeyEncoder>(key: &K, record: &[u8]) -> Vec<u8> {
    let mut start = Vec::new();
    key.key_bytes(record.into(), KEPT_MAX, &mut start);
    start
}
