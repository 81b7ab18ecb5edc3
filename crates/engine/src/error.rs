//! Errors of the library: faults of the request, the input or the machine.
//!
//! One enum serves the whole library. Each variant carries what is needed to find the fault: the
//! file, the offset or record, the expected and the found value. A bug of the library is an
//! assertion, never an `Error`. Messages refer to settings by value ([`Setting`]), so that a
//! program can name them as its users know them: the library knows no option and no exit status.

mod config;
pub(crate) mod message;
mod named;
mod parse;
mod setting;
pub mod spelling;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use config::{ConfigError, ConfigErrorKind};
pub use message::{Message, RecordPosition};
pub(crate) use message::{config, message};
pub(crate) use named::named;
pub use parse::ParseError;
pub use setting::{Operation, Reference, Setting};

use crate::units::{ByteSize, ParseSizeError};

/// The result of an operation that can fail with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Name, in messages, of all inputs together.
pub const ALL_INPUTS: &str = "the input";

/// Name, in messages, of records that the program passes to a job.
pub const PUSHED_RECORDS: &str = "the records that were pushed";

/// Name, in messages, of records that a job passes to the program.
pub const SORTED_RECORDS: &str = "the sorted records";

/// Names that stand in place of that of a file.
const NO_FILES: [&str; 3] = [ALL_INPUTS, PUSHED_RECORDS, SORTED_RECORDS];

/// A fault of the request, the input or the machine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request cannot be carried out: a wrong key, a budget that is too small, two settings
    /// that exclude each other. [`ConfigError::kind`] says which.
    Config(ConfigError),

    /// A record or a file does not have the form that the settings state.
    Malformed {
        /// The file at fault.
        path: PathBuf,
        /// The fault, with its offset or record, and the remedy.
        message: Message,
    },

    /// A record, or a window of compressed data, of an input has no room in the memory budget.
    BudgetExceeded {
        /// The input.
        path: PathBuf,
        /// The size, with its offset or record, and the remedy.
        message: Message,
        /// The least budget that would do, where it is known.
        least: Option<ByteSize>,
    },

    /// The operating system refused a request.
    Io {
        /// The request that failed: a verb that reads well after "cannot".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The byte offset in the file, where the request has one.
        offset: Option<u64>,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },

    /// A disk has less room than the job needs.
    NoSpace {
        /// The directory that lacks room; of several, the one that lacks most.
        path: PathBuf,
        /// The number of other directories that share the files.
        others: usize,
        /// The room that the job needs in all of these directories.
        needed: ByteSize,
        /// The room that is free in all of them, in pieces as large as the job needs.
        available: ByteSize,
        /// The setting that moves these files elsewhere, where there is one.
        setting: Option<Setting>,
    },

    /// The file to replace has no write permission.
    WriteProtected {
        /// The file.
        path: PathBuf,
    },

    /// Temporary files would take more room than the limit allows.
    OverLimit {
        /// The most room that they need, where it is known beforehand.
        needed: Option<ByteSize>,
        /// The room that they may take.
        limit: ByteSize,
    },

    /// Bytes that were read back from disk differ from those that were written.
    Corrupt {
        /// The run file.
        path: PathBuf,
        /// The number of the block in that file.
        block: u64,
        /// The expected and the found value.
        message: Message,
    },

    /// The records that were written are not those that were read. No output was made.
    Proof {
        /// The number of records read.
        records_in: u64,
        /// The checksum of the records read, in any order.
        checksum_in: u128,
        /// The number of records written.
        records_out: u64,
        /// The checksum of the records written, in any order.
        checksum_out: u128,
    },

    /// A record would have been written after one that it belongs before. No output was made.
    Disorder {
        /// The output that was being written.
        target: &'static str,
        /// The place in it.
        place: String,
        /// True if a function of the program compares records: it may contradict itself.
        is_compared: bool,
    },

    /// A job failed, and the same job can continue from the work that was kept.
    Kept {
        /// True if the records that were kept exist nowhere else, as in a sort in place.
        is_in_place: bool,
        /// The spill directory with the manifest.
        directory: PathBuf,
        /// The error that ended the job.
        error: Box<Error>,
    },

    /// The length of records changed in memory. No output was made.
    Changed {
        /// The bytes of some records when they were read.
        expected: u64,
        /// The bytes of the same records when they were written.
        found: u64,
    },

    /// A function of the caller failed. No output was made.
    Caller {
        /// The function and what it said.
        message: String,
    },

    /// The caller stopped the job.
    Interrupted,
}

/// Returns the sentence about the cause of an output out of order.
const fn cause_of_disorder(is_compared: bool) -> &'static str {
    match is_compared {
        true => {
            "The function that compares records may contradict itself: it must be a total order"
        }
        false => "The cause is a defect of sortwell or of the machine's memory: please report it",
    }
}

/// Returns that other directories share the files, if there are some.
fn and_elsewhere(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " and 1 directory elsewhere".to_owned(),
        others => format!(" and {others} directories elsewhere"),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message())
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Self::Config(error.into())
    }
}

impl From<ParseSizeError> for Error {
    fn from(error: ParseSizeError) -> Self {
        ParseError::from(error).into()
    }
}

impl Error {
    /// Returns an [`Error::Config`] of a kind with what is wrong and what to do.
    pub fn config(kind: ConfigErrorKind, message: impl Into<Message>) -> Self {
        Self::Config(ConfigError::new(kind, message))
    }

    /// Returns an [`Error::Malformed`] about a file.
    pub(crate) fn malformed(path: &Path, message: impl Into<Message>) -> Self {
        Self::Malformed { path: path.to_owned(), message: message.into() }
    }

