//! Blocks of one size, each compressed by itself: those of runs.
//!
//! A block that does not shrink is left as it is. Neither frames nor checksums are added: the run
//! that holds the blocks has lengths and checksums. lz4 blocks are bare, a zstd block is one frame.
//! Each thread keeps one state for packing and one for unpacking until it ends.
//! [`block_coder_bytes`] says what they take of the budget.

#[cfg(feature = "compression")]
use std::cell::RefCell;

#[cfg(feature = "compression")]
use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size,
};
#[cfg(feature = "compression")]
use zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_error_name};

use super::{Codec, Compression};
use crate::units::ByteSize;

/// A block is left as it is where it would not shrink by this part: expanding costs time.
#[cfg(feature = "compression")]
const GAIN_PART: usize = 16;

/// Memory of a thread's states beyond two blocks: the table of lz4, and the allocator's share.
const STATE_BYTES: u64 = 64 << 10;

/// Memory that zstd needs to expand a frame of one block.
const ZSTD_UNPACK_BYTES: u64 = 192 << 10;

/// Returns the maximum memory that a thread takes to pack and to unpack blocks of `block_bytes`.
pub fn block_coder_bytes(compression: Compression, block_bytes: usize) -> ByteSize {
    let blocks = 3 * block_bytes as u64 + STATE_BYTES;
    let state = match (compression.codec(), compression.level()) {
        (Codec::Zstd, level) => ZSTD_UNPACK_BYTES + zstd_pack_bytes(level),
        _ => 0,
    };
    ByteSize(blocks + state)
}

/// Returns the maximum memory of zstd's state for blocks of 64 KiB. A test compares it.
fn zstd_pack_bytes(level: u32) -> u64 {
    match level {
        ..=3 => 1 << 20,
        4..=12 => 4 << 20,
        _ => 8 << 20,
    }
}

#[cfg(feature = "compression")]
thread_local! {
    static PACKING: RefCell<Option<BlockPacker>> = const { RefCell::new(None) };
    static UNPACKING: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// State of a thread that packs blocks.
#[cfg(feature = "compression")]
struct BlockPacker {
    compression: Compression,
    packed: Vec<u8>,
    state: PackerState,
}

#[cfg(feature = "compression")]
enum PackerState {
    Lz4(CompressTable),
    Zstd(CCtx<'static>),
}

#[cfg(feature = "compression")]
impl BlockPacker {
    /// Returns a packer, or `None` if there is no memory for it.
    fn new(compression: Compression) -> Option<Self> {
        let state = match compression.codec() {
            Codec::Zstd => {
                let mut context = CCtx::try_create()?;
                let level = CParameter::CompressionLevel(compression.level().cast_signed());
                context.set_parameter(level).ok()?;
                context.set_parameter(CParameter::ContentSizeFlag(false)).ok()?;
                PackerState::Zstd(context)
            }
            _ => PackerState::Lz4(CompressTable::large()),
        };
        Some(Self { compression, packed: Vec::new(), state })
    }

    /// Packs a block, and returns its bytes if they are worth it.
    fn pack(&mut self, block: &[u8]) -> Option<&[u8]> {
        let bound = get_maximum_output_size(block.len()).max(compress_bound(block.len()));
        self.packed.resize(bound, 0);
        let bytes = match &mut self.state {
            PackerState::Lz4(table) => {
                compress_into_with_table(block, &mut self.packed, table).ok()?
            }
            PackerState::Zstd(context) => context.compress2(&mut self.packed[..], block).ok()?,
        };
        let most = block.len() - block.len() / GAIN_PART;
        (bytes <= most).then(|| &self.packed[..bytes])
    }
}

/// Packs `block`, and hands the packed bytes to `take` if it shrinks. Returns whether it does.
#[cfg(feature = "compression")]
pub fn pack_block(compression: Compression, block: &[u8], take: impl FnOnce(&[u8])) -> bool {
    PACKING.with_borrow_mut(|packer| {
        if packer.as_ref().is_none_or(|packer| packer.compression != compression) {
            *packer = BlockPacker::new(compression);
        }
        packer.as_mut().and_then(|packer| packer.pack(block)).map(take).is_some()
    })
}

/// Leaves `block` as it is: this build has no codecs.
#[cfg(not(feature = "compression"))]
pub fn pack_block(_: Compression, _: &[u8], _: impl FnOnce(&[u8])) -> bool {
    false
}

/// Expands a packed block into `block`, all of it.
///
/// # Errors
///
/// The reason why `packed` is no such block, in words.
#[cfg(feature = "compression")]
pub fn unpack_block(codec: Codec, packed: &[u8], block: &mut [u8]) -> Result<(), String> {
    let bytes = match codec {
        Codec::Lz4 => decompress_into(packed, block).map_err(|e| e.to_string()),
        Codec::Zstd => UNPACKING.with_borrow_mut(|context| {
            let context = match context {
                Some(context) => context,
                None => context.insert(DCtx::try_create().ok_or("no memory for a zstd context")?),
            };
            let expanded = context.decompress(&mut *block, packed);
            expanded.map_err(|code| get_error_name(code).to_owned())
        }),
        Codec::Gzip => Err("runs are not compressed with gzip".to_owned()),
    }?;
    match bytes == block.len() {
        true => Ok(()),
        false => Err(format!("it has {bytes} bytes instead of {}", block.len())),
    }
}

/// Refuses a packed block: this build has no codecs.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "compression"))]
pub fn unpack_block(codec: Codec, _: &[u8], _: &mut [u8]) -> Result<(), String> {
    Err(format!("this build does not support {codec}"))
}

#[cfg(test)]
mod tests;
