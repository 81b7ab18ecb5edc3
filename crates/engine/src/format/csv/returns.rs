//! Rows that end with a carriage return alone, as old programs of Macintoshes wrote them.
//!
//! They are not read: a carriage return within a cell is data. Text that has no other row ends
//! would be one long row, and is refused by name instead.

use super::{Dialect, Gap, ROW_END, without_end};

/// Returns where the first row of `text` ends, if carriage returns alone end its rows.
///
/// `text` is all of an input up to its first row end, or to its end. Without a line feed, any
/// carriage return outside quotes and before the end tells; with one, they do if what they divide
/// are rows of equally many cells.
pub fn first_return(dialect: Dialect, text: &[u8]) -> Option<usize> {
    let row = without_end(text);
    let (mut first, mut cells, mut first_cells, mut are_alike) = (None, 1, None, true);
    let mut place = Gap::Start;
    for (at, byte) in row.iter().enumerate() {
        place = dialect.quoting().map_or(Gap::Text, |quoting| quoting.after(place, *byte));
        if place == Gap::Quoted {
            continue;
        }
        if *byte == dialect.separator {
            cells += 1;
        } else if *byte == b'\r' && at + 1 < row.len() {
            are_alike &= *first_cells.get_or_insert(cells) == cells;
            (first, cells) = (first.or(Some(at)), 1);
        }
    }
    are_alike &= first_cells.is_none_or(|first| first == cells);
    first.filter(|_| are_alike || text.last() != Some(&ROW_END))
}

#[cfg(test)]
mod tests;
