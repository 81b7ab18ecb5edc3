//! Cutting sorted sources at the same keys, so that several workers merge one range of keys each.
//!
//! ```text
//!   source a  |.......|.....|.........|      a cut is a record: in each source, the records that
//!   source b  |...|........|..........|      belong before it come before the cut
//!   source c  |.........|....|........|
//!                 cut 1    cut 2
//! ```
//!
//! Records at even distances in all sources are sampled, and some of them become cuts. Where a cut
//! lies in another source, is found by binary search in the file. The order of (key, source,
//! position) is total, so that cuts divide equal keys too, and stability needs no further care.

use std::path::Path;
use std::sync::Arc;

use super::SortedPlace;
use super::place::Standing;
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Direct, File};
use crate::key::KeyEncoder;
use crate::merge::partition_point;
use crate::pipeline::merge::MergeContext;
use crate::run::RunReader;

/// Bytes of the longest record that can be a cut, or be compared with one.
const RECORD_MAX: usize = 4 << 10;

/// Bytes read at one place of a source: a record begins and ends in them.
const WINDOW: u64 = 2 * RECORD_MAX as u64;

/// Least bytes between two samples.
const DISTANCE_MIN: u64 = if cfg!(feature = "disorder") { 64 } else { WINDOW };

/// Records that are sampled for each range, in all sources together, and the most of all.
const SAMPLES: u64 = 16;
const SAMPLES_MAX: u64 = 1024;

/// Sources that are searched at the same time: each waits for one read.
const SEARCHED_AT_ONCE: usize = 16;

/// The bytes of a source.
enum SearchedBytes {
    File(Arc<File>),
    Run(RunReader),
}

/// A source that is searched.
struct Searched {
    bytes: SearchedBytes,
    /// The part of the source to be cut.
    start: u64,
    end: u64,
    /// True if the last line lacks its end.
    lacks_end: bool,
}

/// A record that was sampled.
struct SampledRecord {
    record: Vec<u8>,
    source: usize,
    offset: u64,
}

/// Ranges of keys of sorted sources.
#[derive(Debug)]
pub struct Cuts {
    /// For each bound of a range, from the beginning of all sources to their ends, the byte of each
    /// source at which it lies.
    pub bounds: Vec<Vec<u64>>,
    /// For each source, true if its last line lacks its end, which the output has.
    lack_ends: Vec<bool>,
}

impl Cuts {
    /// Cuts `places`, from `starts` on, into about `count` ranges. Returns `None` where sources
    /// cannot be cut: records are too long, or not in order.
    ///
    /// # Errors
    ///
    /// The errors of reading the sources.
    pub fn new<K: KeyEncoder>(
        merge: &MergeContext<'_, K>,
        places: &[SortedPlace],
        starts: &[Standing],
        count: usize,
    ) -> Result<Option<Self>> {
        let framing = merge.rules.framing;
        let open = |(place, start): (&SortedPlace, &Standing)| {
            Searched::open(place, start.offset, framing, merge.direct.input)
        };
        let sources: Vec<Searched> = places.iter().zip(starts).map(open).collect::<Result<_>>()?;
        let is_whole = |source: &Searched| match framing {
            Framing::Fixed(length) => (source.end - source.start).is_multiple_of(length as u64),
            _ => true,
        };
        if !sources.iter().all(is_whole) {
            return Ok(None);
        }
        let total: u64 = sources.iter().map(|source| source.end - source.start).sum();
        let samples = (SAMPLES * count as u64).min(SAMPLES_MAX).max(count as u64);
        let distance = (total / samples).max(DISTANCE_MIN);
        let sampled = each(&sources, |number, source| source.sample(framing, number, distance))?;
        let Some(sampled) = sampled.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let mut sampled: Vec<SampledRecord> = sampled.into_iter().flatten().collect();
        let place = |record: &SampledRecord| (record.source, record.offset);
        sampled.sort_by(|a, b| {
            merge.key.compare_from(&a.record, &b.record, 0).then(place(a).cmp(&place(b)))
        });
        let step = sampled.len().div_ceil(count).max(1);
        let cuts: Vec<&SampledRecord> = sampled.iter().skip(step).step_by(step).collect();
        let found = each(&sources, |number, source| {
            let position = |cut: &&SampledRecord| source.position(merge.key, framing, number, cut);
            cuts.iter().map(position).collect::<Result<Option<Vec<u64>>>>()
        })?;
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let are_sorted = found.iter().all(|positions| positions.is_sorted());
        if !are_sorted || !are_after_neighbours(merge.key, framing, &sources, &cuts)? {
            return Ok(None); // nor is the source
        }
        let inner = (0..cuts.len()).map(|cut| found.iter().map(|source| source[cut]).collect());
        let first = sources.iter().map(|source| source.start).collect();
        let last = sources.iter().map(|source| source.end).collect();
        let bounds = std::iter::once(first).chain(inner).chain([last]).collect();
        let lack_ends = sources.iter().map(|source| source.lacks_end).collect();
        Ok(Some(Self { bounds, lack_ends }))
    }

