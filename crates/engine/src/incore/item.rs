//! Items in the buckets: entries, or whole records where these are short.

/// Longest record that is dealt itself. It is up to four times an entry to deal, but then the
/// record need not stay where it was read, and gathering it does not fetch a cache line that holds
/// others. From half a cache line on, an entry is as quick (`docs/design/004-short-records.md`).
pub const RECORD_ITEM_MAX: usize = 31;

/// Kind of item that lies in the buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Entries: digest and location of the record.
    Entry,
    /// Entries with more of the key, for keys of which a word tells little ([`wide_entry`]).
    WideEntry,
    /// The records themselves, of this many bytes.
    Record(usize),
}

impl Item {
    /// Returns the better choice for records of `length` bytes.
    pub fn for_length(length: usize) -> Self {
        if length <= RECORD_ITEM_MAX { Self::Record(length) } else { Self::Entry }
    }

    /// Returns the number of bytes of an item.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Entry => size_of::<u64>(),
            Self::WideEntry => size_of::<u128>(),
            Self::Record(length) => length,
        }
    }
}

/// Copies an item or a short record into as many bytes, by two moves instead of a call.
#[inline(always)]
pub fn copy_item(from: &[u8], to: &mut [u8]) {
    match from.len() {
        4..8 => copy_ends::<4>(from, to),
        8..16 => copy_ends::<8>(from, to),
        16..=32 => copy_ends::<16>(from, to),
        _ => to.copy_from_slice(from),
    }
}

/// Copies the first and the last `PART` bytes, which may overlap.
#[inline(always)]
fn copy_ends<const PART: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<PART>(), from.last_chunk::<PART>()) {
        let (start, end) = (0..PART, to.len() - PART..);
        to[start].copy_from_slice(first);
        to[end].copy_from_slice(last);
    }
}

/// Bits of an entry that say where its record is: enough for a load of 1 TiB by byte offset.
pub const LOCATION_BITS: u32 = 40;

/// Bits of an entry that its key is ordered by. In a bucket of 24 Ki random keys 18 pairs have
/// equal digests; settling them costs less than a nanosecond a record.
pub const DIGEST_BITS: u32 = u64::BITS - LOCATION_BITS;

/// The largest location.
pub const LOCATION_MAX: u64 = (1 << LOCATION_BITS) - 1;

/// Returns an entry: orders by digest, then by location, which is the order of the input.
#[inline]
pub const fn entry(digest: u64, location: u64) -> u64 {
    digest << LOCATION_BITS | location
}

/// Returns the location of an entry's record: what [`Records::get`](crate::load::Records::get)
/// takes.
#[inline]
pub const fn location(entry: u64) -> u64 {
    entry & LOCATION_MAX
}

/// Returns the digest of an entry.
#[inline]
pub const fn digest(entry: u64) -> u64 {
    entry >> LOCATION_BITS
}

/// Bits of a wide entry that its key is ordered by: fifteen letters of text or so, and whether that
/// is all of the key.
pub const WIDE_BITS: u32 = u128::BITS - LOCATION_BITS;

/// Returns a wide entry: orders by the first bits of the key, then by location.
#[inline]
pub const fn wide_entry(value: u128, location: u64) -> u128 {
    value << LOCATION_BITS | location as u128
}

/// Returns the location of a wide entry's record.
#[inline]
pub const fn wide_location(entry: u128) -> u64 {
    location(entry as u64)
}

/// Returns what of the key is in a wide entry.
#[inline]
pub const fn wide_value(entry: u128) -> u128 {
    entry >> LOCATION_BITS
}

/// Returns whether a wide entry's value says all of the key, so that others with it are equal.
#[inline]
pub const fn is_whole(value: u128) -> bool {
    value & 1 != 0
}
