//! One compressed input: how far it is expanded, and its buffers in the order of its bytes.

use std::collections::VecDeque;

use super::batch::{Expansion, UnitBatch};
use super::decoding::Origin;
use super::source::Compressed;
use super::{Codec, Decode, FrameBlocks};
use crate::error::{Error, Result};

/// A compressed input, as threads and its reader share it.
pub struct DecodingInput {
    origin: Origin,
    codec: Codec,
    stage: Stage,
    /// True if it waits for a thread.
    pub is_queued: bool,
    ready: VecDeque<Ready>,
    spare: Vec<Vec<u8>>,
    spare_packed: Vec<Vec<u8>>,
    /// Number of buffers that were handed out.
    passed: u64,
    /// Number of batches that threads expand or count now.
    expanding: usize,
    batches: Batches,
    /// Error that ended the input, if one did.
    failure: Option<Error>,
}

/// Progress of an input.
pub enum Stage {
    Unopened,
    Open(Box<Open>),
    /// A thread reads it.
    Busy,
    Ended,
}

/// An input that is being expanded.
pub struct Open {
    pub from: Compressed,
    pub decoder: Box<dyn Decode>,
}

/// Expanded bytes.
#[derive(Default)]
pub struct Buffer {
    pub buffer: Vec<u8>,
    pub filled: usize,
}

/// Expanded blocks of a batch, before the checksum of their frame counts them.
pub struct UncountedPiece {
    piece: Buffer,
    packed: Vec<u8>,
    blocks: Box<dyn FrameBlocks>,
}

impl UncountedPiece {
    /// Counts it.
    pub fn count(&self) {
        self.blocks.count(&self.piece.buffer[..self.piece.filled]);
    }
}

/// State of the division of an input into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batches {
    /// The next step is a batch, if there is one.
    Wanted,
    /// There was none: the next step waits for the batches before it.
    Awaited,
    /// A batch was not whole. It and those after it are put back once no thread expands one.
    Failed,
    /// One thread expands the rest.
    Over,
}

/// A buffer in its place in the order.
enum Ready {
    /// A thread fills it, or counts it.
    Expanding,
    /// Expanded blocks. A thread counts them when it has counted all before them.
    Uncounted(UncountedPiece),
    /// Expanded bytes, and the batch that they were made of. The batch is empty if they were
    /// expanded in order.
    Filled(Buffer, Vec<u8>),
    /// A batch that is not whole.
    Failed(Vec<u8>),
}

impl Ready {
    /// Returns the batch, if it is not in the hands of a thread.
    fn packed(&self) -> &[u8] {
        match self {
            Self::Expanding => &[],
            Self::Uncounted(made) => &made.packed,
            Self::Filled(_, packed) | Self::Failed(packed) => packed,
        }
    }
}

/// A step that a thread takes with an input: its state, and room for a batch or a buffer.
pub struct Turn {
    pub stage: Stage,
    pub origin: Origin,
    pub codec: Codec,
    /// A buffer, if one is spare.
    pub buffer: Option<Vec<u8>>,
    /// Room for a batch, if there is some.
    pub packed: Vec<u8>,
    /// True if the step is a batch.
    pub wants_batch: bool,
    /// True if no thread expands or counts a batch.
    pub is_alone: bool,
}

/// Result of a step.
pub enum Step {
    /// Bytes expanded in order, fewer than a buffer at the end of the input.
    Filled(Box<Open>, Buffer),
    /// A batch that is to be expanded into a buffer.
    Cut(Box<Open>, UnitBatch, Vec<u8>),
    /// Nothing: batches that were cut before have to be expanded first.
    Postponed(Box<Open>, Vec<u8>),
}

/// A batch that a thread expands, and its place in the order.
pub struct PlacedBatch {
    pub batch: UnitBatch,
    pub buffer: Vec<u8>,
    pub place: u64,
}

/// Answer to the reader of an input.
pub enum Next {
    Filled(Buffer),
    End,
    /// Threads are at it.
    NotYet,
}

impl DecodingInput {
    /// Returns an input that is not open, and is divided into batches or not.
    pub fn new(origin: Origin, codec: Codec, has_batches: bool) -> Self {
        Self {
            origin,
            codec,
            stage: Stage::Unopened,
            is_queued: false,
            ready: VecDeque::new(),
            spare: Vec::new(),
            spare_packed: Vec::new(),
            passed: 0,
            expanding: 0,
            batches: if has_batches { Batches::Wanted } else { Batches::Over },
            failure: None,
        }
    }

    /// Returns whether a thread can take a step, and at most `most` buffers are filled then.
    pub fn wants_thread(&self, most: usize) -> bool {
        self.is_free() && !self.is_queued && self.ready.len() < most
    }

    /// Returns whether no thread reads it, and no batch is waited for or has to be put back.
    fn is_free(&self) -> bool {
        let is_idle = matches!(self.stage, Stage::Unopened | Stage::Open(_));
        is_idle && !matches!(self.batches, Batches::Awaited | Batches::Failed)
    }

    /// Begins a step. Returns `None` if a batch failed, or is waited for, after the input was
    /// queued: otherwise a thread would expand later bytes before those that are put back.
    pub fn begin(&mut self) -> Option<Turn> {
        self.is_queued = false;
        self.is_free().then(|| Turn {
            stage: std::mem::replace(&mut self.stage, Stage::Busy),
            origin: self.origin.clone(),
            codec: self.codec,
            buffer: self.spare.pop(),
            packed: self.spare_packed.pop().unwrap_or_default(),
            wants_batch: self.batches == Batches::Wanted,
            is_alone: self.expanding == 0,
        })
    }

