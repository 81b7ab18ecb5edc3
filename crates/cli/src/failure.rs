//! The one place that prints an error and turns it into an exit status.
//!
//! A message is the error and its causes on one line after the program's name. A reader that closes
//! the pipe early (`sortwell sort ... | head`) has what it wanted: that is no error and says
//! nothing.

use std::error::Error as StdError;
use std::io;
use std::process::ExitCode;

use sortwell::Error;
use sortwell::{ConfigErrorKind, Message};

use crate::{signals, standard, wording};

/// Returns the error for a command line that cannot be carried out, with the command's own words.
pub fn usage_error(words: impl Into<Message>) -> Error {
    Error::config(ConfigErrorKind::InvalidValue, words)
}

/// End of a subcommand: a status, or a failure to report.
pub type CommandOutcome = Result<ExitCode, Failure>;

/// Reason why a subcommand failed.
#[derive(Debug)]
pub enum Failure {
    /// A failure that the library reports.
    Library(Error),
    /// A signal came while a job was running.
    Signal {
        /// The signal's number: the process dies of it.
        number: i32,
        /// The end of the job, in the library's words; `None` if it was done by then.
        error: Option<Error>,
    },
    /// The report page of a job could not be written. The output of the job is complete.
    Page(Error),
    /// Words or data could not be written to a standard stream.
    Output(io::Error),
    /// A fault of the program itself: the message of a panic.
    Fault(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// Prints the failure to standard error and gives the exit status. After a signal the process
    /// dies of it, so that a shell knows that its script is not to continue.
    pub fn report(&self) -> ExitCode {
        if self.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        standard::tell(format!("sortwell: {}\n", escaped(&self.message())));
        match self {
            Self::Signal { number, .. } => signals::die_of(*number),
            other => ExitCode::from(other.status()),
        }
    }

    fn status(&self) -> u8 {
        match self {
            Self::Library(error) | Self::Page(error) => wording::status(error),
            Self::Signal { number, .. } => signals::status(*number),
            Self::Output(_) => 4,
            Self::Fault(_) => 70,
        }
    }

    /// Returns the message without the program's name.
    pub fn message(&self) -> String {
        match self {
            Self::Library(error) | Self::Signal { error: Some(error), .. } => wording::chain(error),
            Self::Page(error) => {
                format!("{}; the output is complete, but has no report", wording::chain(error))
            }
            Self::Signal { error: None, .. } => "interrupted after the work was done".to_owned(),
            Self::Output(error) => {
                format!("cannot write to a standard stream: {}", wording::io_error(error))
            }
            Self::Fault(words) => format!(
                "internal error: {words}; no output file was written, and no input was changed \
                 except by --in-place; please report this message with the version ({}) and the \
                 command line",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }

    /// Returns whether the reader of standard output went away.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Output(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Library(error) | Self::Page(error) => causes(error)
                .filter_map(|cause| cause.downcast_ref::<io::Error>())
                .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe),
            Self::Signal { .. } | Self::Fault(_) => false,
        }
    }
}

/// Returns a message in which control characters, as names of files may have them, are escaped: a
/// terminal would carry them out.
pub fn escaped(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for character in message.chars() {
        match character.is_control() && !matches!(character, '\n' | '\t') {
            true => text.extend(character.escape_default()),
            false => text.push(character),
        }
    }
    text
}

/// Returns the bytes of a name in a line of output, in which control characters are escaped.
pub fn escaped_bytes(name: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    for &byte in name {
        match byte.is_ascii_control() {
            true => bytes.extend(char::from(byte).escape_default().map(|escape| escape as u8)),
            false => bytes.push(byte),
        }
    }
    bytes
}

/// Returns an error and all its causes, outermost first.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

#[cfg(test)]
mod tests;
