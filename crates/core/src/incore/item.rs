//! What lies in the buckets: entries, or whole records where these are short.

/// Longest record that is dealt itself. It is twice an entry to deal, but then the record need not
/// stay where it was read, and gathering it does not fetch a cache line that holds three others.
pub const RECORD_ITEM_MAX: usize = 16;

/// What lies in the buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Entries: digest and location of the record.
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

/// Bits of an entry that say where its record is: enough for a load of 1 TiB by byte offset.
pub const LOCATION_BITS: u32 = 40;

/// Bits of an entry that its key is ordered by. In a bucket of 24 Ki random keys 18 pairs have
/// equal digests; settling them costs less than a nanosecond a record.
pub const DIGEST_BITS: u32 = u64::BITS - LOCATION_BITS;

/// The largest location.
pub const LOCATION_MAX: u64 = (1 << LOCATION_BITS) - 1;

/// An entry: orders by digest, then by location, which is the order of the input.
#[inline]
pub const fn entry(digest: u64, location: u64) -> u64 {
    digest << LOCATION_BITS | location
}

/// The location of an entry's record: what [`Records::get`](crate::load::Records::get) takes.
#[inline]
pub const fn location(entry: u64) -> u64 {
    entry & LOCATION_MAX
}

/// The digest of an entry.
#[inline]
pub const fn digest(entry: u64) -> u64 {
    entry >> LOCATION_BITS
}
