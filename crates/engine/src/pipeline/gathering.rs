//! Draining a load in buckets: each task sorts some buckets, gathers their records and writes them
//! where they belong.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Work;
use super::destination::{Destination, SortedRecords, TakeRecord};
use super::stage::{Drain, Worker};
use crate::error::{Error, Result};
use crate::format::{FieldEnds, Framing};
use crate::incore::gather::AHEAD;
use crate::incore::item::location;
use crate::incore::{GatherStores, KeyedLoad, Scratch, prefetch};
use crate::key::{CutRecord, KeyEncoder};
use crate::load::Records;
use crate::merge::EntryMerge;
use crate::operator::{GroupWriter, TaskOutlet, Unique};
use crate::order::OrderCheck;
#[cfg(feature = "disorder")]
use crate::order::disorder;
use crate::proof::Sum;
use crate::stats::{Activity, WorkerClock};

/// Entries that come out of a tree of runs before their records are gathered: half a first-level
/// cache.
const MERGED_BATCH: usize = 2048;

/// A keyed load being written.
#[derive(Debug)]
pub struct Gathering<'a, K> {
    key: &'a K,
    load: &'a KeyedLoad,
    destination: Destination<'a>,
    framing: Framing,
    stores: GatherStores,
    tasks: Vec<Range<usize>>,
    next: AtomicUsize,
}

impl<'a, K: KeyEncoder> Gathering<'a, K> {
    /// Returns all of `load`.
    pub fn new(key: &'a K, load: &'a KeyedLoad, work: &Work, destination: Destination<'a>) -> Self {
        let tasks = load.tasks(work.task_bytes());
        #[cfg(feature = "disorder")]
        let tasks = with_tasks_swapped(tasks);
        destination.begin_stage();
        let (framing, stores) = (work.framing, work.plan.levers.gather_stores);
        Self { key, load, destination, framing, stores, tasks, next: AtomicUsize::new(0) }
    }
}

/// A sorted bucket whose records are gathered.
struct GatheredBucket<'b, 'r, 'k, K> {
    /// Entries that are left.
    entries: &'b [u64],
    records: &'b Records<'r>,
    check: &'b mut OrderCheck<'k, K>,
    stores: GatherStores,
    /// Counter of bytes that were copied past the caches.
    streamed: &'b mut u64,
}

impl<K: KeyEncoder> SortedRecords<K> for GatheredBucket<'_, '_, '_, K> {
    fn fill(&mut self, out: &mut [u8], sum: Option<&mut Sum>) -> Result<usize> {
        let gathered = self.stores.gather(self.entries, self.records, out, sum, self.check);
        self.entries = &self.entries[gathered.records..];
        *self.streamed += gathered.streamed as u64;
        Ok(gathered.bytes)
    }

    fn next_record(&mut self, take: &mut TakeRecord<'_, K>) -> Result<bool> {
        let Some((first, rest)) = self.entries.split_first() else { return Ok(false) };
        let record = self.records.get(location(*first));
        self.check.next_all(Framing::Fixed(record.len()), record);
        self.entries = rest;
        take(self.check, record).map(|()| true)
    }

    fn check(&self) -> &OrderCheck<'_, K> {
        self.check
    }
}

#[cfg(feature = "disorder")]
impl<K: KeyEncoder> Gathering<'_, K> {
    /// Returns entries of which two neighbours have changed places, if it is time for that.
    fn with_neighbours_swapped<'e>(
        &self,
        entries: &'e [u64],
        records: &Records<'_>,
    ) -> std::borrow::Cow<'e, [u64]> {
        if !disorder::is_wanted(disorder::DisorderPlace::Gather) {
            return entries.into();
        }
        let mut entries = entries.to_vec();
        for at in 1..entries.len() {
            let [before, here] = [at - 1, at].map(|at| records.get(location(entries[at])));
            if self.key.compare_from(before, here, 0).is_lt()
                && disorder::strikes(disorder::DisorderPlace::Gather)
            {
                entries.swap(at - 1, at);
            }
        }
        entries.into()
    }
}

/// Returns tasks of which two neighbours have changed places, if it is time for that.
#[cfg(feature = "disorder")]
fn with_tasks_swapped(mut tasks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if tasks.len() > 1 && disorder::strikes_first(disorder::DisorderPlace::TaskBound) {
        tasks.swap(0, 1);
    }
    tasks
}

