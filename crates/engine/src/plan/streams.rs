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
//!
//! Runs whose records are too long for slabs are merged the same way ([`RunStreams`]), but that
//! their longest records are known beforehand.

use super::besides::Besides;
use super::geometry::BufferPlan;
use super::least_budget;
use super::levers::Levers;
use super::memory::{self, LaneMemory};
use super::open_files::OpenFiles;
use crate::error::{ConfigErrorKind, Error, Result, Setting, config, message};
use crate::load::layout::PAGE;
use crate::run::layout::BLOCK;
use crate::units::ByteSize;

/// Smallest piece that is read at once.
const PIECE_MIN: usize = 128 << 10;

/// Largest: at a gigabyte a second it takes 4 ms, far more than a request costs.
const PIECE_MAX: usize = 4 << 20;

const _: () = assert!(PIECE_MIN.is_multiple_of(BLOCK), "pieces of runs are checked block by block");

/// Most bytes of all windows and pieces together, if the smallest pieces take less: fresh memory
/// costs more than longer requests save. Two workers merged 8 files of 1 GB together in 0.81 s with
/// pieces of 512 KiB, in 0.88 s with 1 MiB, and in 0.97 s with 4 MiB.
const PIECES_MAX: usize = 32 << 20;

/// Divisor of an average input that gives the limit of a piece, for small inputs too.
const PARTS_LEAST: u64 = 4;

/// Divisor of the memory for inputs that gives the part always kept for long records.
const LONG_SHARE: usize = 4;

/// Divisor of that memory that gives the limit for pieces and windows larger than the smallest. The
/// rest lets two inputs have records of a third of the budget each, from 64 MiB on.
const PIECES_SHARE: usize = 8;

/// Most inputs merged at once, whatever memory there is: each is two open files, and one more level
/// of the tree for each doubling.
const WIDTH_MAX: usize = 512;

/// Most bytes of a piece that a user may ask for.
const WANTED_MAX: usize = 1 << 30;

/// Most reads in the hands of the system at once; more wait in the queue. Plenty for any disk, and
/// few enough for an engine that takes a thread for each.
pub const READS_USUAL: usize = 16;

/// Bytes of inputs for each worker, at least: a worker costs a queue and buffers. Tests that inject
/// faults have less, so that small inputs are merged in all ways.
const THREAD_BYTES: u64 = if cfg!(feature = "disorder") { 1 << 10 } else { 16 << 20 };

/// Divisor of the memory for inputs that gives the most that further workers may take of it.
const FURTHER_SHARE: usize = 32;

/// Records of a run that its window holds at first, at least, if memory allows. A window is filled
/// from a buffer in memory, so that a short one costs little.
const WINDOW_RECORDS: usize = 4;

/// Queues of a merge: one that reads and one that writes.
const QUEUES: usize = 2;

/// Plan for merging inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPlan {
    /// Workers that may merge at the same time, each a range of keys: one, if there is no memory
    /// for more.
    pub threads: usize,
    /// Most inputs merged at once, at least two.
    pub width: usize,
    /// Bytes of each input's window, and of the piece that is read ahead.
    pub piece_bytes: usize,
    /// Output buffers of each worker.
    pub lane: LaneMemory,
    /// Bytes that windows may grow by, all together.
    pub spare_bytes: usize,
    /// Reads in flight, at most.
    pub read_depth: usize,
    /// True if a worker waits for each of its requests.
    pub waits: bool,
}

/// Inputs to a [`StreamPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamNeed {
    /// Workers wanted.
    pub threads: usize,
    /// Inputs.
    pub inputs: usize,
    /// Their bytes, where they are known.
    pub input_bytes: Option<u64>,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Parts of the budget that records cannot use.
    pub besides: Besides,
    /// Files that can still be opened.
    pub files: OpenFiles,
    /// Files of the system that a run is made of, at most, where inputs are merged in between.
    pub run_members: usize,
    /// Most inputs at once, where they are compressed.
    pub width: Option<usize>,
    /// True if records are selected, so that each worker holds some back.
    pub selects: bool,
    /// Settings for requests, buffers and the width.
    pub levers: Levers,
}

