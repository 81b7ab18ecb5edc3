//! Proof of order: every record that is written is compared with the one before it.
//!
//! The sum of hashes (`proof`) sees records that are lost or changed, but not a wrong order of the
//! right ones. So each worker that gathers or merges has an [`OrderCheck`], which looks at the keys
//! of neighbours once more: by the first word, and further on only where these are equal.
//!
//! ```text
//!   task 0               task 1               task 2          of one stage, by any workers
//!   a <= b <= c <= d     e <= f <= g <= h     i <= j <= k     each check: neighbours
//!                  d <= e               h <= i                OrderProof: bounds between tasks
//!   |------------- stage (a slab) -----------------| k <= l   and between stages and jobs
//! ```
//!
//! Keys are made again from the record where entries, digests or a tournament of other keys decided
//! the order: to compare those themselves would repeat a fault in them. Merges compare the key
//! prefixes that they hold, which were made from the records.
//!
//! Invariant: a check reports no fault for records in order, whatever their keys. Of records over
//! [`KEPT_MAX`] bytes that are not at hand any more, only the first [`KEPT_MAX`] bytes of the key
//! are compared.

mod check;
#[cfg(feature = "disorder")]
pub mod disorder;
mod kept;
mod proof;

pub use check::{KeyBeginning, OrderCheck};
pub use kept::{KEPT_MAX, KeptRecord};
pub use proof::OrderProof;

#[cfg(test)]
mod tests;
