//! What lies in the buckets: entries, or whole records where these are short.

/// Longest record that is dealt itself. It is twice an entry to deal, but then the record need not
/// stay where it was read, and gathering it does not fetch a cache line that holds three others.
pub const RECORD_ITEM_MAX: usize = 16;

/// What lies in the buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Entries: digest and record number.
    Entry,
    /// The records themselves, of this many bytes.
    Record(usize),
}

impl Item {
    /// The better choice for records of `length` bytes.
    pub fn for_length(length: usize) -> Self {
        if length <= RECORD_ITEM_MAX { Self::Record(length) } else { Self::Entry }
    }

    /// Bytes of an item.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Entry => size_of::<u64>(),
            Self::Record(length) => length,
        }
    }
}

/// An entry: orders by digest, then by record number.
#[inline]
pub const fn entry(digest: u32, number: u32) -> u64 {
    (digest as u64) << 32 | number as u64
}

/// The record number of an entry.
#[inline]
pub const fn number(entry: u64) -> u32 {
    entry as u32
}
