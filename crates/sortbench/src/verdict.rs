//! Verdict of a validator on a file, in the words of valsort 1.5.
//!
//! [`Verdict`] prints the lines and knows the exit status; where they are printed is left to the
//! caller.

use std::fmt;

use crate::summary::Summary;

/// Result of a validation: whether a file is sorted, and its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Records in the file.
    pub records: u128,
    /// Sum of the records' CRC-32s modulo 2^128.
    pub checksum: u128,
    /// Records whose key equals the key before them.
    pub duplicate_keys: u128,
    /// Records smaller than the one before them.
    pub unordered: u128,
    /// Number of the first such record, counted from 0.
    pub first_unordered: Option<u128>,
}

impl Verdict {
    /// Returns whether every record is at least as large as the one before it.
    pub fn is_ordered(&self) -> bool {
        self.unordered == 0
    }

    /// Returns the exit status of a command that gives this verdict: 0 in order, 1 not.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.is_ordered())
    }
}

impl From<&Summary> for Verdict {
    fn from(summary: &Summary) -> Self {
        Self {
            records: summary.records,
            checksum: summary.checksum,
            duplicate_keys: summary.duplicate_keys,
            unordered: summary.unordered,
            first_unordered: summary.first_unordered,
        }
    }
}

impl fmt::Display for Verdict {
    /// Returns the lines valsort prints, without a line break after the last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.first_unordered {
            writeln!(f, "First unordered record is record {index}")?;
        }
        writeln!(f, "Records: {}", self.records)?;
        writeln!(f, "Checksum: {:x}", self.checksum)?;
        if self.is_ordered() {
            writeln!(f, "Duplicate keys: {}", self.duplicate_keys)?;
            write!(f, "SUCCESS - all records are in order")
        } else {
            write!(f, "ERROR - there are {} unordered records", self.unordered)
        }
    }
}

#[cfg(test)]
mod tests;
