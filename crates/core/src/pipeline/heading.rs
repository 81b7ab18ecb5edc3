//! What stands at the top of an input and is not sorted: lines that were asked for, or the row that
//! names the columns.
//!
//! Of several inputs the first one's stays; lines of others are left out unseen, and rows have to
//! name the same columns.

use std::path::{Path, PathBuf};

use memchr::memchr_iter;

use crate::error::{Error, Result};
use crate::format::csv::{BYTE_ORDER_MARK, Cells, ROW_END, Rows, value, without_end};
use crate::format::{CsvFormat, Format};
use crate::key::text::TextOrder;

/// Most bytes of what stands at the top: it is held in memory besides everything that was planned.
const TOP_MAX: usize = 1 << 20;

/// Bytes read at a time while its end is looked for.
const STEP: usize = 4096;

/// What to look for at the top of each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Nothing: records begin at once.
    Nothing,
    /// Some lines.
    Lines {
        /// How many; at least one.
        count: u64,
        /// The byte that ends each.
        end: u8,
    },
    /// A mark of the byte order, and a row, which names the columns or at least shows their number.
    Row(CsvFormat),
}

/// What was found there.
#[derive(Clone, Debug, Default)]
pub struct Top {
    /// What stays on top, with its end; empty where there is nothing.
    pub bytes: Vec<u8>,
    /// How much of the input that is.
    pub skip: u64,
    /// The first row, be it a header or not; of rows only.
    pub first_row: Vec<u8>,
    /// The input.
    pub path: PathBuf,
}

impl Heading {
    /// What stands at the top of inputs of this format, besides the `lines` that were asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for lines where the format has none.
    pub fn of(format: Format, lines: u64) -> Result<Self> {
        match format {
            Format::Csv(csv) if lines == 0 => Ok(Self::Row(csv)),
            Format::Lines { terminator: end } if lines > 0 => Ok(Self::Lines { count: lines, end }),
            _ if lines == 0 => Ok(Self::Nothing),
            Format::Csv(_) => {
                let message = "the header of comma-separated values is one row, known by itself; \
                               leave out --header, or give --no-header if there is none";
                Err(Error::Usage(message.to_owned()))
            }
            _ => {
                let message = "a header is lines, and these records are none; leave it out";
                Err(Error::Usage(message.to_owned()))
            }
        }
    }

    /// Reads the top of the input `path` by `read`, which fills a buffer unless the input ends; and
    /// what was read behind it.
    ///
    /// # Errors
    ///
    /// Those of `read`; [`Error::Malformed`] for a top that is too long, or a row that is none.
    pub fn read(
        self,
        path: &Path,
        mut read: impl FnMut(&mut [u8]) -> Result<usize>,
    ) -> Result<(Top, Vec<u8>)> {
        let mut bytes = Vec::new();
        let mut is_at_end = self == Self::Nothing;
        let length = loop {
            match self.length(&bytes) {
                Some(length) if length <= TOP_MAX => break length,
                None if is_at_end && bytes.len() <= TOP_MAX => break bytes.len(),
                None if bytes.len() <= TOP_MAX => {
                    let before = bytes.len();
                    bytes.resize(before + STEP.max(before), 0);
                    let more = read(&mut bytes[before..])?;
                    is_at_end = before + more < bytes.len();
                    bytes.truncate(before + more);
                }
                _ => return Err(too_long(path)),
            }
        };
        let top = self.top(path, &bytes[..length])?;
        bytes.drain(..top.skip as usize);
        Ok((top, bytes))
    }

