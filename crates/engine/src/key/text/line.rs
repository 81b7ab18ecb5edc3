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

use super::super::{
    CutRecord, KeyEncoder, OPEN_WORD_BYTES, WORD_BYTES, agreeing_bytes, continued, differing_word,
    open_word,
};
use super::encode::bytes;
use super::fault::FaultWords;
use super::order::{Body, Invalid, TextOrder};
use super::sink::{BufferSink, KeySink, WordSink};
use crate::error::Message;

/// One range of the bytes of text records, ascending or descending.
#[derive(Clone, Debug)]
pub struct LineKey {
    /// Beginning of the range within the bytes of a record that keys look at.
    start: usize,
    /// Beginning of the range within the record.
    first: usize,
    /// End of the range, not before `start`; the largest number if the range ends with the record.
    end: usize,
    is_descending: bool,
    body: Body,
    /// Records longer than this hold eight bytes from there on, before what ends them.
    reach: usize,
    /// True if eight bytes from `start` on lie before `end`.
    is_long: bool,
    /// Bytes that a record has to have after its beginning; lines have whatever they have.
    needs: usize,
}

impl LineKey {
    /// Returns the key for `order`, where it is of this shape.
    pub(in crate::key) fn for_order(order: &TextOrder) -> Option<Self> {
        let line = |start, end, is_descending| {
            let length: usize = usize::saturating_sub(end, start);
            let (first, behind) = match order.body {
                Body::Behind(bytes) => (bytes.saturating_add(start), 0),
                Body::Row => (start, 1),
                // The record has no room for more words than its key.
                Body::StoredKey => (0, usize::MAX - WORD_BYTES),
                Body::Terminated(_) | Body::Fixed(_) | Body::Whole => (start, 0),
            };
            let reach = first.saturating_add(WORD_BYTES + behind);
            let has_length = order.body.has_no_fields();
            let needs = if end == usize::MAX { start } else { end };
            let end = end.max(start);
            Self {
                start,
                first,
                end,
                is_descending,
                body: order.body,
                reach,
                is_long: length >= WORD_BYTES,
                needs: if has_length { needs } else { 0 },
            }
        };
        match (order.specs.as_slice(), &order.options.then_whole) {
            ([], None) => Some(line(0, usize::MAX, false)),
            ([], Some(last)) if last.collation.is_none() => {
                Some(line(0, usize::MAX, last.is_descending))
            }
            ([only], last) => {
                let (start, end) = only.byte_range().filter(|_| only.is_plain() && !only.trims)?;
                let end = end.unwrap_or(usize::MAX);
                let pads = only.pad.or(order.options.pad).is_some();
                let is_placing = matches!(order.options.invalid, Some(Invalid::Placed(_)));
                let is_cut = order.body.has_no_fields();
                if only.nulls.is_some() || is_cut && (pads || is_placing) {
                    return None;
                }
                // Nothing is left to decide between lines whose bytes are all equal.
                let is_whole = (start, end) == (0, usize::MAX);
                (is_whole || last.is_none()).then(|| line(start, end, only.is_descending))
            }
            _ => None,
        }
    }

    /// Returns the bytes the key is made of.
    #[inline]
    fn text<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let text = self.body.of_record(record);
        &text[self.start.min(text.len())..self.end.min(text.len())]
    }

    /// Appends the descending key.
    fn append_descending<S: KeySink>(&self, record: &[u8], out: &mut S) {
        out.inverted_if(true, |out| bytes::append(self.text(record), false, out));
    }

    /// Returns word 0 of a record that may be too short for a whole load, or has bytes to escape.
    fn first_word(&self, record: &[u8]) -> u64 {
        if self.is_descending {
            let mut sink = WordSink::new(0);
            self.append_descending(record, &mut sink);
            return sink.word();
        }
        open_word(self.text(record))
    }
}

impl KeyEncoder for LineKey {
    #[inline]
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        if self.is_descending {
            self.append_descending(record.bytes, &mut BufferSink::new(out, limit));
            out.truncate(end);
            return;
        }
        let text = self.text(record.bytes);
        out.extend_from_slice(&text[..text.len().min(limit)]);
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        if index == 0 {
            if record.len() > self.reach
                && self.is_long
                && let Some(bytes) = record[self.first..].first_chunk()
            {
                if !self.is_descending {
                    return open_word(bytes);
                }
                if bytes::is_plain(bytes) {
                    return continued(!u64::from_be_bytes(*bytes));
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
        open_word(&text[index.saturating_mul(OPEN_WORD_BYTES).min(text.len())..])
    }

    fn first_difference(&self, a: &[u8], b: &[u8], _first: usize) -> Option<usize> {
        let (a, b) = (self.text(a), self.text(b));
        let at = agreeing_bytes(a, b);
        let (next_a, next_b) = (a.get(at), b.get(at));
        if next_a.is_none() && next_b.is_none() {
            return None;
        }
        if !self.is_descending {
            return Some(differing_word(at, next_a.is_none() || next_b.is_none()));
        }
        // Both bytes may be escaped, and then differ one byte behind.
        let are_escaped = [next_a, next_b].iter().all(|next| next.is_some_and(bytes::is_escaped));
        let escaped = bytes::escapes(&a[..at]) + usize::from(are_escaped);
        Some(differing_word(at + escaped, false))
    }

    fn is_whole_record(&self) -> bool {
        let has_all = (self.start, self.end) == (0, usize::MAX);
        has_all && !matches!(self.body, Body::Row | Body::Behind(_) | Body::StoredKey)
    }

    #[inline]
    fn is_partial(&self) -> bool {
        self.needs > 0
    }

    fn fault(&self, record: &[u8]) -> Option<Message> {
        let length = self.body.of_record(record).len();
        if length >= self.needs {
            return None;
        }
        let end = (self.end < usize::MAX).then_some(self.end);
        Some(FaultWords::of_range(self.start, end).short(length, self.needs))
    }

    #[inline]
    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        let (a, b) = (self.text(a), self.text(b));
        if self.is_descending {
            return b.cmp(a);
        }
        let from = word.saturating_mul(OPEN_WORD_BYTES);
        a[from.min(a.len())..].cmp(&b[from.min(b.len())..])
    }
}

#[cfg(test)]
mod tests;
