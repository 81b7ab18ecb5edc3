//! The keys of records of fixed length, where bytes and machine numbers are all they look at: the
//! parts of one key, as few as possible.
//!
//! One part is far cheaper than two, so what can be said in fewer parts is. A part whose bytes an
//! earlier one has compared is dropped (equal there means equal bytes, see the head of [`super`]).
//! An unsigned big-endian number is just bytes. Byte parts that follow each other in the record and
//! run in the same direction are one.

use super::text::{Body, NumberClass, NumberType, TextOrder, TextSpec, TextType};

/// One part of a key: some bytes of the record and how they become bytes of the normalized key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteKeyPart {
    pub start: usize,
    /// End of the part: after `start`, and not beyond the record.
    pub end: usize,
    pub encoding: Encoding,
    pub is_descending: bool,
}

/// The way from bytes of the record to bytes of the normalized key, before any inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// The bytes unchanged.
    Bytes,
    /// A number of 1 to 8 bytes.
    Number(NumberType),
}

impl ByteKeyPart {
    /// Returns the bytes that it adds to the normalized key.
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

/// Returns the length of records and the parts of their key, most significant first and never none;
/// `None` where `order` looks at more of a record than bytes and machine numbers at fixed places.
pub(super) fn resolve(order: &TextOrder) -> Option<(usize, Vec<ByteKeyPart>)> {
    let Body::Fixed(record_length @ 1..) = order.body else { return None };
    if order.options.then_whole.is_some() {
        return None;
    }
    if order.specs.is_empty() {
        let (encoding, is_descending) = (Encoding::Bytes, false);
        let whole = ByteKeyPart { start: 0, end: record_length, encoding, is_descending };
        return Some((record_length, vec![whole]));
    }
    let mut parts: Vec<ByteKeyPart> = Vec::with_capacity(order.specs.len());
    for spec in &order.specs {
        let part = lay(spec, record_length)?;
        if parts.iter().any(|earlier| earlier.covers(&part)) {
            continue;
        }
        match parts.last_mut() {
            Some(last) if last.is_continued_by(&part) => last.end = part.end,
            _ => parts.push(part),
        }
    }
    Some((record_length, parts))
}

/// Lays one spec over the record, if it is for bytes or a machine number within it.
fn lay(spec: &TextSpec, record_length: usize) -> Option<ByteKeyPart> {
    let is_translated = spec.trims
        || spec.nulls.is_some()
        || spec.pad.is_some()
        || spec.collation.is_some()
        || !spec.translation.is_identity();
    let (start, end) = spec.byte_range().filter(|_| !is_translated)?;
    let end = end.unwrap_or(record_length);
    if start >= end || end > record_length {
        return None;
    }
    let encoding = match spec.text_type.machine_number() {
        Some(number) if number.width_bytes != end - start => return None,
        Some(number) if is_bytes_already(number) => Encoding::Bytes,
        Some(number) => Encoding::Number(number),
        None if spec.text_type == TextType::BYTES => Encoding::Bytes,
        None => return None,
    };
    Some(ByteKeyPart { start, end, encoding, is_descending: spec.is_descending })
}

/// Returns whether a number's bytes compare like the number as they stand.
fn is_bytes_already(number: NumberType) -> bool {
    number.class == NumberClass::Unsigned && (!number.is_little_endian || number.width_bytes == 1)
}

#[cfg(test)]
mod tests;
