//! A stream written by many workers, one task after the other.
//!
//! Tasks are claimed in order, so that the one whose turn it is always belongs to a worker that is
//! busy with it; the others fill a buffer ahead and wait for their turn. A task that is given up,
//! by an error or a panic, ends the stream: what comes after it has no place any more, and nobody
//! waits for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Lane, Writer, ends_at};
use crate::error::{Error, Result};
use crate::io::{Region, pipe};
use crate::stats::Stream;

/// Interval at which a waiting worker checks for a stop of the job.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A stream, open for writing.
#[derive(Debug)]
pub struct StreamSink {
    state: Mutex<StreamSinkState>,
    /// Notified whenever the state has changed.
    turn: Condvar,
}

#[derive(Debug)]
struct StreamSinkState {
    stream: pipe::PipeWriter,
    /// True if a task was given up: those after it never get their turn.
    is_failed: bool,
}

impl StreamSink {
    /// Returns a sink at the beginning of a stream.
    pub fn new(stream: pipe::PipeWriter) -> Self {
        Self {
            state: Mutex::new(StreamSinkState { stream, is_failed: false }),
            turn: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, StreamSinkState> {
        // A panic in a write leaves nothing half done but the stream, and that is failed then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the stream: wakes all workers that wait for a turn that will not come.
    fn fail(&self) {
        self.state().is_failed = true;
        self.turn.notify_all();
    }
}

/// Writes one task's bytes to a [`StreamSink`]. Dropped without [`finish`](Self::finish), it has
/// given its task up.
#[derive(Debug)]
pub struct StreamWriter<'a, 'p> {
    sink: &'a StreamSink,
    lane: &'a mut Lane<'p>,
    buffer: Option<Region>,
    /// Offset at which the task begins.
    offset: u64,
    /// Offset in the stream of the buffer's first byte.
    start: u64,
    filled: usize,
    capacity: usize,
    /// True if all of the task was written.
    is_whole: bool,
}

impl<'a, 'p> StreamWriter<'a, 'p> {
    /// Returns a writer that begins at byte `offset` of the stream.
    ///
    /// # Errors
    ///
    /// What ended a write that the buffer was waited for; the task counts as given up.
    pub fn new(sink: &'a StreamSink, lane: &'a mut Lane<'p>, offset: u64) -> Result<Self> {
        let buffer = Some(lane.take_buffer().inspect_err(|_| sink.fail())?);
        let capacity = lane.capacity();
        let start = offset;
        Ok(Self { sink, lane, buffer, offset, start, filled: 0, capacity, is_whole: false })
    }

    /// Writes what is left. `end` is where the task was to end.
    ///
    /// # Errors
    ///
    /// As for [`commit`](Writer::commit), and [`Error::Changed`] where it ends elsewhere.
    pub fn finish(mut self, end: u64) -> Result<()> {
        ends_at(end, self.start + self.filled as u64, self.offset)?;
        self.write_out()?;
        self.is_whole = true;
        Ok(())
    }

    /// Waits for this buffer's turn and writes it.
    fn write_out(&mut self) -> Result<()> {
        let Some(buffer) = self.buffer.as_ref().filter(|_| self.filled > 0) else {
            return Ok(()); // and others may be past this place already
        };
        let (begun, progress) = (Instant::now(), self.lane.progress());
        let mut state = self.sink.state();
        while !state.is_failed && state.stream.bytes() != self.start {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let waited = self.sink.turn.wait_timeout(state, STOP_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_failed {
            return Err(Error::Interrupted); // whoever failed says why
        }
        state.stream.write_all(&buffer[..self.filled], progress)?;
        drop(state);
        self.sink.turn.notify_all();
        self.lane.count_waiting(Stream::OutputWritten, begun.elapsed());
        self.lane.count_streamed(0, self.filled as u64);
        self.start += self.filled as u64;
        self.filled = 0;
        Ok(())
    }
}

impl Drop for StreamWriter<'_, '_> {
    fn drop(&mut self) {
        if !self.is_whole {
            self.sink.fail();
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

#[cfg(test)]
mod tests;
