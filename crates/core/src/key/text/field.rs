//! Where in a record the bytes of a key lie.
//!
//! ```text
//!     blanks        |ab|  cdef| gh|        separator ':'     |ab|:|  cd|:||
//!     fields         0    1     2                              0    1    2
//! ```
//!
//! A record without an n-th field has an empty one at its end. Fields are looked for no further
//! than the last that is asked for, and each one once: the ends of the first few are kept for the
//! specs that follow.

use std::ops::Range;

use memchr::memchr;

use super::encode::number::{is_blank, without_blanks};
use super::order::{End, Position, Separator};
use crate::format::{csv, csv::Dialect};

/// Ends that are kept. Keys beyond the first fields are looked for from the last kept one.
const KEPT: usize = 8;

/// The fields of one record, found as they are asked for.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    text: &'a [u8],
    separator: Separator,
    /// Where the first fields end, as it was known before.
    given: &'a [u32],
    /// Where the first `known` fields end; those given are not among them.
    ends: [usize; KEPT],
    known: usize,
}

impl<'a> Fields<'a> {
    /// The fields of `text`, which is a record without its terminator.
    #[inline]
    pub fn new(text: &'a [u8], separator: Separator) -> Self {
        Self::given(text, separator, &[])
    }

    /// The same, where the first of them end at the bytes `ends`.
    #[inline]
    pub fn given(text: &'a [u8], separator: Separator, ends: &'a [u32]) -> Self {
        Self { text, separator, given: ends, ends: [0; KEPT], known: ends.len() }
    }

    /// Bytes of the record that may be part of a key.
    #[inline]
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// The bytes from `start` to `end`, none where `end` lies before; and whether these are of a
    /// cell in which pairs of quotes stand for one, so that places in it have not been counted yet.
    #[inline]
    pub fn slice(&mut self, start: Position, end: End) -> (&'a [u8], bool) {
        match (self.separator, end) {
            (
                Separator::Cells(dialect),
                End::Field(field) | End::Within(Position { field, .. }),
            ) if field == start.field => {
                let (from, to) = (self.field_start(field), self.field_end(field));
                let (text, has_pairs) = csv::unquoted(dialect.quote, &self.text[from..to]);
                let wanted = if has_pairs { 0..text.len() } else { range_within(text, start, end) };
                (&text[wanted], has_pairs)
            }
            _ => (self.between(start, end), false),
        }
    }

    /// Appends what a cell says between two places, given what lies between its quotes.
    pub fn append_value(&self, inner: &[u8], start: Position, end: End, out: &mut Vec<u8>) {
        if let Separator::Cells(Dialect { quote: Some(quote), .. }) = self.separator {
            csv::append_value(quote, inner, out);
            let wanted = range_within(out, start, end);
            out.truncate(wanted.end);
            out.drain(..wanted.start);
        }
    }

    fn between(&mut self, start: Position, end: End) -> &'a [u8] {
        let from = self.place(start);
        let to = match end {
            End::Record => self.text.len(),
            End::Field(field) => self.field_end(field),
            End::At(position) => self.place(position),
            End::Within(position) => self.place(position).min(self.field_end(position.field)),
        };
        &self.text[from..to.max(from)]
    }

    fn place(&mut self, position: Position) -> usize {
        let mut start = self.field_start(position.field);
        if position.skips_blanks {
            start = self.text.len() - without_blanks(&self.text[start..]).len();
        }
        start.saturating_add(position.byte).min(self.text.len())
    }

    #[inline]
    fn field_start(&mut self, field: usize) -> usize {
        match field {
            0 => 0,
            _ => {
                let end = self.field_end(field - 1);
                self.behind(end)
            }
        }
    }

    /// Where the field begins that follows the one that ends at `end`.
    #[inline]
    fn behind(&self, end: usize) -> usize {
        match self.separator {
            Separator::Blanks => end,
            Separator::Byte(_) | Separator::Cells(_) => (end + 1).min(self.text.len()),
        }
    }

    #[inline]
    fn field_end(&mut self, field: usize) -> usize {
        match self.given.get(field) {
            Some(end) => *end as usize,
            None => self.find_end(field),
        }
    }

    fn find_end(&mut self, field: usize) -> usize {
        if field < self.known.min(KEPT) {
            return self.ends[field];
        }
        let mut at = self.known;
        let mut end = match at.checked_sub(1) {
            None => 0,
            Some(last) => self.given.get(last).map_or_else(|| self.ends[last], |end| *end as usize),
        };
        loop {
            let start = if at == 0 { 0 } else { self.behind(end) };
            end = self.end_of_field_at(start);
            if at < KEPT {
                self.ends[at] = end;
                self.known = at + 1;
            }
            if at == field || end == self.text.len() {
                return end;
            }
            at += 1;
        }
    }

    /// The end of the field that begins at `start`.
    #[inline]
    fn end_of_field_at(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        let length = match self.separator {
            Separator::Byte(separator) => memchr(separator, rest).unwrap_or(rest.len()),
            Separator::Cells(dialect) => csv::cell_length(dialect, rest),
            Separator::Blanks => {
                let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
                let word = rest[blanks..].iter().take_while(|&&byte| !is_blank(byte)).count();
                blanks + word
            }
        };
        start + length
    }
}

/// The place of that part of a field's text that begins at `start` and ends within it.
fn range_within(text: &[u8], start: Position, end: End) -> Range<usize> {
    let place = |position: Position| {
        let skipped =
            if position.skips_blanks { text.len() - without_blanks(text).len() } else { 0 };
        position.byte.saturating_add(skipped).min(text.len())
    };
    let from = place(start);
    let to = if let End::Within(position) = end { place(position) } else { text.len() };
    from..to.max(from)
}

#[cfg(test)]
mod tests;
