//! The frame format of lz4: blocks of up to 4 MiB, alone or each looking back into those before it.
//!
//! ```text
//!   04 22 4d 18 | flags | block size | [content's length] [dictionary] | header's checksum
//!   length | block | [checksum] ...        the top bit of a length: the block is stored
//!   00 00 00 00 | [content's checksum]
//! ```
//!
//! Blocks are the library's, frames are ours: its own reader takes a frame that was cut between two
//! blocks for a whole one, and ends at skippable frames.
//!
//! Frames that are expanded in order and frames of which threads expand the blocks
//! ([`Lz4Blocks`]) share the count of their content: a frame may change from one way to the other
//! after any block.

mod frame_blocks;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use lz4_flex::block::{compress_into, get_maximum_output_size};
use xxhash_rust::xxh32::xxh32;

use super::batch::Unit;
use super::memory::{
    LZ4_INDEPENDENT as INDEPENDENT, WindowMemory, WindowShortage, Windows, lz4_window,
};
use super::source::Compressed;
use super::zstd::{is_skippable, skippable_ahead};
use super::{Codec, Decode, Encode, FrameBlocks};
use crate::error::{Error, Result, Setting, message};
use crate::units::ByteSize;
use frame_blocks::{BlockWord, FrameContent, Lz4Blocks, block_ahead, locked};

const FRAME: &str = "lz4 frame";

const MAGIC: u32 = 0x184d_2204;
const MAGIC_LE: [u8; MAGIC_BYTES] = MAGIC.to_le_bytes();
const MAGIC_BYTES: usize = 4;
/// Magic number of the format before this one, which has neither lengths nor checksums.
const MAGIC_LEGACY: u32 = 0x184c_2102;

/// Flags of a header.
const VERSION: u8 = 0b0100_0000;
const VERSION_MASK: u8 = 0b1100_0000;
const BLOCK_CHECKSUMS: u8 = 1 << 4;
const CONTENT_LENGTH: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const RESERVED: u8 = 1 << 1;
const DICTIONARY: u8 = 1;

/// Flag in a block's length: the block is not compressed.
const STORED: u32 = 1 << 31;

/// Distance that blocks look back.
const WINDOW_BYTES: usize = 64 << 10;

/// Bytes of the blocks we make, and how a header says so.
const BLOCK_BYTES: usize = 256 << 10;
const BLOCK_CODE: u8 = 5 << 4;

/// Bytes of a frame beyond its blocks, and beyond the data of each block.
const FRAME_EXTRA: usize = 7 + 4 + 4;
const BLOCK_EXTRA: usize = 4;

const CHECKSUM_BYTES: usize = 4;

/// Returns the most bytes of a block, by a header's second byte; `None` for an invalid one.
fn block_bytes(code: u8) -> Option<usize> {
    match (code & 0b1000_1111, code >> 4) {
        (0, size @ 4..=7) => Some(1 << (8 + 2 * size)),
        _ => None,
    }
}

/// Fields of a frame's header.
#[derive(Clone, Copy, Debug, Default)]
struct Lz4Header {
    flags: u8,
    block_bytes: usize,
    length: Option<u64>,
}

impl Lz4Header {
    fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the bytes of a block of `data_bytes`, with its length and checksum.
    fn whole_block_bytes(self, data_bytes: usize) -> usize {
        let checksum = if self.has(BLOCK_CHECKSUMS) { CHECKSUM_BYTES } else { 0 };
        BLOCK_EXTRA + data_bytes + checksum
    }
}

/// Expands frames.
pub struct Lz4Decoder {
    /// Header of the frame that is being expanded, if one is.
    header: Option<Lz4Header>,
    /// Offset in the file of the current frame, or of the last one.
    start: u64,
    memory: WindowMemory,
    /// A block as it was read.
    packed: Vec<u8>,
    /// A block expanded.
    block: Vec<u8>,
    /// Part of the block that was not handed out yet.
    rest: Range<usize>,
    /// Bytes before the block, as far as blocks look back.
    window: Vec<u8>,
    /// Count of the frame's content so far.
    content: Arc<Mutex<FrameContent>>,
}

impl Lz4Decoder {
    /// Returns a decoder that has the memory for its blocks from `windows`.
    pub fn new(windows: &Arc<Windows>) -> Self {
        Self {
            header: None,
            start: 0,
            memory: WindowMemory::new(windows),
            packed: Vec::new(),
            block: Vec::new(),
            rest: 0..0,
            window: Vec::new(),
            content: Arc::default(),
        }
    }
}

