//! A bounded queue of blocks of bytes between two threads.
//!
//! ```text
//!   put ---> [ block | block | ... ] ---> take        as many bytes as `most` whole blocks
//!    ^                                      |
//!    '--------- blocks to be reused <-------'
//! ```
//!
//! A side that puts can lend a source of bytes instead ([`BlockQueue::put_all`]), which the other
//! one copies to where they are needed ([`BlockQueue::take_into`]), without a block between.
//!
//! The side that puts says that all is there ([`BlockQueue::finish`]). Either side may leave early
//! ([`BlockQueue::abandon`]), so that the other one fails instead of waiting for ever.

use std::collections::VecDeque;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use sortwell_engine::error::SORTED_RECORDS;
use sortwell_engine::io::pipe::Inlet;
use sortwell_engine::io::{FillNext, LentSource, Supply, lend};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

/// Bytes of a block, unless a single record is longer.
pub const BLOCK_BYTES: usize = 1 << 20;

/// Time between two looks whether a waiting side was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Attempts to lock a queue for memory that is given back.
const LOCK_TRIES: usize = 100;

/// Blocks of bytes, in order.
#[derive(Debug)]
pub struct BlockQueue {
    state: Mutex<QueueState>,
    news: Condvar,
    /// Most bytes of memory of the blocks that wait. A longer block waits alone. The memory of all
    /// blocks but those that were taken is at most this, and that of the blocks that are filled.
    bytes_max: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    blocks: VecDeque<Vec<u8>>,
    /// Bytes of their memory.
    waiting_bytes: usize,
    /// The source of what comes after the blocks, if one is lent.
    source: Option<LentSource>,
    /// Blocks to be filled again.
    spare: Vec<Vec<u8>>,
    /// Bytes of their memory.
    spare_bytes: usize,
    /// Blocks that are being filled.
    filling: usize,
    /// Most blocks that were filled at a time.
    filling_max: usize,
    /// Bytes that were put.
    bytes: u64,
    is_finished: bool,
    is_abandoned: bool,
}

/// Result of taking the next bytes of a queue into a buffer.
#[derive(Debug)]
pub enum TakenInto {
    /// This number of bytes was written to it, one at least.
    Bytes(usize),
    /// A block comes next.
    Block(TakenBlock),
    /// There is nothing more.
    End,
}

