//! Merging runs, a key range at a time.
//!
//! The classical merge reads every run through a small buffer of its own and waits wherever one
//! runs dry. Here the sparse indexes of all runs say beforehand which blocks hold the next range of
//! keys: a *slab* is such a range, as much as a share of memory holds. Each run's piece of it is
//! read in large sequential requests. Slabs share no records, so that one is read while another is
//! merged. The same index keys cut a slab into tasks that workers merge and write at known places.
//!
//! ```text
//!   run 0   [.....|=====|........]      slab: keys from one bound to the next, in all runs
//!   run 1   [..|=======|.........]      = is read for the slab; blocks at its ends are shared
//!   run 2   [.......|==|.........]        with the neighbouring slabs and read twice
//! ```
//!
//! Places in a run are byte offsets in its data, so that records may have any length; a record is
//! cut from the bytes at its place by the run's framing. A *bound* is a record: everything before
//! it in the order (key, run, position) lies on its one side. That order is total, so bounds cut
//! between equal keys too, and stability needs no further care.
//!
//! Runs that do not overlap in key have slabs of one run only, and merging one source is copying
//! it.

pub mod entry_merge;
pub mod loser_tree;
mod merger;
mod partition;
mod slab;

pub use entry_merge::EntryMerge;
pub use merger::Merger;
pub use partition::{Piece, partition_point, positions};
pub use slab::{Bound, Planner, Slab};
