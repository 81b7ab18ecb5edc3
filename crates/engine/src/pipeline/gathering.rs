//! Draining a load in buckets: each task sorts some buckets, gathers their records and writes them
//! where they belong.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::checkpoints::Checkpoints;
use super::stage::{Drain, Worker};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::format::csv::RowCells;
use crate::incore::item::location;
use crate::incore::{KeyedLoad, gather, prefetch};
use crate::key::{CutRecord, KeyEncoder};
use crate::load::Records;
use crate::operator::{GroupWriter, Selected, Selection, SelectionTarget, TaskOutlet, Unique};
#[cfg(feature = "disorder")]
use crate::order::disorder;
use crate::order::{OrderCheck, OrderProof};
use crate::proof::Sum;
use crate::run::{RunTable, RunWriter};
use crate::sink::{Lane, Sink, Writer};
use crate::stats::Activity;

/// Bytes gathered before they are looked at again (summed, searched for index keys): a first-level
/// cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// Number of records to prefetch ahead where they are looked at one by one, as gathering does.
const AHEAD: usize = 16;

/// Destination of sorted records, with what is noted of them on the way.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// The file or stream.
    pub sink: &'a Sink,
    /// The table of a run.
    pub table: Option<&'a RunTable>,
    /// True if records are counted and summed: those of an output are.
    pub is_summed: bool,
    /// Offset of the first record.
    pub start: u64,
    /// Selection of the records that are written, where not all are.
    pub selection: Option<&'a Selection>,
    /// The proof that they are in order.
    pub order: &'a OrderProof,
    /// Checkpoints that note how far the output has come, if there are any.
    pub checkpoints: Option<&'a Checkpoints>,
}

impl<'a> Destination<'a> {
    /// Returns the destination that a run is, of what `selection` leaves.
    pub fn run(
        writer: &'a RunWriter,
        selection: Option<&'a Selection>,
        order: &'a OrderProof,
    ) -> Self {
        let (sink, table) = (writer.sink(), Some(writer.table()));
        Self { sink, table, is_summed: false, start: 0, selection, order, checkpoints: None }
    }

    /// Begins a stage, whose tasks are numbered from 0.
    pub fn begin_stage(&self) {
        self.order.begin_stage();
        self.selection.inspect(|selection| selection.begin_stage());
    }

    /// Returns a check for the records of one task.
    pub fn check<'k, K: KeyEncoder>(&self, key: &'k K) -> OrderCheck<'k, K> {
        // Where records become groups, each is compared with its group there.
        match self.selection.is_some_and(|selection| selection.select.groups()) {
            true => OrderCheck::new(key, false),
            false => self.order.check(key),
        }
    }

    /// Returns whether no more records are wanted.
    pub fn is_full(&self) -> bool {
        self.selection.is_some_and(Selection::is_full)
    }

    /// Lets `produce` write task number `task`, which begins at byte `offset` and has `bytes`
    /// bytes.
    pub fn write<K: KeyEncoder>(
        &self,
        key: &K,
        lane: &mut Lane<'_>,
        (task, offset, bytes): (usize, u64, u64),
        produce: impl FnOnce(TaskOutlet<'_, '_, '_>) -> Result<()>,
    ) -> Result<()> {
        match self.selection {
            None => self
                .sink
                .write(lane, self.start + offset, bytes, |writer| produce(TaskOutlet::All(writer))),
            Some(selection) => self.with_target(key, |target| {
                let produce =
                    |writer: &mut GroupWriter<'_, '_>| produce(TaskOutlet::Selected(writer));
                selection.write(target, lane, task, produce)
            }),
        }
    }

    /// Lets `produce` write from byte `offset` on as the only task of a stage, and say in the end
    /// how many bytes of records that was; the same.
    pub fn write_from<K: KeyEncoder>(
        &self,
        key: &K,
        lane: &mut Lane<'_>,
        offset: u64,
        produce: impl FnOnce(TaskOutlet<'_, '_, '_>) -> Result<u64>,
    ) -> Result<u64> {
        self.begin_stage();
        let Some(selection) = self.selection else {
            let produce = |writer: &mut dyn Writer| produce(TaskOutlet::All(writer));
            return self.sink.write_from(lane, self.start + offset, produce);
        };
        let mut bytes = 0;
        self.with_target(key, |target| {
            selection.write(target, lane, 0, |writer| {
                bytes = produce(TaskOutlet::Selected(writer))?;
                Ok(())
            })
        })?;
        Ok(bytes)
    }

    /// Writes what the selection holds back, and says what came of it.
    pub fn finish<K: KeyEncoder>(
        &self,
        key: &K,
        selection: &Selection,
        lane: &mut Lane<'_>,
    ) -> Result<Selected> {
        self.with_target(key, |target| selection.finish(target, lane))
    }

    /// Hands this on to a selection.
    fn with_target<K: KeyEncoder, R>(
        &self,
        key: &K,
        hand: impl FnOnce(SelectionTarget<'_>) -> R,
    ) -> R {
        let compare = |a: &[u8], b: &[u8]| key.compare_from(a, b, 0);
        let note = |offset: u64, records: &[u8]| {
            if let Some(table) = self.table {
                table.note(key, offset, records);
            }
        };
        hand(SelectionTarget { sink: self.sink, compare: &compare, order: self.order, note: &note })
    }

    /// Returns the sum that records are added to which are written, if they are.
    pub fn sum_of<'s>(&self, sum: &'s mut Sum) -> Option<&'s mut Sum> {
        self.is_summed.then_some(sum)
    }

    /// Notes records that are about to be written, all of them: the first begins at byte `offset`
    /// of the destination. A selection sees to that itself.
    pub fn note<K: KeyEncoder>(
        &self,
        key: &K,
        framing: Framing,
        offset: u64,
        bytes: &[u8],
        sum: &mut Sum,
    ) {
        if let Some(sum) = self.sum_of(sum) {
            sum.add_all(framing, bytes);
        }
        self.note_summed(key, offset, bytes);
    }

    /// Notes records that have already been added to the sum.
    pub fn note_summed<K: KeyEncoder>(&self, key: &K, offset: u64, bytes: &[u8]) {
        if let Some(table) = self.table {
            table.note(key, offset, bytes);
        }
    }
}