impl StreamNeed {
    /// Checks that enough files can be opened to merge two at once, in addition to `outputs` that
    /// are still to be opened.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with the limit that would do.
    pub fn check_files(&self, outputs: usize) -> Result<()> {
        let outputs = outputs * self.files.per_file;
        self.files.check(self.inputs, outputs, self.run_members, QUEUES)
    }
}

impl StreamPlan {
    /// Returns the plan.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where the budget, or the number of files that may be open, is too small
    /// for two inputs.
    pub fn new(need: &StreamNeed) -> Result<Self> {
        let levers = &need.levers;
        let by_memory = by_memory(need, 1);
        if by_memory < 2 {
            return Err(too_little(need));
        }
        let said = levers.merge_width.into_iter().chain(need.width).min();
        let most = said.unwrap_or(WIDTH_MAX).clamp(2, WIDTH_MAX).min(by_memory);
        let mut by_files = need.files.inputs_at_once(QUEUES);
        if need.inputs > most.min(by_files) {
            by_files = need.files.at_once(need.run_members, QUEUES);
        }
        need.check_files(0)?;
        let width = most.min(by_files);
        let at_once = need.inputs.clamp(1, width);
        // Further workers may not make the merge narrower, nor records much shorter.
        let alone = rest(need, 1);
        let is_possible = |threads: &usize| {
            let queues = QUEUES * threads;
            let open = match need.inputs > width {
                true => need.files.at_once(need.run_members, queues),
                false => need.files.inputs_at_once(queues),
            };
            self::by_memory(need, *threads) >= at_once
                && alone - rest(need, *threads).min(alone) <= alone / FURTHER_SHARE
                && open >= at_once * threads
        };
        let worth = need.input_bytes.map_or(1, |bytes| bytes / THREAD_BYTES);
        let wanted = need.threads.min(usize::try_from(worth).unwrap_or(usize::MAX));
        let most = memory::threads_reserved(need.besides.rest_of(need.budget), wanted);
        let threads = (2..=most).rev().find(is_possible).unwrap_or(1);
        let (lane, rest) = (lane(need, threads), rest(need, threads));
        let share = (rest / PIECES_SHARE).min(PIECES_MAX) / (2 * at_once * threads);
        let part = need.input_bytes.map_or(u64::MAX, |all| all / at_once as u64 / PARTS_LEAST);
        let part = usize::try_from(part).unwrap_or(usize::MAX);
        let least = least_piece(need);
        let usual = share.min(part).clamp(PIECE_MIN, PIECE_MAX) / PIECE_MIN * PIECE_MIN;
        let piece_bytes = if levers.block.is_some() { least } else { usual.max(least) };
        let spare_bytes = rest - 2 * piece_bytes * at_once * threads;
        let depth = if levers.waits() { 1 } else { levers.queue_depth.unwrap_or(READS_USUAL) };
        let read_depth = depth.clamp(1, at_once);
        let waits = levers.waits();
        Ok(Self { threads, width, piece_bytes, lane, spare_bytes, read_depth, waits })
    }
}

/// Returns the output buffers of each of `threads` workers.
fn lane(need: &StreamNeed, threads: usize) -> LaneMemory {
    LaneMemory::new(1, usable(need, threads), threads, &need.levers, need.selects)
}

/// Returns the number of bytes of the arena that the other parts leave.
fn usable(need: &StreamNeed, threads: usize) -> usize {
    let mut besides = need.besides;
    besides.add(need.levers.requests(threads));
    memory::usable(besides.rest_of(need.budget), threads)
}

/// Returns the number of bytes for inputs.
fn rest(need: &StreamNeed, threads: usize) -> usize {
    usable(need, threads).saturating_sub(threads * lane(need, threads).bytes())
}

/// Returns the maximum number of inputs that have memory at once, for each of `threads` workers.
fn by_memory(need: &StreamNeed, threads: usize) -> usize {
    for_pieces(need, threads) / (2 * least_piece(need) * threads)
}

/// Returns the number of bytes for windows and pieces.
fn for_pieces(need: &StreamNeed, threads: usize) -> usize {
    let rest = rest(need, threads);
    rest - rest / LONG_SHARE
}

