//! Lane of one worker: its queue, its buffers, and an account of its waiting.
//!
//! Reads and writes share the queue. A worker that waits for a free buffer may be handed a finished
//! read instead; the lane keeps it until the worker asks for it, so that no completion is ever lost
//! and a producer need not know that reading continues.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::io::{Completion, Direction, File, Queue, Region, Request};
use crate::stats::{Progress, Requests, Stream, Waits};
use crate::units::ByteSize;

/// Counters of what a lane has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneCounters {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Requests for the bytes read.
    pub reads: Requests,
    /// Requests for the bytes written.
    pub writes: Requests,
    /// Time blocked on I/O.
    pub waited: Waits,
    /// Time in which output buffers were handed to the system.
    pub writing: Duration,
}

impl LaneCounters {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            bytes_read: self.bytes_read + other.bytes_read,
            bytes_written: self.bytes_written + other.bytes_written,
            reads: self.reads.plus(other.reads),
            writes: self.writes.plus(other.writes),
            waited: self.waited.plus(other.waited),
            writing: self.writing + other.writing,
        }
    }

    /// Returns the time in which its worker did nothing else.
    pub fn counted(&self) -> Duration {
        self.waited.total() + self.writing
    }

    /// Returns what was done since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            bytes_read: self.bytes_read - earlier.bytes_read,
            bytes_written: self.bytes_written - earlier.bytes_written,
            reads: self.reads.since(earlier.reads),
            writes: self.writes.since(earlier.writes),
            waited: self.waited.since(earlier.waited),
            writing: self.writing - earlier.writing,
        }
    }
}

/// Counts a request that begins, with `in_flight` requests in flight, itself included.
pub fn count(requests: &mut Requests, request: &Request, in_flight: usize) {
    let Request { operation, file, offset, region, range, .. } = request;
    let address = region.address() + range.start;
    let cached = file.cached_bytes(address, *offset, range.len());
    // A read may go beyond the end of the file.
    let cached = match operation {
        Direction::Read => cached.min(file.len().saturating_sub(*offset) as usize),
        Direction::Write => cached,
    };
    *requests = requests.plus(Requests {
        count: 1,
        cached_bytes: ByteSize(cached as u64),
        in_flight: in_flight as u64,
    });
}

/// A worker's means of moving bytes.
pub struct Lane<'p> {
    progress: &'p Progress,
    queue: Box<dyn Queue>,
    /// Output buffers not in use, each of `buffer_bytes`.
    free: Vec<Region>,
    /// Buffers for edges, each of one granule of the largest kind.
    free_edges: Vec<Region>,
    buffer_bytes: usize,
    /// Bytes of an output buffer to fill; what is beyond is for the record that fills it.
    capacity: usize,
    /// Reads that have ended and that nobody has asked for yet.
    arrived: VecDeque<Completion>,
    reads_in_flight: usize,
    /// True if the worker waits for each of its requests.
    waits: bool,
    counters: LaneCounters,
}

impl<'p> Lane<'p> {
    /// Returns a lane over `queue`, with output buffers of one size, to be filled up to `capacity`,
    /// and edge buffers of another size.
    pub fn new(
        queue: Box<dyn Queue>,
        buffers: Vec<Region>,
        edges: Vec<Region>,
        capacity: usize,
        progress: &'p Progress,
    ) -> Self {
        assert!(!buffers.is_empty() && !edges.is_empty());
        Self {
            progress,
            queue,
            buffer_bytes: buffers[0].len(),
            free: buffers,
            free_edges: edges,
            capacity,
            arrived: VecDeque::new(),
            reads_in_flight: 0,
            waits: false,
            counters: LaneCounters::default(),
        }
    }

    /// Returns the lane with requests that are over when they have been begun, if `waits`.
    #[must_use]
    pub fn waiting(self, waits: bool) -> Self {
        Self { waits, ..self }
    }

    /// Returns the counters of this lane so far.
    pub fn counters(&self) -> LaneCounters {
        self.counters
    }

