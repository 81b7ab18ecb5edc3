//! A partition's summary on disk, as gensort's companion validator writes and reads it.
//!
//! ```text
//!   0   first unordered   index in the partition of the first unordered record, 0 for none
//!  16   unordered         each number is two 64-bit words, the upper word first,
//!  32   records           every word in the machine's own byte order
//!  48   duplicate keys
//!  64   checksum
//!  80   first record      as it is
//! 180   last record       as it is
//! 280   end
//! ```
//!
//! Neither a version nor a checksum: the format is another program's. The first record of a
//! partition is never unordered, so that 0 can stand for none.

use super::Summary;
use crate::RECORD_LENGTH;

const NUMBER_LENGTH: usize = 16;
const WORD_LENGTH: usize = 8;
const NUMBERS: usize = 5;
const FIRST: usize = NUMBERS * NUMBER_LENGTH;
const LAST: usize = FIRST + RECORD_LENGTH;
pub(super) const LENGTH: usize = LAST + RECORD_LENGTH;

const _: () = assert!(LENGTH == 280);

impl Summary {
    /// Returns the summary as it stands on disk.
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let numbers = [
            self.first_unordered.unwrap_or(0),
            self.unordered,
            self.records,
            self.duplicate_keys,
            self.checksum,
        ];
        let mut bytes = [0; LENGTH];
        for (to, number) in bytes[..FIRST].chunks_exact_mut(NUMBER_LENGTH).zip(numbers) {
            let (upper, lower) = to.split_at_mut(WORD_LENGTH);
            upper.copy_from_slice(&((number >> 64) as u64).to_ne_bytes());
            lower.copy_from_slice(&(number as u64).to_ne_bytes());
        }
        bytes[FIRST..LAST].copy_from_slice(&self.first);
        bytes[LAST..].copy_from_slice(&self.last);
        bytes
    }

    /// Reads a summary as it stands on disk. Every sequence of bytes is one.
    pub fn from_bytes(bytes: &[u8; LENGTH]) -> Self {
        let word = |at: usize| {
            let mut word = [0; WORD_LENGTH];
            word.copy_from_slice(&bytes[at..at + WORD_LENGTH]);
            u128::from(u64::from_ne_bytes(word))
        };
        let number = |place: usize| {
            let at = place * NUMBER_LENGTH;
            (word(at) << 64) | word(at + WORD_LENGTH)
        };
        let record = |at: usize| {
            let mut record = [0; RECORD_LENGTH];
            record.copy_from_slice(&bytes[at..at + RECORD_LENGTH]);
            record
        };
        Self {
            first_unordered: Some(number(0)).filter(|index| *index != 0),
            unordered: number(1),
            records: number(2),
            duplicate_keys: number(3),
            checksum: number(4),
            first: record(FIRST),
            last: record(LAST),
        }
    }
}

#[cfg(test)]
mod tests;
