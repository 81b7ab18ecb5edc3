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

mod usual;
mod value;

use std::cmp::Ordering;

use super::super::agreeing_bytes;
use super::content::{Content, Escapes};
use super::difference::{KeySource, difference};
use super::encode::number::trimmed;
use super::fault::FaultWords;
use super::field::Fields;
use super::order::{Body, End, Invalid, InvalidPlace, Separator, TextOrder, TextSpec};
use super::sink::KeySink;
use super::text_type::{ByteMeaning, Class, Usual};
use super::translate::TranslationTable;
use super::typed::Typed;
use super::watch::PartValue;
use crate::error::Message;
use crate::format::json;

/// In front of a value.
const VALUE: u8 = 2;

/// Bytes of a fault that are looked at.
const SAID_BYTES: usize = 256;

pub use value::ValueKey;

/// One part of a key.
#[derive(Clone, Debug)]
pub(super) struct TextKeyPart {
    spec: TextSpec,
    /// The place whose bytes it looks at.
    site: Site,
    typed: Typed,
    /// The values that it takes without a further look.
    usual: Usual,
    /// Translation of its bytes, if it changes any.
    table: Option<Box<TranslationTable>>,
    marks: Marks,
    /// Bytes that a record has to have.
    needs: usize,
    /// Byte that fills missing bytes, and the number of bytes looked at.
    pad: Option<(u8, usize)>,
    words: Box<FaultWords>,
}

/// The marks of a part.
#[derive(Clone, Copy, Debug)]
struct Marks {
    /// Place of empty text, if that is not a value.
    nulls: Option<InvalidPlace>,
    /// Place of invalid text; `None` if it is a fault or cannot occur.
    invalid: Option<InvalidPlace>,
    /// True if a mark is in front of values.
    precede_values: bool,
}

/// Place in a record where a part looks.
#[derive(Clone, Debug)]
enum Site {
    /// Fields of the record, or its bytes.
    Record,
    /// Fields or bytes of this line of it, from 0.
    Line(usize),
    /// The value at this path of a line of JSON.
    Member(json::Path),
}

impl Site {
    fn of(spec: &TextSpec, order: &TextOrder) -> Self {
        let line = spec.line.map_or(Self::Record, Self::Line);
        order.path(spec).map_or(line, Self::Member)
    }
}

impl TextKeyPart {
    /// Creates the part that `spec` makes within `order`; the last one where `is_last`.
    pub fn new(spec: &TextSpec, order: &TextOrder, is_last: bool) -> Self {
        let traits = spec.text_type.traits();
        let class = traits.class;
        let is_cell = spec.is_cell(order.separator);
        let range = spec.byte_range().filter(|_| order.body.has_no_fields());
        // A record of a given length is never too short.
        let reach = range.map_or(0, |(start, end)| end.unwrap_or(start));
        let is_sure = matches!(order.body, Body::Fixed(length) if reach <= length);
        // A range without an end takes what there is: nothing of it is missing.
        let width = range.and_then(|(start, end)| Some(end?.saturating_sub(start)));
        let is_checked = match class {
            Class::Text | Class::Unchecked => false,
            Class::Loose => {
                let is_line = matches!(order.body, Body::Terminated(_));
                let is_json = order.separator == Separator::Members;
                !is_line || is_json || order.options.invalid.is_some()
            }
            Class::Strict => true,
            Class::StrictBytes => !is_sure || !spec.text_type.takes_all_of(width),
        };
        let pad = spec.pad.or(order.options.pad).filter(|_| reach > 0);
        let pad = pad.map(|byte| (byte, width.unwrap_or(0)));
        let needs = if pad.is_some() || is_sure { 0 } else { reach };
        // Machine bytes at a place of the record are never none at all.
        let is_there = class == Class::StrictBytes && width.is_some();
        let has_nulls = (is_cell || is_checked) && !is_there;
        let nulls = spec.nulls.or(has_nulls.then_some(InvalidPlace::Last));
        let invalid = match order.options.invalid {
            Some(Invalid::Placed(place)) if is_checked || needs > 0 => Some(place),
            _ => None,
        };
        let is_open = is_last && !spec.is_descending;
        let typed = Typed::new(spec, order, is_open, is_checked);
        let precede_values = (nulls.is_some() || invalid.is_some()) && !traits.spares_ends;
        // Numbers and months are read in either case.
        let table =
            if traits.has_case { TranslationTable::of(spec, &order.options.classes) } else { None };
        let is_plain = spec.is_plain() && pad.is_none() && invalid.is_none();
        let is_whole = needs == 0 && pad.is_none() && table.is_none();
        Self {
            usual: match traits.usual {
                Usual::Bytes if !is_plain => Usual::None,
                _ if !is_whole => Usual::None,
                usual => usual,
            },
            table: table.map(Box::new),
            marks: Marks { nulls, invalid, precede_values },
            words: Box::new(FaultWords::new(spec, order)),
            spec: spec.clone(),
            site: Site::of(spec, order),
            typed,
            needs,
            pad,
        }
    }

