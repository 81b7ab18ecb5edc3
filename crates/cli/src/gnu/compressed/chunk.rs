//! Inputs cut into chunks of whole lines, each of them small enough to be sorted in memory.
//!
//! ```text
//!   inputs   ....aaa¶bbb¶ccc¶dd|dd¶eee¶ff|ff¶ggg¶
//!   pieces       |------|------|------|------|--|      read one after another
//!   chunks   |__________________|____________|         cut behind the last line end
//!                            carried: dd      ff
//! ```
//!
//! A chunk stays in memory until the sort has taken it in, piece by piece, and each piece is given
//! back to the system at once: a chunk and the memory that it is sorted in take no more than one of
//! them.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;

use memchr::{memchr_iter, memrchr};
use sortwell::unstable::format::Framing;
use sortwell::unstable::io::pipe::PipeReader;
use sortwell::unstable::io::{Arena, Extent, Region};
use sortwell::unstable::job::SortJob;
use sortwell::unstable::pipeline::{Heading, InputStream};
use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, Error, Result};
use sortwell::{Input, Progress, Supplied, Supply};

/// Pieces that a chunk has at least, about.
const PIECES: u64 = 32;

/// Smaller pieces are no smaller in memory.
const PIECE_MIN: u64 = 512;

/// Larger pieces are not read any faster.
const PIECE_MAX: u64 = 4 << 20;

/// Inputs that are cut.
pub struct Chunks<'a> {
    stream: InputStream,
    terminator: u8,
    /// The job that sorts a chunk.
    job: &'a SortJob,
    /// Most bytes of a chunk, where it is not memory alone that bounds it.
    most: Option<u64>,
    piece_bytes: u64,
    /// Bytes that were read after the end of the previous chunk.
    carried: LineChunk,
}

/// Whole lines; while it is being made, also a line that is not whole yet.
#[derive(Debug, Default)]
pub struct LineChunk {
    pieces: VecDeque<ChunkPiece>,
    /// Bytes, and lines that are whole.
    bytes: u64,
    lines: u64,
}

/// A piece of memory and what of it is not used up yet; never nothing.
#[derive(Debug)]
struct ChunkPiece {
    memory: Region,
    unused: Range<usize>,
}

impl<'a> Chunks<'a> {
    /// Creates the inputs of a job, to be cut into chunks that it would sort in one pass of a
    /// memory of `budget`. They have no more than `most` bytes, but for a single line.
    pub fn new(
        job: &'a SortJob,
        terminator: u8,
        budget: ByteSize,
        most: Option<u64>,
    ) -> Result<Self> {
        limits::raise_open_files();
        let open = |input: &Input| match input {
            Input::Stdin => PipeReader::stdin(),
            Input::File(path) => PipeReader::open(path),
            Input::Striped(path) => Supplied::striped(path).map(PipeReader::supplied),
            Input::Supplied(made) => Ok(PipeReader::supplied(made.clone())),
        };
        let readers: Vec<PipeReader> = job.inputs.iter().map(open).collect::<Result<_>>()?;
        let bytes = most.unwrap_or(budget.bytes());
        Ok(Self {
            stream: InputStream::new(readers, Framing::Terminated(terminator), Heading::Nothing),
            terminator,
            job,
            most,
            piece_bytes: (bytes / PIECES).clamp(PIECE_MIN, PIECE_MAX),
            carried: LineChunk::default(),
        })
    }

    /// Returns whether there is nothing more after the chunk that was given last.
    pub fn is_over(&self) -> bool {
        self.carried.pieces.is_empty() && self.stream.is_at_end()
    }

