//! What of the sorted records is written.

use clap::Args;
use sortwell::operator::{Select, Unique};

use super::values;

/// Records with equal keys, and how many records.
#[derive(Args, Debug)]
pub struct Selecting {
    /// Of records with equal keys write only the first, or the last, or refuse them
    ///
    /// Without a word, the first in the order of the input. Duplicates are dropped wherever sorted
    /// records pass, so that with many of them little is spilled. With error, the first that has
    /// the key of the record before it is named by its number in the sorted order; there is no
    /// output then, and the exit status is 3.
    #[arg(short, long, value_name = "first|last|error", num_args = 0..=1, require_equals = true,
          default_missing_value = "first",
          value_parser = values::one_of::<Unique>(&["first", "last", "error"]))]
    unique: Option<Unique>,

    /// Leave out the first N records of the order
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,

    /// Write only the first N records of the order, behind those that are skipped
    ///
    /// Records beyond them are not sorted.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Of lines with equal keys write only the first, and before it how many they are
    #[arg(long)]
    count: bool,
}

impl Selecting {
    /// What is written.
    pub fn select(&self) -> Select {
        Select { unique: self.unique, count: self.count, skip: self.skip, limit: self.limit }
    }
}
