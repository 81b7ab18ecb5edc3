//! Lanes of sixteen bytes, and rounds of AES over them: as processors have them, and by a table.

/// Bytes of a block, and of a lane.
pub const BLOCK: usize = 16;

/// A lane, and what is done with it. Its bytes are those of its value, the lowest first.
pub trait HashLane: Copy {
    /// Returns the lane of this value.
    fn of(value: u128) -> Self;

    /// Returns the lane of these bytes.
    fn block(bytes: &[u8; BLOCK]) -> Self;

    /// Adds two lanes bit by bit.
    fn plus(self, other: Self) -> Self;

    /// Applies SubBytes, ShiftRows and MixColumns, and adds `key` bit by bit.
    fn round(self, key: Self) -> Self;

    /// Returns its value.
    fn value(self) -> u128;
}

/// A lane whose rounds are looked up.
#[derive(Clone, Copy)]
pub struct LookupLane(u128);

/// Column that each byte of the first row becomes: twice its substitute, the substitute, the
/// substitute again, three times it. For a byte of another row that is turned by as many bytes
/// (Daemen and Rijmen, AES Proposal: Rijndael, section 5.2.1).
const COLUMNS: [u32; 256] = columns();

/// Returns a byte times x in the field of AES (FIPS 197, section 4.2.1).
const fn doubled(byte: u8) -> u8 {
    (byte << 1) ^ (0x1b * (byte >> 7))
}

/// Returns a byte divided by x + 1.
const fn thirded(byte: u8) -> u8 {
    let byte = byte ^ (byte << 1);
    let byte = byte ^ (byte << 2);
    let byte = byte ^ (byte << 4);
    byte ^ (0x09 * (byte >> 7))
}

/// Returns the column of the byte that has this inverse (section 5.1.1).
const fn column(inverse: u8) -> u32 {
    let twice = inverse.rotate_left(1) ^ inverse.rotate_left(2);
    let substitute = inverse ^ twice ^ twice.rotate_left(2) ^ 0x63;
    let double = doubled(substitute);
    u32::from_le_bytes([double, substitute, substitute, double ^ substitute])
}

const fn columns() -> [u32; 256] {
    // Zero counts as its own inverse. The powers of x + 1 are all others.
    let mut columns = [column(0); 256];
    let (mut power, mut inverse) = (1_u8, 1_u8);
    loop {
        columns[power as usize] = column(inverse);
        (power, inverse) = (power ^ doubled(power), thirded(inverse));
        if power == 1 {
            return columns;
        }
    }
}

impl HashLane for LookupLane {
    fn of(value: u128) -> Self {
        Self(value)
    }

    fn block(bytes: &[u8; BLOCK]) -> Self {
        Self(u128::from_le_bytes(*bytes))
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    fn round(self, key: Self) -> Self {
        let bytes = self.0.to_le_bytes();
        let mut rounded = 0;
        for column in 0..4 {
            // ShiftRows: a row's byte comes from as many columns further on.
            let of_row = |row: usize| {
                let byte = bytes[(4 * (column + row) + row) % BLOCK];
                COLUMNS[usize::from(byte)].rotate_left(8 * row as u32)
            };
            let mixed = of_row(0) ^ of_row(1) ^ of_row(2) ^ of_row(3);
            rounded |= u128::from(mixed) << (32 * column);
        }
        Self(rounded ^ key.0)
    }

    fn value(self) -> u128 {
        self.0
    }
}

/// Rounds as processors have them.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
pub mod hardware {
    use std::mem::transmute;

    use super::{BLOCK, HashLane};
    use crate::proof::hash::{digest, total};

    #[cfg(target_arch = "aarch64")]
    use super::aarch64::{Bits, plus, round};
    #[cfg(target_arch = "x86_64")]
    use super::x86_64::{Bits, plus, round};

    #[cfg(target_arch = "aarch64")]
    pub use super::aarch64::is_there;
    #[cfg(target_arch = "x86_64")]
    pub use super::x86_64::is_there;

    /// Returns the hash of a record.
    #[target_feature(enable = "aes")]
    pub fn hash(record: &[u8]) -> u128 {
        digest::<Register>(record)
    }

    /// Returns how many records there are, and the sum of their hashes.
    #[target_feature(enable = "aes")]
    pub fn sum<'r>(records: impl Iterator<Item = &'r [u8]>) -> (u64, u128) {
        total::<Register>(records)
    }

    /// A lane in a register, for the functions above alone.
    #[derive(Clone, Copy)]
    struct Register(Bits);

    impl HashLane for Register {
        #[inline(always)]
        fn of(value: u128) -> Self {
            // SAFETY: any sixteen bytes are a register; the lowest are first in both.
            Self(unsafe { transmute::<u128, Bits>(value) })
        }

        #[inline(always)]
        fn block(bytes: &[u8; BLOCK]) -> Self {
            // SAFETY: as above.
            Self(unsafe { transmute::<[u8; BLOCK], Bits>(*bytes) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Self(plus(self.0, other.0))
        }

        #[inline(always)]
        fn round(self, key: Self) -> Self {
            // SAFETY: there are registers only where the functions above may be called.
            Self(unsafe { round(self.0, key.0) })
        }

        #[inline(always)]
        fn value(self) -> u128 {
            // SAFETY: as in `of`.
            unsafe { transmute::<Bits, u128>(self.0) }
        }
    }
}

/// Lanes of x86-64 (AES-NI).
#[cfg(target_arch = "x86_64")]
mod x86_64 {
    pub use std::arch::x86_64::__m128i as Bits;
    use std::arch::x86_64::{_mm_aesenc_si128, _mm_xor_si128};

    /// Returns whether the processor has rounds.
    #[inline]
    pub fn is_there() -> bool {
        std::arch::is_x86_feature_detected!("aes")
    }

    #[inline(always)]
    pub fn plus(a: Bits, b: Bits) -> Bits {
        // SAFETY: all x86-64 has it.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline]
    #[target_feature(enable = "aes")]
    pub fn round(state: Bits, key: Bits) -> Bits {
        _mm_aesenc_si128(state, key)
    }
}

/// Lanes of AArch64.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod aarch64 {
    pub use std::arch::aarch64::uint8x16_t as Bits;
    use std::arch::aarch64::{vaeseq_u8, vaesmcq_u8, vdupq_n_u8, veorq_u8};

    /// Returns whether the processor has rounds.
    #[inline]
    pub fn is_there() -> bool {
        std::arch::is_aarch64_feature_detected!("aes")
    }

    #[inline(always)]
    pub fn plus(a: Bits, b: Bits) -> Bits {
        // SAFETY: all AArch64 with an operating system has it.
        unsafe { veorq_u8(a, b) }
    }

    /// Applies a round. AArch64 adds a key before the substitution: it gets zero here, and `key` is
    /// added afterwards.
    #[inline]
    #[target_feature(enable = "aes")]
    pub fn round(state: Bits, key: Bits) -> Bits {
        plus(vaesmcq_u8(vaeseq_u8(state, vdupq_n_u8(0))), key)
    }
}
