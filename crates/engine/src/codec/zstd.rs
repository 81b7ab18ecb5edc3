//! zstd (RFC 8878): frames, and skippable frames between them, as the reference library has them.
//!
//! A frame says how far back it looks: its *window* lies in memory until it is over. What windows
//! take is accounted for before a frame is begun, and one that there is no memory for is refused,
//! with the budget that would do.

use std::io;
use std::path::Path;
use std::sync::Arc;

use zstd_safe::{
    CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, compress_bound, get_error_name,
};

use super::batch::Unit;
use super::memory::{
    HEAD_BYTES, WindowMemory, WindowShortage, Windows, ZSTD_MAGIC, ZstdHead, window_of,
};
use super::source::Compressed;
use super::{Codec, Decode, Encode};
use crate::error::{Error, Result, Setting, message};
use crate::units::ByteSize;

const FRAME: &str = "zstd frame";

const MAGIC_BYTES: usize = 4;
const BLOCK_HEADER_BYTES: usize = 3;
const CHECKSUM_BYTES: usize = 4;

/// Bytes of a skippable frame before its data: its magic number and the length of the data.
const SKIPPABLE_HEAD_BYTES: usize = 8;

/// Skippable frames have these, of zstd and of lz4 alike.
const SKIPPABLE: u32 = 0x184d_2a50;
const SKIPPABLE_MASK: u32 = 0xffff_fff0;

/// The largest window that the library knows: which ones there is memory for, we say.
const WINDOW_LOG_MAX: u32 = 31;

/// Returns whether four bytes begin a skippable frame.
pub fn is_skippable(magic: u32) -> bool {
    magic & SKIPPABLE_MASK == SKIPPABLE
}

/// Returns the bytes of the skippable frame that comes next, if one does, and all of it can be
/// looked at.
pub fn skippable_ahead(from: &mut Compressed) -> Result<Option<usize>> {
    let Some(&head) = from.ahead(SKIPPABLE_HEAD_BYTES)?.and_then(<[u8]>::first_chunk) else {
        return Ok(None);
    };
    let [a, b, c, d, length @ ..]: [u8; SKIPPABLE_HEAD_BYTES] = head;
    if !is_skippable(u32::from_le_bytes([a, b, c, d])) {
        return Ok(None);
    }
    let bytes = SKIPPABLE_HEAD_BYTES.saturating_add(u32::from_le_bytes(length) as usize);
    Ok(from.ahead(bytes)?.map(<[u8]>::len))
}

/// Expands frames.
pub struct ZstdDecoder {
    context: DCtx<'static>,
    memory: WindowMemory,
    /// True if a frame is being expanded.
    is_inside: bool,
    /// Offset in the file of the current frame, or of the last one.
    start: u64,
}

impl ZstdDecoder {
    /// Returns a decoder that has its windows from `windows`.
    pub fn new(windows: &Arc<Windows>) -> Result<Self> {
        let mut context = DCtx::try_create().ok_or_else(|| Compressed::unready(Codec::Zstd))?;
        let limited = context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX));
        limited.map_err(|_| Compressed::unready(Codec::Zstd))?;
        Ok(Self { context, memory: WindowMemory::new(windows), is_inside: false, start: 0 })
    }

    /// Returns whether another frame begins.
    fn begin(&mut self, from: &mut Compressed) -> Result<bool> {
        self.start = from.offset();
        let next = from.at_least(MAGIC_BYTES)?;
        if next.is_empty() && self.start > 0 {
            return Ok(false);
        }
        let is_begun = !next.is_empty() && ZSTD_MAGIC.to_le_bytes().starts_with(next);
        match next.first_chunk().copied().map(u32::from_le_bytes) {
            Some(magic) if magic == ZSTD_MAGIC || is_skippable(magic) => {}
            None if is_begun => return Err(from.cut(FRAME, self.start)),
            _ => return Err(from.foreign(Codec::Zstd, FRAME)),
        }
        self.is_inside = true;
        let window = window_of(from.at_least(HEAD_BYTES)?).unwrap_or(0);
        self.reserve(window, from).map(|()| true)
    }

    /// Takes memory for a window.
    fn reserve(&mut self, window: u64, from: &Compressed) -> Result<()> {
        self.memory.reserve(window).map_err(|shortage| {
            let WindowShortage { there, least } = shortage;
            let message = message!(
                "the zstd frame at byte {} of the compressed data needs a window of {}, and there \
                 is memory for {}; give at least {} with {}, or compress it without --long and \
                 --ultra",
                self.start,
                ByteSize(window),
                there,
                least,
                Setting::Memory,
            );
            shortage.error(from.name(), message)
        })
    }
}

