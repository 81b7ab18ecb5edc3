//! The types of keys by their names.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use super::super::key_type::{NUMBERS, NumberType};
use super::super::text::{TYPES, TextType, ValueList};
use super::fault::{KeyFault, PlaceFault, TypeFault};
use super::files::{self, ListMemory};
use super::words::{split, unquoted};
use crate::error::{ConfigError, ConfigErrorKind, Error, Result, config};
use crate::format::Format;

/// Types that name more than themselves.
const OPEN_TYPES: [&str; 3] = ["order=LIST", "order=@FILE", "sequence=FILE"];

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
        let is_listed = move |named: &NamedType| self == Self::All || !named.is_binary();
        let numbers = NUMBERS.iter().map(|(name, _)| *name);
        let closed = TYPES.iter().map(|(name, _)| *name).chain(numbers);
        let listed = move |name: &&str| NamedType::known(name).as_ref().is_some_and(is_listed);
        closed.filter(listed).chain(OPEN_TYPES)
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
    meaning: Meaning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Known(TextType),
    /// Values in order.
    Values(Vec<String>),
    /// A file of values in order, one a line.
    ValuesOf(String),
    /// A file of 256 bytes.
    SequenceOf(String),
}

impl NamedType {
    /// Returns bytes, under one of their names.
    pub fn of_bytes(name: &'static str) -> Self {
        Self { word: Cow::Borrowed(name), meaning: Meaning::Known(TextType::Bytes) }
    }

    /// Returns the type of a name of [`TYPES`], or of a machine number; in any case.
    pub fn known(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let row = TYPES.iter().find(|(known, _)| *known == name);
        let known = row.map(|(known, text_type)| (Cow::Borrowed(*known), text_type.clone()));
        let number =
            || Some((Cow::Owned(name.clone()), TextType::Binary(NumberType::named(&name)?)));
        let (word, text_type) = known.or_else(number)?;
        Some(Self { word, meaning: Meaning::Known(text_type) })
    }

    /// Reads a word of a key; `None` where it names no type. Case counts in values and names of
    /// files alone.
    pub fn read(word: &str) -> std::result::Result<Option<Self>, KeyFault> {
        let file = |path: &str| match unquoted(path) {
            Some((path, "")) if !path.is_empty() => Ok(path.into_owned()),
            _ => Err(TypeFault::NoFile(name_in_lower_case(word))),
        };
        let word = &name_in_lower_case(word);
        let meaning = if let Some(path) = word.strip_prefix("sequence=") {
            Meaning::SequenceOf(file(path)?)
        } else if let Some(path) = word.strip_prefix("order=@") {
            Meaning::ValuesOf(file(path)?)
        } else if let Some(values) = word.strip_prefix("order=") {
            Meaning::Values(read_values(word, values)?)
        } else {
            return Ok(Self::known(word));
        };
        Ok(Some(Self { word: Cow::Owned(word.clone()), meaning }))
    }

    /// Returns the machine number that it is, if it is one.
    pub fn number(&self) -> Option<NumberType> {
        match self.meaning {
            Meaning::Known(TextType::Binary(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns whether its bytes are not text, so that blanks and ends of lines mean nothing in
    /// them.
    pub fn is_binary(&self) -> bool {
        matches!(self.meaning, Meaning::Known(TextType::Binary(_) | TextType::Packed))
    }

    /// Returns whether every byte of it counts, blanks and all.
    pub fn counts_blanks(&self) -> bool {
        self.is_binary() || matches!(self.meaning, Meaning::Known(TextType::Zoned(_)))
    }

    /// Returns whether it is a list of values.
    pub fn has_list(&self) -> bool {
        matches!(self.meaning, Meaning::Values(_) | Meaning::ValuesOf(_))
    }

    /// Returns whether case is a part of its values.
    pub fn has_case(&self) -> bool {
        match &self.meaning {
            Meaning::Known(text_type) => text_type.is_text(),
            Meaning::Values(_) | Meaning::ValuesOf(_) | Meaning::SequenceOf(_) => true,
        }
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        matches!(&self.meaning, Meaning::Known(text_type) if text_type.is_day())
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
            list.map(|list| TextType::List(Arc::new(list))).map_err(wrong)
        };
        let upper = |value: &String| match ignores_case {
            true => value.to_ascii_uppercase(),
            false => value.clone(),
        };
        match &self.meaning {
            Meaning::Known(text_type) => Ok(text_type.clone()),
            Meaning::Values(values) => {
                let values: Vec<String> = values.iter().map(upper).collect();
                of_list(ValueList::new(values.iter().map(String::as_bytes)).map_err(files::invalid))
            }
            Meaning::ValuesOf(path) => {
                let list =
                    files::read_list(path, ignores_case, memory).map_err(unreadable(path))?;
                of_list(list)
            }
            Meaning::SequenceOf(path) => {
                let sequence = files::read_sequence(path).map_err(unreadable(path))?;
                let wrong = |fault| Error::config(ConfigErrorKind::InvalidKey, fault);
                sequence.map(|places| TextType::Sequence(Arc::new(places))).map_err(wrong)
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

/// Returns whether a word is the name of a type, its file aside.
pub fn is_name(word: &str) -> bool {
    let word = name_in_lower_case(word);
    let takes_more = word.starts_with("order=") || word.starts_with("sequence=");
    takes_more || NamedType::known(&word).is_some()
}

/// Returns the word with what precedes its `=` in lower case, and the value as it is.
pub fn name_in_lower_case(word: &str) -> String {
    let (name, value) = word.split_at(word.find('=').unwrap_or(word.len()));
    name.to_ascii_lowercase() + value
}
