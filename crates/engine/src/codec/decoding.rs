//! Threads that expand compressed inputs ahead of their readers.
//!
//! Every input is a stream with a few buffers. A thread takes an input whose buffers are not all
//! full, expands as much as fills one, and puts the input back at the end of the queue: so one
//! thread can serve a hundred inputs of a merge, and two threads two inputs of a sort, the one that
//! is read and the one that comes next. At most one thread is at an input at any time.
//!
//! The reader waits for a buffer and looks now and then whether the job was stopped. When the last
//! stream is dropped, at any point of the job, the threads are stopped, and waited for: a
//! thread never outlives its job, not even one that waits for a pipe.

use std::collections::VecDeque;
use std::fs::metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::memory::Windows;
use super::{Appetite, Codec, Compressed, Decode};
use crate::error::{Error, Result};
use crate::io::{Supplied, Supply, pipe};
use crate::stats::Progress;

/// Interval at which a waiting reader checks for a stop of the job.
const STOP_CHECK: Duration = Duration::from_millis(50);

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
}

/// Compressed inputs being expanded.
pub struct Decoding {
    shared: Arc<DecodingShared>,
    threads: Vec<JoinHandle<()>>,
}

/// State that threads and readers share.
struct DecodingShared {
    shape: DecodingShape,
    windows: Arc<Windows>,
    state: Mutex<DecodingState>,
    /// Notified when there is something to expand, or to stop.
    work: Condvar,
    /// Notified when something has been expanded.
    news: Condvar,
    /// Stops threads that wait for a pipe.
    halt: Arc<Progress>,
    /// Compressed bytes read.
    bytes: Arc<AtomicU64>,
}

struct DecodingState {
    inputs: Vec<DecodingInput>,
    /// Inputs that want a thread.
    queue: VecDeque<usize>,
    is_over: bool,
    has_panicked: bool,
}

struct DecodingInput {
    origin: Origin,
    codec: Codec,
    stage: Stage,
    is_queued: bool,
    ready: VecDeque<Buffer>,
    spare: Vec<Vec<u8>>,
    /// Error that ended the input, if one did.
    failure: Option<Error>,
}

/// Progress of an input.
enum Stage {
    Unopened,
    Open(Box<Open>),
    /// A thread is at it.
    Busy,
    Ended,
}

/// An input that is being expanded.
struct Open {
    from: Compressed,
    decoder: Box<dyn Decode>,
}

/// Expanded bytes.
#[derive(Default)]
struct Buffer {
    buffer: Vec<u8>,
    filled: usize,
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
        let is_pipe = |origin: &Origin| match origin {
            Origin::Stdin | Origin::Begun(_) => true,
            Origin::File(path) => !metadata(path).is_ok_and(|data| data.is_file()),
        };
        let pipes = inputs.iter().filter(|(origin, _)| is_pipe(origin)).count();
        let files = inputs.len() - pipes;
        let names: Vec<PathBuf> = inputs.iter().map(|(origin, _)| expanded_name(origin)).collect();
        let inputs = inputs.into_iter().map(|(origin, codec)| DecodingInput {
            origin,
            codec,
            stage: Stage::Unopened,
            is_queued: false,
            ready: VecDeque::new(),
            spare: Vec::new(),
            failure: None,
        });
        let state = DecodingState {
            inputs: inputs.collect(),
            queue: VecDeque::new(),
            is_over: false,
            has_panicked: false,
        };
        let shared = Arc::new(DecodingShared {
            shape,
            windows,
            state: Mutex::new(state),
            work: Condvar::new(),
            news: Condvar::new(),
            halt: Arc::default(),
            bytes: Arc::default(),
        });
        let mut decoding = Self { shared, threads: Vec::new() };
        for _ in 0..shape.threads.min(files) + pipes {
            let shared = Arc::clone(&decoding.shared);
            let thread = thread::Builder::new().name("decode".to_owned());
            let thread = thread.spawn(move || shared.serve());
            let failed = |e| Error::io("start a thread to read", Path::new("compressed inputs"), e);
            decoding.threads.push(thread.map_err(failed)?);
        }
        let decoding = Arc::new(decoding);
        let stream = |(number, name): (usize, &PathBuf)| {
            let decoding = Arc::clone(&decoding);
            Supplied::new(name, Expanded { decoding, number, piece: Buffer::default(), taken: 0 })
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

impl Drop for Decoding {
    fn drop(&mut self) {
        self.shared.halt.request_stop();
        self.shared.state().is_over = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked has said so; the reader has failed of it.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Decoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (shape, threads) = (&self.shared.shape, self.threads.len());
        f.debug_struct("Decoding").field("shape", shape).field("threads", &threads).finish()
    }
}

/// Tells readers of a thread that panicked, who would wait for ever.
struct DecodingGuard<'a>(&'a DecodingShared);

impl Drop for DecodingGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().has_panicked = true;
            self.0.news.notify_all();
        }
    }
}

