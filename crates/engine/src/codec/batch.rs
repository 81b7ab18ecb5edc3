//! Batches: units of one input, which any thread can expand apart from the rest. A unit is a whole
//! member or frame, or an independent block of a large lz4 frame.
//!
//! The unit that comes next is found without expanding it: by the length that BGZF states, by the
//! lengths of blocks in zstd and lz4, by the bytes that begin a member of gzip. The last may also
//! lie within compressed data by chance. So a batch only counts once it was expanded without error
//! and to its end. Otherwise its bytes are put back, and the input is expanded in order by one
//! thread.
//!
//! A batch has either whole members and frames, or blocks of one frame. The checksum of that frame
//! counts what blocks expand to in the order of the batches (`input`).

use std::sync::Arc;

use super::memory::Windows;
use super::source::Compressed;
use super::{Codec, Decode, FrameBlocks};
use crate::error::Result;

/// A member, a frame or a block of which all bytes have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its bytes.
    pub packed_bytes: usize,
    /// The most bytes that it expands to.
    pub bytes: usize,
}

/// Some members or frames, or some blocks of one frame.
pub struct UnitBatch {
    /// Their bytes.
    pub packed: Vec<u8>,
    /// The most bytes that they expand to.
    bytes: usize,
    /// Decoder of the blocks, if they are blocks.
    blocks: Option<Box<dyn FrameBlocks>>,
}

impl UnitBatch {
    /// Takes units from an input into `packed`, as far as they expand to `room` bytes and fill
    /// `packed_room` at most. Returns `None` if the next one is too large, or is not seen to be
    /// whole.
    pub fn cut(
        decoder: &mut dyn Decode,
        from: &mut Compressed,
        mut packed: Vec<u8>,
        room: usize,
        packed_room: usize,
    ) -> Result<Option<Self>> {
        let mut bytes = 0;
        packed.clear();
        while let Some(unit) = decoder.next_unit(from)? {
            let is_too_much = unit.packed_bytes > packed_room - packed.len();
            if is_too_much || unit.bytes > room - bytes {
                break;
            }
            packed.reserve_exact(packed_room - packed.len());
            from.take_into(unit.packed_bytes, &mut packed);
            bytes += unit.bytes;
        }
        let blocks = decoder.frame_blocks();
        Ok((!packed.is_empty()).then_some(Self { packed, bytes, blocks }))
    }

    /// Expands the batch into `buffer`, which has room for one byte more: decoders check the end of
    /// the data if there is room for more. Returns the bytes filled, or `None` if the batch is not
    /// whole units.
    pub fn expand(self, codec: Codec, windows: &Arc<Windows>, buffer: &mut [u8]) -> Expansion {
        let into = &mut buffer[..=self.bytes];
        if let Some(blocks) = self.blocks {
            let filled = blocks.expand(&self.packed, into);
            return Expansion { packed: self.packed, filled, blocks: Some(blocks) };
        }
        let mut from = Compressed::of_bytes(self.packed);
        let filled = codec.decoder(windows).and_then(|mut decoder| decoder.decode(&mut from, into));
        let is_whole = |filled: &usize| *filled < into.len();
        let filled = filled.ok().filter(is_whole);
        Expansion { packed: from.into_bytes(), filled, blocks: None }
    }
}

/// Result of the expansion of a batch.
pub struct Expansion {
    /// Bytes of the batch.
    pub packed: Vec<u8>,
    /// Bytes that it expanded to, if it was whole units.
    pub filled: Option<usize>,
    /// Counter of the content of the frame, if the units are blocks of one.
    pub blocks: Option<Box<dyn FrameBlocks>>,
}
