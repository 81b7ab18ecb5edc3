//! Batches: whole members or frames of one input, which any thread can expand apart from the rest.
//!
//! The member or frame that comes next is found without expanding it: by the length that BGZF
//! states, by the lengths of blocks in zstd and lz4, by the bytes that begin a member of gzip. The
//! last may also lie within compressed data by chance. So a batch only counts once it was expanded
//! without error and to its end. Otherwise its bytes are put back, and the input is expanded in
//! order by one thread.

use std::sync::Arc;

use super::memory::Windows;
use super::source::Compressed;
use super::{Codec, Decode};
use crate::error::Result;

/// A member or frame of which all bytes have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its bytes.
    pub packed_bytes: usize,
    /// The most bytes that it expands to.
    pub bytes: usize,
}

/// Some members or frames.
#[derive(Debug)]
pub struct UnitBatch {
    /// Their bytes.
    pub packed: Vec<u8>,
    /// The most bytes that they expand to.
    bytes: usize,
}

impl UnitBatch {
    /// Takes members or frames from an input into `packed`, as far as they expand to `room` bytes
    /// and fill `packed_room` at most. Returns `None` if the next one is too large, or is not seen
    /// to be whole.
    pub fn cut(
        decoder: &mut dyn Decode,
        from: &mut Compressed,
        mut packed: Vec<u8>,
        (room, packed_room): (usize, usize),
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
        Ok((!packed.is_empty()).then_some(Self { packed, bytes }))
    }

    /// Expands the batch into `buffer`, which has room for one byte more: decoders check the end of
    /// the data if there is room for more. Returns the bytes filled, or `None` if the batch is not
    /// whole members or frames.
    pub fn expand(self, codec: Codec, windows: &Arc<Windows>, buffer: &mut [u8]) -> Expansion {
        let into = &mut buffer[..=self.bytes];
        let mut from = Compressed::of_bytes(self.packed);
        let filled = codec.decoder(windows).and_then(|mut decoder| decoder.decode(&mut from, into));
        let is_whole = |filled: &usize| *filled < into.len();
        Expansion { packed: from.into_bytes(), filled: filled.ok().filter(is_whole) }
    }
}

/// Result of the expansion of a batch.
#[derive(Debug)]
pub struct Expansion {
    /// Bytes of the batch.
    pub packed: Vec<u8>,
    /// Bytes that it expanded to, if it was whole members or frames.
    pub filled: Option<usize>,
}
