//! Places in records that an operator reads: columns of rows, fields of lines, ranges of bytes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::error::{ConfigErrorKind, Error, Message, ParseError, Setting, message};
use crate::format::csv::{self, Cells, Dialect};
use crate::format::{Format, LineGroup, Prefix};
use crate::key::text::column_number;
use crate::key::words;

/// A place as a person writes it: `amount`, `3`, `"3"` for a column of that name, or `8..16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A column or field, by its number from 1 or its name.
    Column(String),
    /// Bytes of the record from 0, the end not included; without an end, all that follow.
    Range(usize, Option<usize>),
}

/// A place that records of some layout have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundPlace {
    /// A cell by its number.
    Cell(usize),
    /// Bytes from the first on to before the last, if it is given.
    Bytes(usize, Option<usize>),
}

impl FoundPlace {
    /// Returns the bytes of a record's body, as far as it has them; none for a cell.
    pub fn bytes(self, body: &[u8]) -> &[u8] {
        let Self::Bytes(start, end) = self else { return &[] };
        let end = end.unwrap_or(body.len()).min(body.len());
        &body[start.min(end)..end]
    }
}

/// Layout of records, as far as operators need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    /// Rows of cells.
    Cells(Dialect),
    /// Lines, each with its last byte; there may be a byte that separates fields.
    Lines {
        /// Between fields.
        separator: Option<u8>,
    },
    /// Some lines, which are its fields, each with its last byte.
    Group(LineGroup),
    /// Lines of JSON, whose values operators do not look into.
    Json,
    /// This number of bytes.
    Fixed(usize),
    /// Bytes after their length.
    Prefixed(Prefix),
}

/// The columns of rows.
#[derive(Clone, Copy, Debug)]
pub struct RowColumns<'a> {
    /// Texts of the cells of the first row.
    pub cells: &'a [Vec<u8>],
    /// True if these are names.
    pub are_named: bool,
}

impl FromStr for Place {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = |message| Err(ParseError::new("place", text, message));
        let number = |digits: &str| digits.parse::<u32>().ok().map(|number| number as usize);
        let range = text.split_once("..").and_then(|(start, end)| {
            let start = if start.is_empty() { Some(0) } else { number(start) };
            let end = if end.is_empty() { Some(None) } else { number(end).map(Some) };
            start.zip(end)
        });
        match range {
            Some((start, Some(end))) if end <= start => wrong(message!(
                "the range {} is empty; ranges start at 0 and exclude their end: write {}..{} for \
                 one byte",
                text,
                start,
                start + 1
            )),
            Some((start, end)) => Ok(Self::Range(start, end)),
            None if text.is_empty() => wrong("a place is missing; write a column or 0..4".into()),
            None => Ok(Self::Column(text.to_owned())),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => f.write_str(name),
            Self::Range(start, Some(end)) => write!(f, "{start}..{end}"),
            Self::Range(start, None) => write!(f, "{start}.."),
        }
    }
}

impl RecordForm {
    /// Returns the layout of records of a format, of lines with what separates their fields.
    pub fn of(format: Format, separator: Option<u8>) -> Self {
        match format {
            Format::Fixed { length } => Self::Fixed(length as usize),
            Format::Lines { .. } => Self::Lines { separator },
            Format::LineGroups(group) => Self::Group(group),
            Format::JsonLines => Self::Json,
            Format::Csv(csv) => Self::Cells(csv.dialect),
            Format::Prefixed(prefix) => Self::Prefixed(prefix),
        }
    }

