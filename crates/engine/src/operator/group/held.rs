//! Records that a task holds until it is its turn, and the writing of those that are wanted.

use std::ops::Range;

use super::GroupWriter;
use crate::error::Result;

impl GroupWriter<'_, '_> {
    /// Adds a record to what is held.
    pub(super) fn hold(&mut self, prefix: &[u8], record: &[u8]) -> Result<()> {
        let capacity = self.lane.capacity();
        let length = prefix.len() + record.len();
        if self.filled + length > capacity {
            self.flush()?;
        }
        if length > capacity {
            return self.write_alone(prefix, record);
        }
        let Some(held) = &mut self.held else { unreachable!("a buffer") };
        let room = &mut held[self.filled..][..length];
        room[..prefix.len()].copy_from_slice(prefix);
        room[prefix.len()..].copy_from_slice(record);
        self.filled += length;
        self.longest_bytes = self.longest_bytes.max(length as u64);
        if self.values.last().is_none_or(|(_, value)| differs(value, &self.value)) {
            self.values.push((self.ends.len(), self.value.clone()));
        }
        self.ends.push(self.filled);
        Ok(())
    }

    /// Writes what is held, as far as it is wanted.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.take_turn()?;
        let passed = self.ends.len();
        let wanted = self.wanted(passed);
        let end = |records: usize| records.checked_sub(1).map_or(0, |last| self.ends[last]);
        let range = end(wanted.start)..end(wanted.end);
        let bytes = range.len() as u64;
        if bytes > 0 {
            let Some(held) = self.held.take() else { unreachable!("a buffer") };
            let written = self.write_held(&held, range, wanted.clone());
            self.held = Some(held);
            written?;
        }
        if passed > 0 {
            self.selection.note_passed(passed as u64, wanted.len() as u64, bytes);
        }
        self.filled = 0;
        self.ends.clear();
        self.values.clear();
        Ok(())
    }

    /// Writes those records of `held` that are wanted, which lie at `range`.
    fn write_held(&mut self, held: &[u8], range: Range<usize>, wanted: Range<usize>) -> Result<()> {
        let Some(splitter) = &self.selection.splitter else {
            let offset = self.selection.state().offset;
            let (records, bytes) = (&held[range.clone()], range.len() as u64);
            (self.target.note)(offset, records);
            return self.target.sink.write(self.lane, offset, bytes, |writer| writer.put(records));
        };
        let (mut at, mut from) = (wanted.start, range.start);
        while at < wanted.end {
            let next = self.values.partition_point(|(first, _)| *first <= at);
            let value = &self.values[next - 1].1;
            let end = self.values.get(next).map_or(wanted.end, |(first, _)| *first);
            let left = usize::try_from(splitter.left()).unwrap_or(usize::MAX);
            let end = end.min(wanted.end).min(at.saturating_add(left));
            let to = self.ends[end - 1];
            splitter.write(self.lane, value, &[&held[from..to]], (end - at) as u64)?;
            (at, from) = (end, to);
        }
        Ok(())
    }

    /// Writes one record, not by way of what is held.
    pub(super) fn write_alone(&mut self, prefix: &[u8], record: &[u8]) -> Result<()> {
        self.take_turn()?;
        if self.wanted(1).is_empty() {
            self.selection.note_passed(1, 0, 0);
            return Ok(());
        }
        let bytes = (prefix.len() + record.len()) as u64;
        if let Some(splitter) = &self.selection.splitter {
            splitter.write(self.lane, &self.value, &[prefix, record], 1)?;
        } else {
            let offset = self.selection.state().offset;
            (self.target.note)(offset, record);
            self.target.sink.write(self.lane, offset, bytes, |writer| {
                writer.put(prefix)?;
                writer.put(record)
            })?;
        }
        self.longest_bytes = self.longest_bytes.max(bytes);
        self.selection.note_passed(1, 1, bytes);
        Ok(())
    }

    /// Returns which of `records` further ones are wanted.
    fn wanted(&self, records: usize) -> Range<usize> {
        let select = &self.selection.select;
        if !select.is_partial() {
            return 0..records;
        }
        let passed = self.selection.state().passed;
        let left = |place: u64| {
            usize::try_from(place.saturating_sub(passed)).map_or(records, |left| left.min(records))
        };
        left(select.skip)..select.end().map_or(records, left)
    }
}

/// Returns whether two values differ. Two empty vectors point to where nothing is mapped. The
/// comparison of glibc 2.36 reads there, masked by AVX-512, which takes a processor 200 ns.
fn differs(one: &[u8], other: &[u8]) -> bool {
    one.len() != other.len() || !one.is_empty() && one != other
}
