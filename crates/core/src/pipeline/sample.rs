//! Sampling a load's keys before it is read: a few hundred pages from all over its files.
//!
//! Pages are taken at even distances, each shifted by chance within its share: data in order, in
//! waves or in clusters is then seen as evenly as random data. A page yields all its whole records,
//! up to a few dozen; more would tell little new, as neighbours in a file are often neighbours in
//! key.

use std::sync::Arc;

use crate::error::Result;
use crate::incore::{Classifier, Sample};
use crate::io::{Arena, Engine, File, Operation, Queue, Region, Request};
use crate::key::KeyEncoder;
use crate::load::layout::PAGE;
use crate::load::{Layout, Span};
use crate::units::ByteSize;

/// Sampled records per wanted bucket: buckets then differ by about a fifth of their size.
const OVERSAMPLING: usize = 24;

/// Most records taken from one page.
const RECORDS_PER_PAGE: usize = 40;

/// Pages per wanted bucket, at least: clusters of keys are seen page-wise.
const PAGES_PER_BUCKET: usize = 1;

/// Most of a load that is read for its sample: one part in so many.
const SHARE: u64 = 128;

/// Pages asked for at once.
const DEPTH: usize = 32;

/// Buckets of even size, as many as wanted, but no more than `buckets_max` whatever the keys are.
pub fn build(sample: &Sample, wanted: usize, buckets_max: usize) -> Classifier {
    if sample.is_empty() || wanted <= 1 {
        return Classifier::single(0);
    }
    let mut per_bucket = sample.len().div_ceil(wanted);
    loop {
        let classifier = Classifier::build(sample, per_bucket);
        if classifier.buckets() <= buckets_max {
            return classifier;
        }
        if per_bucket > sample.len() {
            return Classifier::single(0);
        }
        per_bucket *= 2;
    }
}

/// Reads samples.
pub struct Sampler {
    queue: Box<dyn Queue>,
    /// Buffers not in use.
    free: Vec<Region>,
    /// Bytes of a buffer: a page and the records that reach into it.
    window: usize,
    record_length: usize,
    /// State of the generator that shifts pages. Fixed at the start: runs can be repeated.
    random: u64,
}

impl Sampler {
    /// A sampler of records of `record_length` bytes.
    pub fn new(engine: Engine, record_length: usize) -> Result<Self> {
        let window = (record_length + PAGE).next_multiple_of(PAGE);
        let depth = (DEPTH * PAGE / window).clamp(2, DEPTH);
        let mut memory = Arena::new(ByteSize((depth * window) as u64))?;
        let mut free = Vec::with_capacity(depth);
        for _ in 1..depth {
            let rest = memory.split_off(window);
            free.push(memory);
            memory = rest;
        }
        free.push(memory);
        let random = 0x9e37_79b9_7f4a_7c15;
        Ok(Self { queue: engine.queue(depth)?, free, window, record_length, random })
    }

    /// A classifier for a load that will be read from `files`, of about `wanted` buckets.
    pub fn classifier<K: KeyEncoder>(
        &mut self,
        key: &K,
        files: &[Arc<File>],
        layout: &Layout,
        (wanted, buckets_max): (usize, usize),
    ) -> Result<Classifier> {
        let mut sample = Sample::new(key, 0);
        if wanted <= 1 {
            return Ok(build(&sample, wanted, buckets_max));
        }
        let per_page = (PAGE / self.record_length).clamp(1, RECORDS_PER_PAGE);
        let pages = (wanted * OVERSAMPLING).div_ceil(per_page).max(wanted * PAGES_PER_BUCKET);
        let pages = pages.min((layout.bytes as u64 / SHARE) as usize / self.window).max(DEPTH);
        let share = layout.records as usize as f64 / pages as f64;
        for page in 0..pages {
            let shift = self.next_random();
            let record = ((page as f64 + shift) * share) as u32;
            if self.free.is_empty() {
                self.take_in(key, layout, &mut sample)?;
            }
            self.ask(files, layout, record.min(layout.records - 1))?;
        }
        while self.queue.in_flight() > 0 {
            self.take_in(key, layout, &mut sample)?;
        }
        Ok(build(&sample, wanted, buckets_max))
    }

    /// A number from 0 up to 1 (xorshift64*, Marsaglia 2003 and Vigna 2016).
    fn next_random(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Asks for the page that record `number` of the load begins in.
    fn ask(&mut self, files: &[Arc<File>], layout: &Layout, number: u32) -> Result<()> {
        let Some(region) = self.free.pop() else { return Ok(()) };
        let (span, offset) = place_of(layout, self.record_length, number);
        let request = Request {
            operation: Operation::Read,
            file: Arc::clone(&files[span.source]),
            offset: offset & !(PAGE as u64 - 1),
            region,
            range: 0..self.window,
            tag: u64::from(number),
        };
        self.queue.submit(request)
    }

    /// Adds the records of one page to the sample.
    fn take_in<K: KeyEncoder>(
        &mut self,
        key: &K,
        layout: &Layout,
        sample: &mut Sample,
    ) -> Result<()> {
        let Some(done) = self.queue.wait()? else { return Ok(()) };
        let first = done.request.tag as u32;
        let (_, offset) = place_of(layout, self.record_length, first);
        let bytes = &done.request.region[..done.result?];
        let skip = (offset - done.request.offset) as usize;
        // Records of the page that follow in the same file: their numbers follow, too.
        let records = bytes.get(skip..).unwrap_or_default().chunks_exact(self.record_length);
        let last = first.saturating_add(RECORDS_PER_PAGE as u32).min(layout.records);
        let same_file = same_segment_end(layout, first);
        for (number, record) in (first..last.min(same_file)).zip(records) {
            sample.push(key, record, number);
        }
        self.free.push(done.request.region);
        Ok(())
    }
}

/// The span that record `number` begins in, and its offset in the file.
fn place_of(layout: &Layout, length: usize, number: u32) -> (&Span, u64) {
    let after = layout.spans.partition_point(|span| span.first_record <= number).max(1);
    let span = &layout.spans[after - 1];
    let ahead = u64::from(number - span.first_record) * length as u64;
    (span, span.offset + span.skip as u64 + ahead)
}

/// The first record after `number` that may lie in another file.
fn same_segment_end(layout: &Layout, number: u32) -> u32 {
    let after = layout.spans.partition_point(|span| span.first_record <= number).max(1);
    let source = layout.spans[after - 1].source;
    let next = layout.spans[after..].iter().find(|span| span.source != source);
    next.map_or(layout.records, |span| span.first_record)
}
