//! Sorts a CSV file by two columns that its header names, without the rows that a condition
//! excludes.
//!
//! Run it as `cargo run --release --example csv_by_name INPUT OUTPUT`.

use std::path::Path;

use sortwell::{Format, Invalid, InvalidPlace, Result, SortJob, Statistics};

/// Sorts the rows of the city Paris by the columns `day` and `amount`, the largest amount of a day
/// first. Rows with an invalid day or amount come last.
pub fn sort_sales(input: &Path, output: &Path) -> Result<Statistics> {
    SortJob::new(Format::CSV, input, output)
        .include("city == 'Paris'".parse()?)
        .key("day:date".parse()?)
        .key("amount:decimal:desc".parse()?)
        .invalid(Invalid::Placed(InvalidPlace::Last))
        .run()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output] = paths.as_slice() else {
        return Err("usage: csv_by_name INPUT OUTPUT".into());
    };
    let statistics = sort_sales(input.as_ref(), output.as_ref())?;
    println!("{} rows read", statistics.records);
    Ok(())
}
