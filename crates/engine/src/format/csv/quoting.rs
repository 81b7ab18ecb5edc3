//! Ends of rows, given the meaning of quotes.

use super::ROW_END;
use super::masks::{LenientCarry, MaskChunk, WIDTH, all_or_none, is_odd, parity_so_far};
use super::rows::{first_end, last_end};
use crate::format::Ends;

/// The meaning of quotes for the ends of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Each one opens or closes.
    Strict {
        /// The quote.
        quote: u8,
    },
    /// One opens at the start of a cell, and the next one closes; all others are data.
    Lenient {
        /// The quote.
        quote: u8,
        /// The byte that cells end with, unless a row does.
        separator: u8,
    },
}

/// A place between two bytes of some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The start of a cell or the byte after a closing quote: a quote opens here.
    Start,
    /// Any other place outside quotes.
    Text,
    /// A place in quotes.
    Quoted,
}

/// The effect of some bytes on the place that they are passed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPassage {
    /// Rows with strict quotes: whether the quotes are odd in number.
    Strict {
        /// True if they are.
        is_odd: bool,
    },
    /// Rows with lenient quotes: the results from [`Gap::Start`], `Text` and `Quoted`.
    Lenient([WalkResult; 3]),
}

/// The place after some bytes, and the row ends among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkResult {
    at: Gap,
    ends: Ends,
}

impl Quoting {
    /// Returns the quote.
    pub fn quote(self) -> u8 {
        match self {
            Self::Strict { quote } | Self::Lenient { quote, .. } => quote,
        }
    }

    /// Returns the place after `byte`, which stands at `at`.
    #[inline]
    pub fn after(self, at: Gap, byte: u8) -> Gap {
        match (self, at) {
            (Self::Strict { quote }, Gap::Quoted) if byte == quote => Gap::Start,
            (Self::Strict { quote }, _) if byte == quote => Gap::Quoted,
            (Self::Strict { .. }, at) => at,
            (Self::Lenient { quote, .. }, Gap::Start) if byte == quote => Gap::Quoted,
            (Self::Lenient { quote, .. }, Gap::Quoted) if byte == quote => Gap::Start,
            (Self::Lenient { .. }, Gap::Quoted) => Gap::Quoted,
            (Self::Lenient { separator, .. }, _) if byte == separator || byte == ROW_END => {
                Gap::Start
            }
            (Self::Lenient { .. }, _) => Gap::Text,
        }
    }

    /// Returns the end of the first row that ends in `bytes`, which are passed from `at`.
    #[inline]
    pub fn first_end(self, bytes: &[u8], at: Gap) -> Option<usize> {
        match self {
            Self::Strict { quote } => first_end(quote, bytes, at == Gap::Quoted),
            Self::Lenient { quote, separator } => first_lenient_end(quote, separator, bytes, at),
        }
    }

    /// Returns the number of rows that end in `bytes`, which begins with one.
    pub fn count(self, bytes: &[u8]) -> usize {
        let (mut inside, mut carry) = (0, LenientCarry::from(Gap::Start));
        let mut ends_in = |chunk: MaskChunk| match self {
            Self::Strict { quote } => {
                let quoted = parity_so_far(chunk.equal(quote)) ^ inside;
                inside = all_or_none(quoted);
                chunk.equal(ROW_END) & !quoted
            }
            Self::Lenient { quote, separator } => row_ends(quote, separator, chunk, &mut carry),
        };
        // The zeros that fill up the last chunk end nothing.
        let ends =
            bytes.chunks(WIDTH).map(|chunk| ends_in(MaskChunk::of(chunk)).count_ones() as usize);
        ends.sum()
    }

    /// Returns the effect of `bytes`, from anywhere.
    pub fn passage(self, bytes: &[u8]) -> RowPassage {
        match self {
            Self::Strict { quote } => RowPassage::Strict { is_odd: is_odd(bytes, quote) },
            Self::Lenient { quote, separator } => {
                let [start, quoted] =
                    lenient_walks(quote, separator, bytes, [Gap::Start, Gap::Quoted]);
                // The two places outside quotes differ for a quote alone.
                let text = match bytes.first() {
                    Some(first) if *first == quote => {
                        let [text] = lenient_walks(quote, separator, bytes, [Gap::Text]);
                        text
                    }
                    _ => start,
                };
                RowPassage::Lenient([start, text, quoted])
            }
        }
    }

