//! A file written by many workers at known offsets, in whole granules.

mod pieces;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::{GranuleSums, Lane, Writer, WrittenGranule, ends_at};
use crate::error::{Error, Result};
use crate::io::{File, Region};

/// A granule that several tasks share, while bytes are missing.
#[derive(Debug)]
struct Edge {
    bytes: Box<[u8]>,
    filled: usize,
}

/// Bytes `0..length` of data, at `base..` of a file.
#[derive(Debug)]
pub struct FileSink {
    file: Arc<File>,
    base: u64,
    length: u64,
    granule: usize,
    edges: Mutex<HashMap<u64, Edge>>,
    /// Receiver of the granules' checksums.
    sums: Option<Arc<dyn GranuleSums>>,
}

impl FileSink {
    /// Returns a sink for `length` bytes at `base` of `file`, written in granules of `granule`
    /// bytes. The last granule is padded with zeros. `base` is a multiple of what requests past the
    /// page cache need.
    pub fn new(file: Arc<File>, base: u64, length: u64, granule: usize) -> Self {
        Self { file, base, length, granule, edges: Mutex::default(), sums: None }
    }

    /// Returns a sink for as many bytes as come, until it is [sealed](Self::seal).
    pub fn growing(file: Arc<File>, granule: usize) -> Self {
        Self::new(file, 0, u64::MAX / granule as u64 * granule as u64, granule)
    }

    /// Writes the last granule of a growing sink, which turned out to have `length` bytes.
    pub fn seal(&self, lane: &mut Lane<'_>, length: u64) -> Result<()> {
        let granule = length / self.granule as u64;
        let edge = self.edges.lock().unwrap_or_else(PoisonError::into_inner).remove(&granule);
        let Some(edge) = edge else { return Ok(()) };
        let mut region = lane.take_edge()?;
        region[..self.granule].copy_from_slice(&edge.bytes);
        self.write(lane, granule * self.granule as u64, region, 0..self.granule)
    }

    /// Returns a sink that reports the checksum of every granule to `sums`.
    pub fn with_checksums(
        file: Arc<File>,
        base: u64,
        length: u64,
        granule: usize,
        sums: Arc<dyn GranuleSums>,
    ) -> Self {
        Self { sums: Some(sums), ..Self::new(file, base, length, granule) }
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the bytes of a granule.
    pub fn granule(&self) -> usize {
        self.granule
    }

    /// Returns the bytes before `offset` of the granule that it lies in: all of them were written.
    pub fn edge_before(&self, offset: u64) -> Vec<u8> {
        let edges = self.edges.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = (offset % self.granule as u64) as usize;
        let edge = edges.get(&(offset / self.granule as u64));
        edge.map_or_else(Vec::new, |edge| edge.bytes[..filled].to_vec())
    }

    /// Continues where another sink of the same file was, at `offset`, with the bytes it had
    /// [there](Self::edge_before).
    pub fn restore(&self, lane: &mut Lane<'_>, offset: u64, edge: &[u8]) -> Result<()> {
        self.add_edge(lane, offset - edge.len() as u64, edge)
    }

    /// Forgets everything from byte `offset` on, and continues there with the bytes that it had
    /// [before](Self::edge_before) anything was written there.
    pub fn go_back(&self, lane: &mut Lane<'_>, offset: u64, edge: &[u8]) -> Result<()> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.restore(lane, offset, edge)
    }

    /// Asserts that no granule waits for bytes: every task has brought what it promised.
    pub fn assert_whole(&self) {
        let edges = self.edges.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(edges.is_empty(), "{} granules lack bytes", edges.len());
    }

    /// Writes `granules` whole granules of `region`, which begins at `offset` of the data.
    fn write(
        &self,
        lane: &mut Lane<'_>,
        offset: u64,
        mut region: Region,
        range: std::ops::Range<usize>,
    ) -> Result<()> {
        debug_assert_eq!(range.len() % self.granule, 0);
        let first = (offset + range.start as u64) / self.granule as u64;
        let offset = self.base + first * self.granule as u64;
        let Some(sums) = &self.sums else {
            return lane.write(&self.file, offset, region, range);
        };
        let length = self.granule as u32;
        let offsets = (offset..).step_by(self.granule);
        let granules = region[range.clone()].chunks_exact(self.granule).zip(offsets);
        let mut granules: Vec<WrittenGranule> = granules
            .map(|(bytes, offset)| WrittenGranule { checksum: xxh3_64(bytes), offset, length })
            .collect();
        match sums.pack(&mut region[range.clone()], &mut granules) {
            None => lane.write(&self.file, offset, region, range)?,
            Some((offset, bytes)) => {
                // Progress counts the bytes of records.
                lane.progress().moved(range.len().saturating_sub(bytes) as u64);
                lane.write(&self.file, offset, region, range.start..range.start + bytes)?;
            }
        }
        sums.granules_written(lane, first, &granules)
    }

    /// Adds bytes of a granule that another task shares; writes it if they were the last it lacked.
    fn add_edge(&self, lane: &mut Lane<'_>, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let granule = offset / self.granule as u64;
        let start = granule * self.granule as u64;
        let whole = self.length.saturating_sub(start).min(self.granule as u64) as usize;
        let complete = {
            let mut edges = self.edges.lock().unwrap_or_else(PoisonError::into_inner);
            let edge = edges.entry(granule).or_insert_with(|| Edge {
                bytes: vec![0; self.granule].into_boxed_slice(),
                filled: 0,
            });
            let at = (offset - start) as usize;
            edge.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            edge.filled += bytes.len();
            if edge.filled > whole {
                // Some task brings more than its own.
                return Err(Error::Changed { expected: whole as u64, found: edge.filled as u64 });
            }
            if edge.filled == whole { edges.remove(&granule) } else { None }
        };
        if let Some(edge) = complete {
            let mut region = lane.take_edge()?;
            region[..self.granule].copy_from_slice(&edge.bytes);
            self.write(lane, start, region, 0..self.granule)?;
        }
        Ok(())
    }
}

/// Writes one task's bytes to a [`FileSink`].
#[derive(Debug)]
pub struct FileWriter<'a, 'p> {
    sink: &'a FileSink,
    lane: &'a mut Lane<'p>,
    /// Offset at which the task begins.
    offset: u64,
    /// `None` only while it is exchanged.
    buffer: Option<Region>,
    /// Offset in the data of the buffer's first byte: a multiple of the granule.
    start: u64,
    /// Bytes `head..filled` of the buffer are this task's; `head` is zero but for the first buffer.
    head: usize,
    filled: usize,
    /// The buffer is written when this many bytes are filled; room beyond is for one more record.
    capacity: usize,
    /// Copy of the granule that is written in pieces, where granules are larger than buffers.
    pieces: Option<Region>,
}

impl<'a, 'p> FileWriter<'a, 'p> {
    /// Returns a writer that begins at byte `offset` of the data.
    pub fn new(sink: &'a FileSink, lane: &'a mut Lane<'p>, offset: u64) -> Result<Self> {
        let pieces = if lane.capacity() < sink.granule { Some(lane.take_edge()?) } else { None };
        let unit = match pieces {
            Some(_) => pieces::unit(lane.capacity(), sink.granule),
            None => sink.granule,
        };
        let capacity = lane.capacity() / unit * unit;
        let head = (offset % unit as u64) as usize;
        let buffer = Some(lane.take_buffer()?);
        let (start, filled) = (offset - head as u64, head);
        Ok(Self { sink, lane, offset, buffer, start, head, filled, capacity, pieces })
    }

