//! Content that a part of a key looks at: bytes of the record, and the text that they stand for.
//!
//! Pairs of quotes in a cell are one quote, an escape in JSON is a character, a range may reach
//! beyond its record, and a translation changes bytes or leaves them out. None of that is written
//! down anywhere: encoders read it byte by byte or in pieces, so that a key takes no memory in
//! proportion to its record. Only types whose values are short, and collations, are shown it in one
//! piece ([`Content::with_slice`]).

use std::cell::Cell;
use std::iter::repeat_n;
use std::slice;
use std::thread::LocalKey;

use memchr::{memchr, memrchr};

use super::encode::number::is_blank;
use super::translate::TranslationTable;
use super::turns::{LONG_BYTES, in_turn};
use crate::format::json::{Escape, escape_at};

/// Bytes of a piece.
const PIECE_BYTES: usize = 512;

thread_local! {
    /// Space for contents that have to be in one piece.
    static WRITTEN: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Lends a thread's empty buffer to `body`. Where it is lent already, `body` gets a new one. A
/// buffer that has become long is not kept.
pub(super) fn with_buffer<T>(
    buffer: &'static LocalKey<Cell<Vec<u8>>>,
    body: impl FnOnce(&mut Vec<u8>) -> T,
) -> T {
    let mut lent = buffer.take();
    lent.clear();
    let result = body(&mut lent);
    if lent.capacity() <= LONG_BYTES {
        buffer.set(lent);
    }
    result
}

/// Longest string with escapes that is read as a value of a type whose values are short.
const ESCAPED_VALUE_MAX: usize = 64 << 10;

/// Bytes in a record that stand for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Every byte stands for itself.
    None,
    /// Two of this quote stand for one.
    Pairs(u8),
    /// A backslash begins an escape of JSON.
    Json,
}

impl Escapes {
    /// Returns the byte that begins an escape.
    #[inline]
    fn start(self) -> Option<u8> {
        match self {
            Self::None => None,
            Self::Pairs(quote) => Some(quote),
            Self::Json => Some(b'\\'),
        }
    }

    /// Returns the escape that `text` begins with: a quote or a backslash.
    #[inline]
    fn first(self, text: &[u8]) -> Escape {
        match self {
            Self::Json => escape_at(text),
            _ => Escape { length: text.len().min(2), bytes: [text[0], 0, 0, 0], count: 1 },
        }
    }
}

/// Bytes of a record as they are to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content<'a> {
    /// The bytes in the record.
    raw: &'a [u8],
    /// Kind of bytes among them that stand for others.
    escapes: Escapes,
    /// The byte that follows the bytes of the record, and the number of times.
    pad: (u8, usize),
    /// The translation of each byte.
    table: Option<&'a TranslationTable>,
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Content<'a> {
    #[inline]
    fn from(raw: &'a T) -> Self {
        Self { raw: raw.as_ref(), escapes: Escapes::None, pad: (0, 0), table: None }
    }
}

impl<'a> Content<'a> {
    /// Returns the content of `raw` with these escapes.
    #[inline]
    pub fn escaped(raw: &'a [u8], escapes: Escapes) -> Self {
        Self { escapes, ..Self::from(raw) }
    }

    /// Returns the content with `count` bytes `byte` after it.
    #[inline]
    pub fn padded(self, byte: u8, count: usize) -> Self {
        Self { pad: (byte, count), ..self }
    }

    /// Returns the content after its translation.
    #[inline]
    pub fn through(self, table: Option<&'a TranslationTable>) -> Self {
        Self { table, ..self }
    }

    /// Returns the content without blanks at its ends, as they are after its translation.
    pub fn trimmed(mut self) -> Self {
        let table = self.table;
        let is_blank = |byte: &u8| is_blank(table.map_or(*byte, |table| table.of_byte(*byte)));
        if is_blank(&self.pad.0) {
            self.pad.1 = 0;
        }
        if self.pad.1 == 0 {
            let end = self.raw.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
            self.raw = &self.raw[..end];
        }
        let blanks = self.raw.iter().take_while(|byte| is_blank(byte)).count();
        self.raw = &self.raw[blanks..];
        self
    }

