//! Records that begin with their length.
//!
//! ```text
//!     u16be            00 03  a  b  c            the bytes that follow
//!     u16be:self       00 05  a  b  c            itself included
//!     rdw              00 07 00 00  a  b  c      big-endian, itself included, two bytes of zeros
//! ```
//!
//! `rdw` is the record descriptor word of mainframes' variable-length records (IBM, "z/OS DFSMS
//! Using Data Sets", variable-length record formats); records that span blocks, which the third
//! byte tells, are not known here. Keys count from behind the prefix.

use std::fmt;

/// Length prefix of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The number.
    pub width: PrefixWidth,
    /// True if its least significant byte comes first.
    pub is_little_endian: bool,
    /// True if it counts its own bytes.
    pub counts_itself: bool,
}

/// The bytes of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixWidth {
    /// Two.
    U16,
    /// Four.
    U32,
    /// Two, and two more that are zero.
    Rdw,
}

/// Bytes of the longest prefix.
pub const PREFIX_MAX: usize = 4;

/// Every prefix under its name.
const NAMES: [(&str, PrefixWidth, bool); 4] = [
    ("u16le", PrefixWidth::U16, true),
    ("u16be", PrefixWidth::U16, false),
    ("u32le", PrefixWidth::U32, true),
    ("u32be", PrefixWidth::U32, false),
];

impl Prefix {
    /// The record descriptor word.
    pub const RDW: Self =
        Self { width: PrefixWidth::Rdw, is_little_endian: false, counts_itself: true };

    /// Reads `u16be`, `u32le:self`, `rdw` and the like. Returns `None` for any other text.
    pub fn named(text: &str) -> Option<Self> {
        if text == "rdw" {
            return Some(Self::RDW);
        }
        let (name, counts_itself) = match text.strip_suffix(":self") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let (_, width, is_little_endian) = *NAMES.iter().find(|(known, ..)| *known == name)?;
        Some(Self { width, is_little_endian, counts_itself })
    }

    /// Returns the names that [`named`](Self::named) reads, without `:self`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name).chain(["rdw"])
    }

    /// Returns a number that stands for it in a run file: 0 to 3 for the width and byte order of
    /// `u16le`, `u16be`, `u32le`, `u32be`, 4 more where it counts itself, and 8 for `rdw`.
    pub fn code(self) -> u32 {
        let place = NAMES.iter().position(|(_, width, is_little)| {
            (*width, *is_little) == (self.width, self.is_little_endian)
        });
        place.map_or(8, |place| place as u32 + 4 * u32::from(self.counts_itself))
    }

    /// Returns the prefix of a [`code`](Self::code).
    pub fn of_code(code: u32) -> Option<Self> {
        if code == 8 {
            return Some(Self::RDW);
        }
        let (_, width, is_little_endian) = *NAMES.get(code as usize % 4).filter(|_| code < 8)?;
        Some(Self { width, is_little_endian, counts_itself: code >= 4 })
    }

    /// Returns the number of bytes of the prefix.
    #[inline]
    pub fn bytes(self) -> usize {
        match self.width {
            PrefixWidth::U16 => 2,
            PrefixWidth::U32 | PrefixWidth::Rdw => 4,
        }
    }

    /// Returns the number of bytes of the record that begins with `bytes`, its prefix included;
    /// `None` where they do not hold the prefix, or it has a [fault](Self::fault).
    #[inline]
    pub fn record_length(self, bytes: &[u8]) -> Option<usize> {
        let number = self.number(bytes)?;
        let length = if self.counts_itself { number } else { number + self.bytes() };
        (length >= self.bytes()).then_some(length)
    }

    #[inline]
    fn number(self, bytes: &[u8]) -> Option<usize> {
        Some(match (self.width, self.is_little_endian) {
            (PrefixWidth::U16, true) => u16::from_le_bytes(*bytes.first_chunk()?) as usize,
            (PrefixWidth::U16, false) => u16::from_be_bytes(*bytes.first_chunk()?) as usize,
            (PrefixWidth::U32, true) => u32::from_le_bytes(*bytes.first_chunk()?) as usize,
            (PrefixWidth::U32, false) => u32::from_be_bytes(*bytes.first_chunk()?) as usize,
            (PrefixWidth::Rdw, _) => match *bytes.first_chunk()? {
                [high, low, 0, 0] => usize::from(u16::from_be_bytes([high, low])),
                _ => 0,
            },
        })
    }

    /// Returns what is wrong with a whole prefix, if anything is.
    pub fn fault(self, prefix: &[u8]) -> Option<String> {
        if self.record_length(prefix).is_some() || prefix.len() < self.bytes() {
            return None;
        }
        let hex: Vec<String> =
            prefix.iter().take(self.bytes()).map(|b| format!("{b:02x}")).collect();
        let hex = hex.join(" ");
        Some(match self.width {
            PrefixWidth::Rdw if prefix[2..4] != [0, 0] => format!(
                "its descriptor word {hex} does not end with two zero bytes; records in several \
                 segments are not supported; check the format"
            ),
            _ => format!(
                "its length field {hex} is less than the {} bytes of the field itself; check the \
                 format",
                self.bytes()
            ),
        })
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_named = |(_, width, is_little): &&(&str, PrefixWidth, bool)| {
            (*width, *is_little) == (self.width, self.is_little_endian)
        };
        let name = NAMES.iter().find(is_named).map_or("rdw", |(name, ..)| *name);
        let suffix = if self.counts_itself && name != "rdw" { ":self" } else { "" };
        write!(f, "{name}{suffix}")
    }
}

#[cfg(test)]
mod tests;
