//! Blocks that are put in order as they arrive, because their records cannot be separated alone.
//!
//! A block of rows does not show whether it begins within quotes. A block of line groups does not
//! show with which line of a group it begins, nor a block of prefixed records where its first
//! record begins. All of these depend on the blocks before.
//!
//! A worker that has read a block computes its [`Passage`], such as the number of its quotes or of
//! its line ends, and hands it in with [`BlockChain::arrive`]. The block then waits for those that
//! come before it. After each arrival, the worker calls [`BlockChain::next`] until it returns
//! nothing, and deals the blocks that it gets (`pipeline::raw_load`). Blocks are requested in
//! order, so few ever wait. Nothing is guessed. Streams need no chain: they are read in order.
//!
//! ```text
//!     block       0         1         2          3             4
//!     quotes      odd       even      odd        not arrived   even
//!     begins      outside   inside    inside     outside       waits for 3
//! ```
//!
//! Ge et al. also count all quotes first ("Speculative Distributed CSV Data Parsing for Big Data
//! Analytics", SIGMOD 2019, section 3). Here that needs no pass of its own, as the blocks are in
//! memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::reorder::Reorder;
use crate::format::{Ends, Framing, Passage, RecordFault, Tracker};
use crate::io::Region;
use crate::load::LoadSpan;

/// The order of a load's blocks.
#[derive(Debug)]
pub struct BlockChain {
    framing: Framing,
    state: Mutex<ChainState>,
}

#[derive(Debug)]
struct ChainState {
    /// The state of the framing after the last block that has had its turn.
    tracker: Tracker,
    /// The place in the load at which the tracker's current record begins.
    begun: usize,
    blocks: Reorder<ReadBlock>,
}

/// A block that has been read.
#[derive(Debug)]
struct ReadBlock {
    memory: Region,
    /// Bytes of it that were read.
    bytes: usize,
    /// Rule by which records pass a block, its [`passage`](Framing::passage).
    passage: Passage,
}

/// A block whose turn it is.
#[derive(Debug)]
pub struct OrderedBlock {
    /// The number of the block.
    pub number: usize,
    /// Memory of the block.
    pub memory: Region,
    /// Bytes of it that were read.
    pub bytes: usize,
    /// The ends of the first and of the last record that end in the block, counted after the bytes
    /// that its span skips. Or the fault of a record, with its place in the load.
    pub ends: Result<Ends, RecordFault>,
}

impl BlockChain {
    /// Returns the chain of a load's blocks. `carried` lies before the first block, at byte `start`
    /// of the load, and begins with a record.
    pub fn new(framing: Framing, carried: &[u8], start: usize) -> Self {
        let mut tracker = Tracker::new(framing);
        // The load in which these bytes were read has reported their faults.
        let last = tracker.pass(carried).ok().flatten().map_or(0, |(_, last)| last);
        let (begun, blocks) = (start + last, Reorder::default());
        Self { framing, state: Mutex::new(ChainState { tracker, begun, blocks }) }
    }

    fn state(&self) -> MutexGuard<'_, ChainState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds block `number`, of which `bytes` bytes were read.
    pub fn arrive(&self, number: usize, span: &LoadSpan, memory: Region, bytes: usize) {
        let passage = self.framing.passage(&memory[span.skip.min(bytes)..bytes]);
        let arrived = ReadBlock { memory, bytes, passage };
        self.state().blocks.arrive(number, arrived);
    }

    /// Returns the number of blocks that have had their turn.
    pub fn passed(&self) -> usize {
        self.state().blocks.passed()
    }

    /// Returns the next block in order, if it has arrived.
    pub fn next(&self, spans: &[LoadSpan]) -> Option<OrderedBlock> {
        let mut state = self.state();
        let (number, ReadBlock { memory, bytes, passage }) = state.blocks.next()?;
        let span = &spans[number];
        let skip = span.skip.min(bytes);
        let piece = span.at + skip;
        if number > 0 && spans[number - 1].is_end {
            (state.tracker, state.begun) = (Tracker::new(self.framing), piece);
        }
        let passed = state.tracker.pass_known(&memory[skip..bytes], &passage);
        let begun = state.begun;
        let mut ends = passed.map_err(|fault| {
            // A fault at the first byte is that of the record that began before this block.
            let at = if fault.at == 0 { begun } else { piece + fault.at };
            RecordFault { at, ..fault }
        });
        match ends {
            Ok(Some((_, last))) => state.begun = piece + last,
            // The load ends with the first fault, so later records have no place.
            Err(_) => state.begun = usize::MAX,
            Ok(None) => {}
        }
        if span.is_end
            && let (Ok(_), Err(message)) = (&ends, state.tracker.pass_end())
        {
            ends = Err(RecordFault::new(state.begun, message));
        }
        Some(OrderedBlock { number, memory, bytes, ends })
    }
}
