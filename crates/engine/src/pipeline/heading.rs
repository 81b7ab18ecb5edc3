//! Heading of an input, which is not sorted: lines that were asked for, or the row that
//! names the columns.
//!
//! Of several inputs the first one's stays; lines of others are left out unseen, and rows have to
//! name the same columns.

use std::path::{Path, PathBuf};

use memchr::memchr_iter;

use crate::error::{ConfigErrorKind, Error, Result, Setting, config, message};
use crate::format::csv::{
    BYTE_ORDER_MARK, Cells, Dialect, ROW_END, Rows, first_return, open_quote, stray_quote, value,
    without_end,
};
use crate::format::{CsvFormat, Format, HeaderLines, LineGroup};
use crate::key::text::{TextOrder, column_number};

/// Maximum bytes of the top, which is held in memory in addition to everything that was planned.
pub const TOP_MAX: usize = 1 << 20;

/// Bytes read at a time while its end is looked for.
const STEP: usize = 4096;

/// Kind of heading to look for at the top of each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Nothing: records begin at once.
    Nothing,
    /// Some lines.
    Lines {
        /// The lines; at least one.
        header: HeaderLines,
        /// The byte that ends each.
        end: u8,
    },
    /// A mark of the byte order, and a row, which names the columns or at least shows their number.
    Row(CsvFormat),
}

/// Heading found at the top of an input.
#[derive(Clone, Debug, Default)]
pub struct Top {
    /// Bytes that stay on top, with their end; empty where there is nothing.
    pub bytes: Vec<u8>,
    /// Size of these bytes in the input.
    pub size: TopSize,
    /// The first row, be it a header or not; of rows only. Empty if it is too long.
    pub first_row: Vec<u8>,
    /// True if the first row is not a header, and too long to be held.
    pub has_long_row: bool,
    /// The input.
    pub path: PathBuf,
}

/// The size of what lies above the first record of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopSize {
    /// Bytes.
    pub bytes: u64,
    /// Ends of lines among them.
    pub lines: u64,
}

impl TopSize {
    /// Returns the size of `bytes`, whose lines end with `end`.
    fn of(bytes: &[u8], end: u8) -> Self {
        Self { bytes: bytes.len() as u64, lines: memchr_iter(end, bytes).count() as u64 }
    }
}

impl Heading {
    /// Returns the heading of inputs of this format, with the `header` that was asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for lines where the format has none.
    pub fn of(format: Format, header: &HeaderLines) -> Result<Self> {
        let is_asked_for = *header != HeaderLines::NONE;
        match format {
            Format::Csv(CsvFormat { has_header: false, union_by_name: true, .. }) => Err(config!(
                ConfigErrorKind::Conflict(Setting::UnionByName, Setting::NoHeader),
                "{} finds columns by the names in the header; leave out {}, or {}",
                Setting::UnionByName,
                Setting::NoHeader,
                Setting::UnionByName,
            )),
            Format::Csv(csv) if !is_asked_for => Ok(Self::Row(csv)),
            Format::Lines { terminator: end } | Format::LineGroups(LineGroup { end, .. })
                if is_asked_for =>
            {
                Ok(Self::Lines { header: header.clone(), end })
            }
            _ if !is_asked_for => Ok(Self::Nothing),
            Format::Csv(_) => Err(config!(
                ConfigErrorKind::NotApplicable(Setting::Header),
                "csv and tsv always have one header row; leave out {}, or give {} if there is \
                 none",
                Setting::Header,
                Setting::NoHeader,
            )),
            _ => Err(config!(
                ConfigErrorKind::NotApplicable(Setting::Header),
                "a header consists of lines, and these records are not lines; leave it out",
            )),
        }
    }

    /// Makes what depends on the settings alone, unless the first row names columns. It is called
    /// before inputs are opened, so that a wrong setting is reported before a fault of an input.
    ///
    /// # Errors
    ///
    /// The errors of `make`.
    pub fn early<T>(&self, make: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        match self {
            Self::Row(_) => Ok(None),
            Self::Nothing | Self::Lines { .. } => make().map(Some),
        }
    }

