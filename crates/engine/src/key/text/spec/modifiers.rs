//! What follows the type of a key: its direction, and what counts in its text.

use std::fmt;

use super::super::order::Place;
use super::super::text_type::NumberStyle;
use super::named_type::{Listed, NamedType, is_name, name_in_lower_case};
use crate::error::spelling::meant;

/// Everything that may be said of a key besides its place and its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub is_descending: bool,
    pub ignores_case: bool,
    pub trims: bool,
    pub nulls: Option<Place>,
    pub pad: Option<u8>,
    pub locale: Option<String>,
    /// Stands before the fraction of a number.
    pub radix: Option<u8>,
    /// Stands between groups of three digits.
    pub thousands: Option<u8>,
    pub has_currency: bool,
}

impl Modifiers {
    /// Reads the words of the key `text` that follow its type, or its place where it has none: one
    /// of the `types` could then be meant. Case counts in values alone.
    pub fn read(text: &str, words: &[&str], types: Option<Listed>) -> Result<Self, String> {
        let mut modifiers = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for written in words {
            let word = name_in_lower_case(written);
            let kind = match word.as_str() {
                "asc" | "desc" => "its direction",
                "ci" | "trim" | "currency" => word.as_str(),
                "nulls-first" | "nulls-last" => "the place of nulls",
                _ if word.starts_with("pad=") => "its padding",
                _ if word.starts_with("decimal=") => "its decimal sign",
                _ if word.starts_with("thousands=") => "its separator of thousands",
                _ if word.starts_with("locale=") => "its locale",
                _ => return Err(unknown(text, written, types.filter(|_| seen.is_empty()))),
            };
            if seen.iter().any(|seen| seen == kind) {
                return Err(format!("key '{text}' gives {kind} twice; once is enough"));
            }
            seen.push(kind.to_owned());
            modifiers.take(text, &word)?;
        }
        Ok(modifiers)
    }

    fn take(&mut self, text: &str, word: &str) -> Result<(), String> {
        match (word, word.split_once('=')) {
            ("asc" | "desc", _) => self.is_descending = word == "desc",
            ("ci", _) => self.ignores_case = true,
            ("currency", _) => self.has_currency = true,
            (_, Some((name @ ("decimal" | "thousands"), byte))) => {
                let byte = read_sign(byte).map_err(|fault| format!("{fault} in key '{text}'"))?;
                *(if name == "decimal" { &mut self.radix } else { &mut self.thousands }) =
                    Some(byte);
            }
            ("trim", _) => self.trims = true,
            ("nulls-first", _) => self.nulls = Some(Place::First),
            ("nulls-last", _) => self.nulls = Some(Place::Last),
            (_, Some(("pad", byte))) => {
                let fault = |fault| format!("{fault} in key '{text}'");
                self.pad = Some(read_byte(byte).map_err(fault)?);
            }
            (_, Some((_, ""))) => {
                return Err(format!("key '{text}' names no locale; write locale=de"));
            }
            (_, name) => self.locale = name.map(|(_, name)| name.to_owned()),
        }
        Ok(())
    }

    /// Whether they go together with a type.
    pub fn check(&self, text: &str, named: &NamedType) -> Result<(), String> {
        let word = &named.word;
        if self.ignores_case && !named.has_case() {
            return Err(format!("key '{text}' says ci, but {word} has no case; leave it out"));
        }
        if self.is_of_number() && !matches!(word.as_str(), "int" | "decimal") {
            return Err(format!(
                "key '{text}' has a notation of numbers, and type {word} has none; use decimal=, \
                 thousands= and currency with int and decimal"
            ));
        }
        if self.radix.is_some() && word == "int" {
            return Err(format!(
                "key '{text}' has a decimal sign, and an int has no fraction; write decimal"
            ));
        }
        if self.thousands.is_some() && self.thousands == self.radix.or(Some(b'.')) && word != "int"
        {
            return Err(format!(
                "key '{text}' has one byte for the decimal sign and for thousands; write two, as \
                 in decimal=,:thousands=."
            ));
        }
        if self.trims && named.counts_blanks() {
            return Err(format!("key '{text}' says trim, but in {word} every byte counts"));
        }
        if self.locale.is_some() && word != "text" {
            return Err(format!(
                "key '{text}' names a locale, which orders text and not {word}; write text, or \
                 leave the locale out"
            ));
        }
        Ok(())
    }
}

