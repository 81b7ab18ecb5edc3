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

use memchr::memchr;

use super::encode::number::{is_blank, without_blanks};
use super::order::{End, Position, Separator};

/// Ends that are kept. Keys beyond the first fields are looked for from the last kept one.
const KEPT: usize = 8;

/// The fields of one record, found as they are asked for.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    text: &'a [u8],
    separator: Separator,
    /// Where the first `known` fields end.
    ends: [usize; KEPT],
    known: usize,
}

impl<'a> Fields<'a> {
    /// The fields of `text`, which is a record without its terminator.
    #[inline]
    pub fn new(text: &'a [u8], separator: Separator) -> Self {
        Self { text, separator, ends: [0; KEPT], known: 0 }
    }

    /// The bytes from `start` to `end`; none where `end` lies before.
    #[inline]
    pub fn slice(&mut self, start: Position, end: End) -> &'a [u8] {
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
            Separator::Byte(_) => (end + 1).min(self.text.len()),
        }
    }

    fn field_end(&mut self, field: usize) -> usize {
        if field < self.known {
            return self.ends[field];
        }
        let mut at = self.known;
        let mut end = if at == 0 { 0 } else { self.ends[at - 1] };
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
            Separator::Blanks => {
                let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
                let word = rest[blanks..].iter().take_while(|&&byte| !is_blank(byte)).count();
                blanks + word
            }
        };
        start + length
    }
}

#[cfg(test)]
mod tests;
