//! Telling rows apart, and looking whether they are well formed, sixty-four bytes at a time.

use memchr::{memchr, memchr2};

use super::masks::{MaskChunk, WIDTH, all_or_none, parity_so_far, special_quotes};
use super::quoting::Gap;
use super::{Dialect, ROW_END, without_end};

/// Returns the place after the first row that ends in `bytes`. `is_inside` says whether their
/// beginning lies in quotes.
#[inline(always)]
pub fn first_end(quote: u8, bytes: &[u8], is_inside: bool) -> Option<usize> {
    match first_end_in_pairs(ROW_END, Some(quote), bytes, is_inside, |_| {}) {
        Ok(end) => Some(end),
        Err((at, is_inside)) => {
            first_end_of_few(quote, &bytes[at..], is_inside).map(|end| at + end)
        }
    }
}

/// Two chunks of records that were looked at together.
pub struct ChunkPair<'a> {
    /// The byte at which they begin.
    pub at: usize,
    /// Both of them.
    pub chunks: [&'a MaskChunk; 2],
    /// A bit for each byte outside quotes.
    pub outside: u128,
    /// A bit for each byte that ends a record.
    pub record_ends: u128,
}

/// Returns the end of the first record that ends in `bytes`, with the byte `end` outside quotes;
/// where it is not in whole pairs of chunks, the start of the others and whether it is in quotes.
/// Shows each pair that it looks at.
///
/// Two chunks at a time, whatever is in them: few records are longer, and where one ends cannot be
/// foreseen, so that a branch on it costs more than looking at a chunk too many.
#[inline(always)]
pub fn first_end_in_pairs(
    end: u8,
    quote: Option<u8>,
    bytes: &[u8],
    is_inside: bool,
    mut show: impl FnMut(ChunkPair<'_>),
) -> Result<usize, (usize, bool)> {
    let (mut inside, mut at) = (if is_inside { u64::MAX } else { 0 }, 0);
    while let Some(bytes) = bytes.get(at..at + 2 * WIDTH) {
        let (low, high) = (MaskChunk::of(bytes), MaskChunk::of(&bytes[WIDTH..]));
        let parity = |chunk: &MaskChunk| quote.map_or(0, |quote| parity_so_far(chunk.equal(quote)));
        let quoted_low = parity(&low) ^ inside;
        let quoted_high = parity(&high) ^ all_or_none(quoted_low);
        let outside = !joined(quoted_low, quoted_high);
        let record_ends = joined(low.equal(end), high.equal(end)) & outside;
        show(ChunkPair { at, chunks: [&low, &high], outside, record_ends });
        if record_ends != 0 {
            return Ok(at + record_ends.trailing_zeros() as usize + 1);
        }
        (inside, at) = (all_or_none(quoted_high), at + 2 * WIDTH);
    }
    Err((at, inside != 0))
}

impl ChunkPair<'_> {
    /// Returns a bit for each byte that is `wanted`.
    #[inline(always)]
    pub fn equal(&self, wanted: u8) -> u128 {
        joined(self.chunks[0].equal(wanted), self.chunks[1].equal(wanted))
    }
}

/// Returns the masks of two chunks as one.
#[inline(always)]
fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << WIDTH | u128::from(low)
}

/// Returns the place after the first row that ends in a few bytes.
fn first_end_of_few(quote: u8, bytes: &[u8], is_inside: bool) -> Option<usize> {
    let mut at = if is_inside { memchr(quote, bytes)? + 1 } else { 0 };
    loop {
        at += memchr2(quote, ROW_END, &bytes[at..])? + 1;
        if bytes[at - 1] == ROW_END {
            return Some(at);
        }
        at += memchr(quote, &bytes[at..])? + 1;
    }
}

