//! Layout of a load: the place of each file's bytes, as a pure function of sizes.
//!
//! Reading past the page cache wants offsets, lengths and addresses that are multiples of a page,
//! and records are of any length and start anywhere. So a *span* (one read request) covers whole
//! pages of its file, and each file's part of the load starts at the address whose place in its
//! page is that of the file's offset:
//!
//! ```text
//!   file      ...|....:####|#########|#########|##:......|     # = this load's records
//!   load         |    :####|#########|#########|##:    | next file's part
//!                  span 0     span 1    span 2      (each of whole pages)
//! ```
//!
//! Spans are multiples of page and record length where that is possible, and loads end at such
//! places, so that for most record lengths no record lies across two spans. The few that do
//! ("straddlers") are dealt when the whole load is there.

use super::Segment;

/// Alignment of offsets, lengths and addresses of requests past the page cache.
pub const PAGE: usize = 4096;

/// One of the inputs, as far as the layout needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Bytes in the file: a multiple of the record length.
    pub bytes: u64,
    /// True if spans must be whole pages.
    pub is_direct: bool,
}

/// One read request, and the records that lie in it whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the input.
    pub source: usize,
    /// Offset in the input at which the span begins.
    pub offset: u64,
    /// Offset in the load at which the span begins.
    pub at: usize,
    /// Bytes of the load that belong to this span.
    pub length: usize,
    /// Bytes the input must yield, at least: less than `length` where its end lies in this span.
    pub wanted: usize,
    /// Number in the load of the first record that begins in this span.
    pub first_record: u32,
    /// Offset in the span of its first record; the end of the span if none begins there.
    pub skip: usize,
    /// Records that lie in this span whole.
    pub records: u32,
}

/// A load's layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Read requests, in ascending order of place in the load; together they fill it.
    pub spans: Vec<Span>,
    /// Places of records.
    pub segments: Vec<Segment>,
    /// Records in the load.
    pub records: u32,
    /// Bytes of memory the load takes.
    pub bytes: usize,
}

impl Layout {
    /// Numbers of the records that lie in no span whole, ascending.
    pub fn straddlers(&self) -> impl Iterator<Item = u32> {
        let ends = self.spans.iter().map(|span| span.first_record + span.records);
        let starts = self.spans.iter().skip(1).map(|span| span.first_record);
        ends.zip(starts.chain([self.records])).flat_map(|(end, start)| end..start)
    }
}

/// Cuts the inputs into loads, one after another.
#[derive(Clone, Debug)]
pub struct Cutter {
    sources: Vec<Source>,
    record_length: usize,
    /// Longest span; rounded down to pages and, where possible, to whole records.
    block: usize,
    /// Input at which the next load begins.
    source: usize,
    offset: u64,
}

impl Cutter {
    /// Returns a cutter at the start of the first of `sources`, with spans of about `block` bytes.
    pub fn new(sources: Vec<Source>, record_length: usize, block: usize) -> Self {
        let step = whole_step(record_length);
        let step = if step <= 2 * block { step } else { PAGE };
        let block = (block / step).max(1) * step;
        Self { sources, record_length, block, source: 0, offset: 0 }
    }

    /// Returns a cutter that begins at byte `offset` of input `source`.
    #[must_use]
    pub fn at(self, source: usize, offset: u64) -> Self {
        Self { source, offset, ..self }
    }

    /// Returns the input and the byte in it at which the next load begins.
    pub fn place(&self) -> (usize, u64) {
        (self.source, self.offset)
    }

    /// Returns the bytes of the longest span.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Returns the bytes of memory that a load of all that is left takes at most.
    pub fn bytes_left(&self) -> u64 {
        let left = self.sources[self.source..].iter().map(|source| source.bytes).sum::<u64>();
        let padding = 2 * PAGE as u64 * (self.sources.len() - self.source) as u64;
        left - self.offset + padding
    }

    /// Returns the next load, of at most `capacity` bytes of memory and `records_max` records;
    /// `None` at the end of the last input.
    pub fn next_load(&mut self, capacity: usize, records_max: u32) -> Option<Layout> {
        let mut load = Layout::default();
        while let Some(&source) = self.sources.get(self.source) {
            let left = source.bytes - self.offset;
            if left == 0 {
                (self.source, self.offset) = (self.source + 1, 0);
                continue;
            }
            let lead = if source.is_direct { self.offset as usize % PAGE } else { 0 };
            let start =
                if source.is_direct { load.bytes.next_multiple_of(PAGE) } else { load.bytes };
            let room = capacity.saturating_sub(start + lead + lead.min(1) * PAGE) & !(PAGE - 1);
            let whole =
                (room / self.record_length).min((records_max - load.records) as usize) as u64;
            let mut records = whole.min(left / self.record_length as u64);
            if records * (self.record_length as u64) < left {
                records = self.aligned(records, load.records == 0);
            }
            if records == 0 {
                break;
            }
            self.add(&mut load, start, lead, records);
            if self.offset < source.bytes {
                break;
            }
        }
        let is_at_end = self.source == self.sources.len();
        assert!(load.records > 0 || is_at_end, "a load of {capacity} bytes holds no record");
        (load.records > 0).then_some(load)
    }

    /// Returns how many of `records` records to take so that the next load begins at a multiple of
    /// page and record; none, where that is close and the load has others.
    fn aligned(&self, records: u64, is_first: bool) -> u64 {
        let length = self.record_length as u64;
        let step = whole_step(self.record_length) as u64;
        let excess = (self.offset + records * length) % step / length;
        let aligned = records.saturating_sub(excess);
        let is_cheap = step <= self.block as u64 || excess * 8 <= records;
        if !is_cheap || (aligned == 0 && is_first) { records } else { aligned }
    }

    /// Adds `records` records from the current place on, to lie from `start + lead` on.
    fn add(&mut self, load: &mut Layout, start: usize, lead: usize, records: u64) {
        let length = self.record_length as u64;
        let is_direct = self.sources[self.source].is_direct;
        let at = start + lead;
        let is_continued = load.segments.last().is_some_and(|last| {
            last.at + (load.records - last.first_record) as usize * self.record_length == at
        });
        if !is_continued {
            load.segments.push(Segment { first_record: load.records, at });
        }
        let (begin, end) = (self.offset, self.offset + records * length);
        let mut offset = begin - lead as u64;
        let mut place = start;
        while offset < end {
            let stop = end.min((offset / self.block as u64 + 1) * self.block as u64);
            let wanted = (stop - offset) as usize;
            let taken = if is_direct { wanted.next_multiple_of(PAGE) } else { wanted };
            let first = offset.max(begin).div_ceil(length);
            load.spans.push(Span {
                source: self.source,
                offset,
                at: place,
                length: taken,
                wanted,
                first_record: load.records + (first - begin / length) as u32,
                skip: ((first * length - offset) as usize).min(wanted),
                records: (stop / length).saturating_sub(first) as u32,
            });
            offset += wanted as u64;
            place += taken;
        }
        load.bytes = place;
        load.records += records as u32;
        self.offset = end;
    }
}

/// Returns the least number of bytes that is whole pages and whole records. No record lies across
/// two spans of a multiple of it.
pub fn whole_step(record_length: usize) -> usize {
    let (mut x, mut y) = (PAGE, record_length);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    PAGE / x * record_length
}

#[cfg(test)]
mod tests;
