//! Layout of a load: the place of each file's bytes, as a pure function of sizes.
//!
//! Reading past the page cache wants offsets, lengths and addresses that are multiples of a page,
//! and records are of any length and start anywhere. So a *span* (one read request) covers whole
//! pages of its file. The bytes before the first record that is wanted are skipped:
//!
//! ```text
//!   file         ...|....:####|#########|#########|##:......|     # = this load's records
//!   load     carried|    :####|#########|#########|##:    | next file's spans
//!            |  skip |  span 0  span 1    span 2      (each of whole pages)
//! ```
//!
//! If records have one length, a load ends with a record, at a multiple of page and record
//! length if that is possible, and spans are such multiples too: for most lengths no record lies
//! across two spans. The next load skips what it has of a page that it shares.
//!
//! Otherwise it is not known before reading where a record ends. Loads are cut by bytes, at pages
//! of their files, and the unfinished record is *carried* to the next load, to lie right before the
//! bytes that finish it. After each file's last byte is room for the terminator that it may lack.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::format::Framing;

/// Alignment of offsets, lengths and addresses of requests past the page cache.
pub const PAGE: usize = 4096;

/// Place in the inputs at which a record begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InputPlace {
    /// Index of the input; the number of inputs where all have been passed.
    pub source: usize,
    /// Byte in it.
    pub offset: u64,
}

/// One of the inputs, as far as the layout needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutInput {
    /// Bytes in the file: where records have one length, a multiple of it.
    pub bytes: u64,
    /// True if spans must be whole pages.
    pub is_direct: bool,
    /// Bytes at its start that are not wanted.
    pub skip: u64,
}

impl LayoutInput {
    /// Returns the offset at which reading begins.
    fn start(&self) -> u64 {
        if self.is_direct { self.skip & !(PAGE as u64 - 1) } else { self.skip }
    }
}

/// One read request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadSpan {
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
    /// Bytes at its start that are not wanted.
    pub skip: usize,
    /// True if the input ends with this span.
    pub is_end: bool,
}

/// Bytes that a load begins with, read with the load before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarriedBytes {
    /// Their number.
    pub bytes: usize,
    /// Origins of their pieces, each with its first byte, counted over all pieces.
    pub origins: Vec<(usize, InputPlace)>,
}

/// A load's layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadLayout {
    /// Read requests, in ascending order of place in the load.
    pub spans: Vec<LoadSpan>,
    /// Offset of the first span.
    pub start: usize,
    /// Bytes right before it.
    pub carry: CarriedBytes,
}

impl LoadLayout {
    /// Returns the offset at which the load's bytes begin.
    pub fn begin(&self) -> usize {
        self.start - self.carry.bytes
    }

    /// Returns the number of bytes to read that are wanted.
    pub fn bytes(&self) -> usize {
        self.spans.iter().map(|span| span.wanted - span.skip).sum()
    }

    /// Returns the origin of the byte at `location`.
    pub fn origin(&self, location: usize) -> InputPlace {
        let pieces = self.pieces().take_while(|(at, _)| *at <= location);
        let (at, from) = pieces.last().unwrap_or_default();
        InputPlace { offset: from.offset + (location - at) as u64, ..from }
    }

    /// Returns the origins of the bytes in `range`: that of the first, and of each that does not
    /// follow the byte before it in its input. Each has its place in the range.
    pub fn origins(&self, range: &Range<usize>) -> Vec<(usize, InputPlace)> {
        let mut origins = vec![(0, self.origin(range.start))];
        for (at, from) in self.pieces().filter(|(at, _)| range.start < *at && *at < range.end) {
            let place = at - range.start;
            let (last_place, last) = origins[origins.len() - 1];
            let offset = last.offset + (place - last_place) as u64;
            if from != (InputPlace { offset, ..last }) {
                origins.push((place, from));
            }
        }
        origins
    }

    /// Returns where each piece begins in the load, carried or read, and where in its input.
    fn pieces(&self) -> impl Iterator<Item = (usize, InputPlace)> {
        let carried = self.carry.origins.iter().map(|(at, from)| (self.begin() + at, *from));
        let read = self.spans.iter().map(|span| {
            let offset = span.offset + span.skip as u64;
            (span.at + span.skip, InputPlace { source: span.source, offset })
        });
        carried.chain(read)
    }
}

/// Cuts the inputs into loads, one after another.
#[derive(Clone, Debug)]
pub struct Cutter {
    /// The inputs, from whose starts is skipped what has been cut.
    sources: Vec<LayoutInput>,
    /// Bytes of every record, where these do not differ.
    record_length: Option<usize>,
    /// Longest span: whole pages and, where possible, whole records of one length.
    block: usize,
    /// Input at which the next load begins.
    source: usize,
}

impl Cutter {
    /// Returns a cutter at the start of the first of `sources`, with spans of about `block` bytes.
    pub fn new(sources: Vec<LayoutInput>, framing: Framing, block: usize) -> Self {
        let record_length = framing.fixed_length();
        let step = record_length.map_or(PAGE, whole_step);
        let step = if step <= 2 * block { step } else { PAGE };
        let block = (block / step).max(1) * step;
        let mut cutter = Self { sources, record_length, block, source: 0 };
        cutter.pass_ended();
        cutter
    }

