//! Opening a run again. Every byte read back is checked before it is believed.

use std::path::Path;
use std::sync::Arc;

use super::Run;
use super::index::{IndexPages, IndexReader};
use super::layout::{BLOCK, DATA_START, FOOTER, Footer, HEADER, RunGeometry};
use super::page::PAGE;
use super::unpacking::{StoredBlock, check, expand, expand_in_place};
use super::window::{FileWindow, WINDOW_MAX};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Direct, File};
use crate::stripe::spilled;

/// First bytes read of a record whose length is not known: most end within them.
const RECORD_WINDOW: usize = 4096;

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
            return expand_in_place((self.path(), &self.geometry), first, blocks, memory, end);
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
        expand((self.path(), &self.geometry), number, block, packed, target)
    }

    /// Returns the record at byte `offset` of the data. Slow; for keys longer than the index holds.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn record(&self, offset: u64) -> Result<Vec<u8>> {
        if self.geometry.packed.is_some() {
            return self.packed_record(offset);
        }
        let rest = DATA_START + offset..DATA_START + self.geometry.data_bytes;
        let framing = self.geometry.framing;
        if let Framing::Fixed(length) = framing {
            return read_bytes(&self.file, rest.start, length);
        }
        let mut record = Vec::new();
        let mut window_bytes = RECORD_WINDOW;
        while rest.start + (record.len() as u64) < rest.end {
            let mut window = FileWindow::new(&self.file, window_bytes)?;
            window.show(&(rest.start + record.len() as u64..rest.end))?;
            record.extend_from_slice(window.bytes());
            if let Some(length) = framing.whole_length(&record) {
                record.truncate(length);
                break;
            }
            window_bytes = WINDOW_MAX;
        }
        Ok(record)
    }

    /// Returns the record at byte `offset` of the data of a compressed run.
    fn packed_record(&self, offset: u64) -> Result<Vec<u8>> {
        let (mut record, mut block) = (Vec::new(), vec![0; BLOCK]);
        let mut at = offset;
        while at < self.geometry.data_bytes {
            let number = at / BLOCK as u64;
            let stored = self.stored(number, number + 1)?[0];
            let packed = read_bytes(&self.file, stored.offset, stored.length as usize)?;
            self.expand(number, &stored, &packed, &mut block)?;
            let skip = (at % BLOCK as u64) as usize;
            let left = (self.geometry.data_bytes - at).min((BLOCK - skip) as u64) as usize;
            record.extend_from_slice(&block[skip..skip + left]);
            if let Some(length) = self.geometry.framing.whole_length(&record) {
                record.truncate(length);
                break;
            }
            at += left as u64;
        }
        Ok(record)
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
