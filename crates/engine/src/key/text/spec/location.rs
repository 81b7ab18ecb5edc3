//! Where a key is: bytes of the record, fields by their numbers, or a column by its name.

use std::fmt;

use super::super::super::spec::{read_position, read_range};
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
}

impl Location {
    /// Reads the `place` of the key `text`.
    pub fn read(text: &str, place: &str) -> Result<Self, String> {
        if place.is_empty() {
            return Ok(Self::Record { start: 0, end: None });
        }
        let (field, range) = match place.strip_prefix('"') {
            Some(_) => {
                let (_, behind) = unquoted(place).ok_or_else(|| unclosed(text))?;
                place.split_at(place.len() - behind.len())
            }
            None => place.split_at(place.find('[').unwrap_or(place.len())),
        };
        let (start, end) = match range.strip_prefix('[') {
            Some(range) => {
                let Some(range) = range.strip_suffix(']') else {
                    return Err(format!("'{place}' in key '{text}' lacks its ]; write 2[0..4]"));
                };
                read_range(text, range)?
            }
            None if range.is_empty() => (0, None),
            None => return Err(not_a_place(text, place)),
        };
        if field.starts_with('"') {
            let (name, _) = unquoted(field).ok_or_else(|| unclosed(text))?;
            return Ok(Self::Column { name: name.into_owned(), start, end });
        }
        if field.contains("..") {
            if !range.is_empty() || field.contains('-') {
                return Err(not_a_place(text, place));
            }
            let (start, end) = read_range(text, field)?;
            return Ok(Self::Record { start, end });
        }
        if is_plain_name(field) {
            return Ok(Self::Column { name: field.to_owned(), start, end });
        }
        if let Some((line, fields)) = field.split_once('.') {
            let (first, last) = match fields.split_once('-') {
                Some((first, last)) => read_fields(text, (first, last), place)?,
                None => {
                    let only = read_field(text, fields).map_err(|_| not_a_place(text, place))?;
                    (only, Some(only))
                }
            };
            let line = read_field(text, line)?;
            return Ok(Self::OfLine { line, first, last, start, end });
        }
        match field.split_once('-') {
            Some((first, last)) if !first.is_empty() => {
                let (first, last) = read_fields(text, (first, last), place)?;
                Ok(match last {
                    Some(last) if last == first => Self::Field { field: first, start, end },
                    _ => Self::Fields { first, last, start, end },
                })
            }
            _ => Ok(Self::Field { field: read_field(text, field)?, start, end }),
        }
    }
}

/// Reads the numbers of the first and the last of several fields, from 1; an empty last one is the
/// end of the line.
fn read_fields(
    text: &str,
    (first, last): (&str, &str),
    place: &str,
) -> Result<(usize, Option<usize>), String> {
    if ![first, last].iter().all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(not_a_place(text, place));
    }
    let first = read_field(text, first)?;
    let last = if last.is_empty() { None } else { Some(read_field(text, last)?) };
    match last {
        Some(last) if last < first => Err(format!(
            "the fields in key '{text}' end before they begin; write {}-{}",
            last + 1,
            first + 1
        )),
        _ => Ok((first, last)),
    }
}

/// Reads the number of a field, from 1.
fn read_field(text: &str, digits: &str) -> Result<usize, String> {
    let number = read_position(text, digits).map_err(|_| not_a_place(text, digits))?;
    match number.checked_sub(1) {
        Some(field) => Ok(field),
        None => Err(format!("fields count from 1, and key '{text}' names field 0")),
    }
}

pub fn not_a_place(text: &str, place: &str) -> String {
    if let Some(how) = gnu_key(place) {
        return format!("key '{text}' is written as for GNU sort; {how}");
    }
    format!(
        "'{place}' in key '{text}' is not a place in a record; write 2 for the second field, \
         2[0..4] for its first four bytes, 2-3 for fields 2 to 3 of a line, amount or \"amount\" \
         for the column of that name, 0..10 for bytes of the record, or .. for all of it"
    )
}

pub fn unclosed(text: &str) -> String {
    format!("key '{text}' opens a quote that does not close; quotes in quotes are doubled")
}

/// Whether a name is taken for one without quotes around it.
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
        };
        match (start, end) {
            (0, None) => Ok(()),
            (start, None) => write!(f, "[{start}..]"),
            (start, Some(end)) => write!(f, "[{start}..{end}]"),
        }
    }
}