    /// Returns the bytes, where they stand in the record as they are.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [u8]> {
        let is_slice = self.escapes == Escapes::None && self.table.is_none() && self.pad.1 == 0;
        is_slice.then_some(self.raw)
    }

    /// Returns whether a backslash begins an escape of JSON.
    pub fn has_escapes_of_json(&self) -> bool {
        self.escapes == Escapes::Json
    }

    /// Returns the bytes up to a first quote that stands for two: enough for types whose values
    /// hold none. Escapes of JSON may stand for any character, and are kept in strings that are
    /// short.
    pub fn up_to_quote(self) -> Self {
        if self.escapes == Escapes::Json && self.raw.len() <= ESCAPED_VALUE_MAX {
            return self;
        }
        match self.escapes.start().and_then(|start| memchr(start, self.raw)) {
            Some(at) => Self { raw: &self.raw[..=at], escapes: Escapes::None, ..self },
            None => Self { escapes: Escapes::None, ..self },
        }
    }

    /// Returns whether there are no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes().next().is_none()
    }

    /// Returns whether the content is empty or has nothing but blanks.
    #[inline]
    pub fn is_blank(&self) -> bool {
        match self.as_slice() {
            Some(slice) => slice.iter().all(|&byte| is_blank(byte)),
            None => self.bytes().all(is_blank),
        }
    }

    /// Returns the bytes one by one.
    #[inline]
    pub fn bytes(&self) -> ContentBytes<'a> {
        let Self { raw, escapes, pad, table } = *self;
        ContentBytes { raw: raw.iter(), escapes, rest: (0, 0), pad, table }
    }

    /// Shows the bytes in pieces, `wanted` of them and perhaps some more.
    pub fn show_pieces(&self, wanted: usize, mut show: impl FnMut(&[u8])) {
        let mut left = wanted;
        let mut piece = [0; PIECE_BYTES];
        let mut rest = self.raw;
        while left > 0 && !rest.is_empty() {
            let most = &rest[..rest.len().min(PIECE_BYTES).min(left)];
            let at = self.escapes.start().and_then(|start| memchr(start, most));
            let mut escape = Escape { length: 0, bytes: [0; 4], count: 0 };
            let here = &most[..at.unwrap_or(most.len())];
            if at.is_some() {
                escape = self.escapes.first(&rest[here.len()..]);
            }
            rest = &rest[here.len() + escape.length..];
            for here in [here, &escape.bytes[..escape.count]] {
                let shown = match self.table {
                    None => {
                        show(here);
                        here.len()
                    }
                    Some(table) => {
                        let filled = table.translate(here, &mut piece);
                        show(&piece[..filled]);
                        filled
                    }
                };
                left = left.saturating_sub(shown);
            }
        }
        let (byte, count) = self.pad;
        let mut rest = repeat_n(byte, count.min(left));
        while rest.len() > 0 {
            let length = rest.len().min(PIECE_BYTES);
            let pads = &mut piece[..length];
            pads.iter_mut().zip(&mut rest).for_each(|(place, byte)| *place = byte);
            match self.table {
                None => show(pads),
                Some(table) if table.keeps(byte) => show(&[table.of_byte(byte)].repeat(length)),
                Some(_) => {}
            }
        }
    }

    /// Shows up to `most` bytes to `body` in one piece, which is written down where it has to be.
    #[inline]
    pub fn with_slice<T>(&self, most: usize, body: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(bytes) = self.as_slice() {
            return body(bytes);
        }
        let bytes = self.written_bytes().min(most);
        in_turn(bytes, || {
            with_buffer(&WRITTEN, |written| {
                written.reserve(bytes);
                self.show_pieces(most, |piece| written.extend_from_slice(piece));
                body(written)
            })
        })
    }

    /// Shows the text without blanks at its ends to `body`, where it has no more than `longest`
    /// bytes. Of a longer one it shows one byte more than that, the last of which is no blank.
    pub fn with_value<T>(&self, longest: usize, body: impl FnOnce(&[u8]) -> T) -> T {
        with_buffer(&WRITTEN, |written| {
            let mut bytes = self.bytes().skip_while(|byte| is_blank(*byte));
            written.extend(bytes.by_ref().take(longest));
            written.extend(bytes.find(|byte| !is_blank(*byte)));
            body(written)
        })
    }

    /// Returns the number of bytes that it takes to write it down, if it has to be; perhaps fewer
    /// are used.
    pub fn written_bytes(&self) -> usize {
        if self.as_slice().is_some() { 0 } else { self.raw.len().saturating_add(self.pad.1) }
    }

    /// Returns whether two contents stand for equal bytes where their bytes in the records are
    /// equal.
    pub fn is_alike(&self, other: &Self) -> bool {
        (self.escapes, self.pad) == (other.escapes, other.pad)
    }

    /// Returns the bytes in the record.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Returns whether bytes of the record stand for others in the same way in both contents.
    pub fn has_same_escapes(&self, other: &Self) -> bool {
        self.escapes == other.escapes
    }

    /// Returns the last place in the first `agreed` bytes of the record, or after them, that lies
    /// within no escape, whatever follows these bytes.
    pub fn boundary(&self, agreed: usize) -> usize {
        let raw = &self.raw[..agreed];
        match self.escapes {
            Escapes::None => agreed,
            // Quotes stand in pairs alone.
            Escapes::Pairs(quote) => agreed - run_at_end(raw, quote) % 2,
            Escapes::Json => boundary_of_json(raw),
        }
    }

    /// Returns the byte that a byte of the record stands for; `None` for a quote and omitted bytes.
    pub fn of_byte(&self, byte: u8) -> Option<u8> {
        let is_kept =
            Some(byte) != self.escapes.start() && self.table.is_none_or(|table| table.keeps(byte));
        is_kept.then(|| self.table.map_or(byte, |table| table.of_byte(byte)))
    }

    /// Returns the content after the first `bytes` bytes of the record, which end within no escape.
    pub fn behind(self, bytes: usize) -> Self {
        Self { raw: &self.raw[bytes..], ..self }
    }
}

