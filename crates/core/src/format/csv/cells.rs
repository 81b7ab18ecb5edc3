//! The cells of one row.

use std::borrow::Cow;

use memchr::memchr;

use super::Dialect;

/// The cells of a row without its end, from the first on, as they are written.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    dialect: Dialect,
    /// What is left; `None` behind the last cell.
    rest: Option<&'a [u8]>,
}

impl<'a> Cells<'a> {
    /// The cells of `row`.
    pub fn new(dialect: Dialect, row: &'a [u8]) -> Self {
        Self { dialect, rest: Some(row) }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let length = cell_length(self.dialect, rest);
        self.rest = rest.get(length + 1..);
        Some(&rest[..length])
    }
}

/// Bytes of the first cell of `rest`.
#[inline]
pub fn cell_length(Dialect { separator, quote }: Dialect, rest: &[u8]) -> usize {
    let mut start = 0;
    if let Some(quote) = quote.filter(|quote| rest.first() == Some(quote)) {
        // Behind each closing quote another one opens, or the cell ends.
        let mut at = 1;
        loop {
            let Some(close) = memchr(quote, &rest[at..]) else { return rest.len() };
            at += close + 1;
            if rest.get(at) != Some(&quote) {
                break;
            }
            at += 1;
        }
        start = at;
    }
    memchr(separator, &rest[start..]).map_or(rest.len(), |at| start + at)
}

/// What lies between the quotes of a cell, and whether some of it stands for other bytes; the cell
/// itself where it has none.
#[inline]
pub fn unquoted(quote: Option<u8>, cell: &[u8]) -> (&[u8], bool) {
    match (quote, cell) {
        (Some(quote), [first, .., last]) if *first == quote && *last == quote => {
            let inner = &cell[1..cell.len() - 1];
            (inner, memchr(quote, inner).is_some())
        }
        _ => (cell, false),
    }
}

/// What a cell says: quotes around it are gone, and two within are one.
pub fn value(quote: Option<u8>, cell: &[u8]) -> Cow<'_, [u8]> {
    match (unquoted(quote, cell), quote) {
        ((inner, true), Some(quote)) => {
            let mut value = Vec::with_capacity(inner.len());
            append_value(quote, inner, &mut value);
            Cow::Owned(value)
        }
        ((inner, _), _) => Cow::Borrowed(inner),
    }
}

/// Appends what lies between quotes, where two stand for one.
pub fn append_value(quote: u8, mut inner: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(quote, inner) {
        out.extend_from_slice(&inner[..=at]);
        inner = inner.get(at + 2..).unwrap_or_default();
    }
    out.extend_from_slice(inner);
}

#[cfg(test)]
mod tests;
