//! Names of the settings and operations that messages refer to.
//!
//! A message refers to a setting by a value of [`Setting`], never by the spelling that a program
//! has for it, and to another operation of the library by a value of [`Operation`]. `Display` gives
//! names in plain words; a program shows its own names with [`Message::render`](super::Message).

use std::fmt;

use super::named;

named! {
    /// A setting of a job that a message refers to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Setting {
        /// The number of runs in memory of AlphaSort.
        AlphasortRuns = "number of runs in memory",
        /// The method by which runs are made.
        Algorithm = "algorithm",
        /// Requests that are carried out while their worker continues.
        AsyncIo = "asynchronous I/O",
        /// The check of the order of inputs that should be sorted.
        Check = "order check",
        /// The compression of the output.
        Compress = "output compression",
        /// The compression of runs.
        CompressRuns = "compression of runs",
        /// The number of records with an equal key, written with each record.
        Count = "count",
        /// The notation of dates in keys.
        DateFormat = "date format",
        /// The decompression of inputs.
        Decompress = "input compression",
        /// The use of direct I/O.
        Direct = "direct I/O",
        /// The I/O engine.
        Engine = "I/O engine",
        /// The permission to replace an output that is write-protected.
        Force = "permission to replace",
        /// The format of records.
        Format = "format",
        /// The stores by which records get into output buffers.
        GatherStores = "stores of a gather",
        /// The condition on records whose equal ones were combined.
        Having = "condition on groups",
        /// The lines above the records.
        Header = "header",
        /// The sort in the place of the input.
        InPlace = "sort in place",
        /// The condition on records that are sorted.
        Include = "condition on records",
        /// The place of records whose key is not of its type.
        Invalid = "invalid keys",
        /// The keys that records are sorted by.
        Key = "key",
        /// The greatest value of a field of the records with equal keys.
        Max = "maximum",
        /// The memory budget.
        Memory = "memory",
        /// The form in which runs are merged.
        Merge = "merge",
        /// The buffers of a merge of streams.
        MergeBuffers = "merge buffers",
        /// The size of a run in memory.
        Microrun = "microrun size",
        /// The least value of a field of the records with equal keys.
        Min = "minimum",
        /// The promise that rows have no header.
        NoHeader = "no header",
        /// The file that records are written to.
        Output = "output",
        /// Reading, computing and writing at the same time.
        Overlap = "overlap",
        /// The byte that missing bytes of short records are taken for.
        Pad = "pad",
        /// The quotes of cells.
        Quote = "quote",
        /// The treatment of rows with another number of cells.
        Ragged = "ragged rows",
        /// The continuation of an interrupted job.
        Resume = "resume",
        /// The size of a run.
        RunSize = "run size",
        /// The fields that are written.
        Select = "selected fields",
        /// The byte between two fields.
        Separator = "separator",
        /// The number of records of each output file.
        Split = "split",
        /// The field that names the output file of a record.
        SplitBy = "split by field",
        /// The sum of a field of the records with equal keys.
        Sum = "sum",
        /// Making files durable.
        Sync = "sync",
        /// The directories of temporary files.
        Temp = "temporary directories",
        /// The most bytes of temporary files.
        TempLimit = "limit of temporary files",
        /// The number of threads.
        Threads = "threads",
        /// The assignment of columns to each other by their names.
        UnionByName = "union by name",
        /// The treatment of records with equal keys.
        Unique = "unique",
    }
}

impl Setting {
    /// Returns a reference to the setting with a value, as in "format csv".
    pub fn to(self, value: impl fmt::Display) -> Reference {
        Reference::Setting(self, Some(value.to_string()))
    }
}

named! {
    /// An operation other than the failed one that a message refers to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Operation {
        /// The removal of what interrupted jobs left.
        CleanSpill = "a cleanup of spill directories",
        /// The removal of what jobs left whose records may be nowhere else.
        CleanAnySpill = "a cleanup of spill directories, whatever they hold",
        /// The measurement of a machine.
        Calibrate = "a calibration",
        /// The measurement of a machine's processors.
        CalibrateProcessors = "a calibration of the processors",
        /// The measurement of a disk.
        CalibrateDisk = "a calibration of the disk",
    }
}

impl Operation {
    /// Returns a reference to the operation on `operand`, such as a directory.
    pub fn on(self, operand: impl fmt::Display) -> Reference {
        Reference::Operation(self, Some(operand.to_string()))
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
