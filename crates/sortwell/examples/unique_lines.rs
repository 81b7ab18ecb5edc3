//! Drops lines that came before, and keeps the others in their places: two sorts in a row.
//!
//! Run it as `cargo run --release --example unique_lines < LINES`.

use std::error::Error;
use std::io::{self, BufRead, Write};

use sortwell::{ByteSize, Sorter, Unique};

/// Writes the first of equal lines, in the order of the input.
pub fn unique_lines(lines: impl BufRead, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    let mut by_line = Sorter::new();
    by_line.memory(ByteSize::mib(64)).unique(Unique::First);
    for (number, line) in (0_u64..).zip(lines.split(b'\n')) {
        by_line.push(&line?, &number.to_be_bytes())?;
    }
    let mut by_place = Sorter::new();
    by_place.memory(ByteSize::mib(64));
    let mut lines = by_line.finish()?;
    while let Some(line) = lines.next()? {
        by_place.push(line.payload, line.key)?;
    }
    let mut lines = by_place.finish()?;
    while let Some(line) = lines.next()? {
        out.write_all(line.payload)?;
        out.write_all(b"\n")?;
    }
    lines.close()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    unique_lines(io::stdin().lock(), io::stdout().lock())
}