    /// Returns the cutter moved to a place, or to the start of that input if this is later.
    #[must_use]
    pub fn at(mut self, InputPlace { source, offset }: InputPlace) -> Self {
        if let Some(of) = self.sources.get_mut(source) {
            of.skip = of.skip.max(offset);
        }
        self.source = source;
        self.pass_ended();
        self
    }

    /// Returns whether all inputs have been cut.
    pub fn is_over(&self) -> bool {
        self.source == self.sources.len()
    }

    /// Returns the place at which the next load begins, apart from what it carries.
    pub fn place(&self) -> InputPlace {
        let offset = self.sources.get(self.source).map_or(0, |source| source.skip);
        InputPlace { source: self.source, offset }
    }

    /// Returns the bytes of the longest span.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Returns where each input is left to be cut, and how many bytes of it.
    pub fn left(&self) -> impl Iterator<Item = (InputPlace, u64)> + Clone {
        self.sources.iter().enumerate().skip(self.source).map(|(source, of)| {
            (InputPlace { source, offset: of.skip }, of.bytes.saturating_sub(of.skip))
        })
    }

    /// Returns the number of bytes that are left to be cut.
    pub fn bytes_left(&self) -> u64 {
        self.left().map(|(_, bytes)| bytes).sum()
    }

    /// Returns the next load, of at most `capacity` bytes of memory, after what it carries. Records
    /// of one length are at most `records_max`.
    pub fn next_load(
        &mut self,
        capacity: usize,
        records_max: u32,
        carry: CarriedBytes,
    ) -> LoadLayout {
        let start = carry.bytes.next_multiple_of(PAGE);
        let (mut place, mut records) = (start, u64::from(records_max));
        let mut load = LoadLayout { spans: Vec::new(), start, carry };
        let terminator = usize::from(self.record_length.is_none());
        loop {
            let room = capacity.saturating_sub(place + terminator);
            let begin = self.place();
            let Some(end) = self.end_within(room, records, load.spans.is_empty()) else { break };
            records -= self.record_length.map_or(0, |length| (end - begin.offset) / length as u64);
            while let Some(span) = self.cut(begin.source, end, place) {
                place += span.length;
                load.spans.push(span);
            }
            if self.source == begin.source {
                break;
            }
            place = (place + terminator).next_multiple_of(PAGE);
        }
        let is_stuck = self.record_length.is_some() && load.spans.is_empty() && !self.is_over();
        assert!(!is_stuck, "a load of {capacity} bytes holds no record");
        load
    }

    /// Returns the next request, of at most `room` bytes, to lie at `at`; `None` where not a page
    /// has room.
    pub fn next_span(&mut self, room: usize, at: usize) -> Option<LoadSpan> {
        let end = self.end_within(room, u64::MAX, true)?;
        self.cut(self.source, end, at)
    }

    /// Returns the offset in the current input at which a load has to end that has `room` bytes
    /// left, and room for `records` records of one length; `None` where it ends here.
    fn end_within(&self, room: usize, records: u64, is_first: bool) -> Option<u64> {
        let source = self.sources.get(self.source)?;
        let Some(length) = self.record_length else {
            let room = (room & !(PAGE - 1)) as u64;
            return (room > 0).then(|| source.bytes.min(source.start() + room));
        };
        let lead = (source.skip - source.start()) as usize;
        let room = room.saturating_sub(lead + lead.min(1) * PAGE) & !(PAGE - 1);
        let (most, left) = (records.min((room / length) as u64), source.bytes - source.skip);
        let mut records = most.min(left / length as u64);
        if records * (length as u64) < left {
            records = aligned(source.skip, records, length, self.block, is_first);
        }
        (records > 0).then(|| source.skip + records * length as u64)
    }

    /// Cuts the next span of input `source` up to byte `end`, if there is more of it.
    fn cut(&mut self, source: usize, end: u64, at: usize) -> Option<LoadSpan> {
        let of = self.sources.get_mut(source).filter(|of| of.skip < end)?;
        let (offset, block) = (of.start(), self.block as u64);
        let stop = end.min((offset / block + 1) * block);
        let wanted = (stop - offset) as usize;
        let length = if of.is_direct { wanted.next_multiple_of(PAGE) } else { wanted };
        let (skip, is_end) = ((of.skip - offset) as usize, stop == of.bytes);
        of.skip = stop;
        self.pass_ended();
        Some(LoadSpan { source, offset, at, length, wanted, skip, is_end })
    }

    /// Moves to the next input that has bytes left.
    fn pass_ended(&mut self) {
        while self.sources.get(self.source).is_some_and(|of| of.bytes <= of.skip) {
            self.source += 1;
        }
    }
}

/// Returns how many of `records` records from byte `begin` on to take so that the next load begins
/// at a multiple of page and record; none, where that is close and the load has others.
fn aligned(begin: u64, records: u64, length: usize, block: usize, is_first: bool) -> u64 {
    let step = whole_step(length) as u64;
    let excess = (begin + records * length as u64) % step / length as u64;
    let aligned = records.saturating_sub(excess);
    let is_cheap = step <= block as u64 || excess * 8 <= records;
    if !is_cheap || (aligned == 0 && is_first) { records } else { aligned }
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
