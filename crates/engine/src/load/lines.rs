//! Layout of a load of lines: the place of each file's bytes, as a pure function of sizes.
//!
//! Where a line ends is not known before it is read, so loads are cut by bytes, at pages of their
//! files, and what a load's last line lacks is at the start of the next load. The unfinished line
//! is *carried* there, to lie right before the bytes that finish it:
//!
//! ```text
//!   load n      | span | span | span:aa|          a: begins in load n, ends in load n + 1
//!   load n + 1  |      aa:a span | span | ...
//!               | room for |
//!               |  carry   |
//! ```
//!
//! Behind each file's last byte is room for the terminator that it may lack.

use super::layout::{PAGE, Source};

/// An input, and how much of its start is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSource {
    /// The input.
    pub source: Source,
    /// Bytes at its start that are not wanted.
    pub skip: u64,
}

impl LineSource {
    /// Returns the offset at which reading begins: the page of the first wanted byte.
    fn start(&self) -> u64 {
        self.skip & !(PAGE as u64 - 1)
    }
}

/// One read request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpan {
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

impl LineSpan {
    /// Returns the offset in the load at which the input's bytes end.
    pub fn end(&self) -> usize {
        self.at + self.wanted
    }
}

/// A load's layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineLayout {
    /// Read requests, in ascending order of place in the load.
    pub spans: Vec<LineSpan>,
    /// Offset of the first span; the carried bytes lie right before it.
    pub start: usize,
    /// Bytes carried.
    pub carried: usize,
}

impl LineLayout {
    /// Returns the input and the byte in it that lie at `location`; `None` for what was carried.
    pub fn place(&self, location: usize) -> Option<(usize, u64)> {
        let behind = self.spans.partition_point(|span| span.at <= location);
        let span = self.spans.get(behind.checked_sub(1)?)?;
        Some((span.source, span.offset + (location - span.at) as u64))
    }
}

/// Cuts the inputs into loads, one after another.
#[derive(Clone, Debug)]
pub struct LineCutter {
    sources: Vec<LineSource>,
    block: usize,
    /// Input at which the next load begins.
    source: usize,
    offset: u64,
}

impl LineCutter {
    /// Returns a cutter at the start of the first of `sources`, with spans of `block` bytes, a
    /// multiple of a page.
    pub fn new(sources: Vec<LineSource>, block: usize) -> Self {
        assert!(block.is_multiple_of(PAGE) && block > 0);
        let offset = sources.first().map_or(0, LineSource::start);
        let mut cutter = Self { sources, block, source: 0, offset };
        cutter.pass_ended();
        cutter
    }

    /// Returns the cutter moved to byte `offset` of input `source`, or to that input's start if
    /// that is later.
    #[must_use]
    pub fn at(mut self, source: usize, offset: u64) -> Self {
        if let Some(of) = self.sources.get_mut(source) {
            of.skip = of.skip.max(offset);
        }
        self.source = source;
        self.offset = self.sources.get(source).map_or(0, LineSource::start);
        self.pass_ended();
        self
    }

    /// Returns whether all inputs have been cut.
    pub fn is_over(&self) -> bool {
        self.source == self.sources.len()
    }

    /// Returns the input and the offset in it at which the next load begins.
    pub fn place(&self) -> (usize, u64) {
        (self.source, self.offset)
    }

    /// Returns the bytes of each input from the next load on, as (input, offset, bytes).
    pub fn left(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let first = self.offset;
        self.sources.iter().enumerate().skip(self.source).enumerate().map(
            move |(nth, (source, of))| {
                let offset = if nth == 0 { first } else { of.start() };
                (source, offset, of.source.bytes - offset)
            },
        )
    }

    /// Returns the next load, of at most `capacity` bytes of memory, after `carried` bytes.
    pub fn next_load(&mut self, capacity: usize, carried: usize) -> LineLayout {
        let start = carried.next_multiple_of(PAGE);
        let mut load = LineLayout { spans: Vec::new(), start, carried };
        let mut place = start;
        // A byte behind each input's end, for a terminator.
        while let Some(span) = self.next_span(capacity.saturating_sub(place + 1), place) {
            place += span.length;
            if span.is_end {
                place = (place + 1).next_multiple_of(PAGE);
            }
            load.spans.push(span);
        }
        load
    }

    /// Returns the next request, of at most `room` bytes, to lie at `at`; `None` where not a page
    /// has room.
    pub fn next_span(&mut self, room: usize, at: usize) -> Option<LineSpan> {
        let LineSource { source, skip } = *self.sources.get(self.source)?;
        let room = room.min(self.block) & !(PAGE - 1);
        if room == 0 {
            return None;
        }
        let skip = skip.saturating_sub(self.offset);
        let left = source.bytes - self.offset;
        let wanted = (room as u64).min(left) as usize;
        let length = if source.is_direct { wanted.next_multiple_of(PAGE) } else { wanted };
        let is_end = wanted as u64 == left;
        let (source, offset) = (self.source, self.offset);
        let skip = skip.min(wanted as u64) as usize;
        self.offset += wanted as u64;
        self.pass_ended();
        Some(LineSpan { source, offset, at, length, wanted, skip, is_end })
    }

    /// Moves to the next input that has bytes left.
    fn pass_ended(&mut self) {
        let is_ended = |of: &LineSource, offset: u64| of.source.bytes <= offset.max(of.skip);
        while self.sources.get(self.source).is_some_and(|of| is_ended(of, self.offset)) {
            self.source += 1;
            self.offset = self.sources.get(self.source).map_or(0, LineSource::start);
        }
    }
}

#[cfg(test)]
mod tests;
