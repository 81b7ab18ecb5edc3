//! The number of cells of a node.

/// Cells of the widest node that is not wide. 4096 cells of 4 bytes are 16 KiB, half of a
/// first-level cache.
const CELLS_MAX: usize = 4096;

/// Cells of the narrowest node: eight bits a level, so that a value hidden under 48 equal bits (as
/// in the sort benchmark's skewed keys) is six levels down at most.
const CELLS_MIN: usize = 256;

/// Cells per wanted bucket: with fewer, even data makes uneven buckets, with more, the table grows.
const CELLS_PER_BUCKET: usize = 4;

/// Buckets up to which no node is wide: two for each cell, as long as keys are even.
const WIDE_BUCKETS: usize = 2 * CELLS_MAX;

/// Cells per bucket of a wide node.
const WIDE_CELLS_PER_BUCKET: usize = 2;

/// Cells of the widest node of all: one MiB.
const WIDE_CELLS_MAX: usize = 1 << 18;

/// Returns the number of cells of a node that makes `buckets` buckets, before it is rounded up to a
/// power of two.
///
/// Many more buckets than [`CELLS_MAX`] would each need a node of [`CELLS_MIN`] cells for a few of
/// them. No second-level cache holds as many nodes, and each record would wait for memory. One wide
/// node fits.
pub fn cells_wanted(buckets: usize) -> usize {
    match buckets {
        ..=WIDE_BUCKETS => (buckets * CELLS_PER_BUCKET).clamp(CELLS_MIN, CELLS_MAX),
        _ => (buckets * WIDE_CELLS_PER_BUCKET).min(WIDE_CELLS_MAX),
    }
}

#[cfg(test)]
mod tests;
