//! Text as a value of its type: whether it is one, and its bytes of the key.

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::Arc;

use super::content::{Content, with_buffer};
use super::date_format::DateFormat;
use super::encode::number::{Grammar, Number, trimmed};
use super::encode::{
    bytes, float, general, list, machine, month, natural, number, packed, random, size, version,
    written, zoned,
};
use super::order::{Collation, Months, NumberFormat, TextOrder, TextSpec};
use super::sink::Sink;
use super::strict;
use super::text_type::{Class, TextType};
use super::turns::in_turn;

/// A type, and all that its values depend on.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    text_type: TextType,
    collation: Option<Arc<dyn Collation>>,
    /// True if nothing need end the key of a value.
    is_open: bool,
    /// True if nothing but values is taken.
    is_checked: bool,
    numbers: NumberFormat,
    months: Months,
    date_format: Option<Arc<DateFormat>>,
    seed: [u8; 16],
    /// True if small letters stand for capitals.
    folds_case: bool,
}

/// Longest text that is read as a day or time in a user-defined form.
const DATE_BYTES_MAX: usize = 64 << 10;

/// Bytes of a string with escapes that count as a version.
const ESCAPED_VERSION_MAX: usize = 1 << 20;

/// Bytes of a collation's key that are made in one piece.
const COLLATED_BYTES: usize = 4 << 10;

/// Larger blocks of memory are the system's own, which it makes larger without a copy.
const MOVED_BYTES: usize = 32 << 20;

/// Bytes of a text of which it is measured together what its key takes.
const MEASURED_BYTES: usize = 64 << 10;

