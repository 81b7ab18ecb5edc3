//! gzip (RFC 1952): members of deflated data, each with a checksum and its length.
//!
//! ```text
//!   1f 8b 08 flags | time | hints | [extra] [name] [comment] [header's checksum]
//!   deflated data
//!   CRC-32 | length modulo 2^32
//! ```
//!
//! Members follow each other, and zeros may follow the last: tapes and some tools pad with them.
//! Deflating itself is that of libraries; framing is done here, so that we know to the byte where a
//! member begins, and that what ends too early is said to. `libdeflater` is quicker where all of a
//! member is at hand: for a chunk, and for a block of BGZF. `flate2` expands any member, in parts.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use libdeflater::{CompressionLvl, Compressor, crc32};
use memchr::memmem;

use super::batch::Unit;
use super::bgzf::{BgzfBlock, BgzfExpander, BgzfHeader};
use super::source::Compressed;
use super::{Codec, Decode, Encode};
use crate::error::{Error, Result};

const MEMBER: &str = "gzip member";

const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The one method there is.
const DEFLATE: u8 = 8;

const HEADER_BYTES: usize = 10;
const TRAILER_BYTES: usize = 8;

/// Flags of a header.
const HAS_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Last code of a system that the standard lists, and the code of any other system.
const SYSTEM_LAST: u8 = 13;
const SYSTEM_UNKNOWN: u8 = 255;

/// Bytes of a header of BGZF: an extra field of six bytes with the block's bytes.
const BLOCK_HEADER_BYTES: usize = 18;

/// Expands members.
pub struct GzipDecoder {
    inflate: Decompress,
    /// Expander of whole blocks of BGZF.
    blocks: BgzfExpander,
    crc: Crc,
    /// True if a member is being expanded.
    is_inside: bool,
    /// Offset in the file of the current member, or of the last one.
    start: u64,
}

impl Default for GzipDecoder {
    fn default() -> Self {
        let (inflate, blocks) = (Decompress::new(false), BgzfExpander::default());
        Self { inflate, blocks, crc: Crc::new(), is_inside: false, start: 0 }
    }
}

impl Decode for GzipDecoder {
    fn next_unit(&mut self, from: &mut Compressed) -> Result<Option<Unit>> {
        if self.is_inside {
            return Ok(None);
        }
        let Some(header) = from.ahead(BLOCK_HEADER_BYTES)? else { return Ok(None) };
        let (member, is_block) = match BgzfHeader::of(header) {
            Some(header) => (from.ahead(header.block_bytes)?, true),
            None if header.starts_with(&MAGIC) => (member_ahead(from)?, false),
            None => return Ok(None),
        };
        let trailer = member.and_then(<[u8]>::last_chunk::<4>).copied();
        let packed_bytes = member.map_or(0, <[u8]>::len);
        let bytes = trailer.map(|length| u32::from_le_bytes(length) as usize);
        // Zeros may follow a member, and are an error before another one. Such a unit, and a member
        // without data, is expanded in order.
        let is_sure = |bytes: &usize| is_block || *bytes > 0;
        Ok(bytes.filter(is_sure).map(|bytes| Unit { packed_bytes, bytes }))
    }

    fn decode(&mut self, from: &mut Compressed, into: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            if !self.is_inside {
                if let Some(bytes) = self.block(from, &mut into[filled..])? {
                    filled += bytes;
                    continue;
                }
                if !self.begin(from)? {
                    break;
                }
            }
            let input = from.unread()?;
            let is_at_end = input.is_empty();
            let (taken, made) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(input, &mut into[filled..], FlushDecompress::None);
            let taken = (self.inflate.total_in() - taken) as usize;
            let made = (self.inflate.total_out() - made) as usize;
            from.take(taken);
            self.crc.update(&into[filled..filled + made]);
            filled += made;
            match status {
                Ok(Status::StreamEnd) => self.end(from)?,
                Ok(_) if taken + made > 0 => {}
                Ok(_) if is_at_end => return Err(from.cut(MEMBER, self.start)),
                Ok(_) => return Err(self.damaged(from, "it does not continue")),
                Err(e) => {
                    return Err(self.damaged(from, e.message().unwrap_or("it is not deflated")));
                }
            }
        }
        Ok(filled)
    }
}

