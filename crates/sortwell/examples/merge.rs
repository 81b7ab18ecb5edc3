//! Merges files that are sorted by a timestamp, and checks that they are.
//!
//! Run it as `cargo run --release --example merge OUTPUT INPUT...`.

use std::path::{Path, PathBuf};

use sortwell::{Format, MergeJob, Result, Statistics};

/// Merges logs whose lines begin with a timestamp. A log that is out of order is an error.
pub fn merge_logs(inputs: &[PathBuf], output: &Path) -> Result<Statistics> {
    let mut job = MergeJob::new(Format::LINES, output);
    for input in inputs {
        job.input(input);
    }
    job.key("1:timestamp".parse()?).run()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let output = paths.next().ok_or("usage: merge OUTPUT INPUT...")?;
    let statistics = merge_logs(&paths.collect::<Vec<_>>(), &output)?;
    println!("{} lines in {:.2} s", statistics.records, statistics.seconds);
    Ok(())
}
