//! One key by itself: what a record says there, whether that is of its type, and its bytes of the
//! key; for comparing it with what a person wrote.
//!
//! A value and a literal go through the same encoder, so that what compares equal is what a sort by
//! the key takes for equal. Where values are not written as text is (numbers of machines and
//! mainframes, EBCDIC), a literal is brought into a form first whose key is that of the value.

use std::cmp::Ordering;

use super::super::difference::difference;
use super::super::encode::ebcdic;
use super::super::encode::fixed::FixedNumber;
use super::super::field::Fields;
use super::super::order::{Body, Separator, TextOrder, TextSpec};
use super::super::sink::BufferSink;
use super::super::text_type::{ByteMeaning, Class};
use super::super::typed::Typed;
use super::{TextKeyPart, TextRest};

/// A key of which values are asked for one by one.
#[derive(Clone, Debug)]
pub struct ValueKey {
    separator: Separator,
    body: Body,
    part: TextKeyPart,
    /// The type of the part, which here takes nothing but values.
    typed: Typed,
}

impl ValueKey {
    /// Creates the key that `spec` means in records of `order`, whose own keys play no part.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        Self {
            separator: order.separator,
            body: order.body,
            part: TextKeyPart::new(spec, order, true),
            typed: Typed::new(spec, order, true, true),
        }
    }

    /// Returns whether values are ordered by their bytes as they are.
    pub fn is_plain(&self) -> bool {
        self.part.spec.is_plain()
    }

    /// Returns whether a value that is not of the key's type is read as far as it goes.
    pub fn is_loose(&self) -> bool {
        self.part.is_loose()
    }

    /// Returns whether `record` ends before the bytes of its that the key looks at. Fields never
    /// do: they are empty.
    #[inline]
    pub fn is_short(&self, record: &[u8]) -> bool {
        self.part.needs > self.body.of_record(record).len()
    }

    /// Returns the number of bytes of memory that its list of values takes.
    pub fn list_bytes(&self) -> usize {
        self.part.spec.list_bytes()
    }

    /// Returns whether `record` says nothing there.
    pub fn is_empty(&self, record: &[u8]) -> bool {
        self.part.content(&mut self.fields(record)).is_empty()
    }

    /// Returns the number of bytes of memory that looking at the value of a long record takes in
    /// proportion to it: where it has to be written down, and for its key.
    pub fn scratch_bytes(&self, record: &[u8]) -> usize {
        let content = self.part.content(&mut self.fields(record));
        self.typed.scratch_bytes(&content).max(content.written_bytes())
    }

    #[inline]
    fn fields<'a>(&self, record: &'a [u8]) -> Fields<'a> {
        Fields::new(self.body.of_record(record), self.separator)
    }

    /// Returns the order of a value and one of `other`, a key of the same type.
    pub fn compare(&self, value: &[u8], other: &Self, other_value: &[u8]) -> Ordering {
        let mut sources = [
            TextRest { typed: &self.typed, text: value.into() },
            TextRest { typed: &other.typed, text: other_value.into() },
        ];
        difference(&mut sources).map_or(Ordering::Equal, |found| found.order)
    }

    /// Shows `body` what `record` says there, as the key sees it: without quotes around it, with
    /// its letters in one case where case does not count, and EBCDIC as the characters it stands
    /// for, a byte each. Nothing where the record has no such place.
    #[inline]
    pub fn with_value<T>(&self, record: &[u8], body: impl FnOnce(&[u8]) -> T) -> T {
        self.part.content(&mut self.fields(record)).with_slice(usize::MAX, body)
    }

    /// Returns whether a value, so shown, is of the key's type. All bytes are text, and none are a
    /// number.
    #[inline]
    pub fn is_of_type(&self, value: &[u8]) -> bool {
        self.part.class() == Class::Text
            || !self.part.is_null(&value.into()) && self.typed.is_valid(value)
    }

    /// Returns whether a value shown this way is missing, as blanks are for types with a notation.
    pub fn is_blank(&self, value: &[u8]) -> bool {
        self.part.is_null(&value.into())
    }

    /// Appends the first `limit` bytes of a value's key, or all of it where it is shorter. Whole
    /// keys compare with memcmp as the values do in their type.
    #[inline]
    pub fn append_key(&self, value: &[u8], limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        self.typed.append(value, &mut BufferSink::new(out, limit));
        out.truncate(end);
    }

    /// Returns the key of what a person wrote to compare values with; `None` where that is no value
    /// of the key's type.
    pub fn literal_key(&self, text: &str) -> Option<Vec<u8>> {
        let mut key = Vec::new();
        let sink = &mut BufferSink::new(&mut key, usize::MAX);
        let row = self.typed.text_type.row;
        let is_value = (row.append_number)(text, &self.typed, sink).or_else(|| {
            let value = self.literal(text).filter(|value| self.is_of_type(value))?;
            self.typed.append(value.as_slice(), sink);
            Some(true)
        });
        is_value.filter(|is_value| *is_value)?;
        Some(key)
    }

    /// Returns text that a person wrote to look for in values, as the key sees these; `None` where
    /// no value could have it.
    pub fn literal(&self, text: &str) -> Option<Vec<u8>> {
        let folds_case = self.part.spec.translation.folds_case;
        if self.typed.text_type.traits().alphabet == Some(ByteMeaning::Page) {
            let fold = |byte| if folds_case { ebcdic::capital(byte) } else { byte };
            return text.chars().map(|c| u8::try_from(c).ok().map(fold)).collect();
        }
        let mut literal = text.as_bytes().to_vec();
        if let Some(table) = &self.part.table {
            let remaining = table.translate(text.as_bytes(), &mut literal);
            literal.truncate(remaining);
        }
        Some(literal)
    }

    /// Returns the bytes of a record, `width` or as many as needed, whose value is that of what a
    /// person wrote; `None` if it is no value of the key, or needs more bytes. The outer `None` is
    /// that of types whose values are written as text is, or as numbers of machines.
    pub fn written(&self, text: &str, width: Option<usize>) -> Option<Option<Vec<u8>>> {
        let text_type = &self.typed.text_type;
        if text_type.alphabet() == Some(ByteMeaning::Page) {
            let table = self.part.table.as_ref()?;
            let byte = |character| (0..=u8::MAX).find(|byte| table.of_byte(*byte) == character);
            let bytes = |text: Vec<u8>| text.into_iter().map(byte).collect();
            return Some(self.literal(text).and_then(bytes));
        }
        let number = FixedNumber::of(text_type)?;
        if matches!(number, FixedNumber::Integer(_)) {
            return None;
        }
        let whole = text.trim().split('.').next().and_then(|whole| whole.parse().ok());
        let bytes = whole.map(|whole| {
            let mut bytes = vec![0; width.unwrap_or(number.width_max())];
            number.write(whole, &mut bytes);
            bytes
        });
        // A fraction, and digits without room, show in the key.
        Some(bytes.filter(|bytes| {
            let mut key = Vec::new();
            self.append_key(bytes, usize::MAX, &mut key);
            self.is_of_type(bytes) && self.literal_key(text) == Some(key)
        }))
    }
}

#[cfg(test)]
mod tests;
