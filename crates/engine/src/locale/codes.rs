//! Short codes of weights at the first level: one byte for each weight that a byte of the alphabet
//! has.
//!
//! glibc writes a weight as UTF-8 writes a character, and weights of letters take two bytes or
//! three. So the first word of a key would tell two or three letters apart, and most keys would tie
//! in it. Codes keep the order of weights:
//!
//! ```text
//!     weights    ..  |  w0  |  ..  |  w1  |  ..  |  wn  |  others, from 0x80 on
//!     code       2      3      4      5      6     2n+3    none
//!     and then   all           all           all           all bytes of the weight
//! ```
//!
//! The first byte of a weight from 0x80 on is greater than every code. So such a weight needs no
//! code if it is greater than all known weights.

/// The least code: no less than the bytes that end a level or a piece.
const FIRST: u8 = 2;

/// Most weights that have a code: the codes of all are less than [`LONG`].
const KNOWN_MAX: usize = 90;

/// The least first byte of a weight of several bytes.
const LONG: u8 = 0xc0;

/// The weights that have codes, in order, each as a [`number`].
#[derive(Debug, Default)]
pub(super) struct Codes {
    known: Vec<u64>,
}

impl Codes {
    /// Returns codes for these weights; none where there are too many of them, and then weights are
    /// written as they are.
    pub fn of<'a>(weights: impl Iterator<Item = &'a [u8]>) -> Self {
        // One that is made of several, as that of a ligature, has a code for each.
        let is_one = |weight: &&[u8]| !weight.is_empty() && first_length(weight) == weight.len();
        let mut known: Vec<u64> = weights.filter(is_one).map(number).collect();
        known.sort_unstable();
        known.dedup();
        if known.len() > KNOWN_MAX {
            known.clear();
        }
        Self { known }
    }

    /// Appends the codes of an element's weight, which may be several weights or none.
    pub fn append(&self, mut weight: &[u8], out: &mut Vec<u8>) {
        if self.known.is_empty() {
            return out.extend_from_slice(weight);
        }
        while !weight.is_empty() {
            let (one, others) = weight.split_at(first_length(weight));
            match self.known.binary_search(&number(one)) {
                Ok(place) => out.push(FIRST + 1 + 2 * place as u8),
                Err(place) => {
                    if place < self.known.len() || one[0] < LONG {
                        out.push(FIRST + 2 * place as u8);
                    }
                    out.extend_from_slice(one);
                }
            }
            weight = others;
        }
    }
}

/// Returns a number in the order of weights, none of which begins another. Weights have no more
/// than six bytes.
fn number(weight: &[u8]) -> u64 {
    weight.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) << (8 * (8 - weight.len()))
}

/// Returns the number of bytes of the first of some weights: its first byte tells.
fn first_length(weights: &[u8]) -> usize {
    let ones = weights[0].leading_ones() as usize;
    ones.clamp(1, 6).min(weights.len())
}

#[cfg(test)]
mod tests;
