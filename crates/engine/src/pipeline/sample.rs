//! Sampling a load's keys before it is read: a few hundred pages from all over its files.
//!
//! Pages are taken at even distances, each shifted by chance within its share: data in order, in
//! waves or in clusters is then seen as evenly as random data. A page yields all its whole records,
//! up to a few dozen; more would tell little new, as neighbours in a file are often neighbours in
//! key.

use std::sync::Arc;

use super::dealing::Dealing;
use crate::error::Result;
use crate::format::{Framing, Guide};
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

/// Divisor of a load that gives the most that is read for its sample.
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

/// Random generator that shifts pages. It begins the same each time, so that runs can be repeated.
struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    /// Returns a number from 0 up to 1 (xorshift64*, Marsaglia 2003 and Vigna 2016).
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Buffers of `window` bytes each.
fn buffers(count: usize, window: usize) -> Result<Vec<Region>> {
    let mut memory = Arena::new(ByteSize((count * window) as u64))?;
    let mut buffers = Vec::with_capacity(count);
    for _ in 1..count {
        let rest = memory.split_off(window);
        buffers.push(memory);
        memory = rest;
    }
    buffers.push(memory);
    Ok(buffers)
}

/// Returns a classifier for a load of about `load_bytes`, made of some of the first records of a
/// stream, for want of a better sample.
pub fn of_first<K: KeyEncoder>(
    how: &Dealing<'_, K>,
    (framing, first): (Framing, &[u8]),
    load_bytes: usize,
) -> Classifier {
    let sizes = (load_bytes, how.bucket_records);
    let (sample, wanted) = sample_of_first(how.key, framing, first, sizes);
    build(&sample, wanted, how.buckets_max)
}

/// Returns the sample for that, and the buckets wanted. However many the first records are, no more
/// are taken than of a load in files: rows of short ones would be larger than they are themselves.
fn sample_of_first<K: KeyEncoder>(
    key: &K,
    framing: Framing,
    first: &[u8],
    (load_bytes, bucket_records): (usize, usize),
) -> (Sample, usize) {
    let records = framing.records(first).count().max(1);
    let wanted = load_bytes / first.len().div_ceil(records).max(1) / bucket_records;
    let pages = (load_bytes as u64 / SHARE) as usize / LINE_WINDOW;
    let rows = (wanted * OVERSAMPLING).min(pages.max(DEPTH) * RECORDS_PER_PAGE);
    let share = rows as f64 / records as f64;
    let (mut sample, mut random) = (Sample::new(key, 0), Random::default());
    let mut location = 0;
    for (number, record) in (0..).zip(framing.records(first)) {
        if random.next() < share {
            let is_fixed = matches!(framing, Framing::Fixed(_));
            sample.push(key, record, if is_fixed { number } else { location });
        }
        location += record.len() as u64;
    }
    (sample, wanted)
}

/// Reads samples of records of fixed length.
pub struct Sampler {
    queue: Box<dyn Queue>,
    /// Buffers not in use.
    free: Vec<Region>,
    /// Bytes of a buffer: a page and the records that reach into it.
    window: usize,
    record_length: usize,
    random: Random,
}

impl Sampler {
    /// Returns a sampler of records of `record_length` bytes.
    pub fn new(engine: Engine, record_length: usize) -> Result<Self> {
        let window = (record_length + PAGE).next_multiple_of(PAGE);
        let depth = (DEPTH * PAGE / window).clamp(2, DEPTH);
        let free = buffers(depth, window)?;
        let random = Random::default();
        Ok(Self { queue: engine.queue(depth)?, free, window, record_length, random })
    }

    /// Returns a classifier for a load that will be read from `files`, of about `wanted` buckets.
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
            let shift = self.random.next();
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
            sample.push(key, record, u64::from(number));
        }
        self.free.push(done.request.region);
        Ok(())
    }
}

/// Returns the span that record `number` begins in, and its offset in the file.
pub fn place_of(layout: &Layout, length: usize, number: u32) -> (&Span, u64) {
    let after = layout.spans.partition_point(|span| span.first_record <= number).max(1);
    let span = &layout.spans[after - 1];
    let ahead = u64::from(number - span.first_record) * length as u64;
    (span, span.offset + span.skip as u64 + ahead)
}

/// Returns the first record after `number` that may lie in another file.
fn same_segment_end(layout: &Layout, number: u32) -> u32 {
    let after = layout.spans.partition_point(|span| span.first_record <= number).max(1);
    let source = layout.spans[after - 1].source;
    let next = layout.spans[after..].iter().find(|span| span.source != source);
    next.map_or(layout.records, |span| span.first_record)
}

/// Lines of which some are wanted.
pub struct Lines<'a, I> {
    /// The inputs.
    pub files: &'a [Arc<File>],
    /// Framing that separates lines.
    pub framing: Framing,
    /// Remaining lines: input, offset and bytes.
    pub left: I,
    /// Number of bytes wanted of them.
    pub load: u64,
}

/// Bytes read at each place: some lines, the first of which is cut off.
const LINE_WINDOW: usize = 2 * PAGE;

/// Reads samples of lines.
pub struct LineSampler {
    queue: Box<dyn Queue>,
    free: Vec<Region>,
    random: Random,
    /// The look of records, once it is known.
    guide: Option<Guide>,
}

