//! Prices of one pass and of two: memory for all of the input, or less memory and scratch disks
//! (AlphaSort, section 6). Pure arithmetic, in any currency.
//!
//! ```text
//!   one pass     price of its least budget of memory
//!   two passes   price of their least budget of memory + price of the disks that hold runs
//! ```

use std::str::FromStr;

use serde::Serialize;

use crate::error::{ParseError, message};
use crate::units::ByteSize;

/// Bytes that a price without a unit is for: a GB.
const BYTES_USUAL: f64 = 1e9;

/// Price of a byte of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryPrice(pub f64);

/// Price of scratch disks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DiskPrice {
    /// Price of a byte of spill space.
    Byte(f64),
    /// Price of a disk with its connection, one for each spill directory.
    Disk(f64),
}

/// Prices of what a sort takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Price of memory.
    pub memory: MemoryPrice,
    /// Price of scratch disks.
    pub disk: DiskPrice,
}

/// Resources and time of a sort with a number of passes, in the least memory that allows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassForecast {
    /// Least budget of memory.
    pub budget: ByteSize,
    /// Free bytes needed in the spill directories together; 0 in one pass.
    pub spill_space: ByteSize,
    /// Directories that hold runs; 0 in one pass.
    pub spill_directories: u64,
    /// Predicted time in seconds, if the machine was measured.
    pub seconds: Option<f64>,
}

/// Price of a sort with a number of passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassPrice {
    /// Price of the memory.
    pub memory: f64,
    /// Price of the scratch disks; 0 in one pass.
    pub disks: f64,
    /// Price of both.
    pub total: f64,
}

impl Prices {
    /// Returns the price of a sort.
    pub fn price(&self, of: &PassForecast) -> PassPrice {
        let memory = self.memory.0 * of.budget.bytes() as f64;
        let disks = match self.disk {
            DiskPrice::Byte(price) => price * of.spill_space.bytes() as f64,
            DiskPrice::Disk(price) => price * of.spill_directories as f64,
        };
        PassPrice { memory, disks, total: memory + disks }
    }
}

impl FromStr for MemoryPrice {
    type Err = ParseError;

    /// Reads a price for a GB such as `4`, or with its unit: `4/GB`, `100/MB`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let price = split(text).and_then(|(amount, unit)| Some(amount / bytes_of(unit)?));
        let wrong = || {
            let words = message!(
                "'{}' is not a price of memory; write one for a GB such as 4, or with its unit \
                 such as 4/GB or 100/MB",
                text,
            );
            ParseError::new("price of memory", text, words)
        };
        price.map(Self).ok_or_else(wrong)
    }
}

impl FromStr for DiskPrice {
    type Err = ParseError;

    /// Reads a price for a GB such as `0.05`, or with its unit: `50/TB`, `2400/disk`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let price = split(text).and_then(|(amount, unit)| match unit {
            Some("disk") => Some(Self::Disk(amount)),
            unit => Some(Self::Byte(amount / bytes_of(unit)?)),
        });
        let wrong = || {
            let words = message!(
                "'{}' is not a price of disks; write one for a GB such as 0.05, or with its unit \
                 such as 50/TB or 2400/disk",
                text,
            );
            ParseError::new("price of disks", text, words)
        };
        price.ok_or_else(wrong)
    }
}

/// Returns the amount of a price, and its unit if it has one.
fn split(text: &str) -> Option<(f64, Option<&str>)> {
    let (amount, unit) = match text.split_once('/') {
        Some((amount, unit)) => (amount, Some(unit)),
        None => (text, None),
    };
    let is_plain = amount.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let amount = amount.parse::<f64>().ok().filter(|amount| is_plain && amount.is_finite())?;
    Some((amount, unit))
}

/// Returns the bytes of a unit such as `GB`.
fn bytes_of(unit: Option<&str>) -> Option<f64> {
    let Some(unit) = unit else { return Some(BYTES_USUAL) };
    let is_word = unit.starts_with(|first: char| first.is_ascii_alphabetic());
    let size = format!("1{unit}").parse::<ByteSize>().ok().filter(|_| is_word)?;
    Some(size.bytes() as f64)
}

#[cfg(test)]
mod tests;
