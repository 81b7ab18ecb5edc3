//! Sinks: files that several workers write at once, each at places of its own.
//!
//! In a sort the offset of each task is known before its records are: it follows from the sizes of
//! buckets, or from positions in runs. But disks want large, aligned blocks, and tasks end
//! anywhere. A [`FileWriter`] fills one aligned buffer after another. A *granule* is the unit of
//! alignment: a page of an output, a checksummed block of a run. If two tasks share one, it is put
//! together in the sink, and written by the task that brings its last byte:
//!
//! ```text
//!   task 0                 task 1                      task 2
//!   |######|######|###     :  |###|######|######|#     :
//!   |      |      |  granule 2   |      |      | granule 5
//!                    \_ edge _/                    \_ edge
//! ```
//!
//! [`Lane`] is what a worker moves bytes with: its queue and its buffers. [`Writer`] is all a
//! producer of records needs to see. A stream (`stream`) takes tasks in order instead, and a part
//! of the program (`consumer`) takes each by itself.

mod consumer;
mod file;
mod lane;
mod stream;

pub use consumer::ConsumerWriter;
pub use file::{FileSink, FileWriter};
pub use lane::{Lane, LaneCounters, count};
pub use stream::{StreamSink, StreamWriter};

use crate::error::{Error, Result};
use crate::io::SharedConsumer;

/// The length of a sink whose data ends nobody knows where yet.
pub const OPEN_LENGTH: u64 = i64::MAX as u64;

/// Takes the bytes of one task, in order.
pub trait Writer {
    /// Returns free space to put bytes into: at least one byte, and no less than the slack after
    /// the lane's buffers.
    fn room(&mut self) -> &mut [u8];

    /// Notes that the first `bytes` of [`room`](Self::room) have been filled. May wait for a free
    /// buffer.
    fn commit(&mut self, bytes: usize) -> Result<()>;

    /// Takes `bytes`, however many: for records that may be longer than [`room`](Self::room).
    fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = self.room();
            let now = room.len().min(bytes.len());
            room[..now].copy_from_slice(&bytes[..now]);
            self.commit(now)?;
            bytes = &bytes[now..];
        }
        Ok(())
    }
}

/// A granule on its way to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenGranule {
    /// XXH3-64 of the granule, of the last one with the zeros it is padded with.
    pub checksum: u64,
    /// Offset in the file at which it is stored.
    pub offset: u64,
    /// Bytes that it takes there.
    pub length: u32,
}

/// Receiver of the checksums of a file's granules, from the workers that write them.
pub trait GranuleSums: std::fmt::Debug + Send + Sync {
    /// Granules from number `first` on are being written. `lane` may be written to.
    fn granules_written(
        &self,
        lane: &mut Lane<'_>,
        first: u64,
        granules: &[WrittenGranule],
    ) -> Result<()>;

    /// Packs the granules in `bytes`, in place, and sets where each is stored. Returns the offset
    /// in the file and the number of bytes to write there, which are whole pages. Returns `None`
    /// if granules are stored as they are.
    fn pack(&self, bytes: &mut [u8], granules: &mut [WrittenGranule]) -> Option<(u64, usize)> {
        let _ = (bytes, granules);
        None
    }
}

/// Destination of a stage's bytes.
#[derive(Debug)]
pub enum Sink {
    /// A file, in any order.
    File(FileSink),
    /// A stream, in order.
    Stream(StreamSink),
    /// A part of the program, each task by itself.
    Consumer(SharedConsumer),
}

impl Sink {
    /// Asserts that all tasks have brought what they promised.
    pub fn assert_whole(&self) {
        if let Self::File(sink) = self {
            sink.assert_whole();
        }
    }

    /// Lets `produce` write from byte `offset` on, and say in the end how many bytes that was. Of a
    /// file for which nobody knows how much will come, the last granule waits for more,
    /// or to be [sealed](Self::seal).
    pub fn write_from(
        &self,
        lane: &mut Lane<'_>,
        offset: u64,
        produce: impl FnOnce(&mut dyn Writer) -> Result<u64>,
    ) -> Result<u64> {
        match self {
            Self::File(sink) => {
                let mut writer = FileWriter::new(sink, lane, offset)?;
                let bytes = produce(&mut writer)?;
                writer.finish(offset + bytes).map(|()| bytes)
            }
            Self::Stream(sink) => {
                let mut writer = StreamWriter::new(sink, lane, offset)?;
                let bytes = produce(&mut writer)?;
                writer.finish(offset + bytes).map(|()| bytes)
            }
            Self::Consumer(consumer) => {
                let mut writer = ConsumerWriter::new(consumer, lane, offset)?;
                let bytes = produce(&mut writer)?;
                writer.finish(offset + bytes).map(|()| bytes)
            }
        }
    }

    /// Writes the last granule of a file, which turned out to have `length` bytes.
    pub fn seal(&self, lane: &mut Lane<'_>, length: u64) -> Result<()> {
        match self {
            Self::File(sink) => sink.seal(lane, length),
            Self::Stream(_) | Self::Consumer(_) => Ok(()),
        }
    }

    /// Lets `produce` write the task that begins at byte `offset` and has `bytes` bytes.
    ///
    /// # Errors
    ///
    /// The errors of `produce` and of writing, and [`Error::Changed`] where it brings another
    /// number.
    pub fn write(
        &self,
        lane: &mut Lane<'_>,
        offset: u64,
        bytes: u64,
        produce: impl FnOnce(&mut dyn Writer) -> Result<()>,
    ) -> Result<()> {
        self.write_from(lane, offset, |writer| produce(writer).map(|()| bytes)).map(drop)
    }
}

/// Holds where a task ended against where it was to end, given its beginning. Tasks are cut by the
/// lengths that records had when they were read: others are those of records that have changed.
fn ends_at(expected: u64, found: u64, start: u64) -> Result<()> {
    let bytes = |end: u64| end.saturating_sub(start);
    let (expected, found) = (bytes(expected), bytes(found));
    if expected == found { Ok(()) } else { Err(Error::Changed { expected, found }) }
}

#[cfg(test)]
pub(crate) mod tests;
