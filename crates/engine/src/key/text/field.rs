//! Location of the bytes of a key in a record.
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

use memchr::{memchr, memchr3};

use super::super::agreeing_bytes;
use super::content::Escapes;
use super::encode::number::{is_blank, without_blanks};
use super::leading::leading;
use super::order::{End, Position, Separator};
use crate::format::{csv, json};

/// Ends that are kept. Keys beyond the first fields are looked for from the last kept one.
const KEPT: usize = 8;

/// Bytes of a word that are looked at one by one: most words end there, and before a search of many
/// bytes at once has begun.
const WORD_BYTES_SHORT: usize = 32;

/// The fields of one record, found as they are asked for.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    text: &'a [u8],
    separator: Separator,
    /// Ends of the first fields, as far as they were known before.
    given: &'a [u32],
    /// Ends of the first `known` fields, without those given.
    ends: [usize; KEPT],
    known: usize,
}

impl<'a> Fields<'a> {
    /// Creates the fields of `text`, which is a record without its terminator.
    #[inline]
    pub fn new(text: &'a [u8], separator: Separator) -> Self {
        Self::given(text, separator, &[])
    }

    /// Creates the fields of `text`, whose first ones end at the bytes `ends`.
    #[inline]
    pub fn given(text: &'a [u8], separator: Separator, ends: &'a [u32]) -> Self {
        Self { text, separator, given: ends, ends: [0; KEPT], known: ends.len() }
    }

    /// Returns the number of bytes of the record that may be part of a key.
    #[inline]
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// Returns the value at `path` of a line of JSON.
    pub fn member(&self, path: &json::Path) -> (&'a [u8], Escapes) {
        let (value, has_escapes) = path.find(self.text);
        (value, if has_escapes { Escapes::Json } else { Escapes::None })
    }

    /// Returns the number of bytes at the beginning in which this record and `other` agree.
    #[inline]
    pub fn agreement(&self, other: &Self) -> usize {
        agreeing_bytes(self.text, other.text)
    }