/// A keyed load being written.
#[derive(Debug)]
pub struct Gathering<'a, K> {
    key: &'a K,
    load: &'a KeyedLoad,
    destination: Destination<'a>,
    framing: Framing,
    tasks: Vec<Range<usize>>,
    next: AtomicUsize,
}

impl<'a, K: KeyEncoder> Gathering<'a, K> {
    /// Returns all of `load`, in tasks of about `task_bytes`.
    pub fn new(
        key: &'a K,
        load: &'a KeyedLoad,
        framing: Framing,
        destination: Destination<'a>,
        task_bytes: u64,
    ) -> Self {
        #[cfg(not(feature = "disorder"))]
        let tasks = load.tasks(task_bytes);
        #[cfg(feature = "disorder")]
        let tasks = with_tasks_swapped(load.tasks(task_bytes));
        destination.begin_stage();
        Self { key, load, destination, framing, tasks, next: AtomicUsize::new(0) }
    }

    /// Gathers a sorted bucket, which begins at byte `offset` of the destination, and returns where
    /// it ends.
    fn emit(
        &self,
        (entries, records): (&[u64], &Records<'_>),
        mut offset: u64,
        writer: &mut dyn Writer,
        (sum, check): (&mut Sum, &mut OrderCheck<'_, K>),
    ) -> Result<u64> {
        let (key, framing) = (self.key, self.framing);
        #[cfg(feature = "disorder")]
        let swapped = self.with_neighbours_swapped((entries, records));
        #[cfg(feature = "disorder")]
        let entries = &swapped[..];
        let mut rest = entries;
        while !rest.is_empty() {
            let room = writer.room();
            let batch = match framing {
                Framing::Fixed(length) => BATCH_BYTES.max(length),
                _ => BATCH_BYTES,
            };
            let out = room.len().min(batch);
            let written = self.destination.sum_of(sum);
            let gathered = gather(rest, records, &mut room[..out], (written, check));
            let bytes = if gathered.records > 0 {
                self.destination.note_summed(key, offset, &room[..gathered.bytes]);
                writer.commit(gathered.bytes)?;
                gathered.bytes
            } else {
                let record = records.get(location(rest[0]));
                check.next_all(Framing::Fixed(record.len()), record);
                self.destination.note(key, framing, offset, record, sum);
                writer.put(record)?;
                record.len()
            };
            rest = &rest[gathered.records.max(1)..];
            offset += bytes as u64;
            self.destination.order.verify(check, Some(offset))?;
        }
        Ok(offset)
    }
}

#[cfg(feature = "disorder")]
impl<K: KeyEncoder> Gathering<'_, K> {
    /// Returns entries of which two neighbours have changed places, if it is time for that.
    fn with_neighbours_swapped<'e>(
        &self,
        (entries, records): (&'e [u64], &Records<'_>),
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
    /// Hands the records of a sorted bucket to `writer`; of equal neighbours only the one that is
    /// `kept`, where that is all there is to do. What is left out is not copied.
    fn select(
        &self,
        (entries, records): (&[u64], &Records<'_>),
        kept: Option<Unique>,
        (writer, check): (&mut GroupWriter<'_, '_>, &mut OrderCheck<'_, K>),
    ) -> Result<()> {
        let (mut held, mut copies): (Option<&[u8]>, u64) = (None, 0);
        let (cutter, mut cells) = (check.row_cutter(), RowCells::default());
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
            let record = records.cut(location(*entry), cutter, &mut cells);
            check.next(CutRecord { bytes: record, cell_ends: cells.ends() }, held);
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
        let Worker { lane, scratch, sum_out, clock, .. } = worker;
        let place = (task, range.start, range.end - range.start);
        let kept = self.destination.selection.and_then(|selection| selection.select.kept());
        let mut check = self.destination.check(self.key);
        self.destination.write(self.key, lane, place, |mut outlet| {
            let mut offset = range.start;
            for part in parts {
                clock.turn_to(Activity::Sorting);
                self.load.sort_part(self.key, part, scratch, |entries, records| {
                    clock.turn_to(Activity::Gathering);
                    match &mut outlet {
                        TaskOutlet::All(writer) => {
                            let seen = (&mut *sum_out, &mut check);
                            offset = self.emit((entries, records), offset, *writer, seen)?;
                            Ok(())
                        }
                        TaskOutlet::Selected(writer) => {
                            self.select((entries, records), kept, (writer, &mut check))
                        }
                    }
                })?;
            }
            Ok(())
        })?;
        self.destination.order.end_task(self.key, task, check)
    }
}
