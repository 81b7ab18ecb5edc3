//! One spec made ready: from the fields of a record to its bytes of the key.
//!
//! ```text
//!     a part     [mark] value                the value complemented where it is descending
//!     marks      00 invalid, first    01 null, first    02 a value
//!                fe null, last        ff invalid, last
//! ```
//!
//! A mark stands only where a part may have to place what is no value, and none in front of values
//! whose first byte is none of the marks. Direction leaves marks as they are: what is placed last
//! comes last either way.

mod value;

use std::cell::Cell;
use std::cmp::Ordering;
use std::thread::LocalKey;

use super::encode::number::trimmed;
use super::fault::Words;
use super::field::Fields;
use super::order::{Body, End, Invalid, Place, Separator, TextOrder, TextSpec};
use super::sink::Sink;
use super::text_type::{Class, TextType};
use super::translate::Table;
use super::typed::Typed;

/// In front of a value.
const VALUE: u8 = 2;

pub use value::ValueKey;

/// One part of a key.
#[derive(Clone, Debug)]
pub(super) struct Part {
    spec: TextSpec,
    typed: Typed,
    class: Class,
    /// Whether the bytes it looks at are its key, but for the direction.
    is_plain: bool,
    /// What its bytes go through first, where that changes them.
    table: Option<Box<Table>>,
    /// Whether blanks at its ends are those of its table's text, not of the record's.
    trims_late: bool,
    /// Where text goes that is empty, where it is no value.
    nulls: Option<Place>,
    /// Whether nothing but values is taken.
    is_checked: bool,
    /// Where what is no value goes; `None` where it is a fault, or there is no such thing.
    invalid: Option<Place>,
    /// Whether a mark is in front of values.
    marks_values: bool,
    /// Bytes that a record has to have.
    needs: usize,
    /// What stands for those it has not, and how many bytes it looks at then.
    pad: Option<(u8, usize)>,
    words: Box<Words>,
}

