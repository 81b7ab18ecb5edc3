//! The cells of one row.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::Dialect;
use super::masks::{MaskChunk, WIDTH, all_or_none, parity_so_far, special_quotes};
use crate::error::{Message, Setting, message};

/// Chunks without the end of a cell after which a search of many bytes at once is quicker.
const BARREN_MAX: usize = 4;

/// Finds where the cells of a well-formed row end, sixty-four bytes at a time.
///
/// Most cells are shorter than a search for the next separator takes to begin, so that one look at
/// a chunk finds the ends of all cells in it.
#[derive(Clone, Debug)]
pub struct CellEnds<'a> {
    dialect: Dialect,
    row: &'a [u8],
    /// The end of the chunk whose separators are known.
    next_chunk: usize,
    /// Ends that have not been returned one by one.
    ends: EndsFrom,
    /// All ones if the next chunk starts in quotes.
    inside: u64,
    /// One if lenient quotes open at the start of the next chunk, unless in quotes.
    may_open: u64,
    /// True once the end of the last cell has been returned.
    is_done: bool,
}

/// Ends of cells that were found together.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndsFrom {
    /// The byte that the lowest bit of `mask` stands for.
    start: usize,
    /// A bit for each byte that follows a cell.
    mask: u64,
}

impl Iterator for EndsFrom {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let end = self.start + self.mask.trailing_zeros() as usize;
        let is_one = self.mask != 0;
        self.mask &= self.mask.wrapping_sub(1);
        is_one.then_some(end)
    }
}

impl<'a> CellEnds<'a> {
    /// Starts at byte `start` of `row`, where a cell starts. The row is without its end.
    #[inline]
    pub fn new(dialect: Dialect, row: &'a [u8], start: usize) -> Self {
        let (ends, inside, may_open, is_done) = (EndsFrom::default(), 0, 1, false);
        Self { dialect, row, next_chunk: start, ends, inside, may_open, is_done }
    }

    /// Returns the ends of the next cells, at least one: all that end in one chunk.
    #[inline(always)]
    pub fn next_few(&mut self) -> Option<EndsFrom> {
        let length = self.row.len();
        let mut barren = 0;
        while self.next_chunk < length {
            barren += 1;
            if barren > BARREN_MAX {
                self.skip();
            }
            let start = self.next_chunk;
            let mut mask = self.advance();
            if length - start < WIDTH {
                // The row ends in this chunk as well; zeros behind it, which may be separators.
                mask = mask & ((1 << (length - start)) - 1) | 1 << (length - start);
                self.is_done = true;
            }
            if mask != 0 {
                return Some(EndsFrom { start, mask });
            }
        }
        let is_last = !std::mem::replace(&mut self.is_done, true);
        is_last.then_some(EndsFrom { start: length, mask: 1 })
    }

    /// Returns the separators of the next chunk.
    #[inline(always)]
    fn advance(&mut self) -> u64 {
        // The last chunk of a long row overlaps the one before: a copy would take longer.
        let overlap = match self.row.len().checked_sub(WIDTH) {
            Some(last) if last < self.next_chunk => self.next_chunk - last,
            _ => 0,
        };
        let chunk = MaskChunk::of(&self.row[self.next_chunk - overlap..]);
        let separators = chunk.equal(self.dialect.separator) >> overlap;
        let mut quotes = self.dialect.quote.map_or(0, |quote| chunk.equal(quote) >> overlap);
        if self.dialect.is_lenient {
            quotes = special_quotes(quotes, separators, self.inside, self.may_open);
        }
        let quoted = parity_so_far(quotes) ^ self.inside;
        self.inside = all_or_none(quoted);
        self.may_open = ((separators | quotes) & !quoted) >> (WIDTH - 1);
        self.next_chunk += WIDTH;
        separators & !quoted
    }

    /// Moves the next chunk to the next byte that may end the cell or its quotes.
    #[cold]
    fn skip(&mut self) {
        let Dialect { separator, quote, .. } = self.dialect;
        let rest = &self.row[self.next_chunk..];
        let found = match quote {
            Some(quote) if self.inside != 0 => memchr(quote, rest),
            Some(quote) => memchr2(quote, separator, rest),
            None => memchr(separator, rest),
        };
        // The last byte is looked at as part of a chunk, so that there is one.
        let passed = found.unwrap_or(rest.len().saturating_sub(1));
        self.next_chunk += passed;
        self.may_open &= u64::from(passed == 0);
    }
}

impl Iterator for CellEnds<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.ends.mask == 0 {
            self.ends = self.next_few()?;
        }
        self.ends.next()
    }
}

