//! Columns and ranges of bytes that entries hold, so that they need not be read from the data.

use std::fmt;
use std::ops::Range;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::csv::{Cells, Dialect, without_end};
use sortwell_engine::format::{CsvFormat, Format};
use sortwell_engine::key::text::Body;
use sortwell_engine::key::words;
use sortwell_engine::pipeline::Columns;
use sortwell_engine::{Error, Result};

use crate::entry::write_number;

/// Names of columns that a message lists.
const NAMES_SHOWN: usize = 20;

/// A part of each record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// A column by its name.
    Column(String),
    /// A column by its number, from 1.
    Number(usize),
    /// Bytes of the record, counted as keys count them: without what ends the record or says its
    /// length.
    Bytes(Range<usize>),
}

impl fmt::Display for Include {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) if Self::from_text(name) == *self => f.write_str(name),
            Self::Column(name) => f.write_str(&words::quoted(name)),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bytes(range) => write!(f, "{}..{}", range.start, range.end),
        }
    }
}

impl Include {
    /// Returns the name of the column, or the range of bytes.
    pub fn name(&self) -> String {
        match self {
            Self::Column(name) => name.clone(),
            Self::Number(_) | Self::Bytes(_) => self.to_string(),
        }
    }

    /// Reads `START..END` as bytes, digits as the number of a column, and anything else as its
    /// name. A name may be in double quotes, in which a quote is doubled.
    pub fn from_text(text: &str) -> Self {
        if let Some((name, "")) = words::unquoted(text).filter(|_| text.starts_with('"')) {
            return Self::Column(name.into_owned());
        }
        let bytes = text.split_once("..").and_then(|(start, end)| {
            let (start, end) = (start.parse().ok()?, end.parse().ok()?);
            (start < end).then_some(start..end)
        });
        let number = || text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok());
        match (bytes, number().flatten()) {
            (Some(bytes), _) => Self::Bytes(bytes),
            (None, Some(number)) => Self::Number(number),
            (None, None) => Self::Column(text.to_owned()),
        }
    }
}

/// The parts, bound to a format.
#[derive(Clone, Debug)]
pub struct Included {
    dialect: Option<Dialect>,
    body: Body,
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
    /// [`Error::Config`] for a column that there is not, and for a name that several have.
    pub fn new(part: &Include, format: Format, columns: Option<&Columns>) -> Result<Self> {
        let wrong = |why: &str| {
            let message = format!("'{}' cannot be included: {why}", part.name());
            Error::config(ConfigErrorKind::UnknownColumn, message)
        };
        let missing = || wrong(&format!("there is no such column{}", names_of(columns)));
        let count = columns.map_or(usize::MAX, |columns| columns.cells.len());
        match part {
            Include::Bytes(range) => Ok(Self::Bytes(range.clone())),
            _ if dialect_of(format).is_none() => {
                Err(wrong("only rows have columns; give bytes, as in 0..8"))
            }
            Include::Number(number) => {
                let cell = number.checked_sub(1).filter(|cell| *cell < count);
                cell.map(Self::Cell).ok_or_else(missing)
            }
            Include::Column(name) => match columns.filter(|columns| columns.are_named) {
                Some(columns) => columns.number(name, "included").map(Self::Cell),
                None => Err(missing()),
            },
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

/// Returns a range of the bytes that keys see of a record, as far as it has them.
pub fn bytes_of<'r>(body: Body, record: &'r [u8], range: &Range<usize>) -> &'r [u8] {
    let record = body.of_record(record);
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
        let (dialect, body) = (dialect_of(format), Body::of(format));
        Ok(Self { dialect, body, parts: bound.collect::<Result<_>>()? })
    }

    /// Returns the number of parts.
    pub const fn count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the parts of a record. What it lacks is empty.
    pub fn parts_of<'r>(&self, record: &'r [u8]) -> impl Iterator<Item = &'r [u8]> {
        let dialect = self.dialect.filter(|_| !self.parts.is_empty());
        let cells: Vec<&[u8]> = dialect
            .map_or_else(Vec::new, |dialect| Cells::new(dialect, without_end(record)).collect());
        self.parts.iter().map(move |part| match part {
            BoundPart::Cell(cell) => cells.get(*cell).copied().unwrap_or_default(),
            BoundPart::Bytes(range) => bytes_of(self.body, record, range),
        })
    }

    /// Appends the parts of a record, each with its length in front. What a record lacks is empty.
    /// Returns false if `out` would then have more than `most` bytes.
    pub fn append(&self, record: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        for bytes in self.parts_of(record) {
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
