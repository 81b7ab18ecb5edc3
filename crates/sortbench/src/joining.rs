//! Summaries of blocks, joined in file order although they come in any order.
//!
//! ```text
//!   blocks summarised   0 1 2 3 . 5 . . 8 9
//!   kept                [0..4 )  [5..6)   [8..10)     each stretch as one summary
//! ```
//!
//! Stretches that touch are joined at once. Blocks are handed out in order, so there is never more
//! than one gap for each block being worked on, and never more stretches than gaps plus one: memory
//! does not grow with the file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::summary::{KeyOrder, Summary};

/// Summaries of the stretches known so far.
#[derive(Debug)]
pub(crate) struct Joining {
    order: KeyOrder,
    /// By first block; the range's end is the block after the last. Neither overlap nor touch.
    stretches: Mutex<BTreeMap<u64, (Range<u64>, Summary)>>,
}

impl Joining {
    /// Creates an empty collection.
    pub fn new(order: KeyOrder) -> Self {
        Self { order, stretches: Mutex::new(BTreeMap::new()) }
    }

    /// Adds a block's summary; each block once.
    pub fn add(&self, block: u64, summary: Summary) {
        // A worker that panicked has ended the job; the map itself is never left half changed.
        let mut stretches = self.stretches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut blocks = block..block + 1;
        let mut joined = summary;
        if let Some((before, mut left)) = stretches
            .range(..block)
            .next_back()
            .filter(|(_, (before, _))| before.end == block)
            .map(|(first, _)| *first)
            .and_then(|first| stretches.remove(&first))
        {
            left.append(&joined, self.order);
            (blocks.start, joined) = (before.start, left);
        }
        if let Some((after, right)) = stretches.remove(&blocks.end) {
            joined.append(&right, self.order);
            blocks.end = after.end;
        }
        stretches.insert(blocks.start, (blocks, joined));
    }

    /// Returns the summary of the whole, once every block has been added.
    pub fn finish(self) -> Summary {
        let stretches = self.stretches.into_inner().unwrap_or_else(PoisonError::into_inner);
        assert!(stretches.len() <= 1, "blocks are missing: {:?}", stretches.keys());
        stretches.into_values().next().map_or_else(Summary::default, |(_, summary)| summary)
    }
}

#[cfg(test)]
mod tests;