/// Returns the number of bytes of the smallest piece. A read factor asks for no more than two
/// inputs have.
fn least_piece(need: &StreamNeed) -> usize {
    let levers = &need.levers;
    let wanted = match (levers.block, levers.read_factor) {
        (Some(bytes), _) => usize::try_from(bytes.bytes()).unwrap_or(usize::MAX).min(WANTED_MAX),
        (None, Some(_)) => {
            let two = for_pieces(need, 1) / (2 * 2) / BLOCK * BLOCK;
            (PIECE_MIN + levers.seek_bytes()).min(two).max(PIECE_MIN)
        }
        (None, None) => PIECE_MIN,
    };
    wanted.max(1).next_multiple_of(BLOCK)
}

fn too_little(need: &StreamNeed) -> Error {
    let is_enough = |budget: ByteSize| {
        let budget = ByteSize(budget.bytes() + need.besides.bytes());
        by_memory(&StreamNeed { budget, ..*need }, 1) >= 2
    };
    let least = least_budget(is_enough);
    let least_mib = least.map(|least| need.besides.around_mib(least.max(LEAST)));
    let advice = least_mib.map_or_else(
        || "give smaller requests and buffers".into(),
        |least| message!("give at least {} MiB with {}", least, Setting::Memory),
    );
    config!(
        ConfigErrorKind::BudgetTooSmall { least: least_mib.map(ByteSize::mib) },
        "{} is too little memory for the buffers of the inputs; {}",
        need.budget,
        advice,
    )
}

/// Memory for merging runs as streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStreams {
    /// Bytes of each run's window at first.
    pub window_bytes: usize,
    /// Bytes that windows grow by for the longest records, all together.
    pub spare_bytes: usize,
    /// Buffers that windows are filled from.
    pub buffers: BufferPlan,
}

impl RunStreams {
    /// Runs whose longest records have `longest` bytes each, in `bytes` bytes of memory: windows
    /// for some records, and buffers as large as that allows.
    pub fn new(longest: &[u64], bytes: usize, levers: &Levers) -> Self {
        let fits = |window: &usize| Self::bytes(longest.iter().copied(), *window) <= bytes as u64;
        let halves = std::iter::successors(Some(PIECE_MAX), |piece| Some(piece / 2));
        let most = halves.take_while(|piece| *piece >= PIECE_MIN).find(fits).unwrap_or(PIECE_MIN);
        let record = usize::try_from(longest.iter().copied().max().unwrap_or(0));
        let records = record.unwrap_or(usize::MAX).saturating_mul(WINDOW_RECORDS);
        let window_bytes = records.clamp(BLOCK, most).next_multiple_of(BLOCK);
        let windows: u64 = longest.iter().map(|most| window(*most, window_bytes)).sum();
        let rest = bytes.saturating_sub(usize::try_from(windows).unwrap_or(usize::MAX));
        let depth = if levers.waits() { 1 } else { levers.queue_depth.unwrap_or(READS_USUAL) };
        let geometry = levers.merge_buffers.unwrap_or_default();
        let buffers = BufferPlan::new(geometry, longest.len(), rest, depth);
        let grown = longest.iter().map(|most| most.saturating_sub(window_bytes as u64));
        Self { window_bytes, spare_bytes: grown.sum::<u64>() as usize, buffers }
    }

    /// Returns the number of bytes of a window that no record is longer than.
    pub fn least_window_bytes() -> u64 {
        PIECE_MIN as u64
    }

    /// Returns the least memory for runs with such longest records.
    pub fn least_bytes(longest: impl IntoIterator<Item = u64>) -> u64 {
        Self::bytes(longest, PIECE_MIN)
    }

    /// Returns a piece of `piece_bytes` for each run, and a window that is as large or holds the
    /// longest record; in whole pages.
    fn bytes(longest: impl IntoIterator<Item = u64>, piece_bytes: usize) -> u64 {
        let piece = piece_bytes as u64;
        longest.into_iter().map(|most| piece + window(most, piece_bytes)).sum()
    }
}

/// Returns the bytes of a window of `bytes` bytes that grows for a record of `longest`; in whole
/// pages.
fn window(longest: u64, bytes: usize) -> u64 {
    longest.max(bytes as u64).next_multiple_of(PAGE as u64)
}

/// The least budget.
const LEAST: ByteSize = ByteSize::mib(20);

#[cfg(test)]
mod tests;