/// Returns the place after the last row that ends in `bytes`. `is_inside` says whether their end
/// lies in quotes.
pub fn last_end(quote: u8, bytes: &[u8], mut is_inside: bool) -> Option<usize> {
    for (at, &byte) in bytes.iter().enumerate().rev() {
        if byte == quote {
            is_inside = !is_inside;
        } else if byte == ROW_END && !is_inside {
            return Some(at + 1);
        }
    }
    None
}

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvRow<'a> {
    /// Bytes of the row, with its end, which the last row may lack.
    pub bytes: &'a [u8],
    /// Number of cells; an empty row has one.
    pub cells: usize,
    /// Position of a quote that is out of place or not closed.
    pub stray_quote: Option<usize>,
}

/// The rows that lie back to back in some bytes.
pub struct Rows<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    /// Beginning of the next row.
    start: usize,
    /// Offset after the chunk that `ends` and the other masks describe.
    next_chunk: usize,
    /// Row ends and separators in that chunk that have not been passed, and stray quotes.
    ends: u64,
    separators: u64,
    strays: u64,
    /// State carried from one chunk to the next.
    carry: Carry,
    /// Ends of the first cells of the last row shown, and the number of cells wanted.
    cell_ends: Vec<u32>,
    wanted_cells: usize,
}

/// State that a chunk leaves to the next.
#[derive(Clone, Copy, Default)]
struct Carry {
    /// All ones in quotes.
    inside: u64,
    /// 1 if a quote may open at the next byte: after a separator, a row end or a closing quote.
    may_open: u64,
    /// 1 if the last byte closed a quote.
    closed: u64,
}

impl<'a> Rows<'a> {
    /// Creates the rows in `bytes`, which begins with one.
    pub fn new(dialect: Dialect, bytes: &'a [u8]) -> Self {
        let carry = Carry { may_open: 1, ..Carry::default() };
        Self {
            dialect,
            bytes,
            start: 0,
            next_chunk: 0,
            ends: 0,
            separators: 0,
            strays: 0,
            carry,
            cell_ends: Vec::new(),
            wanted_cells: 0,
        }
    }

    /// Returns the rows, which then note where the first `wanted` cells of each row end.
    #[must_use]
    pub fn noting(self, wanted: usize) -> Self {
        Self { wanted_cells: wanted, ..self }
    }

    /// Returns the ends of the first cells of the last row shown, up to the number wanted, as far
    /// as 32 bits count.
    #[inline]
    pub fn cell_ends(&self) -> &[u32] {
        &self.cell_ends
    }

    /// Notes the cells that end at `separators` of the chunk.
    #[inline]
    fn note_cells(&mut self, mut separators: u64) {
        while separators != 0 && self.cell_ends.len() < self.wanted_cells {
            let at = self.next_chunk - WIDTH + separators.trailing_zeros() as usize;
            self.note_cell(at - self.start);
            separators &= separators - 1;
        }
    }

    /// Notes that the next cell ends at byte `end` of the row.
    #[inline]
    fn note_cell(&mut self, end: usize) {
        match u32::try_from(end) {
            Ok(end) => self.cell_ends.push(end),
            Err(_) => self.wanted_cells = self.cell_ends.len(),
        }
    }

    /// Notes that the row ends, if its last cell is wanted.
    #[inline]
    fn note_end(&mut self, row: &[u8]) {
        if self.cell_ends.len() < self.wanted_cells {
            self.note_cell(without_end(row).len());
        }
    }

