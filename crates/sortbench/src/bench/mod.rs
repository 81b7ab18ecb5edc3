//! The benchmarks of the classics, run anew: what they measured, on today's machine, beside what
//! they printed.
//!
//! Each bench is one file that ends in a [`Finding`]; `finding` says what that is, `text` puts it in
//! words, and the report page of the library draws it. `program` runs the sort as a user would,
//! `ground` gives it a place and files, `papers` holds what was printed (never mixed with what is
//! measured), `price` and `growth` are formulas.

mod datamation;
mod finding;
mod ground;
mod growth;
mod kernels;
mod papers;
mod price;
mod program;
pub mod text;

pub use datamation::{RECORDS as DATAMATION_RECORDS, datamation};
pub use finding::{Cell, Chart, Finding, Line, Samples, Setting, Source, Table};
pub use ground::Ground;
pub use kernels::{KernelSizes, kernels};
pub use program::{Program, Trial};
