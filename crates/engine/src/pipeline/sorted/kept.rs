//! Copies of records that outlive the windows they were read into.

use super::feed::Feed;
use crate::error::Result;
use crate::io::ElasticRegion;

/// The check of a source's own order.
#[derive(Debug, Default)]
pub struct Guard {
    /// True if equal neighbours are out of order too.
    pub is_strict: bool,
    /// The record before the next one, where the window did not hold both.
    pub before: Kept,
}

impl Guard {
    /// Returns a guard over records none of which may be equal to the one before it, if
    /// `is_strict`.
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, before: Kept::default() }
    }
}

/// A copy of a record, in memory that grows as far as records want it to.
#[derive(Debug, Default)]
pub struct Kept {
    memory: Option<ElasticRegion>,
    length: usize,
}

impl Kept {
    /// Returns the record; empty before the first.
    pub fn record(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], |memory| &memory[..self.length])
    }

    /// Forgets the record, and keeps the memory.
    pub fn forget(&mut self) {
        self.length = 0;
    }

    /// Returns the number of bytes of memory it has.
    fn capacity(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// Makes room for `length` bytes.
    fn reserve(&mut self, length: usize) -> Result<()> {
        match &mut self.memory {
            Some(memory) if memory.len() < length => memory.resize(length),
            Some(_) => Ok(()),
            None => ElasticRegion::new(length).map(|memory| self.memory = Some(memory)),
        }
    }

    /// Copies a record, in memory that grows out of what is spare; whether there was enough.
    pub fn copy(&mut self, record: &[u8], feed: &mut Feed<'_>) -> Result<bool> {
        if !feed.grow(record.len().saturating_sub(self.capacity())) {
            return Ok(false);
        }
        self.reserve(record.len())?;
        if let Some(memory) = &mut self.memory {
            memory[..record.len()].copy_from_slice(record);
            self.length = record.len();
        }
        Ok(true)
    }
}
