//! Intake of an input into memory, load after load, as run generation sees it.

use std::sync::{Arc, PoisonError};

use super::crew::empty_load;
use super::dealing::{Dealing, FilledLoad, Prepared, RawLoad};
use super::generate::Taken;
use super::record_place::{Before, RecordPlace};
use super::sample::Sampler;
use super::stage::{Fill, Worker};
use super::{Input, Work};
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::format::RecordFault;
use crate::incore::{Item, KeyedLoad, Pool};
use crate::io::Region;
use crate::key::{KeyEncoder, KeyTally};
use crate::load::Cutter;
use crate::manifest::InputPlace;
use crate::proof::Sum;
use crate::units::ByteSize;

/// A load in buckets, and its memory.
pub struct Ready {
    /// The load.
    pub load: KeyedLoad,
    /// Count and checksum of its records.
    pub sum: Sum,
    /// Counts about the keys of its records.
    pub keys: KeyTally,
    /// Records taken in for it: all that it holds, and those dropped on the way.
    pub taken: Taken,
    /// Place where the next load begins.
    pub next: InputPlace,
    /// The pool its buckets lie in.
    pub pool: Arc<Pool>,
    /// Memory it was read through or does not use.
    pub spare: Vec<Region>,
}

impl Ready {
    /// Returns a load of which nothing was dropped, as if none came after it.
    pub fn new(load: KeyedLoad, sum: Sum, pool: Arc<Pool>, spare: Vec<Region>) -> Self {
        let taken = Taken { records: load.records(), bytes: load.bytes(), ragged: 0 };
        let (keys, next) = (KeyTally::default(), InputPlace::default());
        Self { load, sum, keys, taken, next, pool, spare }
    }

    /// Takes the load's memory apart for the next one.
    pub fn into_memory(self) -> Region {
        let Self { load, pool, spare, .. } = self;
        let read = load.into_region();
        let pool = Arc::into_inner(pool).map(Pool::into_region);
        Region::join_all(read.into_iter().chain(pool).chain(spare))
    }
}

/// Yields loads, one after another: each is begun, filled by a stage, and finished, while the one
/// after it is prepared.
pub trait Intake {
    /// A load being filled.
    type Raw: Fill;

    /// Returns whether all of the input is in loads that were begun.
    fn is_over(&self) -> bool;

    /// Begins the next load in `memory`. What it begins with lies in `before`, the memory of the
    /// load before it; without that, where it was [gathered](Self::gather_tail): at the start of
    /// `memory` itself.
    fn begin(&mut self, memory: Region, before: Option<&[u8]>) -> Result<Self::Raw>;

    /// Returns whether the next load takes the memory of all loads: it has a record that is too
    /// long for one.
    fn needs_all(&self) -> bool {
        false
    }

    /// Moves what the next load begins with to the start of `memory`, in which the load before lay
    /// from byte `start` on.
    fn gather_tail(&mut self, _memory: &mut Region, _start: usize) {}

    /// Returns the error for the longest record of the load finished last, which is too long to be
    /// merged: where it is. With `most_bytes` at most it could be, and with a budget of `least_mib`
    /// MiB.
    fn too_long_to_merge(&self, ready: &Ready, most_bytes: u64, least_mib: u64) -> Error {
        let length = ByteSize(ready.load.longest_bytes());
        config!(
            ConfigErrorKind::BudgetTooSmall { least: Some(ByteSize::mib(least_mib)) },
            "records of {} are too long to be merged: the limit is {}; give at least {} MiB with \
             {}",
            length,
            ByteSize(most_bytes),
            least_mib,
            Setting::Memory,
        )
    }

    /// Returns whether this way of reading is of no use for the input; another has to begin again.
    fn is_unsuited(&self) -> bool {
        false
    }

    /// Returns where in the inputs the next load begins, after the one finished last.
    fn place(&self) -> InputPlace;

    /// Returns whether there may be something to prepare.
    fn looks_ahead(&self) -> bool {
        true
    }

