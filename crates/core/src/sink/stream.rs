//! A stream written by many workers, one task after the other.
//!
//! Tasks are claimed in order, so that the one whose turn it is always belongs to a worker that is
//! busy with it; the others fill a buffer ahead and wait for their turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Lane, Writer};
use crate::error::{Error, Result};
use crate::io::{Region, pipe};

/// How often a waiting worker looks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A stream, open for writing.
#[derive(Debug)]
pub struct StreamSink {
    stream: Mutex<pipe::Writer>,
    turn: Condvar,
    /// Whether a task was given up: then those after it never get their turn.
    is_broken: AtomicBool,
}

impl StreamSink {
    /// A sink at the beginning of a stream.
    pub fn new(stream: pipe::Writer) -> Self {
        let (stream, turn) = (Mutex::new(stream), Condvar::new());
        Self { stream, turn, is_broken: AtomicBool::new(false) }
    }
}

/// Writes one task's bytes to a [`StreamSink`].
#[derive(Debug)]
pub struct StreamWriter<'a, 'p> {
    sink: &'a StreamSink,
    lane: &'a mut Lane<'p>,
    buffer: Option<Region>,
    /// Where in the stream the buffer's first byte belongs.
    start: u64,
    filled: usize,
    capacity: usize,
    /// Whether all of the task was written.
    is_whole: bool,
}

impl<'a, 'p> StreamWriter<'a, 'p> {
    /// A writer that begins at byte `offset` of the stream.
    pub fn new(sink: &'a StreamSink, lane: &'a mut Lane<'p>, offset: u64) -> Result<Self> {
        let buffer = Some(lane.take_buffer()?);
        let capacity = lane.capacity();
        Ok(Self { sink, lane, buffer, start: offset, filled: 0, capacity, is_whole: false })
    }

    /// Writes what is left. `end` is where the task was to end.
    pub fn finish(mut self, end: u64) -> Result<()> {
        assert_eq!(self.start + self.filled as u64, end, "a task fills its range");
        self.write_out()?;
        self.is_whole = true;
        Ok(())
    }

    /// Waits for this buffer's turn and writes it.
    fn write_out(&mut self) -> Result<()> {
        let Some(buffer) = self.buffer.as_ref().filter(|_| self.filled > 0) else {
            return Ok(()); // and others may be past this place already
        };
        let begun = Instant::now();
        let mut stream = self.sink.stream.lock().unwrap_or_else(PoisonError::into_inner);
        while stream.bytes() != self.start {
            let is_broken = self.sink.is_broken.load(Ordering::Relaxed);
            if is_broken || self.lane.progress().is_stopping() {
                return Err(Error::Interrupted);
            }
            let waited = self.sink.turn.wait_timeout(stream, STOP_CHECK);
            stream = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        stream.write_all(&buffer[..self.filled])?;
        drop(stream);
        self.sink.turn.notify_all();
        self.lane.count_waiting(begun.elapsed());
        self.lane.count_streamed(0, self.filled as u64);
        self.start += self.filled as u64;
        self.filled = 0;
        Ok(())
    }
}

impl Drop for StreamWriter<'_, '_> {
    fn drop(&mut self) {
        if !self.is_whole {
            self.sink.is_broken.store(true, Ordering::Relaxed);
            self.sink.turn.notify_all();
        }
        if let Some(buffer) = self.buffer.take() {
            self.lane.give_back(buffer);
        }
    }
}

impl Writer for StreamWriter<'_, '_> {
    fn room(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Some(buffer) => &mut buffer[self.filled..],
            None => &mut [],
        }
    }

    fn commit(&mut self, bytes: usize) -> Result<()> {
        self.filled += bytes;
        if self.filled >= self.capacity {
            self.write_out()?;
        }
        Ok(())
    }
}
