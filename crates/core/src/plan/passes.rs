//! How runs are merged: how many at once, and which first.
//!
//! A merge of `k` runs reads each run's piece of a slab in one request, so that the slab must hold
//! `k` pieces worth a disk's while; that bounds the merge width. More runs than that take
//! intermediate passes. These merge neighbouring runs (stability) and no more of them than is
//! needed for the last merge to be as wide as it may (Knuth, TAOCP vol. 3, section 5.4.9: the last
//! merges of an optimal pattern are full, so the first one may be partial).

use std::ops::Range;

use crate::run::layout::BLOCK;

/// Smallest piece of a run worth a request of its own: at 1 GB/s it takes a quarter of a
/// millisecond, several times what a request costs.
const PIECE_MIN: usize = 256 << 10;

/// Most runs merged at once, whatever memory there is: each is an open file, and the walk over the
/// indexes looks at every run for every key.
const WIDTH_MAX: usize = 512;

/// Most runs merged at once with slabs of `slab_bytes`.
pub fn merge_width(slab_bytes: usize, record_length: usize) -> usize {
    // A piece is at least the parts at either end and the blocks they are rounded out to.
    let part = BLOCK.next_multiple_of(record_length) + 2 * BLOCK;
    (slab_bytes / PIECE_MIN.max(4 * part)).min(WIDTH_MAX)
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
