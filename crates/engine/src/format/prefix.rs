//! Records that begin with their length.
//!
//! ```text
//!     u16be            00 03  a  b  c            the bytes that follow
//!     u16be:self       00 05  a  b  c            itself included
//!     rdw              00 07 00 00  a  b  c      big-endian, itself included, two bytes of zeros
//!     keyed            0a 00 00 00  02 00 00 00  K K  a b c d
//!                                   bytes of the key, the key, and a payload
//! ```
//!
//! `rdw` is the record descriptor word of mainframes' variable-length records (IBM, "z/OS DFSMS
//! Using Data Sets", variable-length record formats); records that span blocks, which the third
//! byte tells, are not known here. Keys count from behind the prefix.
//!
//! A keyed record holds the normalized key that it is ordered by: what programs push into a sort
//! are such records. Both numbers are `u32le`; the first counts all that follows it.

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
    /// Four, and four more that give the bytes of the record's key, which follows.
    Keyed,
}

/// Bytes of the longest prefix.
pub const PREFIX_MAX: usize = 8;

/// Bytes of the first number of a keyed record, which does not count itself.
const KEYED_LENGTH_BYTES: usize = 4;

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

    /// The prefix of keyed records.
    pub const KEYED: Self =
        Self { width: PrefixWidth::Keyed, is_little_endian: true, counts_itself: false };

    /// Reads `u16be`, `u32le:self`, `rdw` and the like. Returns `None` for any other text.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "rdw" => return Some(Self::RDW),
            "keyed" => return Some(Self::KEYED),
            _ => {}
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
        NAMES.iter().map(|(name, ..)| *name).chain(["rdw", "keyed"])
    }

    /// Returns a number that stands for it in a run file: 0 to 3 for the width and byte order of
    /// `u16le`, `u16be`, `u32le`, `u32be`, 4 more where it counts itself, 8 for `rdw` and 9 for
    /// `keyed`.
    pub fn code(self) -> u32 {
        let place = NAMES.iter().position(|(_, width, is_little)| {
            (*width, *is_little) == (self.width, self.is_little_endian)
        });
        match place {
            Some(place) => place as u32 + 4 * u32::from(self.counts_itself),
            None => 8 + u32::from(self == Self::KEYED),
        }
    }

    /// Returns the prefix of a [`code`](Self::code).
    pub fn of_code(code: u32) -> Option<Self> {
        match code {
            8 => return Some(Self::RDW),
            9 => return Some(Self::KEYED),
            _ => {}
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
            PrefixWidth::Keyed => 8,
        }
    }

    /// Returns the number of bytes of the record that begins with `bytes`, its prefix included;
    /// `None` where they do not hold the prefix, or it has a [fault](Self::fault).
    #[inline]
    pub fn record_length(self, bytes: &[u8]) -> Option<usize> {
        let number = self.number(bytes)?;
        let length = match self.width {
            _ if self.counts_itself => number,
            PrefixWidth::Keyed => number + KEYED_LENGTH_BYTES,
            _ => number + self.bytes(),
        };
        (length >= self.bytes()).then_some(length)
    }

    /// Returns the number of whole records in `bytes`, which begins with a record.
    pub fn count(self, bytes: &[u8]) -> usize {
        let (mut rest, mut count) = (bytes, 0);
        while let Some(others) = self.record_length(rest).and_then(|length| rest.get(length..)) {
            (rest, count) = (others, count + 1);
        }
        count
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
            (PrefixWidth::Keyed, _) => {
                let [follows, key] = keyed_numbers(bytes)?;
                if key + KEYED_LENGTH_BYTES <= follows { follows } else { 0 }
            }
        })
    }

    /// Returns the stored key of a keyed record: empty if the record does not hold it.
    #[inline]
    pub fn stored_key(record: &[u8]) -> &[u8] {
        let Some([_, key]) = keyed_numbers(record) else { return &[] };
        record.get(Self::KEYED.bytes()..).and_then(|rest| rest.get(..key)).unwrap_or_default()
    }

    /// Returns what follows the prefix of a record, and its stored key.
    pub fn payload(self, record: &[u8]) -> &[u8] {
        let key = if self == Self::KEYED { Self::stored_key(record).len() } else { 0 };
        record.get(self.bytes() + key..).unwrap_or_default()
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
            PrefixWidth::Keyed => format!(
                "its lengths {hex} give it a key that is longer than the record; check the format"
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
        match NAMES.iter().find(is_named) {
            Some((name, ..)) if self.counts_itself => write!(f, "{name}:self"),
            Some((name, ..)) => f.write_str(name),
            None if *self == Self::KEYED => f.write_str("keyed"),
            None => f.write_str("rdw"),
        }
    }
}

/// Returns both numbers that a keyed record begins with, if `bytes` hold them.
#[inline]
fn keyed_numbers(bytes: &[u8]) -> Option<[usize; 2]> {
    let (numbers, _) = bytes.split_first_chunk::<8>()?.0.as_chunks::<4>();
    Some([numbers[0], numbers[1]].map(|number| u32::from_le_bytes(number) as usize))
}

#[cfg(test)]
mod tests;
