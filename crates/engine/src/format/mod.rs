//! Record formats: where records begin and end.
//!
//! A format is one file and one row here. What a record *means* (its key) is the room `key`.

pub mod csv;
mod field_cutter;
mod framing;
mod group;
mod guess;
mod header_lines;
pub mod json;
mod prefix;
mod tracker;

use std::str::FromStr;

pub use field_cutter::{FieldCutter, FieldEnds};
pub use framing::{Framing, Passage};
pub use group::{GROUP_LINES_MAX, LineGroup};
pub use guess::Guide;
pub use header_lines::HeaderLines;
pub use prefix::{PREFIX_MAX, Prefix, PrefixWidth};
pub use tracker::{Ends, RecordFault, Tracker};

use crate::error::spelling::meant;
use crate::error::{ParseError, message};
use crate::units::ByteSize;

/// The longest record of a fixed-length format.
pub const FIXED_LENGTH_MAX: ByteSize = ByteSize::mib(1);

/// The formats whose records do not begin with their length.
const NAMES: [&str; 5] = ["lines", "csv", "tsv", "jsonl", "fixed:100"];

/// Division of a stream of bytes into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Every record is this many bytes, from 1 to [`FIXED_LENGTH_MAX`].
    Fixed {
        /// Bytes per record.
        length: u32,
    },
    /// Every record ends with this byte; the last one of an input may lack it and gets one. Lines
    /// of text, with the byte 10.
    Lines {
        /// The byte.
        terminator: u8,
    },
    /// Rows of cells, some of them in quotes.
    Csv(CsvFormat),
    /// Every record begins with its length.
    Prefixed(Prefix),
    /// Every line is a JSON value.
    JsonLines,
    /// Every record is some lines, the last of which may lack its end and gets one.
    LineGroups(LineGroup),
}

/// The form of rows of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvFormat {
    /// The separator and the quote.
    pub dialect: csv::Dialect,
    /// True if the first row of each input names the columns, and stays on top.
    pub has_header: bool,
    /// Handling of rows with a different number of cells than the header.
    pub ragged: Ragged,
    /// True if columns of several inputs are found by their names. Rows are rewritten to the
    /// columns of the first input, then those that only later ones have.
    pub union_by_name: bool,
    /// Number of cells of the first row, where the records are a part of a table without a header
    /// that begins elsewhere; 0 if that row does not tell. `None` if the first row is among them.
    pub first_row_cells: Option<usize>,
}

/// Handling of rows with a different number of cells than the header, or than the first row without
/// a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ragged {
    /// The first such row is an error.
    #[default]
    Refuse,
    /// Such rows are sorted like others; missing cells are empty.
    Keep,
    /// Such rows are left out, and counted.
    Drop,
}

impl Format {
    /// Lines of text.
    pub const LINES: Self = Self::Lines { terminator: b'\n' };

    /// Comma-separated values as in RFC 4180, with a header.
    pub const CSV: Self = Self::Csv(CsvFormat::separated_by(b','));

    /// Records that hold the key that they are ordered by.
    pub const KEYED: Self = Self::Prefixed(Prefix::KEYED);

    /// Tab-separated values with a header.
    pub const TSV: Self = Self::Csv(CsvFormat::separated_by(b'\t'));

    /// Returns true if every record is a group of lines.
    pub fn has_groups(self) -> bool {
        matches!(self, Self::LineGroups(_))
    }

    /// Returns the rule that divides bytes into records.
    pub fn framing(self) -> Framing {
        match self {
            Self::Fixed { length } => Framing::Fixed(length as usize),
            Self::Lines { terminator } => Framing::Terminated(terminator),
            Self::Csv(format) => match format.dialect.quoting() {
                Some(quoting) => Framing::Quoted(quoting),
                None => Framing::Terminated(csv::ROW_END),
            },
            Self::Prefixed(prefix) => Framing::Prefixed(prefix),
            Self::JsonLines => Framing::Terminated(b'\n'),
            Self::LineGroups(group) => Framing::Grouped(group),
        }
    }
}

impl CsvFormat {
    /// Returns a format of cells with this separator, double quotes, a header, and rows of equal
    /// length.
    pub const fn separated_by(separator: u8) -> Self {
        let dialect = csv::Dialect::strict(separator, Some(b'"'));
        Self {
            dialect,
            has_header: true,
            ragged: Ragged::Refuse,
            union_by_name: false,
            first_row_cells: None,
        }
    }
}

impl FromStr for Format {
    type Err = ParseError;

    /// Reads `lines`, `lines:BYTE`, `lines:group=N`, `lines:BYTE,group=N`, `csv`, `tsv`, `jsonl`,
    /// `fixed:N`, or how records begin with their length: `u16le`, `u16be`, `u32le`, `u32be`, each
    /// with `:self` or not, `rdw` and `keyed`. Case does not count, except for BYTE.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = |message| ParseError::new("format", text, message);
        let name = text.to_ascii_lowercase();
        match name.as_str() {
            "lines" => return Ok(Self::LINES),
            "csv" => return Ok(Self::CSV),
            "tsv" => return Ok(Self::TSV),
            "jsonl" | "ndjson" => return Ok(Self::JsonLines),
            _ => {}
        }
        if let Some(prefix) = Prefix::named(&name) {
            return Ok(Self::Prefixed(prefix));
        }
        if name.starts_with("lines:") {
            return lines(&text["lines:".len()..]).map_err(|fault| wrong(fault.into()));
        }
        let Some(length) = name.strip_prefix("fixed:") else {
            return Err(wrong(message!(
                "'{}' is not a known format{}; write lines, lines:0, lines:group=4, csv, tsv, \
                 jsonl or fixed:100, or u16be, u32le:self, rdw and the like for records with a \
                 length in front",
                text,
                meant_format(&name)
            )));
        };
        match length.parse::<u32>() {
            Ok(length) if (1..=FIXED_LENGTH_MAX.bytes()).contains(&u64::from(length)) => {
                Ok(Self::Fixed { length })
            }
            _ => Err(wrong(message!(
                "'{}' is not a record length; write a number of bytes from 1 to {} ({})",
                length,
                FIXED_LENGTH_MAX.bytes(),
                FIXED_LENGTH_MAX
            ))),
        }
    }
}

/// Returns the format that a name is likely to mean, as a part of a message.
fn meant_format(name: &str) -> String {
    match name {
        "fastq" | "fq" => " (FASTQ is lines:group=4)".to_owned(),
        _ => meant(name, NAMES.into_iter().chain(Prefix::names())),
    }
}

/// Reads what follows `lines:`: the byte that ends a line, and how many lines a record has.
fn lines(text: &str) -> Result<Format, String> {
    let Some((byte, count)) = group::split(text) else {
        return terminator(text).map(|terminator| Format::Lines { terminator });
    };
    let end = byte.map_or(Ok(b'\n'), terminator)?;
    Ok(Format::LineGroups(LineGroup { end, lines: group::lines(count)? }))
}

/// Returns the byte that ends lines: as a number from 0 to 255, or any other character as itself.
fn terminator(text: &str) -> Result<u8, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.as_bytes() {
        _ if is_number => text.parse().map_err(|_| {
            format!("'{text}' is not a byte; write a number from 0 to 255, as in lines:0")
        }),
        [byte] => Ok(*byte),
        _ => Err(format!(
            "'{text}' is not a byte; write its number, as in lines:0, or the character, as in \
             'lines:;'"
        )),
    }
}

#[cfg(test)]
mod tests;
