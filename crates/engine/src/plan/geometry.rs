//! Division of memory among the buffers of runs that are merged as streams, after psort.
//!
//! Each buffer is made of microbuffers of one block. A microbuffer that is used up returns to a
//! pool at once, and the pool refills whichever buffer runs low:
//!
//! ```text
//!   run 0   |###|                        refilled next
//!   run 1   |######|
//!   run 2   |#########|
//!   run 3   |############|               refilled last: as large as the others allow
//!   pool    |.........|                  what they have used up
//! ```
//!
//! Runs that are used up at one pace stand like these steps, so that one read can bring nearly
//! twice what a buffer of fixed size holds (Bertasi, Bressan and Peserico, *psort*, 2008, section
//! 1.1). With `n` runs and a space `B`, no buffer has more than `(1+g)B/n`, and each is sure of
//! `(1-g)B/n`, for input whose runs are not used up at one pace.

use std::fmt;
use std::str::FromStr;

use crate::error::{ParseError, message};
use crate::run::layout::BLOCK;

/// Divisor of the parts of a geometry.
const ONE: u16 = 1000;

/// Most bytes of `B/n`: at a gigabyte a second it takes 4 ms, far more than a request costs.
const SHARE_MAX: usize = 4 << 20;

/// Runs for each area that is read into, at least: an area is memory that buffers lack.
const AREA_RUNS: usize = 16;

/// Settings of the buffers of runs: psort's `g`, and the part of `B/n` below which a buffer is
/// refilled. Both are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Thousandths.
    growth: u16,
    /// Thousandths.
    refill: u16,
}

impl Default for Geometry {
    /// Returns psort's default for `g`. The paper names none for the other.
    fn default() -> Self {
        Self { growth: ONE / 2, refill: ONE / 4 }
    }
}

impl Geometry {
    /// Returns psort's `g`.
    pub fn growth(self) -> f64 {
        f64::from(self.growth) / f64::from(ONE)
    }

    /// Returns the part of `B/n` below which a buffer is refilled.
    pub fn refill(self) -> f64 {
        f64::from(self.refill) / f64::from(ONE)
    }
}

impl FromStr for Geometry {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let refused = || {
            let message = message!(
                "'{}' is not a geometry; write geometry=0 to geometry=1, or with a part below \
                 which buffers are refilled: geometry=0.5,refill=0.25",
                text
            );
            ParseError::new("geometry", text, message)
        };
        let mut geometry = Self::default();
        let (growth, refill) = match text.split_once(',') {
            Some((growth, refill)) => (growth, Some(refill)),
            None => (text, None),
        };
        geometry.growth = part_after("geometry=", growth).ok_or_else(refused)?;
        if let Some(refill) = refill {
            geometry.refill = part_after("refill=", refill).ok_or_else(refused)?;
        }
        Ok(geometry)
    }
}

/// Returns the thousandths of a number from 0 to 1 that follows `name`.
fn part_after(name: &str, text: &str) -> Option<u16> {
    let number = text.strip_prefix(name)?.parse::<f64>().ok()?;
    let is_part = (0.0..=1.0).contains(&number);
    is_part.then(|| (number * f64::from(ONE)).round() as u16)
}

impl fmt::Display for Geometry {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "geometry={},refill={}", self.growth(), self.refill())
    }
}

/// Buffers of the runs of one merge, counted in microbuffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferPlan {
    /// Settings.
    pub geometry: Geometry,
    /// Runs that are merged: psort's `n`.
    pub runs: usize,
    /// Microbuffers of all buffers together, at least one for each run: psort's `B`.
    pub space: usize,
    /// Microbuffers of one buffer, at most.
    pub most: usize,
    /// Microbuffers that each run is sure of, at least one.
    pub least: usize,
    /// Areas that are read into, each as large as the largest buffer.
    pub areas: usize,
}

impl BufferPlan {
    /// Returns the buffers of `runs` runs in `bytes` bytes of memory, with at most `depth` reads in
    /// flight. Two microbuffers for each run are taken in any case.
    pub fn new(geometry: Geometry, runs: usize, bytes: usize, depth: usize) -> Self {
        let runs = runs.max(1);
        let areas = depth.min(runs / AREA_RUNS).max(1);
        let (one, growth) = (usize::from(ONE), usize::from(geometry.growth));
        // Of B/n, the buffers take n in all, and each area 1+g.
        let shares = runs * one + areas * (one + growth);
        let blocks = (bytes / BLOCK).min(SHARE_MAX / BLOCK * shares / one).max(2 * runs);
        let most = (blocks * (one + growth) / shares).max(1);
        let space = blocks - areas * most;
        assert!(space >= runs, "each run has a microbuffer");
        let least = (space * (one - growth) / (runs * one)).clamp(1, most);
        Self { geometry, runs, space, most, least, areas }
    }

    /// Returns the number of bytes of buffers and areas.
    pub fn bytes(&self) -> usize {
        (self.space + self.areas * self.most) * BLOCK
    }

    /// Returns the number of microbuffers that the buffer of run `number` has at first: more from
    /// run to run, so that they are used up one after the other.
    pub fn first(&self, number: usize) -> usize {
        let step = (self.most - self.least) * (number + 1) / self.runs;
        self.least + step
    }

    /// Returns the number of bytes in a buffer that is refilled next.
    pub fn threshold_bytes(&self) -> usize {
        self.space * BLOCK / self.runs * usize::from(self.geometry.refill) / usize::from(ONE)
    }

    /// Returns the number of microbuffers of a refill, where all runs are used up at one pace. The
    /// levels of buffers then lie between that of the threshold and the largest, halfway on
    /// average; that of all memory is `B/n`.
    pub fn even_refill(&self) -> usize {
        let (one, growth) = (usize::from(ONE), usize::from(self.geometry.growth));
        let refill = usize::from(self.geometry.refill);
        let parts = (one + growth - refill).min(2 * (one - refill));
        (self.space * parts / (self.runs * one)).clamp(1, self.most)
    }
}

#[cfg(test)]
mod tests;
