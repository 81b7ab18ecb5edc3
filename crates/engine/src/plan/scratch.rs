//! Part of the budget for keys and values of long records that have to be written down.
//!
//! Most keys are made and compared piece by piece. Those of a language's order are not, and neither
//! are values that a condition looks into and that do not stand in the record as they are. How much
//! memory that takes depends on the record, so a part of the budget is set aside, and a record that
//! needs more is refused before it is sorted. Long texts take turns: there is one at a time.

use super::besides::Reservation;
use crate::error::{Message, Setting, message};
use crate::units::ByteSize;

/// Records of this length on average may be of any length: the average is worked out from windows
/// of 8 KiB, and a window that no record ends in counts as one.
const LONG_BYTES: usize = 4 << 10;

/// Memory of the program without records and their keys.
const PROGRAM_BYTES: u64 = 32 << 20;

/// The known facts about the length of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Their average.
    Average(usize),
    /// Nothing.
    Unknown,
}

impl Lengths {
    /// Returns the divisor of the budget that gives the part for keys.
    fn share(self) -> u64 {
        match self {
            Self::Average(LONG_BYTES..) => 2,
            Self::Unknown => 4,
            Self::Average(_) => 8,
        }
    }
}

/// The memory for keys and values of one long record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchMemory {
    /// Bytes of the budget that there is.
    bytes: u64,
    /// Divisor of the budget that gives the part.
    share: u64,
}

impl ScratchMemory {
    /// Returns the part of a budget for records of such lengths.
    pub fn new(budget: ByteSize, lengths: Lengths) -> Self {
        let share = lengths.share();
        Self { bytes: budget.bytes() / share, share }
    }

    /// Returns the part of the budget.
    pub fn part(self) -> Reservation {
        Reservation::growing(self.bytes, self.share).between(0, u64::MAX, 1)
    }

    /// Returns the fault of a record of `length` bytes whose keys and values take `needed` bytes,
    /// and the least budget that has room for these, if this one has not.
    pub fn fault(self, length: usize, needed: usize) -> Option<(Message, ByteSize)> {
        if needed as u64 <= self.bytes {
            return None;
        }
        let (length, needed) = (length as u64, needed as u64);
        // A record may be a third of what is left for them.
        let records = 3 * length + PROGRAM_BYTES;
        let least = (self.share * needed).max(records + records.div_ceil(self.share - 1));
        let least_mib = least.div_ceil(1 << 20);
        let message = message!(
            "its key, or a condition, takes {} of memory, more than the memory budget has room \
             for; give at least {} MiB with {}",
            ByteSize(needed),
            least_mib,
            Setting::Memory,
        );
        Some((message, ByteSize::mib(least_mib)))
    }
}

#[cfg(test)]
mod tests;
