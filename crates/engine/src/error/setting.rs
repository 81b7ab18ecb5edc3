//! Names of the settings and operations that messages refer to.
//!
//! A message refers to a setting by a value of [`Setting`], never by the spelling that a program
//! has for it, and to another operation of the library by a value of [`Operation`]. `Display` gives
//! names in plain words; a program shows its own names with [`Message::render`](super::Message).

use std::fmt;

/// A setting of a job that a message refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// The method by which runs are made.
    Algorithm,
    /// The check of the order of inputs that should be sorted.
    Check,
    /// The compression of the output.
    Compress,
    /// The number of records with an equal key, written with each record.
    Count,
    /// The notation of dates in keys.
    DateFormat,
    /// The decompression of inputs.
    Decompress,
    /// The use of direct I/O.
    Direct,
    /// The I/O engine.
    Engine,
    /// The permission to replace an output that is write-protected.
    Force,
    /// The format of records.
    Format,
    /// The condition on records whose equal ones were combined.
    Having,
    /// The lines above the records.
    Header,
    /// The sort in the place of the input.
    InPlace,
    /// The condition on records that are sorted.
    Include,
    /// The place of records whose key is not of its type.
    Invalid,
    /// The keys that records are sorted by.
    Key,
    /// The greatest value of a field of the records with equal keys.
    Max,
    /// The memory budget.
    Memory,
    /// The form in which runs are merged.
    Merge,
    /// The buffers of a merge of streams.
    MergeBuffers,
    /// The least value of a field of the records with equal keys.
    Min,
    /// The promise that rows have no header.
    NoHeader,
    /// The file that records are written to.
    Output,
    /// Reading, computing and writing at the same time.
    Overlap,
    /// The byte that missing bytes of short records are taken for.
    Pad,
    /// The quotes of cells.
    Quote,
    /// The treatment of rows with another number of cells.
    Ragged,
    /// The continuation of an interrupted job.
    Resume,
    /// The size of a run.
    RunSize,
    /// The fields that are written.
    Select,
    /// The byte between two fields.
    Separator,
    /// The number of records of each output file.
    Split,
    /// The field that names the output file of a record.
    SplitBy,
    /// The sum of a field of the records with equal keys.
    Sum,
    /// Making files durable.
    Sync,
    /// The directories of temporary files.
    Temp,
    /// The most bytes of temporary files.
    TempLimit,
    /// The number of threads.
    Threads,
    /// The assignment of columns to each other by their names.
    UnionByName,
    /// The treatment of records with equal keys.
    Unique,
}

impl Setting {
    /// All settings.
    pub const ALL: [Self; 40] = [
        Self::Algorithm,
        Self::Check,
        Self::Compress,
        Self::Count,
        Self::DateFormat,
        Self::Decompress,
        Self::Direct,
        Self::Engine,
        Self::Force,
        Self::Format,
        Self::Having,
        Self::Header,
        Self::InPlace,
        Self::Include,
        Self::Invalid,
        Self::Key,
        Self::Max,
        Self::Memory,
        Self::Merge,
        Self::MergeBuffers,
        Self::Min,
        Self::NoHeader,
        Self::Output,
        Self::Overlap,
        Self::Pad,
        Self::Quote,
        Self::Ragged,
        Self::Resume,
        Self::RunSize,
        Self::Select,
        Self::Separator,
        Self::Split,
        Self::SplitBy,
        Self::Sum,
        Self::Sync,
        Self::Temp,
        Self::TempLimit,
        Self::Threads,
        Self::UnionByName,
        Self::Unique,
    ];

    /// Returns the library's name of the setting, in plain words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Check => "order check",
            Self::Compress => "output compression",
            Self::Count => "count",
            Self::DateFormat => "date format",
            Self::Decompress => "input compression",
            Self::Direct => "direct I/O",
            Self::Engine => "I/O engine",
            Self::Force => "permission to replace",
            Self::Format => "format",
            Self::Having => "condition on groups",
            Self::Header => "header",
            Self::InPlace => "sort in place",
            Self::Include => "condition on records",
            Self::Invalid => "invalid keys",
            Self::Key => "key",
            Self::Max => "maximum",
            Self::Memory => "memory",
            Self::Merge => "merge",
            Self::MergeBuffers => "merge buffers",
            Self::Min => "minimum",
            Self::NoHeader => "no header",
            Self::Output => "output",
            Self::Overlap => "overlap",
            Self::Pad => "pad",
            Self::Quote => "quote",
            Self::Ragged => "ragged rows",
            Self::Resume => "resume",
            Self::RunSize => "run size",
            Self::Select => "selected fields",
            Self::Separator => "separator",
            Self::Split => "split",
            Self::SplitBy => "split by field",
            Self::Sum => "sum",
            Self::Sync => "sync",
            Self::Temp => "temporary directories",
            Self::TempLimit => "limit of temporary files",
            Self::Threads => "threads",
            Self::UnionByName => "union by name",
            Self::Unique => "unique",
        }
    }

    /// Returns a reference to the setting with a value, as in "format csv".
    pub fn to(self, value: impl fmt::Display) -> Reference {
        Reference::Setting(self, Some(value.to_string()))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An operation other than the failed one that a message refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// The removal of what interrupted jobs left.
    CleanSpill,
    /// The measurement of a machine.
    Calibrate,
    /// The measurement of a machine's processors.
    CalibrateProcessors,
    /// The measurement of a disk.
    CalibrateDisk,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 4] =
        [Self::CleanSpill, Self::Calibrate, Self::CalibrateProcessors, Self::CalibrateDisk];

    /// Returns the library's name of the operation, in plain words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CleanSpill => "a cleanup of spill directories",
            Self::Calibrate => "a calibration",
            Self::CalibrateProcessors => "a calibration of the processors",
            Self::CalibrateDisk => "a calibration of the disk",
        }
    }

    /// Returns a reference to the operation on `operand`, such as a directory.
    pub fn on(self, operand: impl fmt::Display) -> Reference {
        Reference::Operation(self, Some(operand.to_string()))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A part of a message that a program may name in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reference {
    /// A setting, and the value that the message gives it.
    Setting(Setting, Option<String>),
    /// An operation, and what it is about.
    Operation(Operation, Option<String>),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(setting, None) => write!(f, "{setting}"),
            Self::Setting(setting, Some(value)) => write!(f, "{setting} {value}"),
            Self::Operation(operation, None) => write!(f, "{operation}"),
            Self::Operation(operation, Some(operand)) => write!(f, "{operation} ({operand})"),
        }
    }
}
