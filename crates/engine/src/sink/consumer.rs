//! Handing the sorted records of tasks to a part of the program.
//!
//! Each worker hands the bytes of its task to a [`ConsumeTask`] of its own. A buffer of the lane
//! lies between them, so that the bytes of a task come in pieces of a buffer's length.

use super::{Lane, Writer, ends_at};
use crate::error::Result;
use crate::io::{ConsumeTask, Region, SharedConsumer};

/// Hands one task's bytes to a consumer.
pub struct ConsumerWriter<'a, 'p> {
    /// `None` once it has ended.
    task: Option<Box<dyn ConsumeTask + 'a>>,
    lane: &'a mut Lane<'p>,
    buffer: Option<Region>,
    /// Offset at which the task begins.
    offset: u64,
    /// Offset of the buffer's first byte.
    start: u64,
    filled: usize,
    capacity: usize,
}

impl<'a, 'p> ConsumerWriter<'a, 'p> {
    /// Returns a writer that begins at byte `offset` of the sorted records.
    ///
    /// # Errors
    ///
    /// Those of writes that end while this waits for a buffer.
    pub fn new(consumer: &'a SharedConsumer, lane: &'a mut Lane<'p>, offset: u64) -> Result<Self> {
        let (buffer, capacity) = (Some(lane.take_buffer()?), lane.capacity());
        let task = Some(consumer.0.begin(offset));
        Ok(Self { task, lane, buffer, offset, start: offset, filled: 0, capacity })
    }

    /// Hands over what is left. `end` is where the task was to end.
    ///
    /// # Errors
    ///
    /// Those of the consumer, and [`Error::Changed`](crate::Error::Changed) where it ends
    /// elsewhere.
    pub fn finish(mut self, end: u64) -> Result<()> {
        ends_at(end, self.start + self.filled as u64, self.offset)?;
        self.hand_over()?;
        self.task.take().map_or(Ok(()), ConsumeTask::finish)
    }

    fn hand_over(&mut self) -> Result<()> {
        if let (Some(task), Some(buffer)) = (&mut self.task, &self.buffer) {
            task.take(&buffer[..self.filled])?;
            self.lane.count_streamed(0, self.filled as u64);
        }
        self.start += self.filled as u64;
        self.filled = 0;
        Ok(())
    }
}

impl Drop for ConsumerWriter<'_, '_> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.lane.give_back(buffer);
        }
    }
}

impl Writer for ConsumerWriter<'_, '_> {
    fn room(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Some(buffer) => &mut buffer[self.filled..],
            None => &mut [],
        }
    }

    fn commit(&mut self, bytes: usize) -> Result<()> {
        self.filled += bytes;
        if self.filled >= self.capacity { self.hand_over() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
