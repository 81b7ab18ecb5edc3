//! A small window on a run file: the tables after the data are read through it, piece by piece.
//!
//! Tables grow with the input, memory does not, so that nothing here holds more than its window.
//! Bytes come as they lie in the file; whether to believe them is for the reader above to say.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::io::{Arena, Direction, Engine, File, Queue, Region, Request};
use crate::units::ByteSize;

/// Most bytes of a window. Larger ones would save no time: tables are a small part of a run, and
/// the kernel reads ahead in them.
pub const WINDOW_MAX: usize = 64 << 10;

/// Bytes of one file, a piece at a time.
pub struct FileWindow {
    file: Arc<File>,
    queue: Box<dyn Queue>,
    /// Memory whose first `filled` bytes are those that were asked for last.
    region: Region,
    filled: usize,
}

impl FileWindow {
    /// Returns a window of `bytes` bytes, at most [`WINDOW_MAX`], that shows nothing yet.
    pub fn new(file: &Arc<File>, bytes: usize) -> Result<Self> {
        let region = Arena::new(ByteSize(bytes.clamp(1, WINDOW_MAX) as u64))?;
        Ok(Self { file: Arc::clone(file), queue: Engine::Sync.queue(1)?, region, filled: 0 })
    }

    /// Returns the bytes it shows.
    pub fn bytes(&self) -> &[u8] {
        &self.region[..self.filled]
    }

    /// Shows as many bytes of `place` as fit, from its start on.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Corrupt`] where the file ends before them.
    pub fn show(&mut self, place: &Range<u64>) -> Result<()> {
        self.filled = 0;
        let offset = place.start;
        let wanted = self.region.len().min((place.end - offset) as usize);
        // The region goes with the request; an empty one keeps its place.
        let region = self.region.split_off(0);
        let (operation, file) = (Direction::Read, Arc::clone(&self.file));
        self.queue.submit(Request { operation, file, offset, region, range: 0..wanted, tag: 0 })?;
        let Some(done) = self.queue.wait()? else { unreachable!("a request is in flight") };
        self.region = done.request.region;
        if done.result? < wanted {
            let message = format!("the file ends before offset {}", offset + wanted as u64);
            return Err(Error::corrupt(self.file.path(), 0, message));
        }
        self.filled = wanted;
        Ok(())
    }

    /// Shows all of `place` to `each`, one window after the other.
    pub fn scan(&mut self, mut place: Range<u64>, mut each: impl FnMut(&[u8])) -> Result<()> {
        while !place.is_empty() {
            self.show(&place)?;
            each(self.bytes());
            place.start += self.filled as u64;
        }
        Ok(())
    }
}
