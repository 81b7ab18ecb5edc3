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

use libdeflater::{Decompressor, crc32};
use sortwell_engine::{Error, Result};

/// Bytes of a header up to its extra fields, and after the deflated data.
const FIXED: usize = 12;
const TRAILER: usize = 8;

/// Most bytes of a block, compressed or expanded.
const BLOCK_MAX: usize = 1 << 16;

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

/// Returns the bytes of the block that begins with these, its header included; `None` if they do
/// not begin one.
fn block_bytes(start: &[u8]) -> Option<(usize, usize)> {
    // Deflate, and a header with extra fields alone.
    let extra = start.get(FIXED..).filter(|_| start.starts_with(b"\x1f\x8b\x08\x04"))?;
    let length = usize::from(u16::from_le_bytes(*start.get(10..)?.first_chunk()?));
    let mut rest = extra.get(..length.min(extra.len()))?;
    while let [first, second, low, high, after @ ..] = rest {
        let bytes = usize::from(u16::from_le_bytes([*low, *high]));
        if (*first, *second, bytes) == (b'B', b'C', 2) {
            let last = u16::from_le_bytes(*after.first_chunk()?);
            return Some((usize::from(last) + 1, FIXED + length));
        }
        rest = after.get(bytes..)?;
    }
    None
}

/// Returns whether a file that begins so is one of blocks.
pub fn is_bgzf(start: &[u8]) -> bool {
    block_bytes(start).is_some()
}

/// Expands blocks of a file.
pub struct BlockReader {
    inflate: Decompressor,
    /// The bytes of a block in the file.
    packed: Vec<u8>,
}

impl Default for BlockReader {
    fn default() -> Self {
        Self { inflate: Decompressor::new(), packed: Vec::new() }
    }
}

impl std::fmt::Debug for BlockReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockReader").finish_non_exhaustive()
    }
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
        let left = length.saturating_sub(offset).min(BLOCK_MAX as u64) as usize;
        self.packed.resize(left, 0);
        let read = file.read_exact_at(&mut self.packed, offset);
        read.map_err(|error| Error::io_at("read", path, offset, error))?;
        let (bytes, header) =
            block_bytes(&self.packed).ok_or_else(|| damaged("it does not begin as one"))?;
        let packed = self.packed.get(header..bytes).filter(|rest| rest.len() >= TRAILER);
        let (packed, trailer) = packed
            .and_then(|rest| rest.split_at_checked(rest.len() - TRAILER))
            .ok_or_else(|| damaged("it is cut off"))?;
        let word =
            |at: usize| trailer[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let (sum, expanded) = (word(0), word(4) as usize);
        if expanded > BLOCK_MAX {
            return Err(damaged("it is too long"));
        }
        let begun = out.len();
        out.resize(begun + expanded, 0);
        let made = self.inflate.deflate_decompress(packed, &mut out[begun..]);
        if made.map_err(|_| damaged("it cannot be expanded"))? != expanded {
            return Err(damaged("it has another length than it says"));
        }
        if crc32(&out[begun..]) != sum {
            return Err(damaged("its checksum is wrong"));
        }
        Ok(offset + bytes as u64)
    }
}

#[cfg(test)]
mod block;
#[cfg(test)]
mod tests;