/// The cells of a row without its end, from the first on, as they are written.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    ends: CellEnds<'a>,
    /// The start of the next cell.
    start: usize,
}

impl<'a> Cells<'a> {
    /// Creates the cells of `row`.
    pub fn new(dialect: Dialect, row: &'a [u8]) -> Self {
        Self { ends: CellEnds::new(dialect, row, 0), start: 0 }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.ends.next()?;
        let cell = &self.ends.row[self.start..end];
        self.start = end + 1;
        Some(cell)
    }
}

/// Returns the bytes between the quotes of a cell, and whether some stand for others. Returns the
/// cell itself if it has no quotes, or if it continues after the closing one.
#[inline]
pub fn unquoted(dialect: Dialect, cell: &[u8]) -> (&[u8], bool) {
    match (dialect.quote, cell) {
        (Some(quote), [first, .., last]) if *first == quote && *last == quote => {
            let inner = &cell[1..cell.len() - 1];
            let has_pairs = memchr(quote, inner).is_some();
            match has_pairs && dialect.is_lenient && !are_paired(quote, inner) {
                true => (cell, false),
                false => (inner, has_pairs),
            }
        }
        _ => (cell, false),
    }
}

/// Returns whether no quote in `inner` stands alone.
fn are_paired(quote: u8, mut inner: &[u8]) -> bool {
    while let Some(at) = memchr(quote, inner) {
        if inner.get(at + 1) != Some(&quote) {
            return false;
        }
        inner = &inner[at + 2..];
    }
    true
}

/// Returns the value of a cell: without the quotes around it, and with one quote for two within.
pub fn value(dialect: Dialect, cell: &[u8]) -> Cow<'_, [u8]> {
    match (unquoted(dialect, cell), dialect.quote) {
        ((inner, true), Some(quote)) => {
            let mut value = Vec::with_capacity(inner.len());
            append_value(quote, inner, &mut value);
            Cow::Owned(value)
        }
        ((inner, _), _) => Cow::Borrowed(inner),
    }
}

/// Appends the text between quotes, with one quote for two.
pub fn append_value(quote: u8, mut inner: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(quote, inner) {
        out.extend_from_slice(&inner[..=at]);
        inner = inner.get(at + 2..).unwrap_or_default();
    }
    out.extend_from_slice(inner);
}

/// Returns the place in `inner`, the text between quotes, where byte `byte` of its value begins.
pub fn place_of(quote: u8, inner: &[u8], byte: usize) -> usize {
    if byte >= inner.len() {
        return inner.len(); // it says no more bytes than it has
    }
    let (mut place, mut left) = (0, byte);
    while let Some(at) = inner.get(place..).and_then(|rest| memchr(quote, rest)) {
        if left <= at {
            break;
        }
        (place, left) = (place + at + 2, left - at - 1);
    }
    place.saturating_add(left).min(inner.len())
}

/// Appends a cell that says `text`, in quotes where it needs them.
pub fn append_cell(dialect: Dialect, text: &[u8], out: &mut Vec<u8>) {
    let Dialect { separator, quote, .. } = dialect;
    let is_plain =
        |byte: &u8| *byte != separator && Some(*byte) != quote && *byte != b'\n' && *byte != b'\r';
    match quote {
        Some(quote) if !text.iter().all(is_plain) => {
            out.push(quote);
            for byte in text {
                out.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == quote)));
            }
            out.push(quote);
        }
        _ => out.extend_from_slice(text),
    }
}

/// Returns whether the end of a row would take the last byte of its last cell: a carriage return
/// before a line feed belongs to the end.
#[inline]
pub fn is_cut_by_end(cell: &[u8], end: &[u8]) -> bool {
    cell.last() == Some(&b'\r') && end.first() != Some(&b'\r')
}

/// Appends the last cell of a row that ends with `end`, as it is written. A carriage return at its
/// end, which would belong to the end of the row, is put in quotes with the cell.
///
/// # Errors
///
/// The fault of such a cell if no byte is a quote.
pub fn append_last_cell(
    dialect: Dialect,
    cell: &[u8],
    end: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Message> {
    if !is_cut_by_end(cell, end) {
        out.extend_from_slice(cell);
        return Ok(());
    }
    if dialect.quote.is_none() {
        return Err(bare_return());
    }
    append_cell(dialect, cell, out);
    Ok(())
}

/// Returns what is wrong with a last cell that needs quotes, in rows without any.
pub fn bare_return() -> Message {
    message!(
        "the last cell would end with a carriage return, and without quotes the return would be a \
         part of the line end; remove it, put another column last, or allow quotes with {}",
        Setting::Quote,
    )
}

#[cfg(test)]
mod tests;
