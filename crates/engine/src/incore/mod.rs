//! Sorting one load in memory, without moving its records.
//!
//! [`sort`] shows it as a whole, with a diagram and the papers that its phases come from: keys are
//! sampled, records dealt into buckets while they arrive, buckets sorted in a cache, and their
//! records gathered into the output.
//!
//! An **entry** is one `u64`: 24 bits of the key (its *digest*, [`classifier::Leaf`]) above the
//! record's location in the load. Inside a bucket, whose bounds are tight, the digest tells nearly
//! all keys apart; and as the location breaks ties, sorting plain integers is stable for nothing.
//! Digests that tie are settled by the rest of the key. Where that would be most of them, as with
//! text, entries are *wide*: a `u128` with 87 bits of the key, and one that is set if these are all
//! of it.
//!
//! Short records are dealt themselves, instead of entries that point to them ([`Item`]): a
//! record of 16 bytes fetched from anywhere in memory costs a whole cache line. Their entries are
//! made when a bucket is sorted, and the number is the record's place in the bucket.
//!
//! The user may have a load sorted in [`runs`] instead of buckets. A loser tree merges them.
//!
//! Where runs are as long as can be, records go through memory by replacement selection instead
//! ([`replacement`]).
//!
//! Left to others: reading and writing (`io`, `output`), what a key is (`key`).

mod alphabet;
pub mod bucket;
pub mod classifier;
pub mod deal;
pub mod gather;
pub mod item;
mod keyed;
pub mod method;
pub mod pool;
mod prefetch;
pub mod replacement;
pub mod runs;
mod sieve;
pub mod sort;
mod streaming;
mod ties;

pub use bucket::Scratch;
pub use classifier::{Classifier, Sample};
pub use deal::Dealer;
pub use gather::{GatherStores, Gathered, gather};
pub use item::Item;
pub use keyed::{KeyedLoad, RunCount};
pub use method::Method;
pub use pool::Pool;
pub use prefetch::prefetch;
pub use runs::RunSort;
pub use sieve::{SHELF, Shelf, Sieve};
pub use sort::IncoreSort;