    /// Notes a step. Returns the batch that is to be expanded.
    pub fn note(&mut self, done: Result<Step>) -> Option<PlacedBatch> {
        let mut cut = None;
        match done {
            Ok(Step::Filled(open, piece)) => {
                let is_at_end = piece.filled < piece.buffer.len();
                self.stage = if is_at_end { Stage::Ended } else { Stage::Open(open) };
                if piece.filled > 0 {
                    self.ready.push_back(Ready::Filled(piece, Vec::new()));
                }
            }
            Ok(Step::Cut(open, batch, buffer)) => {
                self.stage = Stage::Open(open);
                self.expanding += 1;
                let place = self.passed + self.ready.len() as u64;
                self.ready.push_back(Ready::Expanding);
                cut = Some(PlacedBatch { batch, buffer, place });
            }
            Ok(Step::Postponed(open, buffer)) => {
                self.stage = Stage::Open(open);
                self.spare.push(buffer);
                if self.batches == Batches::Wanted {
                    self.batches = Batches::Awaited;
                }
            }
            Err(e) => (self.stage, self.failure) = (Stage::Ended, Some(e)),
        }
        self.settle();
        cut
    }

    /// Notes what a thread has made of the batch with this place. Returns the piece that the thread
    /// has to count next, if there is one.
    #[must_use]
    pub fn note_made(
        &mut self,
        place: u64,
        made: Expansion,
        buffer: Vec<u8>,
    ) -> Option<UncountedPiece> {
        self.expanding -= 1;
        let slot = (place - self.passed) as usize;
        let packed = made.packed;
        self.ready[slot] = match (made.filled, made.blocks) {
            (Some(filled), None) => Ready::Filled(Buffer { buffer, filled }, packed),
            (Some(filled), Some(blocks)) => {
                let piece = Buffer { buffer, filled };
                Ready::Uncounted(UncountedPiece { piece, packed, blocks })
            }
            (None, _) => {
                self.batches = Batches::Failed;
                Ready::Failed(packed)
            }
        };
        self.next_uncounted()
    }

    /// Notes that a piece was counted. Returns the next one, as [`Self::note_made`] does.
    #[must_use]
    pub fn note_counted(&mut self, counted: UncountedPiece) -> Option<UncountedPiece> {
        self.expanding -= 1;
        if let Some(slot) = self.first_unfilled() {
            *slot = Ready::Filled(counted.piece, counted.packed);
        }
        self.next_uncounted()
    }

    /// Returns the first buffer that cannot be read yet.
    fn first_unfilled(&mut self) -> Option<&mut Ready> {
        self.ready.iter_mut().find(|slot| !matches!(slot, Ready::Filled(..)))
    }

    /// Takes the piece that follows the counted ones, if it is expanded. No other piece can be
    /// taken before it is noted as counted: until then its buffer is the first unfilled one.
    fn next_uncounted(&mut self) -> Option<UncountedPiece> {
        let mut next = None;
        if let Some(slot) = self.first_unfilled()
            && matches!(slot, Ready::Uncounted(_))
            && let Ready::Uncounted(piece) = std::mem::replace(slot, Ready::Expanding)
        {
            self.expanding += 1;
            next = Some(piece);
        }
        self.settle();
        next
    }

    /// Ends waiting for batches, or puts back the first one that was not whole, with all that was
    /// cut off after it. Does nothing while a thread expands or counts a batch.
    fn settle(&mut self) {
        if matches!(self.stage, Stage::Ended) {
            (self.spare, self.spare_packed) = (Vec::new(), Vec::new());
        }
        if self.expanding > 0 || matches!(self.stage, Stage::Busy) {
            return;
        }
        match self.batches {
            Batches::Awaited => self.batches = Batches::Wanted,
            Batches::Failed => {
                let is_failed = |slot: &Ready| matches!(slot, Ready::Failed(_));
                let first = self.ready.iter().position(is_failed).unwrap_or(self.ready.len());
                let bytes = self.ready.range(first..).map(|slot| slot.packed().len()).sum();
                let mut taken = Vec::with_capacity(bytes);
                for slot in self.ready.drain(first..) {
                    taken.extend_from_slice(slot.packed());
                }
                if let Stage::Open(open) = &mut self.stage {
                    open.from.put_back(&taken);
                }
                self.batches = Batches::Over;
            }
            Batches::Wanted | Batches::Over => {}
        }
    }

    /// Keeps a buffer that was read, for use again.
    pub fn keep(&mut self, used: Buffer) {
        if !used.buffer.is_empty() && !matches!(self.stage, Stage::Ended) {
            self.spare.push(used.buffer);
        }
    }

    /// Takes what comes next. Returns the error that ended the input, once.
    pub fn take_next(&mut self) -> Result<Next> {
        match self.ready.front() {
            Some(Ready::Filled(..)) => {}
            Some(_) => return Ok(Next::NotYet),
            None => {
                return match (self.failure.take(), &self.stage) {
                    (Some(e), _) => Err(e),
                    (None, Stage::Ended) => Ok(Next::End),
                    (None, _) => Ok(Next::NotYet),
                };
            }
        }
        let Some(Ready::Filled(piece, packed)) = self.ready.pop_front() else {
            return Ok(Next::NotYet);
        };
        if packed.capacity() > 0 && !matches!(self.stage, Stage::Ended) {
            self.spare_packed.push(packed);
        }
        self.passed += 1;
        Ok(Next::Filled(piece))
    }
}