    /// Returns the next chunk; empty where the inputs have ended.
    pub fn next(&mut self, progress: &Progress) -> Result<LineChunk> {
        let mut chunk = std::mem::take(&mut self.carried);
        loop {
            let Some(piece) = self.read(progress)? else { return Ok(chunk) };
            let lines = memchr_iter(self.terminator, piece.bytes()).count() as u64;
            let extent = Extent {
                bytes: chunk.bytes + piece.bytes().len() as u64,
                records: chunk.lines + lines,
            };
            let is_too_much = self.is_too_much(extent)?;
            if is_too_much && chunk.lines > 0 {
                self.carried = chunk.cut(self.terminator)?;
                self.carried.push(piece, lines);
                return Ok(chunk);
            }
            chunk.push(piece, lines);
            // A single line may be longer than was asked for, but not than memory.
            if is_too_much && !self.fits(extent)? {
                return Err(self.too_long(&chunk));
            }
        }
    }

    /// Returns whether a chunk of this extent and one more piece are more than one chunk.
    fn is_too_much(&self, extent: Extent) -> Result<bool> {
        let Extent { bytes, records } = extent;
        let extent = Extent { bytes: bytes + self.piece_bytes, records: records + 1 };
        let is_beyond = self.most.is_some_and(|most| extent.bytes > most);
        Ok(is_beyond || !self.fits(extent)?)
    }

    fn fits(&self, extent: Extent) -> Result<bool> {
        self.job.would_be_one_pass(extent)
    }

    /// Returns the next piece, or `None` at the end of the inputs.
    fn read(&mut self, progress: &Progress) -> Result<Option<ChunkPiece>> {
        if self.stream.is_at_end() {
            return Ok(None);
        }
        let mut memory = Arena::new(ByteSize(self.piece_bytes))?;
        let bytes = self.stream.fill(&mut memory, progress)?.bytes;
        Ok((bytes > 0).then_some(ChunkPiece { memory, unused: 0..bytes }))
    }

    fn too_long(&self, chunk: &LineChunk) -> Error {
        let (path, read) = self.stream.place();
        let message = format!(
            "the line at byte {} has more than {}, the most that fits in memory; give more with \
             -S",
            read.saturating_sub(chunk.bytes),
            ByteSize(chunk.bytes)
        );
        Error::Malformed { path, message: message.into() }
    }
}

impl LineChunk {
    /// Converts the chunk to the input of the job that sorts it.
    pub fn into_input(self) -> Input {
        let extent = Extent { bytes: self.bytes, records: self.lines };
        Input::Supplied(Supplied::new(&PathBuf::from("lines in memory"), self).with_extent(extent))
    }

    fn push(&mut self, piece: ChunkPiece, lines: u64) {
        self.bytes += piece.bytes().len() as u64;
        self.lines += lines;
        self.pieces.push_back(piece);
    }

    /// Removes and returns the bytes after the last line end.
    fn cut(&mut self, terminator: u8) -> Result<Self> {
        let mut rest = Self::default();
        while let Some(mut last) = self.pieces.pop_back() {
            let Some(end) = memrchr(terminator, last.bytes()) else {
                rest.pieces.push_front(last);
                continue;
            };
            let begun = last.bytes()[end + 1..].len();
            if begun > 0 {
                let mut memory = Arena::new(ByteSize(begun as u64))?;
                memory.copy_from_slice(&last.bytes()[end + 1..]);
                rest.pieces.push_front(ChunkPiece { memory, unused: 0..begun });
                last.unused.end -= begun;
            }
            self.pieces.push_back(last);
            break;
        }
        rest.bytes = rest.pieces.iter().map(|piece| piece.bytes().len() as u64).sum();
        self.bytes -= rest.bytes;
        Ok(rest)
    }
}

impl ChunkPiece {
    fn bytes(&self) -> &[u8] {
        &self.memory[self.unused.clone()]
    }
}

impl Supply for LineChunk {
    fn fill(&mut self, buffer: &mut [u8], _: &Progress) -> Result<usize> {
        let mut filled = 0;
        while let Some(piece) = self.pieces.front_mut().filter(|_| filled < buffer.len()) {
            let bytes = piece.unused.len().min(buffer.len() - filled);
            buffer[filled..filled + bytes].copy_from_slice(&piece.bytes()[..bytes]);
            piece.unused.start += bytes;
            filled += bytes;
            if piece.unused.is_empty() {
                self.pieces.pop_front();
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests;
