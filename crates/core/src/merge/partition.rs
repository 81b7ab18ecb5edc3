//! Where a bound falls in every run: exact positions, by binary search in memory.

use crate::key::KeyEncoder;

/// Records of one run in memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Whole records.
    pub bytes: &'a [u8],
    /// Number in its run of the first of them.
    pub first_record: u64,
}

impl<'a> Piece<'a> {
    /// Record `number` of the run, of `length` bytes.
    fn record(&self, number: u64, length: usize) -> &'a [u8] {
        let at = (number - self.first_record) as usize * length;
        &self.bytes[at..at + length]
    }
}

/// For each run, the first record in `ranges` (its candidates, start and end) that does not come
/// before record `bound_record` of run `bound_run`, in the order (key, run, position).
pub fn positions<K: KeyEncoder>(
    key: &K,
    length: usize,
    pieces: &[Piece<'_>],
    ranges: &[(u64, u64)],
    (bound_run, bound_record): (usize, u64),
) -> Vec<u64> {
    let bound = pieces[bound_run].record(bound_record, length);
    pieces
        .iter()
        .zip(ranges)
        .enumerate()
        .map(|(run, (piece, &(start, end)))| {
            if run == bound_run {
                return bound_record;
            }
            let is_before = |record: u64| {
                let order = key.compare_from(piece.record(record, length), bound, 0);
                if run < bound_run { order.is_le() } else { order.is_lt() }
            };
            partition_point(start, end, is_before)
        })
        .collect()
}

/// The first of `start..end` for which `is_before` does not hold; it holds for all before that.
fn partition_point(start: u64, end: u64, is_before: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (start, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests;
