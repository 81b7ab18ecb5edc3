//! Lines without their copies as an intake: a load takes as much of the input as it has room for
//! what is new.

use std::sync::Arc;

use super::crew::cut;
use super::dealing::Dealing;
use super::intake::{Intake, Ready, sum_in};
use super::sample::{ComingLoad, Sampler};
use super::sieving::{FilledSieve, RawSieve, SieveLoad, Source};
use super::stage::Worker;
use super::{Input, Work};
use crate::error::Result;
use crate::io::{File, Region};
use crate::key::KeyEncoder;
use crate::load::{Cutter, InputPlace};
use crate::plan::SieveMemory;
use crate::proof::Sum;

/// Lines of files on their way into memory, each once.
pub struct SieveIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    files: &'a [Arc<File>],
    terminator: u8,
    memory: SieveMemory,
    sampler: Sampler,
    /// Input left to read, while no load is being filled.
    source: Option<Source>,
    /// Average bytes of a line, as far as they are known.
    average: usize,
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
    /// True if a load was begun: the first gets all memory, as it is the only one most often.
    has_begun: bool,
    is_unsuited: bool,
}

impl<'a, K: KeyEncoder> SieveIntake<'a, K> {
    /// Returns an intake at the start of the input.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, memory: SieveMemory) -> Result<Self> {
        let (Input::Files(files), Some(terminator)) = (&work.input, work.framing.terminator())
        else {
            unreachable!("only lines of files are sifted")
        };
        Ok(Self {
            work,
            how,
            files,
            terminator,
            memory,
            sampler: Sampler::new(work.engine, work.framing)?,
            source: Some(Source::new(Cutter::new(
                work.sources(),
                work.framing,
                memory.block_bytes,
            ))),
            average: work.record_length,
            unused: None,
            has_begun: false,
            is_unsuited: false,
        })
    }

    /// Returns how `memory` is divided for a load of the bytes that are left; unneeded memory stays
    /// in it.
    fn divide(&self, memory: &mut Region, left_bytes: u64) -> SieveLoad {
        let plan = &self.work.plan;
        let sizes = plan.sizes.of_lines(self.average, self.how.buckets_max);
        let (sieve, load) = match plan.is_one_pass {
            true => (self.memory, plan.load),
            false => {
                let sieve = SieveMemory::new(&sizes, left_bytes, memory.len());
                let sieve = sieve.unwrap_or(self.memory);
                (sieve, sizes.load_within(memory.len() - sieve.bytes()))
            }
        };
        let store = cut(memory, load.read_bytes + sieve.store_extra_bytes);
        let pool = cut(memory, load.pool_bytes);
        let table = cut(memory, sieve.table_bytes);
        let blocks = sieve.buffers_bytes / sieve.block_bytes;
        let buffers = (0..blocks).map(|_| cut(memory, sieve.block_bytes)).collect();
        SieveLoad { store, pool, table, buffers }
    }
}

impl<'a, K: KeyEncoder> Intake for SieveIntake<'a, K> {
    type Raw = RawSieve<'a, K>;

    fn is_over(&self) -> bool {
        self.source.as_ref().is_none_or(|source| source.cutter().is_over())
    }

    fn begin(&mut self, mut memory: Region, _: Option<&[u8]>) -> Result<Self::Raw> {
        let Some(source) = self.source.take() else { unreachable!("one load at a time") };
        let left = source.cutter().bytes_left();
        let load_memory = self.divide(&mut memory, left);
        (self.unused, self.has_begun) = (Some(memory), true);
        // How far the load will reach is not known: it may be all.
        let wanted = load_memory.store.len() / self.average / self.how.bucket_records;
        let load = ComingLoad { files: self.files, left: source.cutter().left(), bytes: left };
        let buckets = (wanted, self.how.buckets_max);
        let classifier = self.sampler.classifier(self.how.key, load, buckets)?;
        let input = (self.files, self.terminator);
        let planned = (source, classifier, self.average);
        Ok(RawSieve::new(self.how, input, planned, load_memory, self.work.plan.threads))
    }

    fn needs_all(&self) -> bool {
        !self.has_begun
    }

    fn is_unsuited(&self) -> bool {
        self.is_unsuited
    }

    fn refuse_long(&mut self, _: &Ready, _: u64, _: u64) -> Result<()> {
        self.is_unsuited = true;
        Ok(())
    }

    fn place(&self) -> InputPlace {
        InputPlace::default() // A job that goes on where another ended has no sieve.
    }

    fn looks_ahead(&self) -> bool {
        false
    }

    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, raw: Self::Raw, workers: &mut [Worker<'_>], before: Sum) -> Result<Ready> {
        let FilledSieve { load, pool, mut spare, source, dropped, is_unsuited } = raw.finish();
        spare.extend(self.unused.take());
        let (dropped, dropped_sum) = dropped;
        let sum = sum_in(workers).less(before).less(dropped_sum);
        // They go no further than here, each the same as one that does.
        workers[0].sum_out.add(dropped_sum);
        if load.records() > 0 {
            self.average = (load.bytes() / load.records()).max(1) as usize;
        }
        self.source = Some(source);
        self.is_unsuited = is_unsuited || self.work.plan.is_one_pass && !self.is_over();
        let mut ready = Ready::new(load, sum, pool, spare);
        ready.taken.add(dropped);
        Ok(ready)
    }
}
