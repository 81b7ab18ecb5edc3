//! Draining a slab: each task finds its exact share of every run and merges it to where it belongs.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::destination::{Destination, SortedRecords, TakeRecord};
use super::merge::MergeContext;
use super::slabs::LoadedSlab;
use super::stage::{Drain, Worker};
use crate::error::Result;
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::merge::{Bound, Merger, Piece, positions};
use crate::operator::TaskOutlet;
use crate::order::OrderCheck;
use crate::proof::Sum;
use crate::stats::Activity;

/// A slab being merged.
#[derive(Debug)]
pub struct Merging<'a, K> {
    key: &'a K,
    framing: Framing,
    pieces: Vec<Piece<'a>>,
    /// For each run, the offsets of the slab's own records: from where the slab before it ended.
    ranges: Vec<(u64, u64)>,
    /// Bounds between the tasks.
    cuts: Vec<Bound>,
    destination: Destination<'a>,
    next: AtomicUsize,
}

impl<'a, K: KeyEncoder> Merging<'a, K> {
    /// Returns the records of `loaded` from `starts` (an offset per run) on, to be merged in tasks
    /// of about the bytes that `merge` sets.
    ///
    /// # Errors
    ///
    /// [`Error::Disorder`](crate::Error::Disorder) if the slab ends before it begins: the order of
    /// records contradicts itself, as a function of the caller may.
    pub fn new(
        merge: &MergeContext<'a, K>,
        loaded: &'a LoadedSlab,
        starts: &[u64],
        destination: Destination<'a>,
    ) -> Result<Self> {
        let (key, framing, task_bytes) = (merge.key, merge.rules.framing, merge.task_bytes);
        destination.begin_stage();
        let pieces = loaded.pieces();
        let slab = &loaded.slab;
        let whole: Vec<(u64, u64)> =
            starts.iter().zip(&slab.bytes).map(|(&start, bytes)| (start, bytes.end)).collect();
        let is_begun_early =
            whole.iter().zip(&slab.bytes).any(|((start, _), of)| *start < of.start);
        if is_begun_early || !are_in_order(&whole) {
            return Err(destination.order.contradiction());
        }
        let ends = match slab.end {
            Some(Bound { run, offset }) => positions(key, framing, &pieces, &whole, run, offset),
            None => slab.bytes.iter().map(|bytes| bytes.end).collect(),
        };
        let ranges: Vec<(u64, u64)> = starts.iter().copied().zip(ends).collect();
        if !are_in_order(&ranges) {
            return Err(destination.order.contradiction());
        }
        // Index keys are about a block of records apart.
        let bytes: u64 = ranges.iter().map(|(start, end)| end - start).sum();
        let tasks = (bytes / task_bytes).max(1);
        let step = (slab.bounds.len() as u64).div_ceil(tasks) as usize;
        let inside = |bound: &&Bound| {
            let (start, end) = ranges[bound.run];
            start < bound.offset && bound.offset < end
        };
        let cuts =
            slab.bounds.iter().skip(step).step_by(step.max(1)).filter(inside).copied().collect();
        let next = AtomicUsize::new(0);
        Ok(Self { key, framing, pieces, ranges, cuts, destination, next })
    }

    /// Returns, for each run, the offset where the next slab begins.
    pub fn ends(&self) -> Vec<u64> {
        self.ranges.iter().map(|(_, end)| *end).collect()
    }

    /// Returns, for each run, the offset of cut `number`.
    fn cut(&self, number: usize) -> Vec<u64> {
        let Bound { run, offset } = self.cuts[number];
        positions(self.key, self.framing, &self.pieces, &self.ranges, run, offset)
    }
}

/// Returns true if no range ends before it begins.
fn are_in_order(ranges: &[(u64, u64)]) -> bool {
    ranges.iter().all(|(start, end)| start <= end)
}

impl<K: KeyEncoder> SortedRecords<K> for Merger<'_, K> {
    fn fill(&mut self, out: &mut [u8], sum: Option<&mut Sum>) -> Result<usize> {
        Ok(self.merge_into(out, sum))
    }

    fn next_record(&mut self, take: &mut TakeRecord<'_, K>) -> Result<bool> {
        let Some(record) = self.take_next() else { return Ok(false) };
        take(self.check(), record).map(|()| true)
    }

    fn check(&self) -> &OrderCheck<'_, K> {
        self.check()
    }
}

impl<'a, K: KeyEncoder> Drain for Merging<'a, K> {
    fn claim(&self) -> Option<usize> {
        // What is claimed is done, as those behind it wait for it.
        if self.destination.is_full() {
            return None;
        }
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task <= self.cuts.len()).then_some(task)
    }

    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()> {
        worker.turn_to(Activity::Merging);
        let starts = match task.checked_sub(1) {
            Some(cut) => self.cut(cut),
            None => self.ranges.iter().map(|(start, _)| *start).collect(),
        };
        let ends = if task < self.cuts.len() { self.cut(task) } else { self.ends() };
        let ranges: Vec<(u64, u64)> = starts.iter().copied().zip(ends).collect();
        if !are_in_order(&ranges) {
            return Err(self.destination.order.contradiction());
        }
        let places = self.pieces.iter().zip(&ranges);
        let shares: Vec<&[u8]> =
            places.map(|(piece, &(start, end))| piece.between(start, end)).collect();
        let bytes: u64 = shares.iter().map(|share| share.len() as u64).sum();
        let first: u64 = starts.iter().sum();
        let check = self.destination.check(self.key);
        let mut merger = Merger::new(self.key, self.framing, shares, check);
        let Worker { lane, sum_out, .. } = worker;
        let Self { key, framing, destination: to, .. } = *self;
        to.write(key, lane, task, first, bytes, |outlet| match outlet {
            TaskOutlet::All(writer) => {
                to.write_all(key, framing, &mut merger, first, writer, sum_out).map(drop)
            }
            TaskOutlet::Selected(writer) => to.select_all(&mut merger, writer),
        })?;
        self.destination.order.end_task(self.key, task, merger.into_check())
    }
}
