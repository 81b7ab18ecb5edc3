//! Threads that expand compressed inputs ahead of their readers.
//!
//! Every input is a stream with a few buffers. A thread takes an input whose buffers are not all
//! full, expands as much as fills one, and puts the input back at the end of the queue: so one
//! thread can serve a hundred inputs of a merge, and two threads two inputs of a sort, the one that
//! is read and the one that comes next. At most one thread reads an input at any time.
//!
//! Several threads expand one input if it consists of small members or frames, or of lz4 frames
//! with independent blocks (`batch`). A thread cuts a batch of them off, puts the input back in the
//! queue, and then expands the batch. The buffers keep the order of the batches. If a batch is not
//! whole units, its bytes and those after it are put back, and one thread expands the rest of the
//! input in order. Errors arise only there, so they are the same with any number of threads.
//!
//! A thread that has expanded blocks counts them for the checksum of their frame once all blocks
//! before them are counted, and then those after them that wait for it. The end of the frame is
//! taken in order, when all its blocks are counted.
//!
//! The reader waits for a buffer. When the last stream is dropped, the threads end (`threads`).

use std::collections::VecDeque;
use std::fs::{Metadata, metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::UnitBatch;
use super::input::{Buffer, DecodingInput, Next, Open, PlacedBatch, Stage, Step, Turn};
use super::memory::Windows;
use super::threads::{CodecThreads, Monitor};
use super::{Appetite, Codec, Compressed};
use crate::error::Result;
use crate::io::{Supplied, Supply, pipe};
use crate::stats::{Progress, SourceShare};

/// Source of compressed bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file or a named pipe.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// A stream of which the beginning has been read.
    Begun(Supplied),
}

/// Threads and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodingShape {
    /// Threads for files. Each pipe has one more, as it may be waited for.
    pub threads: usize,
    /// Inputs after the one being read that are begun already.
    pub ahead: usize,
    /// Bytes of a buffer.
    pub buffer_bytes: usize,
    /// Buffers of an input that are filled and wait to be read.
    pub ready: usize,
    /// Most bytes of a batch; 0 if one thread expands an input.
    pub packed_bytes: usize,
}

/// Compressed inputs being expanded.
pub struct Decoding {
    shared: Arc<DecodingShared>,
    _threads: CodecThreads<DecodingState>,
}

/// State that threads and readers share.
struct DecodingShared {
    shape: DecodingShape,
    windows: Arc<Windows>,
    monitor: Arc<Monitor<DecodingState>>,
    /// Compressed bytes read.
    bytes: Arc<AtomicU64>,
}

struct DecodingState {
    inputs: Vec<DecodingInput>,
    /// Inputs that want a thread.
    queue: VecDeque<usize>,
}

impl Decoding {
    /// Streams of what `inputs` hold, in the same order. Nothing is opened before the first of them
    /// is read.
    pub fn start(
        inputs: Vec<(Origin, Codec)>,
        appetite: &Appetite,
    ) -> Result<(Arc<Self>, Vec<Supplied>)> {
        let shape = appetite.shape;
        let windows = Arc::new(Windows::new(appetite.window_bytes, appetite.spare_bytes));
        for codec in Codec::ALL {
            if inputs.iter().any(|(_, of_input)| *of_input == codec) {
                codec.decoder(&windows)?; // None without the feature: better heard of now.
            }
        }
        // `None` of a pipe.
        let length = |(origin, _): &(Origin, Codec)| match origin {
            Origin::Stdin | Origin::Begun(_) => None,
            Origin::File(path) => {
                metadata(path).ok().filter(Metadata::is_file).map(|data| data.len())
            }
        };
        let lengths: Vec<u64> = inputs.iter().filter_map(length).collect();
        let (files, pipes) = (lengths.len(), inputs.len() - lengths.len());
        let names: Vec<PathBuf> = inputs.iter().map(|(origin, _)| expanded_name(origin)).collect();
        let is_cut = shape.packed_bytes > 0;
        let inputs = inputs.into_iter();
        let inputs = inputs.map(|(origin, codec)| DecodingInput::new(origin, codec, is_cut));
        let state = DecodingState { inputs: inputs.collect(), queue: VecDeque::new() };
        let monitor = Arc::new(Monitor::new(state));
        let bytes = Arc::default();
        let read = Arc::clone(&bytes);
        let source = (pipes == 0).then(|| SourceShare::Part { read, all: lengths.iter().sum() });
        let shared = DecodingShared { shape, windows, monitor: Arc::clone(&monitor), bytes };
        let shared = Arc::new(shared);
        // Each batch is expanded by a thread that does not wait for a pipe.
        let threads = if is_cut { shape.threads } else { shape.threads.min(files) };
        let bodies = (0..threads + pipes).map(|_| {
            let shared = Arc::clone(&shared);
            move || shared.serve()
        });
        let file = Path::new("compressed inputs");
        let threads = CodecThreads::start(&monitor, "decode", file, bodies)?;
        let decoding = Arc::new(Self { shared, _threads: threads });
        let stream = |(number, name): (usize, &PathBuf)| {
            let decoding = Arc::clone(&decoding);
            let expanded = Expanded { decoding, number, piece: Buffer::default(), taken: 0 };
            Supplied::new(name, expanded).made_from(source.clone())
        };
        let streams = names.iter().enumerate().map(stream).collect();
        Ok((decoding, streams))
    }

    /// Returns the compressed bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }
}

