//! A file whose bytes are copied to memory through mappings, with advice that it is read in order.
//!
//! That is the second method of NOW-Sort's tool to fetch a buffer (Arpaci-Dusseau et al. 1997,
//! section 4.1.3). The system kept pages of the file, and left programs a tenth less memory.

use std::path::Path;
use std::sync::Arc;

use sortwell::unstable::io::{Direct, Direction, Engine, File, Queue, Region, Request};
use sortwell::{ConfigErrorKind, Error, Result};

/// Bytes that are mapped at a time.
const PIECE: usize = 1 << 20;

/// A file, and the place in it where the next memory is copied from.
pub struct MappedSource {
    file: Arc<File>,
    queue: Box<dyn Queue>,
    offset: u64,
}

impl MappedSource {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where it cannot be opened; [`Error::Config`] if it is empty.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open_read(path, Direct::Off)?;
        if file.len() == 0 {
            let message = format!("{} is empty; give a file with data", path.display());
            return Err(Error::config(ConfigErrorKind::InvalidValue, message));
        }
        Ok(Self { file, queue: Engine::Mmap.queue(1)?, offset: 0 })
    }

    /// Fills a region from where the last one ended, and again from the start behind the end.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the file cannot be read; [`Error::Config`] if it has become shorter.
    pub fn fill(&mut self, mut region: Region) -> Result<Region> {
        let mut filled = 0;
        while filled < region.len() {
            let rest = usize::try_from(self.file.len() - self.offset).unwrap_or(usize::MAX);
            let piece = PIECE.min(rest).min(region.len() - filled);
            let (operation, file) = (Direction::Read, Arc::clone(&self.file));
            let range = filled..filled + piece;
            let offset = self.offset;
            self.queue.submit(Request { operation, file, offset, region, range, tag: 0 })?;
            let Some(done) = self.queue.wait()? else { unreachable!("a request is under way") };
            if done.result? < piece {
                let message = format!("{} has become shorter", self.file.path().display());
                return Err(Error::config(ConfigErrorKind::InvalidValue, message));
            }
            region = done.request.region;
            filled += piece;
            self.offset = (self.offset + piece as u64) % self.file.len();
        }
        Ok(region)
    }
}
