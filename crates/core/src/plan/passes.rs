//! How runs are merged: how many at once, and which first.
//!
//! A merge of `k` runs reads each run's piece of a slab in one request, so that the slab must hold
//! `k` pieces worth a disk's while; that bounds the merge width. More runs than that take
//! intermediate passes. These merge neighbouring runs (stability) and no more of them than is
//! needed for the last merge to be as wide as it may (Knuth, TAOCP vol. 3, section 5.4.9: the last
//! merges of an optimal pattern are full, so the first one may be partial).

use std::ops::Range;

use crate::merge::Planner;
use crate::run::layout::BLOCK;

/// Smallest piece of a run worth a request of its own: at 1 GB/s it takes a quarter of a
/// millisecond, several times what a request costs.
const PIECE_MIN: usize = 256 << 10;

/// Parts of each run, with the blocks they are rounded out to, that a slab must hold on average. A
/// run's part around the slab's end is read again with the next slab, so that of four parts one is
/// read twice; and one would be too few for the slab to fit at all.
const PARTS_MIN: usize = 4;

/// Most runs merged at once, whatever memory there is: each is an open file with a window on its
/// index.
const WIDTH_MAX: usize = 512;

/// Most runs merged at once with slabs of `slab_bytes`. Slabs of that many runs fit, whatever their
/// keys.
pub fn merge_width(slab_bytes: usize, record_length: usize) -> usize {
    let part = BLOCK.next_multiple_of(record_length) + 2 * BLOCK;
    let width = (slab_bytes / PIECE_MIN.max(PARTS_MIN * part)).min(WIDTH_MAX);
    assert!(width == 0 || Planner::least_capacity(width, record_length) <= slab_bytes);
    width
}

/// The groups of neighbouring runs, of `runs`, to merge next, where no more than `width` can be
/// merged at once; empty when all can. Runs in no group stay as they are.
pub fn intermediate_groups(runs: usize, width: usize) -> Vec<Range<usize>> {
    assert!(width >= 2);
    let mut groups = Vec::new();
    let mut left = runs;
    let mut start = 0;
    while left > width && start < runs {
        // Each group of n makes n runs one: left - n + 1.
        let size = (left - width + 1).min(width).min(runs - start);
        if size < 2 {
            break;
        }
        groups.push(start..start + size);
        start += size;
        left -= size - 1;
    }
    groups
}

#[cfg(test)]
mod tests;
