//! A key of text records as a person writes it: `LOCATION[:TYPE][:MODIFIER]...`.
//!
//! ```text
//!     LOCATION   2           the second field, from 1
//!                2[0..4]     bytes of that field, from 0, the end not included
//!                0..10  4..  bytes of the record
//!                ..          the whole record, as is nothing
//!     TYPE       bytes (default) text int decimal float size month version natural random
//!     MODIFIER   asc (default) desc, ci, trim, locale=NAME
//! ```
//!
//! Which collation a locale means is not known here; whoever asks for the spec says so.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::super::key_type::KeyType;
use super::super::spec::{read_position, read_range};
use super::order::{Collation, End, Position, TextSpec, TextType, Translation};

/// One key of text records, as written.
///
/// ```
/// use sortwell::key::text::TextKeySpec;
///
/// let spec: TextKeySpec = "2[0..4]:decimal:desc".parse()?;
/// assert_eq!(spec.to_string(), "2[0..4]:decimal:desc");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextKeySpec {
    location: Location,
    /// The row of [`TYPES`].
    type_name: &'static str,
    modifiers: Modifiers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Location {
    /// Bytes of the record.
    Record { start: usize, end: Option<usize> },
    /// A field, from 0, and bytes of it.
    Field { field: usize, start: usize, end: Option<usize> },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Modifiers {
    is_descending: bool,
    ignores_case: bool,
    trims: bool,
    locale: Option<String>,
}

/// Every type under its name, in the order they are listed to people.
const TYPES: [(&str, TextType); 10] = [
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
];

/// The types of which case is a part.
const WITH_CASE: [&str; 5] = ["bytes", "text", "version", "natural", "random"];

impl TextKeySpec {
    /// The locale whose collation it asks for.
    pub fn locale(&self) -> Option<&str> {
        self.modifiers.locale.as_deref()
    }

    /// What it means, with the collation of [`Self::locale`].
    pub fn spec(&self, collation: Option<Arc<dyn Collation>>) -> TextSpec {
        let trims = self.modifiers.trims;
        let at = |field, byte| Position { field, byte, skips_blanks: trims };
        let (start, end) = match self.location {
            // Bytes of the record count from its beginning, blanks or not.
            Location::Record { start, end } => {
                let at = |byte| Position { byte, ..Position::default() };
                (at(start), end.map_or(End::Record, |end| End::At(at(end))))
            }
            Location::Field { field, start, end } => {
                let end = end.map_or(End::Field(field), |end| End::Within(at(field, end)));
                (at(field, start), end)
            }
        };
        let named = TYPES.iter().find(|(name, _)| *name == self.type_name);
        TextSpec {
            start,
            end,
            text_type: named.map_or(TextType::Bytes, |(_, text_type)| *text_type),
            translation: Translation {
                folds_case: self.modifiers.ignores_case,
                ..Translation::default()
            },
            collation,
            is_descending: self.modifiers.is_descending,
            trims,
        }
    }
}

impl fmt::Display for TextKeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Location::Record { start, end: None } => write!(f, "{start}..")?,
            Location::Record { start, end: Some(end) } => write!(f, "{start}..{end}")?,
            Location::Field { field, start: 0, end: None } => write!(f, "{}", field + 1)?,
            Location::Field { field, start, end: None } => write!(f, "{}[{start}..]", field + 1)?,
            Location::Field { field, start, end: Some(end) } => {
                write!(f, "{}[{start}..{end}]", field + 1)?;
            }
        }
        if self.type_name != "bytes" {
            write!(f, ":{}", self.type_name)?;
        }
        let modifiers = &self.modifiers;
        f.write_str(if modifiers.is_descending { ":desc" } else { "" })?;
        f.write_str(if modifiers.ignores_case { ":ci" } else { "" })?;
        f.write_str(if modifiers.trims { ":trim" } else { "" })?;
        modifiers.locale.iter().try_for_each(|name| write!(f, ":locale={name}"))
    }
}

