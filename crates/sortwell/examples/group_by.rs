//! Groups lines and adds up their amounts, with any number of groups: a fold of equal keys.
//!
//! Run it as `cargo run --release --example group_by < LINES`, with lines such as `Rome,12`.

use std::error::Error;
use std::io::{self, BufRead, Write};

use sortwell::{ByteSize, Sorter};

/// Writes each name of `lines`, in order, with the sum of its amounts.
pub fn sums(lines: impl BufRead, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    let mut sorter = Sorter::new();
    sorter.memory(ByteSize::mib(64));
    for line in lines.lines() {
        let line = line?;
        let (name, amount) = line.split_once(',').ok_or("a line has no comma")?;
        sorter.push(name.as_bytes(), &amount.parse::<i64>()?.to_le_bytes())?;
    }
    let number = |bytes: &[u8]| bytes.first_chunk().copied().map_or(0, i64::from_le_bytes);
    let mut groups = sorter.finish()?.fold(|sum, amount| {
        let added = number(sum) + number(amount);
        sum.copy_from_slice(&added.to_le_bytes());
    });
    while let Some(group) = groups.next()? {
        writeln!(out, "{},{}", String::from_utf8_lossy(group.key), number(group.payload))?;
    }
    groups.close()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    sums(io::stdin().lock(), io::stdout().lock())
}
