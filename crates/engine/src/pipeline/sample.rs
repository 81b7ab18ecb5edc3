//! Sampling a load's keys before it is read: a few hundred pages from all over its files.
//!
//! Pages are taken at even distances, each shifted by chance within its share: data in order, in
//! waves or in clusters is then seen as evenly as random data. A page yields all its whole records,
//! up to a few dozen; more would tell little new, as neighbours in a file are often neighbours in
//! key.

use std::sync::Arc;

use super::crew::cut;
use super::{JobInput, Work};
use crate::error::Result;
use crate::format::{Framing, Guide};
use crate::incore::sort::{chance, records_to_sample};
use crate::incore::{Classifier, IncoreSort, Sample};
use crate::io::{Arena, Direction, Engine, File, Queue, Region, Request};
use crate::key::KeyEncoder;
use crate::load::InputPlace;
use crate::load::layout::PAGE;
use crate::units::ByteSize;

/// Most records taken from one page.
const RECORDS_PER_PAGE: usize = 40;

/// Divisor of a load that gives the most that is read for its sample.
const SHARE: u64 = 128;

/// Pages asked for at once.
const DEPTH: usize = 32;

/// Bytes read at each place, usually: some records, the first of which is cut off.
const WINDOW: usize = 2 * PAGE;

/// Returns a classifier for a load of about `load_bytes`, made of some of the first records of a
/// stream, for want of a better sample. However many these are, no more are taken than of a load in
/// files: rows of short ones would be larger than they are themselves.
pub fn of_first<K: KeyEncoder>(
    sort: &IncoreSort<'_, K>,
    first: &[u8],
    load_bytes: usize,
) -> Classifier {
    let whole = &first[..sort.framing.whole_bytes(first)];
    let pages = (load_bytes as u64 / SHARE) as usize / WINDOW;
    let (sample, wanted) = sort.sample(whole, load_bytes, pages.max(DEPTH) * RECORDS_PER_PAGE);
    sort.classifier(sample, wanted)
}

/// Input of a load to come.
pub struct ComingLoad<'a, I> {
    /// The inputs.
    pub files: &'a [Arc<File>],
    /// Place from which each input is left, and how many bytes of it.
    pub left: I,
    /// Bytes of the load, the first of these.
    pub bytes: u64,
}

/// Reads samples of records.
pub struct Sampler {
    queue: Box<dyn Queue>,
    /// Buffers not in use.
    free: Vec<Region>,
    framing: Framing,
    /// Bytes of a buffer: a page, and the records that reach into it.
    window: usize,
    /// Most records taken from one page.
    per_page: usize,
    /// The look of records.
    guide: Guide,
}

impl Sampler {
    /// Returns a sampler of a job's records. Where those from the middle of a file cannot be told
    /// apart otherwise, it looks at the first ones of the first file that has some.
    pub fn new(work: &Work) -> Result<Self> {
        let mut first = Vec::new();
        if let (JobInput::Files(files), Some(_)) = (&work.input, work.framing.lines_of(1)) {
            let mut filled = files.iter().zip(work.sources());
            let filled = filled.find(|(file, source)| file.len() > source.skip);
            if let Some((file, source)) = filled {
                first.resize(WINDOW, 0);
                let read = file.read_at(&mut first, source.skip)?;
                first.truncate(read);
            }
        }
        Self::of(work.engine, work.framing, &first)
    }

    /// Returns a sampler of records that `framing` separates, like those that `first` begins with.
    fn of(engine: Engine, framing: Framing, first: &[u8]) -> Result<Self> {
        let (window, per_page) = match framing {
            Framing::Fixed(length) => ((length + PAGE).next_multiple_of(PAGE), PAGE / length),
            _ => (WINDOW, RECORDS_PER_PAGE),
        };
        let depth = (DEPTH * WINDOW / window).clamp(2, DEPTH);
        let mut memory = Arena::new(ByteSize((depth * window) as u64))?;
        Ok(Self {
            queue: engine.queue(depth)?,
            free: (0..depth).map(|_| cut(&mut memory, window)).collect(),
            framing,
            window,
            per_page: per_page.clamp(1, RECORDS_PER_PAGE),
            guide: Guide::new(framing, first),
        })
    }

