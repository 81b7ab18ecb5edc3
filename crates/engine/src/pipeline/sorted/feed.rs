//! Reading sorted inputs ahead of what is being merged.
//!
//! Files are read by the engine, past the page cache where that is possible: a read of every file
//! is in flight while its last piece is being used up. The runs of a sort share their memory
//! ([`BufferPool`]). Blocks of runs are checked as they arrive. Pipes are read when needed. What
//! was read is copied into the window of its source, so that records lie in one piece there.

mod refills;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::buffers::{BufferPool, ends_early};
use crate::error::{Error, Result, message};
use crate::io::{Completion, Direction, Engine, File, Queue, Region, Request, pipe};
use crate::pipeline::InputStream;
use crate::pipeline::stream::StreamPiece;
use crate::run::RunBlocks;
use crate::run::layout::BLOCK;
use crate::sink::{LaneCounters, count};
use crate::stats::{self, MergeBuffers, Progress, Requests};
use crate::units::ByteSize;

/// Origin of a source's bytes.
#[derive(Debug)]
pub enum Reading {
    /// A file and the piece of it that was read last.
    File(Ahead),
    /// A run with a buffer in the pool.
    Buffered(BufferedRun),
    /// A stream.
    Stream(pipe::PipeReader),
    /// Streams one after the other, and what all of them are called.
    Streams(Arc<Mutex<InputStream>>, PathBuf),
}

/// A run that has a buffer in the pool.
#[derive(Debug)]
pub struct BufferedRun {
    /// Its number there.
    number: usize,
    file: Arc<File>,
    /// Upper bound of the bytes of a record.
    longest_bytes: u64,
}

/// A file that is read a piece ahead.
#[derive(Debug)]
pub struct Ahead {
    file: Arc<File>,
    /// The number of its piece.
    tag: usize,
    /// The piece; `None` while it is being read.
    piece: Option<Region>,
    /// Bytes of the piece that were read and not copied yet.
    unread: Range<usize>,
    /// Offset in the file of the next piece.
    next: u64,
    /// End of the last requested piece.
    end: u64,
    /// Offset in the file where the records end.
    records_end: u64,
    /// Checker of the pieces of a run.
    blocks: Option<Box<RunBlocks>>,
    /// Number of records, where it is known and all of them are read.
    records: Option<u64>,
}

/// Resources that all sources of a job share: the queue, pieces, spare memory, and an account of
/// reading.
pub struct Feed<'p> {
    progress: &'p Progress,
    queue: Box<dyn Queue>,
    /// Most reads in the hands of the system at once; more wait in the queue.
    depth: usize,
    /// Pieces that are in no use; each source in use has one.
    pieces: Vec<Region>,
    /// Buffers of runs, where all sources are runs of a sort.
    pool: BufferPool,
    /// Pieces that were read and not asked for yet, by their tag.
    arrived: Vec<Option<Completion>>,
    /// Tags of files that are closed: there may be millions, one group after the other.
    free_tags: Vec<usize>,
    /// Bytes that windows may still grow by.
    spare_bytes: usize,
    /// True if each read is waited for when it has begun.
    waits: bool,
    counters: LaneCounters,
    /// The reads of runs among all reads, and their bytes.
    run_reads: (Requests, ByteSize),
    /// True if every input so far is a file that is read past the page cache.
    is_direct: bool,
}

impl<'p> Feed<'p> {
    /// Returns a feed for as many open files as there are pieces, with at most `depth` reads in
    /// flight.
    pub fn new(
        engine: Engine,
        depth: usize,
        pieces: Vec<Region>,
        spare_bytes: usize,
        progress: &'p Progress,
    ) -> Result<Self> {
        let queue = engine.queue(pieces.len().min(depth))?;
        Ok(Self { pieces, ..Self::with_queue(queue, depth, spare_bytes, progress) })
    }

    /// Returns a feed for runs with these buffers.
    pub fn of_runs(
        engine: Engine,
        pool: BufferPool,
        spare_bytes: usize,
        progress: &'p Progress,
    ) -> Result<Self> {
        let (queue, depth) = (engine.queue(pool.depth())?, pool.depth());
        Ok(Self { pool, ..Self::with_queue(queue, depth, spare_bytes, progress) })
    }

