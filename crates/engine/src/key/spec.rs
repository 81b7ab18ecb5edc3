//! A key as a person writes it: `LOCATION[:TYPE][:MODIFIER]...`.
//!
//! ```text
//!     LOCATION   0..10  4..  ..8  ..      bytes of the record from 0, the end not included
//!     TYPE       bytes (default), u8, i8, u16le ... f64be; a number needs a range of its width
//!     MODIFIER   asc (default), desc
//! ```
//!
//! Names of types and modifiers are read in any case.
//!
//! Whether the range lies within the record is not known here; [`super::part`] finds out.

use std::fmt;
use std::str::FromStr;

use super::key_type::{KeyType, NumberType};
use crate::error::ParseError;

/// One key spec: a range of bytes in the record, what they mean, and in which direction they sort.
///
/// Read from text, and shown as text that reads back as the same spec:
///
/// ```
/// use sortwell_engine::key::KeySpec;
///
/// let spec: KeySpec = "8..12:u32le:desc".parse()?;
/// assert_eq!(spec.to_string(), "8..12:u32le:desc");
/// # Ok::<(), sortwell_engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySpec {
    pub(super) start: usize,
    /// After `start`, by a number's width; `None` for the end of the record, never for a number.
    pub(super) end: Option<usize>,
    pub(super) key_type: KeyType,
    pub(super) is_descending: bool,
}

impl KeySpec {
    /// The bytes it looks at; without an end, all from the first on.
    pub fn range(&self) -> (usize, Option<usize>) {
        (self.start, self.end)
    }
}

impl fmt::Display for KeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.start)?;
        if let Some(end) = self.end {
            write!(f, "{end}")?;
        }
        if self.key_type != KeyType::Bytes {
            write!(f, ":{}", self.key_type.name())?;
        }
        f.write_str(if self.is_descending { ":desc" } else { "" })
    }
}

impl FromStr for KeySpec {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::read(text).map_err(|fault| ParseError::key(text, fault))
    }
}

impl KeySpec {
    /// Reads a key; an error is the fault, in words.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut words = text.split(':');
        let (start, end) = read_range(text, words.next().unwrap_or_default())?;
        let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
        let mut words = words.iter().map(String::as_str).peekable();
        let named = words.peek().and_then(|word| KeyType::named(word));
        if named.is_some() {
            words.next();
        }
        let is_descending = read_modifiers(text, named.is_some(), words)?;
        let key_type = named.unwrap_or(KeyType::Bytes);
        let spec = Self { start, end, key_type, is_descending };
        if let KeyType::Number(number) = key_type {
            spec.check_width(text, number)?;
        }
        Ok(spec)
    }

    /// A number's range must be as wide as the number; the message shows the one that is.
    fn check_width(self, text: &str, number: NumberType) -> Result<(), String> {
        let (name, width_bytes) = (self.key_type.name(), number.width_bytes);
        let right = Self { end: Some(self.start.saturating_add(width_bytes)), ..self };
        match self.end {
            _ if self == right => Ok(()),
            None => Err(format!(
                "key '{text}' has no end, and {name} takes {}; write {right}",
                Bytes(width_bytes)
            )),
            Some(end) => Err(format!(
                "key '{text}' is {} wide, but {name} takes {}; write {right}",
                Bytes(end - self.start),
                Bytes(width_bytes)
            )),
        }
    }
}

/// Reads `A..B`, `A..`, `..B` or `..`; a range without an end goes to the end of the record.
pub(super) fn read_range(text: &str, location: &str) -> Result<(usize, Option<usize>), String> {
    let Some((start, end)) = location.split_once("..") else {
        return Err(format!(
            "'{location}' in key '{text}' is not a range of bytes, the only location sortwell \
             knows yet; write 0..10, 4.. or ..8"
        ));
    };
    let start = if start.is_empty() { 0 } else { read_position(text, start)? };
    let end = if end.is_empty() { None } else { Some(read_position(text, end)?) };
    if end.is_some_and(|end| end <= start) {
        return Err(format!(
            "the range in key '{text}' is empty; it counts from 0 and leaves out its end: write \
             {start}..{} for one byte",
            start.saturating_add(1)
        ));
    }
    Ok((start, end))
}

/// Reads the number of a byte. 32 bits are far more than the longest record and leave room to add.
pub(super) fn read_position(text: &str, digits: &str) -> Result<usize, String> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<u32>() {
        Ok(position) if is_plain => Ok(position as usize),
        _ => Err(format!(
            "'{digits}' in key '{text}' is not the number of a byte; write 0..10 for the first ten"
        )),
    }
}

/// Reads what follows the type, or the location where no type is given; returns whether to descend.
fn read_modifiers<'a>(
    text: &str,
    has_type: bool,
    words: impl Iterator<Item = &'a str>,
) -> Result<bool, String> {
    let mut direction = None;
    for word in words {
        let is_descending = match word {
            "asc" => false,
            "desc" => true,
            "" => return Err(format!("key '{text}' has a colon with nothing after it")),
            _ if KeyType::named(word).is_some() => {
                return Err(format!(
                    "'{word}' in key '{text}' is out of place: a key has one type, right after its \
                     location, as in 8..12:u32le:desc"
                ));
            }
            _ if has_type || direction.is_some() => {
                return Err(format!(
                    "'{word}' in key '{text}' is not a modifier sortwell knows yet; it knows asc \
                     and desc, as in 8..12:u32le:desc"
                ));
            }
            _ => {
                return Err(format!(
                    "'{word}' in key '{text}' is not a key type sortwell knows yet; it knows {}, \
                     and the modifiers asc and desc, as in 8..12:u32le:desc",
                    KeyType::names()
                ));
            }
        };
        if direction.replace(is_descending).is_some() {
            return Err(format!("key '{text}' gives its direction twice; write asc or desc once"));
        }
    }
    Ok(direction.unwrap_or(false))
}

/// A count of bytes in words.
struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests;
