//! The faults that the text of a key can have, and their words.

use std::fmt;

use super::modifiers::MODIFIERS;
use super::named_type::Listed;
use crate::error::spelling::meant;
use crate::error::{ConfigErrorKind, Error, Message, ParseError, message};
use crate::format::Format;

/// A key that cannot be read, or that means nothing in records of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    key: String,
    fault: KeyFault,
    /// The types that the words list.
    types: Listed,
}

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFault {
    /// The place is not one.
    Place(PlaceFault),
    /// The type is not one, or is not of such a place.
    Type(TypeFault),
    /// A modifier is not one, or does not go with the type.
    Modifier(ModifierFault),
    /// The key means nothing in records of the format.
    Format(FormatFault),
    /// The columns that there are do not have the one that it names, in words.
    Column(Message),
}

/// A fault of the place that a key names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceFault {
    /// A quote opens and does not close.
    OpenQuote,
    /// A bracket opens and does not close, in this place.
    OpenBracket(String),
    /// This text is no place of any record.
    Unknown(String),
    /// The key is written as for GNU sort; what to write, or that nothing stands for it.
    OfGnuSort(String),
    /// This text is not a range of bytes.
    NotARange(String),
    /// This text is not the number of a byte.
    NotAByteNumber(String),
    /// The range ends where it begins, at this byte, or before.
    EmptyRange(usize),
    /// Fields count from 1.
    FieldZero,
    /// The first of several fields comes after the last; both count from 1.
    FieldsBackward {
        /// The first.
        first: usize,
        /// The last.
        last: usize,
    },
}

/// A fault of the type that a key names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeFault {
    /// This word is neither a type nor a modifier.
    Unknown(String),
    /// This word is a type, after a modifier or another type.
    Misplaced(String),
    /// This word should name a file.
    NoFile(String),
    /// A list of values is at fault.
    List {
        /// The word.
        word: String,
        /// The reason, in words.
        fault: String,
    },
    /// This machine number looks at a field.
    NumberOfField(String),
    /// A range is not as wide as its machine number.
    Width {
        /// The number.
        name: String,
        /// Bytes of the number.
        number_bytes: usize,
        /// The bytes of the range; `None` for all to the end of the record.
        range_bytes: Option<usize>,
        /// The key with the range that is right.
        right: String,
    },
}

/// A fault of the modifiers of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModifierFault {
    /// A colon has nothing after it.
    Empty,
    /// This word is not a modifier.
    Unknown(String),
    /// The key says this twice.
    Twice(&'static str),
    /// This text is not a byte.
    NotAByte(String),
    /// This text is a part of numbers, and so no sign between their digits.
    PartOfNumber(String),
    /// The name of the locale is empty.
    NoLocale,
    /// Values of this type have no case.
    NoCase(String),
    /// Values of this type have no notation of numbers.
    NoNotation(String),
    /// An int has no fraction, and so no decimal sign.
    NoFraction,
    /// One byte is the decimal sign and separates thousands.
    SameSign,
    /// Every byte counts in values of this type.
    NoBlanks(String),
    /// A locale does not order values of this type.
    NoLanguage(String),
}

/// A fault of a key in records of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatFault {
    /// Lines have no columns of this name.
    NameInLines(String),
    /// Records of several lines have no columns of a name.
    NameInGroups {
        /// The name.
        name: String,
        /// The lines of a record.
        lines: u32,
    },
    /// The rows have no header to name this column.
    NoHeader(String),
    /// Several fields are no column.
    FieldsOfRows {
        /// The keys of the columns, as options.
        keys: String,
        /// The place, as written.
        place: String,
    },
    /// A record has fewer lines.
    NoSuchLine {
        /// The number of the line, from 1.
        line: usize,
        /// The lines of a record.
        lines: u32,
    },
    /// The name is no path of a JSON value, in words.
    Path(String),
    /// The JSON value of this name has no bytes to take.
    BytesOfMember(String),
    /// JSON values have no numbers, such as this, from 1.
    NumberOfMember(usize),
    /// JSON values are not several fields.
    FieldsOfJson,
    /// These records differ in length, so that nothing is missing.
    Pad(&'static str),
    /// The type is of binary records.
    BinaryType {
        /// The type.
        name: String,
        /// The records.
        records: &'static str,
    },
    /// The records have no fields.
    NoFields,
    /// The range ends after the record.
    EndsAfter {
        /// The end of the range.
        end: usize,
        /// The bytes of a record.
        length: usize,
    },
    /// The range begins after the record.
    BeginsAfter {
        /// The beginning of the range.
        start: usize,
        /// The bytes of a record.
        length: usize,
    },
}

impl KeyError {
    /// Returns the error of the key `text`.
    pub(super) fn new(text: &str, fault: impl Into<KeyFault>) -> Self {
        Self { key: text.to_owned(), fault: fault.into(), types: Listed::All }
    }

    /// Returns the error of a key of records of `format`: its words list the types that keys of
    /// such records have, and suggest one of them.
    #[must_use]
    pub fn of_format(self, format: Format) -> Self {
        Self { types: Listed::of(format), ..self }
    }

