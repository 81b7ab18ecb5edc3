//! Standard input as a source of records: in order, of a length nobody knows beforehand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memchr::memchr_iter;

use crate::error::{Error, Result};
use crate::format::{Framing, Tracker};
use crate::io::{Extent, pipe};
use crate::stats::Progress;

/// One or more streams, read one after the other as if they were one.
#[derive(Debug)]
pub struct Stream {
    /// The stream being read, and those after it.
    readers: VecDeque<pipe::Reader>,
    /// How much all of them bring, where each says so and it is of use.
    extent: Option<Extent>,
    framing: Framing,
    /// Lines at the top of each stream that are left out.
    header_lines: u64,
    /// Those of the first one.
    header: Option<Vec<u8>>,
    /// Bytes that were read behind a header and that nobody has had yet.
    pending: VecDeque<u8>,
    /// Whether the stream being read is past its header.
    is_past_header: bool,
    /// How far its records are.
    tracker: Tracker,
    /// The stream read last, and how many of its bytes were passed on.
    ended: (PathBuf, u64),
}

/// Bytes read at a time while a header is looked for.
const HEADER_STEP: usize = 4096;

/// Most bytes of a header: it is held in memory besides everything that was planned.
pub const HEADER_MAX: usize = 1 << 20;

/// The error for a header that is longer.
pub fn header_too_long(path: &Path) -> Error {
    let message = format!(
        "the header lines have more than {HEADER_MAX} bytes; are there as many, and is the format \
         right?"
    );
    Error::Malformed { path: path.to_owned(), message }
}

impl Stream {
    /// Streams at their beginnings.
    pub fn new(
        readers: impl IntoIterator<Item = pipe::Reader>,
        framing: Framing,
        header_lines: u64,
    ) -> Self {
        let readers: VecDeque<pipe::Reader> = readers.into_iter().collect();
        let none = Extent { bytes: 0, records: 0 };
        let extent = readers.iter().try_fold(none, |sum, reader| {
            let Extent { bytes, records } = reader.extent()?;
            Some(Extent { bytes: sum.bytes + bytes, records: sum.records + records })
        });
        // A load of records of fixed length is full with the last of them, before the end is seen.
        let extent = extent.filter(|_| framing.fixed_length().is_none());
        Self {
            readers,
            extent,
            framing,
            header_lines,
            header: None,
            pending: VecDeque::new(),
            is_past_header: header_lines == 0,
            tracker: Tracker::new(framing),
            ended: (PathBuf::new(), 0),
        }
    }

    /// How much all of them bring, where each says so and it is of use: for lines.
    pub fn extent(&self) -> Option<Extent> {
        self.extent
    }

    /// Whether the end of the last one has been seen.
    pub fn is_at_end(&self) -> bool {
        self.readers.is_empty()
    }

    /// The lines at the top of the first one, once it has been read.
    pub fn header(&self) -> &[u8] {
        self.header.as_deref().unwrap_or_default()
    }

    /// The stream being read, or the last if all have ended, and how many of its bytes were passed
    /// on, its header included.
    pub fn place(&self) -> (PathBuf, u64) {
        match self.readers.front() {
            Some(reader) => (reader.name().to_owned(), reader.bytes() - self.pending.len() as u64),
            None => self.ended.clone(),
        }
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
        while filled < buffer.len() && !self.readers.is_empty() {
            if !self.is_past_header {
                self.pass_header(progress)?;
            }
            let pending = self.pending.len().min(buffer.len() - filled);
            for (to, byte) in buffer[filled..].iter_mut().zip(self.pending.drain(..pending)) {
                *to = byte;
            }
            let Some(reader) = self.readers.front_mut() else { break };
            let read = pending + reader.fill(&mut buffer[filled + pending..], progress)?;
            filled += read;
            self.tracker.pass(&buffer[filled - read..filled]).map_err(|fault| {
                let place = reader.bytes() - (self.pending.len() + read - fault.at) as u64;
                malformed(reader, &format!("the record at byte {place}: {}", fault.message))
            })?;
            if filled == buffer.len() {
                break;
            }
            if let Framing::Fixed(length) = self.framing {
                check_end(reader, length as u64)?;
            }
            let ended = self.tracker.pass_end();
            let lacks_end = ended.map_err(|message| malformed(reader, &message))?;
            if let Some(end) = self.framing.terminator().filter(|_| lacks_end) {
                buffer[filled] = end;
                filled += 1;
            }
            self.ended = (reader.name().to_owned(), reader.bytes());
            self.readers.pop_front();
            self.is_past_header = self.header_lines == 0;
            self.tracker = Tracker::new(self.framing);
        }
        Ok((filled, begun.elapsed()))
    }

    /// Reads the header of the stream that is being read; of the first one, it is kept.
    fn pass_header(&mut self, progress: &Progress) -> Result<()> {
        self.is_past_header = true;
        let (Framing::Terminated(end), Some(reader)) = (self.framing, self.readers.front_mut())
        else {
            return Ok(());
        };
        let mut read = Vec::new();
        let (mut lines, mut searched) = (0, 0);
        let header = loop {
            let ends = memchr_iter(end, &read[searched..]);
            let wanted = (self.header_lines - lines) as usize;
            let mut found = 0;
            let at = ends.inspect(|_| found += 1).nth(wanted - 1);
            if let Some(at) = at {
                break searched + at + 1;
            }
            (lines, searched) = (lines + found, read.len());
            if searched > HEADER_MAX {
                return Err(header_too_long(reader.name()));
            }
            read.resize(searched + HEADER_STEP, 0);
            let more = reader.fill(&mut read[searched..], progress)?;
            read.truncate(searched + more);
            if more == 0 {
                if read.last().is_some_and(|last| *last != end) {
                    read.push(end);
                }
                break read.len();
            }
        };
        self.pending.extend(read.drain(header..));
        self.header.get_or_insert(read);
        Ok(())
    }
}

fn malformed(reader: &pipe::Reader, message: &str) -> Error {
    Error::Malformed { path: reader.name().to_owned(), message: message.to_owned() }
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