    /// Looks at the next chunk.
    #[inline]
    fn advance(&mut self) {
        let chunk = MaskChunk::of(&self.bytes[self.next_chunk..]);
        let Carry { inside, may_open, closed } = self.carry;
        let line_ends = chunk.equal(ROW_END);
        let all_separators = chunk.equal(self.dialect.separator);
        let mut quotes = self.dialect.quote.map_or(0, |quote| chunk.equal(quote));
        if self.dialect.is_lenient {
            quotes = special_quotes(quotes, all_separators | line_ends, inside, may_open);
        }
        let quoted = parity_so_far(quotes) ^ inside;
        self.ends = line_ends & !quoted;
        self.separators = all_separators & !quoted;
        if self.bytes.len() - self.next_chunk < WIDTH {
            // Zeros behind the text may be separators.
            self.separators &= self.in_text();
        }
        if self.dialect.is_lenient {
            self.strays = 0;
        } else if (quotes | closed) != 0 {
            let closing = quotes & !quoted;
            let opening = quotes & quoted;
            let may_open = (self.separators | self.ends | closing) << 1 | may_open;
            // Behind a closing quote comes a separator, an end, or the other half of a pair.
            let behind = closing << 1 | closed;
            let carriage_returns = chunk.equal(b'\r') & self.before_ends(line_ends);
            let allowed = all_separators | line_ends | carriage_returns | quotes;
            self.strays = opening & !may_open | behind & !allowed & self.in_text();
            self.carry.closed = closing >> (WIDTH - 1);
        } else {
            self.strays = 0;
        }
        self.carry.inside = all_or_none(quoted);
        let openers = self.separators | self.ends | quotes & !quoted;
        self.carry.may_open = openers >> (WIDTH - 1);
        self.next_chunk += WIDTH;
    }

    /// Returns the bytes of the chunk that a row end follows, in it or after it.
    fn before_ends(&self, line_ends: u64) -> u64 {
        let behind = self.bytes.get(self.next_chunk + WIDTH);
        line_ends >> 1 | u64::from(behind == Some(&ROW_END)) << (WIDTH - 1)
    }

    /// Returns the bytes of the chunk that are not after the text.
    fn in_text(&self) -> u64 {
        match self.bytes.len() - self.next_chunk {
            left @ 0..WIDTH => (1 << left) - 1,
            _ => u64::MAX,
        }
    }

    /// Returns the last row, which lacks its end.
    fn last(&mut self, cells: usize, stray: Option<usize>) -> Option<CsvRow<'a>> {
        let bytes = &self.bytes[self.start..];
        self.start = self.bytes.len();
        self.note_end(bytes);
        let open = || {
            let quoting = self.dialect.quoting()?;
            let (mut at, mut opened) = (Gap::Start, None);
            for (place, byte) in bytes.iter().enumerate() {
                let after = quoting.after(at, *byte);
                if at != Gap::Quoted && after == Gap::Quoted {
                    opened = Some(place);
                }
                at = after;
            }
            opened.filter(|_| at == Gap::Quoted)
        };
        let stray_quote = stray.or_else(open);
        (!bytes.is_empty()).then_some(CsvRow { bytes, cells, stray_quote })
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = CsvRow<'a>;

    #[inline]
    fn next(&mut self) -> Option<CsvRow<'a>> {
        let (mut cells, mut stray) = (1, None);
        self.cell_ends.clear();
        while self.ends == 0 {
            self.note_cells(self.separators);
            cells += self.separators.count_ones() as usize;
            if self.strays != 0 {
                let at = self.next_chunk - WIDTH + self.strays.trailing_zeros() as usize;
                stray = stray.or(Some(at - self.start));
                self.strays = 0;
            }
            if self.next_chunk >= self.bytes.len() {
                self.separators = 0;
                return self.last(cells, stray);
            }
            self.advance();
        }
        let bit = self.ends.trailing_zeros();
        let up_to = u64::MAX >> (63 - bit);
        cells += (self.separators & up_to).count_ones() as usize;
        self.note_cells(self.separators & up_to);
        let chunk = self.next_chunk - WIDTH;
        if self.strays & up_to != 0 {
            let at = chunk + self.strays.trailing_zeros() as usize;
            stray = stray.or(Some(at - self.start));
        }
        (self.ends, self.separators) = (self.ends & !up_to, self.separators & !up_to);
        self.strays &= !up_to;
        let end = chunk + bit as usize + 1;
        let bytes = &self.bytes[self.start..end];
        self.start = end;
        self.note_end(bytes);
        Some(CsvRow { bytes, cells, stray_quote: stray })
    }
}

#[cfg(test)]
mod tests;