    /// Hands on what is left. `end` is where the task was to end.
    ///
    /// # Errors
    ///
    /// The errors of the lane, and [`Error::Changed`](crate::Error::Changed) where it ends
    /// elsewhere.
    pub fn finish(mut self, end: u64) -> Result<()> {
        let Some(buffer) = self.buffer.take() else { return Ok(()) };
        if let Err(error) = ends_at(end, self.start + self.filled as u64, self.offset) {
            self.buffer = Some(buffer);
            return Err(error);
        }
        if self.pieces.is_some() {
            return self.finish_pieces(buffer);
        }
        let granule = self.sink.granule;
        let first = self.first_whole().min(self.filled);
        self.sink.add_edge(self.lane, self.start + self.head as u64, &buffer[self.head..first])?;
        let last = (self.filled / granule * granule).max(first);
        self.sink.add_edge(self.lane, self.start + last as u64, &buffer[last..self.filled])?;
        if first < last {
            self.sink.write(self.lane, self.start, buffer, first..last)
        } else {
            self.lane.give_back(buffer);
            Ok(())
        }
    }

    /// Returns the offset in the buffer of the first granule that is this task's alone.
    fn first_whole(&self) -> usize {
        self.head.next_multiple_of(self.sink.granule)
    }

    /// Writes a full buffer.
    fn hand_on(&mut self, full: Region) -> Result<()> {
        if self.pieces.is_some() {
            return self.write_piece(full);
        }
        let first = self.first_whole();
        self.sink.add_edge(self.lane, self.start + self.head as u64, &full[self.head..first])?;
        if first < self.capacity {
            return self.sink.write(self.lane, self.start, full, first..self.capacity);
        }
        self.lane.give_back(full);
        Ok(())
    }

    /// Writes a full buffer and continues in another, which begins with the surplus of the full
    /// one.
    fn exchange(&mut self) -> Result<()> {
        let Some(full) = self.buffer.take() else { return Ok(()) };
        let mut next = self.lane.take_buffer()?;
        let excess = self.filled - self.capacity;
        next[..excess].copy_from_slice(&full[self.capacity..self.filled]);
        self.hand_on(full)?;
        self.start += self.capacity as u64;
        (self.head, self.filled, self.buffer) = (0, excess, Some(next));
        Ok(())
    }
}

impl Drop for FileWriter<'_, '_> {
    fn drop(&mut self) {
        for region in self.buffer.take().into_iter().chain(self.pieces.take()) {
            self.lane.give_back(region);
        }
    }
}

impl Writer for FileWriter<'_, '_> {
    fn room(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Some(buffer) => &mut buffer[self.filled..],
            None => &mut [],
        }
    }

    fn commit(&mut self, bytes: usize) -> Result<()> {
        self.filled += bytes;
        while self.filled >= self.capacity {
            self.exchange()?;
        }
        Ok(())
    }
}