    /// Returns the feed with reads that are over when they have been begun, if `waits`.
    #[must_use]
    pub fn waiting(self, waits: bool) -> Self {
        Self { waits, ..self }
    }

    fn with_queue(
        queue: Box<dyn Queue>,
        depth: usize,
        spare_bytes: usize,
        progress: &'p Progress,
    ) -> Self {
        Self {
            progress,
            queue,
            depth,
            pieces: Vec::new(),
            pool: BufferPool::default(),
            arrived: Vec::new(),
            free_tags: Vec::new(),
            spare_bytes,
            waits: false,
            counters: LaneCounters::default(),
            run_reads: Default::default(),
            is_direct: true,
        }
    }

    /// Begins to read bytes `from..to` of a file; pieces are whole blocks even at the end, so that
    /// all requests can go past the page cache.
    pub fn open(&mut self, file: Arc<File>, from: u64, to: Option<u64>) -> Result<Reading> {
        self.is_direct &= file.is_direct();
        let end = to.map_or(u64::MAX, |to| to.next_multiple_of(BLOCK as u64));
        let records_end = to.map_or(file.len(), |to| to.min(file.len()));
        self.read_ahead(file, 0, end, records_end, from, None)
    }

    /// Begins to read bytes `from..to` of the records of a run; pieces are whole blocks.
    pub fn open_run(&mut self, blocks: RunBlocks, from: u64, to: Option<u64>) -> Result<Reading> {
        if self.pool.is_used() {
            let (file, longest_bytes) = (Arc::clone(blocks.file()), blocks.longest_bytes());
            let number = self.pool.open(blocks, from, to);
            return Ok(Reading::Buffered(BufferedRun { number, file, longest_bytes }));
        }
        if blocks.is_packed() {
            let message = "a merge of inputs cannot read compressed runs".to_owned();
            return Err(Error::corrupt(blocks.file().path(), 0, message));
        }
        let ((start, end), records_end) = (blocks.bounds(), blocks.records_end());
        let end = to.map_or(end, |to| end.min(start + to.next_multiple_of(BLOCK as u64)));
        let records_end = to.map_or(records_end, |to| records_end.min(start + to));
        let file = blocks.file().clone();
        self.read_ahead(file, start, end, records_end, from, Some(blocks.into()))
    }

    fn read_ahead(
        &mut self,
        file: Arc<File>,
        start: u64,
        end: u64,
        records_end: u64,
        from: u64,
        blocks: Option<Box<RunBlocks>>,
    ) -> Result<Reading> {
        let Some(piece) = self.pieces.pop() else { unreachable!("a piece for each file at once") };
        assert!(piece.len().is_multiple_of(BLOCK), "pieces are whole blocks");
        let (tag, piece) = (self.take_tag(), Some(piece));
        let next = start + from / BLOCK as u64 * BLOCK as u64;
        let (unread, records) = (0..0, None);
        let mut ahead = Ahead { file, tag, piece, unread, next, end, records_end, blocks, records };
        ahead.request(self)?;
        let mut reading = Reading::File(ahead);
        reading.pass(start + from - next, self)?;
        Ok(reading)
    }

    /// Returns a tag that no open file has.
    fn take_tag(&mut self) -> usize {
        self.free_tags.pop().unwrap_or_else(|| {
            self.arrived.push(None);
            self.arrived.len() - 1
        })
    }

    /// Takes in a stream.
    pub fn open_stream(&mut self, reader: pipe::PipeReader) -> Reading {
        self.is_direct = false;
        Reading::Stream(reader)
    }

    /// Takes in streams one after the other, whose tops are passed over.
    pub fn open_streams(&mut self, streams: &Arc<Mutex<InputStream>>) -> Reading {
        self.is_direct = false;
        let stream = streams.lock().unwrap_or_else(PoisonError::into_inner);
        Reading::Streams(Arc::clone(streams), stream.common_name())
    }

    /// Returns what was read, and the time it was waited for.
    pub fn counters(&self) -> LaneCounters {
        self.counters
    }

    /// Returns how many of its reads were of runs, and their bytes; and whether every input so far
    /// is a file that is read past the page cache.
    pub fn reads(&self) -> ((Requests, ByteSize), bool) {
        (self.run_reads, self.is_direct)
    }

    /// Returns the account of the buffers of runs, where there are such.
    pub fn buffers(&self) -> Option<MergeBuffers> {
        self.pool.account()
    }