    /// Reads the top of the input `path` with `read`, which fills a buffer unless the input ends.
    /// Returns the top, and the bytes read after it. Of a first row that is not a header, no more
    /// than [`TOP_MAX`] bytes are looked at. `read` returns no bytes at the end alone.
    ///
    /// # Errors
    ///
    /// Those of `read`; [`Error::Malformed`] for a header that is too long, or a row that is none.
    pub fn read(
        &self,
        path: &Path,
        mut read: impl FnMut(&mut [u8]) -> Result<usize>,
    ) -> Result<(Top, Vec<u8>)> {
        let mut bytes = Vec::new();
        let mut is_at_end = *self == Self::Nothing;
        let is_bare = matches!(self, Self::Row(CsvFormat { has_header: false, .. }));
        let length = loop {
            match self.length(&bytes, is_at_end) {
                Some(length) if length <= TOP_MAX || is_bare => break length,
                None if bytes.len() <= TOP_MAX => {
                    let before = bytes.len();
                    bytes.resize(before + STEP.max(before), 0);
                    let more = read(&mut bytes[before..])?;
                    is_at_end = more == 0;
                    bytes.truncate(before + more);
                }
                _ => {
                    self.check_row_ends(path, &bytes)?;
                    if is_bare {
                        break bytes.len();
                    }
                    return Err(too_long(path));
                }
            }
        };
        // Where the first row is all there is, it may be rows that nothing we know of ends.
        if length == bytes.len() && !is_at_end {
            let mut more = [0; 1];
            let read = read(&mut more)?;
            bytes.extend_from_slice(&more[..read]);
        }
        if length == bytes.len() {
            self.check_row_ends(path, &bytes)?;
        }
        let top = self.top(path, &bytes[..length])?;
        bytes.drain(..top.size.bytes as usize);
        Ok((top, bytes))
    }

    /// Returns the number of bytes of the top, once all of it has been read; `is_whole` at the end
    /// of the input.
    fn length(&self, bytes: &[u8], is_whole: bool) -> Option<usize> {
        match self {
            Self::Nothing => Some(0),
            Self::Lines { header, end } => header.length(*end, bytes, is_whole),
            Self::Row(csv) => {
                let (mark, row) = split_mark(bytes);
                let length = Format::Csv(*csv).framing().whole_length(row);
                let length = length.or(is_whole.then_some(row.len()))?;
                Some(mark.len() + length)
            }
        }
    }

    /// Refuses an input, all of which is one row, whose rows end with carriage returns alone.
    fn check_row_ends(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let Self::Row(csv) = self else { return Ok(()) };
        let (mark, row) = split_mark(bytes);
        let Some(at) = first_return(csv.dialect, row) else { return Ok(()) };
        let message = format!(
            "its rows end with a carriage return alone, the first at byte {}, but rows must end \
             with a line feed; convert them first, as with: tr '\\r' '\\n'",
            mark.len() + at
        );
        Err(Error::Malformed { path: path.to_owned(), message: message.into() })
    }

    /// Returns the top that is `bytes`, whose end may be that of the input.
    fn top(&self, path: &Path, bytes: &[u8]) -> Result<Top> {
        let path = path.to_owned();
        match self {
            Self::Nothing => Ok(Top { path, ..Top::default() }),
            Self::Lines { end, .. } => {
                let size = TopSize::of(bytes, *end);
                Ok(Top { bytes: ended(bytes, *end), size, path, ..Top::default() })
            }
            Self::Row(csv) => {
                let (mark, row) = split_mark(bytes);
                if !csv.has_header && bytes.len() > TOP_MAX {
                    let size = TopSize::of(mark, ROW_END);
                    let bytes = mark.to_vec();
                    return Ok(Top { bytes, size, path, has_long_row: true, ..Top::default() });
                }
                // The one row there is may lack its end.
                let whole = ended(row, ROW_END);
                let first = Rows::new(csv.dialect, &whole).next();
                if let Some(at) = first.and_then(|first| first.stray_quote) {
                    let name = if csv.has_header { "the header row" } else { "row 1" };
                    let line = 1 + memchr_iter(ROW_END, &row[..at.min(row.len())]).count();
                    let wrong = match csv.dialect.is_lenient || opens_cell(csv.dialect, row, at) {
                        true => message!("it {}", open_quote(true)),
                        false => stray_quote(at),
                    };
                    let message = message!("{}, line {}: {}", name, line, wrong);
                    return Err(Error::Malformed { path, message });
                }
                let kept = if csv.has_header { bytes } else { mark };
                let end = if csv.has_header && !row.is_empty() { b"\n".as_slice() } else { b"" };
                let bytes = end.first().map_or_else(|| kept.to_vec(), |end| ended(kept, *end));
                let (size, first_row) = (TopSize::of(kept, ROW_END), row.to_vec());
                Ok(Top { bytes, size, first_row, has_long_row: false, path })
            }
        }
    }
}

