//! One key by itself: what a record says there, whether that is of its type, and its bytes of the
//! key; for comparing it with what a person wrote.
//!
//! A value and a literal go through the same encoder, so that what compares equal is what a sort by
//! the key takes for equal.

use super::super::encode::number::{Grammar, Number};
use super::super::field::Fields;
use super::super::order::{Body, NumberFormat, Separator, TextOrder, TextSpec, TextType};
use super::super::sink::{BufferSink, WordSink};
use super::{Part, trim};

/// A key of which values are asked for one by one.
#[derive(Clone, Debug)]
pub struct ValueKey {
    separator: Separator,
    body: Body,
    part: Part,
}

impl ValueKey {
    /// The key that `spec` means in records of `order`, whose own keys play no part.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        let part = Part::new(spec, order, true);
        Self { separator: order.separator, body: order.body, part }
    }

    /// Whether values are ordered by their bytes as they are.
    pub fn is_plain(&self) -> bool {
        self.part.is_plain
    }

    /// What `record` says there, without quotes around it; made in `buffer` where it does not lie
    /// in the record as it is. Nothing where the record has no such place.
    #[inline]
    pub fn value<'a>(&self, record: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let mut fields = Fields::new(self.body.of_record(record), self.separator);
        self.part.value(&mut fields, buffer)
    }

    /// Appends the whole key of what a person wrote to compare values with; `None` where that is no
    /// value of the key's type.
    pub fn append_literal(&self, text: &[u8], out: &mut Vec<u8>) -> Option<()> {
        self.is_of_type(text).then(|| self.append_key(text, usize::MAX, out))
    }

    /// Whether a value is of the key's type. All bytes are text, and none are a number.
    #[inline]
    pub fn is_of_type(&self, value: &[u8]) -> bool {
        self.part.is_of_type(value)
    }

    /// Appends the first `limit` bytes of a value's key, or all of it where it is shorter. Whole
    /// keys compare with memcmp as the values do in their type.
    pub fn append_key(&self, value: &[u8], limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        self.part.append_translated(value, &mut BufferSink::new(out, limit));
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
                buffer
            }
        }
    }
}

impl Part {
    fn value<'a>(&self, fields: &mut Fields<'a>, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        match self.located(fields) {
            (text, false) => text,
            (text, true) => {
                buffer.clear();
                fields.append_value(text, self.spec.start, self.spec.end, buffer);
                if self.spec.trims { trim(buffer) } else { buffer }
            }
        }
    }

    fn is_of_type(&self, value: &[u8]) -> bool {
        let is_number = |takes_plus, takes_fraction, has_suffix| {
            let grammar = Grammar { takes_plus, takes_fraction };
            is_number(value, self.numbers, grammar, has_suffix)
        };
        match self.spec.text_type {
            TextType::Bytes | TextType::Version | TextType::Natural | TextType::Random => true,
            TextType::Int => is_number(true, false, false),
            TextType::Decimal => is_number(false, true, false),
            TextType::Size => is_number(true, true, true),
            TextType::Human => is_number(false, true, true),
            // What is none has a key of zeros.
            TextType::General | TextType::Float | TextType::Month => {
                let mut sink = WordSink::new(0);
                self.append_text(value, &mut sink);
                sink.word() >> 8 != 0
            }
        }
    }
}

/// Whether all of `text`, but for blanks around it, is a number, or one with a suffix.
fn is_number(text: &[u8], format: NumberFormat, grammar: Grammar, has_suffix: bool) -> bool {
    let mut rest = Number::read(text, format, grammar).rest;
    let read = &text[..text.len() - rest.len()];
    if has_suffix {
        rest = behind_suffix(rest);
    }
    read.iter().any(u8::is_ascii_digit) && trim(rest).is_empty()
}

/// What follows the suffix of a size, such as ` KiB`.
fn behind_suffix(rest: &[u8]) -> &[u8] {
    let behind = |rest: &[u8], known: &[u8]| -> usize {
        usize::from(rest.first().is_some_and(|first| known.contains(&first.to_ascii_uppercase())))
    };
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let prefix = behind(rest, b"KMGTPEZYRQ");
    let rest = &rest[prefix..];
    let rest = if prefix > 0 { &rest[behind(rest, b"I")..] } else { rest };
    &rest[behind(rest, b"B")..]
}

#[cfg(test)]
mod tests;
