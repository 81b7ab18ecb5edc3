//! Proof that nothing was lost: a count and an order-free checksum of records.
//!
//! Every record is hashed to 128 bits (`hash`) and the hashes are added modulo 2^128, so that the
//! sum does not depend on the order: it is taken of the input as it is read and of the output as it
//! is written, and a lost, doubled or changed record makes them differ but with a chance of 2^-128.

#[expect(unsafe_code, reason = "instructions that not every processor has; asked for, and tested")]
mod hash;

use serde::{Deserialize, Serialize};

use crate::format::Framing;
use crate::units::text;

pub use hash::hash;

/// Count and checksum of some records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// Number of records.
    pub records: u64,
    /// Sum of their hashes, modulo 2^128.
    #[serde(with = "text")]
    pub checksum: u128,
}

impl Sum {
    /// Adds the records that lie back to back in `bytes`.
    pub fn add_all(&mut self, framing: Framing, bytes: &[u8]) {
        match framing {
            Framing::Fixed(length) => self.add_each(bytes.chunks_exact(length)),
            _ => self.add_each(framing.records(bytes)),
        }
    }

    fn add_each<'a>(&mut self, records: impl Iterator<Item = &'a [u8]>) {
        let (records, checksum) = hash::sum(records);
        self.add(Self { records, checksum });
    }

    /// Adds one record.
    #[inline]
    pub fn add_record(&mut self, record: &[u8]) {
        self.add_hashed(hash(record));
    }

    /// Adds one record, without its checksum unless that is wanted.
    #[inline]
    pub fn count(&mut self, record: &[u8], is_summed: bool) {
        match is_summed {
            true => self.add_record(record),
            false => self.records += 1,
        }
    }

    /// Adds one record of this [`hash`].
    #[inline]
    pub fn add_hashed(&mut self, hash: u128) {
        self.checksum = self.checksum.wrapping_add(hash);
        self.records += 1;
    }

    /// Adds `count` records that are all equal to this one.
    pub fn add_copies(&mut self, record: &[u8], count: u64) {
        let copies = hash(record).wrapping_mul(u128::from(count));
        self.checksum = self.checksum.wrapping_add(copies);
        self.records += count;
    }

    /// Returns what was added since `earlier`.
    #[must_use]
    pub fn less(self, earlier: Self) -> Self {
        Self {
            records: self.records - earlier.records,
            checksum: self.checksum.wrapping_sub(earlier.checksum),
        }
    }

    /// Adds what another has added.
    pub fn add(&mut self, other: Self) {
        self.records = self.records.wrapping_add(other.records);
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}
