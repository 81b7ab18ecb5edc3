//! The digest of text: bits are spent on the bytes that occur, not on all there could be.
//!
//! An entry has 24 bits for its key. Three bytes of text fill them, though a place that only holds
//! digits says no more than four bits. So the bytes seen at each place of a word are numbered, and
//! the word becomes a number of mixed radix: six or seven digits fit 24 bits then, or five letters.
//! With that, most keys of a table's columns are separated without a look at their records.
//!
//! What was not seen must keep its order, too. Neighbouring bytes that were not seen share a number
//! between those around them, and what stands behind such a byte does not count:
//!
//! ```text
//!     seen     .  0 1 2 3 4 5 6 7 8 9            "12:" and "12;9" are equal here, between
//!     number 0 1 2 3 4 5 ...          12 13      "129" and what begins with "13"
//! ```

/// Marks a byte that was not seen.
const GAP: u64 = 1 << 63;

/// Values of the bytes at each place of one word.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// For each place and byte, its number times what a step at this place is worth.
    places: Box<[[u64; 256]; 8]>,
    /// Bits of the largest number.
    bits: u32,
}

impl Alphabet {
    /// Returns the alphabet of `words`, as they were sampled.
    pub fn of(words: impl Iterator<Item = u64>) -> Self {
        let mut is_seen = [[false; 256]; 8];
        for word in words {
            for (seen, byte) in is_seen.iter_mut().zip(word.to_be_bytes()) {
                seen[usize::from(byte)] = true;
            }
        }
        let mut places = Box::new([[0; 256]; 8]);
        let mut worth = 1;
        for (place, seen) in places.iter_mut().zip(&is_seen).rev() {
            let mut number = 0;
            for byte in 0..256 {
                let is_new = byte > 0 && (seen[byte] || seen[byte - 1]);
                number += u64::from(is_new);
                place[byte] = (number * worth) | if seen[byte] { 0 } else { GAP };
            }
            // The last byte of a word of text counts the others: at most 9 of 256 numbers there.
            worth *= number + 1;
            debug_assert!(worth < GAP);
        }
        Self { places, bits: u64::BITS - (worth - 1).leading_zeros() }
    }

    /// Bits that all its numbers fit in.
    #[inline]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns a number that is in the order of words: never less for a greater one.
    #[inline]
    pub fn pack(&self, word: u64) -> u64 {
        self.pack_exact(word).unwrap_or_else(|| self.pack_to_gap(word))
    }

    /// Returns the number of a word, where no other word has that number.
    #[inline]
    pub fn pack_exact(&self, word: u64) -> Option<u64> {
        let (mut sum, mut any) = (0_u64, 0);
        for (place, byte) in self.places.iter().zip(word.to_be_bytes()) {
            let value = place[usize::from(byte)];
            sum = sum.wrapping_add(value);
            any |= value;
        }
        (any & GAP == 0).then_some(sum)
    }

    /// Returns the number of a word of which a byte is unknown. Bytes after it do not count. (An
    /// exit from the loop there made libraries differ from build to build: rustc 1.95 put the
    /// exits in any order.)
    #[cold]
    fn pack_to_gap(&self, word: u64) -> u64 {
        let (mut sum, mut counted) = (0, !GAP);
        for (place, byte) in self.places.iter().zip(word.to_be_bytes()) {
            let value = place[usize::from(byte)];
            sum += value & counted;
            counted = if value & GAP != 0 { 0 } else { counted };
        }
        sum
    }
}

#[cfg(test)]
mod tests;