impl Decode for Lz4Decoder {
    fn next_unit(&mut self, from: &mut Compressed) -> Result<Option<Unit>> {
        if !self.rest.is_empty() {
            return Ok(None);
        }
        if let Some(header) = self.header {
            return block_ahead(from, header);
        }
        if let Some(packed_bytes) = skippable_ahead(from)? {
            return Ok(Some(Unit { packed_bytes, bytes: 0 }));
        }
        let head = from.ahead(MAGIC_BYTES + 2)?.and_then(|head| head.strip_prefix(&MAGIC_LE));
        let Some(&[flags, code]) = head else { return Ok(None) };
        let Some(block_bytes) = block_bytes(code) else { return Ok(None) };
        let header = Lz4Header { flags, block_bytes, length: None };
        if header.has(DICTIONARY) {
            return Ok(None);
        }
        let mut end = MAGIC_BYTES + 3 + if header.has(CONTENT_LENGTH) { 8 } else { 0 };
        let mut bytes = 0;
        loop {
            let word = from.ahead(end + BLOCK_EXTRA)?.and_then(<[u8]>::last_chunk).copied();
            let Some(word) = word else { return Ok(None) };
            let Some(BlockWord { data_bytes, .. }) = BlockWord::of(word) else { break };
            end += header.whole_block_bytes(data_bytes);
            bytes += block_bytes;
        }
        let checksum = if header.has(CONTENT_CHECKSUM) { CHECKSUM_BYTES } else { 0 };
        let packed_bytes = end + BLOCK_EXTRA + checksum;
        Ok(from.ahead(packed_bytes)?.map(|_| Unit { packed_bytes, bytes }))
    }

    fn pass_border(&mut self, from: &mut Compressed) -> Result<bool> {
        if !self.rest.is_empty() {
            return Ok(false);
        }
        let Some(header) = self.header else { return self.begin(from) };
        let is_over = from.ahead(BLOCK_EXTRA)?.is_some_and(|word| word == [0; BLOCK_EXTRA]);
        if is_over && header.has(INDEPENDENT) {
            from.take(BLOCK_EXTRA);
            self.end(from, header)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn frame_blocks(&self) -> Option<Box<dyn FrameBlocks>> {
        let (header, content) = (self.header?, Arc::clone(&self.content));
        Some(Box::new(Lz4Blocks { header, content }))
    }

    fn decode(&mut self, from: &mut Compressed, into: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let bytes = self.rest.len().min(into.len() - filled);
            let part = self.rest.start..self.rest.start + bytes;
            into[filled..filled + bytes].copy_from_slice(&self.block[part]);
            self.rest.start += bytes;
            filled += bytes;
            if !self.rest.is_empty() {
                break;
            }
            if let Some(header) = self.header {
                self.next_block(from, header)?;
            } else if !self.begin(from)? {
                break;
            }
        }
        Ok(filled)
    }
}

impl Lz4Decoder {
    fn damaged(&self, from: &Compressed, why: &str) -> Error {
        from.damaged(FRAME, self.start, why)
    }

    /// Takes `N` bytes of the frame.
    fn field<const N: usize>(&self, from: &mut Compressed) -> Result<[u8; N]> {
        let mut field = [0; N];
        if from.read(&mut field)? < N {
            return Err(from.cut(FRAME, self.start));
        }
        Ok(field)
    }

    /// Takes the header of the next frame; whether there is one. One that is to be skipped counts,
    /// as one without blocks.
    fn begin(&mut self, from: &mut Compressed) -> Result<bool> {
        let is_first = from.offset() == 0;
        self.start = from.offset();
        let next = from.at_least(4)?;
        if next.is_empty() && !is_first {
            return Ok(false);
        }
        let is_begun = !next.is_empty() && MAGIC.to_le_bytes().starts_with(next);
        match next.first_chunk().copied().map(u32::from_le_bytes) {
            Some(MAGIC) => from.take(4),
            Some(magic) if is_skippable(magic) => {
                from.take(4);
                let length = u64::from(u32::from_le_bytes(self.field(from)?));
                if from.skip(length)? < length {
                    return Err(from.cut(FRAME, self.start));
                }
                return Ok(true);
            }
            Some(MAGIC_LEGACY) => {
                let message = "has the old lz4 format, which has no checksums and is not \
                               supported; compress it again without -l";
                return Err(from.malformed(message.to_owned()));
            }
            None if is_begun => return Err(from.cut(FRAME, self.start)),
            _ => return Err(from.foreign(Codec::Lz4, FRAME)),
        }
        let header = self.header(from)?;
        self.reserve(header.block_bytes as u64, from)?;
        self.header = Some(header);
        self.rest = 0..0;
        if self.block.len() != header.block_bytes {
            (self.packed, self.block) = (Vec::new(), Vec::new());
            self.packed.resize(header.block_bytes, 0);
            self.block.resize(header.block_bytes, 0);
        }
        self.window.clear();
        *locked(&self.content) = FrameContent::default();
        Ok(true)
    }

    /// Takes memory for blocks of `block` bytes.
    fn reserve(&mut self, block: u64, from: &Compressed) -> Result<()> {
        let window = lz4_window(block);
        self.memory.reserve(window).map_err(|shortage| {
            let WindowShortage { there, least } = shortage;
            let message = message!(
                "the lz4 frame at byte {} of the compressed data has blocks of {}, which need {}, \
                 and there is memory for {}; give at least {} with {}, or compress it in smaller \
                 blocks",
                self.start,
                ByteSize(block),
                ByteSize(window),
                there,
                least,
                Setting::Memory,
            );
            shortage.error(from.name(), message)
        })
    }

