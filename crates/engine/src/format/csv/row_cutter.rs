//! Cutting a row from what follows it and finding the ends of its first cells, in one look.
//!
//! A row whose key is wanted again has to be cut first, because an entry knows only where it
//! begins. Both need the quotes of the same bytes.

use super::rows::first_end_in_pairs;
use super::{Dialect, without_end};

/// Most cells of a row whose ends are found as it is cut. Keys after them are found by themselves.
const CELLS_MAX: usize = 8;

/// Cuts rows with strict quotes and finds the ends of their first cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCutter {
    quote: u8,
    separator: u8,
    /// The number of cells whose ends are found, at most [`CELLS_MAX`].
    cells: usize,
}

/// The ends of the first cells of one row, as far as they were found.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCells {
    ends: [u32; CELLS_MAX],
    count: usize,
}

impl RowCells {
    /// Returns the ends of the first cells, each as a number of bytes from the start of the row.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.ends[..self.count.min(CELLS_MAX)]
    }
}

impl RowCutter {
    /// Returns a cutter that finds the ends of the first `cells` cells of rows of `dialect`; none
    /// where that is not done in one look.
    pub fn new(dialect: Dialect, cells: usize) -> Option<Self> {
        let Dialect { separator, quote, is_lenient } = dialect;
        let quote = quote.filter(|_| !is_lenient && cells > 0)?;
        Some(Self { quote, separator, cells: cells.min(CELLS_MAX) })
    }

    /// Returns the number of bytes of the first row in `bytes`, and notes in `cells` the ends of
    /// its first cells; `None` where its end is not found, and then `cells` may have any.
    #[inline(always)]
    pub fn cut(&self, bytes: &[u8], cells: &mut RowCells) -> Option<usize> {
        let mut count = 0;
        let end = first_end_in_pairs(self.quote, bytes, false, |pair| {
            let mut cell_ends = pair.equal(self.separator) & pair.outside;
            // Only those before the end of the row: all where it has none.
            cell_ends &= pair.row_ends.wrapping_sub(1) & !pair.row_ends;
            while cell_ends != 0 && count < self.cells {
                let end = pair.at + cell_ends.trailing_zeros() as usize;
                cells.ends[count % CELLS_MAX] = end as u32;
                count += 1;
                cell_ends &= cell_ends - 1;
            }
        })
        .ok()?;
        if count < self.cells {
            cells.ends[count % CELLS_MAX] = without_end(&bytes[..end]).len() as u32;
            count += 1;
        }
        // Ends that 32 bits do not count are found by those who want them.
        cells.count = if end <= u32::MAX as usize { count } else { 0 };
        Some(end)
    }
}

#[cfg(test)]
mod tests;