impl DecodingShared {
    fn state(&self) -> MutexGuard<'_, DecodingState> {
        // Nothing is left half done while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a decoding thread.
    fn serve(&self) {
        let _guard = DecodingGuard(self);
        let mut state = self.state();
        while !state.is_over {
            let Some(number) = state.queue.pop_front() else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let input = &mut state.inputs[number];
            input.is_queued = false;
            let stage = std::mem::replace(&mut input.stage, Stage::Busy);
            let buffer = input.spare.pop();
            let (origin, codec) = (input.origin.clone(), input.codec);
            drop(state);
            let buffer = buffer.unwrap_or_else(|| vec![0; self.shape.buffer_bytes]);
            let done = self.expand(stage, &origin, codec, buffer);
            state = self.state();
            self.note(&mut state, number, done);
            self.news.notify_all();
        }
    }

    /// Fills one buffer.
    fn expand(
        &self,
        stage: Stage,
        origin: &Origin,
        codec: Codec,
        mut buffer: Vec<u8>,
    ) -> Result<(Box<Open>, Buffer)> {
        let mut open = match stage {
            Stage::Open(open) => open,
            _ => Box::new(self.open(origin, codec)?),
        };
        let filled = open.decoder.decode(&mut open.from, &mut buffer)?;
        Ok((open, Buffer { buffer, filled }))
    }

    fn open(&self, origin: &Origin, codec: Codec) -> Result<Open> {
        let reader = match origin {
            Origin::File(path) => pipe::PipeReader::open(path)?,
            Origin::Stdin => pipe::PipeReader::stdin()?,
            Origin::Begun(stream) => pipe::PipeReader::supplied(stream.clone()),
        };
        let from = Compressed::new(reader, Arc::clone(&self.halt), Arc::clone(&self.bytes));
        Ok(Open { from, decoder: codec.decoder(&self.windows)? })
    }

    /// Takes in what a thread has done for an input.
    fn note(&self, state: &mut DecodingState, number: usize, done: Result<(Box<Open>, Buffer)>) {
        let input = &mut state.inputs[number];
        match done {
            Ok((open, piece)) => {
                let is_at_end = piece.filled < piece.buffer.len();
                input.stage = if is_at_end { Stage::Ended } else { Stage::Open(open) };
                if piece.filled > 0 {
                    input.ready.push_back(piece);
                }
            }
            Err(e) => (input.stage, input.failure) = (Stage::Ended, Some(e)),
        }
        if matches!(input.stage, Stage::Ended) {
            input.spare = Vec::new();
        }
        self.want(state, number);
    }

    /// Asks for another buffer of an input, if it is not asked for and there is room for it.
    fn want(&self, state: &mut DecodingState, number: usize) {
        let Some(input) = state.inputs.get_mut(number) else { return };
        let is_idle = matches!(input.stage, Stage::Unopened | Stage::Open(_));
        if is_idle && !input.is_queued && input.ready.len() < self.shape.ready {
            input.is_queued = true;
            state.queue.push_back(number);
            self.work.notify_one();
        }
    }

    /// Returns the next piece of an input, `None` at its end; `used` is the one before.
    fn next(&self, number: usize, used: Buffer, progress: &Progress) -> Result<Option<Buffer>> {
        let mut state = self.state();
        let input = &mut state.inputs[number];
        if !used.buffer.is_empty() && !matches!(input.stage, Stage::Ended) {
            input.spare.push(used.buffer);
        }
        for number in number..=number + self.shape.ahead {
            self.want(&mut state, number);
        }
        loop {
            let input = &mut state.inputs[number];
            if let Some(piece) = input.ready.pop_front() {
                self.want(&mut state, number);
                return Ok(Some(piece));
            }
            if let Some(e) = input.failure.take() {
                return Err(e);
            }
            if matches!(input.stage, Stage::Ended) {
                return Ok(None);
            }
            assert!(!state.has_panicked, "a thread that decodes has panicked");
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let waited = self.news.wait_timeout(state, STOP_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
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
