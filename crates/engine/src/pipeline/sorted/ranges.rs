//! Merging ranges of keys of sorted sources, by all workers at the same time.
//!
//! A worker that claims a range opens every source at the beginning of the range, and writes the
//! records at their place in the output. The place is known in advance: before the range lies what
//! all sources have before it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::cuts::Cuts;
use super::place::Standing;
use super::streams::{MergedPart, OpenStreams, input_feed};
use super::{SortedPlace, pieces};
use crate::error::{Error, Result};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::operator::TaskOutlet;
use crate::pipeline::crew::Crew;
use crate::pipeline::destination::Destination;
use crate::pipeline::merge::{Brought, MergeContext};
use crate::pipeline::stage::{self, Drain, Worker};
use crate::plan::streams::StreamPlan;
use crate::sink::Sink;
use crate::stats::Activity;

/// Bytes of a range, about. A worker waits for its first reads of each range. Tests that inject
/// faults have smaller ones.
const RANGE_BYTES: u64 = if cfg!(feature = "disorder") { 64 << 10 } else { 128 << 20 };

/// Bytes of each source in a range, on average, at least.
const PART_BYTES: u64 = if cfg!(feature = "disorder") { 256 } else { 1 << 20 };

/// Most ranges.
const RANGES_MAX: u64 = 256;

/// Bytes merged between two looks whether it is time to note how far the output has come.
const STAGE_BYTES: u64 = if cfg!(feature = "disorder") { 64 << 10 } else { 512 << 20 };

/// Sources, cut into ranges of keys.
pub struct Ranges<'m, 'k, K> {
    merge: &'m MergeContext<'k, K>,
    plan: &'m StreamPlan,
    places: &'m [SortedPlace],
    cuts: Cuts,
    /// Number of the next range to be merged.
    next: usize,
}

impl<'m, 'k, K: KeyEncoder> Ranges<'m, 'k, K> {
    /// Cuts `places`, from `starts` on. Returns `None` where that is not possible, or not worth it.
    /// The output of a range must have as many bytes as its sources. A run is written in order, as
    /// its table is.
    ///
    /// # Errors
    ///
    /// The errors of reading the sources.
    pub fn cut(
        merge: &'m MergeContext<'k, K>,
        plan: &'m StreamPlan,
        places: &'m [SortedPlace],
        starts: &[Standing],
        destination: &Destination<'_>,
        memory: &[Region],
    ) -> Result<Option<Self>> {
        let is_file = |place: &SortedPlace| {
            matches!(place, SortedPlace::File { .. } | SortedPlace::Spilled(_))
        };
        let is_possible = merge.is_checked
            && merge.rules.framing.is_local()
            && matches!(destination.sink, Sink::File(_))
            && destination.table.is_none()
            && destination.selection.is_none()
            && !merge.gate.drops_ragged()
            && memory.len() >= plan.threads * places.len()
            && places.iter().all(is_file);
        let bytes: u64 = places.iter().filter_map(SortedPlace::bytes).sum();
        let done: u64 = starts.iter().map(|start| start.offset).sum();
        let count = range_count(bytes.saturating_sub(done), places.len(), plan.threads);
        if !is_possible || count < 2 {
            return Ok(None);
        }
        let cuts = Cuts::new(merge, places, starts, count)?;
        Ok(cuts.map(|cuts| Self { merge, plan, places, cuts, next: 0 }))
    }

    /// Returns whether all ranges have been merged.
    pub fn are_over(&self) -> bool {
        self.next == self.cuts.end()
    }

