//! Destinations of sorted records, a run or the output, and what is noted of them on the way.
//!
//! All stages write through [`Destination::write_all`] or [`Destination::select_all`]: gathering a
//! load, merging slabs or streams, and replacement selection. What differs between them is a
//! [`SortedRecords`], which fills batches. This is the path of a sorted record:
//!
//! ```text
//!   write_all, a batch        SortedRecords::fill  copies records to the output buffer, sums them
//!                             OrderProof::verify   ends the job at a wrong order
//!                             RunTable::note       puts index keys into the table of a run
//!                             Writer::commit       leaves the bytes to the lane, which writes them
//!   write_all, a long record  next_record          shows it where it lies: verify, sum, note
//!                             Writer::put          copies it into one buffer after another
//!   select_all                next_record          shows it where it lies: verify
//!                             GroupWriter::take    copies it into a buffer, if it is selected; at
//!                                                  the task's turn, these are noted and written
//! ```

use super::checkpoints::Checkpoints;
use crate::error::Result;
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::operator::{GroupWriter, KeptMemory, Selected, Selection, SelectionTarget, TaskOutlet};
use crate::order::{OrderCheck, OrderProof};
use crate::proof::Sum;
use crate::run::{RunTable, RunWriter};
use crate::sink::{Lane, Sink, Writer};

/// Bytes brought together before they are looked at again (summed, searched for index keys): a
/// first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// Takes a record, with the check that has seen it.
pub type TakeRecord<'t, K> = dyn FnMut(&OrderCheck<'_, K>, &[u8]) -> Result<()> + 't;

/// Records in order, on their way to a destination.
pub trait SortedRecords<K> {
    /// Fills `out` with whole records until the next one does not fit or none is left, adds them
    /// to `sum` if one is wanted, and returns their bytes.
    fn fill(&mut self, out: &mut [u8], sum: Option<&mut Sum>) -> Result<usize>;

    /// Hands the next record to `take`, with the check that has seen it, and passes it. Returns
    /// whether there was one.
    fn next_record(&mut self, take: &mut TakeRecord<'_, K>) -> Result<bool>;

    /// Returns the check of the order of all records so far.
    fn check(&self) -> &OrderCheck<'_, K>;
}

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
    /// Checkpoints that note how far the output has come.
    pub checkpoints: &'a Checkpoints,
    /// Memory for long records that the selection keeps.
    pub kept: KeptMemory<'a>,
}

impl<'a> Destination<'a> {
    /// Returns the destination that a run is, of what `selection` leaves.
    pub fn run(
        writer: &'a RunWriter,
        selection: Option<&'a Selection>,
        order: &'a OrderProof,
    ) -> Self {
        let (sink, table, checkpoints) = (writer.sink(), Some(writer.table()), Checkpoints::NONE);
        let kept = KeptMemory::default();
        Self { sink, table, is_summed: false, start: 0, selection, order, checkpoints, kept }
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
        task: usize,
        offset: u64,
        bytes: u64,
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

    /// Lets `produce` write from byte `offset` on, as the only task of a stage. `produce` returns
    /// the number of record bytes it wrote; this function returns that number.
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
        let Self { sink, order, kept, .. } = *self;
        hand(SelectionTarget { sink, compare: &compare, order, note: &note, kept })
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

    /// Writes `records`, the first at byte `offset` of the destination, and returns where the last
    /// one ends.
    pub fn write_all<K: KeyEncoder>(
        &self,
        key: &K,
        framing: Framing,
        records: &mut impl SortedRecords<K>,
        mut offset: u64,
        writer: &mut dyn Writer,
        sum: &mut Sum,
    ) -> Result<u64> {
        let batch = framing.fixed_length().unwrap_or(0).max(BATCH_BYTES);
        loop {
            let room = writer.room();
            let batch = room.len().min(batch);
            let filled = records.fill(&mut room[..batch], self.sum_of(sum))?;
            self.order.verify(records.check(), Some(offset + filled as u64))?;
            if filled > 0 {
                self.note_summed(key, offset, &room[..filled]);
                writer.commit(filled)?;
                offset += filled as u64;
                continue;
            }
            // The next record is longer than a batch.
            let mut length = 0;
            let is_taken = records.next_record(&mut |check, record| {
                self.order.verify(check, Some(offset))?;
                self.note(key, framing, offset, record, sum);
                length = record.len() as u64;
                writer.put(record)
            })?;
            if !is_taken {
                return Ok(offset);
            }
            offset += length;
        }
    }

    /// Hands `records` to a selection one by one, until it wants no more.
    pub fn select_all<K: KeyEncoder>(
        &self,
        records: &mut impl SortedRecords<K>,
        writer: &mut GroupWriter<'_, '_>,
    ) -> Result<()> {
        let mut take = |check: &OrderCheck<'_, K>, record: &[u8]| {
            self.order.verify(check, None)?;
            writer.take(record)
        };
        while !self.is_full() && records.next_record(&mut take)? {}
        Ok(())
    }
}
