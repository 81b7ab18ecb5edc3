//! Compressing the blocks of a run as they are written.
//!
//! ```text
//!   an output buffer  | block 3 | block 4 | block 5 |
//!   packed in place   |3|4 |5|0|                        zeros up to a whole page
//!   the run file      ... |3|4 |5|0| ...                at the end of what was claimed so far
//! ```
//!
//! Each write claims its place when its bytes are known, so blocks of different tasks are in any
//! order. The table says where each block is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::layout::BLOCK;
use super::packing_choice::{PackingEvidence, PackingTrial};
use super::page::PAGE;
use crate::codec::{Codec, Compression, pack_block};
use crate::sink::WrittenGranule;

/// Counters of the compressed runs of a job.
#[derive(Debug, Default)]
pub struct PackedCount {
    blocks: AtomicU64,
    plain_blocks: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl PackedCount {
    /// Returns the number of blocks, and of those that did not shrink.
    pub fn blocks(&self) -> (u64, u64) {
        (self.blocks.load(Ordering::Relaxed), self.plain_blocks.load(Ordering::Relaxed))
    }

    /// Returns the bytes of all blocks before and after compression, padding included.
    pub fn bytes(&self) -> (u64, u64) {
        (self.blocks().0 * BLOCK as u64, self.bytes.load(Ordering::Relaxed))
    }

    /// Returns the seconds that all threads have compressed.
    pub fn seconds(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// A choice of compression, if any, with its reason.
pub type PackingChoice = (Option<Compression>, &'static str);

/// Compression of the runs of a job. Until it is chosen, blocks are stored as they are.
#[derive(Clone, Debug, Default)]
pub struct RunPacking {
    choice: Arc<OnceLock<PackingChoice>>,
    /// Facts that a trial decides by, once there are any.
    evidence: Arc<OnceLock<PackingEvidence>>,
    count: Arc<PackedCount>,
}

impl RunPacking {
    /// Returns a fixed choice.
    pub fn fixed(choice: PackingChoice) -> Self {
        let packing = Self::default();
        packing.choice.get_or_init(|| choice);
        packing
    }

    /// Notes what the first load has shown: the next blocks are tried.
    pub fn observe(&self, evidence: impl FnOnce() -> PackingEvidence) {
        if self.choice.get().is_none() {
            self.evidence.get_or_init(evidence);
        }
    }

    /// Returns whether the blocks of the next run are packed, or tried.
    pub fn is_on(&self) -> bool {
        match self.choice.get() {
            Some((compression, _)) => compression.is_some(),
            None => self.evidence.get().is_some(),
        }
    }

    /// Returns the choice, once there is one.
    pub fn choice(&self) -> Option<PackingChoice> {
        self.choice.get().copied()
    }

    /// Returns the counters.
    pub fn count(&self) -> &PackedCount {
        &self.count
    }

    /// Returns the codec of packed blocks.
    pub(super) fn codec(&self) -> Codec {
        let chosen = self.choice.get().and_then(|(compression, _)| *compression);
        chosen.map_or(Codec::Lz4, Compression::codec)
    }

    /// Returns the compression of the blocks in `bytes`, which are tried if that decides.
    fn compression(&self, bytes: &[u8]) -> Option<Compression> {
        if let Some((compression, _)) = self.choice.get() {
            return *compression;
        }
        let trials = PackingTrial::all(bytes)?;
        let evidence = self.evidence.get()?;
        self.choice.get_or_init(|| evidence.choose(&trials)).0
    }
}

/// Packer of the blocks of one run.
#[derive(Debug)]
pub(super) struct RunPacker {
    packing: RunPacking,
    /// End of the file as far as it was claimed.
    end: AtomicU64,
}

impl RunPacker {
    /// Returns a packer that stores blocks from offset `start` of the file on.
    pub(super) fn new(packing: RunPacking, start: u64) -> Self {
        Self { packing, end: AtomicU64::new(start) }
    }

    /// Returns the codec of the blocks, once all are written.
    pub(super) fn codec(&self) -> Codec {
        self.packing.codec()
    }

    /// Returns the offset at which the stored blocks end.
    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Packs the blocks in `bytes`, in place, and claims room for them. Returns the offset in the
    /// file, and the bytes to write there.
    pub(super) fn pack(&self, bytes: &mut [u8], granules: &mut [WrittenGranule]) -> (u64, usize) {
        let begun = Instant::now();
        let (mut end, mut plain) = (0, 0);
        let mut packed = Vec::with_capacity(BLOCK);
        let compression = self.packing.compression(bytes);
        for (number, granule) in granules.iter_mut().enumerate() {
            let start = number * BLOCK;
            packed.clear();
            let take = |shorter: &[u8]| packed.extend_from_slice(shorter);
            let block = &bytes[start..start + BLOCK];
            let is_packed = compression.is_some_and(|one| pack_block(one, block, take));
            let length = if is_packed {
                bytes[end..end + packed.len()].copy_from_slice(&packed);
                packed.len()
            } else {
                bytes.copy_within(start..start + BLOCK, end);
                plain += 1;
                BLOCK
            };
            (granule.offset, granule.length) = (end as u64, length as u32);
            end += length;
        }
        let whole = end.next_multiple_of(PAGE);
        bytes[end..whole].fill(0);
        let offset = self.end.fetch_add(whole as u64, Ordering::Relaxed);
        granules.iter_mut().for_each(|granule| granule.offset += offset);
        let count = &self.packing.count;
        count.blocks.fetch_add(granules.len() as u64, Ordering::Relaxed);
        count.plain_blocks.fetch_add(plain, Ordering::Relaxed);
        count.bytes.fetch_add(whole as u64, Ordering::Relaxed);
        count.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        (offset, whole)
    }
}