    /// Returns the offset of `part`, a part of the record.
    #[inline]
    pub fn place_of(&self, part: &[u8]) -> usize {
        part.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr())
    }

    /// Takes over the ends of fields from a record that agrees with this one in the first `agreed`
    /// bytes: fields that end there end at the same places in both.
    #[inline]
    pub fn learn(&mut self, other: &Self, agreed: usize) {
        while self.known < other.known.min(KEPT) {
            let end = other.ends[self.known];
            if self.known < other.given.len() || end >= agreed {
                break;
            }
            self.ends[self.known] = end;
            self.known += 1;
        }
    }

    /// Returns the bytes from `start` to `end`, none where `end` lies before; and whether these are
    /// of a cell in which pairs of quotes stand for one.
    #[inline(always)]
    pub fn slice(&mut self, start: Position, end: End) -> (&'a [u8], Escapes) {
        match (self.separator, end) {
            (Separator::Cells(dialect), End::Field(field) | End::Within(_, field))
                if field == start.field =>
            {
                let cell = &self.text[self.cell(dialect, field)];
                let (text, has_pairs) = csv::unquoted(dialect, cell);
                let is_whole = (start.byte, start.skips_blanks) == (0, false);
                let wanted = match end {
                    End::Field(_) if is_whole => 0..text.len(),
                    _ => range_within(text, start, end),
                };
                match dialect.quote.filter(|_| has_pairs) {
                    None => (&text[wanted], Escapes::None),
                    Some(quote) => {
                        let place = |byte| csv::place_of(quote, text, byte);
                        (&text[place(wanted.start)..place(wanted.end)], Escapes::Pairs(quote))
                    }
                }
            }
            _ => (self.between(start, end), Escapes::None),
        }
    }

    /// Returns the bytes from `start` to `end` of one of its lines, from 0.
    #[inline(never)]
    pub fn slice_of_line(&mut self, line: usize, start: Position, end: End) -> (&'a [u8], Escapes) {
        self.of_line(line).slice(start, end)
    }

    /// Returns the fields of one of its lines, from 0.
    fn of_line(&mut self, line: usize) -> Self {
        let start = Position { field: line, ..Position::default() };
        let within = match self.separator {
            Separator::Lines { within: Some(byte), .. } => Separator::Byte(byte),
            _ => Separator::Blanks,
        };
        Self::new(self.between(start, End::Field(line)), within)
    }

    fn between(&mut self, start: Position, end: End) -> &'a [u8] {
        let from = self.place(start);
        let to = match end {
            End::Record => self.text.len(),
            End::Field(field) => self.field_end(field),
            End::At(position) => self.place(position),
            End::Within(position, field) => self.place(position).min(self.field_end(field)),
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

    /// Returns the beginning of the field after the one that ends at `end`.
    #[inline]
    fn behind(&self, end: usize) -> usize {
        match self.separator {
            Separator::Blanks | Separator::Members => end,
            Separator::Byte(_) | Separator::Cells(_) | Separator::Lines { .. } => {
                (end + 1).min(self.text.len())
            }
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
        if let Separator::Cells(dialect) = self.separator {
            return self.find_cell(dialect, field).end;
        }
        if field < self.known {
            return self.ends[field];
        }
        let mut at = self.known;
        let mut start = self.start_of(at);
        loop {
            let end = self.end_of_field_at(start);
            self.note(at, end);
            if at == field || end == self.text.len() {
                return end;
            }
            at += 1;
            start = self.behind(end);
        }
    }

    /// Returns the beginning of field `field`, if the end of the one before is known.
    #[inline]
    fn start_of(&self, field: usize) -> usize {
        let Some(last) = field.checked_sub(1) else { return 0 };
        self.behind(self.given.get(last).map_or_else(|| self.ends[last], |end| *end as usize))
    }

    /// Returns the range of cell `field` of a row.
    #[inline]
    fn cell(&mut self, dialect: csv::Dialect, field: usize) -> Range<usize> {
        match self.given.get(field) {
            Some(end) => self.start_of(field)..*end as usize,
            None => self.find_cell(dialect, field),
        }
    }

    fn find_cell(&mut self, dialect: csv::Dialect, field: usize) -> Range<usize> {
        if field < self.known {
            return self.start_of(field)..self.ends[field];
        }
        let mut at = self.known;
        let mut start = self.start_of(at);
        let mut ends = csv::CellEnds::new(dialect, self.text, start);
        let mut found = self.text.len()..self.text.len();
        while at <= field
            && let Some(few) = ends.next_few()
        {
            // The chunk that was looked at has the ends of the next cells as well.
            for end in few {
                self.note(at, end);
                if at == field {
                    found = start..end;
                }
                (at, start) = (at + 1, end + 1);
            }
        }
        found
    }

    /// Notes that field `at` ends at byte `end`, if it is among those that are kept.
    #[inline]
    fn note(&mut self, at: usize, end: usize) {
        if at < KEPT {
            self.ends[at] = end;
            self.known = at + 1;
        }
    }

    /// Returns the end of the field that begins at `start`.
    #[inline]
    fn end_of_field_at(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        let length = match self.separator {
            // Cells and members are found by ways of their own.
            Separator::Members | Separator::Cells(_) => rest.len(),
            Separator::Byte(separator) | Separator::Lines { end: separator, .. } => {
                memchr(separator, rest).unwrap_or(rest.len())
            }
            Separator::Blanks => {
                let blanks = leading(rest, is_blank);
                blanks + word_length(&rest[blanks..])
            }
        };
        start + length
    }
}

/// Returns the number of bytes before the first blank.
#[inline]
fn word_length(text: &[u8]) -> usize {
    let short = &text[..text.len().min(WORD_BYTES_SHORT)];
    match short.iter().position(|&byte| is_blank(byte)) {
        Some(length) => length,
        None => {
            let rest = &text[short.len()..];
            short.len() + memchr3(b' ', b'\t', b'\n', rest).unwrap_or(rest.len())
        }
    }
}

/// Returns the place of that part of a field's text that begins at `start` and ends within it.
fn range_within(text: &[u8], start: Position, end: End) -> Range<usize> {
    let place = |position: Position| {
        let skipped =
            if position.skips_blanks { text.len() - without_blanks(text).len() } else { 0 };
        position.byte.saturating_add(skipped).min(text.len())
    };
    let from = place(start);
    let to = if let End::Within(position, _) = end { place(position) } else { text.len() };
    from..to.max(from)
}

#[cfg(test)]
mod tests;