impl LineSampler {
    /// Returns a sampler of lines.
    pub fn new(engine: Engine) -> Result<Self> {
        let free = buffers(DEPTH, LINE_WINDOW)?;
        Ok(Self { queue: engine.queue(DEPTH)?, free, random: Random::default(), guide: None })
    }

    /// Looks at the first records of a file, which begin at byte `start`, where those from its
    /// middle cannot be told apart otherwise.
    pub fn look_at(&mut self, file: &Arc<File>, start: u64, framing: Framing) -> Result<()> {
        let mut first = Vec::new();
        if framing.lines_of(1).is_some() {
            let bytes = file.len().saturating_sub(start).min(LINE_WINDOW as u64);
            first.resize(bytes as usize, 0);
            let read = file.read_at(&mut first, start)?;
            first.truncate(read);
        }
        self.guide = Some(Guide::new(framing, &first));
        Ok(())
    }

    /// Returns a classifier for a load that begins with the first of `lines`, of about `wanted`
    /// buckets.
    pub fn classifier<K: KeyEncoder>(
        &mut self,
        key: &K,
        lines: Lines<'_, impl Iterator<Item = (usize, u64, u64)>>,
        (wanted, buckets_max): (usize, usize),
    ) -> Result<Classifier> {
        let mut sample = Sample::new(key, 0);
        let Lines { files, framing, left, load } = lines;
        if wanted > 1 {
            let pages = (wanted * OVERSAMPLING).div_ceil(RECORDS_PER_PAGE).max(wanted);
            let pages = pages.min((load / SHARE) as usize / LINE_WINDOW).max(DEPTH);
            let share = load / pages as u64;
            let mut before = 0;
            for (source, offset, bytes) in left {
                let here = bytes.min(load - before);
                for page in 0..here / share.max(1) {
                    let shift = page * share + (self.random.next() * share as f64) as u64;
                    let tag = before + shift;
                    if self.free.is_empty() {
                        self.take_in(key, framing, &mut sample)?;
                    }
                    self.ask(&files[source], offset + shift, tag)?;
                }
                before += here;
            }
        }
        while self.queue.in_flight() > 0 {
            self.take_in(key, framing, &mut sample)?;
        }
        Ok(build(&sample, wanted, buckets_max))
    }

    /// Asks for the page at `offset`, which lies `tag` bytes after the start of the load.
    fn ask(&mut self, file: &Arc<File>, offset: u64, tag: u64) -> Result<()> {
        let Some(region) = self.free.pop() else { return Ok(()) };
        let (operation, file) = (Operation::Read, Arc::clone(file));
        let offset = offset & !(PAGE as u64 - 1);
        self.queue.submit(Request { operation, file, offset, region, range: 0..LINE_WINDOW, tag })
    }

    /// Adds the whole lines of one page to the sample.
    fn take_in<K: KeyEncoder>(
        &mut self,
        key: &K,
        framing: Framing,
        sample: &mut Sample,
    ) -> Result<()> {
        let Some(done) = self.queue.wait()? else { return Ok(()) };
        let bytes = &done.request.region[..done.result?];
        let mut place = match &self.guide {
            Some(guide) => guide.likely_start(bytes),
            None => framing.likely_start(bytes),
        };
        for _ in 0..RECORDS_PER_PAGE {
            let rest = &bytes[place..];
            let Some(length) = framing.whole_length(rest) else { break };
            if length == rest.len() {
                break; // it may be cut off
            }
            sample.push(key, &rest[..length], done.request.tag + place as u64);
            place += length;
        }
        self.free.push(done.request.region);
        Ok(())
    }
}

/// Places at which records are measured.
const MEASURED: u64 = 16;

/// Returns the average bytes of the records in `files`, measured on some pages from all over them.
pub fn average_length(files: &[Arc<File>], framing: Framing) -> Result<usize> {
    let mut queue = Engine::Sync.queue(1)?;
    let mut free = buffers(1, LINE_WINDOW)?;
    let total: u64 = files.iter().map(|file| file.len()).sum();
    let (mut bytes, mut records) = (0, 0);
    for file in files {
        let share = (MEASURED * file.len()).div_ceil(total.max(1)).min(MEASURED);
        let places = share.min(file.len().div_ceil(LINE_WINDOW as u64));
        for place in 0..places {
            let Some(region) = free.pop() else { break };
            let (operation, file) = (Operation::Read, Arc::clone(file));
            let offset = (file.len() / places * place) & !(PAGE as u64 - 1);
            let range = 0..LINE_WINDOW;
            queue.submit(Request { operation, file, offset, region, range, tag: 0 })?;
            let Some(done) = queue.wait()? else { break };
            let read = &done.request.region[..done.result?];
            // Local records are counted from anywhere; others from where one seems to begin.
            let is_known = framing.is_local() || place == 0;
            let read = &read[if is_known { 0 } else { framing.likely_start(read) }..];
            bytes += if read.is_empty() { LINE_WINDOW } else { read.len() };
            records += framing.records(read).count().max(1);
            free.push(done.request.region);
        }
    }
    Ok((bytes / records.max(1)).max(1))
}

#[cfg(test)]
mod tests;