impl<K: KeyEncoder> Gathering<'_, K> {
    /// Shows the entries of some parts in order: each bucket after it has been sorted, or a batch
    /// of those that come out of the tree of runs.
    fn each_sorted(
        &self,
        parts: Range<usize>,
        scratch: &mut Scratch,
        clock: &mut WorkerClock,
        mut show: impl FnMut(&[u64], &Records<'_>) -> Result<()>,
    ) -> Result<()> {
        if !self.load.is_in_runs() {
            return parts.into_iter().try_for_each(|part| {
                clock.turn_to(Activity::Sorting);
                self.load.sort_part(self.key, part, scratch, |entries, records| {
                    clock.turn_to(Activity::Gathering);
                    show(entries, records)
                })
            });
        }
        clock.turn_to(Activity::Sorting);
        self.load.settle_runs(self.key, scratch);
        clock.turn_to(Activity::Merging);
        let records = self.load.by_location();
        let mut merge = EntryMerge::new(self.key, self.load, &parts, &records);
        let batch = &mut scratch.entries()[..MERGED_BATCH];
        loop {
            clock.turn_to(Activity::Merging);
            let taken = merge.next_batch(batch);
            if taken == 0 {
                return Ok(());
            }
            clock.turn_to(Activity::Gathering);
            show(&batch[..taken], &records)?;
        }
    }

    /// Hands the records of a sorted bucket to `writer`; of equal neighbours only the one that is
    /// `kept`, where that is all there is to do. What is left out is not copied.
    fn select(
        &self,
        entries: &[u64],
        records: &Records<'_>,
        kept: Option<Unique>,
        writer: &mut GroupWriter<'_, '_>,
        check: &mut OrderCheck<'_, K>,
    ) -> Result<()> {
        let (mut held, mut copies): (Option<&[u8]>, u64) = (None, 0);
        let (cutter, mut fields) = (check.field_cutter(), FieldEnds::default());
        for (place, entry) in entries.iter().enumerate() {
            if let Some(ahead) = entries.get(place + AHEAD) {
                prefetch(records.place(location(*ahead)));
            }
            // The same bytes have the same end, which need not be looked for, and the same key.
            if let (Some(_), Some(before)) = (kept, held)
                && records.place(location(*entry)).starts_with(before)
            {
                copies += 1;
                continue;
            }
            let record = records.cut(location(*entry), cutter, &mut fields);
            check.next(CutRecord { bytes: record, field_ends: fields.ends() }, held);
            let Some(before) = held.replace(record) else { continue };
            writer.drop_equal(before, std::mem::take(&mut copies));
            let is_same = || {
                let order = self.key.compare_from(before, record, 0);
                self.destination.order.look_at(order)?;
                Ok::<_, Error>(writer.is_one_group(order, before, record))
            };
            match kept {
                Some(kept) if is_same()? => {
                    let is_last = kept == Unique::Last;
                    writer.drop_equal(if is_last { before } else { record }, 1);
                    held = Some(if is_last { record } else { before });
                }
                _ => writer.take(before)?,
            }
        }
        let Some(last) = held else { return Ok(()) };
        check.keep(last);
        self.destination.order.verify(check, None)?;
        writer.drop_equal(last, copies);
        writer.take(last)
    }
}

impl<K: KeyEncoder> Drain for Gathering<'_, K> {
    fn claim(&self) -> Option<usize> {
        // What is claimed is done, as those behind it wait for it.
        if self.destination.is_full() {
            return None;
        }
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task < self.tasks.len()).then_some(task)
    }

    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()> {
        let parts = self.tasks[task].clone();
        let range = self.load.sorted_range(&parts);
        worker.turn_to(Activity::Gathering);
        let Worker { lane, scratch, sum_out, clock, seen, .. } = worker;
        let bytes = range.end - range.start;
        let kept = self.destination.selection.and_then(|selection| selection.select.kept());
        let mut check = self.destination.check(self.key);
        self.destination.write(self.key, lane, task, range.start, bytes, |mut outlet| {
            let mut offset = range.start;
            self.each_sorted(parts, scratch, clock, |entries, records| match &mut outlet {
                TaskOutlet::All(writer) => {
                    #[cfg(feature = "disorder")]
                    let swapped = self.with_neighbours_swapped(entries, records);
                    #[cfg(feature = "disorder")]
                    let entries = &swapped[..];
                    let Self { key, framing, destination: to, stores, .. } = *self;
                    let (check, streamed) = (&mut check, &mut seen.streamed_bytes);
                    let mut bucket = GatheredBucket { entries, records, check, stores, streamed };
                    offset = to.write_all(key, framing, &mut bucket, offset, *writer, sum_out)?;
                    Ok(())
                }
                TaskOutlet::Selected(writer) => {
                    self.select(entries, records, kept, writer, &mut check)
                }
            })
        })?;
        self.destination.order.end_task(self.key, task, check)
    }
}
