//! The types of keys by their names.

use std::fs;
use std::sync::Arc;

use super::super::super::key_type::{KeyType, NumberType};
use super::super::text_type::{CodePage, TextType, ValueList, Zoned};
use super::location::unclosed;
use super::words::{split, unquoted};
use crate::error::{Error, Result};
use crate::format::csv::BYTE_ORDER_MARK;

/// Every type under its name, in the order they are listed to people.
pub static TYPES: [(&str, TextType); 31] = [
    ("bytes", TextType::Bytes),
    ("text", TextType::Bytes),
    ("int", TextType::Int),
    ("decimal", TextType::Decimal),
    ("float", TextType::Float),
    ("size", TextType::Size),
    ("month", TextType::Month),
    ("version", TextType::Version),
    ("natural", TextType::Natural),
    ("random", TextType::Random),
    ("date", TextType::Date),
    ("time", TextType::Time),
    ("timestamp", TextType::Timestamp),
    ("ip", TextType::Ip),
    ("uuid", TextType::Uuid),
    ("bool", TextType::Bool),
    ("packed", TextType::Packed),
    ("zoned", zoned(false, false, false)),
    ("zoned-leading", zoned(true, false, false)),
    ("zoned-separate", zoned(false, true, false)),
    ("zoned-leading-separate", zoned(true, true, false)),
    ("zoned=ebcdic", zoned(false, false, true)),
    ("zoned-leading=ebcdic", zoned(true, false, true)),
    ("zoned-separate=ebcdic", zoned(false, true, true)),
    ("zoned-leading-separate=ebcdic", zoned(true, true, true)),
    ("zoned=ascii", zoned(false, false, false)),
    ("ebcdic", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=037", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=37", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=500", TextType::Ebcdic(CodePage::Cp500)),
    ("ebcdic=1047", TextType::Ebcdic(CodePage::Cp1047)),
];

/// The types as they are listed in messages.
pub const NAMES: &str = "bytes text int decimal float size month version natural random date time \
                         timestamp ip uuid bool order=LIST";

/// Those of bytes that are no text, likewise.
pub const BINARY_NAMES: &str = "packed zoned zoned=ebcdic (zoned-leading, zoned-separate) ebcdic \
                                ebcdic=500 ebcdic=1047 sequence=FILE u8 i8 u16le u16be ... f64be";

const fn zoned(is_leading: bool, is_separate: bool, is_ebcdic: bool) -> TextType {
    TextType::Zoned(Zoned { is_leading, is_separate, is_ebcdic })
}

/// A type as it is named in a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    /// As written.
    pub word: String,
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
    /// Bytes, under one of their names.
    pub fn of_bytes(name: &str) -> Self {
        Self { word: name.to_owned(), meaning: Meaning::Known(TextType::Bytes) }
    }

    /// The type of a name of [`TYPES`], or of a machine number.
    pub fn known(name: &str) -> Option<Self> {
        let row = TYPES.iter().find(|(known, _)| *known == name);
        let number = || NumberType::named(name).map(TextType::Binary);
        let text_type = row.map(|(_, text_type)| text_type.clone()).or_else(number)?;
        Some(Self { word: name.to_owned(), meaning: Meaning::Known(text_type) })
    }

    /// Reads a `word` of the key `text`; `None` where it names no type.
    pub fn read(text: &str, word: &str) -> std::result::Result<Option<Self>, String> {
        let file = |path: &str| match unquoted(path) {
            Some((path, "")) if !path.is_empty() => Ok(path.into_owned()),
            _ => Err(format!("'{word}' in key '{text}' names no file; write sequence=FILE")),
        };
        let meaning = if let Some(path) = word.strip_prefix("sequence=") {
            Meaning::SequenceOf(file(path)?)
        } else if let Some(path) = word.strip_prefix("order=@") {
            Meaning::ValuesOf(file(path)?)
        } else if let Some(values) = word.strip_prefix("order=") {
            Meaning::Values(read_values(text, word, values)?)
        } else {
            return Ok(Self::known(word));
        };
        Ok(Some(Self { word: word.to_owned(), meaning }))
    }

    /// The machine number that it is, if it is one.
    pub fn number(&self) -> Option<NumberType> {
        match self.meaning {
            Meaning::Known(TextType::Binary(number)) => Some(number),
            _ => None,
        }
    }

    /// Whether its bytes are no text, so that blanks and ends of lines mean nothing in them.
    pub fn is_binary(&self) -> bool {
        matches!(self.meaning, Meaning::Known(TextType::Binary(_) | TextType::Packed))
    }

    /// Whether every byte of it counts, blanks and all.
    pub fn counts_blanks(&self) -> bool {
        self.is_binary() || matches!(self.meaning, Meaning::Known(TextType::Zoned(_)))
    }

    /// Whether case is a part of its values.
    pub fn has_case(&self) -> bool {
        match &self.meaning {
            Meaning::Known(text_type) => matches!(
                text_type,
                TextType::Bytes
                    | TextType::Version
                    | TextType::Natural
                    | TextType::Random
                    | TextType::Ebcdic(_)
            ),
            Meaning::Values(_) | Meaning::ValuesOf(_) | Meaning::SequenceOf(_) => true,
        }
    }

    /// What it means, with the files it names.
    pub fn text_type(&self, ignores_case: bool) -> Result<TextType> {
        let list = |values: Vec<Vec<u8>>| {
            let upper = |value: Vec<u8>| match ignores_case {
                true => value.to_ascii_uppercase(),
                false => value,
            };
            let values: Vec<Vec<u8>> = values.into_iter().map(upper).collect();
            let list = ValueList::new(values.iter().map(Vec::as_slice));
            let wrong = |fault| Error::Usage(format!("'{}' {fault}", self.word));
            list.map(|list| TextType::List(Arc::new(list))).map_err(wrong)
        };
        match &self.meaning {
            Meaning::Known(text_type) => Ok(text_type.clone()),
            Meaning::Values(values) => {
                list(values.iter().map(|value| value.clone().into_bytes()).collect())
            }
            Meaning::ValuesOf(path) => {
                let text = self.read_file(path)?;
                let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
                let lines = text.split(|&byte| byte == b'\n');
                let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
                list(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
            }
            Meaning::SequenceOf(path) => {
                let bytes = self.read_file(path)?;
                let places: [u8; 256] = bytes.as_slice().try_into().map_err(|_| {
                    Error::Usage(format!(
                        "{path} has {} bytes, but a collating sequence has 256: one for each byte, \
                         as what it sorts",
                        bytes.len()
                    ))
                })?;
                Ok(TextType::Sequence(Arc::new(places)))
            }
        }
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>> {
        fs::read(path).map_err(|source| {
            Error::Usage(format!("cannot read {path}, which '{}' names: {source}", self.word))
        })
    }
}

/// The values of `order=low|mid|high`.
fn read_values(text: &str, word: &str, values: &str) -> std::result::Result<Vec<String>, String> {
    let pieces = split(values, '|').ok_or_else(|| unclosed(text))?;
    let value = |piece: &str| match unquoted(piece) {
        Some((value, "")) => Ok(value.into_owned()),
        _ => Err(unclosed(text)),
    };
    let values: Vec<String> =
        pieces.into_iter().map(value).collect::<std::result::Result<_, _>>()?;
    let list = ValueList::new(values.iter().map(String::as_bytes));
    list.map_err(|fault| format!("'{word}' in key '{text}' {fault}"))?;
    Ok(values)
}

/// Whether a word is the name of a type, its file aside.
pub fn is_name(word: &str) -> bool {
    let takes_more = word.starts_with("order=") || word.starts_with("sequence=");
    takes_more || NamedType::known(word).is_some() || KeyType::named(word).is_some()
}