    /// Returns the text of the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the reason.
    pub fn fault(&self) -> &KeyFault {
        &self.fault
    }

    /// Returns the reason and the remedy, which name the key.
    pub fn message(&self) -> Message {
        let key = &self.key;
        match &self.fault {
            KeyFault::Place(fault) => fault.words(key).into(),
            KeyFault::Type(fault) => fault.words(key, self.types).into(),
            KeyFault::Modifier(fault) => fault.words(key).into(),
            KeyFault::Format(fault) => fault.words(key).into(),
            KeyFault::Column(fault) => message!("key '{}': {}", key, fault),
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message())
    }
}

impl std::error::Error for KeyError {}

impl From<KeyError> for Message {
    fn from(error: KeyError) -> Self {
        error.message()
    }
}

impl From<KeyError> for ParseError {
    fn from(error: KeyError) -> Self {
        let message = error.message();
        Self::key(error.key, message)
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::config(ConfigErrorKind::InvalidKey, error.message())
    }
}

impl PlaceFault {
    fn words(&self, key: &str) -> String {
        match self {
            Self::OpenQuote => {
                format!("key '{key}' has no closing quote; double a quote inside quotes")
            }
            Self::OpenBracket(place) => {
                format!("'{place}' in key '{key}' lacks its ]; write 2[0..4]")
            }
            Self::Unknown(place) => format!(
                "'{place}' in key '{key}' is not a place in a record; write 2 for the second \
                 field, 2[0..4] for its first four bytes, 2-3 for fields 2 to 3 of a line, amount \
                 or \"amount\" for the column of that name, 0..10 for bytes of the record, or .. \
                 for all of it"
            ),
            Self::OfGnuSort(advice) => format!("key '{key}' is written as for GNU sort; {advice}"),
            Self::NotARange(range) => {
                format!("'{range}' in key '{key}' is not a range of bytes; write 0..10, 4.. or ..8")
            }
            Self::NotAByteNumber(digits) => format!(
                "'{digits}' in key '{key}' is not the number of a byte; write 0..10 for the first \
                 ten"
            ),
            Self::EmptyRange(start) => format!(
                "the range in key '{key}' is empty; ranges start at 0 and exclude their end: \
                 write {start}..{} for one byte",
                start.saturating_add(1)
            ),
            Self::FieldZero => format!("fields count from 1, and key '{key}' names field 0"),
            Self::FieldsBackward { first, last } => {
                format!("the fields in key '{key}' end before they begin; write {last}-{first}")
            }
        }
    }
}

impl TypeFault {
    fn words(&self, key: &str, types: Listed) -> String {
        match self {
            Self::Unknown(word) if is_place_after_type(key, word, types) => format!(
                "key '{key}' begins with a type; a key is a place and then a type: write \
                 {word}:{}",
                &key[..key.len() - word.len() - 1]
            ),
            Self::Unknown(word) => format!(
                "'{word}' in key '{key}' is not a key type for these records{}; use {types}, and \
                 {}",
                meant(word, types.names().chain(MODIFIERS)),
                known_modifiers()
            ),
            Self::Misplaced(word) => format!(
                "'{word}' in key '{key}' is out of place: a key has one type, right after its \
                 location, as in 2:decimal:desc"
            ),
            Self::NoFile(word) => {
                let right = if word.starts_with("order") { "order=@FILE" } else { "sequence=FILE" };
                format!("'{word}' in key '{key}' needs the name of a file; write {right}")
            }
            Self::List { word, fault } => format!("'{word}' in key '{key}' {fault}"),
            Self::NumberOfField(name) => format!(
                "'{name}' in key '{key}' is a type of binary records, as in 0..8:u64le; keys of \
                 fields are {}",
                Listed::OfText
            ),
            Self::Width { name, number_bytes, range_bytes: None, right } => format!(
                "key '{key}' has no end, and {name} takes {}; write {right}",
                byte_count(*number_bytes)
            ),
            Self::Width { name, number_bytes, range_bytes: Some(range_bytes), right } => format!(
                "key '{key}' is {} wide, but {name} takes {}; write {right}",
                byte_count(*range_bytes),
                byte_count(*number_bytes)
            ),
        }
    }
}