    /// Returns the pieces, once all inputs are closed.
    pub fn into_pieces(self) -> Vec<Region> {
        self.pieces
    }

    /// Returns an error if the job was asked to stop.
    pub fn check_stop(&self) -> Result<()> {
        if self.progress.is_stopping() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Returns the number of bytes that windows may still grow by.
    pub fn spare_bytes(&self) -> usize {
        self.spare_bytes
    }

    /// Takes spare memory; whether there was enough.
    pub fn grow(&mut self, bytes: usize) -> bool {
        let left = self.spare_bytes.checked_sub(bytes);
        self.spare_bytes = left.unwrap_or(self.spare_bytes);
        left.is_some()
    }

    /// Gives spare memory back.
    pub fn shrink(&mut self, bytes: usize) {
        self.spare_bytes += bytes;
    }

    /// Waits for the piece of this tag, which is of `stream`.
    fn wait_for(&mut self, tag: usize, stream: stats::Stream) -> Result<Completion> {
        loop {
            if let Some(completion) = self.arrived[tag].take() {
                self.progress.read_ends(stream, completion.took);
                return Ok(completion);
            }
            self.wait(stream)?;
        }
    }

    /// Waits for any piece.
    fn wait(&mut self, stream: stats::Stream) -> Result<()> {
        let begun = Instant::now();
        let completion = self.queue.wait()?;
        self.count_waiting(stream, begun.elapsed());
        let Some(completion) = completion else { unreachable!("a piece is in flight") };
        let tag = completion.request.tag as usize;
        self.arrived[tag] = Some(completion);
        Ok(())
    }

    fn count_waiting(&mut self, stream: stats::Stream, waited: Duration) {
        self.progress.waited_for(stream, waited);
        self.counters.waited.add(stream, waited);
    }

    fn count(&mut self, stream: stats::Stream, bytes: usize) {
        self.progress.moved_in(stream, bytes as u64);
        if stream == stats::Stream::SpillRead {
            self.run_reads.1.0 += bytes as u64;
        }
        self.counters.bytes_read += bytes as u64;
    }
}

impl Reading {
    /// Returns the name of the input.
    pub fn name(&self) -> &Path {
        match self {
            Self::File(ahead) => ahead.file.path(),
            Self::Buffered(run) => run.file.path(),
            Self::Stream(reader) => reader.name(),
            Self::Streams(_, name) => name,
        }
    }

    /// Returns this input as one of `records` records, if that is known.
    #[must_use]
    pub fn of_records(mut self, records: Option<u64>) -> Self {
        if let Self::File(ahead) = &mut self {
            ahead.records = records;
        }
        self
    }

    /// Checks the number of records at the end of the input.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if it is not the number that is known.
    pub fn check_records(&self, found: u64) -> Result<()> {
        let Self::File(Ahead { records: Some(records), .. }) = self else { return Ok(()) };
        if found == *records {
            return Ok(());
        }
        let words = format!("it has {found} records, and had {records} when it was made");
        let message = message!("{}; make it again", words);
        Err(Error::Malformed { path: self.name().to_owned(), message })
    }

    /// Returns the maximum number of bytes of a record, where that is known.
    pub fn longest_bytes(&self) -> Option<usize> {
        let longest_bytes = match self {
            Self::File(Ahead { blocks: Some(blocks), .. }) => blocks.longest_bytes(),
            Self::Buffered(run) => run.longest_bytes,
            _ => return None,
        };
        Some(usize::try_from(longest_bytes).unwrap_or(usize::MAX))
    }

    /// Passes `bytes` bytes by, or all there are.
    pub fn pass(&mut self, bytes: u64, feed: &mut Feed<'_>) -> Result<()> {
        let mut passed = [0; 4096];
        let mut left = bytes;
        while left > 0 {
            let step = left.min(passed.len() as u64) as usize;
            match self.read(&mut passed[..step], feed)? {
                0 => break,
                read => left -= read as u64,
            }
        }
        Ok(())
    }

