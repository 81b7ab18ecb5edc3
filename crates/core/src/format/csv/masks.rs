//! Sixty-four bytes at a time as bit masks: which of them are this byte, and which lie in quotes.
//!
//! Looking at text through bit masks is the way of simdjson (Langdale and Lemire, "Parsing
//! Gigabytes of JSON per Second", VLDB Journal 2019, section 3.1).

/// Bytes that one mask tells of.
pub const WIDTH: usize = 64;

/// Sixty-four bytes; those behind the end of the text are zeros.
#[derive(Clone, Copy)]
pub struct Chunk([u8; WIDTH]);

impl Chunk {
    /// The first bytes of `bytes`.
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
        match bytes.first_chunk() {
            Some(whole) => Self(*whole),
            None => Self::cut(bytes),
        }
    }

    #[inline(never)]
    fn cut(bytes: &[u8]) -> Self {
        let mut chunk = [0; WIDTH];
        chunk[..bytes.len()].copy_from_slice(bytes);
        Self(chunk)
    }

    /// A bit for each byte that is `wanted`, the first byte's lowest.
    #[inline]
    pub fn equal(&self, wanted: u8) -> u64 {
        // Ones and zeros first, which the compiler does for many bytes at once; then the eight of a
        // word are moved next to each other by a multiplication.
        let is_equal = self.0.map(|byte| u8::from(byte == wanted));
        let (words, _) = is_equal.as_chunks::<8>();
        let bits = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(TOGETHER) >> 56;
        let placed = words.iter().enumerate().map(|(place, word)| bits(word) << (8 * place));
        placed.fold(0, |mask, bits| mask | bits)
    }
}

/// Moves the lowest bit of byte *n* to bit 56 + *n*.
const TOGETHER: u64 = 0x0102_0408_1020_4080;

/// For each bit, whether the bits up to and with it that are set are odd in number: of quotes, from
/// each opening one to before the closing one.
#[inline]
pub const fn parity_so_far(mut mask: u64) -> u64 {
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    mask ^ mask << 32
}

/// Whether `wanted` occurs in `bytes` an odd number of times.
pub fn is_odd(bytes: &[u8], wanted: u8) -> bool {
    // Counted in bytes, so that the compiler can do many at once.
    let odd = |piece: &[u8]| piece.iter().fold(0_u8, |odd, byte| odd ^ u8::from(*byte == wanted));
    bytes.chunks(1 << 12).fold(0, |all, piece| all ^ odd(piece)) == 1
}

#[cfg(test)]
mod tests;
