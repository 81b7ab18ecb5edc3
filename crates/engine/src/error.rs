//! What the world can do wrong, in words a person can act on.
//!
//! One enum for the whole library. Every variant carries what is needed to find the fault: the
//! file, the offset or record, what was expected and what was found. What *we* do wrong is an
//! assertion, never an `Error`. The command line maps [`Error::exit_code`] to the process's exit
//! status.

pub mod spelling;

use std::io;
use std::path::{Path, PathBuf};

use crate::units::ByteSize;

/// The result of anything that touches the world.
pub type Result<T> = std::result::Result<T, Error>;

/// A fault of the input, the machine or the request. Open to growth.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request itself cannot be carried out: a bad key, a budget too small, options that clash.
    #[error("{0}")]
    Usage(String),

    /// A record or a file does not have the form it was said to have.
    #[error("{path}: {message}", path = path.display())]
    Malformed {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong, at which offset or record, and what to do.
        message: String,
    },

    /// The operating system refused a request.
    #[error("cannot {action} {path}{at}", path = path.display(), at = At(*offset))]
    Io {
        /// What was tried: a verb that reads well after "cannot".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Byte offset in the file, where there is one.
        offset: Option<u64>,
        /// The operating system's own words.
        #[source]
        source: io::Error,
    },

    /// There is not, or will not be, enough room on a disk.
    #[error(
        "not enough space in {path}{and}: {needed} needed, {available} free; \
         free some space or name another directory with {option}",
        path = path.display(),
        and = And(*others),
    )]
    NoSpace {
        /// The directory that is too full; of several, the fullest.
        path: PathBuf,
        /// Other file systems that share the load.
        others: usize,
        /// What the job needs there, and in the others.
        needed: ByteSize,
        /// What is free there and in the others, in pieces as large as the job needs them.
        available: ByteSize,
        /// The option that moves this stream elsewhere.
        option: &'static str,
    },

    /// Temporary files would take more than they may.
    #[error(
        "temporary files would take {up_to}more than the {limit} that --temp-limit allows; raise \
         it, or give more --memory so that less is spilled",
        up_to = UpTo(*needed),
    )]
    OverLimit {
        /// What they need at most, where that is known beforehand.
        needed: Option<ByteSize>,
        /// What they may take.
        limit: ByteSize,
    },

    /// Bytes read back from disk are not the bytes that were written.
    #[error("{path}: block {block} is damaged: {message}", path = path.display())]
    Corrupt {
        /// The run file.
        path: PathBuf,
        /// The number of the block in that file.
        block: u64,
        /// What was expected and what was found.
        message: String,
    },

    /// Records went missing, appeared or changed between input and output. No output was made.
    #[error(
        "proof failed: {records_in} records with checksum {checksum_in:032x} went in, \
         {records_out} with {checksum_out:032x} came out; the output was discarded"
    )]
    Proof {
        /// Records read.
        records_in: u64,
        /// Order-free checksum of the records read.
        checksum_in: u128,
        /// Records written.
        records_out: u64,
        /// Order-free checksum of the records written.
        checksum_out: u128,
    },

    /// A record was about to be written behind one that it belongs before. No output was made.
    #[error(
        "order proof failed: in {target}, {place}, a record follows one that it belongs before; \
         the output was discarded. This is a fault of sortwell or of the machine's memory: please \
         report it"
    )]
    Disorder {
        /// The output that was being written.
        target: &'static str,
        /// Where in it.
        place: String,
    },

    /// What went wrong with a job that another can go on with.
    #[error(
        "{error}; {what} in {directory}: the same command goes on from there{or}",
        error = Whole(error),
        what = if *is_in_place { "records of the input are" } else { "what was done is kept" },
        directory = directory.display(),
        or = if *is_in_place { "" } else { ", 'sortwell spill clean' removes it" },
    )]
    Kept {
        /// Whether what is there is nowhere else.
        is_in_place: bool,
        /// The spill directory with the manifest.
        directory: PathBuf,
        /// What went wrong.
        error: Box<Error>,
    },

    /// Records have another length than they had when they were read. No output was made.
    #[error(
        "records that had {expected} bytes when they were read have {found} where they are \
         written: memory changed under the job; the output was discarded"
    )]
    Changed {
        /// Bytes of some records when they were read.
        expected: u64,
        /// Their bytes now.
        found: u64,
    },

    /// The job was told to stop.
    #[error("interrupted; no output was written and the input is as it was")]
    Interrupted,
}

/// An error with its causes.
struct Whole<'a>(&'a Error);

impl std::fmt::Display for Whole<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What became of input and output is said by whoever wraps it.
        if let Error::Interrupted = self.0 {
            return f.write_str("interrupted");
        }
        write!(f, "{}", self.0)?;
        let mut cause = std::error::Error::source(self.0);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Other places, in words.
struct And(usize);

impl std::fmt::Display for And {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str(" and 1 directory elsewhere"),
            others => write!(f, " and {others} directories elsewhere"),
        }
    }
}

/// A bound that may not be known, in words.
struct UpTo(Option<ByteSize>);

impl std::fmt::Display for UpTo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "up to {bytes}, "),
            None => Ok(()),
        }
    }
}

/// An optional offset, in words.
struct At(Option<u64>);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(offset) => write!(f, " at offset {offset}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// An [`Error::Io`] about a whole file.
    pub fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { action, path: path.to_owned(), offset: None, source: source.into() }
    }

    /// An [`Error::Io`] at a place in a file.
    pub fn io_at(
        action: &'static str,
        path: &Path,
        offset: u64,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::Io { action, path: path.to_owned(), offset: Some(offset), source: source.into() }
    }

    /// The exit status of a command that fails with this error: 2 usage, 3 malformed input,
    /// 4 I/O, no space or too much of it, 5 a proof or checksum failed, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Malformed { .. } => 3,
            Self::Io { .. } | Self::NoSpace { .. } | Self::OverLimit { .. } => 4,
            Self::Corrupt { .. }
            | Self::Proof { .. }
            | Self::Changed { .. }
            | Self::Disorder { .. } => 5,
            Self::Interrupted => 130,
            Self::Kept { error, .. } => error.exit_code(),
        }
    }

    /// Whether a disk or a quota was full.
    pub(crate) fn is_full(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. }
            if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// Whether the job was told to stop, whatever it left.
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::Kept { error, .. } => error.is_interruption(),
            other => matches!(other, Self::Interrupted),
        }
    }
}
