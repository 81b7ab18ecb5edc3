//! The key of a text record: its parts one after the other, made when they are asked for.

use std::cell::Cell;
use std::cmp::Ordering;

use super::super::{KeyEncoder, WORD_BYTES};
use super::field::Fields;
use super::order::{Separator, TextOrder, TextSpec};
use super::part::Part;
use super::sink::{BufferSink, Sink, WordSink};
use crate::error::{Error, Result};

/// Any order of text records. The order of lines by their bytes is `LineKey`, and far cheaper.
#[derive(Clone, Debug)]
pub struct TextKey {
    separator: Separator,
    terminator: u8,
    /// At least one.
    parts: Box<[Part]>,
    /// Whether the last part is the whole record: then a key is no shorter than its record.
    ends_whole: bool,
}

thread_local! {
    /// Space for the keys of two records that are compared.
    static COMPARED: Cell<(Vec<u8>, Vec<u8>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

impl TextKey {
    /// The key that orders records as `order` says.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a number format whose characters could be taken for something else.
    pub fn new(order: &TextOrder) -> Result<Self> {
        let numbers = order.numbers;
        if Some(numbers.radix) == numbers.thousands
            || numbers.radix.is_ascii_digit()
            || numbers.thousands.is_some_and(|byte| byte.is_ascii_digit())
        {
            return Err(Error::Usage(
                "the radix character and the separator of thousands have to be two different \
                 characters, and no digits"
                    .into(),
            ));
        }
        let mut specs = order.specs.clone();
        if let Some(last) = &order.then_whole {
            let collated = last.collation.as_ref().map(|collation| TextSpec {
                collation: Some(collation.clone()),
                is_descending: last.is_descending,
                ..TextSpec::default()
            });
            specs.extend(collated);
            specs.push(TextSpec { is_descending: last.is_descending, ..TextSpec::default() });
        }
        if specs.is_empty() {
            specs.push(TextSpec::default());
        }
        let count = specs.len();
        let parts = specs.iter().enumerate();
        let parts = parts.map(|(index, spec)| Part::new(spec, order, index + 1 == count));
        let parts: Box<[Part]> = parts.collect();
        let ends_whole = parts.last().is_some_and(Part::is_whole);
        Ok(Self { separator: order.separator, terminator: order.terminator, parts, ends_whole })
    }

    /// The bytes that key number `spec` of the order looks at, as a part of `record`; for showing
    /// them to people. `None` where there is no such key.
    pub fn located<'a>(&self, record: &'a [u8], spec: usize) -> Option<&'a [u8]> {
        self.parts.get(spec).map(|part| part.text(&mut self.fields(record)))
    }

    #[inline]
    fn fields<'a>(&self, record: &'a [u8]) -> Fields<'a> {
        Fields::new(without_terminator(record, self.terminator), self.separator)
    }

    #[inline]
    fn append<S: Sink>(&self, record: &[u8], out: &mut S) {
        let mut fields = self.fields(record);
        for part in &self.parts {
            part.append(&mut fields, out);
            if out.room() == 0 {
                break;
            }
        }
    }
}

/// A record without the byte it ends with. The last of an input may lack it.
#[inline]
pub(super) fn without_terminator(record: &[u8], terminator: u8) -> &[u8] {
    match record.split_last() {
        Some((&last, text)) if last == terminator => text,
        _ => record,
    }
}

impl KeyEncoder for TextKey {
    #[inline]
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: &[u8], limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        self.append(record, &mut BufferSink::new(out, limit));
        out.truncate(end);
    }

    fn ends_before(&self, record: &[u8], index: usize) -> bool {
        let bytes = index.saturating_mul(WORD_BYTES);
        if self.ends_whole && without_terminator(record, self.terminator).len() > bytes {
            return false;
        }
        let mut sink = WordSink::new(index);
        self.append(record, &mut sink);
        sink.is_untouched()
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        let mut sink = WordSink::new(index);
        self.append(record, &mut sink);
        sink.word()
    }

    fn compare_from(&self, a: &[u8], b: &[u8], _word: usize) -> Ordering {
        let (mut fields_a, mut fields_b) = (self.fields(a), self.fields(b));
        for part in &self.parts {
            let order = part.compare(&mut fields_a, &mut fields_b).unwrap_or_else(|| {
                let (mut key_a, mut key_b) = COMPARED.take();
                key_a.clear();
                key_b.clear();
                part.append(&mut fields_a, &mut BufferSink::new(&mut key_a, usize::MAX));
                part.append(&mut fields_b, &mut BufferSink::new(&mut key_b, usize::MAX));
                let order = key_a.cmp(&key_b);
                COMPARED.set((key_a, key_b));
                order
            });
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests;
