//! The modifiers of a key: its direction, and which differences of text count.

use std::fmt;

use super::super::text::{InvalidPlace, NumberStyle, TextType};
use super::fault::{KeyFault, ModifierFault, TypeFault, not_a_byte};
use super::named_type::{NamedType, name_in_lower_case};

/// Everything about a key but its place and its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub is_descending: bool,
    pub ignores_case: bool,
    pub trims: bool,
    pub nulls: Option<InvalidPlace>,
    pub pad: Option<u8>,
    pub locale: Option<String>,
    /// Stands before the fraction of a number.
    pub radix: Option<u8>,
    /// Stands between groups of three digits.
    pub thousands: Option<u8>,
    pub has_currency: bool,
}

impl Modifiers {
    /// Reads the words of a key that follow its type, or its place where it has none: the first
    /// could then be meant for one. Case counts in values alone.
    pub fn read(words: &[&str], has_type: bool) -> Result<Self, KeyFault> {
        let mut modifiers = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for written in words {
            let word = name_in_lower_case(written);
            let kind = match word.as_str() {
                "asc" | "desc" => "its direction",
                "ci" => "ci",
                "trim" => "trim",
                "currency" => "currency",
                "nulls-first" | "nulls-last" => "the place of nulls",
                _ if word.starts_with("pad=") => "its padding",
                _ if word.starts_with("decimal=") => "its decimal sign",
                _ if word.starts_with("thousands=") => "its separator of thousands",
                _ if word.starts_with("locale=") => "its locale",
                _ => return Err(unknown(written, has_type || !seen.is_empty())),
            };
            if seen.contains(&kind) {
                return Err(ModifierFault::Twice(kind).into());
            }
            seen.push(kind);
            modifiers.take(&word)?;
        }
        Ok(modifiers)
    }

    fn take(&mut self, word: &str) -> Result<(), ModifierFault> {
        match (word, word.split_once('=')) {
            ("asc" | "desc", _) => self.is_descending = word == "desc",
            ("ci", _) => self.ignores_case = true,
            ("currency", _) => self.has_currency = true,
            (_, Some((name @ ("decimal" | "thousands"), byte))) => {
                let byte = read_sign(byte)?;
                *(if name == "decimal" { &mut self.radix } else { &mut self.thousands }) =
                    Some(byte);
            }
            ("trim", _) => self.trims = true,
            ("nulls-first", _) => self.nulls = Some(InvalidPlace::First),
            ("nulls-last", _) => self.nulls = Some(InvalidPlace::Last),
            (_, Some(("pad", byte))) => self.pad = Some(read_known_byte(byte)?),
            (_, Some((_, ""))) => return Err(ModifierFault::NoLocale),
            (_, name) => self.locale = name.map(|(_, name)| name.to_owned()),
        }
        Ok(())
    }

    /// Checks that they go together with a type.
    pub fn check(&self, named: &NamedType) -> Result<(), ModifierFault> {
        let word = &named.word;
        let traits = named.traits();
        if self.ignores_case && !traits.has_case {
            return Err(ModifierFault::NoCase(word.to_string()));
        }
        if self.is_of_number() && !traits.is_number() {
            return Err(ModifierFault::NoNotation(word.to_string()));
        }
        if self.radix.is_some() && traits.is_whole() {
            return Err(ModifierFault::NoFraction);
        }
        let radix = self.radix.or(Some(b'.'));
        if self.thousands.is_some() && self.thousands == radix && !traits.is_whole() {
            return Err(ModifierFault::SameSign);
        }
        if self.trims && traits.counts_blanks() {
            return Err(ModifierFault::NoBlanks(word.to_string()));
        }
        if self.locale.is_some() && word != "text" {
            return Err(ModifierFault::NoLanguage(word.to_string()));
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
    let name = |word: &str| word.find('=').map_or(word.len(), |at| at + 1);
    let word = name_in_lower_case(word);
    MODIFIERS.iter().any(|known| word[..name(&word)] == known[..name(known)])
}

/// Reads a sign that may stand within a number: any byte but digits, plus and minus.
fn read_sign(text: &str) -> Result<u8, ModifierFault> {
    let byte = match text.as_bytes() {
        [byte] => *byte,
        _ => read_known_byte(text)?,
    };
    if byte.is_ascii_digit() || matches!(byte, b'+' | b'-') {
        return Err(ModifierFault::PartOfNumber(text.to_owned()));
    }
    Ok(byte)
}

fn read_known_byte(text: &str) -> Result<u8, ModifierFault> {
    read_byte(text).map_err(|_| ModifierFault::NotAByte(text.to_owned()))
}

/// Reads a byte: a number from 0 to 255, also as 0x40, or any other character as itself.
///
/// # Errors
///
/// The fault of the text, in words.
pub fn read_byte(text: &str) -> Result<u8, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = || not_a_byte(text);
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
            Some(InvalidPlace::First) => ":nulls-first",
            Some(InvalidPlace::Last) => ":nulls-last",
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
pub const MODIFIERS: [&str; 11] = [
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

/// Returns the fault of a word that should be a modifier or, unless `has_type`, a type.
fn unknown(word: &str, has_type: bool) -> KeyFault {
    match word {
        "" => ModifierFault::Empty.into(),
        _ if TextType::named(word).is_some() => TypeFault::Misplaced(word.to_owned()).into(),
        _ if has_type => ModifierFault::Unknown(word.to_owned()).into(),
        _ => TypeFault::Unknown(word.to_owned()).into(),
    }
}
