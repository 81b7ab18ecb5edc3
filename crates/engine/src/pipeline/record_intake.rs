//! Records as an intake. Loads of records of one length are as the plan divides them. Others are
//! cut by bytes: the next load begins with what a load leaves unfinished, and the memory is divided
//! between records and entries by the average length of records so far.
//!
//! A record that is too long for one of two loads gets the memory of both, and while it is there,
//! they do not take turns. Records after it are most likely as short as those before, so it does
//! not change their expected length. The first load of a stream gets the memory of both, too: the
//! stream may end within it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::PoisonError;

use memchr::memchr_iter;

use super::dealing::Dealing;
use super::intake::{Intake, ReadyLoad, sum_in};
use super::raw_load::{FilledLoad, RawLoad, RawLoadMemory};
use super::record_place::{PrecedingCounts, RecordPlace, count_before, length_at};
use super::sample::{ComingLoad, Sampler};
use super::stage::Worker;
use super::{InputStream, JobInput, Work};
use crate::error::{Error, Message, RecordPosition, Result, Setting, message};
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, Item, KeyedLoad};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::layout::PAGE;
use crate::load::{CarriedBytes, Cutter, InputPlace, LoadLayout};
use crate::plan::memory::LoadMemory;
use crate::plan::passes::larger_budget_mib;
use crate::plan::{LoadLimit, SpillReason};
use crate::proof::Sum;
use crate::units::ByteSize;

/// Number of bytes searched for the end of a record that no load can hold, to report its length.
const LOOKED_THROUGH_MAX: u64 = 1 << 30;

/// Most bytes of a span of a stream: half of a common second-level cache.
const STREAM_SPAN: usize = 1 << 20;

/// Records, on their way into memory.
pub struct RecordIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    cutter: Cutter,
    sampler: Sampler,
    /// Classifier of the records of the next load, if it was sampled.
    classifier: Option<Classifier>,
    /// Average bytes of a record, as far as they are known.
    average: usize,
    /// Bytes of the load before that the next begins with.
    tail: Range<usize>,
    /// Origins of the pieces of the tail, each with its first byte, counted over all pieces.
    origins: Vec<(usize, InputPlace)>,
    /// True if the next load gets the memory of all loads.
    needs_all: bool,
    /// Bytes of a record that a load in all memory had no room for beside entries: hardly any of
    /// these are planned for with it. Zero where there is no such record.
    long_bytes: usize,
    /// Layout of the load finished last, and the bytes of its records, by input.
    finished: (LoadLayout, Vec<Range<usize>>),
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
    /// Position for reporting malformed records: what the finished loads held of the stream that
    /// the next load begins with, and the bytes of all streams.
    passed: (PrecedingCounts, u64),
}

