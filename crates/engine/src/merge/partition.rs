//! Places of a bound in every run: exact positions, by binary search in memory.

use crate::format::Framing;
use crate::key::KeyEncoder;

/// Records of one run in memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Whole records.
    pub bytes: &'a [u8],
    /// Offset in the run's data where the first of them begins.
    pub first_offset: u64,
    /// Offsets of the run at which records are known to begin, ascending: for framings that do not
    /// tell by themselves.
    pub known: &'a [u64],
}

impl<'a> Piece<'a> {
    /// Returns the bytes of the run from offset `start` to `end`.
    pub fn between(&self, start: u64, end: u64) -> &'a [u8] {
        &self.bytes[(start - self.first_offset) as usize..(end - self.first_offset) as usize]
    }

    /// Returns the part of a range of records between two known places, or its ends, in which
    /// `is_before` changes.
    fn narrow(
        &self,
        framing: Framing,
        start: u64,
        end: u64,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> (u64, u64) {
        let from = self.known.partition_point(|known| *known < start);
        let to = self.known.partition_point(|known| *known < end);
        let known = &self.known[from..to];
        let passed = known.partition_point(|known| is_before(self.record(*known, framing)));
        let low = passed.checked_sub(1).map_or(start, |last| known[last]);
        (low, known.get(passed).copied().unwrap_or(end))
    }

    /// Returns the record that begins at `offset` of the run.
    fn record(&self, offset: u64, framing: Framing) -> &'a [u8] {
        let rest = &self.bytes[(offset - self.first_offset) as usize..];
        &rest[..framing.first_length(rest)]
    }
}

/// Returns, for each run, where the first record begins, of those in `ranges` (offsets of its
/// candidates, start and end), that does not come before the record at `bound_offset` of run
/// `bound_run`, in the order (key, run, position).
pub fn positions<K: KeyEncoder>(
    key: &K,
    framing: Framing,
    pieces: &[Piece<'_>],
    ranges: &[(u64, u64)],
    bound_run: usize,
    bound_offset: u64,
) -> Vec<u64> {
    let bound = pieces[bound_run].record(bound_offset, framing);
    let position = |(run, (piece, &(start, end))): (usize, (&Piece<'_>, &(u64, u64)))| {
        if run == bound_run {
            return bound_offset;
        }
        let is_before = |record: &[u8]| {
            let order = key.compare_from(record, bound, 0);
            if run < bound_run { order.is_le() } else { order.is_lt() }
        };
        let (start, end) = match framing.is_local() {
            true => (start, end),
            false => piece.narrow(framing, start, end, is_before),
        };
        start + partition_point(framing, piece.between(start, end), is_before) as u64
    };
    pieces.iter().zip(ranges).enumerate().map(position).collect()
}

/// Returns where the first of `records` begins for which `is_before` does not hold; it holds for
/// all before that. Both ends of the search are always between records.
pub fn partition_point(
    framing: Framing,
    records: &[u8],
    is_before: impl Fn(&[u8]) -> bool,
) -> usize {
    if !framing.is_local() {
        return partition_point_in_order(framing, records, is_before);
    }
    let (mut low, mut high) = (0, records.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = match framing {
            Framing::Fixed(length) => middle - middle % length,
            _ => low + framing.whole_bytes(&records[low..middle]),
        };
        let rest = &records[start..high];
        let length = framing.first_length(rest);
        if is_before(&rest[..length]) {
            low = start + length;
        } else {
            high = start;
        }
    }
    low
}

/// Records that are cut before one is compared, where they are cut in order.
const STEP: usize = 32;

/// Returns what [`partition_point`] does, where only the record before tells where one begins.
fn partition_point_in_order(
    framing: Framing,
    records: &[u8],
    is_before: impl Fn(&[u8]) -> bool,
) -> usize {
    let (mut low, mut end) = (0, 0);
    for (number, record) in framing.records(records).enumerate() {
        end += record.len();
        if number % STEP == STEP - 1 {
            if !is_before(record) {
                break;
            }
            low = end;
        }
    }
    let passed = framing.records(&records[low..]).take_while(|record| is_before(record));
    low + passed.map(<[u8]>::len).sum::<usize>()
}

#[cfg(test)]
mod tests;
