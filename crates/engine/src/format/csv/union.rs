//! One table of several, whose columns are found by their names.
//!
//! ```text
//!     a,b     the first table     columns of the union: a,b,c
//!     1,2
//!     c,a     another one         order of its columns: a is its second, c its first
//!     3,4     becomes  4,,3
//! ```
//!
//! The columns of the first table come first, in its order; a later table appends those that none
//! before it has. Names are compared as what the cells say, without their quotes. Cells are moved
//! as they are written. Only one that ends with a carriage return gets quotes where it comes last,
//! because the return would otherwise belong to the end of the row. Looking up names takes time in
//! proportion to the bytes of the headers, whatever these hold: the map's hash has a key of its own
//! in each process.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use memchr::memchr;

use super::{
    Cells, CsvRow, Dialect, append_last_cell, bare_return, is_cut_by_end, value, without_end,
};
use crate::error::{Message, Setting, message};
use crate::format::Ragged;

/// Bytes that a column takes while the columns are put together, in addition to its name.
const COLUMN_BYTES: usize = 64;

/// The columns of all tables so far.
#[derive(Debug)]
pub struct Union {
    dialect: Dialect,
    /// Place of each column, and the number of the table that had it last.
    places: HashMap<Vec<u8>, (u32, usize)>,
    /// The header row, without its end: cells as they are written where they come first.
    header: Vec<u8>,
    tables: usize,
}

/// The columns of one table in the order of the union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnOrder {
    /// Place in the union and number in the table of each of its columns; ascending.
    pairs: Box<[(u32, u32)]>,
}

impl Union {
    /// Creates a union of no tables.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, places: HashMap::new(), header: Vec::new(), tables: 0 }
    }

    /// Adds a table by its header row; returns the order of its columns.
    ///
    /// # Errors
    ///
    /// Names that occur twice in the row.
    pub fn add(&mut self, row: &[u8]) -> Result<ColumnOrder, Message> {
        self.tables += 1;
        let mut pairs = Vec::new();
        for (number, cell) in Cells::new(self.dialect, without_end(row)).enumerate() {
            let next = self.places.len() as u32;
            let name = value(self.dialect, cell);
            let place = match self.places.entry(name.into_owned()) {
                Entry::Occupied(known) if known.get().1 == self.tables => {
                    return Err(twice(known.key(), number));
                }
                Entry::Occupied(mut known) => {
                    known.get_mut().1 = self.tables;
                    known.get().0
                }
                Entry::Vacant(new) => {
                    if next > 0 {
                        self.header.push(self.dialect.separator);
                    }
                    self.header.extend_from_slice(cell);
                    new.insert((next, self.tables)).0
                }
            };
            pairs.push((place, number as u32));
        }
        pairs.sort_unstable();
        Ok(ColumnOrder { pairs: pairs.into_boxed_slice() })
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// Returns the header row of the union, without an end.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Returns the header row of the union with this end.
    ///
    /// # Errors
    ///
    /// The fault of a last name that needs quotes, if no byte is a quote.
    pub fn header_row(&self, end: &[u8]) -> Result<Vec<u8>, Message> {
        let last = Cells::new(self.dialect, &self.header).last().unwrap_or_default();
        let mut row = self.header[..self.header.len() - last.len()].to_vec();
        append_last_cell(self.dialect, last, end, &mut row)?;
        row.extend_from_slice(end);
        Ok(row)
    }

    /// Returns the bytes of memory that it takes, at most.
    pub fn bytes(&self) -> usize {
        2 * self.header.len() + 2 * COLUMN_BYTES * self.places.len()
    }
}

fn twice(name: &[u8], number: usize) -> Message {
    message!(
        "its header names the column '{}' twice, again as column {}; {} needs different names, so \
         rename one",
        String::from_utf8_lossy(name),
        number + 1,
        Setting::UnionByName,
    )
}

impl ColumnOrder {
    /// Returns whether rows of the table are rows of a union of `width` columns as they are.
    pub fn is_of_union(&self, width: usize) -> bool {
        let in_order = |(at, pair): (usize, &(u32, u32))| *pair == (at as u32, at as u32);
        self.pairs.len() == width && self.pairs.iter().enumerate().all(in_order)
    }

