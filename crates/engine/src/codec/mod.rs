//! Compressed files as inputs and outputs: gzip, zstd and lz4, on threads of their own.
//!
//! ```text
//!   file --> [ Compressed ] --> [ a codec's Decode ] --> a few buffers --> Supplied --> reader
//!                    \__ a thread of `decoding` __/
//!
//!   writer --> chunks of a megabyte --> [ a codec's Encode ] --> in order --> file or pipe
//!                                      \__ threads of `encoding` __/
//! ```
//!
//! The format of an input is detected by its start (`content`), or by its name. Formats that are
//! not expanded here are detected too, and refused (`foreign`). Runs are compressed block by block
//! (`blocks`).
//!
//! State that both kinds of threads share with those who wait for them is in `threads`.
//!
//! To all else such an input is a stream, and so is such an output. A codec is one file here: how
//! it is detected, decoded and encoded. `memory` says what that takes of the budget.
//!
//! Outputs are whole members or frames, one a chunk, each with its checksum: any program that
//! knows the format reads them one after the other, and their bytes depend on the records alone,
//! not on the number of threads.

mod batch;
#[cfg(feature = "bgzf")]
mod bgzf;
mod blocks;
mod content;
mod decoding;
mod encoding;
mod foreign;
#[cfg(feature = "compression")]
mod gzip;
mod input;
#[cfg(feature = "compression")]
mod lz4;
#[cfg_attr(
    not(feature = "compression"),
    expect(dead_code, reason = "codecs use it, and none is built")
)]
mod memory;
mod setting;
#[cfg_attr(
    not(feature = "compression"),
    expect(dead_code, reason = "codecs use it, and none is built")
)]
mod source;
mod threads;
#[cfg(feature = "compression")]
mod zstd;

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

#[cfg(not(feature = "compression"))]
use crate::error::{ConfigErrorKind, Setting, config};
use crate::error::{ParseError, Result, message, named};

use batch::Unit;
#[cfg(feature = "bgzf")]
pub use bgzf::{BGZF_BLOCK_MAX, BgzfBlock, BgzfExpander, BgzfHeader};
pub use blocks::{block_coder_bytes, pack_block, unpack_block};
pub use content::{CONTENT_BYTES, ContentKind, skippable_advice};
pub use decoding::{Decoding, DecodingShape, Origin};
pub use encoding::OutputEncoding;
pub use foreign::{Foreign, STDIN};
use memory::Windows;
pub use memory::{Appetite, EncodingAppetite, OUTPUT_SHARE, beginning};
pub use setting::{Compress, CompressRuns, Compression, Decompress};
use source::Compressed;

named! {
    /// A format of compressed data.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Codec {
        /// Members of RFC 1952, one after the other.
        Gzip = "gzip",
        /// Frames of RFC 8878, one after the other; skippable ones are skipped.
        Zstd = "zstd",
        /// Frames of the lz4 frame format, one after the other; skippable ones are skipped.
        Lz4 = "lz4",
    }
}

/// Expands what one input holds.
trait Decode: Send {
    /// Returns the next member or frame if the decoder is between two of them, or the next block if
    /// it is within a frame of independent blocks. Returns `None` if not all of it can be looked
    /// at, or if it is to be expanded step by step. `from` stays where it is.
    fn next_unit(&mut self, from: &mut Compressed) -> Result<Option<Unit>>;

    /// Takes the header or the end of a frame that has independent blocks, if one comes next.
    /// Returns false if nothing was taken. All blocks before the end must have been counted.
    fn pass_border(&mut self, _: &mut Compressed) -> Result<bool> {
        Ok(false)
    }

    /// Returns what expands the next units, if they are blocks of one frame.
    fn frame_blocks(&self) -> Option<Box<dyn FrameBlocks>> {
        None
    }

    /// Fills `into`, or less of it at the end of the input only; returns the bytes filled.
    fn decode(&mut self, from: &mut Compressed, into: &mut [u8]) -> Result<usize>;
}

/// Expands independent blocks of one frame apart from its decoder, and counts them in their order:
/// a frame may end with a checksum of all that its blocks expand to.
trait FrameBlocks: Send {
    /// Expands whole blocks. Returns the bytes filled, or `None` if a block is cut off or damaged.
    fn expand(&self, packed: &[u8], into: &mut [u8]) -> Option<usize>;

    /// Counts what the next blocks of the frame expanded to.
    fn count(&self, content: &[u8]);
}

/// Compresses chunks.
trait Encode: Send {
    /// Makes a whole member or frame of `chunk` in `into`, which has room for the longest.
    fn encode(&mut self, chunk: &[u8], into: &mut [u8]) -> Result<usize>;
}

impl Codec {
    /// Returns the suffix of the names of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstd => "zst",
            Self::Lz4 => "lz4",
        }
    }

    /// Returns the codec of a file by the suffix of its name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let end = path.extension()?;
        Self::ALL.into_iter().find(|codec| end.eq_ignore_ascii_case(codec.extension()))
    }

    /// Returns the codec's decoder, which takes memory for its window from `windows`.
    #[cfg(feature = "compression")]
    fn decoder(self, windows: &Arc<Windows>) -> Result<Box<dyn Decode>> {
        Ok(match self {
            Self::Gzip => Box::new(gzip::GzipDecoder::default()),
            Self::Zstd => Box::new(zstd::ZstdDecoder::new(windows)?),
            Self::Lz4 => Box::new(lz4::Lz4Decoder::new(windows)),
        })
    }

    #[cfg(not(feature = "compression"))]
    fn decoder(self, _: &Arc<Windows>) -> Result<Box<dyn Decode>> {
        Err(self.missing())
    }

    #[cfg(not(feature = "compression"))]
    fn missing(self) -> crate::Error {
        config!(
            ConfigErrorKind::Unsupported,
            "this build does not support {}; build it with the cargo feature 'compression', or \
             give {} and {}",
            self.name(),
            Setting::Decompress.to("off"),
            Setting::Compress.to("off"),
        )
    }
}

impl FromStr for Codec {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        let mut codecs = Self::ALL.into_iter();
        codecs.find(|codec| codec.name() == text).ok_or_else(|| {
            let message = message!(
                "'{}' is not a way to compress; use gzip, zstd or lz4, or auto, or off",
                text
            );
            ParseError::new("compression", text, message)
        })
    }
}

#[cfg(test)]
mod tests;
