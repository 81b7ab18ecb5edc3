//! Reading stored blocks: how many are worth one request, and how they are expanded in place.
//!
//! ```text
//!   memory of 3 blocks    |                              .|3|4 |5|.|   as read, at the end
//!   expanded              | block 3 | block 4 | block 5 |
//! ```
//!
//! Stored blocks are read to the end of the memory that the expanded blocks fill. Blocks are
//! expanded from the first on, each from a copy. A request ends where a block would be overwritten
//! before it is expanded.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::layout::{BLOCK, DATA_START, RunGeometry};
use super::page::{PAGE, PageEntry};
use crate::codec::unpack_block;
use crate::error::{Error, Result};

/// A block as the table describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBlock {
    /// Checksum of the block, expanded.
    pub checksum: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Bytes there: those of a whole block if it is not compressed.
    pub length: u32,
}

impl StoredBlock {
    /// Returns the block of an entry of a run's table.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if no block can be there.
    pub(super) fn of(
        path: &Path,
        geometry: &RunGeometry,
        block: u64,
        entry: PageEntry<'_>,
    ) -> Result<Self> {
        let checksum = entry.checksum();
        let Some((offset, length)) = entry.stored() else {
            let offset = DATA_START + block * BLOCK as u64;
            return Ok(Self { checksum, offset, length: BLOCK as u32 });
        };
        let is_length = (1..=BLOCK as u32).contains(&length);
        let end = offset.checked_add(u64::from(length));
        let is_inside =
            offset >= DATA_START && end.is_some_and(|end| end <= geometry.footer_start());
        if is_length && is_inside {
            return Ok(Self { checksum, offset, length });
        }
        let message = format!("no block can be stored in {length} bytes at offset {offset}");
        Err(Error::corrupt(path, block, message))
    }

    /// Returns whether the block is stored as it is.
    pub(super) fn is_plain(&self) -> bool {
        self.length as usize == BLOCK
    }

    /// Returns the offset in the file after its last byte.
    pub(super) fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }
}

/// Returns how many of `blocks`, at most `most`, one request reads, and the bytes of the file that
/// it reads. These fit in the memory of the blocks, at its end. They are whole pages where that is
/// possible.
pub fn stretch(blocks: &[StoredBlock], most: usize) -> (usize, Range<u64>) {
    let page = PAGE as u64;
    let start = blocks[0].offset / page * page;
    let mut best = (1, blocks[0].offset..blocks[0].end());
    // Most bytes by which blocks before one may outgrow the file up to it.
    let mut ahead = -i128::from(start);
    for (number, block) in blocks.iter().enumerate().take(most.max(1)) {
        let before = &blocks[number.saturating_sub(1)];
        let follows = number == 0 || (before.end()..before.end() + page).contains(&block.offset);
        let room = ((number + 1) * BLOCK) as u64;
        ahead = ahead.max((number * BLOCK) as i128 - i128::from(block.offset));
        let end = block.end().next_multiple_of(page);
        let is_in_place = follows && ahead + i128::from(end) <= i128::from(room);
        if !is_in_place {
            break;
        }
        best = (number + 1, start..end);
    }
    best
}

/// Expands stored blocks, the first of which is block `first`, into `memory`. They lie at its end,
/// which is the byte `end` of the file.
///
/// # Errors
///
/// [`Error::Corrupt`] with the first block that cannot be expanded, or is another than was written.
pub(super) fn expand_in_place(
    path: &Path,
    geometry: &RunGeometry,
    first: u64,
    blocks: &[StoredBlock],
    memory: &mut [u8],
    end: u64,
) -> Result<()> {
    let mut packed = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let at = memory.len() - (end - block.offset) as usize;
        let target = number * BLOCK..(number + 1) * BLOCK;
        packed.clear();
        packed.extend_from_slice(&memory[at..at + block.length as usize]);
        expand(path, geometry, first + number as u64, block, &packed, &mut memory[target])?;
    }
    Ok(())
}

/// Expands one stored block into `target`, which has room for all of it.
///
/// # Errors
///
/// Those of [`expand_in_place`].
pub(super) fn expand(
    path: &Path,
    geometry: &RunGeometry,
    number: u64,
    block: &StoredBlock,
    packed: &[u8],
    target: &mut [u8],
) -> Result<()> {
    match geometry.packed.filter(|_| !block.is_plain()) {
        None => target.copy_from_slice(packed),
        Some(parts) => unpack_block(parts.codec, packed, target).map_err(|why| {
            let message = format!("the {} block cannot be expanded: {why}", parts.codec);
            Error::corrupt(path, number, message)
        })?,
    }
    check(path, number, target, block.checksum)
}

/// Compares a block with its checksum.
///
/// # Errors
///
/// [`Error::Corrupt`] if it is another than was written.
pub(super) fn check(path: &Path, block: u64, bytes: &[u8], expected: u64) -> Result<()> {
    let found = xxh3_64(bytes);
    if found == expected {
        return Ok(());
    }
    let message = format!("checksum {expected:016x} expected, {found:016x} found");
    Err(Error::corrupt(path, block, message))
}
