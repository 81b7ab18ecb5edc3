//! Division of the memory for reading ahead among streams that are merged.

use std::fmt;
use std::str::FromStr;

use crate::error::{ParseError, message};
use crate::run::layout::BLOCK;

/// The most: the smallest piece is then as small as a piece can be, the largest twice the mean.
const ONE: u16 = 1000;

/// Inequality of the pieces in which streams are read ahead, from 0 to 1.
///
/// With 0 they are all alike. With more they grow evenly from stream to stream, by as much below
/// the mean as above it: streams of one length, which are used up at one pace, do not all want
/// their next piece at the same time. The name is that of a parameter of psort (Bertasi, Bressan
/// and Peserico, 2008, section 1.1), which has another meaning. There, buffers grow and shrink
/// during a merge: with n runs and a space B, a refilled buffer of any run has at most (1+g)B/n,
/// and each run always has at least (1-g)B/n. Reads get longer with g there. Here the pieces of a
/// run keep their size, and reads get shorter on average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    thousandths: u16,
}

impl Geometry {
    /// Returns whether all pieces are alike.
    pub fn is_even(self) -> bool {
        self.thousandths == 0
    }

    /// Returns the bytes of each of `count` pieces: `mean` on average or a little less, in whole
    /// blocks, and at least one block each.
    pub fn pieces(self, mean: usize, count: usize) -> Vec<usize> {
        let below = mean * usize::from(self.thousandths) / usize::from(ONE);
        let least = (mean - below).max(BLOCK);
        let growth = 2 * (mean - least);
        let steps = count.saturating_sub(1).max(1);
        let even = if count == 1 { mean - least } else { 0 };
        (0..count).map(|at| (least + even + growth * at / steps) / BLOCK * BLOCK).collect()
    }
}

impl FromStr for Geometry {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let number = text.strip_prefix("geometry=").and_then(|number| number.parse::<f64>().ok());
        let known = number.filter(|number| (0.0..=1.0).contains(number));
        known
            .map(|number| Self { thousandths: (number * f64::from(ONE)).round() as u16 })
            .ok_or_else(|| {
                let message =
                    message!("'{}' is not a geometry; write geometry=0 to geometry=1", text);
                ParseError::new("geometry", text, message)
            })
    }
}

impl fmt::Display for Geometry {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "geometry={}", f64::from(self.thousandths) / f64::from(ONE))
    }
}

#[cfg(test)]
mod tests;
