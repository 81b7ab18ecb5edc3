//! The table of a run, read again: its index from one key to the next, and its checksums.
//!
//! A merge wants the keys of each run once, in order, and of the whole index only the next key, so
//! that a small window is all the memory an index takes, however large the run. A window is whole
//! pages, each sealed by itself, and nothing of a page is used that has not been checked: a wrong
//! key would order slabs wrongly.
//!
//! ```text
//!   blocks     |  a    b   |      c        |   d    |          |     e     |
//!   keys       a           c               d                   e           (the last record)
//!   parts      '---- 0 ----'------- 1 -----'-------- 2 --------'---- 3 ----'
//! ```
//!
//! The keys are those of the first record of each block in which one begins, and of the last record
//! of the run. A *part* is what lies between two keys that begin blocks; the last one reaches to
//! the end of the run.

use std::ops::Range;
use std::sync::Arc;

use super::key::IndexKey;
use super::layout::{BLOCK, LastRecord, RunGeometry};
use super::page::{PAGE, PageEntry, is_sealed};
use super::unpacking::StoredBlock;
use super::window::{FileWindow, WINDOW_MAX};
use crate::error::{Error, Result};
use crate::io::File;

/// Pages of a run's table, a few at a time.
pub struct IndexPages {
    file: Arc<File>,
    geometry: RunGeometry,
    window: FileWindow,
    /// The pages in the window, all of them checked.
    shown: Range<u64>,
}

impl IndexPages {
    /// Shows nothing yet; at most about `window_bytes` later, but a page at least.
    pub(super) fn new(
        file: &Arc<File>,
        geometry: RunGeometry,
        window_bytes: usize,
    ) -> Result<Self> {
        let window_bytes = window_bytes.clamp(PAGE, WINDOW_MAX) / PAGE * PAGE;
        let window = FileWindow::new(file, window_bytes)?;
        Ok(Self { file: Arc::clone(file), geometry, window, shown: 0..0 })
    }

    /// Returns the entry of a block.
    pub(super) fn entry(&mut self, block: u64) -> Result<PageEntry<'_>> {
        let (blocks, shape) = (self.geometry.blocks_per_page(), self.geometry.entry());
        let page = block / blocks;
        if !self.shown.contains(&page) {
            self.show(page)?;
        }
        let at = (page - self.shown.start) as usize * PAGE;
        let page = &self.window.bytes()[at..at + PAGE];
        Ok(PageEntry::of(page, (block % blocks) as usize, shape))
    }

    /// Returns where a block is stored, and its checksum.
    pub(super) fn stored(&mut self, block: u64) -> Result<StoredBlock> {
        let (file, geometry) = (Arc::clone(&self.file), self.geometry);
        StoredBlock::of(file.path(), &geometry, block, self.entry(block)?)
    }

    /// Shows pages from `first` on, and checks them.
    fn show(&mut self, first: u64) -> Result<()> {
        self.shown = 0..0;
        let start = self.geometry.table_start() + first * PAGE as u64;
        self.window.show(&(start..self.geometry.table_end()))?;
        let pages = self.window.bytes().chunks_exact(PAGE);
        let end = first + pages.len() as u64;
        for (number, page) in (first..).zip(pages) {
            if !is_sealed(page, number) {
                let message = format!("the checksum of page {number} of the table does not match");
                let block = number * self.geometry.blocks_per_page();
                return Err(Error::corrupt(self.file.path(), block, message));
            }
        }
        self.shown = first..end;
        Ok(())
    }
}

/// Kind of key that an index stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IndexKeyKind {
    /// The first one of a block.
    Block,
    /// The key of the run's last record.
    Last,
    /// None: all have been passed.
    Over,
}

/// An index on the way from its first key to its last.
pub struct IndexReader {
    pages: IndexPages,
    last: LastRecord,
    standing: IndexKeyKind,
    /// The current key and where in the data its record begins.
    key: IndexKey,
    offset: u64,
    /// The next block in which a record begins, and where that is; the window shows its entry.
    ahead: Option<(u64, u64)>,
}

impl IndexReader {
    /// Returns the index of the run whose table is `pages`, at its first key.
    pub(super) fn open(pages: IndexPages, last: LastRecord) -> Result<Self> {
        let (standing, key) = (IndexKeyKind::Block, IndexKey::default());
        let mut index = Self { pages, last, standing, key, offset: 0, ahead: None };
        index.look_ahead(0)?;
        if index.ahead.is_some() {
            index.advance()?;
        } else {
            index.standing = IndexKeyKind::Over;
        }
        Ok(index)
    }

    /// Returns whether all keys have been passed.
    pub fn is_over(&self) -> bool {
        self.standing == IndexKeyKind::Over
    }

    /// Returns the current key; there is one until the index is over.
    pub fn key(&self) -> &IndexKey {
        &self.key
    }

    /// Returns the offset in the data of the record of the current key.
    pub fn record(&self) -> u64 {
        self.offset
    }

    /// Returns the offset in the data of the part whose first key is the current one; the end of
    /// the data where there is no such part.
    pub fn part_start(&self) -> u64 {
        if self.standing == IndexKeyKind::Block {
            self.offset
        } else {
            self.pages.geometry.data_bytes
        }
    }

    /// Returns the offset at which that part ends.
    pub fn part_end(&self) -> u64 {
        self.ahead.map_or(self.pages.geometry.data_bytes, |(_, start)| start)
    }

    /// Goes to the next key.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Corrupt`] where the table is not as it was written.
    pub fn advance(&mut self) -> Result<()> {
        assert!(!self.is_over(), "no key is left to pass");
        if let Some((block, offset)) = self.ahead {
            self.pages.entry(block)?.read_key(&mut self.key);
            self.offset = offset;
            self.look_ahead(block + 1)
        } else if self.standing == IndexKeyKind::Block {
            self.standing = IndexKeyKind::Last;
            self.key.clone_from(&self.last.key);
            self.offset = self.last.offset;
            Ok(())
        } else {
            self.standing = IndexKeyKind::Over;
            Ok(())
        }
    }

    /// Finds the next block, from `block` on, in which a record begins.
    fn look_ahead(&mut self, block: u64) -> Result<()> {
        self.ahead = None;
        for block in block..self.pages.geometry.blocks() {
            if let Some(place) = self.pages.entry(block)?.place() {
                let offset = block * BLOCK as u64 + u64::from(place);
                if place as usize >= BLOCK || offset >= self.pages.geometry.data_bytes {
                    let message = format!("no record can begin at byte {place} of the block");
                    return Err(Error::corrupt(self.pages.file.path(), block, message));
                }
                self.ahead = Some((block, offset));
                return Ok(());
            }
        }
        Ok(())
    }
}