impl<'a, K: KeyEncoder> RecordIntake<'a, K> {
    /// Returns an intake that begins at `start`, with its first load sampled.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, start: InputPlace) -> Result<Self> {
        let cutter = Cutter::new(work.sources(), how.sort.framing, block_bytes(work)).at(start);
        let mut intake = Self {
            work,
            how,
            cutter,
            sampler: Sampler::new(work)?,
            classifier: None,
            average: work.record_length,
            tail: 0..0,
            origins: Vec::new(),
            needs_all: is_tried_whole(work),
            long_bytes: 0,
            finished: Default::default(),
            unused: None,
            passed: (PrecedingCounts::NOTHING, 0),
        };
        intake.prepare()?;
        Ok(intake)
    }

    /// Returns how `limit` bytes are divided for the next load.
    fn divide(&self, limit: usize) -> LoadMemory {
        let plan = &self.work.plan;
        let Some(external) = plan.external() else { return plan.load };
        if self.how.sort.framing.fixed_length().is_some() {
            return if self.needs_all { plan.sizes.load_within(limit) } else { plan.load };
        }
        let carried = self.tail.len();
        let limit = match self.needs_all {
            true => limit,
            false => limit.min(external.load_limit.max(4 * carried)),
        };
        let average = self.average.max(self.long_bytes);
        let mut memory = plan.sizes.of_lines(average, self.how.sort.buckets_max).load_within(limit);
        // What was carried has to fit, even if nothing more does. It was in a load as large as this
        // one, so that no less is left for entries than there was then. Where nothing was carried,
        // a page is read, and a terminator may follow it.
        let least = if carried == 0 { 2 * PAGE } else { carried.next_multiple_of(PAGE) + PAGE };
        memory.read_bytes = memory.read_bytes.max(least);
        memory.pool_bytes = limit - memory.read_bytes;
        memory
    }

    /// Returns the entries that the pool of a load of all input is made for. The room that a pool
    /// gives by its size alone is less if there are more buckets than chunks of entries, and a
    /// stream cannot be read again with another plan. Other pools have what their loads leave.
    fn planned_entries(&self, division: &LoadMemory) -> u64 {
        let is_planned = self.work.plan.is_one_pass() && self.how.sort.runs.is_none();
        if is_planned { u64::from(division.records_max) } else { 0 }
    }

    /// Decides on the memory of the next load after one that holds `bytes`. An unfinished record
    /// of half a load and more is likely to need more than one; and what a load in all memory has
    /// left may be more than half of it holds.
    fn make_room(&mut self, bytes: &[u8], is_stuck: bool) -> Result<()> {
        let (external, carried) = (self.work.plan.external(), self.tail.len());
        if is_stuck && self.is_over() {
            return Ok(()); // there was nothing more
        }
        if is_stuck {
            if external.is_none() || self.long_bytes > 0 {
                return Err(self.too_long()); // a record longer than the load, or no room for any
            }
            self.long_bytes = if self.needs_all { carried } else { 0 };
            self.needs_all = true;
            return Ok(());
        }
        let most = external.map_or(usize::MAX, |external| external.area_bytes / 2);
        let is_long =
            || carried - self.how.sort.framing.whole_bytes(&bytes[self.tail.clone()]) > most;
        let is_full = carried > most;
        (self.needs_all, self.long_bytes) = (is_full && (self.needs_all || is_long()), 0);
        Ok(())
    }

    /// Counts what a load that lies in `bytes` has taken of a stream, for the message about a
    /// record in a later one.
    fn count_passed(&mut self, bytes: &[u8], layout: &LoadLayout) {
        let JobInput::Stream(stream) = &self.work.input else { return };
        let framing = self.how.sort.framing;
        let is_sure = self.how.gate.is_none() && framing.is_local();
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let is_last = self.tail.is_empty() && stream.is_at_end();
        if framing.fixed_length().is_some() || is_sure || is_last {
            return;
        }
        let begin = layout.begin();
        let taken = &bytes[begin..self.tail.start.max(begin)];
        let (_, before) = self.place_in_stream(&stream, taken);
        self.passed = (before, self.passed.1 + taken.len() as u64);
    }

    /// Returns the stream of the byte after `taken`, where `taken` is all that a load has before
    /// that byte. Also returns what of that stream lies before the byte.
    fn place_in_stream(&self, stream: &InputStream, taken: &[u8]) -> (PathBuf, PrecedingCounts) {
        let (mut before, passed) = self.passed;
        let mut own = taken;
        let Some(begun) = stream.begun(passed + taken.len() as u64) else {
            return (stream.place().0, before);
        };
        if let Some(others) = begun.at.checked_sub(passed) {
            (before, own) = (begun.top, &taken[others as usize..]);
        }
        if !matches!(self.how.sort.framing, Framing::Prefixed(_)) {
            before.lines += memchr_iter(self.how.sort.framing.line_end(), own).count() as u64;
        }
        before.bytes += own.len() as u64;
        before.records = before.records.map(|all| all + self.how.sort.framing.count(own) as u64);
        (stream.name(begun), before)
    }

    /// Returns the record that a stream ends within, if all before it were dealt; the tail is what
    /// was not.
    fn cut_off(&self, bytes: &[u8], tail: &Range<usize>) -> Option<RecordFault> {
        let JobInput::Stream(stream) = &self.work.input else { return None };
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let message = stream.cut_off()?.clone();
        let has_whole = self.how.sort.framing.whole_bytes(&bytes[tail.clone()]) > 0;
        (!tail.is_empty() && !has_whole).then(|| RecordFault::new(tail.start, message))
    }

    /// Returns the error for a record that must not be, in a load that lies in `bytes`.
    fn malformed(&self, bytes: &[u8], layout: &LoadLayout, fault: &RecordFault) -> Error {
        let framing = self.how.sort.framing;
        let (path, before) = match &self.work.input {
            JobInput::Files(files) => {
                let InputPlace { source, offset } = layout.origin(fault.at);
                let file = &files[source];
                let start = self.work.header.sizes.get(source).map_or(0, |size| size.bytes);
                match count_before(file, framing, start, offset) {
                    Ok(before) => (file.path().to_owned(), before),
                    Err(e) => return e,
                }
            }
            JobInput::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(length) = framing.fixed_length() {
                    let offset = layout.origin(fault.at).offset;
                    let begun = stream.begun(offset);
                    let path = begun.map_or_else(|| stream.place().0, |begun| stream.name(begun));
                    let bytes = offset - begun.map_or(0, |begun| begun.at);
                    let records = Some(bytes / length as u64);
                    (path, PrecedingCounts { records, lines: 0, bytes })
                } else {
                    let begin = layout.begin();
                    let taken = &bytes[begin..fault.at.clamp(begin, bytes.len())];
                    self.place_in_stream(&stream, taken)
                }
            }
        };
        let place = RecordPlace { before, framing };
        fault.error(path, &place, place.position())
    }

    /// Returns the input of a record and the byte at which it begins there: `origin` in files, and
    /// `bytes_read` bytes before the place to which a stream was read.
    fn place_of(&self, origin: InputPlace, bytes_read: usize) -> (PathBuf, u64) {
        match &self.work.input {
            JobInput::Files(files) => (files[origin.source].path().to_owned(), origin.offset),
            JobInput::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                let (path, read) = stream.place();
                (path, read.saturating_sub(bytes_read as u64))
            }
        }
    }

    /// Returns the error for a record that no load can hold, of which the tail was read.
    fn too_long(&self) -> Error {
        let (held, origin, framing) = (self.tail.len(), self.place(), self.how.sort.framing);
        let (path, offset) = self.place_of(origin, held);
        let (what, check) = named(framing);
        let length = match &self.work.input {
            JobInput::Files(files) => {
                length_at(&files[origin.source], framing, offset, LOOKED_THROUGH_MAX).ok().flatten()
            }
            JobInput::Stream(_) => None,
        };
        let (size, least) = match length {
            Some(length) => {
                let plan = &self.work.plan;
                let least = self.work.least_budget_mib(length).max(larger_budget_mib(plan));
                (format!("{}, more than fits", ByteSize(length)), Some(least))
            }
            None => (format!("more than {}, the most that fits", ByteSize(held as u64)), None),
        };
        over_budget(path, offset, what, &format!("{size} in the memory budget"), &check, least)
    }
}

