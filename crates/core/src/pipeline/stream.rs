//! Standard input as a source of records: in order, of a length nobody knows beforehand.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::pipe;
use crate::stats::Progress;

/// One or more streams, read one after the other as if they were one.
#[derive(Debug)]
pub struct Stream {
    /// The stream being read, and those after it.
    readers: VecDeque<pipe::Reader>,
    framing: Framing,
    /// The last byte that was read.
    last: u8,
}

impl Stream {
    /// Streams at their beginnings.
    pub fn new(readers: impl IntoIterator<Item = pipe::Reader>, framing: Framing) -> Self {
        Self { readers: readers.into_iter().collect(), framing, last: 0 }
    }

    /// Whether the end of the last one has been seen.
    pub fn is_at_end(&self) -> bool {
        self.readers.is_empty()
    }

    /// Reads until `buffer` is full or the last stream ends; bytes read, and how long that took. A
    /// stream that lacks its last terminator gets it.
    ///
    /// # Errors
    ///
    /// What the system says, [`Error::Malformed`] for a stream that ends within a record, or
    /// [`Error::Interrupted`] when asked to stop through `progress`.
    pub fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<(usize, Duration)> {
        let begun = Instant::now();
        let mut filled = 0;
        while let Some(reader) = self.readers.front_mut() {
            let read = reader.fill(&mut buffer[filled..], progress)?;
            filled += read;
            if read > 0 {
                self.last = buffer[filled - 1];
            }
            if filled == buffer.len() {
                break;
            }
            match self.framing {
                Framing::Fixed(length) => check_end(reader, length as u64)?,
                Framing::Terminated(end) if reader.bytes() > 0 && self.last != end => {
                    (buffer[filled], self.last) = (end, end);
                    filled += 1;
                }
                Framing::Terminated(_) => {}
            }
            self.readers.pop_front();
        }
        Ok((filled, begun.elapsed()))
    }
}

/// Checks that a stream ended where a record does.
fn check_end(reader: &pipe::Reader, record_length: u64) -> Result<()> {
    let bytes = reader.bytes();
    let excess = bytes % record_length;
    if excess == 0 {
        return Ok(());
    }
    Err(Error::Malformed {
        path: reader.name().to_owned(),
        message: format!(
            "ends in the middle of record {}: {bytes} bytes are not a multiple of the record \
             length {record_length} ({excess} left over)",
            bytes / record_length
        ),
    })
}
