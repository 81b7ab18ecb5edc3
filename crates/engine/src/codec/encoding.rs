//! Threads that compress an output, chunk by chunk.
//!
//! The output is cut into chunks of a megabyte, wherever records end, and each becomes a member or
//! frame of its own: so the bytes are the same for any number of threads. A chunk travels in a
//! *slot* with room for what becomes of it. Whichever thread finds that the next chunk in order is
//! done writes it, and all that follow and are done, while the others continue compressing. There
//! are as many slots as memory was set aside for. A thread with bytes to write waits for a free
//! one.
//!
//! A write that fails ends the output: the next write, or `finish`, returns the error.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::threads::{CodecThreads, Monitor, Monitored};
use super::{Compression, Encode};
use crate::error::{Error, Result};
use crate::io::pipe;
use crate::stats::Progress;

/// Bytes of a chunk: the same everywhere, as the output's bytes depend on it. Smaller chunks would
/// cost zstd some of its savings; larger ones would take more memory.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Slots beyond one for each thread: one that is being filled, and one that is being written.
const SLOTS_SPARE: usize = 2;

/// Pages of a thread's stack, and what its allocator keeps.
const THREAD_BYTES: u64 = 256 << 10;

/// An output being compressed.
pub struct OutputEncoding {
    shared: Arc<EncodingShared>,
    _threads: CodecThreads<EncodingState>,
}

/// Takes the bytes of an output, in order.
struct EncodingInlet(Arc<EncodingShared>);

struct EncodingShared {
    name: PathBuf,
    filling: Mutex<Filling>,
    monitor: Arc<Monitor<EncodingState>>,
    /// Held by the thread that writes.
    target: Mutex<pipe::PipeWriter>,
    slots: usize,
    slot_bytes: usize,
}

/// The chunk that is being filled.
#[derive(Default)]
struct Filling {
    chunk: Vec<u8>,
    /// Bytes of all chunks so far.
    bytes: u64,
}

#[derive(Default)]
struct EncodingState {
    /// Chunks to compress, by their numbers.
    waiting: VecDeque<(u64, Slot)>,
    /// Number of the next chunk to come.
    next_in: u64,
    /// Chunks that were compressed and not written.
    done: BTreeMap<u64, Slot>,
    /// Number of the next chunk to be written.
    next_out: u64,
    is_writing: bool,
    free: Vec<Slot>,
    /// Slots there are.
    made: usize,
    failure: Option<Error>,
    has_failed: bool,
}

/// A chunk and what becomes of it.
#[derive(Default)]
struct Slot {
    chunk: Vec<u8>,
    packed: Vec<u8>,
    packed_bytes: usize,
}

/// Returns the memory of one thread, and the memory of the rest: slots, and codecs at work.
pub fn thread_bytes(compression: Compression) -> (u64, u64) {
    let slot = 2 * CHUNK_BYTES as u64 + (64 << 10);
    (slot + compression.state_bytes() + THREAD_BYTES, slot * SLOTS_SPARE as u64)
}

impl OutputEncoding {
    /// Compresses to `target` with the given number of threads.
    pub fn start(
        target: pipe::PipeWriter,
        compression: Compression,
        threads: usize,
    ) -> Result<Self> {
        let threads = threads.max(1);
        let mut encoders = Vec::with_capacity(threads);
        let mut slot_bytes = 0;
        for _ in 0..threads {
            let (encoder, most) = compression.encoder(CHUNK_BYTES)?;
            encoders.push(encoder);
            slot_bytes = most;
        }
        let monitor = Arc::new(Monitor::new(EncodingState::default()));
        let shared = Arc::new(EncodingShared {
            name: target.name().to_owned(),
            filling: Mutex::default(),
            monitor: Arc::clone(&monitor),
            target: Mutex::new(target),
            slots: threads + SLOTS_SPARE,
            slot_bytes,
        });
        let bodies = encoders.into_iter().map(|encoder| {
            let shared = Arc::clone(&shared);
            move || shared.serve(encoder)
        });
        let threads = CodecThreads::start(&monitor, "encode", &shared.name, bodies)?;
        Ok(Self { shared, _threads: threads })
    }

    /// Returns the writer for the output's bytes.
    pub fn writer(&self) -> pipe::PipeWriter {
        pipe::PipeWriter::inlet(Arc::new(EncodingInlet(Arc::clone(&self.shared))))
    }

