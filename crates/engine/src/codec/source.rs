//! The compressed bytes of an input: read in order, and looked at before they are taken.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Codec, ContentKind, skippable_advice};
use crate::error::{Error, Message, Result, Setting, message};
use crate::io::pipe;
use crate::stats::Progress;

/// Bytes read at a time: a tenth of a millisecond's worth of a fast disk, enough for any header.
pub const READ_BYTES: usize = 128 << 10;

/// An input's bytes as they lie in the file.
pub struct Compressed {
    /// Source of more bytes; `None` if the buffer has them all.
    reader: Option<pipe::PipeReader>,
    /// Stops reading when nobody wants the bytes any more.
    halt: Arc<Progress>,
    /// Count of the bytes that were read.
    counter: Arc<AtomicU64>,
    buffer: Vec<u8>,
    /// Part of the buffer that was read and not taken yet.
    unread: Range<usize>,
    /// Offset in the file of the first unread byte.
    offset: u64,
}

impl Compressed {
    /// Returns a stream at its beginning, read until `halt` requests a stop. At least the next
    /// `seen_bytes` can be looked at before they are taken.
    pub fn new(
        reader: pipe::PipeReader,
        seen_bytes: usize,
        halt: Arc<Progress>,
        counter: Arc<AtomicU64>,
    ) -> Self {
        let (buffer, unread) = (vec![0; READ_BYTES + seen_bytes], 0..0);
        Self { reader: Some(reader), halt, counter, buffer, unread, offset: 0 }
    }

    /// Returns a stream of these bytes.
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        let (halt, counter, unread) = (Arc::default(), Arc::default(), 0..bytes.len());
        Self { reader: None, halt, counter, buffer: bytes, unread, offset: 0 }
    }

    /// Returns the buffer: all bytes of a stream of bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    /// Returns the next bytes, of any number; empty at the end only.
    pub fn unread(&mut self) -> Result<&[u8]> {
        self.at_least(1)
    }

    /// Returns the next bytes: `bytes` or more, fewer at the end only.
    pub fn at_least(&mut self, bytes: usize) -> Result<&[u8]> {
        debug_assert!(self.reader.is_none() || bytes <= self.buffer.len());
        if self.unread.len() < bytes
            && let Some(reader) = &mut self.reader
        {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
            let read = reader.fill(&mut self.buffer[self.unread.end..], &self.halt)?;
            self.counter.fetch_add(read as u64, Ordering::Relaxed);
            self.unread.end += read;
        }
        Ok(&self.buffer[self.unread.clone()])
    }

    /// Returns the next `bytes` bytes. Returns `None` if there are fewer, or if so many cannot be
    /// looked at together.
    pub fn ahead(&mut self, bytes: usize) -> Result<Option<&[u8]>> {
        if bytes > self.buffer.len() {
            return Ok(None);
        }
        Ok(self.at_least(bytes)?.get(..bytes))
    }

    /// Returns as many of the next bytes as can be looked at together, and true if no byte follows.
    pub fn all_ahead(&mut self) -> Result<(&[u8], bool)> {
        let room = self.buffer.len();
        let seen = self.at_least(room)?;
        Ok((seen, seen.len() < room))
    }

    /// Takes `bytes` of the bytes that were looked at, and appends them to `taken`.
    pub fn take_into(&mut self, bytes: usize, taken: &mut Vec<u8>) {
        taken.extend_from_slice(&self.buffer[self.unread.start..self.unread.start + bytes]);
        self.take(bytes);
    }

    /// Puts bytes back that were taken last.
    pub fn put_back(&mut self, taken: &[u8]) {
        let rest = &self.buffer[self.unread.clone()];
        let mut buffer = Vec::with_capacity(taken.len() + self.buffer.len());
        buffer.extend_from_slice(taken);
        buffer.extend_from_slice(rest);
        self.unread = 0..buffer.len();
        buffer.resize(taken.len() + self.buffer.len(), 0);
        self.buffer = buffer;
        self.offset -= taken.len() as u64;
    }

    /// Takes `bytes` of the bytes that were looked at.
    pub fn take(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.unread.len());
        self.unread.start += bytes;
        self.offset += bytes as u64;
    }

    /// Takes as many bytes as `into` holds; fewer at the end only. Returns how many there were.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let unread = self.unread()?;
            let bytes = unread.len().min(into.len() - filled);
            if bytes == 0 {
                break;
            }
            into[filled..filled + bytes].copy_from_slice(&unread[..bytes]);
            self.take(bytes);
            filled += bytes;
        }
        Ok(filled)
    }

    /// Takes `bytes` bytes without looking at them, fewer at the end only. Returns their number.
    pub fn skip(&mut self, bytes: u64) -> Result<u64> {
        let mut left = bytes;
        while left > 0 {
            let there = self.unread()?.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if there == 0 {
                break;
            }
            self.take(there);
            left -= there as u64;
        }
        Ok(bytes - left)
    }

    /// Returns the offset in the file of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the input's name in messages.
    pub fn name(&self) -> &Path {
        self.reader.as_ref().map_or(Path::new(""), |reader| reader.name())
    }

    /// Returns the error that `message` is about this input.
    pub fn malformed(&self, message: impl Into<Message>) -> Error {
        Error::malformed(self.name(), message)
    }

    /// Returns the error for an input that ends within the `what` that begins at byte `start`.
    pub fn cut(&self, what: &str, start: u64) -> Error {
        let bytes = self.offset + self.unread.len() as u64;
        self.malformed(format!(
            "ends in the middle of a {what}: it begins at byte {start} of the compressed data, \
             which has {bytes}; check that the file is complete"
        ))
    }

    /// Returns the error for a `what`, from byte `start` on, that is damaged.
    pub fn damaged(&self, what: &str, start: u64, why: &str) -> Error {
        self.malformed(format!(
            "the {what} that begins at byte {start} of the compressed data is damaged: {why}"
        ))
    }

    /// Returns the error for bytes that are no `what` where one should begin.
    pub fn foreign(&self, codec: Codec, what: &str) -> Error {
        if self.unread.is_empty() {
            return self.malformed(message!(
                "is empty, but even empty data has a {}; if it is not compressed, use {}",
                what,
                Setting::Decompress.to("off"),
            ));
        }
        if self.offset == 0 {
            let what = match ContentKind::of(&self.buffer[self.unread.clone()]) {
                ContentKind::Packed(other) => {
                    message!("is {} data, as {} says", other.name(), Setting::Decompress.to(other))
                }
                ContentKind::Foreign(foreign) => foreign.advice(self.name()),
                ContentKind::Skippable => skippable_advice(),
                ContentKind::Plain => {
                    message!("if it is not compressed, use {}", Setting::Decompress.to("off"))
                }
            };
            return self.malformed(message!(
                "does not begin as {} data does; {}",
                codec.name(),
                what
            ));
        }
        self.malformed(format!(
            "at byte {} of the compressed data, after the last {what}, other data follows; remove \
             it if it does not belong there",
            self.offset
        ))
    }

    /// Returns the error for a codec that could not be set up.
    pub fn unready(codec: Codec) -> Error {
        Error::io("set up", Path::new(codec.name()), io::ErrorKind::OutOfMemory)
    }
}
