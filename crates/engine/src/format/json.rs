//! Lines of JSON: one value a line, usually an object, and the members of it that keys name.
//!
//! ```text
//!     {"user": {"id": 7, "name": "A\u006en"}, "ts": "2026-11-24"}
//!     user.id        7         a number as it is written
//!     user.name      Ann       a string without quotes and escapes
//!     /user/id       7         a JSON Pointer (RFC 6901), for names with a dot
//!     tags.0                   missing: no value, like null
//! ```
//!
//! A line is checked once, when it is read ([`lines`]): by a quick check that accepts only what is
//! surely well formed, and by the parser, serde_json, where that does not. Afterwards
//! [`Path::find`] passes brackets and quotes up to the value it looks for. If an object has two
//! members of one name, the first counts.

mod bounds;
mod escapes;
mod quick;
mod seek;
mod window;

use serde::de::IgnoredAny;

pub use escapes::{Escape, escape_at};

/// The way from a line's value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Box<[PathStep]>);

/// One step: a member of an object, or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathStep {
    name: String,
    /// The number of the element, from 0, where the name is one.
    index: Option<usize>,
}

impl Path {
    /// Reads `user.id`, where numbers are elements of arrays, or the JSON Pointer `/user/id`.
    ///
    /// # Errors
    ///
    /// An empty step, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let names: Vec<String> = match text.strip_prefix('/') {
            Some(pointer) => {
                let name = |step: &str| step.replace("~1", "/").replace("~0", "~");
                pointer.split('/').map(name).collect()
            }
            None => text.split('.').map(str::to_owned).collect(),
        };
        if !text.starts_with('/') && names.iter().any(String::is_empty) {
            return Err(format!(
                "'{text}' has an empty name between dots; write user.id, or the JSON Pointer \
                 /user/id for names with dots"
            ));
        }
        let step = |name: String| {
            let is_index = name == "0" || !name.starts_with(['0', '+']);
            PathStep { index: name.parse().ok().filter(|_| is_index), name }
        };
        Ok(Self(names.into_iter().map(step).collect()))
    }

    /// Returns the value in a line that is well formed, and whether it has escapes. A string is
    /// what stands between its quotes; a value that is missing or null is empty.
    pub fn find<'a>(&self, line: &'a [u8]) -> (&'a [u8], bool) {
        match seek::find(line, &self.0).unwrap_or_default() {
            (b"null", _) => (&[], false),
            ([b'"', text @ .., b'"'], has_escapes) => (text, has_escapes),
            (value, _) => (value, false),
        }
    }
}

/// Returns the lines in `bytes`, which hold whole ones, each with what keeps it from being JSON.
#[inline]
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (&[u8], Option<String>)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let checked = quick::line_length(rest);
        let length = checked.or_else(|| Some(memchr::memchr(b'\n', rest)? + 1));
        let (line, after) = rest.split_at(length.unwrap_or(rest.len()));
        rest = after;
        Some((line, if checked.is_some() { None } else { fault(line) }))
    })
}

/// Returns what keeps a line from being JSON, if anything does. An empty line has no members.
#[cold]
fn fault(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            return Some(format!("not JSON: byte {} is not UTF-8", error.valid_up_to()));
        }
    };
    if text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
        return None;
    }
    if text.starts_with('\u{feff}') {
        return Some("not JSON: it begins with a byte order mark; remove these 3 bytes".to_owned());
    }
    if let Some(excess) = bounds::excess(line) {
        return Some(format!("JSON with {excess}"));
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message);
    Some(format!("not JSON: {what} at byte {}", error.column()))
}

/// Escapes of blanks.
const BLANKS: [&[u8]; 6] = [b"\\t", b"\\n", b"\\u0020", b"\\u0009", b"\\u000a", b"\\u000A"];

/// Returns the text of a string without blanks at its ends, be they escaped or not.
pub fn trimmed(mut text: &[u8]) -> &[u8] {
    loop {
        let escaped = || BLANKS.iter().find_map(|blank| text.strip_prefix(*blank));
        text = match text {
            [b' ' | b'\t' | b'\n', rest @ ..] => rest,
            _ => match escaped() {
                Some(rest) => rest,
                None => break,
            },
        };
    }
    loop {
        let escaped = || BLANKS.iter().find_map(|blank| text.strip_suffix(*blank));
        text = match text {
            [rest @ .., b' ' | b'\t' | b'\n'] => rest,
            _ => match escaped().filter(|rest| !ends_in_escape(rest)) {
                Some(rest) => rest,
                None => return text,
            },
        };
    }
}

/// Returns whether the last backslash of `text` begins an escape, if it ends with one.
fn ends_in_escape(text: &[u8]) -> bool {
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests;
