//! A key of text records as a person writes it: `LOCATION[:TYPE][:MODIFIER]...`.
//!
//! ```text
//!     LOCATION   2           the second field, from 1
//!                amount      the column of that name; "2024" or "a:b" where it might be misread
//!                2[0..4]     bytes of that field, from 0, the end not included
//!                2-3  2-     fields 2 to 3 of a line, or to its end, with what is between them
//!                1.2  1.2-3   fields of one line, in records of several
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
//! Which collation a locale means is not known here; whoever asks for the spec says so. Nor is the
//! format of the records: [`TextKeySpec::check`] holds a key to one.

mod files;
mod gnu_key;
mod location;
mod modifiers;
mod named_type;
mod words;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::columns;
use super::order::{Collation, End, Position, TextSpec, Translation};
use super::text_type::{TextType, Zoned};
use crate::error::{self, Message, ParseError, message};
use crate::format::{Format, LineGroup, json};
use crate::key::KeySpec;
pub use files::ListMemory;
pub use gnu_key::gnu_key;
use location::Location;
use modifiers::Modifiers;
pub use modifiers::read_byte;
use named_type::{Listed, NamedType};

/// One key of text records, as written.
///
/// ```
/// use sortwell_engine::key::text::TextKeySpec;
///
/// let spec: TextKeySpec = "2[0..4]:decimal:desc".parse()?;
/// assert_eq!(spec.to_string(), "2[0..4]:decimal:desc");
/// # Ok::<(), sortwell_engine::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextKeySpec {
    location: Location,
    named: NamedType,
    modifiers: Modifiers,
    /// What its column is called, where that is known of a number.
    column: Option<String>,
}

