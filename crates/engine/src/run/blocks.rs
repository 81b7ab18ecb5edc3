//! A run read from its first block to its last, as a merge of streams does: no block is believed
//! before its checksum was compared.
//!
//! Checksums are looked up a window of the table at a time, which moves along with the blocks. What
//! reads the blocks, and in pieces of how many, is for the pipeline to say.

use std::sync::Arc;

use super::RunReader;
use super::index::IndexPages;
use super::layout::{BLOCK, DATA_START};
use crate::error::Result;
use crate::io::File;

/// The blocks of a run, in order.
pub struct RunBlocks {
    reader: RunReader,
    pages: IndexPages,
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
        Ok(Self { reader, pages })
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<File> {
        self.reader.file()
    }

    /// Returns the offsets in the file at which the blocks begin, and at which the last of them
    /// ends.
    pub fn bounds(&self) -> (u64, u64) {
        (DATA_START, self.reader.geometry().table_start())
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
            self.reader.check_blocks(block, bytes, &[expected])?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for RunBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("reader", &self.reader).finish_non_exhaustive()
    }
}
