//! Dividing the budget among inputs that are sorted already and are merged as streams.
//!
//! ```text
//!   arena of the budget  =  output buffers  +  a window and a piece read ahead for each input
//!                           +  what is left, for records longer than a window
//! ```
//!
//! Inputs cannot be cut by key like runs, as there is no index of them. Each is read in pieces that
//! are as large as memory allows, up to what a disk makes use of; what that leaves open is how many
//! inputs there may be at once.

use super::memory::{self, LaneMemory};
use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Smallest piece that is read at once.
const PIECE_MIN: usize = 128 << 10;

/// Largest: at a gigabyte a second it takes 4 ms, far more than a request costs.
const PIECE_MAX: usize = 4 << 20;

/// One part in so many of the memory for inputs is kept for long records in any case.
const LONG_SHARE: usize = 4;

/// Most inputs merged at once, whatever memory there is: each is two open files, and one more level
/// of the tree for each doubling.
const WIDTH_MAX: usize = 512;

/// Descriptors an input takes: one through the page cache, one past it.
const DESCRIPTORS: usize = 2;

/// Descriptors that are left alone: those the job opens for other than inputs.
const DESCRIPTORS_SPARED: usize = 12;

/// How inputs are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPlan {
    /// Most inputs merged at once, at least two.
    pub width: usize,
    /// Bytes of each input's window, and of the piece that is read ahead.
    pub piece_bytes: usize,
    /// The output's buffers.
    pub lane: LaneMemory,
    /// Bytes that windows may grow by, all together.
    pub spare_bytes: usize,
}

/// What a [`StreamPlan`] follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamNeed {
    /// Inputs.
    pub inputs: usize,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Files that can still be opened.
    pub descriptors: usize,
    /// Most inputs at once, where the user said so.
    pub width: Option<usize>,
}

impl StreamPlan {
    /// The plan.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the budget, or the number of files that may be open, is too small for
    /// two inputs.
    pub fn new(need: &StreamNeed) -> Result<Self> {
        let usable = memory::usable(need.budget, 1);
        let lane = LaneMemory::new(1, usable, 1);
        let rest = usable.saturating_sub(lane.bytes());
        let by_memory = (rest - rest / LONG_SHARE) / (2 * PIECE_MIN);
        if by_memory < 2 {
            return Err(Error::Usage(format!(
                "{} is too little memory to merge in; give at least {} with --memory",
                need.budget, LEAST
            )));
        }
        let by_files = need.descriptors.saturating_sub(DESCRIPTORS_SPARED) / DESCRIPTORS;
        if by_files < 2 {
            return Err(Error::Usage(format!(
                "only {} more files may be opened, too few to merge; raise the limit (ulimit -n)",
                need.descriptors
            )));
        }
        let width = need.width.unwrap_or(WIDTH_MAX).clamp(2, WIDTH_MAX);
        let width = width.min(by_memory).min(by_files);
        let at_once = need.inputs.clamp(1, width);
        let share = (rest - rest / LONG_SHARE) / (2 * at_once);
        let piece_bytes = share.clamp(PIECE_MIN, PIECE_MAX) / PIECE_MIN * PIECE_MIN;
        Ok(Self { width, piece_bytes, lane, spare_bytes: rest - 2 * piece_bytes * at_once })
    }
}

/// The least budget.
const LEAST: ByteSize = ByteSize::mib(20);

#[cfg(test)]
mod tests;
