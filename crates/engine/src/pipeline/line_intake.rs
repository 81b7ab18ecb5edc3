//! Lines as an intake: loads are cut by bytes, what one leaves unfinished the next begins with, and
//! the memory is divided between lines and entries by how long lines turn out to be.
//!
//! A line that is too long for one of two loads gets the memory of both, and while it is there,
//! they do not take turns. Lines after it are as short as those before, most likely: so it does
//! not change what lines are expected to be on average.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use memchr::memchr_iter;

use super::dealing::Dealing;
use super::intake::{Intake, Ready, sum_in};
use super::lines::{FilledLines, RawLines};
use super::long_lines::{longest_line, place_in_input};
use super::record_place::{Before, RecordPlace, count_before, length_at};
use super::sample::{LineSampler, Lines};
use super::stage::Worker;
use super::{Input, Stream, Work};
use crate::error::{Error, Result, Setting, message};
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, KeyedLoad, Pool};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::layout::PAGE;
use crate::load::lines::{LineCutter, LineLayout};
use crate::manifest::InputPlace;
use crate::plan::memory::LoadMemory;
use crate::plan::passes::{larger_budget_mib, least_budget_mib};
use crate::proof::Sum;
use crate::units::ByteSize;

/// Number of bytes searched for the end of a line that no load can hold, to report its length.
const LOOKED_THROUGH_MAX: u64 = 1 << 30;

/// Part of the memory that a load gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Memory of one of two loads that take turns, or of the only load.
    Half,
    /// Memory of all loads.
    All,
    /// Memory of all loads, with hardly any for entries: for a line that is nearly as long.
    AllForBytes,
}

/// Lines, on their way into memory.
pub struct LineIntake<'a, K> {
    work: &'a Work,
    how: &'a Dealing<'a, K>,
    cutter: LineCutter,
    sampler: LineSampler,
    /// Classifier of the lines of the next load, if it was sampled.
    classifier: Option<Classifier>,
    /// Average bytes of a line, as far as they are known.
    average: usize,
    /// Pieces of the load before that the next begins with.
    tail: Vec<Range<usize>>,
    /// Places of these pieces in the inputs, each with its first byte, counted over all pieces.
    tail_places: Vec<(usize, InputPlace)>,
    /// Places in the inputs of the pieces that the load being filled begins with.
    carried_places: Vec<(usize, InputPlace)>,
    /// Part of the memory that the next load gets.
    room: Room,
    /// Layout of the load finished last, and the end of its bytes.
    finished: (LineLayout, usize),
    /// Memory that the load being filled does not use.
    unused: Option<Region>,
    /// Position for reporting malformed records: what the finished loads held of the stream that
    /// the next load begins with, and the bytes of all streams.
    passed: (Before, u64),
}

impl<'a, K: KeyEncoder> LineIntake<'a, K> {
    /// Returns an intake that begins at `start`, with its first load sampled.
    pub fn new(work: &'a Work, how: &'a Dealing<'a, K>, start: InputPlace) -> Result<Self> {
        let cutter = LineCutter::new(work.line_sources(), work.plan.block_bytes);
        let cutter = cutter.at(start.source, start.offset);
        let mut intake = Self {
            work,
            how,
            cutter,
            sampler: LineSampler::new(work.engine)?,
            classifier: None,
            average: work.record_length,
            tail: Vec::new(),
            tail_places: Vec::new(),
            carried_places: Vec::new(),
            room: Room::Half,
            finished: (LineLayout::default(), 0),
            unused: None,
            passed: (Before::NOTHING, 0),
        };
        intake.look_at_first()?;
        intake.prepare()?;
        Ok(intake)
    }

    /// Shows the sampler the first records of the first file that has some.
    fn look_at_first(&mut self) -> Result<()> {
        let Input::Files(files) = &self.work.input else { return Ok(()) };
        let sources = self.work.line_sources();
        let mut filled = files.iter().zip(&sources);
        match filled.find(|(file, source)| file.len() > source.skip) {
            Some((file, source)) => self.sampler.look_at(file, source.skip, self.how.framing),
            None => Ok(()),
        }
    }

