//! Columns and ranges of bytes that entries hold, so that they need not be read from the data.

use std::fmt;
use std::ops::Range;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::csv::{Cells, Dialect, without_end};
use sortwell_engine::format::{CsvFormat, Format};
use sortwell_engine::key::words;
use sortwell_engine::pipeline::Columns;
use sortwell_engine::{Error, Result};

use crate::entry::write_number;

/// Names of columns that a message lists.
const NAMES_SHOWN: usize = 20;

/// A part of each record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// A column by its name or its number, from 1.
    Column(String),
    /// Bytes of the record.
    Bytes(Range<usize>),
}

impl fmt::Display for Include {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) if Self::from_text(name) == *self => f.write_str(name),
            Self::Column(name) => f.write_str(&words::quoted(name)),
            Self::Bytes(range) => write!(f, "{}..{}", range.start, range.end),
        }
    }
}

impl Include {
    /// Returns the name of the column, or the range of bytes.
    pub fn name(&self) -> String {
        match self {
            Self::Column(name) => name.clone(),
            Self::Bytes(_) => self.to_string(),
        }
    }

    /// Reads `START..END` as bytes, and anything else as a column. A name may be in double quotes,
    /// in which a quote is doubled.
    pub fn from_text(text: &str) -> Self {
        if let Some((name, "")) = words::unquoted(text).filter(|_| text.starts_with('"')) {
            return Self::Column(name.into_owned());
        }
        let bytes = text.split_once("..").and_then(|(start, end)| {
            let (start, end) = (start.parse().ok()?, end.parse().ok()?);
            (start < end).then_some(start..end)
        });
        bytes.map_or_else(|| Self::Column(text.to_owned()), Self::Bytes)
    }
}

/// The parts, bound to a format.
#[derive(Clone, Debug, Default)]
pub struct Included {
    dialect: Option<Dialect>,
    parts: Vec<BoundPart>,
}

/// A part, bound to a format.
#[derive(Clone, Debug)]
pub enum BoundPart {
    /// The number of a cell, from 0.
    Cell(usize),
    /// Bytes of the record.
    Bytes(Range<usize>),
}

impl BoundPart {
    /// Binds a part to a format and the columns of the data.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a column that there is not.
    pub fn new(part: &Include, format: Format, columns: Option<&Columns>) -> Result<Self> {
        let wrong = |name: &str, why: &str| {
            let message = format!("'{name}' cannot be included: {why}");
            Error::config(ConfigErrorKind::UnknownColumn, message)
        };
        let name = match part {
            Include::Bytes(range) => return Ok(Self::Bytes(range.clone())),
            Include::Column(name) if dialect_of(format).is_none() => {
                return Err(wrong(name, "only rows have columns; give bytes, as in 0..8"));
            }
            Include::Column(name) => name,
        };
        let named = columns
            .filter(|columns| columns.are_named)
            .and_then(|columns| columns.cells.iter().position(|cell| cell == name.as_bytes()));
        let count = columns.map_or(usize::MAX, |columns| columns.cells.len());
        let numbered = || name.parse::<usize>().ok()?.checked_sub(1);
        match named.or_else(numbered).filter(|cell| *cell < count) {
            Some(cell) => Ok(Self::Cell(cell)),
            None => Err(wrong(name, &format!("there is no such column{}", names_of(columns)))),
        }
    }
}

/// Returns the names of a few columns, in words that follow "there is no such column".
fn names_of(columns: Option<&Columns>) -> String {
    let Some(named) = columns.filter(|columns| columns.are_named) else { return String::new() };
    let names = named.cells.iter().take(NAMES_SHOWN).map(|name| String::from_utf8_lossy(name));
    let others = if named.cells.len() > NAMES_SHOWN { " and others" } else { "" };
    format!("; there are {}{others}", names.collect::<Vec<_>>().join(", "))
}

/// Returns how rows divide into cells, if records are rows.
const fn dialect_of(format: Format) -> Option<Dialect> {
    match format {
        Format::Csv(CsvFormat { dialect, .. }) => Some(dialect),
        _ => None,
    }
}

/// Returns a range of the bytes of a record, as far as it has them.
pub fn bytes_of<'r>(record: &'r [u8], range: &Range<usize>) -> &'r [u8] {
    let end = range.end.min(record.len());
    record.get(range.start.min(end)..end).unwrap_or_default()
}

impl Included {
    /// Binds the parts to a format and the columns of the data.
    ///
    /// # Errors
    ///
    /// Those of [`BoundPart::new`].
    pub fn new(parts: &[Include], format: Format, columns: Option<&Columns>) -> Result<Self> {
        let bound = parts.iter().map(|part| BoundPart::new(part, format, columns));
        Ok(Self { dialect: dialect_of(format), parts: bound.collect::<Result<_>>()? })
    }

    /// Appends the parts of a record, each with its length in front. What a record lacks is empty.
    /// Returns false if `out` would then have more than `most` bytes.
    pub fn append(&self, record: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        if self.parts.is_empty() {
            return true;
        }
        let cells: Vec<&[u8]> = match self.dialect {
            Some(dialect) => Cells::new(dialect, without_end(record)).collect(),
            None => Vec::new(),
        };
        for part in &self.parts {
            let bytes = match part {
                BoundPart::Cell(cell) => cells.get(*cell).copied().unwrap_or_default(),
                BoundPart::Bytes(range) => bytes_of(record, range),
            };
            write_number(out, bytes.len() as u64);
            if out.len() + bytes.len() > most {
                return false;
            }
            out.extend_from_slice(bytes);
        }
        true
    }
}

#[cfg(test)]
mod tests;
