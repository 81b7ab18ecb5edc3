//! Choice of the compression of runs with `auto`: a trial of the first blocks, and what the first
//! load has shown of disks and processors.
//!
//! ```text
//!   off  max(2 / disk, work)                    seconds for a byte of the input, in each pass
//!   on   max((1 + size) / disk, work + packing)
//! ```
//!
//! A pass reads and writes each byte once, and one of the two is in runs. `size` is the part of a
//! byte that is left. The disk must be known to be slow: by the machine's profile, or because
//! workers waited for it while they read the first load.
//!
//! A disk may also read and write at the same time, each at its full speed. Then a pass takes
//! 1 / disk at least, however small runs are. So that compression never costs time, its work must
//! fit into that.

use std::time::Instant;

use super::layout::BLOCK;
use crate::codec::{CompressRuns, Compression, pack_block, unpack_block};

/// Blocks that a trial packs and unpacks.
const TRIAL_BLOCKS: usize = 16;

/// Blocks that a trial needs.
const TRIAL_LEAST: usize = 4;

/// Part of the time of the workers that they waited, from which the disk is the limit.
const WAITING_LEAST: f64 = 0.4;

/// Work of a pass, as a multiple of that of reading a load: sorting and gathering follow.
const WORK_TIMES: f64 = 2.5;

/// Compression has to save this part of the predicted time at least.
const GAIN_LEAST: f64 = 0.1;

/// Facts about disks and processors that the first load has shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PackingEvidence {
    /// Bytes that were read of the input.
    pub read_bytes: u64,
    /// Seconds that this took.
    pub seconds: f64,
    /// Seconds that workers waited, summed over workers.
    pub waited_seconds: f64,
    /// Workers.
    pub threads: usize,
    /// Bytes a second that the spill disks read and write together, if they were measured.
    pub profile_rate: Option<f64>,
}

/// Result of a trial of one compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackingTrial {
    /// Compression.
    pub compression: Compression,
    /// Part of the bytes that is left.
    pub size: f64,
    /// Seconds in which one thread packs and unpacks a byte.
    pub seconds: f64,
}

impl PackingTrial {
    /// Packs and unpacks some of the blocks in `bytes`; `None` if there are too few.
    pub fn new(compression: Compression, bytes: &[u8]) -> Option<Self> {
        let blocks = bytes.len() / BLOCK;
        if blocks < TRIAL_LEAST {
            return None;
        }
        let step = blocks.div_ceil(TRIAL_BLOCKS);
        let (mut stored, mut count) = (0, 0);
        let mut expanded = vec![0; BLOCK];
        // The first block pays for the state.
        pack_block(compression, &bytes[..BLOCK], |_| ());
        let begun = Instant::now();
        for block in bytes.chunks_exact(BLOCK).step_by(step) {
            let mut length = BLOCK;
            pack_block(compression, block, |packed| {
                length = packed.len();
                let _ = unpack_block(compression.codec(), packed, &mut expanded);
            });
            stored += length;
            count += 1;
        }
        let all = (count * BLOCK) as f64;
        let (size, seconds) = (stored as f64 / all, begun.elapsed().as_secs_f64() / all);
        Some(Self { compression, size, seconds })
    }

    /// Tries all that `auto` chooses from.
    pub(super) fn all(bytes: &[u8]) -> Option<Vec<Self>> {
        let tried = CompressRuns::CANDIDATES.iter();
        tried.map(|compression| Self::new(*compression, bytes)).collect()
    }
}

impl PackingEvidence {
    /// Returns the bytes a second of the disk, if it is known to be the limit.
    fn disk_rate(&self) -> Option<f64> {
        let waiting = self.waited_seconds / (self.seconds * self.threads as f64);
        let measured = self.read_bytes as f64 / self.seconds;
        let measured = (waiting >= WAITING_LEAST).then_some(measured);
        measured.into_iter().chain(self.profile_rate).reduce(f64::min)
    }

    /// Returns the compression that saves most of the predicted time, and the reason for it.
    pub fn choose(&self, trials: &[PackingTrial]) -> (Option<Compression>, &'static str) {
        if self.read_bytes == 0 || self.seconds <= 0.0 || self.threads == 0 {
            return (None, "nothing is known about the disk");
        }
        let Some(rate) = self.disk_rate() else {
            return (None, "the processors are the limit, not the disk");
        };
        let threads = self.threads as f64;
        let busy = (self.seconds * threads - self.waited_seconds).max(0.0) / threads;
        let work = WORK_TIMES * busy / self.read_bytes as f64;
        let off = (2.0 / rate).max(work);
        let on =
            |trial: &PackingTrial| ((1.0 + trial.size) / rate).max(work + trial.seconds / threads);
        let is_free = |trial: &&PackingTrial| work + trial.seconds / threads <= 1.0 / rate;
        let free = trials.iter().filter(is_free);
        let best = free.min_by(|a, b| on(a).total_cmp(&on(b)));
        match best.filter(|best| on(best) <= (1.0 - GAIN_LEAST) * off) {
            Some(best) => (Some(best.compression), "the disk is slow, and the data shrinks"),
            None => (None, "compressing would not save time"),
        }
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests;
