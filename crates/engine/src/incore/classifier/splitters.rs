//! Splitters that are records, for orders by a function: such keys have no words to cut.
//!
//! Sample sort by comparisons. A record's *rank* among the splitters takes the place of word 1 of
//! its key: twice the number of splitters before it, and one more if it is equal to the next.
//! Odd ranks are equality buckets (ips4o; Axtmann et al., ESA 2017): all
//! of their keys are equal, so that however many there are, their locations order them.
//!
//! ```text
//!   splitters         d        k        r
//!   ranks        0    1   2    3    4   5    6
//! ```

use std::sync::Arc;

use crate::key::KeyEncoder;

/// Index of the word that ranks take the place of.
pub const RANK: usize = 1;

/// Sampled records for each splitter. A key of that many sampled records is a splitter for sure.
const SAMPLED_PER_SPLITTER: usize = 4;

/// Bytes of sampled records that are kept, unless a single one is longer.
const SAMPLED_BYTES_MAX: usize = 1 << 20;

/// Records that were sampled, at even distances however long they are.
#[derive(Debug)]
pub struct SampledRecords {
    /// The records and their locations.
    records: Vec<(Box<[u8]>, u64)>,
    bytes: usize,
    /// Number of records that were shown.
    shown: usize,
    /// One record of this number is kept.
    step: usize,
}

impl SampledRecords {
    /// Returns a sample without records.
    pub const fn new() -> Self {
        Self { records: Vec::new(), bytes: 0, shown: 0, step: 1 }
    }

    /// Shows a record. If all that are kept become too long, every second one is given up.
    pub fn show(&mut self, record: &[u8], location: u64) {
        self.shown += 1;
        if !(self.shown - 1).is_multiple_of(self.step) {
            return;
        }
        self.bytes += record.len();
        self.records.push((record.into(), location));
        while self.bytes > SAMPLED_BYTES_MAX && self.records.len() > 2 {
            let mut number = 0;
            self.records.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.bytes = self.records.iter().map(|(record, _)| record.len()).sum();
            self.step *= 2;
        }
    }

    /// Sorts the records, and returns some of them as splitters.
    pub fn splitters<K: KeyEncoder>(&mut self, key: &K) -> Splitters {
        crate::incore::ties::merge_sort(&mut self.records, |(a, at), (b, other)| {
            key.compare_from(a, b, 0).then(at.cmp(other))
        });
        let chosen = self.records.iter().skip(SAMPLED_PER_SPLITTER / 2);
        let chosen = chosen.step_by(SAMPLED_PER_SPLITTER).map(|(record, _)| record.clone());
        let mut splitters: Vec<Box<[u8]>> = chosen.collect();
        splitters.dedup_by(|next, last| key.compare_from(last, next, 0).is_eq());
        Splitters(splitters.into())
    }

    /// Returns the records and their locations.
    pub fn records(&self) -> &[(Box<[u8]>, u64)] {
        &self.records
    }
}

/// Splitters in order, all different. None if words cut the keys.
#[derive(Clone, Debug, Default)]
pub struct Splitters(Arc<[Box<[u8]>]>);

impl Splitters {
    /// Returns the rank of a record.
    pub fn rank<K: KeyEncoder>(&self, key: &K, record: &[u8]) -> u64 {
        let before =
            self.0.partition_point(|splitter| key.compare_from(splitter, record, 0).is_lt());
        let is_equal = self
            .0
            .get(before)
            .is_some_and(|splitter| key.compare_from(splitter, record, 0).is_eq());
        2 * before as u64 + u64::from(is_equal)
    }
}

/// Returns whether all keys of a rank are equal.
pub const fn is_equality(rank: u64) -> bool {
    rank % 2 == 1
}