    /// Returns how `limit` bytes are divided for a load that begins with `carried` bytes.
    fn divide(&self, limit: usize, carried: usize) -> LoadMemory {
        if self.work.plan.is_one_pass {
            return self.work.plan.load;
        }
        let (average, limit) = match self.room {
            Room::AllForBytes => (self.average.max(carried), limit),
            Room::All => (self.average, limit),
            Room::Half => (self.average, limit.min(self.work.plan.load_limit.max(4 * carried))),
        };
        let sizes = self.work.plan.sizes.of_lines(average, self.how.buckets_max);
        let mut memory = sizes.load_within(limit);
        // What was carried has to fit, even if nothing more does. It was in a load as large as this
        // one, so that no less is left for entries than there was then.
        memory.read_bytes = memory.read_bytes.max(carried.next_multiple_of(PAGE) + PAGE);
        memory.pool_bytes = limit - memory.read_bytes;
        memory
    }

    /// Returns where in the inputs the byte at `location` of the load being finished is from.
    fn place_of(&self, location: usize, layout: &LineLayout) -> InputPlace {
        if let Some((source, offset)) = layout.place(location) {
            return InputPlace { source, offset };
        }
        let carried = location + layout.carried - layout.start;
        let behind = self.carried_places.partition_point(|(at, _)| *at <= carried);
        let piece = behind.checked_sub(1).and_then(|before| self.carried_places.get(before));
        let Some((at, from)) = piece else { unreachable!("what was carried came from somewhere") };
        InputPlace { offset: from.offset + (carried - at) as u64, ..*from }
    }

    /// Returns the number of bytes that the next load begins with.
    fn carried(&self) -> usize {
        self.tail.iter().map(ExactSizeIterator::len).sum()
    }

    /// Returns what the next load gets, given what it begins with, which lies in `bytes`. An
    /// unfinished line of half a load and more is likely to need more than one; and what a load in
    /// all memory has left may be more than half of it holds.
    fn room_for_tail(&self, bytes: &[u8]) -> Room {
        let unfinished = |piece: &Range<usize>| {
            piece.len() - self.how.framing.whole_bytes(&bytes[piece.clone()])
        };
        let most = self.work.plan.slab_bytes / 2;
        if self.work.plan.is_one_pass || self.carried() <= most {
            return Room::Half;
        }
        let is_long = self.tail.last().map_or(0, unfinished) > most;
        if is_long || self.room != Room::Half { Room::All } else { Room::Half }
    }

    fn ready(
        &mut self,
        load: KeyedLoad,
        pool: Arc<Pool>,
        workers: &[Worker<'_>],
        before: Sum,
    ) -> Ready {
        let sum = sum_in(workers).less(before);
        let spare = self.unused.take().into_iter().collect();
        Ready::new(load, sum, pool, spare)
    }

    /// Counts what a load has taken of a stream, for the message about a record in a later one.
    fn count_passed(
        &mut self,
        load: &KeyedLoad,
        tail: &[Range<usize>],
        (layout, end): (&LineLayout, usize),
    ) {
        let framing = self.how.framing;
        let Input::Stream(stream) = &self.work.input else { return };
        if self.how.gate.is_none() && framing.is_local() {
            return;
        }
        let bytes = load.loaded_bytes().unwrap_or_default();
        let left: usize = tail.iter().map(ExactSizeIterator::len).sum();
        let begun = layout.start - layout.carried;
        let taken = &bytes[begun..end.min(bytes.len()).saturating_sub(left).max(begun)];
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, before) = self.place_in_stream(&stream, taken);
        self.passed = (before, self.passed.1 + taken.len() as u64);
    }

    /// Returns the stream of the byte after `taken`, where `taken` is all that a load has before
    /// that byte. Also returns what of that stream lies before the byte.
    fn place_in_stream(&self, stream: &Stream, taken: &[u8]) -> (PathBuf, Before) {
        let (mut before, passed) = self.passed;
        let mut own = taken;
        let Some(begun) = stream.begun(passed + taken.len() as u64) else {
            return (stream.place().0, before);
        };
        if let Some(others) = begun.at.checked_sub(passed) {
            (before, own) = (begun.top, &taken[others as usize..]);
        }
        before.lines += memchr_iter(self.how.framing.line_end(), own).count() as u64;
        before.bytes += own.len() as u64;
        before.records = before.records.map(|all| all + self.how.framing.count(own) as u64);
        (stream.name(begun), before)
    }