    /// Merges the next ranges, and moves `standings` to where they end. Returns whether that
    /// succeeded. If a source has a fault, or too long a record, nothing has changed: merged by one
    /// worker, which has more memory for long records, they succeed or show the first fault.
    ///
    /// # Errors
    ///
    /// All other errors.
    pub fn merge_stage(
        &mut self,
        crew: &mut Crew<'_>,
        memory: &mut Vec<Region>,
        destination: Destination<'_>,
        brought: &mut Brought,
        standings: &mut [Standing],
    ) -> Result<bool> {
        let Sink::File(sink) = destination.sink else { return Ok(false) };
        let ranges = self.next..self.stage_end(&destination);
        let offset = destination.start + brought.bytes;
        crew.flush()?;
        let edge = sink.edge_before(offset);
        let account = |worker: &Worker<'_>| (worker.sum_in, worker.sum_out, worker.keys.clone());
        let before: Vec<_> = crew.workers.iter().map(account).collect();
        destination.begin_stage();
        let last = destination.order.last();
        let stage = RangeStage {
            ranges: self,
            end: ranges.end,
            destination,
            base: brought.bytes,
            next: AtomicUsize::new(ranges.start),
            pieces: Mutex::new(std::mem::take(memory)),
            done: Mutex::new(MergedPart::new(self.places.len())),
        };
        let merged = stage::run(&mut crew.workers, None, Some(&stage), stage::NOTHING_ELSE);
        let RangeStage { pieces: left, done, .. } = stage;
        match merged {
            Ok(_) => {}
            Err(Error::Malformed { .. } | Error::BudgetExceeded { .. }) => {
                crew.flush()?;
                for (worker, before) in crew.workers.iter_mut().zip(before) {
                    (worker.sum_in, worker.sum_out, worker.keys) = before;
                }
                destination.order.resume(last);
                sink.go_back(&mut crew.workers[0].lane, offset, &edge)?;
                drop(left); // some were lost with the sources
                *memory = pieces(self.plan, self.places.len(), 1)?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        *memory = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        let part = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ends = self.cuts.bounds[ranges.end].iter().zip(&part.passed);
        for (standing, (end, passed)) in standings.iter_mut().zip(ends) {
            standing.offset = *end;
            standing.records += passed.records;
            standing.lines += passed.lines;
        }
        brought.bytes += part.bytes;
        part.add_to(brought, crew);
        crew.inputs.threads = self.plan.threads;
        self.next = ranges.end;
        Ok(true)
    }

    /// Returns the number after the last range of the next stage.
    fn stage_end(&self, destination: &Destination<'_>) -> usize {
        let all = self.cuts.end();
        let first = all.min(self.next + self.plan.threads);
        let limit = self.cuts.bytes_before(self.next) + STAGE_BYTES;
        let is_enough = |end: &usize| self.cuts.bytes_before(*end) >= limit;
        match destination.checkpoints.are_wanted() {
            true => (first..all).find(is_enough).unwrap_or(all),
            false => all,
        }
    }
}

/// Returns into how many ranges sources of `bytes` bytes are cut, for `threads` workers; 1 where
/// ranges are not worth it.
fn range_count(bytes: u64, sources: usize, threads: usize) -> usize {
    if threads == 1 {
        return 1;
    }
    let count = bytes.div_ceil(RANGE_BYTES).next_multiple_of(threads as u64);
    let most = bytes / (PART_BYTES * sources.max(1) as u64);
    count.min(most).clamp(1, RANGES_MAX) as usize
}

/// Ranges that are being merged.
struct RangeStage<'s, 'm, 'k, K> {
    ranges: &'s Ranges<'m, 'k, K>,
    /// The number after the last range.
    end: usize,
    destination: Destination<'s>,
    /// Bytes of records before the first range.
    base: u64,
    next: AtomicUsize,
    /// Pieces that no worker has.
    pieces: Mutex<Vec<Region>>,
    /// Account of all that was merged.
    done: Mutex<MergedPart>,
}

impl<K: KeyEncoder> Drain for RangeStage<'_, '_, '_, K> {
    fn claim(&self) -> Option<usize> {
        let range = self.next.fetch_add(1, Ordering::Relaxed);
        (range < self.end).then_some(range)
    }

    fn produce(&self, range: usize, worker: &mut Worker<'_>) -> Result<()> {
        worker.turn_to(Activity::Merging);
        let Ranges { merge, plan, places, cuts, next: first, .. } = self.ranges;
        let (key, framing) = (merge.key, merge.rules.framing);
        let pieces = {
            let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
            let left = pieces.len().saturating_sub(places.len());
            pieces.split_off(left)
        };
        let starts: Vec<Standing> = cuts.bounds[range].iter().copied().map(Standing::at).collect();
        let feed = input_feed(merge, plan, pieces, plan.threads, worker.lane.progress())?;
        let ends = Some(&cuts.bounds[range + 1][..]);
        let mut streams = OpenStreams::open(merge, feed, places, &starts, ends)?;
        let before = cuts.bytes_before(range);
        let start = self.base + before - cuts.bytes_before(*first);
        let bytes = cuts.bytes_before(range + 1) - before;
        let to = self.destination;
        let Worker { lane, sum_out, .. } = &mut *worker;
        let mut records = streams.records(self.destination.check(key), u64::MAX);
        to.write(key, lane, range - first, start, bytes, |outlet| match outlet {
            TaskOutlet::All(writer) => {
                to.write_all(key, framing, &mut records, start, writer, sum_out).map(drop)
            }
            TaskOutlet::Selected(_) => unreachable!("a selection takes all records in order"),
        })?;
        let check = records.check;
        self.destination.order.end_task(key, range - first, check)?;
        let part = streams.close(worker, bytes)?;
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = done.add(part);
        drop(done);
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).extend(pieces);
        Ok(())
    }
}
