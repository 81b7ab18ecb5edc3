//! Blocks whose records can only be told apart from the beginning, put in order as they arrive.
//!
//! A block of rows does not say by itself whether it begins within quotes, a block of groups of
//! lines with which line of a group, nor a block of prefixed records where its first one begins.
//! What a block adds to that is found when it arrives, by the worker that takes it in: its
//! [`Passage`], as whether its quotes are odd in number, or how many lines end in it. Then it waits
//! for those before it, and the worker that brings the missing one deals all that were waiting.
//! Blocks are asked for in order, so that few ever wait. Nothing is guessed.
//!
//! ```text
//!     block       0 odd     1 even    2 odd      3 -        4 even
//!     begins      outside   inside    inside     outside    waits for 3
//! ```
//!
//! (Going over all quotes first is how Ge et al. settle where rows begin, "Speculative Distributed
//! CSV Data Parsing for Big Data Analytics", SIGMOD 2019, section 3; here it costs no pass of its
//! own, as blocks are in memory anyway.)

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::format::{Ends, Fault, Framing, Passage, Tracker};
use crate::io::Region;
use crate::load::lines::LineSpan;

/// The order of a load's blocks.
#[derive(Debug)]
pub struct Chain {
    framing: Framing,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Stands behind the last block before `next`.
    tracker: Tracker,
    /// Where in the load the record begins that the tracker is in.
    begun: usize,
    /// The first block whose beginning is not known.
    next: usize,
    waiting: BTreeMap<usize, Arrived>,
}

/// A block that has been read.
#[derive(Debug)]
struct Arrived {
    memory: Region,
    /// Bytes of it that were read.
    bytes: usize,
    /// Its [`passage`](Framing::passage).
    passage: Passage,
}

/// A block whose turn it is.
#[derive(Debug)]
pub struct Ready {
    /// Its number.
    pub number: usize,
    /// Its memory.
    pub memory: Region,
    /// Bytes of it that were read.
    pub bytes: usize,
    /// Behind the first and the last record that end in it, or what is wrong with one. That one
    /// begins at a place in the load, where records before do at places in the block.
    pub ends: Result<Ends, Fault>,
}

impl Chain {
    /// The blocks of a load; before the first lies `carried`, from byte `start` of the load on,
    /// which begins with a record.
    pub fn new(framing: Framing, carried: &[u8], start: usize) -> Self {
        let mut tracker = Tracker::new(framing);
        // What was carried was passed before, in the load that it was read in.
        let last = tracker.pass(carried).ok().flatten().map_or(0, |(_, last)| last);
        let (begun, waiting) = (start + last, BTreeMap::new());
        let state = Mutex::new(State { tracker, begun, next: 0, waiting });
        Self { framing, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in block `number`, of which `bytes` bytes were read.
    pub fn arrive(&self, number: usize, span: &LineSpan, memory: Region, bytes: usize) {
        let passage = self.framing.passage(&memory[span.skip.min(bytes)..bytes]);
        let arrived = Arrived { memory, bytes, passage };
        self.state().waiting.insert(number, arrived);
    }

    /// How many blocks have had their turn.
    pub fn passed(&self) -> usize {
        self.state().next
    }

    /// The next block in order, if it has arrived.
    pub fn next(&self, spans: &[LineSpan]) -> Option<Ready> {
        let mut state = self.state();
        let number = state.next;
        let Arrived { memory, bytes, passage } = state.waiting.remove(&number)?;
        let span = &spans[number];
        let skip = span.skip.min(bytes);
        let piece = span.at + skip;
        if number > 0 && spans[number - 1].is_end {
            (state.tracker, state.begun) = (Tracker::new(self.framing), piece);
        }
        let passed = state.tracker.pass_known(&memory[skip..bytes], &passage);
        let begun = state.begun;
        let mut ends = passed.map_err(|fault| {
            // A record that is wrong from the block's beginning may have begun before it.
            let at = if fault.at == 0 { begun } else { piece + fault.at };
            Fault { at, ..fault }
        });
        match ends {
            Ok(Some((_, last))) => state.begun = piece + last,
            // Nothing behind it is the first that is wrong.
            Err(_) => state.begun = usize::MAX,
            Ok(None) => {}
        }
        if span.is_end
            && let (Ok(_), Err(message)) = (&ends, state.tracker.pass_end())
        {
            ends = Err(Fault::new(state.begun, message));
        }
        state.next += 1;
        Some(Ready { number, memory, bytes, ends })
    }
}