impl FromStr for TextKeySpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, words) = text.split_once(':').unwrap_or((text, ""));
        let location = read_location(text, place)?;
        let mut words: Vec<&str> = words.split(':').collect();
        if place.len() == text.len() {
            words.clear();
        }
        let named = words.first().and_then(|word| TYPES.iter().find(|(name, _)| name == word));
        let modifiers = read_modifiers(text, &words[usize::from(named.is_some())..], named)?;
        let default = if modifiers.locale.is_some() { "text" } else { "bytes" };
        let type_name = named.map_or(default, |(name, _)| name);
        if modifiers.ignores_case && !WITH_CASE.contains(&type_name) {
            return Err(format!("key '{text}' says ci, but {type_name} has no case; leave it out"));
        }
        if modifiers.locale.is_some() && type_name != "text" {
            return Err(format!(
                "key '{text}' names a locale, which orders text and not {type_name}; write text, \
                 or leave the locale out"
            ));
        }
        Ok(Self { location, type_name, modifiers })
    }
}

fn read_location(text: &str, place: &str) -> Result<Location, String> {
    if place.is_empty() {
        return Ok(Location::Record { start: 0, end: None });
    }
    if let Some((field, range)) = place.split_once('[') {
        let Some(range) = range.strip_suffix(']') else {
            return Err(format!("'{place}' in key '{text}' lacks its ]; write 2[0..4]"));
        };
        let (start, end) = read_range(text, range)?;
        return Ok(Location::Field { field: read_field(text, field)?, start, end });
    }
    if place.contains("..") {
        let (start, end) = read_range(text, place)?;
        return Ok(Location::Record { start, end });
    }
    Ok(Location::Field { field: read_field(text, place)?, start: 0, end: None })
}

/// Reads the number of a field, from 1.
fn read_field(text: &str, digits: &str) -> Result<usize, String> {
    let wrong = || {
        format!(
            "'{digits}' in key '{text}' is not a place in a line; write 2 for the second field, \
             2[0..4] for its first four bytes, 0..10 for bytes of the line, or .. for all of it"
        )
    };
    match read_position(text, digits).map_err(|_| wrong())?.checked_sub(1) {
        Some(field) => Ok(field),
        None => Err(format!("fields count from 1, and key '{text}' names field 0")),
    }
}

fn read_modifiers(
    text: &str,
    words: &[&str],
    named: Option<&(&str, TextType)>,
) -> Result<Modifiers, String> {
    let mut modifiers = Modifiers::default();
    let mut seen: Vec<&str> = Vec::new();
    for &word in words {
        let kind = match word {
            "asc" | "desc" => "its direction",
            "ci" | "trim" => word,
            _ if word.starts_with("locale=") => "its locale",
            _ => return Err(not_a_modifier(text, word, named.is_some() || !seen.is_empty())),
        };
        if seen.contains(&kind) {
            return Err(format!("key '{text}' gives {kind} twice; once is enough"));
        }
        seen.push(kind);
        match word {
            "asc" | "desc" => modifiers.is_descending = word == "desc",
            "ci" => modifiers.ignores_case = true,
            "trim" => modifiers.trims = true,
            _ => modifiers.locale = Some(word["locale=".len()..].to_owned()),
        }
    }
    if modifiers.locale.as_deref() == Some("") {
        return Err(format!("key '{text}' names no locale; write locale=de"));
    }
    Ok(modifiers)
}

/// What is wrong with a word that should be a modifier, or a type where none was given yet.
fn not_a_modifier(text: &str, word: &str, has_type: bool) -> String {
    let names = || TYPES.map(|(name, _)| name).join(" ");
    if word.is_empty() {
        return format!("key '{text}' has a colon with nothing after it");
    }
    if TYPES.iter().any(|(name, _)| *name == word) {
        return format!(
            "'{word}' in key '{text}' is out of place: a key has one type, right after its \
             location, as in 2:decimal:desc"
        );
    }
    if KeyType::named(word).is_some() {
        return format!(
            "'{word}' in key '{text}' is a type of binary records; keys of lines are {}",
            names()
        );
    }
    let modifiers = "the modifiers asc, desc, ci, trim and locale=NAME, as in 2:decimal:desc";
    if has_type {
        return format!(
            "'{word}' in key '{text}' is not a modifier sortwell knows; it knows {modifiers}"
        );
    }
    format!(
        "'{word}' in key '{text}' is not a key type sortwell knows for lines; it knows {}, and \
         {modifiers}",
        names()
    )
}

#[cfg(test)]
mod tests;
