//! One key by itself: what a record says there, whether that is of its type, and its bytes of the
//! key; for comparing it with what a person wrote.
//!
//! A value and a literal go through the same encoder, so that what compares equal is what a sort by
//! the key takes for equal.

use super::super::encode::number::trimmed;
use super::super::field::Fields;
use super::super::order::{Body, Separator, TextOrder, TextSpec};
use super::super::sink::BufferSink;
use super::super::typed::Typed;
use super::Part;

/// A key of which values are asked for one by one. Nothing but values of its type has a place
/// among them, whatever the order says of others.
#[derive(Clone, Debug)]
pub struct ValueKey {
    separator: Separator,
    body: Body,
    part: Part,
    typed: Typed,
}

impl ValueKey {
    /// The key that `spec` means in records of `order`, whose own keys play no part.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        let part = Part::new(spec, order, true);
        let typed = Typed::new(spec, order, true, true);
        Self { separator: order.separator, body: order.body, part, typed }
    }

    /// Whether values are ordered by their bytes as they are.
    pub fn is_plain(&self) -> bool {
        self.part.spec.is_plain()
    }

    /// What `record` says there, without quotes around it; made in `buffer` where it does not lie
    /// in the record as it is. Nothing where the record has no such place.
    #[inline]
    pub fn value<'a>(&self, record: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let mut fields = Fields::new(self.body.of_record(record), self.separator);
        match self.part.located(&mut fields) {
            (text, false) if self.part.pad.is_none() => text,
            (text, has_pairs) => {
                buffer.clear();
                self.part.rewrite(&fields, text, has_pairs, buffer);
                self.part.trim(buffer)
            }
        }
    }

    /// Appends the whole key of what a person wrote to compare values with; `None` where that is no
    /// value of the key's type.
    pub fn append_literal(&self, text: &[u8], out: &mut Vec<u8>) -> Option<()> {
        self.is_of_type(text).then(|| self.append_key(text, usize::MAX, out))
    }

    /// Whether a value is of the key's type. All bytes are text, and none are a number.
    #[inline]
    pub fn is_of_type(&self, value: &[u8]) -> bool {
        self.typed.is_valid(value)
    }

    /// Appends the first `limit` bytes of a value's key, or all of it where it is shorter. Whole
    /// keys compare with memcmp as the values do in their type.
    pub fn append_key(&self, value: &[u8], limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        self.part.with_translated(value, |text| {
            self.typed.append(text, &mut BufferSink::new(out, limit));
        });
        out.truncate(end);
    }

    /// A value as its key sees it: with its letters in one case where case does not count. Made in
    /// `buffer` where that differs.
    #[inline]
    pub fn translated<'a>(&self, value: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        match &self.part.table {
            None => value,
            Some(table) => {
                buffer.clear();
                table.append(value, buffer);
                if self.part.trims_late { trimmed(buffer) } else { buffer }
            }
        }
    }
}

#[cfg(test)]
mod tests;
