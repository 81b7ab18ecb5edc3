//! Opening a run again. Every byte read back is checked before it is believed.

use std::path::Path;
use std::sync::Arc;

use super::Run;
use super::index::{IndexPages, IndexReader};
use super::layout::{BLOCK, FOOTER, Footer, HEADER, RunGeometry};
use super::page::PAGE;
use super::unpacking::{StoredBlock, check, expand, expand_in_place};
use super::window::{FileWindow, WINDOW_MAX};
use crate::error::{Error, Result};
use crate::format::Tracker;
use crate::io::{Direct, File};
use crate::stripe::spilled;

const _: () = assert!(BLOCK <= WINDOW_MAX, "a window shows a whole block");

/// A run open for reading.
#[derive(Debug)]
pub struct RunReader {
    file: Arc<File>,
    geometry: RunGeometry,
    footer: Footer,
}

impl RunReader {
    /// Opens a run and checks that header, footer and size belong together. The table is checked
    /// page by page when it is used.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn open(run: &Run, direct: Direct) -> Result<Self> {
        let path = run.path.as_path();
        let file = spilled::open(path, direct)?;
        let geometry = RunGeometry::read(path, &read_array::<HEADER>(&file, 0)?)?;
        let bytes = geometry.file_bytes();
        let is_other = (*run != Run::new(path, &geometry)).then_some((path, file.len(), bytes));
        if let Some((path, found, expected)) = file.misfit(bytes).or(is_other) {
            let message = format!("{found} bytes instead of {expected}");
            return Err(Error::corrupt(path, 0, message));
        }
        let bytes = read_array::<FOOTER>(&file, geometry.footer_start())?;
        let footer = Footer::read(path, &bytes, &geometry)?;
        Ok(Self { file, geometry, footer })
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the file's name.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the run's sizes.
    pub fn geometry(&self) -> &RunGeometry {
        &self.geometry
    }

    /// Returns the footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Returns the index, at its first key; about `window_bytes` bytes of the table in memory, a
    /// page at least.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn index(&self, window_bytes: usize) -> Result<IndexReader> {
        let pages = IndexPages::new(&self.file, self.geometry, window_bytes)?;
        IndexReader::open(pages, self.footer.last.clone())
    }

    /// Returns where blocks `first..end` are stored, and their checksums.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn stored(&self, first: u64, end: u64) -> Result<Vec<StoredBlock>> {
        let pages = (end - first) / self.geometry.blocks_per_page() + 2;
        let window_bytes = pages.min(self.geometry.pages()) as usize * PAGE;
        let mut pages = IndexPages::new(&self.file, self.geometry, window_bytes)?;
        (first..end).map(|block| pages.stored(block)).collect()
    }

    /// Checks the blocks in `memory`, the first of which is block `first`, against their checksums.
    /// Blocks of a compressed run are expanded first: they lie at the end of `memory`, as stored,
    /// up to the byte `end` of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] with the first block that is not as it was written.
    pub fn take_blocks(
        &self,
        first: u64,
        memory: &mut [u8],
        blocks: &[StoredBlock],
        end: u64,
    ) -> Result<()> {
        if self.geometry.packed.is_some() {
            return expand_in_place(self.path(), &self.geometry, first, blocks, memory, end);
        }
        let mut numbered = (first..).zip(memory.chunks(BLOCK)).zip(blocks);
        numbered.try_for_each(|((number, bytes), block)| {
            check(self.path(), number, bytes, block.checksum)
        })
    }

    /// Expands one block of a compressed run, which is stored as `packed`, into `target`.
    ///
    /// # Errors
    ///
    /// Those of [`take_blocks`](Self::take_blocks).
    pub(super) fn expand(
        &self,
        number: u64,
        block: &StoredBlock,
        packed: &[u8],
        target: &mut [u8],
    ) -> Result<()> {
        expand(self.path(), &self.geometry, number, block, packed, target)
    }

    /// Returns the record at byte `offset` of the data. Slow; for keys longer than the index holds.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn record(&self, offset: u64) -> Result<Vec<u8>> {
        let (mut record, mut fault) = (Vec::new(), None);
        let framing = self.geometry.framing;
        let mut tracker = Tracker::new(framing);
        self.scan(offset, |part| {
            // Most records end in their first block.
            let whole = framing.whole_length(part).filter(|_| record.is_empty());
            let ends = whole.map_or_else(|| tracker.pass(part), |end| Ok(Some((end, end))));
            let end = ends.unwrap_or_else(|found| {
                fault = Some(found);
                Some((0, 0))
            });
            record.extend_from_slice(&part[..end.map_or(part.len(), |(first, _)| first)]);
            end.is_none()
        })?;
        if let Some(fault) = fault {
            return Err(Error::corrupt(self.path(), offset / BLOCK as u64, fault.message));
        }
        Ok(record)
    }

    /// Returns up to `length` bytes of the data from byte `offset` on: fewer only at its end. Slow,
    /// as whole blocks are read and checked.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Corrupt`] where a block is not as it was written.
    pub fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        self.scan(offset, |part| {
            bytes.extend_from_slice(&part[..part.len().min(length - bytes.len())]);
            bytes.len() < length
        })?;
        Ok(bytes)
    }

    /// Gives `each` the data from byte `offset` on, block by block, until it wants no more.
    fn scan(&self, offset: u64, mut each: impl FnMut(&[u8]) -> bool) -> Result<()> {
        let mut pages = IndexPages::new(&self.file, self.geometry, PAGE)?;
        let mut window = FileWindow::new(&self.file, BLOCK)?;
        let (mut at, mut expanded) = (offset, Vec::new());
        while at < self.geometry.data_bytes {
            let number = at / BLOCK as u64;
            let stored = pages.stored(number)?;
            window.show(&(stored.offset..stored.end()))?;
            let block = if stored.is_plain() {
                check(self.path(), number, window.bytes(), stored.checksum)?;
                window.bytes()
            } else {
                expanded.resize(BLOCK, 0);
                self.expand(number, &stored, window.bytes(), &mut expanded)?;
                &expanded
            };
            let skip = (at % BLOCK as u64) as usize;
            let left = (self.geometry.data_bytes - at).min((BLOCK - skip) as u64) as usize;
            if !each(&block[skip..skip + left]) {
                break;
            }
            at += left as u64;
        }
        Ok(())
    }
}

fn read_array<const N: usize>(file: &Arc<File>, offset: u64) -> Result<[u8; N]> {
    let mut out = [0; N];
    out.copy_from_slice(&read_bytes(file, offset, N)?);
    Ok(out)
}

/// Reads exactly `length` bytes at `offset`.
fn read_bytes(file: &Arc<File>, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(length);
    FileWindow::new(file, length.min(WINDOW_MAX))?
        .scan(offset..offset + length as u64, |bytes| out.extend_from_slice(bytes))?;
    Ok(out)
}