impl TextKeySpec {
    /// Divides `PLACE[:TYPE][:MODIFIER]...` into the place and what follows it, if anything does.
    pub fn split_place(text: &str) -> (&str, Option<&str>) {
        let pieces = words::split(text, ':').unwrap_or_else(|| vec![text]);
        let is_known = |word: &&&str| named_type::is_name(word) || modifiers::is_modifier(word);
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
    pub fn has_place_modifiers(&self) -> bool {
        let Modifiers { is_descending, nulls, pad, .. } = &self.modifiers;
        *is_descending || nulls.is_some() || pad.is_some()
    }

    /// Returns whether the first of these words is a type that records of bytes alone have.
    pub fn names_bytes(words: &str) -> bool {
        let word = words.split(':').next().unwrap_or_default();
        let is_of_bytes = |named: NamedType| named.counts_blanks() || word_is_of_bytes(word);
        word_is_of_bytes(word) || NamedType::known(word).is_some_and(is_of_bytes)
    }

    /// The zoned decimals that a word means, if it means any.
    pub fn zoned(word: &str) -> Option<Zoned> {
        match NamedType::known(word)?.text_type(false, ListMemory::UNBOUNDED) {
            Ok(TextType::Zoned(form)) => Some(form),
            _ => None,
        }
    }

    /// Names of the types that text may have.
    pub fn types_of_text() -> String {
        Listed::OfText.to_string()
    }

    /// The name of its type, as written, in lower case.
    pub fn type_name(&self) -> &str {
        &self.named.word
    }

    /// The locale whose collation it asks for.
    pub fn locale(&self) -> Option<&str> {
        self.modifiers.locale.as_deref()
    }

    /// Returns whether it looks at bytes of the record as they are: without folding case, a pad, a
    /// language or a code page.
    pub fn is_as_written(&self) -> bool {
        let Modifiers { ignores_case, pad, locale, .. } = &self.modifiers;
        let is_translated = *ignores_case || pad.is_some() || locale.is_some();
        !is_translated && !self.named.word.starts_with("ebcdic")
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        matches!(self.named.word.as_str(), "date" | "time" | "timestamp")
    }

    /// The name of the column that it asks for and whose number is not known yet.
    pub fn column(&self) -> Option<&str> {
        match &self.location {
            Location::Column { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Finds the column it names among those that there are. Its key then shows the number.
    ///
    /// # Errors
    ///
    /// What is wrong, in words: no column is called so, or several are, or there are not so many.
    pub fn resolve(&mut self, columns: &[Vec<u8>]) -> Result<(), Message> {
        match &self.location {
            Location::Column { name, start, end } => {
                let field =
                    columns::find(name, columns).map_err(|fault| self.unresolved(&fault))?;
                self.column = Some(name.clone());
                self.location = Location::Field { field, start: *start, end: *end };
            }
            Location::Field { field, .. } => {
                let name =
                    columns::name(*field, columns).map_err(|fault| self.unresolved(&fault))?;
                self.column = Some(name);
            }
            Location::Fields { .. } | Location::OfLine { .. } | Location::Record { .. } => {}
        }
        Ok(())
    }

    fn unresolved(&self, fault: &Message) -> Message {
        message!("key '{}': {}", format_args!("{self}"), fault)
    }

    fn said(&self, fault: &str) -> String {
        format!("key '{self}': {fault}")
    }

    /// Whether it means something in records of `format`.
    ///
    /// # Errors
    ///
    /// What does not fit, in words: a place that such records do not have, or a type.
    pub fn check(&self, format: Format) -> Result<(), String> {
        if let (Location::OfLine { .. }, false) = (&self.location, format.has_groups()) {
            return Err(location::not_a_place(&self.to_string(), &self.location.to_string()));
        }
        match format {
            Format::LineGroups(group) => self.check_lines(group),
            Format::Lines { .. } => match &self.location {
                Location::Column { name, .. } if gnu_key(name).is_some() => {
                    Err(self.said(&format!(
                        "it is written as for GNU sort; {}",
                        gnu_key(name).unwrap_or_default()
                    )))
                }
                Location::Column { name, .. } => Err(format!(
                    "'{name}' in key '{self}' is not a place in a line; write 2 for the second \
                     field, 2[0..4] for its first four bytes, 2-3 for fields 2 to 3, 0..10 for \
                     bytes of the line, or .. for all of it"
                )),
                _ => self.check_is_text("lines"),
            },
            Format::Csv(csv) => match &self.location {
                Location::Column { name, .. } if !csv.has_header => Err(format!(
                    "key '{self}' names the column '{name}', but there is no header to name it; \
                     write its number, as in 2:decimal"
                )),
                Location::Fields { first, .. } => Err(format!(
                    "key '{self}' names several fields of a line, and columns are keys of their \
                     own; write -k {} -k {}, or \"{}\" for the column of that name",
                    first + 1,
                    first + 2,
                    self.location
                )),
                _ => self.check_is_text("rows"),
            },
            Format::JsonLines => self.check_member(),
            Format::Fixed { length } => self.check_range(Some(length as usize)),
            Format::Prefixed(_) => self.check_range(None),
        }
    }

    /// Checks a key of records of several lines.
    fn check_lines(&self, LineGroup { lines, .. }: LineGroup) -> Result<(), String> {
        let last = match &self.location {
            Location::Record { .. } => None,
            Location::Field { field, .. } => Some(*field),
            Location::Fields { first, last, .. } => Some(last.unwrap_or(*first)),
            Location::OfLine { line, .. } => Some(*line),
            Location::Column { name, .. } => {
                return Err(format!(
                    "'{name}' in key '{self}' is not a place in a record of {lines} lines; write 2 \
                     for the second line, 1.2 for the second field of the first, 2[0..4] for bytes \
                     of a line, 2-3 for lines 2 to 3, or .. for the whole record"
                ));
            }
        };
        match last {
            Some(last) if last >= lines as usize => {
                let line = last.saturating_add(1);
                Err(format!("key '{self}' names line {line}, and a record has {lines}"))
            }
            _ => self.check_is_text("lines"),
        }
    }

    fn check_member(&self) -> Result<(), String> {
        match &self.location {
            Location::Column { name, start: 0, end: None } => {
                json::Path::read(name).map_err(|fault| self.said(&fault))?;
            }
            Location::Column { name, .. } => {
                return Err(format!(
                    "key '{self}' asks for bytes of the JSON value '{name}'; leave out the range \
                     of bytes"
                ));
            }
            Location::Field { field, .. } => {
                return Err(format!(
                    "key '{self}' is the number of a field, and JSON values have names; write the \
                     name of a member, as in user.id, or \"{}\" if that is its name",
                    field + 1
                ));
            }
            Location::Fields { .. } => {
                return Err(format!(
                    "key '{self}' names several fields of a line, and JSON values have names; \
                     write one key for each, as in -k user.id -k ts"
                ));
            }
            Location::OfLine { .. } | Location::Record { .. } => {}
        }
        self.check_is_text("lines of JSON")
    }

    fn check_is_text(&self, records: &str) -> Result<(), String> {
        if self.modifiers.pad.is_some() {
            return Err(format!(
                "key '{self}' says pad, but {records} differ in length as they like: what they \
                 lack is empty; leave it out"
            ));
        }
        if !self.named.is_binary() {
            return Ok(());
        }
        let word = &self.named.word;
        Err(format!(
            "'{word}' in key '{self}' is a type of binary records; keys of {records} are {}",
            Listed::OfText
        ))
    }

    /// A key of records that have no fields; of this length, where they all have one.
    fn check_range(&self, length: Option<usize>) -> Result<(), String> {
        let Location::Record { start, end } = self.location else {
            return Err(format!(
                "key '{self}' is not a range of bytes, and these records have no fields; write \
                 0..10, 4.. or ..8, and a type after it ({})",
                Listed::All
            ));
        };
        let fault = match (length, end) {
            (Some(length), Some(end)) if end > length => format!("ends at {end}"),
            (Some(length), None) if start >= length => format!("begins at {start}"),
            _ => return Ok(()),
        };
        let length = length.unwrap_or_default();
        Err(format!(
            "key '{self}' {fault}, but the record has {length} bytes; give a range within \
             0..{length}, or the right record length"
        ))
    }

    /// What it means, with the collation of [`Self::locale`].
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a file that it names and that cannot be read, or
    /// does not hold what it should.
    pub fn spec(&self, collation: Option<Arc<dyn Collation>>) -> error::Result<TextSpec> {
        self.spec_within(collation, ListMemory::UNBOUNDED)
    }

    /// Returns what it means, with the collation of [`Self::locale`], where a list of values takes
    /// a part of `memory`.
    ///
    /// # Errors
    ///
    /// Those of [`spec`](Self::spec), and [`Error::Config`](crate::Error::Config) for a list of
    /// values that is too large.
    pub fn spec_within(
        &self,
        collation: Option<Arc<dyn Collation>>,
        memory: ListMemory,
    ) -> error::Result<TextSpec> {
        let modifiers = &self.modifiers;
        let trims = modifiers.trims;
        let at = |field, byte| Position { field, byte, skips_blanks: trims };
        let within = |field, start, end: Option<usize>| {
            let last = |end| End::Within(at(field, end), field);
            (at(field, start), end.map_or(End::Field(field), last))
        };
        let (start, end) = match &self.location {
            // Bytes of the record count from its beginning, blanks or not.
            Location::Record { start, end } => {
                let at = |byte| Position { byte, ..Position::default() };
                (at(*start), end.map_or(End::Record, |end| End::At(at(end))))
            }
            Location::Field { field, start, end } => within(*field, *start, *end),
            Location::OfLine { first, last, start, end, .. } if *last == Some(*first) => {
                within(*first, *start, *end)
            }
            Location::Fields { first, last, start, end }
            | Location::OfLine { first, last, start, end, .. } => {
                let end = match (*last, end.map(|end| at(*first, end))) {
                    (Some(last), Some(end)) => End::Within(end, last),
                    (Some(last), None) => End::Field(last),
                    (None, Some(end)) => End::At(end),
                    (None, None) => End::Record,
                };
                (at(*first, *start), end)
            }
            Location::Column { start, end, .. } => within(0, *start, *end),
        };
        let column = self.column().map(str::to_owned);
        let line = match &self.location {
            Location::OfLine { line, .. } => Some(*line),
            _ => None,
        };
        Ok(TextSpec {
            line,
            start,
            end,
            text_type: match modifiers.written(self.named.word == "int") {
                Some(form) => TextType::Written(form),
                None => self.named.text_type(modifiers.ignores_case, memory)?,
            },
            translation: Translation {
                folds_case: modifiers.ignores_case,
                ..Translation::default()
            },
            collation,
            is_descending: modifiers.is_descending,
            trims,
            nulls: modifiers.nulls,
            pad: modifiers.pad,
            is_by_name: column.is_some(),
            name: column.or_else(|| self.column.clone()),
        })
    }
}

/// Returns whether a word names a code page or a collating sequence.
fn word_is_of_bytes(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.starts_with("ebcdic") || word.starts_with("sequence=")
}

impl fmt::Display for TextKeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.location)?;
        if self.named.word != "bytes" {
            write!(f, ":{}", self.named.word)?;
        }
        write!(f, "{}", self.modifiers)
    }
}

impl FromStr for TextKeySpec {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::read_listing(text, Listed::All).map_err(|fault| ParseError::key(text, fault))
    }
}

