//! The ranges of a file that were written, so that nothing else is read.
//!
//! A file system returns zeros for a range that is only reserved, without a request to the disk.

use std::ops::Range;

use super::PAGE;

/// Ranges of a file that were written. They are in order, and there is a gap between any two.
#[derive(Debug, Default)]
pub struct WrittenRanges(Vec<Range<u64>>);

impl WrittenRanges {
    /// Adds a range, which may overlap others.
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|other| other.end < range.start);
        let after = self.0.partition_point(|other| other.start <= range.end);
        let join = |one: Range<u64>, other: &Range<u64>| {
            one.start.min(other.start)..one.end.max(other.end)
        };
        let joined = self.0[first..after].iter().fold(range, join);
        drop(self.0.splice(first..after, [joined]));
    }

    /// Returns the number of bytes in all ranges.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns the first offset from `from` on at which `bytes` bytes follow in one range, all of
    /// them before `end`. After the last such offset, returns the first one of the file.
    pub fn next(&self, from: u64, bytes: u64, end: u64) -> Option<u64> {
        let first = |from: u64| {
            let starts = self.0.iter().map(|range| (range.start.max(from), range.end.min(end)));
            starts.filter(|(start, end)| start + bytes <= *end).map(|(start, _)| start).next()
        };
        first(from).or_else(|| first(0))
    }

    /// Returns the offset of a whole page, of which each has a number; they are counted round and
    /// round. `None` if no page was written.
    pub fn page(&self, number: u64) -> Option<u64> {
        let pages = |range: &Range<u64>| (range.end - range.start) / PAGE as u64;
        let mut number = number.checked_rem(self.0.iter().map(pages).sum())?;
        for range in &self.0 {
            match number.checked_sub(pages(range)) {
                Some(rest) => number = rest,
                None => return Some(range.start + number * PAGE as u64),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