/// Returns the bytes of a span. What a stream brings is copied, and its records are then passed
/// several times: a span fits into a second-level cache, unless there would be too many of them.
fn block_bytes(work: &Work) -> usize {
    let plan = &work.plan;
    match work.input {
        JobInput::Stream(_) => plan.block_bytes.min(STREAM_SPAN.max(plan.block_least)),
        JobInput::Files(_) => plan.block_bytes,
    }
}

/// Returns whether the first load gets the memory of all loads. A stream of unknown length that
/// ends within it needs no runs.
fn is_tried_whole(work: &Work) -> bool {
    work.plan.external().is_some_and(|external| {
        let is_unknown = external.reason == SpillReason::UnknownLength;
        is_unknown && external.load_areas > 1 && external.load_reason == LoadLimit::Memory
    })
}

/// Returns what records are called, and what may be wrong where one is too long.
fn named(framing: Framing) -> (&'static str, Message) {
    let check = message!("check {}", Setting::Format);
    match framing {
        Framing::Quoted(_) => ("row", "look for an unclosed quote there".into()),
        Framing::Prefixed(_) | Framing::Grouped(_) => ("record", check),
        Framing::Terminated(_) | Framing::Fixed(_) => ("line", check),
    }
}

/// Returns the error for `what`, whose `size` is too much, at a byte of an input. A budget of
/// `least_mib` MiB would do, if that is known.
fn over_budget(
    path: PathBuf,
    offset: u64,
    what: &str,
    size: &str,
    check: &Message,
    least_mib: Option<u64>,
) -> Error {
    let wanted = least_mib.map_or_else(|| "more".into(), |mib| format!("at least {mib} MiB"));
    let message = message!(
        "the {} at byte {} has {}; give {} with {}, or {}",
        what,
        offset,
        size,
        wanted,
        Setting::Memory,
        check,
    )
    .at(RecordPosition { record: None, offset: Some(offset) });
    Error::BudgetExceeded { path, message, least: least_mib.map(ByteSize::mib) }
}

impl<'a, K: KeyEncoder> Intake for RecordIntake<'a, K> {
    type Raw = RawLoad<'a, K>;

    fn is_over(&self) -> bool {
        self.tail.is_empty() && (self.cutter.is_over() || self.work.is_stream_at_end())
    }

    fn begin(&mut self, mut memory: Region, before: Option<&[u8]>) -> Result<Self::Raw> {
        let division = self.divide(memory.len());
        let mut pool = memory.split_off(division.read_bytes);
        self.unused = Some(pool.split_off(division.pool_bytes));
        let capacity = match self.how.sort.item {
            Item::Entry | Item::WideEntry => division.read_bytes,
            Item::Record(_) => usize::MAX / 2, // read through buffers; the pool bounds the records
        };
        let tail = std::mem::take(&mut self.tail);
        let carry = CarriedBytes { bytes: tail.len(), origins: std::mem::take(&mut self.origins) };
        let layout = self.cutter.next_load(capacity, division.records_max, carry);
        let begin = layout.begin();
        match before {
            Some(before) => memory[begin..layout.start].copy_from_slice(&before[tail]),
            None => memory.copy_within(tail, begin),
        }
        let (classifier, workers) = (self.classifier.take(), self.work.plan.threads);
        let (block_bytes, planned) = (self.cutter.block(), self.planned_entries(&division));
        let memory = RawLoadMemory { records: memory, pool, block_bytes, planned };
        Ok(RawLoad::new(self.how, &self.work.input, layout, classifier, memory, workers))
    }