    /// Returns the number of columns of the table.
    pub fn columns(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.pairs)
    }
}

/// A table whose rows are written as rows of a union.
#[derive(Clone, Copy, Debug)]
pub struct UnionTable<'a> {
    /// The separator and the quotes.
    pub dialect: Dialect,
    /// The order of its columns.
    pub order: &'a ColumnOrder,
    /// The number of columns of the union.
    pub width: usize,
    /// Handling of rows with another number of cells than the table's header.
    pub ragged: Ragged,
}

/// Form in which a row is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UnionRowForm {
    /// Unchanged.
    #[default]
    AsIs,
    /// One more cell, so that the number of cells differs from that of the union.
    Longer,
    /// Cells in the order of the union.
    Moved {
        /// True if cells beyond the table's header follow.
        has_more: bool,
        /// True if the last cell gets quotes.
        has_quotes: bool,
    },
}

/// A part of a row that is copied from one place.
struct RowPiece<'r> {
    bytes: &'r [u8],
    /// True if a separator follows.
    is_separated: bool,
    /// Bytes of a last cell in quotes that are written with it.
    quoted: usize,
}

/// A row on its way to the union, written piece by piece as there is room.
///
/// A malformed row stays malformed. The gate then finds the quote, or the number of cells that the
/// union does not have, and names the row.
#[derive(Debug, Default)]
pub struct RowWriter {
    form: UnionRowForm,
    /// Ends of the cells, as far as the table has columns; fewer in short rows.
    ends: Vec<u32>,
    /// Bytes of the row without its end.
    text: usize,
    /// The piece being written: a cell, what lies beyond the header, or the end. A last cell in
    /// quotes has several: quotes and the text between them in turn.
    piece: usize,
    /// Bytes of it that were written.
    written: usize,
    /// Bytes of a last cell in quotes that were written, and one more for the closing quote.
    quoted: usize,
    /// The next of the table's columns in the order of the union.
    pair: usize,
}

impl RowWriter {
    /// Begins a row, whose first cells end at `ends`.
    ///
    /// # Errors
    ///
    /// The fault of a last cell that needs quotes, if no byte is a quote.
    pub fn begin(
        &mut self,
        table: &UnionTable<'_>,
        row: &CsvRow<'_>,
        ends: &[u32],
    ) -> Result<(), Message> {
        let columns = table.order.columns();
        self.text = without_end(row.bytes).len();
        (self.piece, self.written, self.quoted, self.pair) = (0, 0, 0, 0);
        self.form = match table.ragged {
            _ if row.stray_quote.is_some() || self.text == 0 => UnionRowForm::AsIs,
            ragged if row.cells == columns || ragged == Ragged::Keep => {
                self.begin_cells(table, row, ends)?
            }
            _ if row.cells == table.width => UnionRowForm::Longer,
            _ => UnionRowForm::AsIs,
        };
        Ok(())
    }

    /// Notes the cells of a row that are moved; returns the form in which it is written.
    fn begin_cells(
        &mut self,
        table: &UnionTable<'_>,
        row: &CsvRow<'_>,
        ends: &[u32],
    ) -> Result<UnionRowForm, Message> {
        self.ends.clear();
        self.ends.extend_from_slice(ends);
        let has_more = row.cells > table.order.columns();
        let last = self.last_cell(table, row.bytes);
        let has_quotes = !has_more && is_cut_by_end(last, &row.bytes[self.text..]);
        if has_quotes && table.dialect.quote.is_none() {
            return Err(bare_return());
        }
        Ok(UnionRowForm::Moved { has_more, has_quotes })
    }

