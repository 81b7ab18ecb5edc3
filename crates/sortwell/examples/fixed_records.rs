//! Sorts 100-byte records by their first ten bytes.
//!
//! Run it as `cargo run --release --example fixed_records INPUT OUTPUT`.

use std::path::Path;

use sortwell::{ByteSize, Format, Result, SortJob, Statistics};

/// Sorts 100-byte records by their first ten bytes, within 512 MiB of memory.
pub fn sort_records(input: &Path, output: &Path) -> Result<Statistics> {
    SortJob::new(Format::Fixed { length: 100 }, input, output)
        .key("0..10".parse()?)
        .memory(ByteSize::mib(512))
        .run()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output] = paths.as_slice() else {
        return Err("usage: fixed_records INPUT OUTPUT".into());
    };
    let statistics = sort_records(input.as_ref(), output.as_ref())?;
    println!("{} records in {:.2} s", statistics.records, statistics.seconds);
    Ok(())
}