    fn place(&self) -> InputPlace {
        self.origins.first().map_or_else(|| self.cutter.place(), |(_, from)| *from)
    }

    /// Returns false in one pass, where nothing follows, and for streams, whose records are not
    /// known ahead.
    fn looks_ahead(&self) -> bool {
        let is_last = self.work.plan.is_one_pass() || self.cutter.is_over();
        !is_last && matches!(self.work.input, JobInput::Files(_))
    }

    fn prepare(&mut self) -> Result<()> {
        let JobInput::Files(files) = &self.work.input else { return Ok(()) };
        let bytes = self.work.plan.load.records_bytes.min(self.cutter.bytes_left());
        let load = ComingLoad { files, left: self.cutter.left(), bytes };
        let sort = &self.how.sort;
        let wanted = sort.buckets_wanted(bytes as usize, self.average);
        self.classifier = Some(self.sampler.classifier(sort, load, wanted)?);
        Ok(())
    }

    fn finish(
        &mut self,
        raw: Self::Raw,
        workers: &mut [Worker<'_>],
        before: Sum,
    ) -> Result<ReadyLoad> {
        let filled = raw.finish(workers, before);
        let FilledLoad { load, spare, layout, pieces, tail, fault, .. } = filled;
        let bytes = load.loaded_bytes().unwrap_or_default();
        if let Some(fault) = fault.or_else(|| self.cut_off(bytes, &tail)) {
            let end = pieces.last().map_or(0, |piece| piece.end);
            return Err(self.malformed(&bytes[..end], &layout, &fault));
        }
        (self.tail, self.origins) = (tail, filled.origins);
        self.count_passed(bytes, &layout);
        if !filled.is_stuck {
            self.average = usual_length(&load).unwrap_or(self.average);
        }
        self.make_room(bytes, filled.is_stuck)?;
        self.finished = (layout, pieces);
        let sum = sum_in(workers).less(before);
        let spare = spare.into_iter().chain(self.unused.take()).collect();
        let mut ready = ReadyLoad::new(load, sum, spare);
        ready.taken.ragged = filled.ragged;
        Ok(ready)
    }

    fn needs_all(&self) -> bool {
        self.needs_all
    }

    fn move_tail(&mut self, memory: &mut Region, start: usize) {
        memory.copy_within(start + self.tail.start..start + self.tail.end, 0);
        self.tail = 0..self.tail.len();
    }

    fn refuse_long(&mut self, ready: &ReadyLoad, most_bytes: u64, least_mib: u64) -> Result<()> {
        let bytes = ready.load.loaded_bytes().unwrap_or_default();
        let (layout, pieces) = &self.finished;
        let (what, check) = named(self.how.sort.framing);
        let record = longest_record(bytes, pieces, self.how.sort.framing);
        let read = pieces.last().map_or(0, |last| last.end) - record.start;
        let (path, offset) = self.place_of(layout.origin(record.start), read);
        let size = format!(
            "{}, and {what}s of more than {} cannot be merged within the memory budget",
            ByteSize(record.len() as u64),
            ByteSize(most_bytes),
        );
        Err(over_budget(path, offset, what, &size, &check, Some(least_mib)))
    }
}

/// Returns the longest record, the first of several, of the inputs that lie in these `pieces` of
/// `bytes`.
fn longest_record(bytes: &[u8], pieces: &[Range<usize>], framing: Framing) -> Range<usize> {
    let mut longest = 0..0;
    for piece in pieces {
        let mut begun = piece.start;
        while let Some(length) = framing.whole_length(&bytes[begun..piece.end]) {
            if length > longest.len() {
                longest = begun..begun + length;
            }
            begun += length;
        }
    }
    longest
}

/// Returns the number of bytes of a record, on average, leaving out the longest; `None` where there
/// is no other.
fn usual_length(load: &KeyedLoad) -> Option<usize> {
    let others = load.records().checked_sub(1).filter(|others| *others > 0)?;
    Some(((load.bytes() - load.longest_bytes()) / others).max(1) as usize)
}

#[cfg(test)]
mod tests;
