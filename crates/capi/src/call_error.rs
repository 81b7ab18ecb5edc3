//! Errors as C programs see them: a code, a message, and the place of the fault where it has one.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use sortwell::Error;
use sortwell_cli::embed;

/// Codes that a call returns, beyond the exit statuses of the command.
pub mod code {
    /// Done.
    pub const OK: i32 = 0;
    /// All records were taken.
    pub const END: i32 = -1;
    /// A check found a record out of order.
    pub const DISORDER: i32 = 1;
    /// The call or its arguments are wrong.
    pub const USAGE: i32 = 2;
    /// A callback returned another value than 0.
    pub const CALLBACK: i32 = 6;
    /// A fault of the library itself.
    pub const BUG: i32 = 70;
}

/// Error of a call. It is one pointer, so that a call without an error returns nothing large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError(Box<ErrorParts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ErrorParts {
    code: i32,
    message: CString,
    file: Option<CString>,
    offset: Option<u64>,
    record: Option<u64>,
}

impl CallError {
    /// Returns an error without a place.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        let message = text(&message.into());
        Self(Box::new(ErrorParts { code, message, file: None, offset: None, record: None }))
    }

    /// Returns the error of a wrong call.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(code::USAGE, message)
    }

    /// Returns the error of a panic.
    pub fn bug(panic: &str) -> Self {
        Self::new(code::BUG, embed::fault(panic))
    }

    /// Returns the error at a place in a file.
    pub fn at(mut self, file: Option<&Path>, offset: Option<u64>, record: Option<u64>) -> Self {
        self.0.file = file.and_then(|file| CString::new(file.as_os_str().as_bytes()).ok());
        (self.0.offset, self.0.record) = (offset, record);
        self
    }

    /// Returns the code.
    pub fn code(&self) -> i32 {
        self.0.code
    }

    /// Returns the message.
    pub fn message(&self) -> &CString {
        &self.0.message
    }

    /// Returns the file at fault.
    pub fn file(&self) -> Option<&CString> {
        self.0.file.as_ref()
    }

    /// Returns the byte offset of the fault in the file.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the number of the record at fault, from 1.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        let file = error.file().map(Path::to_owned);
        let (offset, record) = (error.offset(), error.record());
        let code = match error {
            Error::Caller { .. } => code::CALLBACK,
            _ => embed::status(&error).into(),
        };
        Self::new(code, embed::chain(&error)).at(file.as_deref(), offset, record)
    }
}

/// Returns a text as one line: with control characters as escapes, and with a place that is marked
/// below the text of an expression as its number.
fn text(message: &str) -> CString {
    let line = match marked(message) {
        Some((words, expression, place)) => {
            format!("{words}, at character {place} of '{expression}'")
        }
        None => message.to_owned(),
    };
    let mut escaped = String::with_capacity(line.len());
    for character in line.chars() {
        match character.is_control() {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    CString::new(escaped).unwrap_or_default()
}

/// Returns the parts of a message about an expression: words, the expression, and the place of a
/// mark below it, from 1.
fn marked(message: &str) -> Option<(&str, &str, usize)> {
    let (rest, mark) = message.rsplit_once('\n')?;
    let (words, expression) = rest.rsplit_once('\n')?;
    let text = expression.trim_start();
    let indent = expression.len() - text.len();
    let before = mark.strip_suffix('^').filter(|before| before.trim().is_empty())?;
    Some((words, text, before.chars().count().checked_sub(indent)? + 1))
}

#[cfg(test)]
mod tests;
