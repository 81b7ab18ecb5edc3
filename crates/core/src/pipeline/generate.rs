//! Bringing the input into memory: one load if it fits, else one sorted run after another.
//!
//! Two loads take turns: while one is gathered and written as a run, the next is read and dealt,
//! and meanwhile the keys of the one after that are sampled.

use std::sync::Arc;

use super::crew::{Crew, empty_load};
use super::dealing::{Dealing, Prepared, RawLoad};
use super::gathering::{Destination, Gathering};
use super::sample::Sampler;
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use super::{Input, Work};
use crate::error::Result;
use crate::incore::bucket::bucket_records;
use crate::incore::{Item, KeyedLoad, Pool};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::Cutter;
use crate::proof::Sum;
use crate::run::layout::Geometry;
use crate::run::{Run, RunWriter};
use crate::stats::Phase;

/// What run generation ends with.
pub enum Generated {
    /// Everything is in memory.
    Whole(Box<KeyedLoad>),
    /// Runs, in the order of the input, and the memory of the loads.
    Runs(Vec<Run>, Vec<Region>),
}

/// A load in buckets, and its memory.
struct Ready {
    load: KeyedLoad,
    sum: Sum,
    pool: Arc<Pool>,
    /// Memory it was read through or does not use.
    spare: Vec<Region>,
}

impl Ready {
    /// Takes the load's memory apart for the next one.
    fn into_memory(self) -> Region {
        let Self { load, pool, spare, .. } = self;
        let read = load.into_region();
        let pool = Arc::into_inner(pool).map(Pool::into_region);
        let mut regions: Vec<Region> = read.into_iter().chain(pool).chain(spare).collect();
        regions.sort_unstable_by_key(Region::address);
        let memory = regions.into_iter().reduce(Region::join);
        memory.unwrap_or_else(|| unreachable!("a load has memory"))
    }
}

/// Reads all of the input.
pub fn generate<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: Vec<Region>,
    spill: &mut Spill,
) -> Result<Generated> {
    let plan = &work.plan;
    let cutter = Cutter::new(work.sources(), work.record_length, plan.block_bytes);
    let how = Dealing {
        key,
        item: plan.item,
        record_length: work.record_length,
        verify: work.verify,
        block: cutter.block(),
        bucket_records: bucket_records(work.record_length),
        buckets_max: plan.load.buckets_max,
    };
    let mut preparer = Preparer::new(work, &how, cutter)?;
    let mut generation = Generation { work, how: &how, crew, memory, runs: Vec::new() };
    let mut prepared = preparer.next()?;
    generation.crew.enter(if plan.is_one_pass { Phase::Reading } else { Phase::RunGeneration })?;
    let mut ready = None;
    while prepared.is_some() || ready.is_some() {
        let turn = generation.turn(prepared, ready, spill, &mut preparer)?;
        (ready, prepared) = turn;
        let is_all = prepared.is_none() || work.is_stream_at_end();
        if is_all
            && generation.runs.is_empty()
            && let Some(Ready { load, .. }) = ready
        {
            return Ok(Generated::Whole(Box::new(load)));
        }
    }
    let Generation { memory, runs, .. } = generation;
    Ok(Generated::Runs(runs, memory))
}

/// Run generation under way.
struct Generation<'a, 'w, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    crew: &'a mut Crew<'w>,
    /// Memory of loads that is not in use.
    memory: Vec<Region>,
    runs: Vec<Run>,
}

impl<K: KeyEncoder> Generation<'_, '_, K> {
    /// Fills the next load while the one before is written as a run.
    fn turn(
        &mut self,
        prepared: Option<Prepared>,
        ready: Option<Ready>,
        spill: &mut Spill,
        preparer: &mut Preparer<'_, K>,
    ) -> Result<(Option<Ready>, Option<Prepared>)> {
        let (key, length, plan) = (self.how.key, self.work.record_length, &self.work.plan);
        let mut rest = None;
        let raw = prepared.map(|prepared| {
            let memory = self.memory.pop().unwrap_or_else(|| unreachable!("one of two is free"));
            let (memory, unused) = empty_load(plan, memory);
            rest = Some(unused);
            RawLoad::new(self.how, &self.work.input, prepared, memory, plan.threads)
        });
        let writer = match &ready {
            Some(ready) => {
                let geometry = Geometry::fixed(length, key.key_length(), ready.load.records());
                Some(RunWriter::create(&spill.next_path()?, self.work.direct, geometry)?)
            }
            None => None,
        };
        let gathering = ready.as_ref().zip(writer.as_ref()).map(|(ready, run)| {
            let destination =
                Destination { sink: run.sink(), table: Some(run.table()), is_summed: false };
            Gathering::new(key, &ready.load, length, destination, plan.task_bytes)
        });
        let before = self.crew.sums().0;
        let is_last = raw.is_none();
        let following = stage::run(
            &mut self.crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            gathering.as_ref().map(|gathering| gathering as &dyn Drain),
            || if is_last { Ok(None) } else { preparer.next() },
        )?;
        drop(gathering);
        if let (Some(writer), Some(ready)) = (writer, ready) {
            self.runs.push(writer.finish(&mut self.crew.workers[0].lane, ready.sum)?);
            self.memory.push(ready.into_memory());
        }
        let Some(raw) = raw else { return Ok((None, following)) };
        let (load, pool, spare) = raw.finish(&mut self.crew.workers);
        let sum = self.crew.sums().0.less(before);
        let ready = Ready { load, sum, pool, spare: spare.into_iter().chain(rest).collect() };
        if ready.load.records() == 0 {
            self.memory.push(ready.into_memory());
            return Ok((None, None));
        }
        Ok((Some(ready), following))
    }
}

/// Prepares loads: what to read next, and where its records belong.
struct Preparer<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    cutter: Cutter,
    sampler: Sampler,
}

impl<'a, K: KeyEncoder> Preparer<'a, K> {
    fn new(work: &'a Work, how: &'a Dealing<'a, K>, cutter: Cutter) -> Result<Self> {
        let sampler = Sampler::new(work.engine, work.record_length)?;
        Ok(Self { work, how, cutter, sampler })
    }

    fn next(&mut self) -> Result<Option<Prepared>> {
        let load = &self.work.plan.load;
        let capacity = match self.how.item {
            Item::Entry => load.read_bytes,
            Item::Record(_) => usize::MAX / 2, // read through buffers; the pool bounds the records
        };
        let Some(layout) = self.cutter.next_load(capacity, load.records_max) else {
            return Ok(None);
        };
        let wanted = layout.records as usize / self.how.bucket_records;
        let classifier = match &self.work.input {
            Input::Files(files) => {
                let buckets = (wanted, self.how.buckets_max);
                Some(self.sampler.classifier(self.how.key, files, &layout, buckets)?)
            }
            Input::Stream(_) => None,
        };
        Ok(Some(Prepared { layout, classifier }))
    }
}
