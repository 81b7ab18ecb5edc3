//! Draining a load in buckets: each task sorts some buckets, gathers their records and writes them
//! where they belong.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::stage::{Drain, Worker};
use crate::error::Result;
use crate::format::Framing;
use crate::incore::{KeyedLoad, gather};
use crate::key::KeyEncoder;
use crate::load::Records;
use crate::proof::Sum;
use crate::run::Table;
use crate::sink::{Sink, Writer};

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
}

impl Destination<'_> {
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
        match framing {
            _ if !self.is_summed => {}
            Framing::Fixed(length) => sum.add_records(bytes, length),
            Framing::Terminated(_) => {
                framing.records(bytes).for_each(|record| sum.add_records(record, record.len()));
            }
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
    record_length: usize,
    tasks: Vec<Range<usize>>,
    next: AtomicUsize,
}

impl<'a, K: KeyEncoder> Gathering<'a, K> {
    /// All of `load`, in tasks of about `task_bytes`.
    pub fn new(
        key: &'a K,
        load: &'a KeyedLoad,
        record_length: usize,
        destination: Destination<'a>,
        task_bytes: u64,
    ) -> Self {
        let tasks = load.tasks(task_bytes);
        Self { key, load, destination, record_length, tasks, next: AtomicUsize::new(0) }
    }

    /// Gathers a sorted bucket, whose first record is record `first` of the destination.
    fn emit(
        &self,
        (entries, records): (&[u64], &Records<'_>),
        mut first: u64,
        writer: &mut dyn Writer,
        sum: &mut Sum,
    ) -> Result<()> {
        let length = self.record_length;
        let batch = (BATCH_BYTES / length).max(1);
        let mut rest = entries;
        while !rest.is_empty() {
            let room = writer.room();
            let count = batch.min(room.len() / length).min(rest.len());
            let out = &mut room[..count * length];
            gather(rest, records, out);
            let (framing, offset) = (Framing::Fixed(length), first * length as u64);
            self.destination.note(self.key, framing, offset, out, sum);
            writer.commit(count * length)?;
            rest = &rest[count..];
            first += count as u64;
        }
        Ok(())
    }
}

impl<K: KeyEncoder> Drain for Gathering<'_, K> {
    fn claim(&self) -> Option<usize> {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task < self.tasks.len()).then_some(task)
    }

    fn produce(&self, task: usize, worker: &mut Worker<'_>) -> Result<()> {
        let parts = self.tasks[task].clone();
        let range = self.load.sorted_range(&parts);
        let length = self.record_length as u64;
        let (offset, bytes) = (range.start * length, (range.end - range.start) * length);
        let Worker { lane, scratch, sum_out, .. } = worker;
        self.destination.sink.write(lane, offset, bytes, |writer| {
            let mut first = range.start;
            for part in parts {
                first += self.load.sort_part(self.key, part, scratch, |entries, records| {
                    self.emit((entries, records), first, writer, sum_out)?;
                    Ok::<u64, crate::Error>(entries.len() as u64)
                })?;
            }
            Ok(())
        })
    }
}
