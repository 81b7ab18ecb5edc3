//! Lines as an intake: loads are cut by bytes, what one leaves unfinished the next begins with, and
//! the memory is divided between lines and entries by how long lines turn out to be.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use super::dealing::Dealing;
use super::intake::{Intake, Ready, sum_in};
use super::lines::{FilledLines, RawLines};
use super::sample::{LineSampler, Lines};
use super::stage::Worker;
use super::{Input, Work};
use crate::error::{Error, Result};
use crate::incore::{Classifier, KeyedLoad, Pool};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::layout::PAGE;
use crate::load::lines::LineCutter;
use crate::plan::memory::LoadMemory;
use crate::proof::Sum;
use crate::units::ByteSize;

/// Lines, on their way into memory.
pub struct LineIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    terminator: u8,
    cutter: LineCutter,
    sampler: LineSampler,
    /// Where the lines of the next load belong, if it was sampled.
    classifier: Option<Classifier>,
    /// Average bytes of a line, as far as they are known.
    average: usize,
    /// Pieces of the load before that the next begins with.
    tail: Vec<Range<usize>>,
    /// Bytes of an unfinished line that the load before was not large enough for.
    held_before: usize,
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
}

impl<'a, K: KeyEncoder> LineIntake<'a, K> {
    /// An intake at the start of the input, with its first load sampled.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, terminator: u8) -> Result<Self> {
        let cutter = LineCutter::new(work.line_sources(), work.plan.block_bytes);
        let mut intake = Self {
            work,
            how,
            terminator,
            cutter,
            sampler: LineSampler::new(work.engine)?,
            classifier: None,
            average: work.record_length,
            tail: Vec::new(),
            held_before: 0,
            unused: None,
        };
        intake.prepare()?;
        Ok(intake)
    }

    /// How `limit` bytes are divided for a load that begins with `carried` bytes.
    fn divide(&self, limit: usize, carried: usize) -> LoadMemory {
        if self.work.plan.is_one_pass {
            return self.work.plan.load;
        }
        let sizes = self.work.plan.sizes.of_lines(self.average, self.how.buckets_max);
        let mut memory = sizes.load_within(limit);
        // What was carried has to fit, even if nothing more does. It was in a load as large as this
        // one, so that no less is left for entries than there was then.
        memory.read_bytes = memory.read_bytes.max(carried.next_multiple_of(PAGE) + PAGE);
        memory.pool_bytes = limit - memory.read_bytes;
        memory
    }

    fn ready(
        &mut self,
        load: KeyedLoad,
        pool: Arc<Pool>,
        workers: &[Worker<'_>],
        before: Sum,
    ) -> Ready {
        let sum = sum_in(workers).less(before);
        Ready { load, sum, pool, spare: self.unused.take().into_iter().collect() }
    }

    /// The error for a line that no load can hold, of which `held` bytes were read.
    fn too_long(&self, held: usize) -> Error {
        // A load without a line end holds bytes of one line alone, and all inputs before end with
        // one: the line begins so many bytes before the place that reading has come to.
        let (path, read) = match &self.work.input {
            Input::Files(files) => {
                let (source, offset) = self.cutter.place();
                (files[source].path().to_owned(), offset)
            }
            Input::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.place()
            }
        };
        let message = format!(
            "the line that begins at byte {} has more than {}, which is as much as the memory \
             budget has room for; give more with --memory, or check --format",
            read - held as u64,
            ByteSize(held as u64)
        );
        Error::Malformed { path, message }
    }
}

impl<'a, K: KeyEncoder> Intake for LineIntake<'a, K> {
    type Raw = RawLines<'a, K>;

    fn is_over(&self) -> bool {
        self.tail.is_empty() && (self.cutter.is_over() || self.work.is_stream_at_end())
    }

    fn begin(&mut self, mut memory: Region, before: Option<&Ready>) -> Result<Self::Raw> {
        let carried: usize = self.tail.iter().map(ExactSizeIterator::len).sum();
        let division = self.divide(memory.len(), carried);
        let mut pool = memory.split_off(division.read_bytes);
        self.unused = Some(pool.split_off(division.pool_bytes));
        let layout = self.cutter.next_load(division.read_bytes, carried);
        let mut place = layout.start - carried;
        if let Some(before) = before.and_then(|ready| ready.load.loaded_bytes()) {
            for piece in self.tail.drain(..) {
                memory[place..place + piece.len()].copy_from_slice(&before[piece.clone()]);
                place += piece.len();
            }
        }
        let planned = (layout, self.classifier.take());
        let threads = self.work.plan.threads;
        let (input, memory) = (&self.work.input, (memory, pool));
        Ok(RawLines::new(self.how, self.terminator, input, planned, memory, threads))
    }

    /// In one pass nothing follows, and lines of a stream are not known ahead.
    fn looks_ahead(&self) -> bool {
        !self.work.plan.is_one_pass && matches!(self.work.input, Input::Files(_))
    }

    fn prepare(&mut self) -> Result<()> {
        let Input::Files(files) = &self.work.input else { return Ok(()) };
        let load = self.work.plan.load.read_bytes as u64;
        let lines = Lines { files, framing: self.how.framing, left: self.cutter.left(), load };
        let wanted = load as usize / self.average / self.how.bucket_records;
        let buckets = (wanted, self.how.buckets_max);
        self.classifier = Some(self.sampler.classifier(self.how.key, lines, buckets)?);
        Ok(())
    }

    fn finish(&mut self, raw: Self::Raw, workers: &mut [Worker<'_>], before: Sum) -> Result<Ready> {
        let FilledLines { load, pool, tail } = raw.finish(workers, before);
        self.tail = tail;
        if load.records() > 0 {
            self.average = (load.bytes() / load.records()).max(1) as usize;
        } else if !self.is_over() {
            // A line longer than the load: the next has more room for bytes and less for entries.
            let held: usize = self.tail.iter().map(ExactSizeIterator::len).sum();
            if held <= self.held_before || self.work.plan.is_one_pass {
                return Err(self.too_long(held));
            }
            self.held_before = held;
            self.average = self.average.max(held);
            return Ok(self.ready(load, pool, workers, before));
        }
        self.held_before = 0;
        Ok(self.ready(load, pool, workers, before))
    }
}
