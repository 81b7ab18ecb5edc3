//! Location of a key: bytes of the record, fields by their numbers, or a column by its name.

use std::fmt;

use std::sync::Arc;

use super::super::text::TextSpec;
use super::fault::PlaceFault;
use super::gnu_key::gnu_key;
use super::words::{quoted, unquoted};

/// A place in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Bytes of the record.
    Record { start: usize, end: Option<usize> },
    /// A field, from 0, and bytes of it.
    Field { field: usize, start: usize, end: Option<usize> },
    /// Neighbouring fields with all that is between them, from 0; to the end of the line without a
    /// last one. And bytes of that text.
    Fields { first: usize, last: Option<usize>, start: usize, end: Option<usize> },
    /// A place within one line of a record of several lines, from 0.
    OfLine { line: usize, first: usize, last: Option<usize>, start: usize, end: Option<usize> },
    /// A field by its name, and bytes of it.
    Column { name: String, start: usize, end: Option<usize> },
    /// A place that has no text, with all that is looked for there.
    Exact(ExactSpec),
}

/// The meaning of a key that has no text; equal to its copies alone.
#[derive(Clone, Debug)]
pub struct ExactSpec(pub Arc<TextSpec>);

impl PartialEq for ExactSpec {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ExactSpec {}

impl Location {
    /// Reads a place.
    pub fn read(place: &str) -> Result<Self, PlaceFault> {
        if place.is_empty() {
            return Ok(Self::Record { start: 0, end: None });
        }
        let unknown = || not_a_place(place);
        let (field, range) = match place.strip_prefix('"') {
            Some(_) => {
                let (_, rest) = unquoted(place).ok_or(PlaceFault::OpenQuote)?;
                place.split_at(place.len() - rest.len())
            }
            None => place.split_at(place.find('[').unwrap_or(place.len())),
        };
        let (start, end) = match range.strip_prefix('[') {
            Some(range) => match range.strip_suffix(']') {
                Some(range) => read_range(range)?,
                None => return Err(PlaceFault::OpenBracket(place.to_owned())),
            },
            None if range.is_empty() => (0, None),
            None => return Err(unknown()),
        };
        if field.starts_with('"') {
            let (name, _) = unquoted(field).ok_or(PlaceFault::OpenQuote)?;
            return Ok(Self::Column { name: name.into_owned(), start, end });
        }
        if field.contains("..") {
            if !range.is_empty() || field.contains('-') {
                return Err(unknown());
            }
            let (start, end) = read_range(field)?;
            return Ok(Self::Record { start, end });
        }
        if is_plain_name(field) {
            return Ok(Self::Column { name: field.to_owned(), start, end });
        }
        if let Some((line, fields)) = field.split_once('.') {
            let (first, last) = match fields.split_once('-') {
                Some((first, last)) => read_fields((first, last), place)?,
                None => {
                    let only = read_field(fields).map_err(|_| unknown())?;
                    (only, Some(only))
                }
            };
            let line = read_field(line)?;
            return Ok(Self::OfLine { line, first, last, start, end });
        }
        match field.split_once('-') {
            Some((first, last)) if !first.is_empty() => {
                let (first, last) = read_fields((first, last), place)?;
                Ok(match last {
                    Some(last) if last == first => Self::Field { field: first, start, end },
                    _ => Self::Fields { first, last, start, end },
                })
            }
            _ => Ok(Self::Field { field: read_field(field)?, start, end }),
        }
    }
}

/// Reads the numbers of the first and the last of several fields, from 1; an empty last one is the
/// end of the line.
fn read_fields(
    (first, last): (&str, &str),
    place: &str,
) -> Result<(usize, Option<usize>), PlaceFault> {
    if ![first, last].iter().all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(not_a_place(place));
    }
    let first = read_field(first)?;
    let last = if last.is_empty() { None } else { Some(read_field(last)?) };
    match last {
        Some(last) if last < first => {
            Err(PlaceFault::FieldsBackward { first: first + 1, last: last + 1 })
        }
        _ => Ok((first, last)),
    }
}

/// Reads the number of a field, from 1.
fn read_field(digits: &str) -> Result<usize, PlaceFault> {
    let number = read_position(digits).map_err(|_| not_a_place(digits))?;
    number.checked_sub(1).ok_or(PlaceFault::FieldZero)
}

/// Reads `A..B`, `A..`, `..B` or `..`; a range without an end goes to the end of the record.
fn read_range(range: &str) -> Result<(usize, Option<usize>), PlaceFault> {
    let Some((start, end)) = range.split_once("..") else {
        return Err(PlaceFault::NotARange(range.to_owned()));
    };
    let start = if start.is_empty() { 0 } else { read_position(start)? };
    let end = if end.is_empty() { None } else { Some(read_position(end)?) };
    match end {
        Some(end) if end <= start => Err(PlaceFault::EmptyRange(start)),
        _ => Ok((start, end)),
    }
}

/// Reads the number of a byte. 32 bits are far more than the longest record and leave room to add.
fn read_position(digits: &str) -> Result<usize, PlaceFault> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<u32>() {
        Ok(position) if is_plain => Ok(position as usize),
        _ => Err(PlaceFault::NotAByteNumber(digits.to_owned())),
    }
}

/// Returns that a text is not a place, or how it is written where it is one of GNU sort.
pub fn not_a_place(place: &str) -> PlaceFault {
    match gnu_key(place) {
        Some(advice) => PlaceFault::OfGnuSort(advice),
        None => PlaceFault::Unknown(place.to_owned()),
    }
}

/// Returns whether a name is taken for one without quotes around it.
fn is_plain_name(name: &str) -> bool {
    let is_number = name.chars().all(|c| c.is_numeric() || matches!(c, '+' | '-' | '.' | ' '));
    !is_number
        && name.trim() == name
        && !name.contains([':', '[', ']', '"'])
        && !name.contains("..")
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = match self {
            Self::Record { start, end: None } => return write!(f, "{start}.."),
            Self::Record { start, end: Some(end) } => return write!(f, "{start}..{end}"),
            Self::Field { field, start, end } => {
                write!(f, "{}", field + 1)?;
                (*start, *end)
            }
            Self::Fields { first, last, start, end } => {
                write!(f, "{}-", first + 1)?;
                last.iter().try_for_each(|last| write!(f, "{}", last + 1))?;
                (*start, *end)
            }
            Self::OfLine { line, first, last, start, end } => {
                write!(f, "{}.{}", line + 1, first + 1)?;
                match last {
                    Some(last) if last == first => {}
                    Some(last) => write!(f, "-{}", last + 1)?,
                    None => f.write_str("-")?,
                }
                (*start, *end)
            }
            Self::Column { name, start, end } => {
                let is_plain = is_plain_name(name);
                f.write_str(&if is_plain { name.clone() } else { quoted(name) })?;
                (*start, *end)
            }
            Self::Exact(spec) => return f.write_str(&spec.0.place_in_words()),
        };
        match (start, end) {
            (0, None) => Ok(()),
            (start, None) => write!(f, "[{start}..]"),
            (start, Some(end)) => write!(f, "[{start}..{end}]"),
        }
    }
}