    fn header(&self, from: &mut Compressed) -> Result<Lz4Header> {
        let [flags, code]: [u8; 2] = self.field(from)?;
        let mut read = vec![flags, code];
        let block_bytes = block_bytes(code).filter(|_| flags & VERSION_MASK == VERSION);
        let Some(block_bytes) = block_bytes.filter(|_| flags & RESERVED == 0) else {
            return Err(self.damaged(from, "its header has flags that lz4 does not define"));
        };
        let mut header = Lz4Header { flags, block_bytes, length: None };
        if header.has(CONTENT_LENGTH) {
            let length: [u8; 8] = self.field(from)?;
            read.extend(length);
            header.length = Some(u64::from_le_bytes(length));
        }
        if header.has(DICTIONARY) {
            read.extend(self.field::<4>(from)?);
        }
        let [checksum] = self.field(from)?;
        if checksum != (xxh32(&read, 0) >> 8) as u8 {
            return Err(self.damaged(from, "the checksum of its header does not match"));
        }
        if header.has(DICTIONARY) {
            let message = "was compressed with a dictionary, which is not available here";
            return Err(from.malformed(message.to_owned()));
        }
        Ok(header)
    }

    /// Expands the frame's next block, or ends the frame.
    fn next_block(&mut self, from: &mut Compressed, header: Lz4Header) -> Result<()> {
        let Some(word) = BlockWord::of(self.field(from)?) else { return self.end(from, header) };
        let bytes = word.data_bytes;
        if bytes > header.block_bytes {
            return Err(self.damaged(from, "a block is longer than its header allows"));
        }
        if from.read(&mut self.packed[..bytes])? < bytes {
            return Err(from.cut(FRAME, self.start));
        }
        if header.has(BLOCK_CHECKSUMS) {
            let found = xxh32(&self.packed[..bytes], 0);
            if u32::from_le_bytes(self.field(from)?) != found {
                return Err(self.damaged(from, "the checksum of a block does not match"));
            }
        }
        let made = word.expand(&self.packed[..bytes], &self.window, &mut self.block);
        let made = made.map_err(|e| self.damaged(from, &format!("a block is invalid ({e})")))?;
        self.rest = 0..made;
        let block = &self.block[..made];
        locked(&self.content).count(header, block);
        if !header.has(INDEPENDENT) {
            look_back(&mut self.window, block);
        }
        Ok(())
    }

    /// Holds a frame against what it says of its content.
    fn end(&mut self, from: &mut Compressed, header: Lz4Header) -> Result<()> {
        let (found, found_length) = {
            let content = locked(&self.content);
            (content.checksum.digest(), content.length)
        };
        if header.has(CONTENT_CHECKSUM) && u32::from_le_bytes(self.field(from)?) != found {
            return Err(self.damaged(from, "the checksum of its data does not match"));
        }
        if header.length.is_some_and(|length| length != found_length) {
            return Err(self.damaged(from, "the length of its data does not match"));
        }
        self.header = None;
        if lz4_window(header.block_bytes as u64) > self.memory.own() {
            (self.packed, self.block, self.rest) = (Vec::new(), Vec::new(), 0..0);
            self.memory.release();
        }
        Ok(())
    }
}

/// Moves a window past a block.
fn look_back(window: &mut Vec<u8>, block: &[u8]) {
    let kept = &block[block.len().saturating_sub(WINDOW_BYTES)..];
    let excess = (window.len() + kept.len()).saturating_sub(WINDOW_BYTES);
    window.drain(..excess);
    window.extend_from_slice(kept);
}

/// Makes frames of blocks that stand alone.
pub struct Lz4Encoder;

impl Encode for Lz4Encoder {
    fn encode(&mut self, chunk: &[u8], into: &mut [u8]) -> Result<usize> {
        let flags = VERSION | INDEPENDENT | CONTENT_CHECKSUM;
        let descriptor = [flags, BLOCK_CODE];
        into[..4].copy_from_slice(&MAGIC.to_le_bytes());
        into[4..6].copy_from_slice(&descriptor);
        into[6] = (xxh32(&descriptor, 0) >> 8) as u8;
        let mut end = 7;
        for block in chunk.chunks(BLOCK_BYTES) {
            let data = end + BLOCK_EXTRA;
            let word = match compress_into(block, &mut into[data..]) {
                Ok(bytes) if bytes < block.len() => bytes as u32,
                _ => {
                    into[data..data + block.len()].copy_from_slice(block);
                    block.len() as u32 | STORED
                }
            };
            into[end..data].copy_from_slice(&word.to_le_bytes());
            end = data + (word & !STORED) as usize;
        }
        into[end..end + 4].copy_from_slice(&[0; 4]);
        into[end + 4..end + 8].copy_from_slice(&xxh32(chunk, 0).to_le_bytes());
        Ok(end + 8)
    }
}

/// Returns the most bytes of a frame. A block takes more while it is being made than what is kept
/// of it.
pub fn bound(chunk_bytes: usize) -> usize {
    let blocks = chunk_bytes.div_ceil(BLOCK_BYTES);
    FRAME_EXTRA + chunk_bytes + blocks * BLOCK_EXTRA + get_maximum_output_size(BLOCK_BYTES)
}

#[cfg(test)]
mod tests;
