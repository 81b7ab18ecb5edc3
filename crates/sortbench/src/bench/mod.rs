//! The benchmarks of the classics, run anew: what they measured, on today's machine, beside what
//! they printed.
//!
//! Each bench is one file that ends in a [`Finding`]; `finding` says what that is, `text` puts it
//! in words, and the report page of the library draws it. `program` runs the sort as a user would,
//! `ground` gives it a place and files, `cases` lets sorts take turns, `confinement` limits their
//! memory; `papers` holds what was printed (never mixed with what is measured); `price`, `growth`
//! and `search` are formulas. `kernels` alone sorts in this process, in memory.

mod cases;
mod confinement;
mod datamation;
mod finding;
mod ground;
mod growth;
mod index;
mod interfaces;
mod joule;
mod kernels;
mod minute;
mod papers;
mod penny;
mod price;
mod program;
mod runs;
mod scale;
mod search;
pub mod text;

pub use datamation::{RECORDS as DATAMATION_RECORDS, datamation};
pub use finding::{
    Cell, Chart, ChartLine, FigureSource, FigureTable, Finding, FindingSetting, Samples,
};
pub use ground::Ground;
pub use index::{IndexSizes, ROWS as INDEX_ROWS, index};
pub use interfaces::interfaces;
pub use joule::joule;
pub use kernels::{KernelSizes, kernels};
pub use minute::{MinuteOptions, minute};
pub use penny::{PennyOptions, penny};
pub use program::{Program, Trial};
pub use runs::runs;
pub use scale::scale;
