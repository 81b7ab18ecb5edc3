//! Counts words: pushes each word into a sorter, and adds up neighbours that are equal.
//!
//! Run it as `cargo run --release --example pushed_records < TEXT`.

use std::error::Error;
use std::io::{self, BufRead, Write};

use sortwell::{ByteSize, Sorter};

/// Writes each word of `text`, in order, after the number of times that it occurs.
pub fn count_words(text: impl BufRead, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    let mut sorter = Sorter::new();
    sorter.memory(ByteSize::mib(64));
    for line in text.lines() {
        for word in line?.split_whitespace() {
            sorter.push(word.as_bytes(), b"")?;
        }
    }
    let mut sorted = sorter.finish()?;
    let (mut word, mut count) = (Vec::new(), 0);
    while let Some(record) = sorted.next()? {
        if count > 0 && record.key != word {
            writeln!(out, "{count} {}", String::from_utf8_lossy(&word))?;
            count = 0;
        }
        (word, count) = (record.key.to_vec(), count + 1);
    }
    if count > 0 {
        writeln!(out, "{count} {}", String::from_utf8_lossy(&word))?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    count_words(io::stdin().lock(), io::stdout().lock())
}
