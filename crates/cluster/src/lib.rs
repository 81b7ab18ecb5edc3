//! Steps of a sort on many machines that one node does: cutting inputs, sorting a split into a run,
//! finding a key in a run, and merging ranges of runs.
//!
//! ```text
//!   input files --> splits       split      at the beginnings of records
//!   split --> sort --> run       run        sorted records, and an index of them
//!   key --> offset in a run      run_index
//!   ranges of runs --> blocks    range_merge
//! ```
//!
//! The Python package `sortwell.cluster` decides where
//! each step runs, and moves the bytes.

mod range_merge;
mod run;
mod run_index;
mod split;

pub use range_merge::{MergedBlock, RangeMerge};
pub use run::{MadeRun, RunJob, index_path, range_checksum};
pub use run_index::{CutSide, IndexEntry, RunCut, RunIndex, SearchedRun};
pub use split::{InputSplit, InputTop, SplitCutter, read_top, row_keys, same_columns};