    /// Passes `bytes`, whose effect is `passage`, from `at`: the place after them, and the row ends
    /// among them.
    pub fn pass(self, bytes: &[u8], at: Gap, passage: &RowPassage) -> (Gap, Ends) {
        match (self, passage) {
            (Self::Strict { quote }, RowPassage::Strict { is_odd }) => {
                let is_inside = (at == Gap::Quoted) != *is_odd;
                let after = if is_inside { Gap::Quoted } else { Gap::Text };
                let first = first_end(quote, bytes, at == Gap::Quoted);
                let last = first.and_then(|_| last_end(quote, bytes, is_inside));
                (after, first.zip(last))
            }
            (_, RowPassage::Lenient(passed)) => {
                let WalkResult { at, ends } = passed[at as usize];
                (at, ends)
            }
            (Self::Lenient { .. }, RowPassage::Strict { .. }) => {
                self.pass(bytes, at, &self.passage(bytes))
            }
        }
    }
}

/// Returns the end of the first row, where quotes are lenient.
///
/// Two chunks at a time, as [`first_end`] does. It is never inlined, so that [`first_end`] is
/// inlined where records are gathered.
#[inline(never)]
fn first_lenient_end(quote: u8, separator: u8, bytes: &[u8], at: Gap) -> Option<usize> {
    let (mut carry, mut begun) = (LenientCarry::from(at), 0);
    while let Some(chunks) = bytes.get(begun..begun + 2 * WIDTH) {
        let low = row_ends(quote, separator, MaskChunk::of(chunks), &mut carry);
        let high = row_ends(quote, separator, MaskChunk::of(&chunks[WIDTH..]), &mut carry);
        let ends = u128::from(high) << WIDTH | u128::from(low);
        if ends != 0 {
            return Some(begun + ends.trailing_zeros() as usize + 1);
        }
        begun += 2 * WIDTH;
    }
    let (quoting, mut at) = (Quoting::Lenient { quote, separator }, carry.at());
    let is_end = |byte: &u8| {
        at = quoting.after(at, *byte);
        *byte == ROW_END && at != Gap::Quoted
    };
    bytes[begun..].iter().position(is_end).map(|end| begun + end + 1)
}

/// Returns the ends of rows in a chunk.
#[inline]
fn row_ends(quote: u8, separator: u8, chunk: MaskChunk, carry: &mut LenientCarry) -> u64 {
    let row_ends = chunk.equal(ROW_END);
    let quoted = carry.pass(chunk.equal(quote), chunk.equal(separator) | row_ends);
    row_ends & !quoted
}

/// Passes `bytes` from several places at once.
fn lenient_walks<const N: usize>(
    quote: u8,
    separator: u8,
    bytes: &[u8],
    from: [Gap; N],
) -> [WalkResult; N] {
    let mut carries = from.map(LenientCarry::from);
    let mut passed = from.map(|at| WalkResult { at, ends: None });
    let chunks = bytes.chunks_exact(WIDTH);
    let rest = chunks.remainder();
    for (number, chunk) in chunks.enumerate() {
        let (begun, chunk) = (number * WIDTH, MaskChunk::of(chunk));
        for (carry, passed) in carries.iter_mut().zip(&mut passed) {
            let found = row_ends(quote, separator, chunk, carry);
            if found != 0 {
                passed.note(begun + found.trailing_zeros() as usize + 1);
                passed.note(begun + WIDTH - found.leading_zeros() as usize);
            }
        }
    }
    let (quoting, begun) = (Quoting::Lenient { quote, separator }, bytes.len() - rest.len());
    for (carry, passed) in carries.iter().zip(&mut passed) {
        passed.at = carry.at();
        for (place, byte) in rest.iter().enumerate() {
            passed.at = quoting.after(passed.at, *byte);
            if *byte == ROW_END && passed.at != Gap::Quoted {
                passed.note(begun + place + 1);
            }
        }
    }
    passed
}

impl WalkResult {
    /// Notes that a row ends at `end`, the last one so far.
    fn note(&mut self, end: usize) {
        self.ends = Some((self.ends.map_or(end, |(first, _)| first), end));
    }
}

#[cfg(test)]
mod tests;
