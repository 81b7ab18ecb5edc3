//! At most eight bytes at a known place of every record, as a word that compares like their value.
//!
//! This is the hot load under all keys, and it has one form for all of them: load eight bytes, move
//! the wanted ones to the top, clear the others, flip bits. What differs (byte order, sign, float,
//! direction, the distance to the end of the record) is settled when the scalar is made and is only
//! constants here, so that nothing branches on the type per record.
//!
//! ```text
//!     record, 12 bytes      . . . . . . . . . B B .        scalar 9..11 (two bytes, big-endian)
//!     load 4..12                    . . . . . B B .        8 bytes that end within the record
//!     << 40                         B B . . . . . .
//!     & mask                        B B 0 0 0 0 0 0
//!     ^ flips                       K K 0 0 0 0 0 0        sign, descending; never the padding
//! ```

use super::WORD_BYTES;
use super::part::{ByteKeyPart, Encoding};
use super::text::{NumberClass, NumberType};

/// The sign of a number whose most significant byte is on top.
const SIGN: u64 = 1 << 63;

/// The load of one scalar. Its word holds the normalized bytes on top and zeros below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    /// Offset of the eight bytes loaded: at the scalar, or as much earlier as it takes to end
    /// within the record. It is 0 in a record of less than eight bytes, read as if zeros followed
    /// it.
    load_at: usize,
    is_little_endian: bool,
    /// Brings the scalar's most significant byte to the top; less than 64.
    shift_bits: u32,
    /// Ones over the scalar's bytes once they are on top.
    mask: u64,
    /// Flipped in negative numbers only: everything below the sign for floats, whose magnitude
    /// grows away from zero on both sides; nothing for integers. Within `mask`.
    flip_negative: u64,
    /// Flipped always: the sign of signed numbers, and everything when descending. Within `mask`.
    flip: u64,
}

impl Scalar {
    /// Creates the scalar of a part of at most eight bytes, in records of `record_length` bytes.
    pub fn new(part: ByteKeyPart, record_length: usize) -> Self {
        let width = part.length();
        assert!((1..=WORD_BYTES).contains(&width) && part.end <= record_length);
        let number = match part.encoding {
            Encoding::Bytes => NumberType {
                class: NumberClass::Unsigned,
                width_bytes: width,
                is_little_endian: false,
            },
            Encoding::Number(number) => number,
        };
        assert_eq!(number.width_bytes, width);
        let load_at = part.start.min(record_length.saturating_sub(WORD_BYTES));
        let before = part.start - load_at;
        let shift_bytes =
            if number.is_little_endian { WORD_BYTES - before - width } else { before };
        let mask = u64::MAX << (8 * (WORD_BYTES - width));
        let (flip_negative, flip_sign) = match number.class {
            NumberClass::Unsigned => (0, 0),
            NumberClass::Signed => (0, SIGN),
            NumberClass::Float => (mask & !SIGN, SIGN),
        };
        Self {
            load_at,
            is_little_endian: number.is_little_endian,
            shift_bits: 8 * shift_bytes as u32,
            mask,
            flip_negative,
            flip: if part.is_descending { mask ^ flip_sign } else { flip_sign },
        }
    }

    /// Creates the scalar of a record that is one number.
    pub fn of_number(number: NumberType) -> Self {
        let (end, encoding) = (number.width_bytes, Encoding::Number(number));
        Self::new(ByteKeyPart { start: 0, end, encoding, is_descending: false }, end)
    }

    /// Returns the normalized bytes of the scalar, most significant on top, zeros below.
    #[inline(always)]
    pub fn word(&self, record: &[u8]) -> u64 {
        let bytes = match record.get(self.load_at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => *bytes,
            None => padded(record),
        };
        let loaded = if self.is_little_endian {
            u64::from_le_bytes(bytes)
        } else {
            u64::from_be_bytes(bytes)
        };
        let value = (loaded << self.shift_bits) & self.mask;
        let is_negative = (value.cast_signed() >> 63).cast_unsigned();
        value ^ (is_negative & self.flip_negative) ^ self.flip
    }
}

/// Returns a record of less than eight bytes, followed by zeros: its first and its last half, which
/// overlap where they must, and agree there.
///
/// Out of line: inlined it costs each piece of a composite key 0.4 ns on longer records, the usual
/// ones, to save short records 0.7 ns of 1.7 (fold over word 0, 2.6 GHz AMD EPYC, noise 0.1 ns).
#[inline(never)]
fn padded(record: &[u8]) -> [u8; WORD_BYTES] {
    let last_at = |half_bytes: usize| 8 * (record.len() - half_bytes);
    let word = if let (Some(first), Some(last)) = (record.first_chunk(), record.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << last_at(4)
    } else if let (Some(first), Some(last)) = (record.first_chunk(), record.last_chunk()) {
        u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << last_at(2)
    } else {
        record.first().copied().map_or(0, u64::from)
    };
    word.to_le_bytes()
}
