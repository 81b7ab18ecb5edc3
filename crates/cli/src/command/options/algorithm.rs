//! Options for the algorithm of a sort. An index is built without a choice of it.

use clap::Args;
use sortwell::unstable::job::Algorithm;
use sortwell::unstable::plan::levers::Levers;

use super::{EXPERT, values};

/// The algorithm, and the settings that one algorithm has alone.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct AlgorithmOptions {
    /// Choose how to sort in memory, or how to make runs if memory does not hold all records
    ///
    /// auto: radix, the fastest. radix, quicksort, mergesort and alphasort fill memory again and
    /// again. With radix and quicksort, all threads deal records into buckets as they are read, and
    /// then sort each bucket: radix by a partial radix sort as in NOW-Sort, quicksort by key
    /// prefixes.
    ///
    /// mergesort and alphasort use no buckets. They sort many short runs in memory while records
    /// are read, and merge all of them by one tree, straight into the output. mergesort makes
    /// microruns by merge sort as psort does, and alphasort makes 10 to 100 runs by quicksort as
    /// AlphaSort does. See --microrun and --alphasort-runs.
    ///
    /// replacement-selection passes records through memory one by one. For records in random order,
    /// its runs are about twice as long as the memory that is left for records. With a small
    /// budget, the sort may need more passes than with radix. It makes a single run if no record
    /// is further from its place than that memory holds, as in logs that are nearly sorted. One
    /// thread makes the runs. It excludes --resume and --in-place, and records longer than a small
    /// part of memory. Inputs that fit in memory are sorted there all the same.
    ///
    /// The output is the same to the byte for every algorithm. Example: --algorithm quicksort.
    #[arg(long, value_name = "ALGORITHM", default_value = "auto",
          value_parser = values::one_of::<Algorithm>(
              &["auto", "radix", "quicksort", "mergesort", "alphasort", "replacement-selection"]),
          hide_short_help = true)]
    pub algorithm: Algorithm,

    /// Set the number of records of a microrun of --algorithm mergesort
    ///
    /// Default: the square root of the records of a load, rounded up to a power of two, as in
    /// psort. Larger microruns take longer to sort, and fewer of them are merged. From 16 to
    /// 16777216. --stats shows the number of microruns. Example: --microrun 65536.
    #[arg(long, value_name = "RECORDS", hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(16..=1 << 24))]
    microrun: Option<u32>,

    /// Set the number of runs in memory that --algorithm alphasort merges
    ///
    /// Default: from 10 to 100, so that a cache holds a run where possible. With more runs, less is
    /// left to sort when the last block has been read, but more runs are merged. There may be one
    /// more run for each thread. A run has 16 to 16777216 records, which may mean fewer or more
    /// runs. --stats shows the number. Example: --alphasort-runs 10.
    #[arg(long, value_name = "N", hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    alphasort_runs: Option<u32>,
}

impl AlgorithmOptions {
    /// Returns `levers` with the given settings of an algorithm.
    pub fn add_to(&self, levers: Levers) -> Levers {
        Levers {
            microrun: self.microrun.map(|entries| entries as usize),
            alphasort_runs: self.alphasort_runs.map(|runs| runs as usize),
            ..levers
        }
    }
}