    /// Returns whether blanks at its ends are those of its table's text, not of the record's.
    fn trims_late(&self) -> bool {
        self.spec.trims && self.typed.text_type.alphabet() == Some(ByteMeaning::Page)
    }

    /// Returns whether there may be records whose text here is no value and has a place.
    pub fn places_invalid(&self) -> bool {
        self.marks.invalid.is_some()
    }

    /// Returns whether what is no value is read as far as it goes.
    pub fn is_loose(&self) -> bool {
        self.class() == Class::Loose && !self.typed.is_checked
    }

    /// Returns the default treatment of bytes that are not a value of its type.
    #[inline]
    pub fn class(&self) -> Class {
        self.typed.text_type.traits().class
    }

    /// Returns what a record says here.
    pub fn standing(&self, fields: &mut Fields<'_>) -> PartValue {
        let is_short = self.needs > fields.length();
        let text = self.content(fields);
        let is_text = self.class() == Class::Text && self.marks.nulls.is_none();
        match () {
            () if is_short => PartValue::Other,
            () if !is_text && self.is_null(&text) => PartValue::Empty,
            () if self.typed.is_valid(text) => PartValue::Value,
            () => PartValue::Other,
        }
    }

    /// Returns its name, and what its values are, in words that follow "is not".
    pub fn words(&self) -> (&str, &str) {
        self.words.of_key()
    }

    /// Keeps the first byte of values apart from all marks.
    pub fn mark_values(&mut self) {
        self.marks.precede_values = !self.spec.text_type.traits().spares_ends;
    }

    /// Returns whether the text of a record is no value and has a place.
    pub fn is_invalid(&self, fields: &mut Fields<'_>) -> bool {
        let is_short = self.needs > fields.length();
        let mut marked = || self.mark(&self.content(fields), is_short);
        self.marks.invalid.is_some() && matches!(marked(), Some(0 | 0xff))
    }

    /// Returns whether there are records that have a fault in it.
    pub fn is_partial(&self) -> bool {
        (self.typed.is_checked || self.needs > 0) && self.marks.invalid.is_none()
    }

