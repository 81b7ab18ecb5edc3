//! Messages on standard error about an invalid command line or file, and the exit status.
//!
//! Texts are bytes: they repeat the user's own words, which need not be UTF-8. Each message stands
//! after the name the command was called by; `quoting` wraps the user's words for it.

use std::io;

use super::quoting::Quoter;
use crate::standard;

/// The exit status of a command that could not do what was asked.
pub const TROUBLE: u8 = 2;

/// One or more messages, and the status they end with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Each on lines of its own after `name: `; a message may have several lines.
    messages: Vec<Vec<u8>>,
    /// True if `--help` is pointed to.
    names_help: bool,
    /// The exit status.
    status: u8,
    /// Byte that ends each message.
    end: u8,
}

impl Complaint {
    /// Creates a complaint with one message and the status [`TROUBLE`].
    pub fn new(message: impl Into<Vec<u8>>) -> Self {
        Self { messages: vec![message.into()], names_help: false, status: TROUBLE, end: b'\n' }
    }

    /// Returns `what: file: why`, the file quoted where a shell would need it.
    pub fn about_file(what: &str, file: &[u8], error: &io::Error, quoting: Quoter) -> Self {
        let file = quoting.file(file);
        Self::new([what.as_bytes(), b": ", &file, b": ", reason(error).as_bytes()].concat())
    }

    /// Adds a message.
    pub fn and(mut self, message: impl Into<Vec<u8>>) -> Self {
        self.messages.push(message.into());
        self
    }

    /// Points to `--help` as well.
    pub fn with_help(mut self) -> Self {
        self.names_help = true;
        self
    }

    /// Sets the exit status.
    pub fn with_status(mut self, status: u8) -> Self {
        self.status = status;
        self
    }

    /// Sets the byte that ends each message: that of the lines they show.
    pub fn ended_by(mut self, end: u8) -> Self {
        self.end = end;
        self
    }

    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// Returns all that is to be written, for a command called `name`.
    pub fn text(&self, name: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for message in &self.messages {
            for part in [name, b": ", message, &[self.end]] {
                text.extend_from_slice(part);
            }
        }
        if self.names_help {
            for part in [&b"Try '"[..], name, b" --help' for more information.\n"] {
                text.extend_from_slice(part);
            }
        }
        text
    }
}

/// Says something that is no reason to stop, for a command called `name`.
pub fn remark(name: &[u8], message: &[u8]) {
    standard::tell([name, b": ", message, b"\n"].concat());
}

/// Returns the system's words for an error, without the number that Rust adds.
pub fn reason(error: &io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => words,
    }
}
