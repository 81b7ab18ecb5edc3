//! A few lines that are in memory already: what a [`SortJob`](super::SortJob) sets up for gigabytes
//! takes longer than to sort them.
//!
//! The order is that of the job, as the keys are the same; so is what becomes of the output. There
//! is one thread, no arena, no engine and no account.

use std::cmp::Ordering;
use std::ops::Range;

use super::{Output, destinations};
use crate::error::Result;
use crate::format::Framing;
use crate::io::Direct;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, CutRecord, open_word, with_encoder};
use crate::order::OrderProof;
use crate::stats::Progress;

/// Bytes that are kept of a key which has to be made. A longer key is made again for each
/// comparison.
const KEPT_BYTES: usize = 256;

/// A line, and what it is compared by at first.
struct KeyedLine<'a> {
    /// The first word of its key.
    prefix: u64,
    /// Range of its stored key; empty where the line itself serves as the key.
    kept: Range<usize>,
    bytes: &'a [u8],
}

/// Returns the lines of `text` in order, each with its end, which the last may lack; with
/// `is_unique` only the first of equal ones.
///
/// # Errors
///
/// [`Error::Config`](crate::Error::Config) for an order that contradicts itself, and
/// [`Error::Disorder`](crate::Error::Disorder) where the lines came out in another order.
pub fn sort_lines(text: &[u8], order: &TextOrder, is_unique: bool) -> Result<Vec<u8>> {
    let terminator = order.body.terminator();
    let order = CompiledKey::new(order)?;
    let (key, is_kept) = (order.encoder(), order.encoder().is_costly());
    let mut keys = Vec::new();
    let line = |bytes| {
        let start = keys.len();
        if is_kept {
            key.key_bytes(CutRecord { bytes, field_ends: &[] }, KEPT_BYTES, &mut keys);
        }
        let kept = start..keys.len();
        let prefix = if is_kept { open_word(&keys[start..]) } else { key.word(bytes, 0) };
        KeyedLine { prefix, kept, bytes }
    };
    let mut lines: Vec<KeyedLine> =
        text.split_inclusive(|byte| *byte == terminator).map(line).collect();
    let compare = |a: &KeyedLine, b: &KeyedLine| {
        let by_kept = || keys[a.kept.clone()].cmp(&keys[b.kept.clone()]);
        let is_whole = is_kept && a.kept.len() < KEPT_BYTES;
        let by_whole = || match is_whole {
            true => Ordering::Equal,
            false => key.compare_from(a.bytes, b.bytes, 1),
        };
        a.prefix.cmp(&b.prefix).then_with(by_kept).then_with(by_whole)
    };
    lines.sort_by(compare);
    if is_unique {
        lines.dedup_by(|second, first| compare(first, second).is_eq());
    }
    let mut sorted = Vec::with_capacity(text.len() + 1);
    for KeyedLine { bytes, .. } in lines {
        sorted.extend_from_slice(bytes);
        if bytes.last() != Some(&terminator) {
            sorted.push(terminator);
        }
    }
    prove_order(&order, Framing::Terminated(terminator), &sorted)?;
    Ok(sorted)
}

/// Proves that `records` are in order, by keys made again from them.
fn prove_order(key: &CompiledKey, framing: Framing, records: &[u8]) -> Result<()> {
    let proof = OrderProof::of_output(true);
    with_encoder!(key, |key| {
        let mut check = proof.check(key);
        check.next_all(framing, records);
        proof.verify(&check, Some(records.len() as u64))
    })
}

/// Writes `text` to where a job would write its output, and in the same way; what goes to a file is
/// made durable with `sync`.
///
/// # Errors
///
/// What the system says; then a file has not got its name.
pub fn write_lines(text: &[u8], output: &Output, sync: bool, progress: &Progress) -> Result<()> {
    let mut output = destinations::open_output(output, Direct::Off, progress)?;
    match output.write_all(text, progress) {
        Ok(()) => output.finish(text.len() as u64, sync, progress).map(drop),
        Err(error) => {
            output.abandon();
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