/// Returns the bytes up to those that begin another member, or up to the end of the data.
fn member_ahead(from: &mut Compressed) -> Result<Option<&[u8]>> {
    let mut end = next_member(from.unread()?);
    if end.is_none() {
        let (seen, is_all) = from.all_ahead()?;
        end = next_member(seen).or(is_all.then_some(seen.len()));
    }
    end.map_or(Ok(None), |end| from.ahead(end))
}

/// Returns where a member begins after the one that these bytes begin with.
fn next_member(seen: &[u8]) -> Option<usize> {
    let least = HEADER_BYTES + TRAILER_BYTES;
    let rest = seen.get(least..)?;
    let is_header = |place: &usize| {
        let header = rest.get(place + MAGIC.len() + 1..place + HEADER_BYTES);
        header.is_some_and(is_usual)
    };
    let mut places = memmem::find_iter(rest, &[MAGIC[0], MAGIC[1], DEFLATE]);
    places.find(is_header).map(|place| least + place)
}

/// Returns whether bytes after the method are those of a usual header: no reserved flag, and a hint
/// and a system that the standard lists.
fn is_usual(rest: &[u8]) -> bool {
    let [flags, _, _, _, _, hint, system] = rest else { return false };
    let is_known = *system <= SYSTEM_LAST || *system == SYSTEM_UNKNOWN;
    flags & RESERVED == 0 && matches!(hint, 0 | 2 | 4) && is_known
}

impl GzipDecoder {
    /// Expands a whole block of BGZF, if the next bytes are one, it is right, and there is room.
    /// Otherwise nothing is taken: what is wrong is found where members are expanded in parts.
    fn block(&mut self, from: &mut Compressed, into: &mut [u8]) -> Result<Option<usize>> {
        let header = from.ahead(BLOCK_HEADER_BYTES)?.and_then(BgzfHeader::of);
        let Some(header) = header else { return Ok(None) };
        let start = from.offset();
        let bytes = from.ahead(header.block_bytes)?;
        let block = bytes.and_then(|bytes| BgzfBlock::of(bytes, header));
        let Some(block) = block else { return Ok(None) };
        let Some(into) = into.get_mut(..block.expanded_bytes) else { return Ok(None) };
        if self.blocks.expand(block, into).is_err() {
            return Ok(None);
        }
        let length = block.expanded_bytes;
        self.start = start;
        from.take(header.block_bytes);
        Ok(Some(length))
    }

    fn damaged(&self, from: &Compressed, why: &str) -> Error {
        from.damaged(MEMBER, self.start, why)
    }

    /// Takes the header of the next member; whether there is one.
    fn begin(&mut self, from: &mut Compressed) -> Result<bool> {
        let is_first = from.offset() == 0;
        let header = from.at_least(HEADER_BYTES)?;
        if !is_first && header.first().is_none_or(|byte| *byte == 0) {
            return self.pass_padding(from).map(|()| false);
        }
        if !MAGIC.starts_with(&header[..header.len().min(MAGIC.len())]) || header.is_empty() {
            return Err(from.foreign(Codec::Gzip, MEMBER));
        }
        self.start = from.offset();
        let Some(header) = from.at_least(HEADER_BYTES)?.first_chunk::<HEADER_BYTES>().copied()
        else {
            return Err(from.cut(MEMBER, self.start));
        };
        let flags = header[3];
        if header[2] != DEFLATE || flags & RESERVED != 0 {
            return Err(self.damaged(from, "its header has flags that gzip does not define"));
        }
        self.crc.reset();
        self.crc.update(&header);
        from.take(HEADER_BYTES);
        if flags & HAS_EXTRA != 0 {
            let length = u16::from_le_bytes(self.field(from)?);
            for _ in 0..length {
                let [_] = self.field(from)?;
            }
        }
        for text in [HAS_NAME, HAS_COMMENT] {
            while flags & text != 0 && self.field(from)? != [0] {}
        }
        if flags & HAS_CHECKSUM != 0 {
            let expected = self.crc.sum() as u16;
            if u16::from_le_bytes(self.field(from)?) != expected {
                return Err(self.damaged(from, "the checksum of its header does not match"));
            }
        }
        self.inflate.reset(false);
        self.crc.reset();
        self.is_inside = true;
        Ok(true)
    }