    /// Returns an [`Error::Corrupt`] about a block of a file.
    pub(crate) fn corrupt(path: &Path, block: u64, message: impl Into<Message>) -> Self {
        Self::Corrupt { path: path.to_owned(), block, message: message.into() }
    }

    /// Returns what went wrong, without the causes; a program may name the settings in it.
    pub fn message(&self) -> Message {
        match self {
            Self::Config(error) => error.message().clone(),
            Self::Malformed { path, message } | Self::BudgetExceeded { path, message, .. } => {
                message!("{}: {}", path.display(), message)
            }
            Self::Io { action, path, offset, .. } => {
                let at = offset.map(|offset| message!(" at offset {}", offset));
                message!("cannot {} {}{}", action, path.display(), at)
            }
            Self::NoSpace { path, others, needed, available, setting } => {
                let with = setting.map(|setting| message!(" with {}", setting));
                message!(
                    "not enough space in {}{}: {} needed, {} free; free some space or name \
                     another directory{}",
                    path.display(),
                    and_elsewhere(*others),
                    needed.rounded_up(),
                    available,
                    with,
                )
            }
            Self::WriteProtected { path } => message!(
                "cannot replace {}: it has no write permission; add the permission, or set the {}",
                path.display(),
                Setting::Force,
            ),
            Self::OverLimit { needed, limit } => message!(
                "temporary files would take {}more than the limit of {}; raise the limit, or give \
                 more {} to spill less",
                needed.map(|needed| message!("up to {}, ", needed.rounded_up())),
                limit,
                Setting::Memory,
            ),
            Self::Corrupt { path, block, message } => {
                message!("{}: block {} is damaged: {}", path.display(), block, message)
            }
            Self::Kept { is_in_place, directory, error } => message!(
                "{}; {} in {}, from which the same job continues",
                error.with_causes(),
                if *is_in_place { "records of the input are" } else { "the finished work is kept" },
                directory.display(),
            ),
            Self::Proof { records_in, checksum_in, records_out, checksum_out } => format!(
                "proof failed: {records_in} records with checksum {checksum_in:032x} were read, \
                 {records_out} with {checksum_out:032x} were written; no output file was written"
            )
            .into(),
            Self::Disorder { target, place, is_compared } => format!(
                "order proof failed: in {target}, {place}, a record is out of order; no output \
                 file was written. {}",
                cause_of_disorder(*is_compared),
            )
            .into(),
            Self::Changed { expected, found } => format!(
                "records had {expected} bytes when they were read, and {found} when they were \
                 written: memory changed during the job; no output file was written"
            )
            .into(),
            Self::Caller { message } => format!("{message}; no output file was written").into(),
            Self::Interrupted => {
                "interrupted; no output file was written and the input is unchanged".into()
            }
        }
    }

    /// Returns what went wrong and its causes, as a part of the error around it, which says what
    /// became of input and output.
    fn with_causes(&self) -> String {
        if let Self::Interrupted = self {
            return "interrupted".to_owned();
        }
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        causes.fold(self.to_string(), |words, cause| format!("{words}: {cause}"))
    }

    /// Returns the kind of an [`Error::Config`], which may be the error of a job that kept work.
    pub fn config_kind(&self) -> Option<ConfigErrorKind> {
        match self {
            Self::Config(error) => Some(error.kind()),
            Self::Kept { error, .. } => error.config_kind(),
            _ => None,
        }
    }

    /// Returns an [`Error::Io`] about a whole file.
    pub fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { action, path: path.to_owned(), offset: None, source: source.into() }
    }

    /// Returns an [`Error::Io`] at a place in a file.
    pub fn io_at(
        action: &'static str,
        path: &Path,
        offset: u64,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::Io { action, path: path.to_owned(), offset: Some(offset), source: source.into() }
    }

    /// Returns whether a disk or a quota was full.
    pub fn is_full(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. }
            if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// Returns the file or directory at fault, where it is known. Records of several files, and
    /// those of the program, are in none.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Malformed { path, .. }
            | Self::BudgetExceeded { path, .. }
            | Self::Io { path, .. }
            | Self::NoSpace { path, .. }
            | Self::WriteProtected { path }
            | Self::Corrupt { path, .. } => {
                Some(path.as_path()).filter(|path| !NO_FILES.map(Path::new).contains(path))
            }
            Self::Kept { error, .. } => error.file(),
            _ => None,
        }
    }

    /// Returns the number of the record at fault in its input, from 1, where it is known.
    pub fn record(&self) -> Option<u64> {
        self.position().record
    }

    /// Returns the byte at fault in the file: the offset of a request, or the first byte of a
    /// record, where it is known.
    pub fn offset(&self) -> Option<u64> {
        self.position().offset
    }

    fn position(&self) -> RecordPosition {
        match self {
            Self::Malformed { message, .. } | Self::BudgetExceeded { message, .. } => {
                message.position()
            }
            Self::Io { offset, .. } => RecordPosition { record: None, offset: *offset },
            Self::Kept { error, .. } => error.position(),
            _ => RecordPosition::default(),
        }
    }

    /// Returns whether temporary files of the job were not as it had written them, so that nothing
    /// of them should be used again.
    pub(crate) const fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Proof { .. })
    }

    /// Returns whether the caller stopped the job, with or without work that was kept.
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::Kept { error, .. } => error.is_interruption(),
            other => matches!(other, Self::Interrupted),
        }
    }
}

#[cfg(test)]
mod tests;