/// Returns the name that messages give to an expanded input: its offsets are not those of the file.
fn expanded_name(origin: &Origin) -> PathBuf {
    let mut name = match origin {
        Origin::File(path) => path.clone().into_os_string(),
        Origin::Stdin => "standard input".into(),
        Origin::Begun(stream) => stream.name().into(),
    };
    name.push(" (decompressed)");
    name.into()
}

impl std::fmt::Debug for Decoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoding").field("shape", &self.shared.shape).finish_non_exhaustive()
    }
}

impl DecodingShared {
    /// Runs a decoding thread.
    fn serve(&self) {
        let mut state = self.monitor.state();
        while !state.is_over() {
            let Some(number) = state.queue.pop_front() else {
                state = self.monitor.wait_for_work(state);
                continue;
            };
            let Some(turn) = state.inputs[number].begin() else { continue };
            drop(state);
            let codec = turn.codec;
            let done = self.step(turn);
            state = self.monitor.state();
            let cut = state.inputs[number].note(done);
            if let Some(PlacedBatch { batch, mut buffer, place }) = cut {
                // Another thread can cut the next batch off now.
                self.want(&mut state, number);
                drop(state);
                let made = batch.expand(codec, &self.windows, &mut buffer);
                state = self.monitor.state();
                let mut uncounted = state.inputs[number].note_made(place, made, buffer);
                while let Some(piece) = uncounted {
                    drop(state);
                    piece.count();
                    state = self.monitor.state();
                    uncounted = state.inputs[number].note_counted(piece);
                    self.monitor.tell();
                }
            }
            self.want(&mut state, number);
            self.monitor.tell();
        }
    }

    /// Cuts a batch off an input, or fills one buffer.
    fn step(&self, turn: Turn) -> Result<Step> {
        let Turn { stage, origin, codec, buffer, packed, .. } = turn;
        let mut open = match stage {
            Stage::Open(open) => open,
            _ => Box::new(self.open(&origin, codec)?),
        };
        // One byte more than batches fill: then their ends are checked.
        let mut buffer = buffer.unwrap_or_else(|| vec![0; self.shape.buffer_bytes + 1]);
        if turn.wants_batch {
            if let Some(batch) = self.cut(&mut open, packed, turn.is_alone)? {
                return Ok(Step::Cut(open, batch, buffer));
            }
            if !turn.is_alone {
                return Ok(Step::Postponed(open, buffer));
            }
        }
        let filled = open.decoder.decode(&mut open.from, &mut buffer)?;
        Ok(Step::Filled(open, Buffer { buffer, filled }))
    }

    /// Cuts a batch off an input. If no thread expands a batch of it, takes headers and ends of
    /// frames first.
    fn cut(
        &self,
        Open { from, decoder }: &mut Open,
        mut packed: Vec<u8>,
        is_alone: bool,
    ) -> Result<Option<UnitBatch>> {
        let DecodingShape { buffer_bytes: room, packed_bytes: packed_room, .. } = self.shape;
        loop {
            let packed = std::mem::take(&mut packed);
            let batch = UnitBatch::cut(&mut **decoder, from, packed, room, packed_room)?;
            if batch.is_some() || !is_alone || !decoder.pass_border(from)? {
                return Ok(batch);
            }
        }
    }

    fn open(&self, origin: &Origin, codec: Codec) -> Result<Open> {
        let reader = match origin {
            Origin::File(path) => pipe::PipeReader::open(path)?,
            Origin::Stdin => pipe::PipeReader::stdin()?,
            Origin::Begun(stream) => pipe::PipeReader::supplied(stream.clone()),
        };
        let (halt, bytes) = (Arc::clone(self.monitor.halt()), Arc::clone(&self.bytes));
        let from = Compressed::new(reader, self.shape.packed_bytes, halt, bytes);
        Ok(Open { from, decoder: codec.decoder(&self.windows)? })
    }

    /// Asks for another buffer of an input, if it is not asked for and there is room for it.
    fn want(&self, state: &mut DecodingState, number: usize) {
        let Some(input) = state.inputs.get_mut(number) else { return };
        if input.wants_thread(self.shape.ready) {
            input.is_queued = true;
            state.queue.push_back(number);
            self.monitor.add_work();
        }
    }

    /// Returns the next piece of an input, `None` at its end; `used` is the one before.
    fn next(&self, number: usize, used: Buffer, progress: &Progress) -> Result<Option<Buffer>> {
        let mut state = self.monitor.state();
        state.inputs[number].keep(used);
        for number in number..=number + self.shape.ahead {
            self.want(&mut state, number);
        }
        loop {
            match state.inputs[number].take_next()? {
                Next::Filled(piece) => {
                    self.want(&mut state, number);
                    return Ok(Some(piece));
                }
                Next::End => return Ok(None),
                Next::NotYet => {}
            }
            state = self.monitor.wait_for_news(state, progress)?;
        }
    }
}

/// The stream that an input holds.
struct Expanded {
    decoding: Arc<Decoding>,
    number: usize,
    piece: Buffer,
    /// Bytes of the piece that were handed out.
    taken: usize,
}

impl Supply for Expanded {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.taken == self.piece.filled {
                let used = std::mem::take(&mut self.piece);
                self.taken = 0;
                let Some(next) = self.decoding.shared.next(self.number, used, progress)? else {
                    break;
                };
                self.piece = next;
            }
            let bytes = (self.piece.filled - self.taken).min(buffer.len() - filled);
            let part = &self.piece.buffer[self.taken..self.taken + bytes];
            buffer[filled..filled + bytes].copy_from_slice(part);
            self.taken += bytes;
            filled += bytes;
        }
        Ok(filled)
    }
}
