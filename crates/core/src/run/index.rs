//! The sparse index of a run, in memory: normalized keys of every so many records.

use super::layout::Geometry;

/// Keys of a run in order; between one and the next lie `stride` records.
#[derive(Clone, Debug)]
pub struct Index {
    keys: Vec<u8>,
    key_length: usize,
    /// Records from one key to the next.
    stride: u64,
    records: u64,
}

impl Index {
    /// Keeps every `every`-th of the keys of a run (and the last), so that the indexes of many runs
    /// fit in memory.
    pub fn new(geometry: &Geometry, keys: &[u8], every: usize) -> Self {
        let key_length = geometry.index_key_length as usize;
        let count = keys.len() / key_length;
        let kept = (0..count.saturating_sub(1)).step_by(every).chain(count.checked_sub(1));
        let keys = kept.flat_map(|key| &keys[key * key_length..][..key_length]).copied().collect();
        let stride = geometry.stride * every as u64;
        Self { keys, key_length, stride, records: geometry.records }
    }

    /// Parts of the run that the index tells apart; part `n` begins at the record of key `n`.
    pub fn parts(&self) -> usize {
        (self.keys.len() / self.key_length).saturating_sub(1)
    }

    /// Key `number`; there is one more than there are parts, the run's last.
    pub fn key(&self, number: usize) -> &[u8] {
        &self.keys[number * self.key_length..][..self.key_length]
    }

    /// The record of key `number`.
    pub fn record(&self, number: usize) -> u64 {
        if number == self.parts() { self.records - 1 } else { number as u64 * self.stride }
    }

    /// The record at which part `part` begins; the number of records where there is no such part.
    pub fn part_start(&self, part: usize) -> u64 {
        (part as u64 * self.stride).min(self.records)
    }
}
