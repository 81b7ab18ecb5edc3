//! One run on the walk over all indexes: how far it has been passed, and what that needs read.

use std::ops::Range;

use crate::error::Result;
use crate::key::KeyEncoder;
use crate::run::layout::BLOCK;
use crate::run::{IndexKey, IndexReader, RunReader};

/// Most bytes kept of a key that the index has cut short. Every run may keep one, records may be
/// megabytes long, and no budget foresees that; keys that agree even so far are read once more.
pub const KEPT_KEY_MAX: usize = 4096;

/// A run and the next key of its index.
pub struct Walk<'a> {
    run: &'a RunReader,
    /// Stands at the first key not passed; the last key of the index is the run's last record.
    index: IndexReader,
    /// Offset of the record of the last passed key; zero when none has been passed.
    passed: u64,
    /// The first [`KEPT_KEY_MAX`] bytes of the next record's key, or all of it; empty until a tie
    /// of index keys cut short asks for it.
    kept_key: Vec<u8>,
}

impl<'a> Walk<'a> {
    /// Returns a walk that has passed the keys of the records before byte `start` of the data.
    pub fn new(run: &'a RunReader, start: u64, window_bytes: usize) -> Result<Self> {
        let index = run.index(window_bytes)?;
        let mut walk = Self { run, index, passed: 0, kept_key: Vec::new() };
        while !walk.is_over() && walk.next_record() < start {
            walk.pass()?;
        }
        Ok(walk)
    }

    /// Returns whether all keys have been passed.
    pub fn is_over(&self) -> bool {
        self.index.is_over()
    }

    /// Returns the next key, as far as the index keeps it.
    pub fn key(&self) -> &IndexKey {
        self.index.key()
    }

    /// Returns where the record of the next key begins.
    pub fn next_record(&self) -> u64 {
        self.index.record()
    }

    /// Passes the next key.
    pub fn pass(&mut self) -> Result<()> {
        self.kept_key = Vec::new();
        self.passed = self.index.record();
        self.index.advance()
    }

    /// Returns where the first part begins that the keys passed so far leave open.
    pub fn open_start(&self) -> u64 {
        if self.is_over() { self.run.geometry().data_bytes } else { self.passed }
    }

    /// Returns where the parts end that the keys passed so far ask for.
    pub fn passed_end(&self) -> u64 {
        self.index.part_start()
    }

    /// Returns where they end with the part of the next key.
    pub fn next_end(&self) -> u64 {
        self.index.part_end()
    }

    /// Reads the next record.
    pub fn read_record(&self) -> Result<Vec<u8>> {
        self.run.record(self.next_record())
    }

    /// Sees to it that there is a kept key of the next record.
    pub fn keep_key(&mut self, key: &dyn KeyEncoder) -> Result<()> {
        if self.kept_key.is_empty() {
            let record = self.read_record()?;
            key.key_bytes(record.as_slice().into(), KEPT_KEY_MAX, &mut self.kept_key);
        }
        Ok(())
    }

    /// Returns the kept key of the next record, once it was asked for.
    pub fn kept_key(&self) -> &[u8] {
        &self.kept_key
    }
}

/// Returns the blocks that hold these bytes of a run's data.
pub fn blocks_of(bytes: &Range<u64>) -> Range<u64> {
    if bytes.is_empty() {
        return 0..0;
    }
    bytes.start / BLOCK as u64..bytes.end.div_ceil(BLOCK as u64)
}

/// Returns the maximum number of blocks that one part of a run takes whose records have up to
/// `longest_bytes` bytes: it begins in one block, and the last record that begins there ends the
/// part.
pub fn part_blocks_max(longest_bytes: u64) -> u64 {
    1 + longest_bytes.saturating_sub(1).div_ceil(BLOCK as u64).max(1)
}
