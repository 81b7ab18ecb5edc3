//! Blocks of an lz4 frame: their expansion, by the decoder of the frame or apart from it, and the
//! count of what they expand to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lz4_flex::block::{DecompressError, decompress_into, decompress_into_with_dict};
use xxhash_rust::xxh32::{Xxh32, xxh32};

use super::super::FrameBlocks;
use super::super::batch::Unit;
use super::super::source::Compressed;
use super::{BLOCK_CHECKSUMS, BLOCK_EXTRA, CONTENT_CHECKSUM, INDEPENDENT, Lz4Header, STORED};
use crate::error::Result;

/// The word that a block begins with.
#[derive(Clone, Copy, Debug)]
pub struct BlockWord {
    is_stored: bool,
    /// Bytes of the block, without this word and the checksum.
    pub data_bytes: usize,
}

impl BlockWord {
    /// Reads the word. Returns `None` for the one that ends a frame.
    pub fn of(word: [u8; BLOCK_EXTRA]) -> Option<Self> {
        let word = u32::from_le_bytes(word);
        let data_bytes = (word & !STORED) as usize;
        (word != 0).then_some(Self { is_stored: word & STORED != 0, data_bytes })
    }

    /// Expands the data of the block into `into`; blocks that are not independent look back into
    /// `window`. Returns the bytes filled.
    pub fn expand(
        self,
        data: &[u8],
        window: &[u8],
        into: &mut [u8],
    ) -> std::result::Result<usize, DecompressError> {
        if self.is_stored {
            into[..data.len()].copy_from_slice(data);
            return Ok(data.len());
        }
        match window.is_empty() {
            true => decompress_into(data, into),
            false => decompress_into_with_dict(data, into, window),
        }
    }
}

/// Checksum and length of what the blocks of a frame expanded to so far.
#[derive(Default)]
pub struct FrameContent {
    pub checksum: Xxh32,
    pub length: u64,
}

impl FrameContent {
    /// Counts what the next block expanded to.
    pub fn count(&mut self, header: Lz4Header, content: &[u8]) {
        self.length += content.len() as u64;
        if header.has(CONTENT_CHECKSUM) {
            self.checksum.update(content);
        }
    }
}

/// Locks the count of a frame. One thread at a time counts, so none waits.
pub fn locked(content: &Mutex<FrameContent>) -> MutexGuard<'_, FrameContent> {
    content.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the block that comes next in a frame, if it is independent and all of it can be looked
/// at.
pub fn block_ahead(from: &mut Compressed, header: Lz4Header) -> Result<Option<Unit>> {
    if !header.has(INDEPENDENT) {
        return Ok(None);
    }
    let word = from.ahead(BLOCK_EXTRA)?.and_then(<[u8]>::first_chunk).copied();
    let word = word.and_then(BlockWord::of).filter(|word| word.data_bytes <= header.block_bytes);
    let Some(word) = word else { return Ok(None) };
    let packed_bytes = header.whole_block_bytes(word.data_bytes);
    let bytes = if word.is_stored { word.data_bytes } else { header.block_bytes };
    Ok(from.ahead(packed_bytes)?.map(|_| Unit { packed_bytes, bytes }))
}

/// Expands independent blocks of one frame, straight into the buffer of their batch.
pub struct Lz4Blocks {
    pub header: Lz4Header,
    /// Count of the frame's content, which its decoder shares.
    pub content: Arc<Mutex<FrameContent>>,
}

impl FrameBlocks for Lz4Blocks {
    fn expand(&self, mut packed: &[u8], into: &mut [u8]) -> Option<usize> {
        let mut filled = 0;
        while !packed.is_empty() {
            let (word, rest) = packed.split_first_chunk()?;
            let word = BlockWord::of(*word)?;
            let (data, rest) = rest.split_at_checked(word.data_bytes)?;
            packed = rest;
            if self.header.has(BLOCK_CHECKSUMS) {
                let (checksum, rest) = rest.split_first_chunk()?;
                if u32::from_le_bytes(*checksum) != xxh32(data, 0) {
                    return None;
                }
                packed = rest;
            }
            // A block must not expand to more than its frame says.
            let bytes = if word.is_stored { data.len() } else { self.header.block_bytes };
            let target = into.get_mut(filled..filled + bytes)?;
            filled += word.expand(data, &[], target).ok()?;
        }
        Some(filled)
    }

    fn count(&self, content: &[u8]) {
        locked(&self.content).count(self.header, content);
    }
}
