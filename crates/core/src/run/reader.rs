//! Opening a run again. Every byte read back is checked before it is believed.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use super::index::Index;
use super::layout::{BLOCK, DATA_START, FOOTER, Footer, Geometry, HEADER};
use crate::error::{Error, Result};
use crate::io::{Arena, Direct, Engine, File, Operation, Region, Request};
use crate::units::ByteSize;

/// Bytes of the window that tables are read through.
const WINDOW: usize = 64 << 10;

/// A run open for reading.
#[derive(Debug)]
pub struct RunReader {
    file: Arc<File>,
    geometry: Geometry,
}

impl RunReader {
    /// Opens a run and checks that header, footer and size belong together.
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
        let reader = Self { file, geometry };
        reader.footer()?;
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
    pub fn footer(&self) -> Result<Footer> {
        let bytes = read_array::<FOOTER>(&self.file, self.file.len() - FOOTER as u64)?;
        Footer::read(self.path(), &bytes, &self.geometry)
    }

    /// Every `every`-th key of the index.
    pub fn index(&self, every: usize) -> Result<Index> {
        let keys = self.read(self.geometry.index_start(), self.geometry.index_bytes() as usize)?;
        if xxh3_64(&keys) != self.footer()?.index_sum {
            let message = "the index's checksum does not match".to_owned();
            return Err(Error::Corrupt { path: self.path().to_owned(), block: 0, message });
        }
        Ok(Index::new(&self.geometry, &keys, every))
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
    let mut queue = Engine::Sync.queue(1)?;
    let mut window: Region = Arena::new(ByteSize(length.clamp(1, WINDOW) as u64))?;
    let mut out = Vec::with_capacity(length);
    while out.len() < length {
        let wanted = window.len().min(length - out.len());
        let offset = offset + out.len() as u64;
        let (operation, file) = (Operation::Read, Arc::clone(file));
        let range = 0..wanted;
        queue.submit(Request { operation, file, offset, region: window, range, tag: 0 })?;
        let Some(done) = queue.wait()? else { break };
        window = done.request.region;
        if done.result? < wanted {
            let message = format!("the file ends before offset {}", offset + wanted as u64);
            let path = done.request.file.path().to_owned();
            return Err(Error::Corrupt { path, block: 0, message });
        }
        out.extend_from_slice(&window[..wanted]);
    }
    Ok(out)
}
