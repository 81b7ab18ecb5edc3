//! Location of a key: bytes of the record, fields by their numbers, or a column by its name.

use std::fmt;

use std::sync::Arc;

use super::super::text::TextSpec;
use super::fault::PlaceFault;
use super::gnu_key::gnu_key;
use super::words::{quoted, unquoted};

/// A place in a record: bytes of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub part: RecordPart,
    /// First byte of the part.
    pub start: usize,
    /// End of the bytes; `None` for all that follow.
    pub end: Option<usize>,
}

/// A part of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordPart {
    /// All of it.
    Record,
    /// Neighbouring fields with all that is between them, from 0; to the end of the line without a
    /// last one. Those of one line, from 0, if records have several and it is given.
    Fields { line: Option<usize>, first: usize, last: Option<usize> },
    /// A field by its name.
    Column(String),
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
    /// Returns all of a part of a record.
    pub fn all_of(part: RecordPart) -> Self {
        Self { part, start: 0, end: None }
    }

    /// Reads a place.
    pub fn read(place: &str) -> Result<Self, PlaceFault> {
        if place.is_empty() {
            return Ok(Self::all_of(RecordPart::Record));
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
        if !field.starts_with('"') && field.contains("..") {
            if !range.is_empty() || field.contains('-') {
                return Err(unknown());
            }
            let (start, end) = read_range(field)?;
            return Ok(Self { part: RecordPart::Record, start, end });
        }
        let part = if field.starts_with('"') {
            let (name, _) = unquoted(field).ok_or(PlaceFault::OpenQuote)?;
            RecordPart::Column(name.into_owned())
        } else if is_plain_name(field) {
            RecordPart::Column(field.to_owned())
        } else if let Some((line, fields)) = field.split_once('.') {
            let (first, last) = match fields.split_once('-') {
                Some((first, last)) => read_fields(first, last, place)?,
                None => {
                    let only = read_field(fields).map_err(|_| unknown())?;
                    (only, Some(only))
                }
            };
            RecordPart::Fields { line: Some(read_field(line)?), first, last }
        } else {
            let (first, last) = match field.split_once('-') {
                Some((first, last)) if !first.is_empty() => read_fields(first, last, place)?,
                _ => {
                    let only = read_field(field)?;
                    (only, Some(only))
                }
            };
            RecordPart::Fields { line: None, first, last }
        };
        Ok(Self { part, start, end })
    }
}

/// Reads the numbers of the first and the last of several fields, from 1; an empty last one is the
/// end of the line.
fn read_fields(first: &str, last: &str, place: &str) -> Result<(usize, Option<usize>), PlaceFault> {
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
        let Self { part, start, end } = self;
        match (part, end) {
            (RecordPart::Record, None) => return write!(f, "{start}.."),
            (RecordPart::Record, Some(end)) => return write!(f, "{start}..{end}"),
            (RecordPart::Fields { line, first, last }, _) => {
                line.iter().try_for_each(|line| write!(f, "{}.", line + 1))?;
                write!(f, "{}", first + 1)?;
                match last {
                    Some(last) if last == first => {}
                    Some(last) => write!(f, "-{}", last + 1)?,
                    None => f.write_str("-")?,
                }
            }
            (RecordPart::Column(name), _) => {
                let is_plain = is_plain_name(name);
                f.write_str(&if is_plain { name.clone() } else { quoted(name) })?;
            }
            (RecordPart::Exact(spec), _) => return f.write_str(&spec.0.place_in_words()),
        }
        match (start, end) {
            (0, None) => Ok(()),
            (start, None) => write!(f, "[{start}..]"),
            (start, Some(end)) => write!(f, "[{start}..{end}]"),
        }
    }
}
