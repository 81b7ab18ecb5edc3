//! A key as a person writes it, in any format: `LOCATION[:TYPE][:MODIFIER]...`.
//!
//! ```text
//!     LOCATION   2           the second field, from 1
//!                amount      the column of that name; "2024" or "a:b" where it might be misread
//!                user.id     the JSON value at that path
//!                2[0..4]     bytes of that field, from 0, the end not included
//!                2-3  2-     fields 2 to 3 of a line, or to its end, with what is between them
//!                1.2  1.2-3  fields of one line, in records of several
//!                0..10  4..  bytes of the record
//!                ..          the whole record, as is nothing
//!     TYPE       bytes (default) text int decimal float size month version natural random date
//!                time timestamp ip uuid semver bool order=low|mid|high order=@FILE
//!                packed zoned ebcdic sequence=FILE u32le and other machine numbers
//!     MODIFIER   asc (default) desc, ci, trim, nulls-first, nulls-last, pad=BYTE, locale=NAME,
//!                decimal=, thousands=. currency
//! ```
//!
//! Names of types and modifiers are read in any case.
//!
//! A key that can be read may still mean nothing in records of some format: [`Key::check`] says
//! so. [`OrderOptions::bind`](super::OrderOptions::bind) makes an order of keys.

mod fault;
mod files;
mod format;
mod gnu_key;
mod location;
mod modifiers;
mod named_type;
pub mod words;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::text::{ByteMeaning, End, Position, TextSpec, TextType, Translation, collation};
use crate::error::Result as EngineResult;
pub use fault::{FormatFault, KeyError, KeyFault, ModifierFault, PlaceFault, TypeFault};
pub use files::ListMemory;
pub use gnu_key::gnu_key;
use location::{ExactSpec, Location, RecordPart};
use modifiers::Modifiers;
pub use modifiers::read_byte;
use named_type::{Listed, NamedType};

/// One key: a place in the record, the type of what is there, and how it is ordered.
///
/// Read from text, and shown as text that reads back as an equal key.
///
/// The default is the whole record as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    location: Location,
    named: NamedType,
    modifiers: Modifiers,
}

impl Default for Key {
    fn default() -> Self {
        Self::at(RecordPart::Record)
    }
}

/// A key that is given by its meaning, such as one of GNU sort, which the text of keys may have no
/// words for. It shows itself as its place in words.
impl From<TextSpec> for Key {
    fn from(spec: TextSpec) -> Self {
        Self::at(RecordPart::Exact(ExactSpec(Arc::new(spec))))
    }
}

impl Key {
    /// Returns the key of the bytes of a part of records.
    fn at(part: RecordPart) -> Self {
        let location = Location::all_of(part);
        let (named, modifiers) = (NamedType::of("bytes", TextType::BYTES), Modifiers::default());
        Self { location, named, modifiers }
    }