    /// Compresses and writes what is left, and returns the number of compressed bytes.
    ///
    /// # Errors
    ///
    /// The error that kept a chunk from being written, or [`Error::Interrupted`] soon after a stop
    /// was asked for through `progress`.
    pub fn finish(self, progress: &Progress) -> Result<u64> {
        let filling = std::mem::take(&mut *self.shared.filling());
        if !filling.chunk.is_empty() || filling.bytes == 0 {
            self.shared.hand_over(filling.chunk, progress)?;
        }
        let mut state = self.shared.monitor.state();
        while state.next_out < state.next_in {
            state = self.shared.wait(state, progress)?;
        }
        state.check()?;
        drop(state);
        let target = self.shared.target.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(target.bytes())
    }
}

impl std::fmt::Debug for OutputEncoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoding").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

impl pipe::Inlet for EncodingInlet {
    fn write_all(&self, mut data: &[u8], progress: &Progress) -> Result<()> {
        let mut filling = self.0.filling();
        while !data.is_empty() {
            if filling.chunk.capacity() == 0 {
                filling.chunk.reserve_exact(CHUNK_BYTES);
            }
            let bytes = data.len().min(CHUNK_BYTES - filling.chunk.len());
            filling.chunk.extend_from_slice(&data[..bytes]);
            filling.bytes += bytes as u64;
            data = &data[bytes..];
            if filling.chunk.len() == CHUNK_BYTES {
                let chunk = std::mem::take(&mut filling.chunk);
                filling.chunk = self.0.hand_over(chunk, progress)?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.0.filling().bytes
    }

    fn name(&self) -> &Path {
        &self.0.name
    }
}

impl std::fmt::Debug for EncodingInlet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EncodingInlet").field(&self.0.name).finish()
    }
}

impl EncodingState {
    /// Returns the error that ended the output, if one did.
    fn check(&mut self) -> Result<()> {
        match self.failure.take() {
            Some(e) => Err(e),
            None if self.has_failed => Err(Error::Interrupted), // whoever heard of it says why
            None => Ok(()),
        }
    }
}

impl EncodingShared {
    fn filling(&self) -> MutexGuard<'_, Filling> {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a while for news.
    fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, Monitored<EncodingState>>,
        progress: &Progress,
    ) -> Result<MutexGuard<'a, Monitored<EncodingState>>> {
        state.check()?;
        self.monitor.wait_for_news(state, progress)
    }

    /// Hands a chunk over for compression; returns an empty one in exchange.
    fn hand_over(&self, chunk: Vec<u8>, progress: &Progress) -> Result<Vec<u8>> {
        let mut state = self.monitor.state();
        state.check()?;
        let mut slot = loop {
            if let Some(slot) = state.free.pop() {
                break slot;
            }
            if state.made < self.slots {
                state.made += 1;
                break Slot::default();
            }
            state = self.wait(state, progress)?;
        };
        let mut empty = std::mem::replace(&mut slot.chunk, chunk);
        empty.clear();
        let number = state.next_in;
        state.next_in += 1;
        state.waiting.push_back((number, slot));
        self.monitor.add_work();
        Ok(empty)
    }

    /// Runs a compressing thread.
    fn serve(&self, mut encoder: Box<dyn Encode>) {
        let mut state = self.monitor.state();
        while !state.is_over() {
            let Some((number, mut slot)) = state.waiting.pop_front() else {
                state = self.monitor.wait_for_work(state);
                continue;
            };
            drop(state);
            slot.packed.resize(self.slot_bytes, 0);
            let encoded = encoder.encode(&slot.chunk, &mut slot.packed);
            state = self.monitor.state();
            match encoded {
                Ok(bytes) => slot.packed_bytes = bytes,
                Err(e) => (state.failure, state.has_failed) = (Some(e), true),
            }
            state.done.insert(number, slot);
            if !state.is_writing {
                state = self.write_out(state);
            }
        }
    }

    /// Writes what is done and has its turn.
    fn write_out<'a>(
        &'a self,
        mut state: MutexGuard<'a, Monitored<EncodingState>>,
    ) -> MutexGuard<'a, Monitored<EncodingState>> {
        state.is_writing = true;
        loop {
            let next = state.next_out;
            let Some(slot) = state.done.remove(&next) else { break };
            if !state.has_failed {
                drop(state);
                let packed = &slot.packed[..slot.packed_bytes];
                let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
                let written = target.write_all(packed, self.monitor.halt());
                drop(target);
                state = self.monitor.state();
                if let Err(e) = written {
                    (state.failure, state.has_failed) = (Some(e), true);
                }
            }
            state.next_out += 1;
            state.free.push(slot);
            self.monitor.tell();
        }
        state.is_writing = false;
        state
    }
}