impl Modifiers {
    /// Returns whether one of them says how a number is written.
    pub fn is_of_number(&self) -> bool {
        self.radix.is_some() || self.thousands.is_some() || self.has_currency
    }

    /// Returns how a number is written, where one of them says so.
    pub fn written(&self, is_whole: bool) -> Option<NumberStyle> {
        let Self { radix, thousands, has_currency, .. } = *self;
        let radix = radix.unwrap_or(b'.');
        self.is_of_number().then_some(NumberStyle { radix, thousands, has_currency, is_whole })
    }
}

/// Returns whether a word is the name of a modifier, its value aside.
pub fn is_modifier(word: &str) -> bool {
    const BARE: [&str; 7] = ["asc", "desc", "ci", "trim", "currency", "nulls-first", "nulls-last"];
    let word = name_in_lower_case(word);
    match word.split_once('=') {
        Some((name, _)) => matches!(name, "pad" | "decimal" | "thousands" | "locale"),
        None => BARE.contains(&word.as_str()),
    }
}

/// Reads a sign that may stand within a number: any byte but digits, plus and minus.
fn read_sign(text: &str) -> Result<u8, String> {
    let byte = match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => read_byte(text),
    }?;
    if byte.is_ascii_digit() || matches!(byte, b'+' | b'-') {
        return Err(format!("'{text}' is a part of numbers; write another sign, as in decimal=,"));
    }
    Ok(byte)
}

/// Reads a byte: a number from 0 to 255, also as 0x40, or any other character as itself.
pub fn read_byte(text: &str) -> Result<u8, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = || format!("'{text}' is not a byte; write its number, as in 0, 64 or 0x40");
    match text.as_bytes() {
        _ if is_number => text.parse().map_err(|_| wrong()),
        [b'0', b'x', digits @ ..]
            if digits.len() <= 2 && digits.iter().all(u8::is_ascii_hexdigit) =>
        {
            u8::from_str_radix(&text[2..], 16).map_err(|_| wrong())
        }
        [byte] => Ok(*byte),
        _ => Err(wrong()),
    }
}

impl fmt::Display for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_descending { ":desc" } else { "" })?;
        f.write_str(if self.ignores_case { ":ci" } else { "" })?;
        f.write_str(if self.trims { ":trim" } else { "" })?;
        f.write_str(match self.nulls {
            None => "",
            Some(Place::First) => ":nulls-first",
            Some(Place::Last) => ":nulls-last",
        })?;
        f.write_str(if self.has_currency { ":currency" } else { "" })?;
        for (name, byte) in [("decimal", self.radix), ("thousands", self.thousands)] {
            match byte {
                Some(byte) if byte.is_ascii_punctuation() && byte != b':' && byte != b'"' => {
                    write!(f, ":{name}={}", char::from(byte))?;
                }
                Some(byte) => write!(f, ":{name}=0x{byte:02x}")?,
                None => {}
            }
        }
        self.pad.iter().try_for_each(|byte| write!(f, ":pad={byte}"))?;
        self.locale.iter().try_for_each(|name| write!(f, ":locale={name}"))
    }
}

/// Modifiers as messages list them.
const MODIFIERS: [&str; 11] = [
    "asc",
    "desc",
    "ci",
    "trim",
    "nulls-first",
    "nulls-last",
    "pad=BYTE",
    "locale=NAME",
    "decimal=,",
    "thousands=.",
    "currency",
];

/// Returns what is wrong with a word that should be a modifier, or one of `types`.
fn unknown(text: &str, word: &str, types: Option<Listed>) -> String {
    if word.is_empty() {
        return format!("key '{text}' has a colon with nothing after it");
    }
    if is_name(word) {
        return format!(
            "'{word}' in key '{text}' is out of place: a key has one type, right after its \
             location, as in 2:decimal:desc"
        );
    }
    let names = types.into_iter().flat_map(Listed::names).chain(MODIFIERS);
    let meant = meant(word, names);
    let modifiers = format!("the modifiers {}, as in 2:decimal:desc", MODIFIERS.join(" "));
    match types {
        None => format!(
            "'{word}' in key '{text}' is not a modifier sortwell knows{meant}; it knows {modifiers}"
        ),
        Some(types) => format!(
            "'{word}' in key '{text}' is not a key type sortwell knows for these \
             records{meant}; it knows {types}, and {modifiers}"
        ),
    }
}
