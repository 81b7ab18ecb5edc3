//! A load: as many records as memory takes at once, where they were read.
//!
//! A load is read straight into one region, in blocks, each from its own place in a file to its own
//! place in memory. Records never move afterwards; everybody names them by their number in the
//! load. [`layout`] decides which bytes of which file go where; [`Records`] finds a record by its
//! number.

pub mod layout;

pub use layout::{Cutter, Layout, Source, Span};

/// Records `first_record..` lie back to back from byte `at` of the load on, up to the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the segment's first record.
    pub first_record: u32,
    /// Where in the load it begins.
    pub at: usize,
}

/// The records of a load, by number.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    length: usize,
    segments: &'a [Segment],
}

impl<'a> Records<'a> {
    /// Records of `length` bytes, in `segments` (ascending) of `bytes`.
    pub fn new(bytes: &'a [u8], length: usize, segments: &'a [Segment]) -> Self {
        Self { bytes, length, segments }
    }

    /// Records of `length` bytes, all back to back from the start of `bytes`.
    pub fn packed(bytes: &'a [u8], length: usize) -> Self {
        Self { bytes, length, segments: &[Segment { first_record: 0, at: 0 }] }
    }

    /// Bytes per record.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Record `number`.
    #[inline]
    pub fn get(&self, number: u32) -> &'a [u8] {
        let segment = match self.segments {
            [only] => only,
            many => &many[many.partition_point(|s| s.first_record <= number) - 1],
        };
        let at = segment.at + (number - segment.first_record) as usize * self.length;
        &self.bytes[at..at + self.length]
    }
}