/// Returns how many bytes at the end of `raw` are `byte`.
fn run_at_end(raw: &[u8], byte: u8) -> usize {
    raw.iter().rev().take_while(|found| **found == byte).count()
}

/// Returns the last place in `raw`, the beginning of a string of JSON, that lies within no escape.
fn boundary_of_json(raw: &[u8]) -> usize {
    let Some(at) = memrchr(b'\\', raw) else { return raw.len() };
    if run_at_end(&raw[..=at], b'\\').is_multiple_of(2) {
        return raw.len();
    }
    // The escape begins here, unless it is the second half of a character that begins before.
    let half = at.checked_sub(HALF_BYTES).filter(|half| {
        let is_escape = run_at_end(&raw[..at], b'\\') == 0 && raw[*half] == b'\\';
        is_escape && run_at_end(&raw[..=*half], b'\\') % 2 == 1 && is_first_half(&raw[*half..at])
    });
    match &raw[at + 1..] {
        [] => half.unwrap_or(at),
        [b'u', digits @ ..] if digits.len() < 4 => half.unwrap_or(at),
        // What follows may be the second half.
        [b'u', digits @ ..] if digits.len() == 4 && is_first_half(&raw[at..]) => at,
        _ => raw.len(),
    }
}

/// Bytes of an escape `\uXXXX`, which stands for half of a character at times.
const HALF_BYTES: usize = 6;

/// Returns whether an escape `\uXXXX` is the first half of a character, if another one follows.
fn is_first_half(escape: &[u8]) -> bool {
    matches!(escape, [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
}

/// The bytes of a content, one by one; from both ends unless they have escapes of JSON.
#[derive(Clone, Debug)]
pub(super) struct ContentBytes<'a> {
    raw: slice::Iter<'a, u8>,
    escapes: Escapes,
    /// Bytes of an escape that are still to come, the next one highest, and how many.
    rest: (u32, usize),
    pad: (u8, usize),
    table: Option<&'a TranslationTable>,
}

impl ContentBytes<'_> {
    /// Returns the number of bytes of the record that are left.
    pub fn raw_bytes(&self) -> usize {
        self.raw.as_slice().len()
    }

    #[inline]
    fn translated(&self, byte: u8) -> Option<u8> {
        match self.table {
            None => Some(byte),
            Some(table) => table.keeps(byte).then(|| table.of_byte(byte)),
        }
    }

    #[inline]
    fn next_pad(&mut self) -> Option<u8> {
        self.pad.1 = self.pad.1.checked_sub(1)?;
        Some(self.pad.0)
    }
}

impl ContentBytes<'_> {
    /// Returns the next byte of the record, or of what an escape there stands for.
    #[inline]
    fn next_plain(&mut self) -> Option<u8> {
        if self.rest.1 > 0 {
            let byte = (self.rest.0 >> 24) as u8;
            self.rest = (self.rest.0 << 8, self.rest.1 - 1);
            return Some(byte);
        }
        let &byte = self.raw.next()?;
        match self.escapes {
            Escapes::Pairs(quote) if byte == quote => {
                self.raw.next();
            }
            Escapes::Json if byte == b'\\' => return Some(self.begin_escape()),
            _ => {}
        }
        Some(byte)
    }

    /// Reads the rest of an escape, and returns the first byte of what it stands for.
    #[cold]
    fn begin_escape(&mut self) -> u8 {
        let mut text = [b'\\'; 12];
        let rest = self.raw.as_slice();
        let length = rest.len().min(text.len() - 1);
        text[1..=length].copy_from_slice(&rest[..length]);
        let escape = escape_at(&text[..=length]);
        self.raw = rest[escape.length - 1..].iter();
        self.rest = (u32::from_be_bytes(escape.bytes) << 8, escape.count - 1);
        escape.bytes[0]
    }
}

impl Iterator for ContentBytes<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = match self.next_plain() {
                Some(byte) => byte,
                None => self.next_pad()?,
            };
            if let Some(byte) = self.translated(byte) {
                return Some(byte);
            }
        }
    }
}

impl DoubleEndedIterator for ContentBytes<'_> {
    fn next_back(&mut self) -> Option<u8> {
        loop {
            let byte = match self.next_pad() {
                Some(byte) => byte,
                None => {
                    let byte = *self.raw.next_back()?;
                    if self.escapes == Escapes::Pairs(byte) {
                        self.raw.next_back();
                    }
                    byte
                }
            };
            if let Some(byte) = self.translated(byte) {
                return Some(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests;
