//! One run on the walk over all indexes: how far it has been passed, and what that needs read.

use std::ops::Range;

use crate::error::Result;
use crate::key::KeyEncoder;
use crate::run::layout::BLOCK;
use crate::run::{IndexReader, RunReader};

/// Most bytes kept of a key that the index has cut short. Every run may keep one, records may be a
/// megabyte long, and no budget foresees that; keys that agree even so far are read once more.
pub const KEPT_KEY_MAX: usize = 4096;

/// A run and the next key of its index.
pub struct Walk<'a> {
    run: &'a RunReader,
    /// Stands at the first key not passed; the last key of the index is the run's last record.
    index: IndexReader,
    /// The key of the next record up to [`KEPT_KEY_MAX`], where the index key is cut short and a
    /// tie asked for it.
    kept_key: Option<Vec<u8>>,
}

impl<'a> Walk<'a> {
    /// A walk that has passed nothing.
    pub fn new(run: &'a RunReader, window_bytes: usize) -> Result<Self> {
        Ok(Self { run, index: run.index(window_bytes)?, kept_key: None })
    }

    /// Whether all keys have been passed.
    pub fn is_over(&self) -> bool {
        self.index.is_over()
    }

    /// Keys passed so far.
    pub fn passed(&self) -> u64 {
        self.index.number()
    }

    /// Parts of the run.
    pub fn parts(&self) -> u64 {
        self.index.parts()
    }

    /// The next key, as far as the index keeps it.
    pub fn key(&self) -> &[u8] {
        self.index.key()
    }

    /// The record of the next key.
    pub fn next_record(&self) -> u64 {
        self.index.record(self.index.number())
    }

    /// Passes the next key.
    pub fn pass(&mut self) -> Result<()> {
        self.kept_key = None;
        self.index.advance()
    }

    /// The first part that the keys passed so far leave open.
    pub fn open_part(&self) -> u64 {
        if self.is_over() { self.parts() } else { self.passed().saturating_sub(1) }
    }

    /// The records of parts `first..end`.
    pub fn records(&self, first_part: u64, end_part: u64) -> Range<u64> {
        self.index.part_start(first_part)..self.index.part_start(end_part)
    }

    /// Blocks that hold the records of parts `first..end`.
    pub fn blocks(&self, first_part: u64, end_part: u64) -> Range<u64> {
        let records = self.records(first_part, end_part.max(first_part));
        if records.is_empty() {
            return 0..0;
        }
        let length = u64::from(self.run.geometry().record_length);
        records.start * length / BLOCK as u64..(records.end * length).div_ceil(BLOCK as u64)
    }

    /// Most blocks that one part more can take.
    pub fn part_blocks_max(&self) -> usize {
        let bytes = self.index.part_start(1) * u64::from(self.run.geometry().record_length);
        bytes.div_ceil(BLOCK as u64) as usize + 1
    }

    /// Reads the whole key of the next record.
    pub fn read_key(&self, key: &dyn KeyEncoder) -> Result<Vec<u8>> {
        let record = self.run.record(self.next_record())?;
        let mut whole = vec![0; key.key_length()];
        key.encode(&record, &mut whole);
        Ok(whole)
    }

    /// Sees to it that there is a kept key of the next record.
    pub fn keep_key(&mut self, key: &dyn KeyEncoder) -> Result<()> {
        if self.kept_key.is_none() {
            let mut kept = self.read_key(key)?;
            kept.truncate(KEPT_KEY_MAX);
            kept.shrink_to_fit();
            self.kept_key = Some(kept);
        }
        Ok(())
    }

    /// The kept key of the next record, if it was asked for.
    pub fn kept_key(&self) -> Option<&[u8]> {
        self.kept_key.as_deref()
    }
}
