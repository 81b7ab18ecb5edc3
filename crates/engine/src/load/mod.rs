//! A load: as many records as memory takes at once, where they were read.
//!
//! A load is read straight into one region, in blocks, each from its own place in a file to its own
//! place in memory. Records stay there, and are named by their *location*, the byte in the load at
//! which they begin. Locations are in the order of the input. Two things are copied: fixed-length
//! records of up to 31 bytes, into buckets, and the unfinished record at the end, to the start of
//! the next load. [`layout`] decides which bytes of which file go where; [`Records`] finds a record
//! by its location.

pub mod layout;

pub use layout::{CarriedBytes, Cutter, InputPlace, LayoutInput, LoadLayout, LoadSpan};

use crate::format::{FieldCutter, FieldEnds, Framing};
use crate::io::Region;

/// Bytes of a load that have been read, and the places of its records. This is the part of a load
/// in buckets ([`KeyedLoad`](crate::incore::KeyedLoad)) that the buckets refer to.
#[derive(Debug)]
pub struct Loaded {
    /// The memory; none where records are items of buckets instead.
    pub region: Option<Region>,
    /// Framing of records.
    pub framing: Framing,
}

impl Loaded {
    /// Returns the records by location.
    pub fn records(&self) -> Records<'_> {
        Records::new(self.region.as_deref().unwrap_or_default(), self.framing)
    }
}

/// The records of a load, by location.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    framing: Framing,
}

/// Bytes shown of a record that is not fetched yet: two cache lines.
const PLACE_BYTES: usize = 128;

impl<'a> Records<'a> {
    /// Returns the records in `bytes`.
    pub fn new(bytes: &'a [u8], framing: Framing) -> Self {
        Self { bytes, framing }
    }

    /// Returns the number of bytes that the records are among.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the framing of records.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Returns the record at `location`.
    #[inline]
    pub fn get(&self, location: u64) -> &'a [u8] {
        match self.framing {
            Framing::Fixed(length) => &self.bytes[location as usize..][..length],
            _ => {
                let rest = &self.bytes[location as usize..];
                &rest[..self.framing.first_length(rest)]
            }
        }
    }

    /// Returns the record at `location`, and notes in `found` the ends of its first fields, where
    /// there is a `cutter` for that.
    #[inline(always)]
    pub fn cut(
        &self,
        location: u64,
        cutter: Option<&FieldCutter>,
        found: &mut FieldEnds,
    ) -> &'a [u8] {
        if let Some(cutter) = cutter {
            let rest = &self.bytes[location as usize..];
            if let Some(length) = cutter.cut(rest, found) {
                return &rest[..length];
            }
            *found = FieldEnds::default();
        }
        self.get(location)
    }

    /// Returns the record of `length` bytes at `location`, whose end need not be looked for.
    #[inline]
    pub fn get_of_length(&self, location: u64, length: usize) -> &'a [u8] {
        &self.bytes[location as usize..][..length]
    }

    /// Returns the bytes from the start of the record at `location`, without looking at them.
    #[inline]
    pub fn place(&self, location: u64) -> &'a [u8] {
        match self.framing {
            Framing::Fixed(_) => self.get(location),
            _ => {
                let rest = &self.bytes[location as usize..];
                &rest[..rest.len().min(PLACE_BYTES)]
            }
        }
    }
}
