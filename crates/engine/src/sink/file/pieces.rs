//! Granules that are larger than a worker's buffers: a block of a run is written in pieces.
//!
//! ```text
//!   granule    |               64 KiB              |   one checksum
//!   pieces     |  buffer of 32 KiB |  32 KiB       |   one write each
//! ```
//!
//! The checksum of a granule covers all of it, so the writer keeps a copy of the granule until its
//! last piece. If the task ends before that, the copy becomes the task's part of an edge, and the
//! task that completes the edge writes the whole granule. It repeats pieces that were written, with
//! the same bytes, so that the order of the two writes does not matter.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{FileSink, FileWriter};
use crate::error::Result;
use crate::io::Region;
use crate::sink::{Lane, WrittenGranule};

/// Returns the bytes of a piece of granules of `granule` bytes, for buffers of `capacity` bytes.
pub(super) fn unit(capacity: usize, granule: usize) -> usize {
    let unit = 1 << capacity.max(1).ilog2();
    assert!(granule.is_multiple_of(unit), "pieces of {unit} bytes make {granule}");
    unit
}

impl FileSink {
    /// Writes `range` of `region`, which begins at `offset` of the data. `whole` is the granule if
    /// this is its last piece.
    fn write_piece(
        &self,
        lane: &mut Lane<'_>,
        offset: u64,
        region: Region,
        range: Range<usize>,
        whole: Option<&[u8]>,
    ) -> Result<()> {
        let sum = self.sums.as_ref().zip(whole).map(|(sums, granule)| (sums, xxh3_64(granule)));
        lane.write(&self.file, self.base + offset, region, range)?;
        let Some((sums, checksum)) = sum else { return Ok(()) };
        let number = offset / self.granule as u64;
        let offset = self.base + number * self.granule as u64;
        let written = WrittenGranule { checksum, offset, length: self.granule as u32 };
        sums.granules_written(lane, number, &[written])
    }
}

impl FileWriter<'_, '_> {
    /// Writes a full buffer that is a piece of a granule, unless the task before has a part of that
    /// granule.
    pub(super) fn write_piece(&mut self, full: Region) -> Result<()> {
        let (sink, capacity) = (self.sink, self.capacity);
        let Some(copy) = self.pieces.as_mut().filter(|_| !is_shared(sink, self.offset, self.start))
        else {
            let own = &full[self.head..capacity];
            sink.add_edge(self.lane, self.start + self.head as u64, own)?;
            self.lane.give_back(full);
            return Ok(());
        };
        let at = (self.start % sink.granule as u64) as usize;
        let end = at + capacity;
        copy[at..end].copy_from_slice(&full[..capacity]);
        let whole = (end == sink.granule).then_some(&copy[..end]);
        sink.write_piece(self.lane, self.start, full, 0..capacity, whole)
    }

    /// Hands on the last buffer, and with it the pieces of the last granule that were written.
    pub(super) fn finish_pieces(mut self, last: Region) -> Result<()> {
        let (sink, start) = (self.sink, self.start);
        if let Some(copy) = self.pieces.as_ref().filter(|_| !is_shared(sink, self.offset, start)) {
            let at = (start % sink.granule as u64) as usize;
            sink.add_edge(self.lane, start - at as u64, &copy[..at])?;
        }
        sink.add_edge(self.lane, start + self.head as u64, &last[self.head..self.filled])?;
        self.buffer = Some(last); // given back with the copy
        Ok(())
    }
}

/// Returns whether the granule at `start` holds bytes before `offset`, where the task begins.
fn is_shared(sink: &FileSink, offset: u64, start: u64) -> bool {
    start < offset.next_multiple_of(sink.granule as u64)
}
