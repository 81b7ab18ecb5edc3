//! Dividing memory for replacement selection.
//!
//! ```text
//!   all loads  =  tree (an entry for each record)  +  places  +  records
//!                 +  as much as reading takes: a piece read ahead, and a window that grows
//! ```
//!
//! What reading takes is memory of its own, so that as much of the loads' is left alone.

use super::ExternalPlan;
use super::levers::AREAS_MAX;
use super::memory::Sizes;
use crate::incore::replacement::{BLOCK_OVERHEAD, LEAF_BYTES, LEAST_BLOCK, STORE_MAX};
use crate::load::layout::PAGE;
use crate::run::layout::BLOCK;

/// Divisor of the memory that gives a piece, within these bounds.
const PIECE_SHARE: usize = 64;
const PIECE_MIN: usize = 128 << 10;
const PIECE_MAX: usize = 4 << 20;

/// Divisor of the memory that gives the growth of windows.
const SPARE_SHARE: usize = 8;

/// Divisor of the memory for records that gives the limit of one record. Wherever the last written
/// record lies, another one has room beside it.
const LONGEST_SHARE: usize = 4;

/// Places for records that differ in length, to those of the average length that have room, in
/// eighths: shorter ones are more.
const EIGHTHS: usize = 9;

/// Division of memory for replacement selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacementMemory {
    /// Most records in memory; but for one that was written and is compared with, all in the tree.
    pub leaves: u32,
    /// Bytes that records are in, with what tells those of different lengths apart.
    pub store_bytes: usize,
    /// Bytes of a piece that is read ahead.
    pub piece_bytes: usize,
    /// Bytes of the window at first.
    pub window_bytes: usize,
    /// Bytes that the window may grow by.
    pub spare_bytes: usize,
    /// Most bytes of a record.
    pub longest_bytes: usize,
    /// Records that are expected to have room.
    pub records: u64,
}

impl ReplacementMemory {
    /// Returns the division of what `plan` has for loads, for records of `average` bytes. `None`
    /// where not even a few have room.
    pub fn new(plan: &ExternalPlan, sizes: &Sizes, average: usize) -> Option<Self> {
        let (varies, average) = (sizes.varies, average.max(1));
        let total = plan.areas_bytes().min(AREAS_MAX.saturating_mul(plan.load_limit));
        let piece_bytes = (total / PIECE_SHARE).clamp(PIECE_MIN, PIECE_MAX) / BLOCK * BLOCK;
        let longest_window = if varies { piece_bytes } else { piece_bytes.max(average) };
        let window_bytes = longest_window.next_multiple_of(PAGE);
        let longest = STORE_MAX / LONGEST_SHARE;
        let spare_bytes = if varies { (total / SPARE_SHARE).min(longest) } else { 0 };
        let left = total.checked_sub(piece_bytes + window_bytes + spare_bytes)?;
        let length = if varies { (average + BLOCK_OVERHEAD).max(LEAST_BLOCK) } else { average };
        let fitting = left.checked_sub(length)? / (length + LEAF_BYTES);
        let leaves = if varies { fitting / 8 * EIGHTHS } else { fitting };
        let leaves = u32::try_from(leaves).unwrap_or(u32::MAX / 2);
        let store_bytes = left.checked_sub(leaves as usize * LEAF_BYTES)?;
        let longest_bytes =
            if varies { (store_bytes / LONGEST_SHARE).min(longest) } else { average };
        let records = (fitting as u64).min(leaves.into());
        (leaves > 2).then_some(Self {
            leaves,
            store_bytes,
            piece_bytes,
            window_bytes,
            spare_bytes,
            longest_bytes,
            records,
        })
    }

    /// Returns the number of bytes of the tree, with the records in it.
    pub fn tree_bytes(&self) -> usize {
        self.leaves as usize * LEAF_BYTES + self.store_bytes
    }

    /// Returns the number of bytes of memory that loads have and this leaves alone.
    pub fn left_alone(&self) -> usize {
        self.piece_bytes + self.window_bytes + self.spare_bytes
    }
}

#[cfg(test)]
mod tests;
