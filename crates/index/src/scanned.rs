//! The bytes of a data file that is scanned, and the offsets that they have in it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use sortwell_engine::io::Supply;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use crate::bgzf::{self, BlockReader};

/// A data file that is scanned. Offsets in a file of blocks are virtual.
#[derive(Debug)]
pub struct ScannedFile {
    /// Number among all data files, from 0.
    pub number: usize,
    /// The open file.
    pub file: File,
    /// Its name in messages.
    pub path: PathBuf,
    /// Offset of the first record.
    pub start: u64,
    /// Offset of the end.
    pub end: u64,
    /// True if it is compressed in blocks.
    pub is_bgzf: bool,
}

/// Bytes of a file one after the other, with the offsets of their pieces.
#[derive(Debug, Default)]
pub struct PlacedBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Index of the first byte of each piece, and its offset in the file.
    pieces: Vec<(usize, u64)>,
}

impl PlacedBytes {
    /// Returns the offset of a byte that is there.
    pub fn offset_of(&self, at: usize) -> u64 {
        let number = self.pieces.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.pieces.get(number).map_or(0, |(start, offset)| offset + (at - start) as u64)
    }

    /// Returns the bytes from `at` on, and keeps those before.
    pub fn split_off(&mut self, at: usize) -> Self {
        let bytes = self.bytes[at..].to_vec();
        let mut pieces = Vec::new();
        if !bytes.is_empty() {
            pieces.push((0, self.offset_of(at)));
            let later = self.pieces.iter().filter(|(start, _)| *start > at);
            pieces.extend(later.map(|(start, offset)| (start - at, *offset)));
        }
        self.bytes.truncate(at);
        Self { bytes, pieces }
    }
}

impl ScannedFile {
    /// Returns the bytes of the file from the first record to the byte at an offset, as they lie in
    /// it.
    pub fn bytes_to(&self, offset: u64) -> u64 {
        let place = |offset: u64| if self.is_bgzf { bgzf::split(offset).0 } else { offset };
        place(offset).saturating_sub(place(self.start))
    }

    /// Appends `wanted` bytes from an offset on, or somewhat more, or all that are left. Sets the
    /// offset to that of the next byte.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged block.
    pub fn read(
        &self,
        reader: &mut BlockReader,
        offset: &mut u64,
        wanted: usize,
        placed: &mut PlacedBytes,
    ) -> Result<()> {
        let begun = placed.bytes.len();
        if !self.is_bgzf {
            let wanted = (wanted as u64).min(self.end.saturating_sub(*offset)) as usize;
            if placed.pieces.is_empty() {
                placed.pieces.push((begun, *offset));
            }
            placed.bytes.resize(begun + wanted, 0);
            let read = self.file.read_exact_at(&mut placed.bytes[begun..], *offset);
            read.map_err(|error| Error::io_at("read", &self.path, *offset, error))?;
            *offset += wanted as u64;
            return Ok(());
        }
        let length = bgzf::split(self.end).0;
        while placed.bytes.len() - begun < wanted && *offset < self.end {
            let (block, within) = bgzf::split(*offset);
            let start = placed.bytes.len();
            let next = reader.read(&self.file, &self.path, length, block, &mut placed.bytes)?;
            let passed = within.min(placed.bytes.len() - start);
            placed.bytes.drain(start..start + passed);
            placed.pieces.push((start, *offset));
            *offset = bgzf::block_offset(next);
        }
        Ok(())
    }
}

/// The expanded bytes of a data file, one after the other.
#[derive(Debug)]
pub struct ExpandedBytes {
    scanned: ScannedFile,
    reader: BlockReader,
    offset: u64,
    placed: PlacedBytes,
    /// Bytes of `placed` that were returned.
    taken: usize,
}

impl ExpandedBytes {
    /// Returns the bytes of a file from its first byte on.
    pub fn new(scanned: ScannedFile) -> Self {
        let (reader, placed) = (BlockReader::default(), PlacedBytes::default());
        Self { scanned, reader, offset: 0, placed, taken: 0 }
    }

    /// Fills a buffer, as far as there are bytes.
    ///
    /// # Errors
    ///
    /// Those of [`ScannedFile::read`].
    pub fn take(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let lacking = (self.taken + buffer.len()).saturating_sub(self.placed.bytes.len());
        self.scanned.read(&mut self.reader, &mut self.offset, lacking, &mut self.placed)?;
        let rest = &self.placed.bytes[self.taken..];
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        self.taken += bytes;
        Ok(bytes)
    }

    /// Returns the file, with the offset of a byte that was taken, or of the next one, as its
    /// start.
    pub fn starting_at(self, at: u64) -> ScannedFile {
        let at = at as usize;
        let is_there = at < self.placed.bytes.len();
        let start = if is_there { self.placed.offset_of(at) } else { self.offset };
        ScannedFile { start, ..self.scanned }
    }
}

impl Supply for ExpandedBytes {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        if progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        self.placed = self.placed.split_off(self.taken);
        self.taken = 0;
        self.take(buffer)
    }
}
