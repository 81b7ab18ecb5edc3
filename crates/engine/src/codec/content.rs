//! Detection of data formats by their first bytes: ours, those of other programs, or plain data.
//!
//! Whole headers are looked at, not their first bytes alone: text that happens to begin as some
//! format does has to stay text. `foreign` lists the formats that are detected to be refused.

use xxhash_rust::xxh32::xxh32;

use super::Codec;
use super::foreign::{FOREIGN, Foreign};
use super::memory::ZSTD_MAGIC;
use crate::error::{Message, Setting, message};

/// Bytes at the start of data that identify its format.
pub const CONTENT_BYTES: usize = 4096;

/// Bytes of the longest header that shows a codec: that of lz4, with its checksum.
const HEADER_MAX: usize = 19;

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const LZ4_MAGIC: [u8; 4] = 0x184d_2204_u32.to_le_bytes();

/// The kind of some data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// Nothing that is known here: records.
    Plain,
    /// A format that is expanded here.
    Packed(Codec),
    /// A format that another program expands.
    Foreign(&'static Foreign),
    /// Skippable frames of zstd or lz4, and nothing in view that shows which of the two follows.
    Skippable,
}

impl ContentKind {
    /// Tells what data is that begins with `head`, or is no more than that.
    pub fn of(head: &[u8]) -> Self {
        let rest = after_skippable(head);
        if let Some(codec) = codec(rest) {
            return Self::Packed(codec);
        }
        let is_cut = head.len() >= CONTENT_BYTES && rest.len() < HEADER_MAX;
        if rest.len() < head.len() && (rest.is_empty() || is_cut) {
            return Self::Skippable;
        }
        FOREIGN.iter().find(|foreign| foreign.begins(head)).map_or(Self::Plain, Self::Foreign)
    }

    /// Returns whether data that starts with these few bytes may still turn out not to be plain.
    pub fn is_open(few: &[u8]) -> bool {
        let begins = |magic: &[u8]| {
            let length = few.len().min(magic.len());
            few[..length] == magic[..length]
        };
        let ours = [&GZIP_MAGIC[..], &LZ4_MAGIC, &ZSTD_MAGIC.to_le_bytes()];
        let is_skippable = || {
            let first = few.first().is_none_or(|first| first & 0xf0 == 0x50);
            first && begins(&[few.first().copied().unwrap_or_default(), 0x2a, 0x4d, 0x18])
        };
        ours.into_iter().any(begins)
            || is_skippable()
            || FOREIGN.iter().any(|foreign| foreign.magics.iter().any(|magic| begins(magic)))
    }
}

/// Returns what is wrong with data that begins with skippable frames, and what to do.
pub fn skippable_advice() -> Message {
    message!(
        "begins with a skippable frame of zstd or lz4 that is longer than 4 KiB; name the format \
         with {} or {}, or read the bytes as they are with {}",
        Setting::Decompress.to(Codec::Zstd),
        Setting::Decompress.to(Codec::Lz4),
        Setting::Decompress.to("off"),
    )
}

/// Returns what follows the skippable frames that `head` begins with, as far as it is in view.
fn after_skippable(mut head: &[u8]) -> &[u8] {
    while let [first, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] = head
        && first & 0xf0 == 0x50
    {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        head = rest.get(length..).unwrap_or_default();
    }
    head
}

/// Returns the codec of data that starts with `head`.
fn codec(head: &[u8]) -> Option<Codec> {
    if is_gzip(head) {
        return Some(Codec::Gzip);
    }
    if is_zstd(head) {
        return Some(Codec::Zstd);
    }
    is_lz4(head).then_some(Codec::Lz4)
}

/// Checks a member's header (RFC 1952, section 2.3): method 8, and no reserved flag.
fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&GZIP_MAGIC) && head.len() >= 10 && head[3] & 0xe0 == 0
}

/// Checks a frame's header (RFC 8878, section 3.1.1.1): the reserved bit is not set.
fn is_zstd(head: &[u8]) -> bool {
    let descriptor = head.strip_prefix(&ZSTD_MAGIC.to_le_bytes()).and_then(<[u8]>::first);
    descriptor.is_some_and(|descriptor| descriptor & 1 << 3 == 0)
}

/// Checks a frame's header (lz4 frame format, version 1): version, reserved bits and checksum.
fn is_lz4(head: &[u8]) -> bool {
    let Some(descriptor @ [flags, block, ..]) = head.strip_prefix(&LZ4_MAGIC) else { return false };
    let length = 2 + if flags & 1 << 3 != 0 { 8 } else { 0 } + if flags & 1 != 0 { 4 } else { 0 };
    let is_known = flags >> 6 == 1 && flags & 1 << 1 == 0 && block & 0x8f == 0 && block >> 4 >= 4;
    let checksum = descriptor.get(length);
    is_known && checksum.is_some_and(|sum| *sum == (xxh32(&descriptor[..length], 0) >> 8) as u8)
}

#[cfg(test)]
mod tests;
