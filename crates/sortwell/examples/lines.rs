//! Sorts lines by a number in their second field, and keeps one line of each number.
//!
//! Run it as `cargo run --release --example lines INPUT OUTPUT`.

use std::path::Path;

use sortwell::{Format, Result, SortJob, Statistics, Unique};

/// Sorts lines with fields between commas by their second field, the largest number first. Of
/// lines with the same number, the first is kept.
pub fn sort_lines(input: &Path, output: &Path) -> Result<Statistics> {
    SortJob::new(Format::LINES, input, output)
        .separator(b',')
        .key("2:int:desc".parse()?)
        .unique(Unique::First)
        .run()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output] = paths.as_slice() else {
        return Err("usage: lines INPUT OUTPUT".into());
    };
    let statistics = sort_lines(input.as_ref(), output.as_ref())?;
    println!("{} lines read, {:?} kept", statistics.records, statistics.records_selected);
    Ok(())
}
