//! Times an index: random lookups of values, with and without their records, and a scan of all
//! entries.
//!
//! ```text
//!   cargo run --release --package sortwell-index --example lookups -- INDEX VALUES
//! ```
//!
//! `VALUES` is a file with a value of the first key in each line.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use sortwell_index::Index;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(path), Some(values)) = (words.next(), words.next()) else {
        return Err("give an index and a file of values".into());
    };
    let index = Index::open(&path)?;
    let values = fs::read_to_string(values)?;
    let values: Vec<[&str; 1]> = values.lines().map(|line| [line]).collect();
    // Branch pages and data are in memory from the second round on.
    for reads_records in [false, false, true, true] {
        let (begun, mut found, mut record) = (Instant::now(), 0_u64, Vec::new());
        for value in &values {
            for entry in index.get(value)? {
                found += 1;
                if reads_records {
                    index.read_into(&entry?, &mut record)?;
                }
            }
        }
        let what = if reads_records { "records" } else { "entries" };
        let rate = values.len() as f64 / begun.elapsed().as_secs_f64();
        println!("{rate:.0} lookups a second, {found} {what}");
    }
    let begun = Instant::now();
    let found = index.entries()?.filter(Result::is_ok).count();
    println!("{:.0} entries a second in order", found as f64 / begun.elapsed().as_secs_f64());
    Ok(())
}