    /// Returns the bytes it looks at, and which of them stand for others.
    #[inline]
    pub fn located<'a>(&self, fields: &mut Fields<'a>) -> (&'a [u8], Escapes) {
        let (start, end) = (self.spec.start, self.spec.end);
        let (text, escapes) = match &self.site {
            Site::Record => fields.slice(start, end),
            Site::Line(line) => fields.slice_of_line(*line, start, end),
            Site::Member(path) => fields.member(path),
        };
        (self.trim(text, escapes), escapes)
    }

    #[inline]
    fn trim<'a>(&self, text: &'a [u8], escapes: Escapes) -> &'a [u8] {
        if !self.spec.trims || self.trims_late() || self.pad.is_some() {
            return text;
        }
        if escapes == Escapes::Json { json::trimmed(text) } else { trimmed(text) }
    }

    /// Returns the text it looks at, translated and padded as the key needs it.
    #[inline]
    pub fn content<'a: 'c, 'b: 'c, 'c>(&'a self, fields: &mut Fields<'b>) -> Content<'c> {
        let (text, escapes) = self.located(fields);
        self.content_of(text, escapes)
    }

    /// Returns located bytes as the text that they stand for.
    #[inline]
    fn content_of<'a: 'c, 'b: 'c, 'c>(&'a self, text: &'b [u8], escapes: Escapes) -> Content<'c> {
        let said = self.said(text, escapes);
        match &self.table {
            None => said,
            Some(table) if self.trims_late() => said.through(Some(table)).trimmed(),
            Some(table) => said.through(Some(table)),
        }
    }

    /// Returns the text that was located, before any translation.
    #[inline]
    fn said<'a>(&self, text: &'a [u8], escapes: Escapes) -> Content<'a> {
        let cell = Content::escaped(text, escapes);
        let Some((byte, length)) = self.pad else { return cell };
        let padded = cell.padded(byte, length.saturating_sub(text.len()));
        if self.spec.trims && !self.trims_late() { padded.trimmed() } else { padded }
    }

    /// Appends its bytes of the key.
    #[inline]
    pub fn append<S: KeySink>(&self, fields: &mut Fields<'_>, out: &mut S) {
        let (text, escapes) = self.located(fields);
        if !self.append_usual(text, escapes, out) {
            let is_short = self.needs > fields.length();
            self.append_content(&self.content_of(text, escapes), is_short, out);
        }
    }

    /// Appends its bytes of the key, or says what keeps a record from having them.
    #[inline]
    pub fn append_checked<S: KeySink>(
        &self,
        fields: &mut Fields<'_>,
        out: &mut S,
    ) -> Result<(), Message> {
        if self.needs <= fields.length() {
            let (text, escapes) = self.located(fields);
            if out.room() > 0 && self.append_usual(text, escapes, out) {
                return Ok(());
            }
            let text = self.content_of(text, escapes);
            if self.is_good(&text) {
                if out.room() > 0 {
                    self.append_content(&text, false, out);
                }
                return Ok(());
            }
        }
        self.fault(fields).map_or(Ok(()), Err)
    }

    #[inline]
    fn append_content<S: KeySink>(&self, text: &Content<'_>, is_short: bool, out: &mut S) {
        if let Some(mark) = self.mark(text, is_short) {
            out.push(mark);
            return;
        }
        if self.marks.precede_values {
            out.push(VALUE);
        }
        out.inverted_if(self.spec.is_descending, |out| self.typed.append(*text, out));
    }

    /// Returns the mark that stands for text that is not a value, if such text has a place.
    #[inline]
    fn mark(&self, text: &Content<'_>, is_short: bool) -> Option<u8> {
        if self.marks.nulls.is_none() && self.marks.invalid.is_none() {
            return None;
        }
        if self.is_null(text) && !is_short {
            return self
                .marks
                .nulls
                .map(|place| if place == InvalidPlace::First { 1 } else { 0xfe });
        }
        let place = self.marks.invalid?;
        let mark = if place == InvalidPlace::First { 0 } else { 0xff };
        (is_short || self.typed.is_checked && !self.typed.is_valid(*text)).then_some(mark)
    }

    /// Returns whether text is not marked as anything but a value.
    #[inline]
    fn is_value(&self, text: &Content<'_>) -> bool {
        self.mark(text, false).is_none()
    }

    #[inline]
    fn is_null(&self, text: &Content<'_>) -> bool {
        match self.class() {
            Class::Text | Class::StrictBytes => text.is_empty(),
            Class::Loose | Class::Unchecked | Class::Strict => text.is_blank(),
        }
    }

    /// Returns whether text is a value, or is missing and has a place.
    #[inline]
    fn is_good(&self, text: &Content<'_>) -> bool {
        !self.typed.is_checked
            || self.marks.nulls.is_some() && self.is_null(text)
            || self.typed.is_valid(*text)
    }

    /// Returns what keeps a record from having this part of the key, if anything does.
    #[cold]
    pub fn fault(&self, fields: &mut Fields<'_>) -> Option<Message> {
        if !self.is_partial() {
            return None;
        }
        let length = fields.length();
        if self.needs > length {
            return Some(self.words.short(length, self.needs));
        }
        let is_good = self.is_good(&self.content(fields));
        let words = || {
            let (text, escapes) = self.located(fields);
            self.said(text, escapes).with_slice(SAID_BYTES, |said| self.words.invalid(said))
        };
        (!is_good).then(words)
    }

    /// Returns the memory in bytes that making its part of a long record's key takes.
    pub fn scratch_bytes(&self, fields: &mut Fields<'_>) -> usize {
        if self.usual == Usual::Bytes { 0 } else { self.typed.scratch_bytes(&self.content(fields)) }
    }

    /// Returns the number of fields at the beginning of a line whose ends say where it looks.
    pub fn ends_wanted(&self) -> usize {
        match self.spec.end {
            End::Record => self.spec.start.field,
            End::At(position) => position.field.max(self.spec.start.field),
            End::Field(_) | End::Within(..) => self.fields(),
        }
    }

    /// Returns the number of fields up to the last that it looks at.
    pub fn fields(&self) -> usize {
        let last = match self.spec.end {
            End::Field(field) | End::Within(_, field) => field,
            End::At(position) => position.field,
            End::Record => 0,
        };
        last.max(self.spec.start.field).saturating_add(1)
    }

    /// Compares two records, which agree in their first `agreed` bytes, by this part of their keys;
    /// in place where the part is plain.
    #[inline]
    pub fn compare<'a>(
        &'a self,
        a: &mut Fields<'a>,
        b: &mut Fields<'a>,
        agreed: usize,
    ) -> Ordering {
        if self.usual != Usual::Bytes {
            return self.compare_contents(a, b, agreed);
        }
        let (text_a, escapes_a) = self.located(a);
        b.learn(a, agreed);
        let (text_b, escapes_b) = self.located(b);
        if (escapes_a, escapes_b) != (Escapes::None, Escapes::None) {
            return self.compare_contents(a, b, agreed);
        }
        match self.marks.nulls {
            Some(InvalidPlace::First) if text_a.is_empty() || text_b.is_empty() => {
                return text_b.is_empty().cmp(&text_a.is_empty());
            }
            Some(InvalidPlace::Last) if text_a.is_empty() || text_b.is_empty() => {
                return text_a.is_empty().cmp(&text_b.is_empty());
            }
            _ => {}
        }
        let agreed = agreement([a, b], [text_a, text_b], agreed).unwrap_or(0);
        self.directed(text_a[agreed..].cmp(&text_b[agreed..]))
    }

    fn directed(&self, order: Ordering) -> Ordering {
        if self.spec.is_descending { order.reverse() } else { order }
    }

    /// Compares two records by keys that have to be made: from where their bytes first differ,
    /// where the type allows it.
    fn compare_contents<'a>(
        &'a self,
        a: &mut Fields<'a>,
        b: &mut Fields<'a>,
        agreed: usize,
    ) -> Ordering {
        let is_short = [&*a, &*b].map(|fields| self.needs > fields.length());
        let text_a = self.content(a);
        b.learn(a, agreed);
        let texts = [text_a, self.content(b)];
        let raw = texts.map(|text| text.raw());
        let agreed = agreement([a, b], raw, agreed);
        let agreed = agreed.unwrap_or_else(|| agreeing_bytes(raw[0], raw[1]));
        let is_same = agreed == raw[0].len().max(raw[1].len()) && texts[0].is_alike(&texts[1]);
        if is_same && is_short[0] == is_short[1] {
            return Ordering::Equal;
        }
        let is_value = |text: &Content<'_>| !text.raw().is_empty() && self.is_value(text);
        let has_values = is_short == [false; 2] && texts.iter().all(is_value);
        if has_values && let Some(order) = self.typed.order_of(&texts, agreed) {
            return self.directed(order);
        }
        let restart = match has_values && texts[0].has_same_escapes(&texts[1]) {
            true => self.typed.restart(&texts, agreed),
            false => 0,
        };
        // What agrees is a value in both, as no text of such types is none unless it is empty.
        let order = if restart > 0 {
            let mut sources =
                texts.map(|text| TextRest { typed: &self.typed, text: text.behind(restart) });
            difference(&mut sources).map(|found| self.directed(found.order))
        } else {
            let [short_a, short_b] = is_short;
            let whole = |text, is_short| WholePart { part: self, text, is_short };
            let mut sources = [whole(texts[0], short_a), whole(texts[1], short_b)];
            difference(&mut sources).map(|found| found.order)
        };
        order.unwrap_or(Ordering::Equal)
    }
}

