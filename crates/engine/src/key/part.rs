//! Key specs laid over records of a known length: the parts of one key, as few as possible.
//!
//! Everything that can be said in fewer parts is, because one part is far cheaper than two: a part
//! whose bytes an earlier one already compared is dropped (equal there means equal bytes, see the
//! head of [`super`]), an unsigned big-endian number is just bytes, and byte parts that follow each
//! other in the record and run in the same direction are one.

use super::key_type::{KeyType, NumberClass, NumberType};
use super::spec::KeySpec;
use crate::error::{ConfigErrorKind, Result, config};

/// One part of a key: some bytes of the record and how they become bytes of the normalized key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub start: usize,
    /// After `start`, and not beyond the record.
    pub end: usize,
    pub encoding: Encoding,
    pub is_descending: bool,
}

/// How bytes of the record become bytes of the normalized key, before any inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As they are.
    Bytes,
    /// As a number of 1 to 8 bytes.
    Number(NumberType),
}

impl Part {
    /// Bytes it adds to the normalized key.
    pub fn length(&self) -> usize {
        self.end - self.start
    }

    fn covers(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    fn is_continued_by(&self, next: &Self) -> bool {
        self.encoding == Encoding::Bytes
            && next.encoding == Encoding::Bytes
            && self.is_descending == next.is_descending
            && self.end == next.start
    }
}

/// The parts of the key that `specs` make over records of `record_length` bytes, most significant
/// first; never none.
pub(super) fn resolve(specs: &[KeySpec], record_length: usize) -> Result<Vec<Part>> {
    if record_length == 0 {
        return Err(config!(
            ConfigErrorKind::InvalidValue,
            "a record of 0 bytes has no key; a record is 1 byte or more",
        ));
    }
    if specs.is_empty() {
        let (encoding, is_descending) = (Encoding::Bytes, false);
        return Ok(vec![Part { start: 0, end: record_length, encoding, is_descending }]);
    }
    let mut parts: Vec<Part> = Vec::with_capacity(specs.len());
    for spec in specs {
        let part = lay(spec, record_length)?;
        if parts.iter().any(|earlier| earlier.covers(&part)) {
            continue;
        }
        match parts.last_mut() {
            Some(last) if last.is_continued_by(&part) => last.end = part.end,
            _ => parts.push(part),
        }
    }
    Ok(parts)
}

/// Lays one spec over the record.
fn lay(spec: &KeySpec, record_length: usize) -> Result<Part> {
    let end = spec.end.unwrap_or(record_length);
    let fault = if end > record_length {
        format!("ends at byte {end}")
    } else if spec.start >= end {
        format!("begins at byte {}", spec.start)
    } else {
        let encoding = match spec.key_type {
            KeyType::Number(number) if !is_bytes_already(number) => Encoding::Number(number),
            _ => Encoding::Bytes,
        };
        let is_descending = spec.is_descending;
        return Ok(Part { start: spec.start, end, encoding, is_descending });
    };
    Err(config!(
        ConfigErrorKind::InvalidKey,
        "key '{}' {}, but the record has {} bytes; give a range within 0..{}, or the right \
         record length",
        format_args!("{spec}"),
        fault,
        record_length,
        record_length,
    ))
}

/// Whether a number's bytes compare like the number as they stand.
fn is_bytes_already(number: NumberType) -> bool {
    number.class == NumberClass::Unsigned && (!number.is_little_endian || number.width_bytes == 1)
}

#[cfg(test)]
mod tests;