    /// Reads into `window`, which is not empty; bytes read, none only at the end.
    pub fn read(&mut self, window: &mut [u8], feed: &mut Feed<'_>) -> Result<usize> {
        feed.check_stop()?;
        match self {
            Self::File(ahead) => ahead.read(window, feed),
            Self::Buffered(run) => feed.read_buffered(run.number, window),
            Self::Stream(reader) => {
                let begun = Instant::now();
                let bytes = reader.fill(window, feed.progress)?;
                feed.count_waiting(stats::Stream::InputRead, begun.elapsed());
                feed.count(stats::Stream::InputRead, bytes);
                Ok(bytes)
            }
            Self::Streams(stream, _) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                let StreamPiece { bytes, waited, .. } = stream.fill(window, feed.progress)?;
                feed.count_waiting(stats::Stream::InputRead, waited);
                feed.count(stats::Stream::InputRead, bytes);
                Ok(bytes)
            }
        }
    }

    /// Waits for what is in flight and gives the piece back.
    pub fn close(self, feed: &mut Feed<'_>) -> Result<()> {
        match self {
            Self::File(mut ahead) => {
                let piece = match ahead.piece.take() {
                    Some(piece) => piece,
                    None => feed.wait_for(ahead.tag, ahead.stream())?.request.region,
                };
                feed.pieces.push(piece);
                feed.free_tags.push(ahead.tag);
                if ahead.blocks.is_none() {
                    ahead.file.check_whole()?;
                }
            }
            Self::Buffered(run) => {
                while feed.pool.close(run.number) {
                    feed.wait_for_refill()?;
                }
            }
            Self::Stream(_) | Self::Streams(..) => {}
        }
        Ok(())
    }
}

impl Ahead {
    /// Returns what its bytes are counted for.
    fn stream(&self) -> stats::Stream {
        match self.blocks {
            Some(_) => stats::Stream::SpillRead,
            None => stats::Stream::InputRead,
        }
    }

    /// Begins to read the next piece, unless the records have ended.
    fn request(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        if self.next >= self.records_end {
            return Ok(());
        }
        let Some(region) = self.piece.take() else { return Ok(()) };
        let range = 0..(self.end - self.next).min(region.len() as u64) as usize;
        let request = Request {
            operation: Direction::Read,
            file: Arc::clone(&self.file),
            offset: self.next,
            region,
            range,
            tag: self.tag as u64,
        };
        let in_flight = (feed.queue.in_flight() + 1).min(feed.depth);
        count(&mut feed.counters.reads, &request, in_flight);
        if self.stream() == stats::Stream::SpillRead {
            count(&mut feed.run_reads.0, &request, in_flight);
        }
        feed.progress.read_begins();
        feed.queue.submit(request)?;
        if feed.waits { feed.wait(self.stream()) } else { Ok(()) }
    }

    fn read(&mut self, window: &mut [u8], feed: &mut Feed<'_>) -> Result<usize> {
        if self.piece.is_none() {
            self.take_in(feed)?;
        }
        let Some(piece) = &self.piece else { return Ok(0) };
        let bytes = window.len().min(self.unread.len());
        let from = self.unread.start;
        window[..bytes].copy_from_slice(&piece[from..from + bytes]);
        self.unread.start += bytes;
        if self.unread.is_empty() {
            self.request(feed)?;
        }
        Ok(bytes)
    }

    /// Waits for the piece in flight, and sees that it is what was asked for.
    fn take_in(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        let Completion { request: Request { region, range, .. }, result, .. } =
            feed.wait_for(self.tag, self.stream())?;
        let piece = self.piece.insert(region);
        let left = self.records_end - self.next;
        let read = result?;
        let records = left.min(range.len() as u64) as usize;
        let wanted = if self.blocks.is_some() { range.len() } else { records };
        if read < wanted {
            return Err(self.too_short(read));
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.check(self.next, &piece[range])?;
        }
        feed.count(self.stream(), wanted);
        self.unread = 0..records;
        self.next += wanted as u64;
        Ok(())
    }

    /// Returns the error for a file that ends `read` bytes after the start of the next piece.
    fn too_short(&self, read: usize) -> Error {
        let path = self.file.path().to_owned();
        let Some(blocks) = &self.blocks else {
            let bytes = self.records_end;
            let message = format!("the file became shorter than {bytes} bytes while it was read");
            return Error::Malformed { path, message: message.into() };
        };
        ends_early(blocks, self.next + read as u64)
    }
}

impl std::fmt::Debug for Feed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feed")
            .field("engine", &self.queue.name())
            .field("pieces", &self.pieces.len())
            .field("spare_bytes", &self.spare_bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
