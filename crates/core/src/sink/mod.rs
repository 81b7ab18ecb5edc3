//! Sinks: files that several workers write at once, each at places of its own.
//!
//! In a sort everybody knows where his records belong before he has them: bucket sizes, or
//! positions in runs, give every task its offset. What is left is that disks want large, aligned
//! blocks and tasks end anywhere. A [`FileWriter`] fills one aligned buffer after another; a
//! *granule* (the unit of alignment: a page of an output, a checksummed block of a run) that two
//! tasks share is put together in the sink and written by whoever brings its last byte:
//!
//! ```text
//!   task 0                 task 1                      task 2
//!   |######|######|###     :  |###|######|######|#     :
//!   |      |      |  granule 2   |      |      | granule 5
//!                    \_ edge _/                    \_ edge
//! ```
//!
//! [`Lane`] is what a worker moves bytes with: its queue and its buffers. [`Writer`] is all a
//! producer of records needs to see. A stream (`stream`) takes tasks in order instead.

mod file;
mod lane;
mod stream;

pub use file::{FileSink, FileWriter};
pub use lane::{Lane, LaneCounters};
pub use stream::{StreamSink, StreamWriter};

use crate::error::Result;

/// Takes the bytes of one task, in order.
pub trait Writer {
    /// Free space to put bytes into: at least as much as the longest record takes.
    fn room(&mut self) -> &mut [u8];

    /// The first `bytes` of [`room`](Self::room) have been filled. May wait for a free buffer.
    fn commit(&mut self, bytes: usize) -> Result<()>;

    /// Writes all of `bytes`, of any length.
    fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = self.room();
            let (now, later) = bytes.split_at(bytes.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            self.commit(now.len())?;
            bytes = later;
        }
        Ok(())
    }
}

/// Where a stage's bytes go.
#[derive(Debug)]
pub enum Sink {
    /// A file, in any order.
    File(FileSink),
    /// A stream, in order.
    Stream(StreamSink),
}

impl Sink {
    /// Asserts that all tasks have brought what they promised.
    pub fn assert_whole(&self) {
        if let Self::File(sink) = self {
            sink.assert_whole();
        }
    }

    /// Lets `produce` write the task that begins at byte `offset` and has `bytes` bytes.
    pub fn write(
        &self,
        lane: &mut Lane<'_>,
        offset: u64,
        bytes: u64,
        produce: impl FnOnce(&mut dyn Writer) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::File(sink) => {
                let mut writer = FileWriter::new(sink, lane, offset)?;
                produce(&mut writer)?;
                writer.finish(offset + bytes)
            }
            Self::Stream(sink) => {
                let mut writer = StreamWriter::new(sink, lane, offset)?;
                produce(&mut writer)?;
                writer.finish(offset + bytes)
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