/// A part of a record's key.
struct WholePart<'a> {
    part: &'a TextKeyPart,
    text: Content<'a>,
    is_short: bool,
}

impl KeySource for WholePart<'_> {
    fn append<S: KeySink>(&mut self, out: &mut S) {
        self.part.append_content(&self.text, self.is_short, out);
    }

    fn text_bytes(&self) -> usize {
        self.text.raw().len()
    }
}

/// The rest of a text, by itself.
struct TextRest<'a> {
    typed: &'a Typed,
    text: Content<'a>,
}

impl KeySource for TextRest<'_> {
    fn append<S: KeySink>(&mut self, out: &mut S) {
        self.typed.append(self.text, out);
    }

    fn text_bytes(&self) -> usize {
        self.text.raw().len()
    }
}

/// Returns how many bytes of two records' parts agree, where that follows from how many bytes the
/// records agree in; `None` where it takes another look.
#[inline]
fn agreement(records: [&Fields<'_>; 2], parts: [&[u8]; 2], agreed: usize) -> Option<usize> {
    let [start, other] = [0, 1].map(|place| records[place].place_of(parts[place]));
    let shorter = parts[0].len().min(parts[1].len());
    (start == other && start <= agreed).then(|| (agreed - start).min(shorter))
}

#[cfg(test)]
mod tests;