impl BlockQueue {
    /// Returns a queue of at most `most` whole blocks at a time, or of more small ones.
    pub fn new(most: usize) -> Arc<Self> {
        let bytes_max = most.saturating_mul(BLOCK_BYTES);
        Arc::new(Self { state: Mutex::default(), news: Condvar::new(), bytes_max })
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `is_ready` holds.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the other side has left, or after a stop through `progress`.
    fn wait(
        &self,
        progress: &Progress,
        is_ready: impl Fn(&QueueState) -> bool,
    ) -> Result<MutexGuard<'_, QueueState>> {
        let mut state = self.state();
        loop {
            if state.is_abandoned || progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            if is_ready(&state) {
                return Ok(state);
            }
            let waited = self.news.wait_timeout(state, STOP_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns a block to fill, whose bytes may be any; it has memory already if one was given
    /// back.
    fn spare_block(&self) -> Vec<u8> {
        let mut state = self.state();
        state.filling += 1;
        state.filling_max = state.filling_max.max(state.filling);
        let block = state.spare.pop().unwrap_or_default();
        state.spare_bytes -= block.capacity();
        block
    }

    /// Returns an empty block to append to; it has memory already if one was given back.
    pub fn empty_block(&self) -> Vec<u8> {
        let mut block = self.spare_block();
        block.clear();
        block
    }

    /// Puts a block, once there is room.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the other side has left, or after a stop through `progress`.
    pub fn put(&self, block: Vec<u8>, progress: &Progress) -> Result<()> {
        let has_room = |state: &QueueState| {
            state.blocks.is_empty() || state.waiting_bytes + block.capacity() <= self.bytes_max
        };
        let mut state = self.wait(progress, has_room)?;
        state.bytes += block.len() as u64;
        state.filling = state.filling.saturating_sub(1);
        state.waiting_bytes += block.capacity();
        while state.idle_bytes() > self.bytes_max {
            let Some(spare) = state.spare.pop() else { break };
            state.spare_bytes -= spare.capacity();
        }
        state.blocks.push_back(block);
        self.news.notify_all();
        Ok(())
    }

    /// Lends a source of bytes, until the other side has taken all of them.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the other side has left, or after a stop through `progress`.
    pub fn put_all(&self, source: &mut FillNext<'_>, progress: &Progress) -> Result<()> {
        lend(source, |source| {
            self.state().source = Some(source);
            self.news.notify_all();
            let waited = self.wait(progress, |state| state.source.is_none()).map(drop);
            self.state().source = None;
            waited
        })
    }

    /// Returns the next block, or else fills `buffer` from a source that is lent. The buffer must
    /// not be empty.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the other side has left, or after a stop through `progress`.
    pub fn take_into(
        self: &Arc<Self>,
        buffer: &mut [u8],
        progress: &Progress,
    ) -> Result<TakenInto> {
        loop {
            let is_ready = |state: &QueueState| {
                !state.blocks.is_empty() || state.source.is_some() || state.is_finished
            };
            let mut state = self.wait(progress, is_ready)?;
            let Some(source) = state.source.as_ref().filter(|_| state.blocks.is_empty()) else {
                drop(state);
                return Ok(self.take(progress)?.map_or(TakenInto::End, TakenInto::Block));
            };
            let filled = source.fill(buffer).unwrap_or(0);
            state.bytes += filled as u64;
            if filled < buffer.len() {
                state.source = None;
                self.news.notify_all();
            }
            if filled > 0 {
                return Ok(TakenInto::Bytes(filled));
            }
        }
    }

    /// Returns the next block; `None` after the last one.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the other side has left, or after a stop through `progress`.
    pub fn take(self: &Arc<Self>, progress: &Progress) -> Result<Option<TakenBlock>> {
        let is_ready = |state: &QueueState| !state.blocks.is_empty() || state.is_finished;
        let mut state = self.wait(progress, is_ready)?;
        let bytes = state.blocks.pop_front();
        state.waiting_bytes -= bytes.as_ref().map_or(0, Vec::capacity);
        self.news.notify_all();
        Ok(bytes.map(|bytes| TakenBlock { bytes, queue: Some(Arc::clone(self)) }))
    }

    /// Keeps the memory of a block that was taken, for the next one that is filled. If others use
    /// the queue for long, it is freed instead: in a process that `fork` made, they do for ever.
    fn give_back(&self, block: Vec<u8>) {
        let lock = |_| match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                std::thread::yield_now();
                None
            }
        };
        let Some(mut state) = (0..LOCK_TRIES).find_map(lock) else { return };
        // A block of one long record would keep its memory. After the end, none is filled again.
        let is_kept = !state.is_finished && state.idle_bytes() + block.capacity() <= self.bytes_max;
        if is_kept && (BLOCK_BYTES..=2 * BLOCK_BYTES).contains(&block.capacity()) {
            state.spare_bytes += block.capacity();
            state.spare.push(block);
        }
    }

    /// Marks that all blocks were put.
    pub fn finish(&self) {
        let mut state = self.state();
        state.is_finished = true;
        (state.spare, state.spare_bytes) = (Vec::new(), 0);
        drop(state);
        self.news.notify_all();
    }

    /// Marks that one side has left, so that the other one fails. If all blocks were put before,
    /// they can still be taken.
    pub fn abandon(&self) {
        let mut state = self.state();
        state.is_abandoned |= !state.is_finished;
        drop(state);
        self.news.notify_all();
    }
}

impl QueueState {
    /// Returns the bytes of the memory of blocks that wait and of spare ones, without those that
    /// will be needed when as many blocks are filled as were before.
    fn idle_bytes(&self) -> usize {
        let needed = (self.filling_max - self.filling) * BLOCK_BYTES;
        (self.waiting_bytes + self.spare_bytes).saturating_sub(needed)
    }
}

/// A block that was taken out of a queue. When this is dropped, its memory is used again.
#[derive(Debug, Default)]
pub struct TakenBlock {
    bytes: Vec<u8>,
    /// The queue, if it came from one.
    queue: Option<Arc<BlockQueue>>,
}

impl TakenBlock {
    /// Returns a block of bytes that come from no queue.
    pub const fn alone(bytes: Vec<u8>) -> Self {
        Self { bytes, queue: None }
    }
}

impl Deref for TakenBlock {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for TakenBlock {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for TakenBlock {
    fn drop(&mut self) {
        if let Some(queue) = &self.queue {
            queue.give_back(std::mem::take(&mut self.bytes));
        }
    }
}

/// A queue that is abandoned when this is dropped, unless all blocks were put before.
#[derive(Debug)]
pub struct AbandonedQueue(pub Arc<BlockQueue>);

impl Drop for AbandonedQueue {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// The side of the job that reads what was pushed.
#[derive(Debug)]
pub struct PushedBlocks {
    queue: Arc<BlockQueue>,
    block: TakenBlock,
    /// Bytes of the block that were read.
    read: usize,
}

impl PushedBlocks {
    /// Returns a reader of all blocks of a queue.
    pub fn new(queue: Arc<BlockQueue>) -> Self {
        Self { queue, block: TakenBlock::default(), read: 0 }
    }
}

impl Supply for PushedBlocks {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.read == self.block.len() {
                // Its memory is given back before another one is waited for.
                (self.block, self.read) = (TakenBlock::default(), 0);
                match self.queue.take_into(&mut buffer[filled..], progress)? {
                    TakenInto::Block(block) => self.block = block,
                    TakenInto::Bytes(bytes) => {
                        filled += bytes;
                        continue;
                    }
                    TakenInto::End => break,
                }
            }
            let rest = &self.block[self.read..];
            let bytes = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + bytes].copy_from_slice(&rest[..bytes]);
            (self.read, filled) = (self.read + bytes, filled + bytes);
        }
        Ok(filled)
    }
}

impl Drop for PushedBlocks {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

/// The side of the job that writes sorted records, for them to be pulled.
#[derive(Debug)]
pub struct SortedBlocks {
    /// The queue.
    pub queue: Arc<BlockQueue>,
    /// True if workers fill the blocks themselves. That takes more than a few records need.
    pub takes_blocks: bool,
}

impl Inlet for SortedBlocks {
    fn write_all(&self, data: &[u8], progress: &Progress) -> Result<()> {
        for piece in data.chunks(BLOCK_BYTES) {
            let mut block = self.queue.empty_block();
            block.reserve_exact(piece.len());
            block.extend_from_slice(piece);
            self.queue.put(block, progress)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.queue.state().bytes
    }

    fn name(&self) -> &Path {
        Path::new(SORTED_RECORDS)
    }

    fn block_bytes(&self) -> usize {
        if self.takes_blocks { BLOCK_BYTES } else { 0 }
    }

    fn block(&self) -> Vec<u8> {
        let mut block = self.queue.spare_block();
        if block.capacity() < BLOCK_BYTES {
            return vec![0; BLOCK_BYTES]; // zeroed by the system
        }
        block.resize(BLOCK_BYTES, 0);
        block
    }

    fn write_block(&self, block: Vec<u8>, progress: &Progress) -> Result<()> {
        self.queue.put(block, progress)
    }
}

#[cfg(test)]
mod tests;