    /// Returns the record that a stream ends within, if all before it were dealt; the tail is what
    /// was not.
    fn cut_off(&self, bytes: &[u8], tail: &[Range<usize>]) -> Option<RecordFault> {
        let Input::Stream(stream) = &self.work.input else { return None };
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let (message, left) = (stream.cut_off()?.clone(), tail.last()?);
        let has_whole = self.how.framing.whole_bytes(&bytes[left.clone()]) > 0;
        (!has_whole).then(|| RecordFault::new(left.start, message))
    }

    /// Returns the error for a record that must not be, in a load that lies in `bytes`.
    fn malformed(&self, bytes: &[u8], layout: &LineLayout, fault: &RecordFault) -> Error {
        let framing = self.how.framing;
        let (path, before) = match &self.work.input {
            Input::Files(files) => {
                let (source, offset) = place_in_input(fault.at, layout);
                let file = &files[source];
                let start = self.work.header.sizes.get(source).map_or(0, |size| size.bytes);
                match count_before(file, framing, start, offset) {
                    Ok(before) => (file.path().to_owned(), before),
                    Err(e) => return e,
                }
            }
            Input::Stream(stream) => {
                let begun = layout.start - layout.carried;
                let taken = &bytes[begun..fault.at.clamp(begun, bytes.len())];
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                self.place_in_stream(&stream, taken)
            }
        };
        fault.error(path, &RecordPlace { before, framing })
    }

    /// Returns the error for a line that no load can hold, of which `held` bytes were read.
    fn too_long(&self, held: usize) -> Error {
        // A load without a line end holds bytes of one line alone, and all inputs before end with
        // one: the line begins so many bytes before the place that reading has come to.
        let (file, (path, read)) = match &self.work.input {
            Input::Files(files) => {
                let (source, offset) = self.cutter.place();
                let file = &files[source];
                (Some(file), (file.path().to_owned(), offset))
            }
            Input::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                (None, stream.place())
            }
        };
        let (what, check) = match self.how.framing {
            Framing::Quoted(_) => ("row", "look for an unclosed quote there".into()),
            Framing::Prefixed(_) | Framing::Grouped(_) => {
                ("record", message!("check {}", Setting::Format))
            }
            Framing::Terminated(_) | Framing::Fixed(_) => {
                ("line", message!("check {}", Setting::Format))
            }
        };
        let offset = read - held as u64;
        let length = |file| length_at(file, self.how.framing, offset, LOOKED_THROUGH_MAX).ok()?;
        let (message, least) = match file.and_then(length) {
            Some(length) => {
                let keeps_one = self.work.select.groups();
                let plan = &self.work.plan;
                let least = least_budget_mib(plan, &[length; 2], keeps_one);
                let least = least.max(larger_budget_mib(plan));
                let message = message!(
                    "the {} at byte {} has {}, more than fits in the memory budget; give at least \
                     {} MiB with {}, or {}",
                    what,
                    offset,
                    ByteSize(length),
                    least,
                    Setting::Memory,
                    check,
                );
                (message, Some(ByteSize::mib(least)))
            }
            None => {
                let message = message!(
                    "the {} at byte {} has more than {}, the most that fits in the memory budget; \
                     give more with {}, or {}",
                    what,
                    offset,
                    ByteSize(held as u64),
                    Setting::Memory,
                    check,
                );
                (message, None)
            }
        };
        Error::BudgetExceeded { path, message, least }
    }
}

impl<'a, K: KeyEncoder> Intake for LineIntake<'a, K> {
    type Raw = RawLines<'a, K>;

    fn is_over(&self) -> bool {
        self.tail.is_empty() && (self.cutter.is_over() || self.work.is_stream_at_end())
    }