    /// Returns the number after the last range.
    pub fn end(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the bytes that all records before bound `number` have in the output.
    pub fn bytes_before(&self, number: usize) -> u64 {
        let last = &self.bounds[self.end()];
        let ends = self.bounds[number].iter().zip(last).zip(&self.lack_ends);
        ends.map(|((end, last), lacks_end)| end + u64::from(*lacks_end && end == last)).sum()
    }
}

/// Returns whether each cut comes after the record before it in its own source. Where it lies in
/// other sources, both neighbours were compared with it; in its own no comparison was needed.
fn are_after_neighbours<K: KeyEncoder>(
    key: &K,
    framing: Framing,
    sources: &[Searched],
    cuts: &[&SampledRecord],
) -> Result<bool> {
    for cut in cuts {
        let source = &sources[cut.source];
        let Some(before) = source.record_before(framing, cut.offset)? else { return Ok(false) };
        if key.compare_from(&before, &cut.record, 0).is_gt() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Does something with every source, with several at the same time.
fn each<T: Send>(
    sources: &[Searched],
    search: impl Fn(usize, &Searched) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let part = sources.len().div_ceil(SEARCHED_AT_ONCE).max(1);
    let search_part = |first: usize, part: &[Searched]| -> Result<Vec<T>> {
        (first..).zip(part).map(|(number, source)| search(number, source)).collect()
    };
    std::thread::scope(|scope| {
        let parts = sources.chunks(part).enumerate();
        let threads: Vec<_> = parts
            .map(|(number, part_sources)| {
                let search_part = &search_part;
                let work = move || search_part(number * part, part_sources);
                std::thread::Builder::new().name("cuts".to_owned()).spawn_scoped(scope, work)
            })
            .collect();
        let mut all = Vec::with_capacity(sources.len());
        for thread in threads {
            let thread = thread.map_err(|e| Error::io("start", Path::new("a thread"), e))?;
            let found = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.extend(found?);
        }
        Ok(all)
    })
}

impl Searched {
    /// Opens what is left of a source from byte `start` on.
    fn open(place: &SortedPlace, start: u64, framing: Framing, direct: Direct) -> Result<Self> {
        let (bytes, end) = match place {
            SortedPlace::Spilled(run) => {
                (SearchedBytes::Run(RunReader::open(run, Direct::Off)?), run.bytes)
            }
            _ => {
                let file = place.open_file(direct)?;
                let end = file.len();
                (SearchedBytes::File(file), end)
            }
        };
        let mut source = Self { bytes, start: start.min(end), end, lacks_end: false };
        if let (Some(line_end), true) = (framing.terminator(), source.start < end) {
            source.lacks_end = source.read(end - 1, 1)? != [line_end];
        }
        Ok(source)
    }

    /// Reads up to `bytes` bytes from byte `at` on, and what the end of the last line lacks.
    fn read(&self, at: u64, bytes: u64) -> Result<Vec<u8>> {
        let bytes = (self.end - at).min(bytes) as usize;
        match &self.bytes {
            SearchedBytes::Run(run) => run.read(at, bytes),
            SearchedBytes::File(file) => {
                let mut window = vec![0; bytes];
                let read = file.read_at(&mut window, at)?;
                window.truncate(read);
                Ok(window)
            }
        }
    }

    /// Returns the first record that begins at byte `at` or after it, and where; `None` if it is
    /// not whole in a window.
    fn record_after(&self, framing: Framing, at: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let (begun, skipped) = match framing {
            Framing::Fixed(length) => {
                let passed = (at - self.start).next_multiple_of(length as u64);
                (self.start + passed, 0)
            }
            // It begins after the end of the one before.
            _ => (at.saturating_sub(1).max(self.start), u64::from(at > self.start)),
        };
        if begun >= self.end {
            return Ok(None);
        }
        let mut window = self.read(begun, WINDOW + skipped)?;
        if let (Some(end), true) = (framing.terminator(), self.lacks_end)
            && begun + window.len() as u64 == self.end
        {
            window.push(end);
        }
        let first = match (framing.terminator(), skipped) {
            (Some(end), 1) => memchr::memchr(end, &window).map(|at| at + 1),
            _ => Some(0),
        };
        let found = first.and_then(|first| {
            let length = framing.whole_length(&window[first..])?;
            (length <= RECORD_MAX).then_some(())?;
            Some((begun + first as u64, window[first..first + length].to_vec()))
        });
        Ok(found)
    }

    /// Returns the record that ends at byte `end`, where one begins; `None` if it is not whole in a
    /// window. At the start of the source, returns the next record instead.
    fn record_before(&self, framing: Framing, end: u64) -> Result<Option<Vec<u8>>> {
        if end <= self.start {
            return Ok(self.record_after(framing, end)?.map(|(_, record)| record));
        }
        let from = match framing {
            Framing::Fixed(length) => end - length as u64,
            _ => end.saturating_sub(WINDOW).max(self.start),
        };
        let mut window = self.read(from, end - from)?;
        if window.len() as u64 != end - from {
            return Ok(None); // it became shorter
        }
        let last = framing.last_start(&window);
        // Its beginning may lie before the window.
        let is_whole = last > 0 || from == self.start || framing.fixed_length().is_some();
        Ok(is_whole.then(|| window.split_off(last)))
    }

    /// Returns records about `distance` bytes apart; `None` where one is too long.
    fn sample(
        &self,
        framing: Framing,
        number: usize,
        distance: u64,
    ) -> Result<Option<Vec<SampledRecord>>> {
        let count = (self.end - self.start) / distance;
        let mut sampled = Vec::new();
        for place in 1..=count {
            let at = self.start + (self.end - self.start) / (count + 1) * place;
            let Some((offset, record)) = self.record_after(framing, at)? else { return Ok(None) };
            sampled.push(SampledRecord { record, source: number, offset });
        }
        Ok(Some(sampled))
    }

    /// Returns the byte at which `cut` lies in this source, which has number `number`; `None` where
    /// a record is too long.
    fn position<K: KeyEncoder>(
        &self,
        key: &K,
        framing: Framing,
        number: usize,
        cut: &SampledRecord,
    ) -> Result<Option<u64>> {
        if number == cut.source {
            return Ok(Some(cut.offset));
        }
        let is_before = |record: &[u8]| {
            let order = key.compare_from(record, &cut.record, 0);
            if number < cut.source { order.is_le() } else { order.is_lt() }
        };
        let (mut low, mut high) = (self.start, self.end);
        while high - low > WINDOW {
            let middle = low + (high - low) / 2;
            match self.record_after(framing, middle)? {
                Some((offset, record)) if offset < high => {
                    let end = (offset + record.len() as u64).min(self.end);
                    if is_before(&record) { low = end } else { high = offset }
                }
                _ => return Ok(None),
            }
        }
        let mut records = self.read(low, high - low)?;
        if records.len() as u64 != high - low {
            return Ok(None); // it became shorter
        }
        if high == self.end && self.lacks_end && low < high {
            records.extend(framing.terminator());
        }
        let passed = partition_point(framing, &records, is_before) as u64;
        Ok(Some((low + passed).min(self.end)))
    }
}