    /// Bytes of the top, once all of it has been read.
    fn length(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Nothing => Some(0),
            Self::Lines { count, end } => {
                let last = usize::try_from(count - 1).ok()?;
                memchr_iter(end, bytes).nth(last).map(|at| at + 1)
            }
            Self::Row(csv) => {
                let (mark, row) = split_mark(bytes);
                let length = Format::Csv(csv).framing().whole_length(row)?;
                Some(mark.len() + length)
            }
        }
    }

    /// The top that is `bytes`, whose end may be that of the input.
    fn top(self, path: &Path, bytes: &[u8]) -> Result<Top> {
        let path = path.to_owned();
        match self {
            Self::Nothing => Ok(Top { path, ..Top::default() }),
            Self::Lines { end, .. } => {
                let skip = bytes.len() as u64;
                Ok(Top { bytes: ended(bytes, end), skip, first_row: Vec::new(), path })
            }
            Self::Row(csv) => {
                let (mark, row) = split_mark(bytes);
                let is_good = |row: crate::format::csv::Row<'_>| row.stray_quote.is_none();
                // The one row there is may lack its end.
                if !Rows::new(csv.dialect, &ended(row, ROW_END)).next().is_none_or(is_good) {
                    let message = "the first row has a quote that neither opens nor closes a cell; \
                                   give --quote none if quotes mean nothing in this file";
                    return Err(Error::Malformed { path, message: message.to_owned() });
                }
                let kept = if csv.has_header { bytes } else { mark };
                let end = if csv.has_header && !row.is_empty() { b"\n".as_slice() } else { b"" };
                let bytes = end.first().map_or_else(|| kept.to_vec(), |end| ended(kept, *end));
                Ok(Top { bytes, skip: kept.len() as u64, first_row: row.to_vec(), path })
            }
        }
    }
}

/// Cells of rows, as their names where the first row is a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// What the first row's cells say.
    pub cells: Vec<Vec<u8>>,
    /// Whether these are names.
    pub are_named: bool,
}

impl Columns {
    /// An order whose keys know their columns by number.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a column that there is not.
    pub fn resolved(&self, order: &TextOrder) -> Result<TextOrder> {
        let mut order = order.clone();
        if self.are_named {
            order.resolve(&self.cells)?;
        }
        Ok(order)
    }
}

impl Top {
    /// Whether the input has nothing: neither lines nor a row, be there a mark or not.
    pub fn is_nothing(&self, heading: Heading) -> bool {
        match heading {
            Heading::Row(_) => self.first_row.is_empty(),
            Heading::Nothing | Heading::Lines { .. } => self.skip == 0,
        }
    }

    /// The columns that its first row shows; `None` where there is no row.
    pub fn columns(&self, csv: CsvFormat) -> Option<Columns> {
        if self.first_row.is_empty() {
            return None;
        }
        let cells = Cells::new(csv.dialect, without_end(&self.first_row));
        let cells = cells.map(|cell| value(csv.dialect.quote, cell).into_owned()).collect();
        Some(Columns { cells, are_named: csv.has_header })
    }

    /// Checks that another input's header names the same columns.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for the other input, with what differs.
    pub fn check_same(&self, other: &Self, csv: CsvFormat) -> Result<()> {
        let (Some(own), Some(others)) = (self.columns(csv), other.columns(csv)) else {
            return Ok(());
        };
        if !csv.has_header || own == others {
            return Ok(());
        }
        let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
        let differs = own.cells.iter().zip(&others.cells).position(|(own, other)| own != other);
        let what = match differs {
            Some(at) => format!(
                "column {} is '{}' here and '{}' there",
                at + 1,
                text(&others.cells[at]),
                text(&own.cells[at])
            ),
            None => {
                let (here, there) = (others.cells.len(), own.cells.len());
                format!("{here} column{} here and {there} there", if here == 1 { "" } else { "s" })
            }
        };
        let message = format!(
            "its header is not that of {}: {what}; sort files of the same columns together, or \
             give --no-header if these are rows",
            self.path.display()
        );
        Err(Error::Malformed { path: other.path.clone(), message })
    }
}

/// The mark of the byte order, if there is one, and what follows.
fn split_mark(bytes: &[u8]) -> (&[u8], &[u8]) {
    let length = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    bytes.split_at(length)
}

fn ended(bytes: &[u8], end: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.last().is_some_and(|last| *last != end) {
        bytes.push(end);
    }
    bytes
}

fn too_long(path: &Path) -> Error {
    let message = format!(
        "the header has more than {TOP_MAX} bytes; are there as many lines, are its quotes closed, \
         and is the format right?"
    );
    Error::Malformed { path: path.to_owned(), message }
}

#[cfg(test)]
mod tests;
