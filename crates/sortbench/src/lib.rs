//! The sort benchmark's records: made, and checked once they are sorted.
//!
//! Files, checksums, verdicts and partition summaries are those of gensort and valsort 1.5, byte
//! for byte, written anew from a description of the format. [`generate`] makes a file of any size
//! in parallel, because every block of records can be made on its own; [`validate`] checks one in
//! parallel, because every block can be summarised on its own and the summaries joined in order.
//!
//! ```
//! use sortbench::{
//!     GeneratorDestination, RecordGeneration, Validation, ValidatorSource, generate, validate,
//! };
//! use sortwell::Progress;
//!
//! # fn main() -> sortwell::Result<()> {
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = directory.path().join("records");
//! let job = RecordGeneration { checksum: true, threads: 2, ..RecordGeneration::new(1_000) };
//! let made = generate(&job, &GeneratorDestination::File(path.clone()), &Progress::new())?;
//! assert_eq!(made.checksum, Some(0x1ea6_370b_955));
//!
//! let verdict = validate(&Validation::default(), &ValidatorSource::File(path), &Progress::new())?;
//! assert_eq!(Some(verdict.checksum), made.checksum);
//! assert_eq!((verdict.unordered, verdict.exit_code()), (483, 1));
//! # Ok(())
//! # }
//! ```
//!
//! In import order: `sequence`, `skew` and `record` make bytes, and `sales` those of another table;
//! `checksum`, `summary` and `verdict` judge bytes; `place`, `block`, `turns` and `joining` serve
//! workers; `generate` and `validate` are the work. `samples` and `machine` say how sure a figure
//! is and where it was taken; `calibrate` measures machines, and `bench` runs the benchmarks of the
//! classics again. The library's `Progress` says how far they are.

pub mod bench;
mod block;
pub mod calibrate;
mod checksum;
mod generate;
mod joining;
mod machine;
mod place;
mod record;
mod sales;
mod samples;
mod sequence;
mod skew;
mod skew_bytes;
mod summary;
mod turns;
mod validate;
mod verdict;

pub use checksum::sum_of_checksums;
pub use generate::{GenerationResult, RecordGeneration, SalesGeneration, generate, generate_sales};
pub use machine::MachineProperties;
pub use place::{GeneratorDestination, ValidatorSource};
pub use record::RecordKind;
pub use sales::SalesForm;
pub use samples::Spread;
pub use summary::{KeyOrder, Summary};
pub use validate::{Contents, Validation, validate};
pub use verdict::Verdict;

/// Bytes in a record.
pub const RECORD_LENGTH: usize = 100;

/// Bytes of the key, which is at the beginning of the record.
pub const KEY_LENGTH: usize = 10;
