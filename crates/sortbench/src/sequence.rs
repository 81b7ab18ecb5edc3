//! The sequence of 128-bit numbers every benchmark record is made from.
//!
//! A linear congruential generator modulo 2^128. Its worth here is that any place in it can be
//! reached in 128 squarings (Knuth, The Art of Computer Programming, vol. 2, 3.2.1), so that
//! workers make blocks of records independently of one another. What records do with the numbers is
//! left to `record`.

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
const INCREMENT: u128 = 0x4a69_6d47_7261_7952_4950_2020_2020_2001;

/// A place in the sequence; holds the number last taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// `x(n)`, where `n` is how many numbers lie after this place; `x(0)` is 0.
    value: u128,
}

impl Sequence {
    /// Returns the place from which [`Sequence::step`] gives number `n + 1` of the sequence next.
    ///
    /// A step is the affine map `x -> m * x + i`; composing the map with itself doubles how far it
    /// goes, so each bit of `n` is applied with the map that was squared that many times.
    pub(crate) fn after(n: u128) -> Self {
        let (mut multiplier, mut increment) = (MULTIPLIER, INCREMENT);
        let mut value = 0u128;
        let mut left = n;
        while left != 0 {
            if left & 1 == 1 {
                value = multiplier.wrapping_mul(value).wrapping_add(increment);
            }
            increment = multiplier.wrapping_mul(increment).wrapping_add(increment);
            multiplier = multiplier.wrapping_mul(multiplier);
            left >>= 1;
        }
        Self { value }
    }

    /// Returns the next number.
    #[inline]
    pub(crate) fn step(&mut self) -> u128 {
        self.value = self.value.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        self.value
    }
}

#[cfg(test)]
mod tests;