    /// Writes what comes next of `row`, the one that was begun, into `out`; returns the bytes
    /// written, and whether that was all.
    pub fn write(&mut self, table: &UnionTable<'_>, row: &[u8], out: &mut [u8]) -> (usize, bool) {
        let mut filled = 0;
        while let Some(RowPiece { bytes, is_separated, quoted }) = self.piece(table, row) {
            let left = &bytes[self.written..];
            let taken = left.len().min(out.len() - filled);
            out[filled..filled + taken].copy_from_slice(&left[..taken]);
            (filled, self.written) = (filled + taken, self.written + taken);
            if taken < left.len() || is_separated && filled == out.len() {
                return (filled, false);
            }
            if is_separated {
                out[filled] = table.dialect.separator;
                filled += 1;
            }
            let pairs = &table.order.pairs;
            self.pair +=
                usize::from(pairs.get(self.pair).is_some_and(|p| p.0 as usize == self.piece));
            (self.piece, self.written) = (self.piece + 1, 0);
            self.quoted += quoted;
        }
        (filled, true)
    }

    /// Returns the piece being written; `None` after the last.
    #[inline]
    fn piece<'r>(&self, table: &'r UnionTable<'_>, row: &'r [u8]) -> Option<RowPiece<'r>> {
        let plain = |bytes: &'r [u8]| Some(RowPiece { bytes, is_separated: false, quoted: 0 });
        let end = &row[self.text..];
        match (self.form, self.piece) {
            (UnionRowForm::AsIs, 0) => plain(row),
            (UnionRowForm::Longer, 0) => {
                Some(RowPiece { bytes: &row[..self.text], is_separated: true, quoted: 0 })
            }
            (UnionRowForm::Longer, 1) => plain(end),
            (UnionRowForm::Moved { has_quotes: true, .. }, piece) if piece + 1 >= table.width => {
                self.quoted_piece(table, row)
            }
            (UnionRowForm::Moved { has_more, .. }, piece) if piece < table.width => {
                let bytes = match table.order.pairs.get(self.pair) {
                    Some((place, own)) if *place as usize == piece => self.cell(row, *own as usize),
                    _ => b"",
                };
                let is_separated = has_more || piece + 1 < table.width;
                Some(RowPiece { bytes, is_separated, quoted: 0 })
            }
            (UnionRowForm::Moved { has_more, .. }, piece) if piece == table.width => {
                let from = if has_more { self.start_of(self.ends.len()) } else { self.text };
                plain(&row[from..self.text])
            }
            (UnionRowForm::Moved { .. }, piece) if piece == table.width + 1 => plain(end),
            _ => None,
        }
    }

    /// Returns the piece of a last cell in quotes, or the end after it. A quote precedes each part
    /// of the cell up to a quote of its own, so that this one is doubled, and follows the last.
    fn quoted_piece<'r>(&self, table: &'r UnionTable<'_>, row: &'r [u8]) -> Option<RowPiece<'r>> {
        let left = self.last_cell(table, row).get(self.quoted..);
        let is_quote = (self.piece + 1 - table.width).is_multiple_of(2);
        let (bytes, quoted) = match (left, table.dialect.quote.as_ref()) {
            (Some(left), Some(quote)) if is_quote => {
                (std::slice::from_ref(quote), usize::from(left.is_empty()))
            }
            (Some(left), Some(quote)) => {
                let length = memchr(*quote, left).map_or(left.len(), |at| at + 1);
                (&left[..length], length)
            }
            _ if is_quote => return None,
            _ => (&row[self.text..], 0),
        };
        Some(RowPiece { bytes, is_separated: false, quoted })
    }

    /// Returns the cell of the row that comes last in the union, or an empty cell.
    #[inline]
    fn last_cell<'r>(&self, table: &UnionTable<'_>, row: &'r [u8]) -> &'r [u8] {
        match table.order.pairs.last() {
            Some((place, own)) if *place as usize + 1 == table.width => {
                self.cell(row, *own as usize)
            }
            _ => b"",
        }
    }

    /// Returns a cell of the row, or an empty cell if the row is too short.
    #[inline]
    fn cell<'r>(&self, row: &'r [u8], number: usize) -> &'r [u8] {
        match self.ends.get(number) {
            Some(end) => &row[self.start_of(number)..*end as usize],
            None => b"",
        }
    }

    /// Returns the beginning of a cell.
    #[inline]
    fn start_of(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1)
    }
}

#[cfg(test)]
mod tests;
