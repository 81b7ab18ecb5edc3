//! BGZF: gzip in blocks of at most 64 KiB, each of which can be read by itself.
//!
//! ```text
//!   block:  18 or more bytes of header, with the length of the block | deflate | CRC-32 | bytes
//!   offset of a byte:  offset of its block in the file << 16 | offset in the expanded block
//! ```
//!
//! The form, and the virtual offsets, are those of the SAM specification, section 4.1. Compressors
//! such as `bgzip` and `samtools` make such files, and every gzip expands them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sortwell_engine::codec::{BGZF_BLOCK_MAX, BgzfBlock, BgzfExpander, BgzfHeader};
use sortwell_engine::{Error, Result};

/// Bits of a virtual offset that are the offset in the block.
const WITHIN_BITS: u32 = 16;

/// Returns the virtual offset of the beginning of a block.
pub const fn block_offset(offset: u64) -> u64 {
    offset << WITHIN_BITS
}

/// Returns the offset of the block of a virtual offset, and the offset in it.
pub const fn split(offset: u64) -> (u64, usize) {
    (offset >> WITHIN_BITS, (offset & 0xffff) as usize)
}

/// Returns whether a file that begins so is one of blocks.
pub fn is_bgzf(start: &[u8]) -> bool {
    BgzfHeader::of(start).is_some()
}

/// Expands blocks of a file.
#[derive(Debug, Default)]
pub struct BlockReader {
    expander: BgzfExpander,
    /// The bytes of a block in the file.
    packed: Vec<u8>,
}

impl BlockReader {
    /// Appends the expanded bytes of the block at an offset, in a file of `length` bytes. Returns
    /// the offset of the next block.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a block that is damaged.
    pub fn read(
        &mut self,
        file: &File,
        path: &Path,
        length: u64,
        offset: u64,
        out: &mut Vec<u8>,
    ) -> Result<u64> {
        let damaged = |why: &str| {
            let message = format!("the compressed block at offset {offset} is damaged: {why}");
            Error::Malformed { path: path.to_owned(), message: message.into() }
        };
        let left = length.saturating_sub(offset).min(BGZF_BLOCK_MAX as u64) as usize;
        self.packed.resize(left, 0);
        let read = file.read_exact_at(&mut self.packed, offset);
        read.map_err(|error| Error::io_at("read", path, offset, error))?;
        let header = BgzfHeader::of(&self.packed);
        let header = header.ok_or_else(|| damaged("it does not begin as one"))?;
        let block = BgzfBlock::of(&self.packed, header).ok_or_else(|| damaged("it is cut off"))?;
        if block.expanded_bytes > BGZF_BLOCK_MAX {
            return Err(damaged("it is too long"));
        }
        let begun = out.len();
        out.resize(begun + block.expanded_bytes, 0);
        self.expander.expand(block, &mut out[begun..]).map_err(damaged)?;
        Ok(offset + header.block_bytes as u64)
    }
}

#[cfg(test)]
mod block;
#[cfg(test)]
mod tests;
