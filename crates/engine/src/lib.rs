//! The engine of sortwell, which sorts files that may be far larger than memory, disk to disk, at
//! the speed of the disks.
//!
//! Its interface is not stable. Programs use the crate `sortwell`, a small layer over it.
//!
//! Each module uses only modules that are named before it, which a test checks: `units`, `error`,
//! `format`, `stats`, `proof`, `sys`, `locale`, `io`, `stripe`, `codec`, `sink`, `load`, `key`,
//! `order`, `predicate`, `incore`, `run`, `manifest`, `merge`, `operator`, `output`, `profile`,
//! `plan`, `pipeline`, `job`. The module `plan` makes a plan, and `pipeline` carries it out. Start
//! with `job`.

pub mod codec;
pub mod error;
pub mod format;
#[expect(unsafe_code, reason = "entries live in raw chunks of the arena; fenced and tested here")]
pub mod incore;
#[expect(unsafe_code, reason = "memory maps, io_uring and raw buffers are made safe here")]
pub mod io;
pub mod key;
pub mod load;
#[expect(unsafe_code, reason = "functions and tables of the C library are made safe here")]
pub mod locale;
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
pub mod stripe;
#[expect(unsafe_code, reason = "system calls without a safe wrapper are made safe here")]
pub mod sys;
pub mod units;

pub mod job;

pub use error::{Error, Result};
pub use units::ByteSize;
