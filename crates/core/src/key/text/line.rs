//! A key that is a record of text, or a range of its bytes, as it is: the order of lines in the C
//! locale.
//!
//! ```text
//!     ascending     the bytes                          no end: a line before every longer one
//!     descending    complement of the escaped bytes    and of their end: a line behind them
//! ```
//!
//! Ascending words are loads from the record, and so are descending ones while no byte is escaped
//! (see `encode::bytes`).

use std::cmp::Ordering;

use super::super::{KeyEncoder, WORD_BYTES};
use super::encode::bytes;
use super::key::without_terminator;
use super::order::{End, Position, TextOrder, TextSpec};
use super::sink::{BufferSink, Sink, WordSink, load};

/// One range of the bytes of text records, ascending or descending.
#[derive(Clone, Debug)]
pub struct LineKey {
    start: usize,
    /// Not before `start`; the largest there is where the range ends with the record.
    end: usize,
    is_descending: bool,
    terminator: u8,
    /// Records longer than this hold eight bytes from `start` on, before their terminator.
    reach: usize,
    /// The bytes of the first word that lie before `end`.
    mask: u64,
}

impl LineKey {
    /// The key for `order`, where it is of this shape.
    pub(in crate::key) fn for_order(order: &TextOrder) -> Option<Self> {
        let line = |start, end, is_descending| {
            let length: usize = usize::saturating_sub(end, start);
            let behind = u64::MAX.checked_shr(8 * length.min(WORD_BYTES) as u32).unwrap_or(0);
            let reach = start.saturating_add(WORD_BYTES);
            let end = end.max(start);
            Self { start, end, is_descending, terminator: order.terminator, reach, mask: !behind }
        };
        match (order.specs.as_slice(), &order.then_whole) {
            ([], None) => Some(line(0, usize::MAX, false)),
            ([], Some(last)) if last.collation.is_none() => {
                Some(line(0, usize::MAX, last.is_descending))
            }
            ([only], last) => {
                let (start, end) = plain_range(only)?;
                // Nothing is left to decide between lines whose bytes are all equal.
                let is_whole = (start, end) == (0, usize::MAX);
                (is_whole || last.is_none()).then(|| line(start, end, only.is_descending))
            }
            _ => None,
        }
    }

    /// The bytes the key is made of.
    #[inline]
    fn text<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let text = without_terminator(record, self.terminator);
        &text[self.start.min(text.len())..self.end.min(text.len())]
    }

    /// Appends the descending key.
    fn append_descending<S: Sink>(&self, record: &[u8], out: &mut S) {
        let mark = out.mark();
        bytes::append(self.text(record), false, out);
        out.invert_from(mark);
    }

    /// Word 0 of a record that may be too short for a whole load, or has bytes to escape.
    fn first_word(&self, record: &[u8]) -> u64 {
        if self.is_descending {
            let mut sink = WordSink::new(0);
            self.append_descending(record, &mut sink);
            return sink.word();
        }
        load(self.text(record))
    }
}

/// The range of bytes of the record that `spec` takes as they are, if it does.
fn plain_range(spec: &TextSpec) -> Option<(usize, usize)> {
    let byte = |position: Position| {
        (position.field == 0 && !position.skips_blanks).then_some(position.byte)
    };
    let end = match spec.end {
        End::Record => usize::MAX,
        End::At(position) => byte(position)?,
        End::Field(_) | End::Within(_) => return None,
    };
    let start = byte(spec.start)?;
    (spec.is_plain() && !spec.trims).then_some((start, end))
}

impl KeyEncoder for LineKey {
    #[inline]
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: &[u8], limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        if self.is_descending {
            self.append_descending(record, &mut BufferSink::new(out, limit));
            out.truncate(end);
            return;
        }
        let text = self.text(record);
        out.extend_from_slice(&text[..text.len().min(limit)]);
    }

    #[inline]
    fn ends_before(&self, record: &[u8], index: usize) -> bool {
        let (length, bytes) = (self.text(record).len(), index.saturating_mul(WORD_BYTES));
        if !self.is_descending || length >= bytes {
            return !self.is_descending && length <= bytes;
        }
        let mut sink = WordSink::new(index);
        self.append_descending(record, &mut sink);
        sink.is_untouched()
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        if index == 0 {
            if record.len() > self.reach
                && let Some(bytes) = record[self.start..].first_chunk()
            {
                let word = u64::from_be_bytes(*bytes);
                if !self.is_descending {
                    return word & self.mask;
                }
                if self.mask == u64::MAX && bytes::is_plain(bytes) {
                    return !word;
                }
            }
            return self.first_word(record);
        }
        if self.is_descending {
            let mut sink = WordSink::new(index);
            self.append_descending(record, &mut sink);
            return sink.word();
        }
        let text = self.text(record);
        load(&text[index.saturating_mul(WORD_BYTES).min(text.len())..])
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        let (a, b) = (self.text(a), self.text(b));
        if self.is_descending {
            return b.cmp(a);
        }
        let from = word.saturating_mul(WORD_BYTES);
        let order = a[from.min(a.len())..].cmp(&b[from.min(b.len())..]);
        order.then(a.len().cmp(&b.len()))
    }
}

#[cfg(test)]
mod tests;
