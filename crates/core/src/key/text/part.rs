//! One spec made ready: from the fields of a record to its bytes of the key.

mod value;

use std::cell::Cell;
use std::cmp::Ordering;

use super::encode::{bytes, float, general, month, natural, number, random, size, version};
use super::field::Fields;
use super::order::{Months, NumberFormat, TextOrder, TextSpec, TextType};
use super::sink::Sink;
use super::translate::Table;

pub use value::ValueKey;

/// One part of a key.
#[derive(Clone, Debug)]
pub(super) struct Part {
    spec: TextSpec,
    /// Whether the bytes it looks at are its key, but for the direction.
    is_plain: bool,
    /// Whether nothing need end it: it is the last, and ascending.
    is_open: bool,
    /// What its bytes go through first, where that changes them.
    table: Option<Box<Table>>,
    numbers: NumberFormat,
    months: Months,
    seed: [u8; 16],
}

thread_local! {
    /// Space for a cell whose quotes are doubled.
    static UNQUOTED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// Space for text on its way through a translation.
    static TRANSLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// Space for a collation's key.
    static COLLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Lends a thread's empty buffer to `body`. Where it is lent already, `body` gets a new one.
fn with_buffer<T>(
    buffer: &'static std::thread::LocalKey<Cell<Vec<u8>>>,
    body: impl FnOnce(&mut Vec<u8>) -> T,
) -> T {
    let mut lent = buffer.take();
    lent.clear();
    let result = body(&mut lent);
    buffer.set(lent);
    result
}

impl Part {
    /// The part that `spec` makes within `order`; the last one where `is_last`.
    pub fn new(spec: &TextSpec, order: &TextOrder, is_last: bool) -> Self {
        Self {
            spec: spec.clone(),
            is_plain: spec.is_plain(),
            is_open: is_last && !spec.is_descending,
            table: Table::new(spec.translation, &order.classes).map(Box::new),
            numbers: order.numbers,
            months: order.months.clone(),
            seed: order.seed,
        }
    }

    /// The bytes it looks at, and whether quotes in them are doubled, each pair of which is one.
    #[inline]
    pub fn located<'a>(&self, fields: &mut Fields<'a>) -> (&'a [u8], bool) {
        let (text, has_pairs) = fields.slice(self.spec.start, self.spec.end);
        (if self.spec.trims { trim(text) } else { text }, has_pairs)
    }

    /// Appends its bytes of the key.
    #[inline]
    pub fn append<S: Sink>(&self, fields: &mut Fields<'_>, out: &mut S) {
        match self.located(fields) {
            (text, false) => self.append_translated(text, out),
            (text, true) => with_buffer(&UNQUOTED, |value| {
                fields.append_value(text, self.spec.start, self.spec.end, value);
                self.append_translated(if self.spec.trims { trim(value) } else { value }, out);
            }),
        }
    }

    #[inline]
    fn append_translated<S: Sink>(&self, text: &[u8], out: &mut S) {
        let mark = out.mark();
        match &self.table {
            None => self.append_text(text, out),
            Some(table) => with_buffer(&TRANSLATED, |buffer| {
                table.append(text, buffer);
                self.append_text(buffer, out);
            }),
        }
        if self.spec.is_descending {
            out.invert_from(mark);
        }
    }

    #[inline]
    fn append_text<S: Sink>(&self, text: &[u8], out: &mut S) {
        match self.spec.text_type {
            TextType::Bytes | TextType::Random => match &self.spec.collation {
                Some(collation) => with_buffer(&COLLATED, |key| match self.spec.text_type {
                    TextType::Random => {
                        collation.append_key(text, key);
                        random::append(key, self.seed, out);
                    }
                    _ => {
                        collation.append_beginning(text, out.room(), key);
                        bytes::append_collated(key, self.is_open, out);
                    }
                }),
                None if self.spec.text_type == TextType::Random => {
                    random::append(text, self.seed, out);
                }
                None => bytes::append(text, self.is_open, out),
            },
            TextType::Int => number::append_int(text, self.numbers, out),
            TextType::Decimal => number::append_decimal(text, self.numbers, out),
            TextType::General => general::append(text, self.numbers, out),
            TextType::Float => float::append(text, out),
            TextType::Size => size::append(text, self.numbers, out),
            TextType::Human => number::append_human(text, self.numbers, out),
            TextType::Month => month::append(text, &self.months, out),
            TextType::Version => version::append(text, out),
            TextType::Natural => natural::append(text, self.is_open, out),
        }
    }

    /// Compares plain parts in place; `None` where their keys have to be made.
    #[inline]
    pub fn compare(&self, a: &mut Fields<'_>, b: &mut Fields<'_>) -> Option<Ordering> {
        if !self.is_plain {
            return None;
        }
        let ((a, a_has_pairs), (b, b_has_pairs)) = (self.located(a), self.located(b));
        if a_has_pairs || b_has_pairs {
            return None;
        }
        let order = a.cmp(b);
        Some(if self.spec.is_descending { order.reverse() } else { order })
    }
}

/// `text` without blanks at both ends.
fn trim(text: &[u8]) -> &[u8] {
    let text = number::without_blanks(text);
    let end = text.iter().rposition(|&byte| !number::is_blank(byte)).map_or(0, |last| last + 1);
    &text[..end]
}