    /// Returns the job's progress.
    pub fn progress(&self) -> &'p Progress {
        self.progress
    }

    /// Returns the engine's name.
    pub fn engine(&self) -> &'static str {
        self.queue.name()
    }

    /// Returns the bytes of an output buffer to fill before it is written; the longest record fits
    /// after them.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Reads begun and not yet handed out by [`next_arrival`](Self::next_arrival).
    pub fn reads_pending(&self) -> usize {
        self.reads_in_flight + self.arrived.len()
    }

    /// Starts a read.
    pub fn read(&mut self, request: Request) -> Result<()> {
        assert_eq!(request.operation, Direction::Read);
        self.reads_in_flight += 1;
        self.progress.read_begins();
        count(&mut self.counters.reads, &request, self.reads_in_flight);
        self.queue.submit(request)?;
        while self.waits && self.reads_in_flight > 0 {
            self.wait()?;
        }
        Ok(())
    }

    /// Returns a read that has ended, without waiting.
    pub fn next_arrival(&mut self) -> Result<Option<Completion>> {
        while self.arrived.is_empty() {
            match self.queue.poll()? {
                Some(completion) => self.take_in(completion)?,
                None => break,
            }
        }
        Ok(self.arrived.pop_front())
    }

    /// Takes in the requests that have ended, without waiting.
    ///
    /// # Errors
    ///
    /// The error of a write.
    pub fn look(&mut self) -> Result<()> {
        while let Some(completion) = self.queue.poll()? {
            self.take_in(completion)?;
        }
        Ok(())
    }

    /// Waits until any one request has ended: for the sake of a read where one is in flight, and
    /// of a buffer that is being written otherwise.
    pub fn wait(&mut self) -> Result<()> {
        if self.reads_in_flight == 0 {
            return self.wait_for_write();
        }
        self.wait_for(Stream::read_in(self.progress.phase()))
    }

    /// Waits until any one request has ended, and counts the time as waiting for a write.
    fn wait_for_write(&mut self) -> Result<()> {
        self.wait_for(Stream::written_in(self.progress.phase()))
    }

    fn wait_for(&mut self, stream: Stream) -> Result<()> {
        let start = Instant::now();
        let completion = self.queue.wait()?;
        self.count_waiting(stream, start.elapsed());
        match completion {
            Some(completion) => self.take_in(completion),
            None => Ok(()),
        }
    }

    /// Adds time a worker was blocked on a stream.
    pub fn count_waiting(&mut self, stream: Stream, waited: Duration) {
        self.progress.waited_for(stream, waited);
        self.counters.waited.add(stream, waited);
    }

    /// Adds what others have moved and waited for in this worker's place.
    pub fn count(&mut self, more: LaneCounters) {
        self.counters = self.counters.plus(more);
    }

    /// Gives the memory of buffers in no use back to the system until they are written to again.
    pub fn release(&mut self) {
        self.free.iter_mut().chain(&mut self.free_edges).for_each(Region::release);
    }

    /// Adds bytes that came from or went to a stream.
    pub fn count_streamed(&mut self, bytes_read: u64, bytes_written: u64) {
        self.progress.read(bytes_read);
        self.progress.written(bytes_written);
        self.counters.bytes_read += bytes_read;
        self.counters.bytes_written += bytes_written;
    }

    /// Returns whether an output buffer can be had without waiting.
    pub fn has_buffer(&self) -> bool {
        !self.free.is_empty()
    }

    /// Returns a free output buffer. Waits for a write to end if there is no free one.
    pub fn take_buffer(&mut self) -> Result<Region> {
        loop {
            if let Some(buffer) = self.free.pop() {
                return Ok(buffer);
            }
            assert!(self.queue.in_flight() > 0, "a buffer is free or being written");
            self.wait_for_write()?;
        }
    }

    /// Returns a free edge buffer. Waits for a write to end if there is no free one.
    pub fn take_edge(&mut self) -> Result<Region> {
        loop {
            if let Some(buffer) = self.free_edges.pop() {
                return Ok(buffer);
            }
            assert!(self.queue.in_flight() > 0, "an edge buffer is free or being written");
            self.wait_for_write()?;
        }
    }

    /// Gives a buffer back unwritten.
    pub fn give_back(&mut self, buffer: Region) {
        if buffer.len() == self.buffer_bytes {
            self.free.push(buffer);
        } else {
            self.free_edges.push(buffer);
        }
    }

    /// Starts a write of `range` of a buffer; the buffer is free again when it has ended.
    pub fn write(
        &mut self,
        file: &Arc<File>,
        offset: u64,
        region: Region,
        range: Range<usize>,
    ) -> Result<()> {
        if let Some(share) = file.share()
            && let Err(e) = share.write_begins(offset + range.len() as u64)
        {
            self.give_back(region);
            return Err(e);
        }
        let (operation, of) = (Direction::Write, Arc::clone(file));
        let request = Request { operation, file: of, offset, region, range, tag: 0 };
        let in_flight = self.queue.in_flight() - self.reads_in_flight + 1;
        count(&mut self.counters.writes, &request, in_flight);
        self.progress.write_begins();
        let begun = Instant::now();
        let submitted = self.queue.submit(request);
        self.counters.writing += begun.elapsed();
        if let (Err(_), Some(share)) = (&submitted, file.share()) {
            share.write_failed();
        }
        submitted?;
        while self.waits && self.queue.in_flight() > 0 {
            self.wait_for_write()?;
        }
        Ok(())
    }

    /// Waits until all writes have ended. No read may be in flight.
    pub fn flush(&mut self) -> Result<()> {
        assert_eq!(self.reads_pending(), 0);
        while self.queue.in_flight() > 0 {
            self.wait_for_write()?;
        }
        Ok(())
    }

    fn take_in(&mut self, completion: Completion) -> Result<()> {
        match completion.request.operation {
            Direction::Read => {
                self.reads_in_flight -= 1;
                let stream = Stream::read_in(self.progress.phase());
                self.progress.read_ends(stream, completion.took);
                if let Ok(bytes) = completion.result {
                    self.counters.bytes_read += bytes as u64;
                    self.progress.read(bytes as u64);
                }
                self.arrived.push_back(completion);
            }
            Direction::Write => {
                if let Some(share) = completion.request.file.share() {
                    // Before this reference is dropped: whoever has the last one notes the file.
                    match &completion.result {
                        Ok(bytes) => share.write_ended(*bytes as u64),
                        Err(_) => share.write_failed(),
                    }
                }
                self.progress.write_ends(completion.took);
                self.give_back(completion.request.region);
                let bytes = completion.result? as u64;
                self.counters.bytes_written += bytes;
                self.progress.written(bytes);
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Lane<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane")
            .field("engine", &self.engine())
            .field("free", &self.free.len())
            .field("reads_pending", &self.reads_pending())
            .finish_non_exhaustive()
    }
}
