//! Draining a load in buckets: each task sorts some buckets, gathers their records and writes them
//! where they belong.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::stage::{Drain, Worker};
use crate::error::Result;
use crate::format::Framing;
use crate::incore::item::location;
use crate::incore::{KeyedLoad, gather};
use crate::key::KeyEncoder;
use crate::load::Records;
use crate::operator::Selection;
use crate::proof::Sum;
use crate::run::{RunWriter, Table};
use crate::sink::{Lane, Sink, Writer};

/// Bytes gathered before they are looked at again (summed, searched for index keys): a first-level
/// cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// Where sorted records go, and what is noted of them on the way.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// The file or stream.
    pub sink: &'a Sink,
    /// The table of a run.
    pub table: Option<&'a Table>,
    /// Whether records are counted and summed: those of an output are.
    pub is_summed: bool,
    /// Where the first record belongs.
    pub start: u64,
    /// Which records are written, where not all are.
    pub selection: Option<&'a Selection>,
}

impl<'a> Destination<'a> {
    /// The destination that a run is.
    pub fn run(writer: &'a RunWriter) -> Self {
        let (sink, table) = (writer.sink(), Some(writer.table()));
        Self { sink, table, is_summed: false, start: 0, selection: None }
    }

    /// Whether no more records are wanted.
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
        produce: impl FnOnce(&mut dyn Writer) -> Result<()>,
    ) -> Result<()> {
        match self.selection {
            None => self.sink.write(lane, self.start + offset, bytes, produce),
            Some(selection) => {
                let is_same = |a: &[u8], b: &[u8]| key.compare_from(a, b, 0).is_eq();
                selection.write(self.sink, lane, task, &is_same, produce)
            }
        }
    }

    /// Notes records that are about to be written: the first begins at byte `offset` of the
    /// destination.
    pub fn note<K: KeyEncoder>(
        &self,
        key: &K,
        framing: Framing,
        offset: u64,
        bytes: &[u8],
        sum: &mut Sum,
    ) {
        if self.is_summed {
            sum.add_all(framing, bytes);
        }
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
    /// All of `load`, in tasks of about `task_bytes`.
    pub fn new(
        key: &'a K,
        load: &'a KeyedLoad,
        framing: Framing,
        destination: Destination<'a>,
        task_bytes: u64,
    ) -> Self {
        let tasks = load.tasks(task_bytes);
        destination.selection.inspect(|selection| selection.begin_stage());
        Self { key, load, destination, framing, tasks, next: AtomicUsize::new(0) }
    }

    /// Gathers a sorted bucket, which begins at byte `offset` of the destination; where it ends.
    fn emit(
        &self,
        (entries, records): (&[u64], &Records<'_>),
        mut offset: u64,
        writer: &mut dyn Writer,
        sum: &mut Sum,
    ) -> Result<u64> {
        let (key, framing) = (self.key, self.framing);
        let mut rest = entries;
        while !rest.is_empty() {
            let room = writer.room();
            let batch = match framing {
                Framing::Fixed(length) => BATCH_BYTES.max(length),
                _ => BATCH_BYTES,
            };
            let out = room.len().min(batch);
            let gathered = gather(rest, records, &mut room[..out]);
            let bytes = if gathered.records > 0 {
                self.destination.note(key, framing, offset, &room[..gathered.bytes], sum);
                writer.commit(gathered.bytes)?;
                gathered.bytes
            } else {
                let record = records.get(location(rest[0]));
                self.destination.note(key, framing, offset, record, sum);
                writer.put(record)?;
                record.len()
            };
            rest = &rest[gathered.records.max(1)..];
            offset += bytes as u64;
        }
        Ok(offset)
    }
}

impl<K: KeyEncoder> Drain for Gathering<'_, K> {
    fn claim(&self) -> Option<usize> {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task < self.tasks.len() && !self.destination.is_full()).then_some(task)
    }

    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()> {
        let parts = self.tasks[task].clone();
        let range = self.load.sorted_range(&parts);
        let Worker { lane, scratch, sum_out, .. } = worker;
        let place = (task, range.start, range.end - range.start);
        self.destination.write(self.key, lane, place, |writer| {
            let mut offset = range.start;
            for part in parts {
                offset = self.load.sort_part(self.key, part, scratch, |entries, records| {
                    self.emit((entries, records), offset, writer, sum_out)
                })?;
            }
            Ok(())
        })
    }
}
