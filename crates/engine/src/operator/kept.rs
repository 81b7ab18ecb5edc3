//! Long records that a selection keeps, and the memory for them.
//!
//! A selection keeps the record of a group until the next group begins. A record of a load in
//! memory stays where it is. Other records are copied, and records are also made of others. One
//! worker at a time holds long copies: the one whose turn it is. So the plan sets aside memory for
//! one group, however many workers there are. Copies of up to [`SHORT_MAX`] bytes are not counted.

use std::ops::Range;

use crate::error::Result;
use crate::io::ElasticRegion;
use crate::units::ByteSize;

/// Bytes of the longest record for which no memory is planned. Longer records go to runs unchanged,
/// and are copied only by the worker whose turn it is.
pub const SHORT_MAX: usize = 64 << 10;

/// Bytes that the copies of one group may always take: the reserve has room for them.
const ROOM_MIN: u64 = 4 * SHORT_MAX as u64;

/// Memory in which a selection finds and keeps long records.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeptMemory<'a> {
    /// Bytes of the load that all records lie in; empty where they come from elsewhere.
    pub load: &'a [u8],
    /// Memory for copies.
    pub room: KeptRoom,
}

/// Memory for the copies of one group, and for what is made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptRoom {
    /// Bytes that the plan has left for copies.
    pub bytes: u64,
    /// Budget that has room for the copies of the longest record, where it is known.
    pub least: Option<ByteSize>,
}

impl KeptRoom {
    /// Returns whether there is room for copies of `bytes` bytes together.
    pub(super) fn holds(self, bytes: usize) -> bool {
        bytes as u64 <= self.bytes.max(ROOM_MIN)
    }
}

impl KeptMemory<'_> {
    /// Returns the place of a record in the load, if it lies there.
    fn place(&self, record: &[u8]) -> Option<Range<usize>> {
        let start = record.as_ptr().addr().checked_sub(self.load.as_ptr().addr())?;
        let range = start..start + record.len();
        (range.end <= self.load.len()).then_some(range)
    }

    /// Returns the bytes of memory that keeping a long record takes.
    pub(super) fn copy_bytes(&self, record: &[u8]) -> usize {
        if record.len() <= SHORT_MAX || self.place(record).is_some() { 0 } else { record.len() }
    }
}

/// Record that is kept.
#[derive(Debug)]
pub enum GroupRecord {
    /// A copy of a short record, or of one that a manifest has noted.
    Short(Vec<u8>),
    /// A copy of a long record, in memory that goes back to the system at once.
    Long(ElasticRegion),
    /// The place of a long record in the load.
    Loaded(Range<usize>),
}

impl Default for GroupRecord {
    fn default() -> Self {
        Self::Short(Vec::new())
    }
}

impl GroupRecord {
    /// Returns the record, which may lie in `load`.
    pub fn bytes<'r>(&'r self, load: &'r [u8]) -> &'r [u8] {
        match self {
            Self::Short(record) => record,
            Self::Long(record) => record,
            Self::Loaded(range) => &load[range.clone()],
        }
    }

    /// Returns the record, if this is a copy.
    pub fn copied(&self) -> Option<&[u8]> {
        match self {
            Self::Short(record) => Some(record),
            Self::Long(record) => Some(record),
            Self::Loaded(_) => None,
        }
    }

    /// Makes this equal to `record`, in the memory that it has where possible.
    pub(super) fn replace(&mut self, record: &[u8], memory: KeptMemory<'_>) -> Result<()> {
        if record.len() <= SHORT_MAX {
            match self {
                Self::Short(kept) if kept.capacity() <= 2 * SHORT_MAX => {
                    kept.clear();
                    kept.extend_from_slice(record);
                }
                _ => *self = Self::Short(record.to_vec()),
            }
            return Ok(());
        }
        if let Some(range) = memory.place(record) {
            *self = Self::Loaded(range);
            return Ok(());
        }
        let mut copy = match std::mem::take(self) {
            Self::Long(mut copy) => {
                copy.resize(record.len())?;
                copy
            }
            _ => ElasticRegion::new(record.len())?,
        };
        copy.copy_from_slice(record);
        *self = Self::Long(copy);
        Ok(())
    }
}