    /// Returns the key in the other direction. Nulls stay where they are.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.modifiers.is_descending = !self.modifiers.is_descending;
        self
    }

    /// Divides `PLACE[:TYPE][:MODIFIER]...` into the place and what follows it, if anything does.
    pub(crate) fn split_place(text: &str) -> (&str, Option<&str>) {
        let pieces = words::split(text, ':').unwrap_or_else(|| vec![text]);
        let is_known =
            |word: &&&str| TextType::named(word).is_some() || modifiers::is_modifier(word);
        let known = pieces[1..].iter().rev().take_while(is_known);
        match known.map(|word| word.len() + 1).sum() {
            0 => (text, None),
            length => {
                let (place, words) = text.split_at(text.len() - length);
                (place, Some(&words[1..]))
            }
        }
    }

    /// Returns whether it says more than its type and what is equal in it: a direction, where what
    /// is empty goes, or a pad.
    pub(crate) fn has_place_modifiers(&self) -> bool {
        let Modifiers { is_descending, nulls, pad, .. } = &self.modifiers;
        *is_descending || nulls.is_some() || pad.is_some()
    }

    /// Returns whether the first of these words is a type that records of bytes alone have.
    pub(crate) fn names_bytes(words: &str) -> bool {
        type_of(words).is_some_and(|text_type| text_type.traits().is_of_bytes())
    }

    /// Returns whether the first of these words is a type of days or times.
    pub(crate) fn names_day(words: &str) -> bool {
        type_of(words).is_some_and(|text_type| text_type.is_day())
    }

    /// Returns the names of the types that text may have.
    pub(crate) fn types_of_text() -> String {
        Listed::OfText.to_string()
    }

    /// Returns the name of its type, as written, in lower case.
    pub(crate) fn type_name(&self) -> &str {
        &self.named.word
    }

    /// Returns the locale whose collation it asks for.
    pub(crate) fn locale(&self) -> Option<&str> {
        self.modifiers.locale.as_deref()
    }

    /// Returns whether it looks at bytes of the record as they are: without folding case, a pad, a
    /// language or a code page.
    pub(crate) fn is_as_written(&self) -> bool {
        let Modifiers { ignores_case, pad, locale, .. } = &self.modifiers;
        let is_translated = *ignores_case || pad.is_some() || locale.is_some();
        !is_translated && self.named.traits().alphabet != Some(ByteMeaning::Page)
    }

    /// Returns whether it has a list of values, of its own or in a file.
    pub fn has_list(&self) -> bool {
        self.named.has_list()
    }

    /// Returns the path of the file that its type names.
    pub fn file(&self) -> Option<&str> {
        self.named.file()
    }

    /// Returns whether it shuffles.
    pub fn is_random(&self) -> bool {
        self.named.traits().is_shuffle
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        self.named.is_day()
    }

    /// Returns the name of the column or of the JSON value that it asks for.
    pub fn column(&self) -> Option<&str> {
        if let RecordPart::Column(name) = &self.location.part { Some(name) } else { None }
    }

    /// Returns its first byte and its end.
    fn extent(&self) -> (Position, End) {
        let Location { part, start, end } = &self.location;
        let at = |field, byte| Position { field, byte, skips_blanks: self.modifiers.trims };
        let (first, last) = match part {
            // Bytes of the record count from its beginning, blanks or not.
            RecordPart::Record => {
                let at = |byte| Position { byte, ..Position::default() };
                return (at(*start), end.map_or(End::Record, |end| End::At(at(end))));
            }
            RecordPart::Exact(spec) => return (spec.0.start, spec.0.end),
            RecordPart::Fields { first, last, .. } => (*first, *last),
            RecordPart::Column(_) => (0, Some(0)),
        };
        let end = match (last, end.map(|end| at(first, end))) {
            (Some(last), Some(end)) => End::Within(end, last),
            (Some(last), None) => End::Field(last),
            (None, Some(end)) => End::At(end),
            (None, None) => End::Record,
        };
        (at(first, *start), end)
    }

    /// Returns what it means; files that it names are read, and a list of values takes a part of
    /// `memory`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a locale that does not exist, for a file that
    /// cannot be read or is malformed, and for a list of values that is too large.
    pub fn spec(&self, memory: ListMemory) -> EngineResult<TextSpec> {
        let modifiers = &self.modifiers;
        let is_reversed = modifiers.is_descending;
        if let RecordPart::Exact(spec) = &self.location.part {
            let is_descending = spec.0.is_descending != is_reversed;
            return Ok(TextSpec { is_descending, ..(*spec.0).clone() });
        }
        let collation = self.locale().map(collation).transpose()?;
        let (start, end) = self.extent();
        let column = self.column().map(str::to_owned);
        let line = match self.location.part {
            RecordPart::Fields { line, .. } => line,
            _ => None,
        };
        Ok(TextSpec {
            line,
            start,
            end,
            text_type: match modifiers.written(self.named.traits().is_whole()) {
                Some(form) => TextType::written(form),
                None => self.named.text_type(modifiers.ignores_case, memory)?,
            },
            translation: Translation {
                folds_case: modifiers.ignores_case,
                ..Translation::default()
            },
            collation,
            is_descending: is_reversed,
            trims: modifiers.trims,
            nulls: modifiers.nulls,
            pad: modifiers.pad,
            is_by_name: column.is_some(),
            name: column,
        })
    }

    /// Checks that a machine number looks at as many bytes of the record as it has.
    fn check_width(&self) -> Result<(), KeyFault> {
        let Some(number) = self.named.number() else { return Ok(()) };
        let (name, number_bytes) = (self.named.word.to_string(), number.width_bytes());
        let Location { part, start, end } = &self.location;
        if *part != RecordPart::Record {
            return Err(TypeFault::NumberOfField(name).into());
        }
        let range_bytes = end.map(|end| end - start);
        if range_bytes == Some(number_bytes) {
            return Ok(());
        }
        let mut right = self.clone();
        right.location.end = Some(start.saturating_add(number_bytes));
        let right = right.to_string();
        Err(TypeFault::Width { name, number_bytes, range_bytes, right }.into())
    }

    fn read(text: &str) -> Result<Self, KeyFault> {
        let pieces = words::split(text, ':').ok_or(PlaceFault::OpenQuote)?;
        let (place, words) = match pieces.as_slice() {
            [place, words @ ..] => (*place, words),
            [] => (text, &[][..]),
        };
        let location = Location::read(place)?;
        let named = match words.first() {
            Some(word) => NamedType::read(word)?,
            None => None,
        };
        let words = &words[usize::from(named.is_some())..];
        let modifiers = Modifiers::read(words, named.is_some())?;
        let named = named.unwrap_or_else(|| match &modifiers {
            modifiers if modifiers.is_of_number() => NamedType::of("decimal", TextType::DECIMAL),
            modifiers if modifiers.locale.is_some() => NamedType::of("text", TextType::BYTES),
            _ => NamedType::of("bytes", TextType::BYTES),
        });
        modifiers.check(&named)?;
        let key = Self { location, named, modifiers };
        key.check_width()?;
        Ok(key)
    }
}

/// Returns the type that the first of these words names.
fn type_of(words: &str) -> Option<TextType> {
    TextType::named(words.split(':').next().unwrap_or_default()).map(|(_, text_type)| text_type)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.location)?;
        if self.named.word != "bytes" {
            write!(f, ":{}", self.named.word)?;
        }
        write!(f, "{}", self.modifiers)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::read(text).map_err(|fault| KeyError::new(text, fault))
    }
}

#[cfg(test)]
mod tests;
