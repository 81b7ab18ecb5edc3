//! A load: as many records as memory takes at once, where they were read.
//!
//! A load is read straight into one region, in blocks, each from its own place in a file to its own
//! place in memory. Records never move afterwards; everybody names them by their *location*: the
//! number of a record of fixed length, the byte in the load at which any other begins. Locations
//! are in the order of the input. [`layout`] and [`lines`] decide which bytes of which file go
//! where; [`Records`] finds a record by its location.

pub mod layout;
pub mod lines;

pub use layout::{Cutter, Layout, Source, Span};

use crate::format::Framing;
use crate::format::csv::{RowCells, RowCutter};
use crate::io::Region;

/// Records `first_record..` lie back to back from byte `at` of the load on, up to the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the segment's first record.
    pub first_record: u32,
    /// Offset in the load at which it begins.
    pub at: usize,
}

/// Bytes of a load that have been read, and the places of its records.
#[derive(Debug)]
pub struct Loaded {
    /// The memory; none where records are items of buckets instead.
    pub region: Option<Region>,
    /// Framing of records.
    pub framing: Framing,
    /// Places of records of fixed length.
    pub segments: Vec<Segment>,
}

impl Loaded {
    /// Returns the records by location.
    pub fn records(&self) -> Records<'_> {
        Records::new(self.region.as_deref().unwrap_or_default(), self.framing, &self.segments)
    }
}

/// The records of a load, by location.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    framing: Framing,
    segments: &'a [Segment],
}

/// Bytes shown of a record that is not fetched yet: two cache lines.
const PLACE_BYTES: usize = 128;

impl<'a> Records<'a> {
    /// Returns the records in `bytes`: those of fixed length in `segments`, ascending.
    pub fn new(bytes: &'a [u8], framing: Framing, segments: &'a [Segment]) -> Self {
        Self { bytes, framing, segments }
    }

    /// Returns the records that all lie back to back from the start of `bytes`.
    pub fn packed(bytes: &'a [u8], framing: Framing) -> Self {
        Self { bytes, framing, segments: &[Segment { first_record: 0, at: 0 }] }
    }

    /// Returns the framing of records.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Returns the record at `location`.
    #[inline]
    pub fn get(&self, location: u64) -> &'a [u8] {
        match self.framing {
            Framing::Fixed(length) => &self.bytes[self.place_of(location, length)..][..length],
            _ => {
                let rest = &self.bytes[location as usize..];
                &rest[..self.framing.first_length(rest)]
            }
        }
    }

    /// Returns the record at `location`, and notes in `cells` the ends of its first cells, where
    /// there is a `cutter` for that.
    #[inline(always)]
    pub fn cut(&self, location: u64, cutter: Option<&RowCutter>, cells: &mut RowCells) -> &'a [u8] {
        if let Some(cutter) = cutter {
            let rest = &self.bytes[location as usize..];
            if let Some(length) = cutter.cut(rest, cells) {
                return &rest[..length];
            }
            *cells = RowCells::default();
        }
        self.get(location)
    }

    /// Returns the record of `length` bytes at `location`, whose end need not be looked for.
    #[inline]
    pub fn get_of_length(&self, location: u64, length: usize) -> &'a [u8] {
        match self.framing {
            Framing::Fixed(_) => self.get(location),
            _ => &self.bytes[location as usize..][..length],
        }
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

    /// Returns the offset at which record `number` of fixed length begins.
    #[inline]
    fn place_of(&self, number: u64, length: usize) -> usize {
        let number = number as u32;
        let segment = match self.segments {
            [only] => only,
            many => &many[many.partition_point(|s| s.first_record <= number) - 1],
        };
        segment.at + (number - segment.first_record) as usize * length
    }
}
