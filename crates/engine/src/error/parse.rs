//! The error of everything that is read from text.

use super::config::{ConfigError, ConfigErrorKind};
use super::message::Message;
use crate::units::ParseSizeError;

/// Text that cannot be read as a value of a type.
///
/// The `Err` of every `FromStr` of the library except that of `ByteSize`, whose error converts to
/// this one. Converts to [`Error`](crate::Error) with `?`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    kind: ConfigErrorKind,
    expected: &'static str,
    value: String,
    message: Message,
}

impl ParseError {
    /// Returns the error of text that should have been `expected`, such as "format".
    pub(crate) fn new(
        expected: &'static str,
        value: impl Into<String>,
        message: impl Into<Message>,
    ) -> Self {
        let (value, message) = (value.into(), message.into());
        Self { kind: ConfigErrorKind::InvalidValue, expected, value, message }
    }

    /// Returns the error of text that should have been a key.
    pub(crate) fn key(value: impl Into<String>, message: impl Into<Message>) -> Self {
        let kind = ConfigErrorKind::InvalidKey;
        Self { kind, ..Self::new("key", value, message) }
    }

    /// Returns the name of what the text should have been, such as "format".
    pub const fn expected(&self) -> &'static str {
        self.expected
    }

    /// Returns the text that could not be read.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the reason and the remedy, which name the text.
    pub const fn message(&self) -> &Message {
        &self.message
    }
}

impl From<ParseSizeError> for ParseError {
    fn from(error: ParseSizeError) -> Self {
        Self::new("size", error.value(), error.to_string())
    }
}

impl From<ParseError> for ConfigError {
    fn from(error: ParseError) -> Self {
        Self::new(error.kind, error.message)
    }
}