    /// Takes a few bytes of a header.
    fn field<const N: usize>(&mut self, from: &mut Compressed) -> Result<[u8; N]> {
        let Some(field) = from.at_least(N)?.first_chunk::<N>().copied() else {
            return Err(from.cut(MEMBER, self.start));
        };
        self.crc.update(&field);
        from.take(N);
        Ok(field)
    }

    /// Holds a member against its trailer.
    fn end(&mut self, from: &mut Compressed) -> Result<()> {
        let mut trailer = [0; TRAILER_BYTES];
        if from.read(&mut trailer)? < TRAILER_BYTES {
            return Err(from.cut(MEMBER, self.start));
        }
        let [a, b, c, d, e, f, g, h] = trailer;
        let (crc, length) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if crc != self.crc.sum() {
            return Err(self.damaged(from, "the checksum of its data does not match"));
        }
        if length != self.inflate.total_out() as u32 {
            return Err(self.damaged(from, "the length of its data does not match"));
        }
        self.is_inside = false;
        Ok(())
    }

    /// Takes zeros up to the end of the file.
    fn pass_padding(&self, from: &mut Compressed) -> Result<()> {
        loop {
            let padding = from.unread()?;
            let zeros = padding.iter().take_while(|byte| **byte == 0).count();
            let is_over = padding.is_empty();
            let is_foreign = zeros < padding.len();
            from.take(zeros);
            if is_foreign {
                return Err(from.foreign(Codec::Gzip, MEMBER));
            }
            if is_over {
                return Ok(());
            }
        }
    }
}

/// Makes members.
pub struct GzipEncoder {
    deflate: Compressor,
    level: u32,
}

impl GzipEncoder {
    /// Returns an encoder of a level from 1 to 9.
    pub fn new(level: u32) -> Self {
        let effort = CompressionLvl::new(level as i32).unwrap_or_default();
        Self { deflate: Compressor::new(effort), level }
    }
}

impl Encode for GzipEncoder {
    fn encode(&mut self, chunk: &[u8], into: &mut [u8]) -> Result<usize> {
        let hint = match self.level {
            1 => 4,
            9 => 2,
            _ => 0,
        };
        let [first, second] = MAGIC;
        let header = [first, second, DEFLATE, 0, 0, 0, 0, 0, hint, SYSTEM_UNKNOWN];
        into[..HEADER_BYTES].copy_from_slice(&header);
        let room = into.len() - TRAILER_BYTES;
        let deflated = self.deflate.deflate_compress(chunk, &mut into[HEADER_BYTES..room]);
        let Ok(bytes) = deflated else { unreachable!("there is room for all of a member") };
        let end = HEADER_BYTES + bytes;
        into[end..end + 4].copy_from_slice(&crc32(chunk).to_le_bytes());
        into[end + 4..end + 8].copy_from_slice(&(chunk.len() as u32).to_le_bytes());
        Ok(end + TRAILER_BYTES)
    }
}

/// Returns the most bytes of a member. What cannot be deflated is stored, five bytes more for each
/// of its blocks of some kilobytes; the rest is to be safe.
pub fn bound(chunk_bytes: usize) -> usize {
    HEADER_BYTES + chunk_bytes + chunk_bytes / 256 + 4096 + TRAILER_BYTES
}
