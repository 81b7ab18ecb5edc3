//! Rows of comma-separated values and their kin, as RFC 4180 has them.
//!
//! ```text
//!     name,note<LF>                     the header: a row that names the columns
//!     Ann,"said ""yes"",<LF>twice"<CR><LF>   one row: what is in quotes separates and ends nothing
//!     Bob,<LF>                          an empty cell
//! ```
//!
//! A row ends with a line feed outside quotes; a carriage return before it belongs to the end. A
//! quote opens at the beginning of a cell and closes at its end, and between them two stand for
//! one. So every quote of a well-formed file turns "inside" into "outside" or back, and whether a
//! byte lies in quotes is the parity of the quotes before it: blocks can be counted by themselves
//! and joined afterwards. A quote anywhere else is an error, which is found when the row is looked
//! at ([`Rows`]), and not guessed around.

mod cells;
mod masks;
mod returns;
mod rows;

pub use cells::{CellEnds, Cells, append_value, place_of, unquoted, value};
pub use masks::{is_odd, nth_end};
pub use returns::first_return;
pub use rows::{Row, Rows, first_end, last_end};

/// The byte that ends a row.
pub const ROW_END: u8 = b'\n';

/// The mark that some programs put before text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What separates and what quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between cells.
    pub separator: u8,
    /// Around cells whose bytes mean nothing; none where no byte is one.
    pub quote: Option<u8>,
}

/// Returns what is wrong with a row that has a quote at byte `at` where none may be.
pub fn stray_quote(at: usize) -> String {
    format!(
        "a quote at byte {at} of the row neither opens nor closes a cell; within a cell in quotes \
         write it twice, or give --quote none if quotes mean nothing in this file"
    )
}

/// A row without what ends it.
#[inline]
pub fn without_end(row: &[u8]) -> &[u8] {
    match row {
        [text @ .., b'\r', ROW_END] | [text @ .., ROW_END] => text,
        text => text,
    }
}