    /// Returns a classifier for a load, of about `wanted` buckets.
    pub fn classifier<K: KeyEncoder>(
        &mut self,
        sort: &IncoreSort<'_, K>,
        load: ComingLoad<'_, impl Iterator<Item = (InputPlace, u64)>>,
        wanted: usize,
    ) -> Result<Classifier> {
        let key = sort.key;
        let mut sample = Sample::new(key, 0);
        let ComingLoad { files, mut left, bytes } = load;
        if wanted > 1 {
            let rows = records_to_sample(wanted);
            // A page a bucket at least: clusters of keys are seen page-wise.
            let pages = rows.div_ceil(self.per_page).max(wanted);
            let pages = pages.min((bytes / SHARE) as usize / self.window).max(DEPTH);
            let share = bytes as f64 / pages as f64;
            let (mut input, mut before) = (left.next(), 0);
            for page in 0..pages {
                let target = ((page as f64 + chance(page as u64)) * share) as u64;
                while let Some((_, here)) = input.filter(|(_, here)| before + here <= target) {
                    (input, before) = (left.next(), before + here);
                }
                let Some((InputPlace { source, offset }, _)) = input else { break };
                if self.free.is_empty() {
                    self.take_in(key, &mut sample)?;
                }
                self.ask(&files[source], offset + target - before, target)?;
            }
        }
        while self.queue.in_flight() > 0 {
            self.take_in(key, &mut sample)?;
        }
        Ok(sort.classifier(sample, wanted))
    }

    /// Asks for the page at `offset`, which lies `tag` bytes after the start of the load; or for
    /// the one in which its record begins, if that is known.
    fn ask(&mut self, file: &Arc<File>, offset: u64, tag: u64) -> Result<()> {
        let Some(region) = self.free.pop() else { return Ok(()) };
        let (operation, file) = (Direction::Read, Arc::clone(file));
        let offset = offset - offset % self.framing.fixed_length().unwrap_or(1) as u64;
        let offset = offset & !(PAGE as u64 - 1);
        self.queue.submit(Request { operation, file, offset, region, range: 0..self.window, tag })
    }

    /// Adds the whole records of one page to the sample.
    fn take_in<K: KeyEncoder>(&mut self, key: &K, sample: &mut Sample) -> Result<()> {
        let Some(done) = self.queue.wait()? else { return Ok(()) };
        let bytes = &done.request.region[..done.result?];
        let mut place = match self.framing {
            Framing::Fixed(length) => {
                let offset = done.request.offset;
                (offset.next_multiple_of(length as u64) - offset) as usize
            }
            _ => self.guide.likely_start(bytes),
        };
        let is_fixed = self.framing.fixed_length().is_some();
        for _ in 0..RECORDS_PER_PAGE {
            let rest = bytes.get(place..).unwrap_or_default();
            let Some(length) = self.framing.whole_length(rest) else { break };
            if length == rest.len() && !is_fixed {
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
    let total: u64 = files.iter().map(|file| file.len()).sum();
    let (mut bytes, mut records, mut window) = (0, 0, vec![0; WINDOW]);
    for file in files {
        let share = (MEASURED * file.len()).div_ceil(total.max(1)).min(MEASURED);
        let places = share.min(file.len().div_ceil(WINDOW as u64));
        for place in 0..places {
            let offset = (file.len() / places * place) & !(PAGE as u64 - 1);
            let read = file.read_at(&mut window, offset)?;
            let read = &window[..read];
            // Local records are counted from anywhere; others from where one seems to begin.
            let is_known = framing.is_local() || place == 0;
            let read = &read[if is_known { 0 } else { framing.likely_start(read) }..];
            bytes += if read.is_empty() { WINDOW } else { read.len() };
            records += framing.records(read).count().max(1);
        }
    }
    Ok((bytes / records.max(1)).max(1))
}

#[cfg(test)]
mod tests;
