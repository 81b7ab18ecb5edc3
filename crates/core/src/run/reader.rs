//! Opening a run again. Every byte read back is checked before it is believed.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Run;
use super::index::IndexReader;
use super::layout::{BLOCK, DATA_START, FOOTER, Footer, Geometry, HEADER};
use super::window::{WINDOW_MAX, Window};
use crate::error::{Error, Result};
use crate::io::{Direct, File};

/// A run open for reading.
#[derive(Debug)]
pub struct RunReader {
    file: Arc<File>,
    geometry: Geometry,
    footer: Footer,
}

impl RunReader {
    /// Opens a run and checks that header, footer and size belong together, and that the table of
    /// block checksums is whole: else its damage would be taken for that of the data.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn open(run: &Run, direct: Direct) -> Result<Self> {
        let path = run.path.as_path();
        let file = File::open_read(path, direct)?;
        let geometry = Geometry::read(path, &read_array::<HEADER>(&file, 0)?)?;
        let is_whole = file.len() == geometry.file_bytes() && geometry.records == run.records;
        if !is_whole {
            let message = format!("{} bytes where {} belong", file.len(), geometry.file_bytes());
            return Err(Error::Corrupt { path: path.to_owned(), block: 0, message });
        }
        let bytes = read_array::<FOOTER>(&file, file.len() - FOOTER as u64)?;
        let footer = Footer::read(path, &bytes, &geometry)?;
        let reader = Self { file, geometry, footer };
        reader.check_checksums()?;
        Ok(reader)
    }

    /// The file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The run's sizes.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// The index, found whole, at its first key; about `window_bytes` bytes of it in memory.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Corrupt`].
    pub fn index(&self, window_bytes: usize) -> Result<IndexReader> {
        IndexReader::open(&self.file, self.geometry, self.footer.index_sum, window_bytes)
    }

    /// Checks the table of block checksums against the footer.
    fn check_checksums(&self) -> Result<()> {
        let place = self.geometry.checksums_start()..self.geometry.index_start();
        let mut sum = Xxh3::new();
        Window::new(&self.file, (place.end - place.start).min(WINDOW_MAX as u64) as usize)?
            .scan(place, |bytes| sum.update(bytes))?;
        if sum.digest() == self.footer.checksums_sum {
            return Ok(());
        }
        let message = "the checksum of the table of block checksums does not match".to_owned();
        Err(Error::Corrupt { path: self.path().to_owned(), block: 0, message })
    }

    /// The checksums of blocks `first..end`.
    pub fn checksums(&self, first: u64, end: u64) -> Result<Vec<u64>> {
        let start = self.geometry.checksums_start() + first * 8;
        let bytes = self.read(start, (end - first) as usize * 8)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// Checks the blocks in `bytes`, the first of which is block `first`, against their checksums.
    pub fn check_blocks(&self, first: u64, bytes: &[u8], checksums: &[u64]) -> Result<()> {
        for ((block, bytes), expected) in (first..).zip(bytes.chunks(BLOCK)).zip(checksums) {
            let found = xxh3_64(bytes);
            if found != *expected {
                let message = format!("checksum {expected:016x} expected, {found:016x} found");
                return Err(Error::Corrupt { path: self.path().to_owned(), block, message });
            }
        }
        Ok(())
    }

    /// One record, by its number. Slow; for keys longer than the index holds.
    pub fn record(&self, number: u64) -> Result<Vec<u8>> {
        let length = self.geometry.record_length as usize;
        self.read(DATA_START + number * length as u64, length)
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>> {
        read_bytes(&self.file, offset, length)
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
    Window::new(file, length.min(WINDOW_MAX))?
        .scan(offset..offset + length as u64, |bytes| out.extend_from_slice(bytes))?;
    Ok(out)
}