    fn begin(&mut self, mut memory: Region, before: Option<&[u8]>) -> Result<Self::Raw> {
        let carried = self.carried();
        let division = self.divide(memory.len(), carried);
        let mut pool = memory.split_off(division.read_bytes);
        self.unused = Some(pool.split_off(division.pool_bytes));
        let layout = self.cutter.next_load(division.read_bytes, carried);
        let mut place = layout.start - carried;
        self.carried_places = std::mem::take(&mut self.tail_places);
        for piece in self.tail.drain(..) {
            let length = piece.len();
            match before {
                Some(before) => memory[place..place + length].copy_from_slice(&before[piece]),
                None => memory.copy_within(piece, place),
            }
            place += length;
        }
        let planned = (layout, self.classifier.take());
        let threads = self.work.plan.threads;
        let (input, memory) = (&self.work.input, (memory, pool));
        Ok(RawLines::new(self.how, input, planned, memory, threads))
    }

    fn place(&self) -> InputPlace {
        let (source, offset) = self.cutter.place();
        self.tail_places.first().map_or(InputPlace { source, offset }, |(_, from)| *from)
    }

    /// Returns false in one pass, where nothing follows, and for streams, whose lines are not known
    /// ahead.
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
        let FilledLines { load, pool, tail, layout, end, is_stuck, ragged, fault } =
            raw.finish(workers, before);
        let cut_off = || self.cut_off(load.loaded_bytes().unwrap_or_default(), &tail);
        if let Some(fault) = fault.or_else(cut_off) {
            let bytes = load.loaded_bytes().unwrap_or_default();
            return Err(self.malformed(&bytes[..end.min(bytes.len())], &layout, &fault));
        }
        self.count_passed(&load, &tail, (&layout, end));
        let mut passed = 0;
        let places = tail.iter().map(|piece| {
            let from = self.place_of(piece.start, &layout);
            passed += piece.len();
            (passed - piece.len(), from)
        });
        self.tail_places = places.collect();
        (self.tail, self.finished) = (tail, (layout, end));
        if !is_stuck {
            self.average = usual_length(&load).unwrap_or(self.average);
            self.room = self.room_for_tail(load.loaded_bytes().unwrap_or_default());
        } else if !self.is_over() {
            // A line longer than the load.
            self.room = match self.room {
                _ if self.work.plan.is_one_pass => return Err(self.too_long(self.carried())),
                Room::Half => Room::All,
                Room::All => Room::AllForBytes,
                Room::AllForBytes => return Err(self.too_long(self.carried())),
            };
        }
        let mut ready = self.ready(load, pool, workers, before);
        ready.taken.ragged = ragged;
        Ok(ready)
    }

    fn needs_all(&self) -> bool {
        self.room != Room::Half
    }

    fn gather_tail(&mut self, memory: &mut Region, start: usize) {
        let mut place = 0;
        // Pieces lie in ascending order, none before its place.
        for piece in &self.tail {
            memory.copy_within(start + piece.start..start + piece.end, place);
            place += piece.len();
        }
        self.tail = (place > 0).then_some(0..place).into_iter().collect();
    }

    fn too_long_to_merge(&self, ready: &Ready, most_bytes: u64, least_mib: u64) -> Error {
        let bytes = ready.load.loaded_bytes().unwrap_or_default();
        let (layout, end) = &self.finished;
        let line = longest_line(&bytes[..(*end).min(bytes.len())], layout, self.how.framing);
        let (path, offset) = match &self.work.input {
            Input::Files(files) => (files[line.source].path().to_owned(), line.offset),
            Input::Stream(stream) => {
                // What a stream yields is not what was asked for; but it was read up to here.
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                let (path, read) = stream.place();
                (path, read.saturating_sub((end - line.at) as u64))
            }
        };
        let (most, length) = (ByteSize(most_bytes), ByteSize(line.length as u64));
        let message = message!(
            "the line at byte {} has {}, and lines of more than {} cannot be merged within the \
             memory budget; give at least {} MiB with {}, or check {}",
            offset,
            length,
            most,
            least_mib,
            Setting::Memory,
            Setting::Format,
        );
        let least = Some(ByteSize::mib(least_mib));
        Error::BudgetExceeded { path, message, least }
    }
}

/// Returns the number of bytes of a line, on average, leaving out the longest; `None` where there
/// is no other.
fn usual_length(load: &KeyedLoad) -> Option<usize> {
    let others = load.records().checked_sub(1).filter(|others| *others > 0)?;
    Some(((load.bytes() - load.longest_bytes()) / others).max(1) as usize)
}
