//! The queue between the threads of a scan and the sort: entries of blocks, in order.
//!
//! The entries of a block come in pieces. The bytes of all pieces that wait are bounded. One piece
//! of the block that is taken next may always come, so that every thread continues. A long piece
//! is made on demand, so that there is one at a time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sortwell_engine::io::Supply;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

/// Time between two looks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Blocks that arrive in any order and are taken in order.
#[derive(Debug)]
pub struct OrderedBlocks {
    state: Mutex<OrderedState>,
    news: Condvar,
    /// Most bytes of pieces that wait.
    most: usize,
}

#[derive(Debug, Default)]
struct OrderedState {
    blocks: BTreeMap<u64, WaitingBlock>,
    /// Bytes of memory of all pieces.
    bytes: usize,
    /// The number of the next block to take.
    next: u64,
    /// The number after the last block, once it is known.
    end: Option<u64>,
    is_abandoned: bool,
    /// True if the sort waits for a piece.
    is_demanded: bool,
}

/// The part of a block that waits.
#[derive(Debug, Default)]
struct WaitingBlock {
    pieces: VecDeque<Vec<u8>>,
    /// The result of the block, once it has no more pieces.
    end: Option<Result<()>>,
}

impl OrderedBlocks {
    /// Returns a queue in which at most `most` bytes wait, and one piece of the next block.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), news: Condvar::new(), most })
    }

    fn state(&self) -> MutexGuard<'_, OrderedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, state: MutexGuard<'s, OrderedState>) -> MutexGuard<'s, OrderedState> {
        self.news.wait_timeout(state, STOP_CHECK).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Puts the next piece of a block, once there is room. After a stop, or after
    /// [`abandon`](Self::abandon), the piece is dropped, and the result is false.
    pub fn put(&self, number: u64, piece: Vec<u8>, progress: &Progress) -> bool {
        let mut state = self.state();
        loop {
            if state.is_abandoned || progress.is_stopping() {
                return false;
            }
            let waits = |block: &WaitingBlock| !block.pieces.is_empty();
            let is_needed = number == state.next && !state.blocks.get(&number).is_some_and(waits);
            if is_needed || state.bytes + piece.capacity() <= self.most {
                break;
            }
            state = self.wait(state);
        }
        state.bytes += piece.capacity();
        state.blocks.entry(number).or_default().pieces.push_back(piece);
        drop(state);
        self.news.notify_all();
        true
    }

    /// Waits until the sort has nothing left and waits for a piece of a block. After a stop, or
    /// after [`abandon`](Self::abandon), the result is false.
    pub fn wait_for_demand(&self, number: u64, progress: &Progress) -> bool {
        let mut state = self.state();
        loop {
            if state.is_abandoned || progress.is_stopping() {
                return false;
            }
            let waits = |block: &WaitingBlock| !block.pieces.is_empty();
            let has_piece = state.blocks.get(&number).is_some_and(waits);
            if state.is_demanded && number == state.next && !has_piece {
                return true;
            }
            state = self.wait(state);
        }
    }

    /// Ends a block, whose pieces were put.
    pub fn end(&self, number: u64, result: Result<()>) {
        self.state().blocks.entry(number).or_default().end = Some(result);
        self.news.notify_all();
    }

    /// Sets the number after the last block, if it is not known yet.
    pub fn end_at(&self, number: u64) {
        let mut state = self.state();
        let end = state.end.get_or_insert(number);
        *end = number.min(*end);
        drop(state);
        self.news.notify_all();
    }

    /// Marks that no more blocks are taken.
    pub fn abandon(&self) {
        self.state().is_abandoned = true;
        self.news.notify_all();
    }

    /// Returns whether no more blocks are taken.
    pub fn is_abandoned(&self) -> bool {
        self.state().is_abandoned
    }

    /// Returns the next piece; `None` after the last block.
    fn take(&self, progress: &Progress) -> Result<Option<Vec<u8>>> {
        let mut state = self.state();
        loop {
            if progress.is_stopping() || state.is_abandoned {
                return Err(Error::Interrupted);
            }
            let next = state.next;
            if state.end == Some(next) {
                return Ok(None);
            }
            let block = state.blocks.entry(next).or_default();
            if let Some(piece) = block.pieces.pop_front() {
                state.bytes -= piece.capacity();
                state.is_demanded = false;
                drop(state);
                self.news.notify_all();
                return Ok(Some(piece));
            }
            match block.end.take() {
                None => {
                    if !std::mem::replace(&mut state.is_demanded, true) {
                        self.news.notify_all();
                    }
                    state = self.wait(state);
                }
                Some(result) => {
                    state.blocks.remove(&next);
                    state.next += 1;
                    // The thread of the next block may wait for its turn.
                    self.news.notify_all();
                    result?;
                }
            }
        }
    }
}

/// The entries as the input of a sort.
pub struct ScannedEntries {
    blocks: Arc<OrderedBlocks>,
    piece: Vec<u8>,
    /// Bytes of the piece that were read.
    read: usize,
}

impl ScannedEntries {
    /// Returns all entries, in order.
    pub const fn new(blocks: Arc<OrderedBlocks>) -> Self {
        Self { blocks, piece: Vec::new(), read: 0 }
    }
}

impl Supply for ScannedEntries {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &self.piece[self.read..];
            if rest.is_empty() {
                (self.piece, self.read) = (Vec::new(), 0);
                match self.blocks.take(progress)? {
                    Some(piece) => self.piece = piece,
                    None => break,
                }
                continue;
            }
            let bytes = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + bytes].copy_from_slice(&rest[..bytes]);
            (self.read, filled) = (self.read + bytes, filled + bytes);
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests;
