//! A run read from its first block to its last, as a merge of streams does: no block is believed
//! before its checksum was compared.
//!
//! Checksums are looked up a window of the table at a time, which moves along with the blocks. What
//! reads the blocks, and in pieces of how many, is for the pipeline to say.

use std::ops::Range;
use std::sync::Arc;

use super::index::IndexPages;
use super::layout::{BLOCK, DATA_START};
use super::{RunReader, StoredBlock, stretch};
use crate::error::Result;
use crate::io::File;

/// The blocks of a run, in order.
pub struct RunBlocks {
    reader: RunReader,
    pages: IndexPages,
    /// Blocks of a compressed run that were asked for last.
    asked: Vec<StoredBlock>,
}

/// Bytes of a file that hold the next blocks of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRange {
    /// Number of blocks.
    pub count: usize,
    /// Bytes of the file.
    pub bytes: Range<u64>,
}

impl RunBlocks {
    /// Returns the blocks of an open run; about `window_bytes` bytes of its table in memory, a page
    /// at least.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) where there is no memory for the window.
    pub fn new(reader: RunReader, window_bytes: usize) -> Result<Self> {
        let pages = IndexPages::new(reader.file(), *reader.geometry(), window_bytes)?;
        Ok(Self { reader, pages, asked: Vec::new() })
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<File> {
        self.reader.file()
    }

    /// Returns whether the blocks are compressed. Offsets in the file stand for those that they
    /// would have otherwise, and [`ask`](Self::ask) says what to read.
    pub fn is_packed(&self) -> bool {
        self.reader.geometry().packed.is_some()
    }

    /// Returns the offsets in the file at which the blocks begin, and at which the last of them
    /// ends.
    pub fn bounds(&self) -> (u64, u64) {
        (DATA_START, DATA_START + self.reader.geometry().blocks() * BLOCK as u64)
    }

    /// Returns what one request can read of the blocks at `range` of the file: the first of them,
    /// at least.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) and [`Error::Io`](crate::Error::Io) of the table.
    pub fn ask(&mut self, range: Range<u64>) -> Result<BlockRange> {
        let count = (range.end - range.start).div_ceil(BLOCK as u64);
        if !self.is_packed() {
            return Ok(BlockRange { count: count as usize, bytes: range });
        }
        let first = (range.start - DATA_START) / BLOCK as u64;
        self.asked.clear();
        for block in first..first + count {
            self.asked.push(self.pages.stored(block)?);
        }
        let (count, bytes) = stretch(&self.asked, count as usize);
        self.asked.truncate(count);
        Ok(BlockRange { count, bytes })
    }

    /// Expands block `number` of those at `offset` that were asked for last. They were read from
    /// byte `start` of the file on into `area`.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check).
    pub fn expand(
        &self,
        offset: u64,
        number: usize,
        area: &[u8],
        start: u64,
        target: &mut [u8],
    ) -> Result<()> {
        let block = &self.asked[number];
        let at = (block.offset - start) as usize;
        let first = (offset - DATA_START) / BLOCK as u64;
        let packed = &area[at..at + block.length as usize];
        self.reader.expand(first + number as u64, block, packed, target)
    }

    /// Returns the offset in the file at which the records end: before the padding of the last
    /// block.
    pub fn records_end(&self) -> u64 {
        DATA_START + self.reader.geometry().data_bytes
    }

    /// Returns an upper bound of the bytes of a record of the run.
    pub fn longest_bytes(&self) -> u64 {
        self.reader.geometry().longest_bytes
    }

    /// Checks whole blocks that were read at `offset` of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) with the first that is not as it was written;
    /// [`Error::Io`](crate::Error::Io) of the table.
    pub fn check(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let first = (offset - DATA_START) / BLOCK as u64;
        let count = bytes.len().div_ceil(BLOCK) as u64;
        for (block, bytes) in (first..first + count).zip(bytes.chunks(BLOCK)) {
            let expected = self.pages.entry(block)?.checksum();
            super::unpacking::check(self.reader.path(), block, bytes, expected)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for RunBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("reader", &self.reader).finish_non_exhaustive()
    }
}
