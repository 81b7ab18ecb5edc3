//! Header lines at the top of an input.

use std::str::FromStr;

use super::Framing;
use crate::error::{ConfigErrorKind, ParseError, Setting, config, message};
use memchr::{memchr, memchr_iter};

/// The lines at the top of each input that are not records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderLines {
    /// This number of first lines.
    Count(u64),
    /// All lines before the first that does not start with these bytes, of which there is at least
    /// one.
    Prefix(Vec<u8>),
}

impl Default for HeaderLines {
    fn default() -> Self {
        Self::NONE
    }
}

impl HeaderLines {
    /// Absence of a header: records start at once.
    pub const NONE: Self = Self::Count(0);

    /// Returns the number of lines before the first record in sorted bytes, where records of this
    /// framing are not lines themselves.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where the bytes do not show it: any line may begin
    /// like one of the header.
    pub fn lines_before(&self, framing: Framing) -> crate::Result<u64> {
        match (self, framing) {
            (Self::Count(count), Framing::Grouped(_)) => Ok(*count),
            (Self::Prefix(_), Framing::Grouped(_)) => Err(config!(
                ConfigErrorKind::Conflict(Setting::Header, Setting::Format),
                "records of several lines cannot be pulled after a {} that is given by a prefix; \
                 write its number of lines",
                Setting::Header,
            )),
            _ => Ok(0),
        }
    }

    /// Returns the length of the header that `bytes` starts with, whose lines end with `end`.
    ///
    /// `None` if more bytes are needed to tell; with `is_whole`, no more follow.
    pub fn length(&self, end: u8, bytes: &[u8], is_whole: bool) -> Option<usize> {
        let length = match self {
            Self::Count(0) => Some(0),
            Self::Count(count) => usize::try_from(count - 1)
                .ok()
                .and_then(|last| memchr_iter(end, bytes).nth(last))
                .map(|at| at + 1),
            Self::Prefix(prefix) => length_by_prefix(prefix, end, bytes, is_whole),
        };
        length.or(is_whole.then_some(bytes.len()))
    }
}

/// Returns the start of the first line that does not start with `prefix`.
fn length_by_prefix(prefix: &[u8], end: u8, bytes: &[u8], is_whole: bool) -> Option<usize> {
    let mut start = 0;
    loop {
        let line = &bytes[start..];
        if !line.starts_with(prefix) {
            let may_start = !is_whole && prefix.starts_with(line);
            return (!may_start).then_some(start);
        }
        start += memchr(end, line)? + 1;
    }
}

impl FromStr for HeaderLines {
    type Err = ParseError;

    /// Reads `N`, a number of lines, or what each line starts with: `prefix:TEXT`, where `prefix:`
    /// may be left out if the text is no number.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = |message| ParseError::new("header", text, message);
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return text.parse().map(Self::Count).map_err(|_| {
                wrong(message!(
                    "'{}' is too large a number of lines; the largest is {}",
                    text,
                    u64::MAX
                ))
            });
        }
        match text.strip_prefix("prefix:").unwrap_or(text) {
            "" => Err(wrong(message!(
                "the prefix of header lines is empty; write a number of lines, or the start of \
                 the header lines, as in '#'"
            ))),
            prefix => Ok(Self::Prefix(prefix.as_bytes().to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
