//! Draining a slab: each task finds its exact share of every run and merges it to where it belongs.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::gathering::Destination;
use super::slabs::LoadedSlab;
use super::stage::{Drain, Worker};
use crate::error::Result;
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::merge::{Bound, LoserTree, Piece, positions};
use crate::proof::Sum;
use crate::sink::Writer;

/// Bytes merged before they are looked at again: a first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// A slab being merged.
#[derive(Debug)]
pub struct Merging<'a, K> {
    key: &'a K,
    record_length: usize,
    pieces: Vec<Piece<'a>>,
    /// For each run, the slab's own records: from where the slab before it ended.
    ranges: Vec<(u64, u64)>,
    /// Bounds between the tasks.
    cuts: Vec<Bound>,
    destination: Destination<'a>,
    next: AtomicUsize,
}

impl<'a, K: KeyEncoder> Merging<'a, K> {
    /// The records of `loaded` from `starts` (a position per run) on, to be merged in tasks of
    /// about `task_bytes`.
    pub fn new(
        key: &'a K,
        record_length: usize,
        loaded: &'a LoadedSlab,
        starts: &[u64],
        destination: Destination<'a>,
        task_bytes: u64,
    ) -> Self {
        let pieces = loaded.pieces(record_length);
        let slab = &loaded.slab;
        let whole: Vec<(u64, u64)> = starts
            .iter()
            .zip(&slab.records)
            .map(|(&start, records)| (start, records.end))
            .collect();
        let ends = match slab.end {
            Some(Bound { run, record }) => {
                positions(key, record_length, &pieces, &whole, (run, record))
            }
            None => slab.records.iter().map(|records| records.end).collect(),
        };
        let ranges: Vec<(u64, u64)> = starts.iter().copied().zip(ends).collect();
        // Index keys are about a block of records apart.
        let records: u64 = ranges.iter().map(|(start, end)| end - start).sum();
        let tasks = (records * record_length as u64 / task_bytes).max(1);
        let step = (slab.bounds.len() as u64).div_ceil(tasks) as usize;
        let inside = |bound: &&Bound| {
            let (start, end) = ranges[bound.run];
            start < bound.record && bound.record < end
        };
        let cuts =
            slab.bounds.iter().skip(step).step_by(step.max(1)).filter(inside).copied().collect();
        let next = AtomicUsize::new(0);
        Self { key, record_length, pieces, ranges, cuts, destination, next }
    }

    /// For each run, the position where the next slab begins.
    pub fn ends(&self) -> Vec<u64> {
        self.ranges.iter().map(|(_, end)| *end).collect()
    }

    /// For each run, the position of cut `number`.
    fn cut(&self, number: usize) -> Vec<u64> {
        let Bound { run, record } = self.cuts[number];
        positions(self.key, self.record_length, &self.pieces, &self.ranges, (run, record))
    }

    fn merge(
        &self,
        mut tree: LoserTree<'_, K>,
        mut first: u64,
        writer: &mut dyn Writer,
        sum: &mut Sum,
    ) -> Result<()> {
        let length = self.record_length;
        loop {
            let room = writer.room();
            let batch = room.len().min(BATCH_BYTES.max(length));
            let merged = tree.merge_into(&mut room[..batch]);
            if merged == 0 {
                return Ok(());
            }
            let offset = first * length as u64;
            let framing = Framing::Fixed(length);
            self.destination.note(self.key, framing, offset, &room[..merged], sum);
            writer.commit(merged)?;
            first += (merged / length) as u64;
        }
    }
}

impl<'a, K: KeyEncoder> Drain for Merging<'a, K> {
    fn claim(&self) -> Option<usize> {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task <= self.cuts.len()).then_some(task)
    }

    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()> {
        let starts = match task.checked_sub(1) {
            Some(cut) => self.cut(cut),
            None => self.ranges.iter().map(|(start, _)| *start).collect(),
        };
        let ends = if task < self.cuts.len() { self.cut(task) } else { self.ends() };
        let length = self.record_length;
        let share = |((piece, start), end): ((&Piece<'a>, &u64), &u64)| {
            let begin = (start - piece.first_record) as usize * length;
            &piece.bytes[begin..begin + (end - start) as usize * length]
        };
        let shares = || self.pieces.iter().zip(&starts).zip(&ends).map(share);
        let bytes: u64 = shares().map(|share| share.len() as u64).sum();
        let first: u64 = starts.iter().sum();
        let tree = LoserTree::new(self.key, length, shares());
        let Worker { lane, sum_out, .. } = worker;
        self.destination.sink.write(lane, first * length as u64, bytes, |writer| {
            self.merge(tree, first, writer, sum_out)
        })
    }
}
