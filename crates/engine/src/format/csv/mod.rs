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
//!
//! With lenient quotes nothing is an error but a quote that never closes: one opens at the start of
//! a cell alone, and elsewhere it is data. Then parity does not tell. A block is passed from each
//! place that it may begin at, and the results are joined afterwards ([`Quoting`]).

mod cells;
mod masks;
mod quoting;
mod returns;
mod rows;
pub mod union;

use crate::error::{Message, Setting, message};
pub use cells::{
    CellEnds, Cells, append_cell, append_last_cell, append_value, place_of, unquoted, value,
};
pub use cells::{bare_return, is_cut_by_end};
pub use masks::nth_end;
pub use quoting::{Gap, Quoting, RowPassage};
pub use returns::first_return;
pub(super) use rows::{ChunkPair, first_end_in_pairs};
pub use rows::{CsvRow, Rows};

/// The byte that ends a row.
pub const ROW_END: u8 = b'\n';

/// The mark that some programs put before text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The separator and the quote of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between cells.
    pub separator: u8,
    /// Quote around cells whose bytes have no special meaning; `None` if no byte is a quote.
    pub quote: Option<u8>,
    /// True if quotes that neither open nor close a cell are data, false if they are errors.
    pub is_lenient: bool,
}

impl Dialect {
    /// Returns cells between `separator`s, in which a quote may only stand where it opens, closes
    /// or is one of a pair.
    pub const fn strict(separator: u8, quote: Option<u8>) -> Self {
        Self { separator, quote, is_lenient: false }
    }

    /// Returns the meaning of quotes, or `None` if no byte is a quote.
    #[inline]
    pub fn quoting(self) -> Option<Quoting> {
        let Self { separator, quote, is_lenient } = self;
        quote.map(|quote| match is_lenient {
            true => Quoting::Lenient { quote, separator },
            false => Quoting::Strict { quote },
        })
    }
}

/// Returns what is wrong with a row that has a quote at byte `at` where none may be.
pub fn stray_quote(at: usize) -> Message {
    message!(
        "a quote at byte {} of the row neither opens nor closes a cell; double a quote inside a \
         quoted cell, or give {} if quotes inside cells are data, or {} if all quotes are data",
        at,
        Setting::Quote.to("lenient"),
        Setting::Quote.to("none"),
    )
}

/// Returns what is wrong with a last row that ends within quotes.
pub fn open_quote(is_lenient: bool) -> Message {
    let none = Setting::Quote.to("none");
    match is_lenient {
        true => {
            message!(
                "opens a quote that is never closed; close it, or give {} if quotes are data",
                none
            )
        }
        false => message!(
            "opens a quote that is never closed; close it, or give {} if quotes inside cells are \
             data, or {} if all quotes are data",
            Setting::Quote.to("lenient"),
            none,
        ),
    }
}

/// Returns a row without what ends it.
#[inline]
pub fn without_end(row: &[u8]) -> &[u8] {
    match row {
        [text @ .., b'\r', ROW_END] | [text @ .., ROW_END] => text,
        text => text,
    }
}
