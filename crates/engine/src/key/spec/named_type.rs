//! The types of keys by their names.

use std::borrow::Cow;
use std::fmt;
use std::io;

use super::super::text::{NumberType, TYPES, TextType, Traits, ValueList};
use super::fault::{KeyFault, PlaceFault, TypeFault};
use super::files::{self, ListMemory};
use super::words::{split, unquoted};
use crate::error::{ConfigError, ConfigErrorKind, Error, Result, config};
use crate::format::Format;

/// The types that keys of some records may have, as messages list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// The types of lines and rows.
    OfText,
    /// All: records of bytes may hold text too.
    All,
}

impl Listed {
    /// Returns the types for the records of `format`.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Lines { .. } | Format::LineGroups(_) | Format::Csv(_) | Format::JsonLines => {
                Self::OfText
            }
            Format::Fixed { .. } | Format::Prefixed(_) => Self::All,
        }
    }

    /// Returns their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let listed = TYPES.iter().filter(move |row| self == Self::All || !row.traits.is_binary);
        listed.flat_map(|row| row.names).map(|(name, _)| *name)
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(" "))
    }
}

/// A type as it is named in a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    /// Text as written, with the name in lower case.
    pub word: Cow<'static, str>,
    /// The type, but for the values of a list or a sequence.
    text_type: TextType,
    /// The source of these.
    source: Option<ValueSource>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueSource {
    /// Values in order.
    Values(Vec<String>),
    /// A file of values in order, one a line.
    ValuesOf(String),
    /// A file of 256 bytes.
    SequenceOf(String),
}

impl NamedType {
    /// Returns the type of this name, which says all about it.
    pub fn of(name: &'static str, text_type: TextType) -> Self {
        Self { word: Cow::Borrowed(name), text_type, source: None }
    }

    /// Reads a word of a key; `None` where it names no type. Case counts in values and names of
    /// files alone.
    pub fn read(word: &str) -> std::result::Result<Option<Self>, KeyFault> {
        let Some((name, text_type)) = TextType::named(word) else { return Ok(None) };
        let file = |path: &str| match unquoted(path) {
            Some((path, "")) if !path.is_empty() => Ok(path.into_owned()),
            _ => Err(TypeFault::NoFile(name_in_lower_case(word))),
        };
        let word = &name_in_lower_case(word);
        let source = if let Some(path) = word.strip_prefix("sequence=") {
            ValueSource::SequenceOf(file(path)?)
        } else if let Some(path) = word.strip_prefix("order=@") {
            ValueSource::ValuesOf(file(path)?)
        } else if let Some(values) = word.strip_prefix("order=") {
            ValueSource::Values(read_values(word, values)?)
        } else {
            return Ok(Some(Self::of(name, text_type)));
        };
        Ok(Some(Self { word: Cow::Owned(word.clone()), text_type, source: Some(source) }))
    }

    /// Returns the traits of its values.
    pub fn traits(&self) -> Traits {
        self.text_type.traits()
    }

    /// Returns the machine number that it is, if it is one.
    pub fn number(&self) -> Option<NumberType> {
        self.text_type.machine_number()
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        self.text_type.is_day()
    }

    /// Returns whether it is a list of values.
    pub fn has_list(&self) -> bool {
        matches!(self.source, Some(ValueSource::Values(_) | ValueSource::ValuesOf(_)))
    }

    /// Returns the path of the file that has its values or its sequence.
    pub fn file(&self) -> Option<&str> {
        match &self.source {
            Some(ValueSource::ValuesOf(path) | ValueSource::SequenceOf(path)) => Some(path),
            Some(ValueSource::Values(_)) | None => None,
        }
    }

    /// Returns what it means, with the files it names; a list takes a part of `memory`.
    pub fn text_type(&self, ignores_case: bool, memory: ListMemory) -> Result<TextType> {
        let unreadable = |path: &str| {
            let words = format!("cannot read {path}, which '{}' names", self.word);
            move |source: io::Error| config!(ConfigErrorKind::InvalidKey, "{}: {}", words, source)
        };
        let of_list = |list: std::result::Result<ValueList, ConfigError>| {
            let wrong =
                |fault: ConfigError| config!(fault.kind(), "'{}' {}", self.word, fault.message());
            list.map(TextType::from).map_err(wrong)
        };
        let upper = |value: &String| match ignores_case {
            true => value.to_ascii_uppercase(),
            false => value.clone(),
        };
        match &self.source {
            None => Ok(self.text_type.clone()),
            Some(ValueSource::Values(values)) => {
                let values: Vec<String> = values.iter().map(upper).collect();
                of_list(ValueList::new(values.iter().map(String::as_bytes)).map_err(files::invalid))
            }
            Some(ValueSource::ValuesOf(path)) => {
                let list =
                    files::read_list(path, ignores_case, memory).map_err(unreadable(path))?;
                of_list(list)
            }
            Some(ValueSource::SequenceOf(path)) => {
                let sequence = files::read_sequence(path).map_err(unreadable(path))?;
                let wrong = |fault| Error::config(ConfigErrorKind::InvalidKey, fault);
                sequence.map(TextType::from).map_err(wrong)
            }
        }
    }
}

/// Reads the values of `order=low|mid|high`.
fn read_values(word: &str, values: &str) -> std::result::Result<Vec<String>, KeyFault> {
    let pieces = split(values, '|').ok_or(PlaceFault::OpenQuote)?;
    let value = |piece: &str| match unquoted(piece) {
        Some((value, "")) => Ok(value.into_owned()),
        _ => Err(PlaceFault::OpenQuote),
    };
    let values: Vec<String> =
        pieces.into_iter().map(value).collect::<std::result::Result<_, _>>()?;
    let list = ValueList::new(values.iter().map(String::as_bytes));
    list.map_err(|fault| TypeFault::List { word: word.to_owned(), fault })?;
    Ok(values)
}

/// Returns the word with what precedes its `=` in lower case, and the value as it is.
pub fn name_in_lower_case(word: &str) -> String {
    let (name, value) = word.split_at(word.find('=').unwrap_or(word.len()));
    name.to_ascii_lowercase() + value
}