thread_local! {
    /// Space for a cell whose quotes are doubled, or a range that reaches beyond its record.
    static REWRITTEN: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// Space for text on its way through a translation.
    static TRANSLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Lends a thread's empty buffer to `body`. Where it is lent already, `body` gets a new one.
pub(super) fn with_buffer<T>(
    buffer: &'static LocalKey<Cell<Vec<u8>>>,
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
        let class = spec.text_type.class();
        let is_cell = is_cell(spec, order.separator);
        let is_checked = match class {
            Class::Text | Class::Unchecked => false,
            Class::Loose => !matches!(order.body, Body::Terminated(_)) || order.invalid.is_some(),
            Class::Strict | Class::StrictBytes => true,
        };
        let range = range(spec, order.body);
        let needs = range.map_or(0, |(start, end)| end.unwrap_or(start));
        let pad = spec.pad.or(order.pad).filter(|_| needs > 0);
        let pad = pad.zip(range.and_then(|(start, end)| Some(end?.saturating_sub(start))));
        let needs = if pad.is_some() { 0 } else { needs };
        // Machine bytes at a place of the record are never none at all.
        let is_there = class == Class::StrictBytes && range.is_some_and(|(_, end)| end.is_some());
        let has_nulls = (is_cell || is_checked) && !is_there;
        let nulls = spec.nulls.or(has_nulls.then_some(Place::Last));
        let invalid = match order.invalid {
            Some(Invalid::Placed(place)) if is_checked || needs > 0 => Some(place),
            _ => None,
        };
        let is_open = is_last && !spec.is_descending;
        let typed = Typed::new(spec, order, is_open, is_checked);
        let is_placing = nulls.is_some() || invalid.is_some();
        Self {
            is_plain: spec.is_plain() && pad.is_none() && invalid.is_none(),
            table: Table::of(spec, &order.classes).map(Box::new),
            trims_late: spec.trims && matches!(spec.text_type, TextType::Ebcdic(_)),
            marks_values: is_placing && !typed.spares_ends(),
            words: Box::new(Words::new(spec, order)),
            spec: spec.clone(),
            typed,
            class,
            nulls,
            is_checked,
            invalid,
            needs,
            pad,
        }
    }

    /// Whether there are records that have a fault in it.
    pub fn is_partial(&self) -> bool {
        (self.is_checked || self.needs > 0) && self.invalid.is_none()
    }

    /// The bytes it looks at, and whether quotes in them are doubled, each pair of which is one.
    #[inline]
    pub fn located<'a>(&self, fields: &mut Fields<'a>) -> (&'a [u8], bool) {
        let (text, has_pairs) = fields.slice(self.spec.start, self.spec.end);
        (self.trim(text), has_pairs)
    }

    #[inline]
    fn trim<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        if self.spec.trims && !self.trims_late { trimmed(text) } else { text }
    }

    /// Shows the text it looks at to `body`, as what it is to be taken for.
    #[inline]
    fn with_text<T>(&self, fields: &mut Fields<'_>, body: impl FnOnce(&[u8]) -> T) -> T {
        match self.located(fields) {
            (text, false) if self.pad.is_none() => self.with_translated(text, body),
            (text, has_pairs) => with_buffer(&REWRITTEN, |value| {
                self.rewrite(fields, text, has_pairs, value);
                self.with_translated(self.trim(value), body)
            }),
        }
    }

    #[inline]
    fn with_translated<T>(&self, text: &[u8], body: impl FnOnce(&[u8]) -> T) -> T {
        match &self.table {
            None => body(text),
            Some(table) => with_buffer(&TRANSLATED, |buffer| {
                table.append(text, buffer);
                body(if self.trims_late { trimmed(buffer) } else { buffer })
            }),
        }
    }

    /// Appends what a cell with doubled quotes says, or a range with all its bytes.
    fn rewrite(&self, fields: &Fields<'_>, text: &[u8], has_pairs: bool, out: &mut Vec<u8>) {
        if has_pairs {
            fields.append_value(text, self.spec.start, self.spec.end, out);
            return;
        }
        out.extend_from_slice(text);
        if let Some((byte, length)) = self.pad {
            out.resize(length.max(text.len()), byte);
        }
    }

    /// Appends its bytes of the key.
    #[inline]
    pub fn append<S: Sink>(&self, fields: &mut Fields<'_>, out: &mut S) {
        let is_short = self.needs > fields.length();
        self.with_text(fields, |text| self.append_text(text, is_short, out));
    }

    /// The same, or what keeps a record from having this part of the key.
    #[inline]
    pub fn append_checked<S: Sink>(
        &self,
        fields: &mut Fields<'_>,
        out: &mut S,
    ) -> Result<(), String> {
        let is_good = self.needs <= fields.length()
            && self.with_text(fields, |text| {
                let is_good = self.is_good(text);
                if is_good && out.room() > 0 {
                    self.append_text(text, false, out);
                }
                is_good
            });
        if is_good { Ok(()) } else { self.fault(fields).map_or(Ok(()), Err) }
    }

    #[inline]
    fn append_text<S: Sink>(&self, text: &[u8], is_short: bool, out: &mut S) {
        if self.nulls.is_some() || self.invalid.is_some() {
            if let Some(mark) = self.mark(text, is_short) {
                out.push(mark);
                return;
            }
            if self.marks_values {
                out.push(VALUE);
            }
        }
        let mark = out.mark();
        self.typed.append(text, out);
        if self.spec.is_descending {
            out.invert_from(mark);
        }
    }

    /// What stands for text that is no value, where such has a place.
    #[inline]
    fn mark(&self, text: &[u8], is_short: bool) -> Option<u8> {
        if self.is_null(text) && !is_short {
            return self.nulls.map(|place| if place == Place::First { 1 } else { 0xfe });
        }
        let place = self.invalid?;
        let mark = if place == Place::First { 0 } else { 0xff };
        (is_short || self.is_checked && !self.typed.is_valid(text)).then_some(mark)
    }

    #[inline]
    fn is_null(&self, text: &[u8]) -> bool {
        match self.class {
            Class::Text | Class::StrictBytes => text.is_empty(),
            Class::Loose | Class::Unchecked | Class::Strict => trimmed(text).is_empty(),
        }
    }

    /// Whether text is a value, or none where that has a place.
    #[inline]
    fn is_good(&self, text: &[u8]) -> bool {
        !self.is_checked || self.nulls.is_some() && self.is_null(text) || self.typed.is_valid(text)
    }

    /// What keeps a record from having this part of the key, if anything does.
    #[cold]
    pub fn fault(&self, fields: &mut Fields<'_>) -> Option<String> {
        if !self.is_partial() {
            return None;
        }
        let length = fields.length();
        if self.needs > length {
            return Some(self.words.short(length, self.needs));
        }
        let is_good = self.with_text(fields, |text| self.is_good(text));
        (!is_good).then(|| self.words.invalid(&self.said(fields)))
    }

    /// Fields up to the last that it looks at.
    pub fn fields(&self) -> usize {
        let last = match self.spec.end {
            End::Field(field) => field,
            End::At(position) | End::Within(position) => position.field,
            End::Record => 0,
        };
        last.max(self.spec.start.field).saturating_add(1)
    }

    /// The text it looks at, before any translation.
    #[cold]
    fn said(&self, fields: &mut Fields<'_>) -> Vec<u8> {
        let (text, has_pairs) = self.located(fields);
        let mut said = Vec::new();
        self.rewrite(fields, text, has_pairs, &mut said);
        said
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
        match self.nulls {
            Some(Place::First) if a.is_empty() || b.is_empty() => {
                return Some(b.is_empty().cmp(&a.is_empty()));
            }
            Some(Place::Last) if a.is_empty() || b.is_empty() => {
                return Some(a.is_empty().cmp(&b.is_empty()));
            }
            _ => {}
        }
        let order = a.cmp(b);
        Some(if self.spec.is_descending { order.reverse() } else { order })
    }
}

/// Whether `spec` looks at a cell, or a part of one.
fn is_cell(spec: &TextSpec, separator: Separator) -> bool {
    matches!(separator, Separator::Cells(_)) && matches!(spec.end, End::Field(_) | End::Within(_))
}

/// The range of bytes that `spec` looks at in a record that has no fields.
fn range(spec: &TextSpec, body: Body) -> Option<(usize, Option<usize>)> {
    if !matches!(body, Body::Behind(_) | Body::Whole) || spec.start.field > 0 {
        return None;
    }
    match spec.end {
        End::Record => Some((spec.start.byte, None)),
        End::At(end) if end.field == 0 => Some((spec.start.byte, Some(end.byte))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
