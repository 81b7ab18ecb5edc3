//! Sixteen bytes of a line at a time, as bit masks.
//!
//! Most names, strings and numbers end within the first sixteen bytes. One window then finds their
//! end without a loop, and so without a branch that the processor cannot predict.

use std::ops::BitOrAssign;

use wide::u8x16;

/// Bytes of a window.
pub const WIDTH: usize = 16;

/// Sixteen bytes of a text; those after its end are zeros.
#[derive(Clone, Copy, Default)]
pub struct TextWindow(u8x16);

impl TextWindow {
    /// Returns the bytes from byte `at` on.
    #[inline(always)]
    pub fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => Self(u8x16::from(*bytes)),
            None => Self::cut(text, at),
        }
    }

    /// Returns a window that goes beyond the end of the text.
    #[inline]
    fn cut(text: &[u8], at: usize) -> Self {
        let left = text.len().saturating_sub(at);
        let word = match text.last_chunk() {
            // The last bytes are loaded whole, and those before `at` moved out.
            Some(last) => u128::from_le_bytes(*last)
                .checked_shr(8 * WIDTH.saturating_sub(left) as u32)
                .unwrap_or(0),
            None => {
                let bytes = text.get(at..).unwrap_or_default();
                bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
            }
        };
        Self(u8x16::from(word.to_le_bytes()))
    }

    /// Returns a bit for each byte of which `is` is all ones, the first byte's lowest.
    #[inline(always)]
    fn mask(is: u8x16) -> u32 {
        is.move_mask().cast_unsigned()
    }

    /// Compares each byte with `byte`.
    #[inline(always)]
    fn equal(self, byte: u8) -> u8x16 {
        self.0.cmp_eq(u8x16::splat(byte))
    }

    /// Tests each byte for being at most `byte`.
    #[inline(always)]
    fn at_most(self, byte: u8) -> u8x16 {
        self.0.min(u8x16::splat(byte)).cmp_eq(self.0)
    }

    /// Returns the window with the bit set that distinguishes `[` from `{`, and `]` from `}`.
    #[inline(always)]
    fn braced(self) -> Self {
        Self(self.0 | u8x16::splat(b'[' ^ b'{'))
    }

    /// Returns the mask of bytes that end a string or begin an escape.
    #[inline(always)]
    pub fn string_stops(self) -> u32 {
        Self::mask(self.equal(b'"') | self.equal(b'\\'))
    }

    /// Returns which bytes cannot stand for themselves in a string: quotes, backslashes, and
    /// control characters, of which zeros after the end of the text are some.
    #[inline(always)]
    pub fn string_stops_and_controls(self) -> u32 {
        Self::mask(self.equal(b'"') | self.equal(b'\\') | self.at_most(0x1f))
    }

    /// Returns the mask of bytes that end a number or a literal: commas, closing brackets, blanks,
    /// and zeros after the end of the text.
    #[inline(always)]
    pub fn scalar_ends(self) -> u32 {
        Self::mask(self.equal(b',') | self.braced().equal(b'}') | self.at_most(b' '))
    }

    /// Returns the mask of bytes that are brackets, braces or quotes.
    #[inline(always)]
    pub fn brackets_and_quotes(self) -> u32 {
        let braced = self.braced();
        Self::mask(braced.equal(b'{') | braced.equal(b'}') | self.equal(b'"'))
    }

    /// Returns the number of digits that the window begins with.
    #[inline(always)]
    pub fn leading_digits(self) -> usize {
        let digits = Self(self.0 - u8x16::splat(b'0')).at_most(9);
        Self::mask(digits).trailing_ones() as usize
    }

    /// Returns whether all bytes are ASCII.
    #[inline]
    pub fn is_ascii(self) -> bool {
        self.0.move_mask() == 0
    }
}

impl BitOrAssign for TextWindow {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 = self.0 | other.0;
    }
}

#[cfg(test)]
mod tests;