    /// Returns what separates and what quotes, where there are cells or fields.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Cells(dialect) => Some(dialect),
            Self::Lines { separator } => {
                separator.map(|separator| Dialect::strict(separator, None))
            }
            Self::Group(group) => Some(Dialect::strict(group.end, None)),
            Self::Json | Self::Fixed(_) | Self::Prefixed(_) => None,
        }
    }

    /// Returns what a cell or field says, which is written as `cell`.
    pub fn text(self, cell: &[u8]) -> Cow<'_, [u8]> {
        match self.dialect() {
            Some(dialect) => csv::value(dialect, cell),
            None => Cow::Borrowed(cell),
        }
    }

    /// Returns a record without what stands before or after it.
    pub fn body(self, record: &[u8]) -> &[u8] {
        match self {
            Self::Cells(_) => csv::without_end(record),
            Self::Lines { .. } | Self::Group(_) | Self::Json => {
                record.split_last().map_or(record, |(_, text)| text)
            }
            Self::Fixed(_) => record,
            Self::Prefixed(prefix) => prefix.payload(record),
        }
    }

    /// Returns the cells or fields of a record.
    pub fn cells(self, record: &[u8]) -> Option<Cells<'_>> {
        self.dialect().map(|dialect| Cells::new(dialect, self.body(record)))
    }

    /// Returns where `place` is in such records: what `setting` names.
    ///
    /// # Errors
    ///
    /// The reason why there is no such place, in words.
    pub fn find(
        self,
        place: &Place,
        columns: Option<RowColumns<'_>>,
        setting: Setting,
    ) -> Result<FoundPlace, BadPlace> {
        let found = match self {
            Self::Fixed(_) | Self::Prefixed(_) => {
                self.range(place).map(|(start, end)| FoundPlace::Bytes(start, end))
            }
            _ => self.column(place, columns).map(FoundPlace::Cell),
        };
        found.map_err(|fault| fault.of(setting))
    }

    /// Returns the number, from 0, of the column at `place`.
    ///
    /// # Errors
    ///
    /// The reason why there is no such column, in words.
    pub fn column(self, place: &Place, columns: Option<RowColumns<'_>>) -> Result<usize, BadPlace> {
        let Place::Column(text) = place else {
            return Err(format!(
                "'{place}' is a range of bytes, and these records have columns; name one by its \
                 number or its name"
            )
            .into());
        };
        if self.dialect().is_none() {
            return Err(match self {
                Self::Lines { .. } => message!(
                    "'{}' is a field, and fields of lines need a separator; give it with {}",
                    text,
                    Setting::Separator,
                )
                .into(),
                Self::Json => {
                    format!("'{place}' is a value of JSON, which only keys and conditions can use")
                        .into()
                }
                _ => {
                    format!("'{place}' is not a range of bytes, as these records need; write 0..4")
                        .into()
                }
            });
        }
        if let Self::Group(group) = self {
            return line(text, group.lines).map_err(BadPlace::from);
        }
        let names = columns.filter(|columns| columns.are_named).map(|columns| columns.cells);
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return numbered(text, columns);
        }
        let name = match words::unquoted(text) {
            Some((name, "")) => name,
            _ => Cow::Borrowed(text.as_str()),
        };
        let Some(names) = names else {
            return Err(format!(
                "'{text}' is the name of a column, but the columns have no names; write the \
                 number of the column, from 1"
            )
            .into());
        };
        column_number(&name, names).map_err(BadPlace::unknown)
    }

    /// Returns the bytes at `place`, of the record or of what is after its length.
    ///
    /// # Errors
    ///
    /// The reason why there are no such bytes, in words.
    pub fn range(self, place: &Place) -> Result<(usize, Option<usize>), BadPlace> {
        match (self, place) {
            (Self::Cells(_) | Self::Lines { .. } | Self::Group(_) | Self::Json, _) => {
                Err(format!("'{place}' is a range of bytes, and these records have columns").into())
            }
            (Self::Prefixed(Prefix::KEYED), _) => {
                Err(format!("'{place}' has no meaning in keyed records; leave it out").into())
            }
            (_, Place::Column(text)) => {
                Err(format!("'{text}' is not a range of bytes, as these records need; write 0..4")
                    .into())
            }
            (Self::Fixed(length), Place::Range(start, end))
                if *start >= length || end.is_some_and(|end| end > length) =>
            {
                Err(format!("the range {place} reaches beyond the record's {length} bytes").into())
            }
            (Self::Fixed(length), Place::Range(start, end)) => {
                Ok((*start, Some(end.unwrap_or(length))))
            }
            (Self::Prefixed(_), Place::Range(start, end)) => Ok((*start, *end)),
        }
    }
}

/// The reason why a place, or what is to be done with it, has no meaning in records.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadPlace {
    kind: ConfigErrorKind,
    message: Message,
}

impl BadPlace {
    /// Returns the fault of a column that the input does not have.
    fn unknown(message: Message) -> Self {
        Self { kind: ConfigErrorKind::UnknownColumn, message }
    }

    /// Returns the fault as that of a setting, which the message then names.
    pub fn of(self, setting: Setting) -> Self {
        Self { message: message!("{}: {}", setting, self.message), ..self }
    }
}

impl<T: Into<Message>> From<T> for BadPlace {
    fn from(message: T) -> Self {
        Self { kind: ConfigErrorKind::InvalidValue, message: message.into() }
    }
}

impl From<BadPlace> for Error {
    fn from(fault: BadPlace) -> Self {
        Self::config(fault.kind, fault.message)
    }
}

/// Returns the column of a number from 1, which must be there where it is known what there is.
fn numbered(text: &str, columns: Option<RowColumns<'_>>) -> Result<usize, BadPlace> {
    let number = text.parse::<u32>().ok().and_then(|number| number.checked_sub(1));
    let Some(number) = number else {
        return Err(format!("'{text}' is not the number of a column; columns count from 1").into());
    };
    match columns.map(|columns| columns.cells.len()) {
        Some(count) if number as usize >= count => {
            let words = format!("there is no column {text}; the first row has {count}");
            Err(BadPlace::unknown(words.into()))
        }
        _ => Ok(number as usize),
    }
}

/// Returns the line with a number from 1, of a record that has `lines` lines.
fn line(text: &str, lines: u32) -> Result<usize, String> {
    let number = text.parse::<u32>().ok().filter(|number| (1..=lines).contains(number));
    number.map(|number| number as usize - 1).ok_or_else(|| {
        format!("'{text}' is not the number of a line; records have lines 1 to {lines}")
    })
}

#[cfg(test)]
mod tests;