/// Cells of rows, as their names where the first row is a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Texts of the first row's cells.
    pub cells: Vec<Vec<u8>>,
    /// True if these are names.
    pub are_named: bool,
}

impl Columns {
    /// Returns the columns of a first row with this number of cells, which stands elsewhere.
    fn unseen(count: usize) -> Self {
        Self { cells: vec![b"?".to_vec(); count], are_named: false }
    }

    /// Returns an order whose keys know their columns by number.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a column that there is not.
    pub fn resolved(&self, order: &TextOrder) -> Result<TextOrder> {
        let mut order = order.clone();
        if self.are_named {
            order.resolve(&self.cells)?;
        }
        Ok(order)
    }

    /// Returns the number, from 0, of the column of this name, which is to be `used` in a way.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if no column is called so, or if several are.
    pub fn number(&self, name: &str, used: &str) -> Result<usize> {
        column_number(name, &self.cells).map_err(|fault| {
            config!(ConfigErrorKind::UnknownColumn, "'{}' cannot be {}: {}", name, used, fault)
        })
    }
}

impl Top {
    /// Returns whether the input is empty: it has neither lines nor a row, with or without a mark.
    pub fn is_nothing(&self, heading: &Heading) -> bool {
        match heading {
            Heading::Row(_) => self.first_row.is_empty() && !self.has_long_row,
            Heading::Nothing | Heading::Lines { .. } => self.size.bytes == 0,
        }
    }

    /// Returns the columns that the first row shows; `None` where there is no row, or one that is
    /// too long to be held, or that is no header and has nothing in it.
    pub fn columns(&self, heading: &Heading) -> Option<Columns> {
        let Heading::Row(csv) = heading else { return None };
        if let Some(count) = csv.first_row_cells.filter(|_| !csv.has_header) {
            return (count > 0).then(|| Columns::unseen(count));
        }
        if self.first_row.is_empty() {
            return None;
        }
        let cells = Cells::new(csv.dialect, without_end(&self.first_row));
        let cells: Vec<_> = cells.map(|cell| value(csv.dialect, cell).into_owned()).collect();
        let shows = csv.has_header || cells != [b""];
        shows.then_some(Columns { cells, are_named: csv.has_header })
    }

    /// Checks that another input's header names the same columns, if it names some.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for the other input, with what differs.
    pub fn check_same(&self, other: &Self, heading: &Heading) -> Result<()> {
        let (Some(own), Some(others)) = (self.columns(heading), other.columns(heading)) else {
            return Ok(());
        };
        if !own.are_named || own == others {
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
        let message = message!(
            "its header is not that of {}: {}; sort files of the same columns together, give \
             {} to find columns by their names, or {} if these are rows",
            self.path.display(),
            what,
            Setting::UnionByName,
            Setting::NoHeader,
        );
        Err(Error::Malformed { path: other.path.clone(), message })
    }
}

/// Returns the mark of the byte order, if there is one, and what follows.
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
        "the header has more than {TOP_MAX} bytes; check the number of its lines, its quotes and \
         the format"
    );
    Error::Malformed { path: path.to_owned(), message: message.into() }
}

/// Returns whether the stray quote at a byte of a row opens a cell, which then has no end.
fn opens_cell(dialect: Dialect, row: &[u8], at: usize) -> bool {
    let stray = |bytes: &[u8]| {
        let whole = ended(bytes, ROW_END);
        Rows::new(dialect, &whole).next().and_then(|row| row.stray_quote)
    };
    let (before, rest) = row.split_at(at.min(row.len()));
    let begins = before.last().is_none_or(|byte| *byte == dialect.separator);
    begins && stray(before).is_none() && stray(rest) == Some(0)
}

#[cfg(test)]
mod tests;
