//! A few lines that are in memory already: what a [`SortJob`](super::SortJob) sets up for gigabytes
//! takes longer than to sort them.
//!
//! The order is that of the job, as the keys are the same; so is what becomes of the output. There
//! is one thread, no arena, no engine and no account.

use super::{Output, key, open};
use crate::error::Result;
use crate::format::Format;
use crate::io::Direct;
use crate::key::text::TextOrder;
use crate::stats::Progress;

/// The lines of `text` in order, each with its end, which the last may lack; with `is_unique` only
/// the first of equal ones.
///
/// # Errors
///
/// [`Error::Usage`](crate::Error::Usage) for an order that contradicts itself.
pub fn sort_lines(text: &[u8], order: &TextOrder, is_unique: bool) -> Result<Vec<u8>> {
    let terminator = order.terminator;
    let key = key(Format::Lines { terminator }, &[], Some(order))?;
    let key = key.encoder();
    let lines = text.split_inclusive(|byte| *byte == terminator);
    let mut lines: Vec<(u64, &[u8])> = lines.map(|line| (key.word(line, 0), line)).collect();
    let compare = |a: &(u64, &[u8]), b: &(u64, &[u8])| {
        a.0.cmp(&b.0).then_with(|| key.compare_from(a.1, b.1, 1))
    };
    lines.sort_by(compare);
    if is_unique {
        lines.dedup_by(|second, first| compare(first, second).is_eq());
    }
    let mut sorted = Vec::with_capacity(text.len() + 1);
    for (_, line) in lines {
        sorted.extend_from_slice(line);
        if line.last() != Some(&terminator) {
            sorted.push(terminator);
        }
    }
    Ok(sorted)
}

/// Writes `text` to where a job would write its output, and in the same way; what goes to a file is
/// made durable with `sync`.
///
/// # Errors
///
/// What the system says; then a file has not got its name.
pub fn write_lines(text: &[u8], output: &Output, sync: bool, progress: &Progress) -> Result<()> {
    let mut output = open::output(output, Direct::Off, progress)?;
    match output.write_all(text, progress) {
        Ok(()) => output.finish(text.len() as u64, sync),
        Err(error) => {
            output.abandon();
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