thread_local! {
    /// Space for a collation's key.
    static COLLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Typed {
    /// Creates the type of `spec` within `order`.
    pub fn new(spec: &TextSpec, order: &TextOrder, is_open: bool, is_checked: bool) -> Self {
        Self {
            text_type: spec.text_type.clone(),
            collation: spec.collation.clone(),
            is_open,
            is_checked,
            numbers: order.numbers,
            months: order.months.clone(),
            date_format: order.date_format.clone(),
            seed: order.seed,
            folds_case: spec.translation.folds_case,
        }
    }

    /// Returns whether no part follows, so that the key needs no end.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Appends the bytes of a value. Of checked text that is no value, anything.
    #[inline]
    pub fn append<'a, S: Sink>(&self, text: impl Into<Content<'a>>, out: &mut S) {
        let text = text.into();
        match &self.text_type {
            TextType::Bytes | TextType::Ebcdic(_) | TextType::Sequence(_) => {
                self.append_bytes(text, out);
            }
            TextType::Version => match text.as_slice() {
                Some(text) => version::append(text.iter().copied(), out),
                // Escapes of JSON are read forward only, and extensions are found from the end.
                None if text.has_escapes_of_json() => {
                    text.with_slice(ESCAPED_VERSION_MAX, |text| {
                        version::append(text.iter().copied(), out);
                    });
                }
                None => version::append(text.bytes(), out),
            },
            TextType::Natural => match text.as_slice() {
                Some(text) => natural::append(text.iter().copied(), self.is_open, out),
                None => natural::append(text.bytes(), self.is_open, out),
            },
            TextType::Random => self.append_shuffled(text, out),
            _ => self.with_slice(text, |text| self.append_slice(text, out)),
        }
    }

    /// Shows the text of a type whose values are short to `body`, or as much of it as tells what
    /// value it is.
    #[inline]
    fn with_slice<T>(&self, text: Content<'_>, body: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(text) = text.as_slice() {
            return body(text);
        }
        match &self.text_type {
            TextType::List(values) => text.with_value(values.longest_bytes(), body),
            TextType::Notation(row) if self.date_format.is_some() && row.day.is_some() => {
                text.with_value(DATE_BYTES_MAX, body)
            }
            _ => text.up_to_quote().with_slice(usize::MAX, body),
        }
    }

    #[inline]
    fn append_slice<S: Sink>(&self, text: &[u8], out: &mut S) {
        match &self.text_type {
            TextType::Int | TextType::Decimal => self.number(text).append(0, out),
            TextType::General => general::append(text, self.numbers, out),
            TextType::Float => float::append(text, out),
            TextType::Size => size::append(text, self.numbers, out),
            TextType::Human => number::append_human(text, self.numbers, self.folds_case, out),
            TextType::Month => month::append(text, &self.months, out),
            TextType::Packed => packed::append(text, out),
            TextType::Zoned(form) => zoned::append(text, *form, out),
            TextType::Binary(number) => machine::append(text, *number, out),
            _ => {
                self.append_parsed(trimmed(text), out);
            }
        }
    }

    /// Reads a number that is not a size.
    #[inline]
    fn number<'a>(&self, text: &'a [u8]) -> Number<'a> {
        let grammar = match self.text_type {
            TextType::Int => Grammar { takes_plus: true, takes_fraction: false },
            _ => Grammar { takes_plus: self.is_checked, takes_fraction: true },
        };
        Number::read(text, self.numbers, grammar)
    }

    #[inline]
    fn append_bytes<S: Sink>(&self, text: Content<'_>, out: &mut S) {
        match &self.collation {
            None => bytes::append(text, self.is_open, out),
            Some(collation) => self.append_collated(&**collation, text, out),
        }
    }

    fn append_collated<S: Sink>(&self, collation: &dyn Collation, text: Content<'_>, out: &mut S) {
        let room = out.room();
        let mut append = |text: &[u8]| match room {
            ..=COLLATED_BYTES => with_buffer(&COLLATED, |key| {
                collation.append_beginning(text, room, key);
                out.extend(&key[..key.len().min(room)]);
            }),
            _ => collation.show_key(text, &mut |piece| {
                out.extend(piece);
                out.room() > 0
            }),
        };
        in_turn(text.raw().len(), || text.with_slice(usize::MAX, &mut append));
        if !self.is_open {
            out.extend(&bytes::COLLATED_END);
        }
    }

    fn append_shuffled<S: Sink>(&self, text: Content<'_>, out: &mut S) {
        let Some(collation) = &self.collation else {
            return random::append(text, self.seed, out);
        };
        let mut append = |text: &[u8]| {
            random::append_shown(self.seed, out, |show| {
                collation.show_key(text, &mut |piece| {
                    show(piece);
                    true
                });
            });
        };
        in_turn(text.raw().len(), || text.with_slice(usize::MAX, &mut append));
    }

    /// Returns the number of bytes of memory that making the key of a long text takes in proportion
    /// to it.
    pub fn scratch_bytes(&self, text: &Content<'_>) -> usize {
        match &self.text_type {
            TextType::Bytes | TextType::Random | TextType::Ebcdic(_) | TextType::Sequence(_) => {
                let Some(collation) = &self.collation else { return 0 };
                let mut bytes = 0;
                let mut piece = Vec::with_capacity(MEASURED_BYTES);
                let mut measure = |piece: &mut Vec<u8>| {
                    bytes += collation.piece_bytes(piece);
                    piece.clear();
                };
                text.show_pieces(usize::MAX, |shown| {
                    for shown in shown.chunks(MEASURED_BYTES) {
                        piece.extend_from_slice(shown);
                        if piece.len() >= MEASURED_BYTES {
                            measure(&mut piece);
                        }
                    }
                });
                measure(&mut piece);
                // A buffer that grows may lie beside the larger one, unless the system moves it.
                text.written_bytes() + bytes + bytes.min(MOVED_BYTES)
            }
            TextType::Version | TextType::Natural | TextType::List(_) => 0,
            _ => text.up_to_quote().written_bytes(),
        }
    }

    /// Returns the order of two values that agree in their first `agreed` bytes, if it can be found
    /// without making keys. Numbers are compared digit by digit. A collation skips the bytes in
    /// which its texts agree. If names differ within a number, the longer number is the larger.
    pub fn order_of(&self, texts: &[Content<'_>; 2], agreed: usize) -> Option<Ordering> {
        let [a, b] = texts.each_ref().map(Content::as_slice);
        let (a, b) = (a?, b?);
        match (&self.text_type, &self.collation) {
            (TextType::Int | TextType::Decimal, _) => self.number(a).compare(&self.number(b)),
            (TextType::Size, _) => size::compare([a, b], self.numbers),
            (TextType::Human, _) => number::compare_human([a, b], self.numbers, self.folds_case),
            (TextType::Bytes, Some(collation)) => {
                let is_short = a.len().max(b.len()) - agreed <= COLLATED_BYTES;
                if is_short { collation.compare(a, b) } else { None }
            }
            (TextType::Natural | TextType::Version, _) => {
                let agreed = &a[..self.shared(texts, agreed)];
                let mut digits = agreed.iter().rev().take_while(|byte| byte.is_ascii_digit());
                if digits.all(|digit| *digit == b'0') {
                    return None;
                }
                let rest = [a, b].map(|text| &text[agreed.len()..]);
                let [longer_a, longer_b] =
                    rest.map(|rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
                let order = longer_a.cmp(&longer_b);
                // Digits that agree as far as they go leave the order to what follows.
                let is_number = longer_a > 0 && rest[0].first() != rest[1].first();
                let by_digits = || is_number.then(|| rest[0].first().cmp(&rest[1].first()));
                if order.is_ne() { Some(order) } else { by_digits() }
            }
            _ => None,
        }
    }

    /// Returns how many of the first `agreed` bytes, equal in two texts, mean the same in both: the
    /// extensions of versions are taken by themselves.
    fn shared(&self, texts: &[Content<'_>; 2], agreed: usize) -> usize {
        if self.text_type != TextType::Version {
            return agreed;
        }
        let stems = texts.iter().map(|text| match version::stem(text.bytes()) {
            Some(stem) => stem.raw_bytes(),
            None => text.raw().len(),
        });
        stems.min().unwrap_or(0).min(agreed)
    }

    /// Returns the byte from which two texts that agree in their first `agreed` bytes have to be
    /// compared. The keys of the rest are in the order of the whole keys. Returns 0 if the whole
    /// texts have to be compared.
    pub fn restart(&self, texts: &[Content<'_>; 2], agreed: usize) -> usize {
        let text = &texts[0];
        let raw = &text.raw()[..self.shared(texts, agreed)];
        let is_letter = |byte: &u8| text.of_byte(*byte).is_some_and(|byte| !byte.is_ascii_digit());
        match self.text_type {
            TextType::Bytes | TextType::Ebcdic(_) | TextType::Sequence(_)
                if self.collation.is_none() =>
            {
                // A pair of quotes is taken apart nowhere.
                let last = raw.iter().rposition(|byte| text.of_byte(*byte).is_some());
                last.map_or(0, |last| last + 1)
            }
            // A number goes on from the digits before it.
            TextType::Natural => raw.iter().rposition(is_letter).map_or(0, |last| last + 1),
            // Where nothing is left, there would be no end of letters; and no name may become a
            // hidden one.
            TextType::Version => {
                let is_within = |byte: &u8| is_letter(byte) && text.of_byte(*byte) != Some(b'.');
                raw.iter().rposition(is_within).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Appends the bytes of a value that has to be read as a whole. Appends nothing if the text is
    /// not a value.
    #[inline]
    fn append_parsed<S: Sink>(&self, text: &[u8], out: &mut S) -> Option<()> {
        match &self.text_type {
            TextType::Notation(row) => out.append_value(row, text, self.date_format.as_deref())?,
            TextType::Written(form) => written::parse(text, *form)?.append(0, out),
            TextType::List(values) => list::append(values.place(text)?, out),
            _ => return None,
        }
        Some(())
    }

    /// Returns whether all of `text` is a value.
    #[inline]
    pub fn is_valid<'a>(&self, text: impl Into<Content<'a>>) -> bool {
        self.text_type.class() == Class::Text
            || self.with_slice(text.into(), |text| self.is_valid_slice(text))
    }

    #[inline]
    fn is_valid_slice(&self, text: &[u8]) -> bool {
        match &self.text_type {
            TextType::Int => strict::is_int(text, self.numbers),
            TextType::Decimal => strict::is_decimal(text, self.numbers),
            TextType::Float => strict::is_float(text),
            TextType::Size => strict::is_size(text, self.numbers),
            TextType::Month => strict::is_month(text, &self.months),
            TextType::Packed => packed::is_valid(text),
            TextType::Zoned(form) => zoned::is_valid(text, *form),
            TextType::Binary(number) => text.len() == number.width_bytes,
            TextType::Notation(row) => row.is_value(trimmed(text), self.date_format.as_deref()),
            TextType::Written(form) => written::parse(text, *form).is_some(),
            TextType::List(values) => values.place(trimmed(text)).is_some(),
            TextType::Bytes
            | TextType::General
            | TextType::Human
            | TextType::Version
            | TextType::Natural
            | TextType::Random
            | TextType::Ebcdic(_)
            | TextType::Sequence(_) => true,
        }
    }
}

#[cfg(test)]
mod tests;
