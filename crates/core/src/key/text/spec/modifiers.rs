//! What follows the type of a key: its direction, and what counts in its text.

use std::fmt;

use super::super::order::Place;
use super::named_type::{NAMES, NamedType, is_name};

/// Everything that may be said of a key besides its place and its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub is_descending: bool,
    pub ignores_case: bool,
    pub trims: bool,
    pub nulls: Option<Place>,
    pub pad: Option<u8>,
    pub locale: Option<String>,
}

impl Modifiers {
    /// Reads the words of the key `text` that follow its type, or its place where it has no type.
    pub fn read(text: &str, words: &[&str], has_type: bool) -> Result<Self, String> {
        let mut modifiers = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for &word in words {
            let kind = match word {
                "asc" | "desc" => "its direction",
                "ci" | "trim" => word,
                "nulls-first" | "nulls-last" => "the place of nulls",
                _ if word.starts_with("pad=") => "its padding",
                _ if word.starts_with("locale=") => "its locale",
                _ => return Err(not_a_modifier(text, word, has_type || !seen.is_empty())),
            };
            if seen.contains(&kind) {
                return Err(format!("key '{text}' gives {kind} twice; once is enough"));
            }
            seen.push(kind);
            modifiers.take(text, word)?;
        }
        Ok(modifiers)
    }

    fn take(&mut self, text: &str, word: &str) -> Result<(), String> {
        match (word, word.split_once('=')) {
            ("asc" | "desc", _) => self.is_descending = word == "desc",
            ("ci", _) => self.ignores_case = true,
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
        self.pad.iter().try_for_each(|byte| write!(f, ":pad={byte}"))?;
        self.locale.iter().try_for_each(|name| write!(f, ":locale={name}"))
    }
}

/// What is wrong with a word that should be a modifier, or a type where none was given yet.
fn not_a_modifier(text: &str, word: &str, has_type: bool) -> String {
    const MODIFIERS: &str = "the modifiers asc, desc, ci, trim, nulls-first, nulls-last, pad=BYTE \
                             and locale=NAME, as in 2:decimal:desc";
    if word.is_empty() {
        return format!("key '{text}' has a colon with nothing after it");
    }
    if is_name(word) {
        return format!(
            "'{word}' in key '{text}' is out of place: a key has one type, right after its \
             location, as in 2:decimal:desc"
        );
    }
    if has_type {
        return format!(
            "'{word}' in key '{text}' is not a modifier sortwell knows; it knows {MODIFIERS}"
        );
    }
    format!(
        "'{word}' in key '{text}' is not a key type sortwell knows for text; it knows {NAMES}, and \
         {MODIFIERS}"
    )
}
