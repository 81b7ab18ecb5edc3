//! Values that stand as texts in JSON, which has no form of its own for all of them: a hash, as
//! its numbers are shorter, and a path and bytes, which need not be text.
//!
//! For a field, `#[serde(with = "units::text")]`; within other types, [`AsText`].

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that a text stands for.
pub trait Textual: Sized {
    /// Returns the text.
    fn text(&self) -> String;

    /// Returns the value of a text, if it is one.
    fn of_text(text: &str) -> Option<Self>;
}

/// A value as its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[serde(bound = "T: Textual")]
pub struct AsText<T>(#[serde(with = "self")] pub T);

/// Writes a value as its text.
pub fn serialize<T: Textual, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.text())
}

/// Reads a value from its text.
pub fn deserialize<'de, T: Textual, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    T::of_text(&text).ok_or_else(|| D::Error::custom("a text that stands for nothing"))
}

/// A hash of 128 bits, in hexadecimal digits.
impl Textual for u128 {
    fn text(&self) -> String {
        format!("{self:032x}")
    }

    fn of_text(text: &str) -> Option<Self> {
        Self::from_str_radix(text, 16).ok()
    }
}

/// Bytes; those that are not text, and `%`, as `%` and two digits.
impl Textual for Vec<u8> {
    fn text(&self) -> String {
        escaped(self)
    }

    fn of_text(text: &str) -> Option<Self> {
        unescaped(text)
    }
}

/// A path, escaped like bytes.
impl Textual for PathBuf {
    fn text(&self) -> String {
        escaped(self.as_os_str().as_bytes())
    }

    fn of_text(text: &str) -> Option<Self> {
        unescaped(text).map(|bytes| Self::from(OsString::from_vec(bytes)))
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | 0..=31 | 127.. => text.push_str(&format!("%{byte:02x}")),
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        bytes.push(match first {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => *first,
        });
    }
    Some(bytes)
}
