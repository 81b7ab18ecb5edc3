//! Sixty-four bytes at a time as bit masks: which of them are this byte, and which lie in quotes.
//!
//! Looking at text through bit masks is the way of simdjson (Langdale and Lemire, "Parsing
//! Gigabytes of JSON per Second", VLDB Journal 2019, section 3.1).

use wide::u8x16;

use super::quoting::Gap;

/// Bytes that one mask describes.
pub const WIDTH: usize = 64;

/// Sixty-four bytes; those after the end of the text are zeros.
#[derive(Clone, Copy)]
pub struct MaskChunk([u8x16; WIDTH / 16]);

impl MaskChunk {
    /// Returns the first bytes of `bytes`.
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
        match bytes.first_chunk() {
            Some(whole) => Self::whole(whole),
            None => Self::cut(bytes),
        }
    }

    #[inline]
    fn whole(bytes: &[u8; WIDTH]) -> Self {
        let (parts, _) = bytes.as_chunks();
        Self([parts[0].into(), parts[1].into(), parts[2].into(), parts[3].into()])
    }

    #[inline(never)]
    fn cut(bytes: &[u8]) -> Self {
        let mut chunk = [0; WIDTH];
        chunk[..bytes.len()].copy_from_slice(bytes);
        Self::whole(&chunk)
    }

    /// Returns a bit for each byte that is `wanted`, the first byte's lowest.
    #[inline]
    pub fn equal(&self, wanted: u8) -> u64 {
        let wanted = u8x16::splat(wanted);
        let bits = |part: &u8x16| u64::from(part.cmp_eq(wanted).move_mask().cast_unsigned());
        let placed = self.0.iter().enumerate().map(|(place, part)| bits(part) << (16 * place));
        placed.fold(0, |mask, bits| mask | bits)
    }
}

/// Returns a mask that has a bit set if an odd number of bits of `mask` are set up to and including
/// it. For quotes, these are the bytes from each opening one to before the closing one.
#[inline]
pub const fn parity_so_far(mut mask: u64) -> u64 {
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    mask ^ mask << 32
}

/// Returns all ones where the highest bit is set, and else zero: of a mask of bytes in quotes,
/// whether the next chunk starts in quotes.
#[inline]
pub const fn all_or_none(mask: u64) -> u64 {
    (mask.cast_signed() >> 63).cast_unsigned()
}

/// The state between two chunks where a quote opens only at the start of a cell.
#[derive(Clone, Copy, Debug)]
pub struct LenientCarry {
    /// All ones in quotes.
    inside: u64,
    /// One if a quote opens at the next byte, unless in quotes.
    may_open: u64,
}

impl From<Gap> for LenientCarry {
    fn from(at: Gap) -> Self {
        let inside = if at == Gap::Quoted { u64::MAX } else { 0 };
        Self { inside, may_open: u64::from(at == Gap::Start) }
    }
}

impl LenientCarry {
    /// Returns the place that the last chunk ends at.
    pub fn at(self) -> Gap {
        match self {
            Self { inside: u64::MAX, .. } => Gap::Quoted,
            Self { may_open: 1, .. } => Gap::Start,
            _ => Gap::Text,
        }
    }

    /// Returns the mask of the bytes of the next chunk that lie in quotes, given its quotes and the
    /// bytes that end its cells outside quotes.
    #[inline]
    pub fn pass(&mut self, quotes: u64, delimiters: u64) -> u64 {
        let Self { inside, may_open } = *self;
        let special = special_quotes(quotes, delimiters, inside, may_open);
        let quoted = parity_so_far(special) ^ inside;
        self.inside = all_or_none(quoted);
        self.may_open = ((delimiters | special) & !quoted) >> (WIDTH - 1);
        quoted
    }
}

/// Returns those `quotes` of a chunk that open or close where a quote opens only at the start of a
/// cell: after one of the `delimiters`, or after a closing quote.
///
/// Nearly all chunks have no others, which is tried first.
#[inline]
pub fn special_quotes(quotes: u64, delimiters: u64, inside: u64, may_open: u64) -> u64 {
    let quoted = parity_so_far(quotes) ^ inside;
    let openers = ((delimiters | quotes) & !quoted) << 1 | may_open;
    match quotes & quoted & !openers {
        0 => quotes,
        _ => special_quotes_singly(quotes, delimiters, inside, may_open),
    }
}

/// Returns the result of [`special_quotes`], computed one quote after the other.
#[inline(never)]
fn special_quotes_singly(quotes: u64, delimiters: u64, inside: u64, may_open: u64) -> u64 {
    let (mut left, mut special, mut is_inside) = (quotes, 0, inside != 0);
    let mut openers = delimiters << 1 | may_open;
    while left != 0 {
        let quote = left & left.wrapping_neg();
        if is_inside {
            openers |= quote << 1;
        }
        if is_inside || openers & quote != 0 {
            special |= quote;
            is_inside = !is_inside;
        }
        left &= left - 1;
    }
    special
}

/// Returns whether `wanted` occurs in `bytes` an odd number of times.
pub fn is_odd(bytes: &[u8], wanted: u8) -> bool {
    // Counted in bytes, so that the compiler can do many at once.
    let odd = |piece: &[u8]| piece.iter().fold(0_u8, |odd, byte| odd ^ u8::from(*byte == wanted));
    bytes.chunks(1 << 12).fold(0, |all, piece| all ^ odd(piece)) == 1
}

/// Returns the place after byte `end` where it occurs for the `number`th time, from 1.
///
/// One branch for each end, and no count of the bits: a processor then goes ahead to the next
/// record while it waits for the bytes of this one, which takes half the time where records are
/// fetched in an order of their own.
#[inline]
pub fn nth_end(end: u8, bytes: &[u8], number: usize) -> Option<usize> {
    let (mut left, mut at) = (number, 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let mut ends = MaskChunk::of(rest).equal(end);
        if rest.len() < WIDTH {
            // What lies behind the end of the text is zeros.
            ends &= (1 << rest.len()) - 1;
        }
        while ends != 0 {
            left -= 1;
            if left == 0 {
                return Some(at + ends.trailing_zeros() as usize + 1);
            }
            ends &= ends - 1;
        }
        at += WIDTH;
    }
    None
}

#[cfg(test)]
mod tests;