/// Returns the bytes of the data of a block with this header (RFC 8878, section 3.1.1.2), if the
/// header is valid.
fn block_data_bytes(header: u32) -> Option<usize> {
    let size = (header >> 3) as usize;
    match header >> 1 & 3 {
        0 | 2 => Some(size),
        1 => Some(1),
        _ => None,
    }
}

impl Decode for ZstdDecoder {
    fn next_unit(&mut self, from: &mut Compressed) -> Result<Option<Unit>> {
        if self.is_inside {
            return Ok(None);
        }
        if let Some(packed_bytes) = skippable_ahead(from)? {
            return Ok(Some(Unit { packed_bytes, bytes: 0 }));
        }
        let next = from.at_least(HEAD_BYTES)?;
        if !next.starts_with(&ZSTD_MAGIC.to_le_bytes()) {
            return Ok(None);
        }
        let head = ZstdHead::read(next).filter(|head| !head.has_dictionary);
        let Some(head) = head else { return Ok(None) };
        let content = head.content_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let Some(bytes) = content else { return Ok(None) };
        let mut end = head.bytes;
        loop {
            let header = from.ahead(end + BLOCK_HEADER_BYTES)?.and_then(<[u8]>::last_chunk);
            let Some(&[a, b, c]) = header else { return Ok(None) };
            let header = u32::from_le_bytes([a, b, c, 0]);
            let Some(data) = block_data_bytes(header) else { return Ok(None) };
            end += BLOCK_HEADER_BYTES + data;
            if header & 1 == 1 {
                break;
            }
        }
        let packed_bytes = end + if head.has_checksum { CHECKSUM_BYTES } else { 0 };
        Ok(from.ahead(packed_bytes)?.map(|_| Unit { packed_bytes, bytes }))
    }

    fn decode(&mut self, from: &mut Compressed, into: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            if !self.is_inside && !self.begin(from)? {
                break;
            }
            let input = from.unread()?;
            let is_at_end = input.is_empty();
            let mut source = InBuffer::around(input);
            let mut target = OutBuffer::around(&mut into[filled..]);
            let step = self.context.decompress_stream(&mut target, &mut source);
            let (taken, made) = (source.pos(), target.pos());
            from.take(taken);
            filled += made;
            let wanted =
                step.map_err(|code| from.damaged(FRAME, self.start, get_error_name(code)))?;
            self.is_inside = wanted > 0;
            if self.is_inside && is_at_end && made == 0 {
                return Err(from.cut(FRAME, self.start));
            }
        }
        Ok(filled)
    }
}

/// Makes frames.
pub struct ZstdEncoder(CCtx<'static>);

impl ZstdEncoder {
    /// Returns an encoder of a level from 1 to 22.
    pub fn new(level: u32) -> Result<Self> {
        let unready = || Compressed::unready(Codec::Zstd);
        let mut context = CCtx::try_create().ok_or_else(unready)?;
        let parameters =
            [CParameter::CompressionLevel(level.cast_signed()), CParameter::ChecksumFlag(true)];
        for parameter in parameters {
            context.set_parameter(parameter).map_err(|_| unready())?;
        }
        Ok(Self(context))
    }
}

impl Encode for ZstdEncoder {
    fn encode(&mut self, chunk: &[u8], into: &mut [u8]) -> Result<usize> {
        // There is room for every frame; what may fail is getting memory.
        self.0.compress2(into, chunk).map_err(|code| {
            let source = io::Error::other(get_error_name(code));
            Error::io("compress with", Path::new(Codec::Zstd.name()), source)
        })
    }
}

/// Returns the most bytes of a frame, with its checksum.
pub fn bound(chunk_bytes: usize) -> usize {
    compress_bound(chunk_bytes) + 4
}