impl ModifierFault {
    fn words(&self, key: &str) -> String {
        match self {
            Self::Empty => format!("key '{key}' has a colon with nothing after it"),
            Self::Unknown(word) => format!(
                "'{word}' in key '{key}' is not a known modifier{}; use {}",
                meant(word, MODIFIERS),
                known_modifiers()
            ),
            Self::Twice(what) => format!("key '{key}' gives {what} twice; once is enough"),
            Self::NotAByte(text) => format!("{} in key '{key}'", not_a_byte(text)),
            Self::PartOfNumber(text) => format!(
                "'{text}' is part of numbers; write another sign, as in decimal=, in key '{key}'"
            ),
            Self::NoLocale => format!("key '{key}' needs the name of a locale; write locale=de"),
            Self::NoCase(name) => {
                format!("key '{key}' has the modifier ci, but {name} has no case; leave it out")
            }
            Self::NoNotation(name) => format!(
                "key '{key}' has a notation of numbers, and type {name} has none; use decimal=, \
                 thousands= and currency with int and decimal"
            ),
            Self::NoFraction => {
                format!("key '{key}' has a decimal sign, and an int has no fraction; write decimal")
            }
            Self::SameSign => format!(
                "key '{key}' has one byte for the decimal sign and for thousands; write two, as \
                 in decimal=,:thousands=."
            ),
            Self::NoBlanks(name) => {
                format!("key '{key}' has the modifier trim, but in {name} every byte counts")
            }
            Self::NoLanguage(name) => format!(
                "key '{key}' names a locale, which orders text and not {name}; write text, or \
                 leave the locale out"
            ),
        }
    }
}

impl FormatFault {
    fn words(&self, key: &str) -> String {
        match self {
            Self::NameInLines(name) => format!(
                "'{name}' in key '{key}' is not a place in a line; write 2 for the second field, \
                 2[0..4] for its first four bytes, 2-3 for fields 2 to 3, 0..10 for bytes of the \
                 line, or .. for all of it; names of columns need the format csv, tsv or jsonl"
            ),
            Self::NameInGroups { name, lines } => format!(
                "'{name}' in key '{key}' is not a place in a record of {lines} lines; write 2 for \
                 the second line, 1.2 for the second field of the first, 2[0..4] for bytes of a \
                 line, 2-3 for lines 2 to 3, or .. for the whole record"
            ),
            Self::NoHeader(name) => format!(
                "key '{key}' names the column '{name}', but there is no header to name it; write \
                 its number, as in 2:decimal"
            ),
            Self::FieldsOfRows { keys, place } => format!(
                "key '{key}' names several fields of a line, and columns are keys of their own; \
                 write {keys}, or \"{place}\" for the column of that name"
            ),
            Self::NoSuchLine { line, lines } => {
                format!("key '{key}' names line {line}, and a record has {lines}")
            }
            Self::Path(fault) => format!("key '{key}': {fault}"),
            Self::BytesOfMember(name) => format!(
                "key '{key}' asks for bytes of the JSON value '{name}'; leave out the range of \
                 bytes"
            ),
            Self::NumberOfMember(number) => format!(
                "key '{key}' is the number of a field, and JSON values have names; write the name \
                 of a member, as in user.id, or \"{number}\" if that is its name"
            ),
            Self::FieldsOfJson => format!(
                "key '{key}' names several fields of a line, and JSON values have names; write \
                 one key for each, as in -k user.id -k ts"
            ),
            Self::Pad(records) => format!(
                "key '{key}' has the modifier pad, but missing bytes of {records} are empty; \
                 leave it out"
            ),
            Self::BinaryType { name, records } => format!(
                "'{name}' in key '{key}' is a type of binary records; keys of {records} are {}",
                Listed::OfText
            ),
            Self::NoFields => format!(
                "key '{key}' is not a range of bytes, and these records have no fields; write \
                 0..10, 4.. or ..8, and a type after it ({})",
                Listed::All
            ),
            Self::EndsAfter { end, length } => {
                format!("key '{key}' ends at byte {end}, {}", record(*length))
            }
            Self::BeginsAfter { start, length } => {
                format!("key '{key}' begins at byte {start}, {}", record(*length))
            }
        }
    }
}

/// Returns that a text is not a byte.
pub(super) fn not_a_byte(text: &str) -> String {
    format!("'{text}' is not a byte; write its number, as in 0, 64 or 0x40")
}

/// Returns whether a key is the name of a type, and after it a place, which stands as `word`.
fn is_place_after_type(key: &str, word: &str, types: Listed) -> bool {
    let is_place = word.starts_with(|start: char| start.is_ascii_digit() || start == '.');
    let type_name = key.strip_suffix(word).and_then(|before| before.strip_suffix(':'));
    is_place && types.names().any(|name| Some(name) == type_name)
}

fn known_modifiers() -> String {
    format!("the modifiers {}, as in 2:decimal:desc", MODIFIERS.join(" "))
}

/// Returns what to do where a record of `length` bytes is shorter than a key.
fn record(length: usize) -> String {
    format!(
        "but the record has {length} bytes; give a range within 0..{length}, or the right record \
         length"
    )
}

/// Returns a count of bytes in words.
fn byte_count(bytes: usize) -> String {
    format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" })
}

macro_rules! is_a_key_fault {
    ($($fault:ident is $variant:ident),+) => {$(
        impl From<$fault> for KeyFault {
            fn from(fault: $fault) -> Self {
                Self::$variant(fault)
            }
        }
    )+};
}

is_a_key_fault!(
    PlaceFault is Place,
    TypeFault is Type,
    ModifierFault is Modifier,
    FormatFault is Format
);

#[cfg(test)]
mod tests;
