//! Sorts a file of 100-byte records by their first ten bytes, with the library.
//!
//! Run it as `cargo run --release --example sort_file INPUT OUTPUT`. Imports and `sort_file`
//! are the README's example.

use std::path::PathBuf;

use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Result};

/// Sorts 100-byte records by their first ten bytes, within 512 MiB of memory.
pub fn sort_file(input: PathBuf, output: PathBuf) -> Result<Statistics> {
    let format = Format::Fixed { length: 100 };
    let mut job = SortJob::new(vec![Input::File(input)], Output::File(output), format);
    job.keys = vec!["0..10".parse()?];
    job.memory = Budget::Bytes(ByteSize::mib(512));
    // Another thread may watch this, or stop the job through it.
    let progress = Progress::new();
    job.run(&progress)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (words.next(), words.next()) else {
        return Err("usage: sort_file INPUT OUTPUT".into());
    };
    let statistics = sort_file(input, output)?;
    println!("{} records in {:.2} s", statistics.records, statistics.seconds);
    Ok(())
}
