//! Blocks of BGZF: members of gzip of at most 64 KiB, each with its length in its header.
//!
//! ```text
//!   header, with the bytes of the block | deflated data | CRC-32 | bytes of the data
//! ```
//!
//! The form is that of the SAM specification, section 4.1. A block is expanded as a whole, by
//! libdeflate. libdeflate stops at the end of the deflated data and takes what follows for no
//! error, so it is asked how many bytes it took.

use crate::sys::deflate::{Inflated, Inflater, crc32};

/// Most bytes of a block, compressed or expanded.
pub const BGZF_BLOCK_MAX: usize = 1 << 16;

/// Bytes of a header up to its extra fields, and after the deflated data.
const FIXED_BYTES: usize = 12;
const TRAILER_BYTES: usize = 8;

/// First bytes of a block: gzip, deflated, with extra fields alone.
const MAGIC: &[u8] = b"\x1f\x8b\x08\x04";

/// Lengths that the header of a block states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BgzfHeader {
    /// Bytes of the header.
    pub header_bytes: usize,
    /// Bytes of the whole block.
    pub block_bytes: usize,
}

impl BgzfHeader {
    /// Reads the header at the start of `bytes`; `None` if they do not begin a block.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let extra = bytes.get(FIXED_BYTES..).filter(|_| bytes.starts_with(MAGIC))?;
        let length = usize::from(u16::from_le_bytes(*bytes.get(10..)?.first_chunk()?));
        let mut rest = extra.get(..length.min(extra.len()))?;
        while let [first, second, low, high, after @ ..] = rest {
            let field_bytes = usize::from(u16::from_le_bytes([*low, *high]));
            if (*first, *second, field_bytes) == (b'B', b'C', 2) {
                let last = u16::from_le_bytes(*after.first_chunk()?);
                let block_bytes = usize::from(last) + 1;
                return Some(Self { header_bytes: FIXED_BYTES + length, block_bytes });
            }
            rest = after.get(field_bytes..)?;
        }
        None
    }
}

/// Parts of a whole block after its header.
#[derive(Clone, Copy, Debug)]
pub struct BgzfBlock<'a> {
    deflated: &'a [u8],
    crc: u32,
    /// Bytes that the block says it expands to.
    pub expanded_bytes: usize,
}

impl<'a> BgzfBlock<'a> {
    /// Divides a block; `None` if `bytes`, which begin with it, end before it does.
    pub fn of(bytes: &'a [u8], header: BgzfHeader) -> Option<Self> {
        let rest = bytes.get(header.header_bytes..header.block_bytes)?;
        let (deflated, trailer) = rest.split_at_checked(rest.len().checked_sub(TRAILER_BYTES)?)?;
        let &[a, b, c, d, e, f, g, h] = trailer else { return None };
        let expanded_bytes = u32::from_le_bytes([e, f, g, h]) as usize;
        Some(Self { deflated, crc: u32::from_le_bytes([a, b, c, d]), expanded_bytes })
    }
}

/// Expands one block at a time.
#[derive(Debug, Default)]
pub struct BgzfExpander(Inflater);

impl BgzfExpander {
    /// Expands a block into `out`, which has as many bytes as the block says.
    ///
    /// # Errors
    ///
    /// The fault of the block, in words that follow its name.
    ///
    /// # Panics
    ///
    /// If `out` has another length.
    pub fn expand(&mut self, block: BgzfBlock<'_>, out: &mut [u8]) -> Result<(), &'static str> {
        assert_eq!(out.len(), block.expanded_bytes);
        let expanded = self.0.expand(block.deflated, out);
        let Inflated { taken, made } = expanded.ok_or("it cannot be expanded")?;
        if taken != block.deflated.len() {
            return Err("other data follows within it");
        }
        if made != out.len() {
            return Err("it has another length than it says");
        }
        if crc32(out) == block.crc { Ok(()) } else { Err("its checksum is wrong") }
    }
}
