//! sortwell sorts files that may be far larger than memory, disk to disk, at the speed of the
//! disks.
//!
//! The modules are rooms a record walks through, and each uses only rooms named before it (the form
//! test holds them to it): `error`, `units`, `stats`, `proof`, `io`, `sink`, `load`, `format`,
//! `key`, `order`, `predicate`, `incore`, `run`, `manifest`, `merge`, `profile`; then `plan`
//! decides, `pipeline` does, `job` is the front door, and `report` shows what it did.

pub mod error;
pub mod format;
#[expect(unsafe_code, reason = "entries live in raw chunks of the arena; fenced and tested here")]
pub mod incore;
#[expect(unsafe_code, reason = "memory maps, io_uring and raw buffers are made safe here")]
pub mod io;
pub mod key;
pub mod load;
pub mod manifest;
pub mod merge;
pub mod operator;
pub mod order;
pub mod output;
pub mod pipeline;
pub mod plan;
pub mod predicate;
pub mod profile;
pub mod proof;
pub mod run;
pub mod sink;
pub mod stats;
pub mod units;

pub mod job;
pub mod report;

pub use error::{Error, Result};
pub use units::ByteSize;
