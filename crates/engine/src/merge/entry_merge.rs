//! Merging the sorted runs of entries of a load: one tree over all of them, as psort and AlphaSort
//! merge their runs. What comes out names the records, which are then gathered.
//!
//! Each task merges one key range of all runs, so that all workers take part.

use std::ops::Range;

use super::loser_tree::{LoserTree, TreeSource};
use crate::incore::KeyedLoad;
use crate::incore::item::entry;
use crate::incore::runs::EntryCursor;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Bytes of one run in the tree, with its computed key.
pub const RUN_BYTES: usize = 320;

impl TreeSource for EntryCursor<'_> {
    type Prefix = u128;

    /// Entries that tie may differ in any word: packed words are not exact.
    const TIED_WORD: usize = 0;

    #[inline]
    fn prefix(&self) -> u128 {
        self.prefix()
    }

    fn record(&self) -> Option<&[u8]> {
        self.record()
    }

    fn place(&self) -> u64 {
        self.location()
    }
}

/// A merge of one key range of a load.
#[derive(Debug)]
pub struct EntryMerge<'a, K> {
    tree: LoserTree<'a, K, EntryCursor<'a>>,
    /// Entries of the range that have not been taken.
    left: usize,
}

impl<'a, K: KeyEncoder> EntryMerge<'a, K> {
    /// Returns the merge of some neighbouring parts of `load`, whose runs have no unsettled ties.
    pub fn new(
        key: &'a K,
        load: &'a KeyedLoad,
        parts: &Range<usize>,
        records: &'a Records<'a>,
    ) -> Self {
        let cursors = load.runs_from(key, parts.start);
        let cursors = cursors.map(|run| EntryCursor::new(run, records)).collect();
        Self { tree: LoserTree::new(key, cursors), left: load.records_in(parts) }
    }

    /// Takes the next entries in order, as many as `out` holds, and returns their number. Their
    /// digests say nothing.
    pub fn next_batch(&mut self, out: &mut [u64]) -> usize {
        let wanted = self.left.min(out.len());
        let mut taken = 0;
        for slot in &mut out[..wanted] {
            let Some(location) = self.tree.advance(EntryCursor::take) else { break };
            *slot = entry(0, location);
            taken += 1;
        }
        self.left -= taken;
        taken
    }
}

#[cfg(test)]
mod tests;