    /// Looks ahead, while a load is filled.
    fn prepare(&mut self) -> Result<()>;

    /// Finishes a load that has been filled. `before` is what all workers had summed when it was
    /// begun.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where the input is not what it was said to be.
    fn finish(&mut self, raw: Self::Raw, workers: &mut [Worker<'_>], before: Sum) -> Result<Ready>;
}

/// Returns what all workers have summed of the input.
pub fn sum_in(workers: &[Worker<'_>]) -> Sum {
    let mut sum = Sum::default();
    for worker in workers {
        sum.add(worker.sum_in);
    }
    sum
}

/// Records of fixed length: loads are cut before anything is read.
pub struct FixedIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    cutter: Cutter,
    sampler: Sampler,
    prepared: Option<Prepared>,
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
}

impl<'a, K: KeyEncoder> FixedIntake<'a, K> {
    /// Returns an intake at the start of the input, with its first load prepared.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, cutter: Cutter) -> Result<Self> {
        let sampler = Sampler::new(work.engine, work.record_length)?;
        let mut intake = Self { work, how, cutter, sampler, prepared: None, unused: None };
        intake.prepare()?;
        Ok(intake)
    }

    /// Returns the error for a record that must not be, which begins at a byte of an input.
    fn malformed(&self, fault: &RecordFault, (source, offset): (usize, u64)) -> Error {
        let path = match &self.work.input {
            Input::Files(files) => files[source].path().to_owned(),
            Input::Stream(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).place().0
            }
        };
        let records = Some(offset / self.work.record_length as u64);
        let before = Before { records, lines: 0, bytes: offset };
        let place = RecordPlace { before, framing: self.how.framing };
        fault.error(path, &place)
    }
}

impl<'a, K: KeyEncoder> Intake for FixedIntake<'a, K> {
    type Raw = RawLoad<'a, K>;

    fn is_over(&self) -> bool {
        self.prepared.is_none() || self.work.is_stream_at_end()
    }

    fn begin(&mut self, memory: Region, _: Option<&[u8]>) -> Result<Self::Raw> {
        let Some(prepared) = self.prepared.take() else { unreachable!("asked for first") };
        let (memory, unused) = empty_load(&self.work.plan, memory);
        self.unused = Some(unused);
        Ok(RawLoad::new(self.how, &self.work.input, prepared, memory, self.work.plan.threads))
    }

    fn place(&self) -> InputPlace {
        let begun = self.prepared.as_ref().and_then(|prepared| prepared.layout.spans.first());
        let (source, offset) = match begun {
            Some(span) => (span.source, span.offset + span.skip as u64),
            None => self.cutter.place(),
        };
        InputPlace { source, offset }
    }

    fn prepare(&mut self) -> Result<()> {
        let load = &self.work.plan.load;
        let capacity = match self.how.item {
            Item::Entry | Item::WideEntry => load.read_bytes,
            Item::Record(_) => usize::MAX / 2, // read through buffers; the pool bounds the records
        };
        let Some(layout) = self.cutter.next_load(capacity, load.records_max) else {
            return Ok(());
        };
        let wanted = layout.records as usize / self.how.bucket_records;
        let classifier = match &self.work.input {
            Input::Files(files) => {
                let buckets = (wanted, self.how.buckets_max);
                Some(self.sampler.classifier(self.how.key, files, &layout, buckets)?)
            }
            Input::Stream(_) => None,
        };
        self.prepared = Some(Prepared { layout, classifier });
        Ok(())
    }

    fn finish(&mut self, raw: Self::Raw, workers: &mut [Worker<'_>], before: Sum) -> Result<Ready> {
        let FilledLoad { load, pool, spare, fault } = raw.finish(workers);
        if let Some((fault, place)) = fault {
            return Err(self.malformed(&fault, place));
        }
        let sum = sum_in(workers).less(before);
        let spare = spare.into_iter().chain(self.unused.take()).collect();
        Ok(Ready::new(load, sum, pool, spare))
    }
}
