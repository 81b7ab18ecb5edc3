//! A stream written by many workers, one task after the other.
//!
//! Tasks are claimed in order, so that the one whose turn it is always belongs to a worker that is
//! busy with it; the others fill a buffer ahead and wait for their turn. A task that is given up,
//! by an error or a panic, ends the stream: what comes after it has no place any more, and nobody
//! waits for it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::blocks::BlocksAhead;
use super::{Lane, Writer, ends_at};
use crate::error::{Error, Result};
use crate::io::pipe::Inlet;
use crate::io::{Region, pipe};
use crate::stats::Stream;

mod blocks;

/// Interval at which a waiting worker checks for a stop of the job.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A stream, open for writing.
#[derive(Debug)]
pub struct StreamSink {
    state: Mutex<StreamSinkState>,
    /// Notified whenever the state has changed.
    turn: Condvar,
    /// The part of the program that takes the stream in blocks, if one does.
    inlet: Option<Arc<dyn Inlet>>,
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
        let (inlet, turn) = (stream.block_inlet(), Condvar::new());
        Self { state: Mutex::new(StreamSinkState { stream, is_failed: false }), turn, inlet }
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
    /// Blocks that are filled in place of the buffer, where the stream is taken in blocks.
    blocks: Option<BlocksAhead>,
    /// Offset at which the task begins.
    offset: u64,
    /// Offset in the stream of the first byte that waits for its turn.
    start: u64,
    /// Bytes that wait.
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
        let mut buffer = lane.take_buffer().inspect_err(|_| sink.fail())?;
        let capacity = lane.capacity();
        let slack = buffer.len() - capacity;
        let inlet = sink.inlet.as_ref();
        let blocks = inlet.and_then(|inlet| BlocksAhead::within(capacity, slack, inlet));
        if blocks.is_some() {
            buffer.release(); // the blocks have its share of the memory
        }
        let (buffer, start, filled) = (Some(buffer), offset, 0);
        Ok(Self { sink, lane, buffer, blocks, offset, start, filled, capacity, is_whole: false })
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

    /// Waits for the turn of what was filled and writes it.
    fn write_out(&mut self) -> Result<()> {
        if self.filled == 0 {
            return Ok(()); // and others may be past this place already
        }
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
        match (&mut self.blocks, &self.buffer) {
            (Some(blocks), _) => blocks.write_out(progress)?,
            (None, Some(buffer)) => state.stream.write_all(&buffer[..self.filled], progress)?,
            (None, None) => {}
        }
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
        match (&mut self.blocks, &mut self.buffer) {
            (Some(blocks), _) => blocks.room(),
            (None, Some(buffer)) => &mut buffer[self.filled..],
            (None, None) => &mut [],
        }
    }

    fn commit(&mut self, bytes: usize) -> Result<()> {
        self.filled += bytes;
        let is_full = match &mut self.blocks {
            Some(blocks) => blocks.commit(bytes),
            None => self.filled >= self.capacity,
        };
        if is_full { self.write_out() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
