//! Sizes with units, read from people and shown to people.
//!
//! Every size at a public border is a [`ByteSize`], never a bare integer, so that bytes, records
//! and indexes cannot be mistaken for one another.

pub mod text;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A number of bytes.
///
/// Read with binary units (`64KiB`, `1.5GiB`, or short as in GNU sort: `64k`, `1.5G`), decimal
/// ones (`64KB`, `2GB`), or as a bare number of bytes; shown in the largest binary unit that leaves
/// at least one whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ByteSize(pub u64);

/// Binary units, and the letter that each begins with.
const UNITS: [(char, &str, u64); 5] = [
    ('k', "KiB", 1 << 10),
    ('m', "MiB", 1 << 20),
    ('g', "GiB", 1 << 30),
    ('t', "TiB", 1 << 40),
    ('p', "PiB", 1 << 50),
];

/// Returns the bytes of a unit in any case: `KiB`, `Ki` and `K` are 1024, `KB` is 1000.
fn factor(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    if matches!(unit.as_str(), "" | "b") {
        return Some(1);
    }
    let place = UNITS.iter().position(|(letter, ..)| unit.starts_with(*letter))?;
    match &unit[1..] {
        "" | "i" | "ib" => Some(UNITS[place].2),
        "b" => Some(1000_u64.pow(place as u32 + 1)),
        _ => None,
    }
}

impl ByteSize {
    /// Returns the size of `n` KiB.
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }

    /// Returns the size of `n` MiB.
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    /// Returns the size of `n` GiB.
    pub const fn gib(n: u64) -> Self {
        Self(n << 30)
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the size with no more digits than are shown, rounded up: a limit that a message
    /// names suffices.
    pub fn rounded_up(self) -> Self {
        let unit = UNITS.iter().rev().map(|(.., unit)| *unit).find(|unit| self.0 >= *unit);
        let Some(unit) = unit.filter(|unit| !self.0.is_multiple_of(*unit)) else { return self };
        let tenths = (u128::from(self.0) * 10).div_ceil(u128::from(unit));
        Self(u64::try_from(tenths * u128::from(unit) / 10).unwrap_or(u64::MAX))
    }

    /// Returns the size as a user can give it: in whole MiB, rounded up, or in whole GiB.
    pub fn for_option(self) -> String {
        match self.0.div_ceil(1 << 20) {
            mib if mib > 0 && mib.is_multiple_of(1 << 10) => format!("{}GiB", mib >> 10),
            mib => format!("{mib}MiB"),
        }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What would be shown as 1024.0 of a unit is shown as one of the next.
        let is_reached = |unit: u64| match unit {
            1024 => self.0 >= unit,
            _ => self.0 as f64 / (unit >> 10) as f64 >= 1023.95,
        };
        match UNITS.iter().rev().find(|(.., unit)| is_reached(*unit)) {
            Some((_, name, unit)) if self.0.is_multiple_of(*unit) => {
                write!(f, "{} {name}", self.0 / unit)
            }
            Some((_, name, unit)) => write!(f, "{:.1} {name}", self.0 as f64 / *unit as f64),
            None if self.0 == 1 => f.write_str("1 byte"),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

impl FromStr for ByteSize {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let text = text.trim();
        let wrong = |reason| ParseSizeError { value: text.to_owned(), reason };
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = (&text[..digits], text[digits..].trim_start());
        let factor = factor(unit)
            .ok_or_else(|| wrong("has no known unit; write 512MiB, 4GiB (or 4G) or 2GB"))?;
        if let Ok(whole) = number.parse::<u64>() {
            let bytes = whole.checked_mul(factor);
            return bytes.map(Self).ok_or_else(|| wrong("is more than 16 EiB"));
        }
        match number.parse::<f64>() {
            Ok(n) if n * (factor as f64) < u64::MAX as f64 => Ok(Self((n * factor as f64) as u64)),
            _ => Err(wrong("is not a size; write 512MiB, 4GiB or 2GB")),
        }
    }
}

/// Text that is not a size. Converts to [`Error`](crate::Error) with `?`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{value}' {reason}")]
pub struct ParseSizeError {
    value: String,
    /// The fault and the remedy.
    reason: &'static str,
}

impl ParseSizeError {
    /// Returns the text that could not be read.
    pub fn value(&self) -> &str {
        &self.value
    }
}

#[cfg(test)]
mod tests;
