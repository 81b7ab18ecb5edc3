//! Indexes over files of records that stay where they are: the parallel CREATE INDEX.
//!
//! ```text
//!   data files --> scan: (key, position) of each record --> sort --> pack: leaf pages --> LMDB
//!                  several threads                          engine   each task of the sort
//! ```
//!
//! [`BuildJob`] makes an index, and [`Index`] finds records by their keys. The keys are those of
//! the engine, bound to the format of the records, as bytes that compare with memcmp. The file is
//! one of LMDB (`lmdb`), which other programs can read as well. A build can also make a database of
//! SQLite (`sqlite`), which other programs search.
//!
//! The interface of this crate is not stable.

mod append;
mod bgzf;
mod build;
mod description;
mod entry;
mod include;
mod index;
#[doc(hidden)] // open to the tests
pub mod lmdb;
mod matches;
mod ordered;
mod pack;
mod record_file;
mod scan;
mod scan_memory;
mod scanned;
mod sort;
mod source;
mod sqlite;
mod store;
#[cfg_attr(
    not(feature = "sqlite"),
    expect(dead_code, reason = "a build without SQLite makes no table")
)]
mod typed;
mod values;
mod verify;

pub use append::AppendJob;
pub use build::{BuildJob, Built, SortSettings};
pub use description::Description;
pub use include::Include;
pub use index::{Found, Index};
pub use matches::Matches;
pub use store::IndexTarget;
#[doc(hidden)]
pub use values::ValueKeys;
pub use verify::{Effort, WrongEntry};
