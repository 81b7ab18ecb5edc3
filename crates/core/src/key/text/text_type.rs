//! The types of text: what the bytes of a key mean.
//!
//! Three kinds differ in what they make of bytes that are no value of theirs. *Text* has none such.
//! *Loose* types, those of lines as sorting has always known them, take what they can read at the
//! beginning. *Strict* types know a value only where all of the text is one. Which kind a type is
//! of where it is not said otherwise stands in [`TextType::class`].

use std::collections::HashMap;
use std::sync::Arc;

use super::super::key_type::NumberType;
use super::encode::number::trimmed;

/// What the bytes of a key mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TextType {
    /// Bytes, or text where there is a collation.
    #[default]
    Bytes,
    /// A whole number of any length after optional blanks and a sign; anything else is 0.
    Int,
    /// A number of any length with an optional fraction after optional blanks and a minus sign;
    /// anything else is 0. No plus sign, no exponent (the `-n` of POSIX sort).
    Decimal,
    /// A floating-point number as C's `strtold` reads it, compared as an 80-bit value: no number,
    /// then NaN, then from -infinity to infinity (GNU's `-g`).
    General,
    /// A binary64 as Rust reads it; text that is none comes first, NaN last.
    Float,
    /// A size with an optional SI or IEC suffix, by value: `1K` is 1000, `2.5Gi` is 2684354560.
    Size,
    /// A number with a suffix of `K M G T P E Z Y R Q`: first by sign, then by suffix, then by
    /// number (GNU's `-h`).
    Human,
    /// The name of a month after optional blanks, case ignored; anything else comes first.
    Month,
    /// File names with version numbers in them (GNU's `-V`).
    Version,
    /// Text in which runs of digits compare by value and stand where digits do.
    Natural,
    /// A keyed hash: a shuffle that keeps equal keys together.
    Random,
    /// A day, `2026-11-22` or `20261122`.
    Date,
    /// A time of day, `13:45`, `13:45:06` or `13:45:06.789`, with any number of digits.
    Time,
    /// A day and a time, compared as instants: with an offset from UTC, or without one as if it
    /// were UTC.
    Timestamp,
    /// An address of the Internet protocol; all of version 4 before all of version 6.
    Ip,
    /// A UUID in any case, with or without hyphens and braces.
    Uuid,
    /// True or false, false first.
    Bool,
    /// One of some values, in an order of their own.
    List(Arc<ValueList>),
    /// A packed decimal of mainframes (COBOL's `COMP-3`): two digits a byte, the sign in the last
    /// half byte.
    Packed,
    /// A zoned decimal of mainframes (COBOL's `DISPLAY`): one digit a byte.
    Zoned(Zoned),
    /// Text in EBCDIC, ordered as the characters of Unicode that it stands for.
    Ebcdic(CodePage),
    /// Text in a collating sequence of one's own: the byte `b` sorts as `sequence[b]`.
    Sequence(Arc<[u8; 256]>),
    /// A number as machines have it.
    Binary(NumberType),
}

/// What becomes of bytes that are no value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// All bytes are values.
    Text,
    /// Whatever can be read is taken; the rest is not looked at, unless checks are asked for.
    Loose,
    /// The same, and nobody asks for checks.
    Unchecked,
    /// Text that is a value as a whole, blanks at its ends aside.
    Strict,
    /// Bytes that are a value, blanks and all.
    StrictBytes,
}

impl TextType {
    /// Whether the first word of a key tells most values apart.
    pub(super) fn fills_word(&self) -> bool {
        matches!(
            self,
            Self::Int | Self::Decimal | Self::Size | Self::Human | Self::Packed | Self::Zoned(_)
        )
    }

    /// Whether there are so few values that most records share theirs.
    pub(super) fn is_coarse(&self) -> bool {
        matches!(self, Self::Month | Self::Date | Self::Time | Self::Bool | Self::List(_))
    }

    pub(super) fn class(&self) -> Class {
        match self {
            Self::Bytes
            | Self::Version
            | Self::Natural
            | Self::Random
            | Self::Ebcdic(_)
            | Self::Sequence(_) => Class::Text,
            Self::Int | Self::Decimal | Self::Float | Self::Size | Self::Month => Class::Loose,
            Self::General | Self::Human => Class::Unchecked,
            Self::Date
            | Self::Time
            | Self::Timestamp
            | Self::Ip
            | Self::Uuid
            | Self::Bool
            | Self::List(_) => Class::Strict,
            Self::Packed | Self::Zoned(_) | Self::Binary(_) => Class::StrictBytes,
        }
    }
}

/// Where the sign of a zoned decimal is, and in which characters it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zoned {
    /// Whether the sign is at the beginning, not at the end.
    pub is_leading: bool,
    /// Whether the sign has a byte of its own, `+` or `-`; else it is in the zone of a digit.
    pub is_separate: bool,
    /// Whether digits are those of EBCDIC, not of ASCII.
    pub is_ebcdic: bool,
}

/// A code page of EBCDIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePage {
    /// United States, Canada and others.
    Cp037,
    /// International.
    Cp500,
    /// Open systems: z/OS UNIX and C.
    Cp1047,
}

/// Values in an order of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueList {
    places: HashMap<Box<[u8]>, u32>,
    /// As written, joined by `|`.
    words: String,
}

/// Values that a list may have: their numbers take three bytes of a key.
const VALUES_MAX: usize = 1 << 22;

impl ValueList {
    /// The list of `values`, least first. Blanks at their ends do not count.
    ///
    /// # Errors
    ///
    /// What is wrong with the list, in words: a value twice, an empty one, or none.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, String> {
        let mut list = Self::default();
        for value in values.into_iter().map(trimmed) {
            let shown = String::from_utf8_lossy(value);
            let place = list.places.len();
            if value.is_empty() {
                return Err("has an empty value, which is none: nulls-first and nulls-last say \
                            where empty ones go"
                    .to_owned());
            }
            if list.places.insert(value.into(), place as u32).is_some() {
                return Err(format!("has the value '{shown}' twice; leave one out"));
            }
            list.words.push_str(if list.words.is_empty() { "" } else { "|" });
            list.words.push_str(&shown);
        }
        match list.places.len() {
            0 => Err("has no values; write order=low|mid|high".to_owned()),
            VALUES_MAX.. => Err(format!("has more than {VALUES_MAX} values")),
            _ => Ok(list),
        }
    }

    /// The number of `value`, from 0.
    #[inline]
    pub fn place(&self, value: &[u8]) -> Option<u32> {
        self.places.get(value).copied()
    }

    /// The values, joined by `|`.
    pub fn words(&self) -> &str {
        &self.words
    }
}

#[cfg(test)]
mod tests;