impl TextKeySpec {
    /// Reads a key of records of `format`; errors list the types that such keys have.
    ///
    /// # Errors
    ///
    /// The fault, in words. [`check`](Self::check) says whether it fits the format.
    pub fn read(text: &str, format: Format) -> Result<Self, String> {
        Self::read_listing(text, Listed::of(format))
    }

    fn read_listing(text: &str, types: Listed) -> Result<Self, String> {
        let pieces = words::split(text, ':').ok_or_else(|| location::unclosed(text))?;
        let (place, words) = match pieces.as_slice() {
            [place, words @ ..] => (*place, words),
            [] => (text, &[][..]),
        };
        let location = Location::read(text, place)?;
        let named = match words.first() {
            Some(word) => NamedType::read(text, word)?,
            None => None,
        };
        let words = &words[usize::from(named.is_some())..];
        let modifiers = Modifiers::read(text, words, named.is_none().then_some(types))?;
        let named =
            named.or_else(|| NamedType::known("decimal").filter(|_| modifiers.is_of_number()));
        let default = if modifiers.locale.is_some() { "text" } else { "bytes" };
        let named = named.unwrap_or_else(|| NamedType::of_bytes(default));
        modifiers.check(text, &named)?;
        if named.number().is_some() {
            let Location::Record { .. } = location else {
                return Err(format!(
                    "'{}' in key '{text}' is a type of binary records, at bytes of theirs as \
                     in 0..8:u64le; keys of fields are {}",
                    named.word,
                    Listed::OfText
                ));
            };
            // Its range has to have its width.
            KeySpec::read(&format!("{location}:{}", named.word))?;
        }
        Ok(Self { location, named, modifiers, column: None })
    }
}

#[cfg(test)]
mod tests;
