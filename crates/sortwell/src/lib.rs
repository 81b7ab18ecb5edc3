//! Sorts files that may be far larger than memory, disk to disk, at the speed of the disks.
//!
//! ```
//! use sortwell::{ByteSize, Format, SortJob};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
//! std::fs::write(&input, "name,amount\nAnn,7\nBob,30\n")?;
//!
//! let statistics = SortJob::new(Format::CSV, input, &output)
//!     .key("amount:decimal:desc".parse()?)
//!     .memory(ByteSize::mib(64))
//!     .run()?;
//!
//! assert_eq!(std::fs::read(&output)?, b"name,amount\nBob,30\nAnn,7\n");
//! assert_eq!(statistics.records, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Four kinds of jobs exist. [`SortJob`] sorts, [`MergeJob`] merges files that are sorted already,
//! [`CheckJob`] looks whether files are sorted, and [`IndexJob`] builds an index over files. Each
//! is a builder: its methods set options, and `run` carries it out. A job may run several times; a
//! [`Supplied`] input is read once.
//! A [`Sorter`] sorts records that the program pushes, and lends them back in order. An [`Index`]
//! finds records by their keys in files that stay as they are.
//!
//! - A [`Format`] separates records. A [`Key`] says what they are ordered by, in the words that the
//!   command `sortwell sort -k` takes.
//! - The memory budget is a ceiling of the resident size of the whole process. A sort that needs
//!   more memory writes temporary files and removes them.
//! - The sort is stable, and its output is the same bytes for any number of threads and any budget.
//! - An output file appears whole and durable under its name, or not at all. Inputs stay as they
//!   are. The output is proven to hold the records of the inputs, in order.
//! - A job prints nothing and installs no signal handler. [`Progress`] shows how far it is, and
//!   stops it from another thread.
//!
//! Features: `compression` (gzip, zstd and lz4), `icu` (orders of text by language), `regex`
//! (regular expressions in conditions) and `sqlite` (indexes as SQLite databases) are on by
//! default. `serde` adds the codec `Postcard` of values, and `counters` hardware counters in the
//! statistics.
//!
//! The crate `sortwell-engine` does the work. Its interface is not stable; use this crate instead.

#[cfg(not(target_os = "linux"))]
compile_error!("sortwell runs on Linux alone: it needs io_uring or pread, O_DIRECT and /proc");

/// The programs of the guide, for the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct RustGuide;

mod check_job;
mod ends;
mod errors;
mod index_job;
mod indexes;
mod key_writer;
mod merge_job;
mod options;
mod records;
mod results;
mod sort_job;
mod sorter;
mod values;

/// The interface of the engine, for the command and the benchmarks of this project. It may change
/// in every version.
#[cfg(feature = "unstable")]
pub use sortwell_engine as unstable;

/// Sorts of blocks of bytes in any format, for the C library of this project. They may change in
/// every version.
#[cfg(feature = "unstable")]
pub use sorter::block_sort as unstable_sort;

pub use check_job::CheckJob;
pub use index_job::{IndexAppendJob, IndexJob};
pub use key_writer::{KeyValue, KeyWriter};
pub use merge_job::MergeJob;
pub use sort_job::SortJob;
pub use sorter::{
    Folded, KeyedMerge, KeyedRecord, Pusher, Reserved, RunFile, Sorted, Sorter, Spiller,
};

#[cfg(feature = "serde")]
pub use values::Postcard;
pub use values::{CodecError, SortedValues, ValueCodec};

#[doc(inline)]
pub use ends::{
    Budget, ByteSize, Codec, Compress, Compression, Decompress, Input, Outlet, Output, Resume,
    Supplied, Supply,
};
#[doc(inline)]
pub use errors::{
    ConfigError, ConfigErrorKind, Error, KeyError, KeyFault, Message, Operation, ParseError,
    ParseSizeError, Reference, Result, Setting,
};
#[doc(inline)]
pub use indexes::{Description, Effort, Found, Index, Matches, WrongEntry};
#[doc(inline)]
pub use records::{
    CsvFormat, Dialect, Expression, Format, HeaderLines, Invalid, InvalidPlace, Key, Ragged,
    RecordKey, Unique,
};
#[doc(inline)]
pub use results::{Checked, Disorder, Explanation, Phase, Progress, Statistics};
