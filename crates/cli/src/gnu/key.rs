//! Keys: `-k 1.2b,3` and the old `+0.1b -3`.
//!
//! Fields and characters count from 1 in the first form and from 0 in the second; here they count
//! from 0, and an end is the first thing that is not part of the key.

use super::complaint::Complaint;
use super::number::leading;
use super::ordering::{Ordering, Side};
use super::quoting::Quoter;

/// End of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEnd {
    /// The end of the line.
    Line,
    /// The end of this field.
    Field(usize),
    /// The place before this byte of this field.
    Byte {
        /// The field's number.
        field: usize,
        /// Bytes from the field's beginning, or from its first non-blank.
        byte: usize,
    },
}

/// A key as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDefinition {
    /// The field it starts in.
    pub field: usize,
    /// Bytes from that field's beginning, or from its first non-blank.
    pub byte: usize,
    /// End of the key.
    pub end: KeyEnd,
    /// The options after the position.
    pub ordering: Ordering,
    /// True if it was written as `+POS`.
    pub is_old: bool,
}

impl KeyDefinition {
    /// Returns the whole line.
    pub fn line(ordering: Ordering) -> Self {
        Self { field: 0, byte: 0, end: KeyEnd::Line, ordering, is_old: false }
    }

    /// Reads the value of `-k`.
    pub fn parse(text: &[u8], quoting: Quoter) -> Result<Self, Complaint> {
        let wrong = |what: &str| bad_field(what, text, quoting);
        let mut key = Self::line(Ordering::default());
        let (field, mut rest) = count(text, "invalid number at field start", quoting)?;
        key.field = field.checked_sub(1).ok_or_else(|| wrong("field number is zero"))?;
        if let Some(behind) = rest.strip_prefix(b".") {
            let byte;
            (byte, rest) = count(behind, "invalid number after '.'", quoting)?;
            key.byte = byte.checked_sub(1).ok_or_else(|| wrong("character offset is zero"))?;
        }
        rest = &rest[key.ordering.set_all(rest, Side::Start)..];
        if let Some(behind) = rest.strip_prefix(b",") {
            let (number, behind) = count(behind, "invalid number after ','", quoting)?;
            let field = number.checked_sub(1).ok_or_else(|| wrong("field number is zero"))?;
            let byte;
            (byte, rest) = bytes(behind, quoting)?;
            key.end = if byte == 0 { KeyEnd::Field(field) } else { KeyEnd::Byte { field, byte } };
            rest = &rest[key.ordering.set_all(rest, Side::End)..];
        }
        if rest.is_empty() { Ok(key) } else { Err(wrong("stray character in field spec")) }
    }

    /// Reads `+POS`, all of `text`; `None` where it is a file's name after all.
    ///
    /// In GNU sort the largest field number, which also stands for larger ones, is the start of the
    /// line, and the number after the point is ignored.
    pub fn parse_old_start(text: &[u8]) -> Option<Self> {
        let number = |text| leading(text).map(|(value, rest)| (saturated(value), rest));
        let mut key = Self { is_old: true, ..Self::line(Ordering::default()) };
        let (field, mut rest) = number(text.strip_prefix(b"+")?)?;
        key.field = field;
        if let Some(behind) = rest.strip_prefix(b".") {
            (key.byte, rest) = number(behind)?;
        }
        if key.field == usize::MAX {
            (key.field, key.byte) = (0, 0);
        }
        let options = key.ordering.set_all(rest, Side::Start);
        (options == rest.len()).then_some(key)
    }

    /// Reads the `-POS` after a `+POS`. A byte of the largest field is the end of the line.
    pub fn parse_old_end(&mut self, text: &[u8], quoting: Quoter) -> Result<(), Complaint> {
        let (field, behind) = count(&text[1..], "invalid number after '-'", quoting)?;
        let (byte, rest) = bytes(behind, quoting)?;
        // Before the beginning of a field is behind the end of the one before it.
        self.end = match byte {
            0 => KeyEnd::Field(field.saturating_sub(1)),
            _ if field == usize::MAX => KeyEnd::Line,
            byte => KeyEnd::Byte { field, byte },
        };
        let options = self.ordering.set_all(rest, Side::End);
        if options == rest.len() {
            Ok(())
        } else {
            Err(bad_field("stray character in field spec", text, quoting))
        }
    }
}

/// Returns a count at the beginning of a text, and what follows it.
fn count<'a>(text: &'a [u8], what: &str, quoting: Quoter) -> Result<(usize, &'a [u8]), Complaint> {
    let Some((value, rest)) = leading(text) else {
        let start = format!("{what}: invalid count at start of ");
        return Err(Complaint::new([start.as_bytes(), &quoting.text(text)].concat()));
    };
    Ok((saturated(value), rest))
}

/// Reads the number after a point, or 0 without a point. Returns it with the text that follows.
fn bytes<'a>(text: &'a [u8], quoting: Quoter) -> Result<(usize, &'a [u8]), Complaint> {
    match text.strip_prefix(b".") {
        Some(behind) => count(behind, "invalid number after '.'", quoting),
        None => Ok((0, text)),
    }
}

/// Returns the value, or the largest number for one that is too large. No line has as many fields
/// or bytes.
fn saturated(value: Option<u64>) -> usize {
    value.and_then(|value| usize::try_from(value).ok()).unwrap_or(usize::MAX)
}

fn bad_field(what: &str, text: &[u8], quoting: Quoter) -> Complaint {
    let start = format!("{what}: invalid field specification ");
    Complaint::new([start.as_bytes(), &quoting.text(text)].concat())
}

#[cfg(test)]
mod tests;
