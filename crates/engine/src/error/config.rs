//! Errors of a request: settings that are wrong in themselves, or that this machine cannot fulfil.

use super::message::Message;
use super::setting::Setting;
use crate::units::ByteSize;

/// A request that cannot be carried out. Nothing was read, except where the fault shows in a
/// record only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    kind: ConfigErrorKind,
    message: Message,
}

/// The kind of a [`ConfigError`], for callers that act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The memory budget is too small.
    BudgetTooSmall {
        /// The least budget that would do, where it is known.
        least: Option<ByteSize>,
    },
    /// A key cannot be read, or has no meaning for records of this format.
    InvalidKey,
    /// The input has no column or field of the name or number that a setting gives.
    UnknownColumn,
    /// A setting has a value that it cannot have.
    InvalidValue,
    /// A path names something other than what is needed: a directory, a pipe, no file at all.
    InvalidPath,
    /// Two settings exclude each other.
    Conflict(Setting, Setting),
    /// A setting means nothing for this format, or for this kind of input or output.
    NotApplicable(Setting),
    /// This build, this kernel or this file system lacks something that was asked for.
    Unsupported,
    /// The process may open fewer files than the job needs.
    OpenFileLimit {
        /// The least limit that would do, where it is known.
        least: Option<u64>,
    },
    /// The system did not give memory or a thread.
    OutOfResources,
    /// Saved work belongs to a job with other settings, or is incomplete.
    ResumeMismatch,
    /// Another process uses the saved work or the output.
    InUse,
    /// Any other kind; the message says more.
    Other,
}

impl ConfigError {
    /// Returns an error of a kind with what is wrong and what to do.
    pub fn new(kind: ConfigErrorKind, message: impl Into<Message>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the kind, which a caller can act on.
    pub const fn kind(&self) -> ConfigErrorKind {
        self.kind
    }

    /// Returns the message, whose references to settings the caller may name.
    pub const fn message(&self) -> &Message {
        &self.message
    }
}
