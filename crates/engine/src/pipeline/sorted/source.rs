//! One sorted input as a stream of records: the one that is next, and a window of what follows.
//!
//! ```text
//!     window   |..taken..|record|.......whole records.......|begun|.......free......|
//!                        start  start + length                    end
//! ```
//!
//! When no whole record is left, what has begun moves to the front and more is read after it. A
//! record that fills the window makes it grow, out of the job's spare memory, until it is gone: by
//! as little as a piece at a time, since what it gains here others lack.

use std::cmp::Ordering;
use std::path::Path;

use memchr::memchr_iter;

use super::feed::{Feed, Reading};
use super::kept::{Guard, Kept};
use super::place::Standing;
use crate::error::{Error, Message, RecordPosition, Result, Setting, message};
use crate::format::{Framing, RecordFault, Tracker};
use crate::io::ElasticRegion;
use crate::key::{KeyEncoder, KeyTally};
use crate::pipeline::record_place::{PrecedingCounts, RecordPlace};
use crate::pipeline::{Gate, Passed};
use crate::proof::Sum;
use crate::units::ByteSize;

/// A sorted input that is being read.
#[derive(Debug)]
pub struct Source {
    reading: Reading,
    framing: Framing,
    window: ElasticRegion,
    /// Bytes that the window has when no record is too long for it.
    window_bytes: usize,
    /// Most bytes that it may have: no record is longer.
    window_max: usize,
    /// Start of the next record in the window.
    start: usize,
    /// Bytes of the next record; zero before the first and after the last.
    length: usize,
    /// The search for the end of a long record after the next one, and how many of its bytes were
    /// searched.
    begun: Option<(Tracker, usize)>,
    /// End of the bytes that were read.
    end: usize,
    /// Key prefix of the next record; the largest prefix if there is no record.
    prefix: u64,
    /// Offset of the next record in the input.
    offset: u64,
    /// Number of the next record, from 1.
    number: u64,
    /// Lines above the first record, where every record has the same number of them.
    lines_above: u64,
    /// Count of all records so far, and their checksum where that is wanted.
    sum: Sum,
    is_summed: bool,
    /// Counts about the keys so far, if they are watched.
    keys: Option<KeyTally>,
    /// Conditions on records, if any.
    watch: Option<Watch>,
    /// True if the next record takes part.
    is_wanted: bool,
    /// Rows so far that were left out for the number of their cells.
    ragged: u64,
    /// Number of the record before the next one, of those that were not left out.
    number_before: u64,
}

/// Looks at every record.
#[derive(Debug)]
struct Watch {
    gate: Gate,
    /// Line feeds before the next record.
    lines: u64,
}

/// Result of advancing to the next record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// There is one.
    Next,
    /// No record is left.
    Over,
    /// There is one, and it belongs before the one before it.
    Disorder,
}

impl Source {
    /// Returns a source before its first record, with a window of `window_bytes`.
    pub fn new(
        reading: Reading,
        framing: Framing,
        window_bytes: usize,
        is_summed: bool,
    ) -> Result<Self> {
        let window_max = reading.longest_bytes().map_or(usize::MAX, |most| most.max(window_bytes));
        Ok(Self {
            window: ElasticRegion::new(window_bytes)?,
            reading,
            framing,
            window_bytes,
            window_max,
            start: 0,
            length: 0,
            begun: None,
            end: 0,
            prefix: u64::MAX,
            offset: 0,
            number: 0,
            lines_above: 0,
            sum: Sum::default(),
            is_summed,
            keys: None,
            watch: None,
            is_wanted: true,
            ragged: 0,
            number_before: 0,
        })
    }

    /// Returns this source, set to read from `standing`.
    #[must_use]
    pub fn at(mut self, standing: Standing) -> Self {
        (self.offset, self.number) = (standing.offset, standing.records);
        let lines = self.framing.lines_of(standing.records).unwrap_or(0);
        self.lines_above = standing.lines.saturating_sub(lines);
        self.watch.iter_mut().for_each(|watch| watch.lines = standing.lines);
        self
    }

    /// Returns this source, with `bytes` as the limit of its records, if there is one.
    #[must_use]
    pub fn limited_to(mut self, bytes: Option<usize>) -> Self {
        self.window_max = bytes.map_or(self.window_max, |bytes| self.window_max.min(bytes));
        self
    }

    /// Returns the source with a check of its records and their keys.
    #[must_use]
    pub fn with_gate<K: KeyEncoder>(mut self, gate: Option<&Gate>, key: &K) -> Self {
        self.keys = gate.filter(|_| key.is_watched()).map(|_| KeyTally::default());
        let gate = gate.filter(|gate| !gate.is_open(key));
        self.watch = gate.map(|gate| Watch { gate: gate.clone(), lines: 0 });
        self
    }

    /// Returns the next record; empty if there is no record.
    #[inline]
    pub fn record(&self) -> &[u8] {
        &self.window[self.start..self.start + self.length]
    }

    /// Returns its key prefix; the largest prefix if there is no record.
    #[inline]
    pub fn prefix(&self) -> u64 {
        self.prefix
    }

    /// Returns whether there is a next record.
    #[inline]
    pub fn has_record(&self) -> bool {
        self.length > 0
    }

    /// Returns whether the next record takes part. Merges have no conditions.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Returns the next record's number, from 1, and where it begins in the input.
    pub fn place(&self) -> (u64, u64) {
        (self.number, self.offset)
    }

    /// Returns the number of the record before the next one, of those that were not left out.
    pub fn number_before(&self) -> u64 {
        self.number_before
    }

    /// Returns how many rows so far were left out for the number of their cells.
    pub fn ragged(&self) -> u64 {
        self.ragged
    }

    /// Returns where it is, before the next record.
    pub fn standing(&self) -> Standing {
        let records = self.number - u64::from(self.has_record());
        let end = self.framing.line_end();
        let counted = |watch: &Watch| watch.lines - memchr_iter(end, self.record()).count() as u64;
        let lines = match self.framing.lines_of(records) {
            Some(lines) => self.lines_above + lines,
            None => self.watch.as_ref().map_or(0, counted),
        };
        Standing { offset: self.offset, records, lines }
    }

    /// Returns the average bytes of the next record and of those that the window holds after it.
    pub fn average_ahead(&self) -> usize {
        let ahead = &self.window[self.start..self.end];
        let whole = self.framing.whole_bytes(ahead).max(self.length);
        whole / self.framing.count(&ahead[..whole]).max(1)
    }

    /// Returns the name of the input.
    pub fn name(&self) -> &Path {
        self.reading.name()
    }

    /// Returns the sum of the records so far that take part, the next one included.
    pub fn sum(&self) -> Sum {
        self.sum
    }

    /// Returns the sum of the records so far that take part, without the next one.
    pub fn sum_before(&self) -> Sum {
        let mut next = Sum::default();
        if self.has_record() && self.is_wanted {
            next.count(self.record(), self.is_summed);
        }
        self.sum.less(next)
    }

    /// Returns what was seen of the keys of the records so far, the next one included.
    pub fn keys(&self) -> KeyTally {
        self.keys.clone().unwrap_or_default()
    }

    /// Returns what was seen of keys without counting the next record.
    pub fn keys_before<K: KeyEncoder>(&self, key: &K) -> KeyTally {
        let (mut keys, mut next) = (self.keys(), KeyTally::default());
        if self.has_record() && self.is_wanted && self.keys.is_some() {
            key.tally(self.record().into(), self.prefix, &mut next);
            keys.forget(&next);
        }
        keys
    }

    /// Copies the next record to `place`, which grows out of spare memory.
    pub fn keep(&self, place: &mut Kept, feed: &mut Feed<'_>) -> Result<()> {
        let record = self.record();
        match place.copy(record, feed)? {
            true => Ok(()),
            false => Err(too_long(self.name(), self.number, self.offset, record.len())),
        }
    }

    /// Gives its memory back.
    pub fn close(self, feed: &mut Feed<'_>) -> Result<()> {
        feed.shrink(self.window.len() - self.window_bytes);
        self.reading.close(feed)
    }

    /// Advances to the next record; the first call goes to the first one.
    pub fn advance<K: KeyEncoder>(
        &mut self,
        key: &K,
        feed: &mut Feed<'_>,
        guard: Option<&mut Guard>,
    ) -> Result<Advance> {
        let (before, is_first) = (self.prefix, self.length == 0);
        let previous = self.start..self.start + self.length;
        self.number_before = self.number;
        let Some(guard) = guard.filter(|_| !is_first) else {
            return self.go_on_to_next(key, feed);
        };
        // Rows that are left out may lie between the two.
        let drops = self.watch.as_ref().is_some_and(|watch| watch.gate.drops_ragged());
        let is_inside = !drops && self.length_behind().is_some();
        if !is_inside {
            self.keep(&mut guard.before, feed)?;
        }
        let step = self.go_on_to_next(key, feed)?;
        if step == Advance::Over {
            return Ok(step);
        }
        let order = before.cmp(&self.prefix).then_with(|| {
            let previous = if is_inside { &self.window[previous] } else { guard.before.record() };
            key.compare_from(previous, self.record(), 1)
        });
        let is_disorder = order == Ordering::Greater || guard.is_strict && order.is_eq();
        Ok(if is_disorder { Advance::Disorder } else { step })
    }

    /// Advances to the next record that is not left out for the number of its cells.
    #[inline]
    fn go_on_to_next<K: KeyEncoder>(&mut self, key: &K, feed: &mut Feed<'_>) -> Result<Advance> {
        loop {
            self.go_on(feed)?;
            if let Some(step) = self.arrive(key)? {
                return Ok(step);
            }
        }
    }

    /// Takes in the next record, if there is one; `None` where it is left out for the number of its
    /// cells.
    #[inline]
    fn arrive<K: KeyEncoder>(&mut self, key: &K) -> Result<Option<Advance>> {
        if self.length == 0 {
            self.prefix = u64::MAX;
            return self.reading.check_records(self.number).map(|()| Some(Advance::Over));
        }
        self.number += 1;
        let record = &self.window[self.start..self.start + self.length];
        if let Some(watch) = &mut self.watch {
            let (name, framing) = (self.reading.name(), self.framing);
            let passed = watch.look(key, framing, record).map_err(|fault| {
                let (records, bytes) = (Some(self.number - 1), self.offset);
                let before = PrecedingCounts { records, lines: watch.lines, bytes };
                let place = RecordPlace { before, framing };
                fault.error(name.to_owned(), &place, place.position())
            })?;
            self.is_wanted = passed.shown > 0;
            self.ragged += passed.ragged;
            if passed.ragged > 0 {
                return Ok(None);
            }
        }
        self.prefix = key.word(record, 0);
        if let Some(keys) = self.keys.as_mut().filter(|_| self.is_wanted) {
            key.tally(record.into(), self.prefix, keys);
        }
        if self.is_wanted {
            self.sum.count(record, self.is_summed);
        }
        Ok(Some(Advance::Next))
    }

    /// Passes the next record and finds the one after it.
    #[inline]
    fn go_on(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        let length = match self.length_behind() {
            Some(length) => length,
            None => self.length_after_reading(feed)?,
        };
        self.start += self.length;
        self.offset += self.length as u64;
        (self.length, self.begun) = (length, None);
        Ok(())
    }

    /// Returns the bytes of the record after the next one, where the window holds all of it.
    #[inline]
    fn length_behind(&mut self) -> Option<usize> {
        let rest = &self.window[self.start + self.length..self.end];
        let length = if self.begun.is_none() { self.framing.whole_length(rest) } else { None };
        length.or_else(|| self.length_begun())
    }

    /// Returns the number of bytes of the record after the next one if it is longer than the first
    /// window. Bytes that were searched are not searched again.
    #[cold]
    fn length_begun(&mut self) -> Option<usize> {
        let rest = &self.window[self.start + self.length..self.end];
        // The beginning of a record with a prefix says where it ends.
        let is_prefixed = matches!(self.framing, Framing::Prefixed(_));
        let begins = rest.len() >= self.window_bytes && !is_prefixed;
        let begun = self.begun.take().or(begins.then(|| (Tracker::new(self.framing), 0)));
        let (mut tracker, searched) = begun?;
        let ends = tracker.pass(&rest[searched..]).ok()?;
        self.begun = Some((tracker, rest.len()));
        ends.map(|(first, _)| searched + first)
    }

    /// Reads on until the record after the next one is in the window, and returns its bytes; zero
    /// where the input ends. The next record is given up for it.
    #[cold]
    fn length_after_reading(&mut self, feed: &mut Feed<'_>) -> Result<usize> {
        self.start += self.length;
        self.offset += self.length as u64;
        self.length = 0;
        loop {
            let is_at_end = self.read_on(feed)?;
            if let Some(length) = self.length_behind() {
                return Ok(length);
            }
            let rest = &self.window[self.start..self.end];
            if let Some(message) = self.framing.fault(rest) {
                return Err(self.malformed(&message.into()));
            }
            if is_at_end {
                return self.last_length(feed);
            }
        }
    }

    /// Returns the error for the malformed record after the ones before.
    fn malformed(&self, message: &Message) -> Error {
        let Self { framing, number, offset, .. } = *self;
        let place = match framing.lines_of(number) {
            Some(lines) => {
                let lines = self.lines_above + lines;
                let before = PrecedingCounts { records: Some(number), lines, bytes: offset };
                RecordPlace { before, framing }.to_string()
            }
            None => format!("record {}, at offset {offset}", number + 1),
        };
        let path = self.reading.name().to_owned();
        let position = RecordPosition::new(number + 1, offset);
        Error::Malformed { path, message: message!("{}: {}", place, message).at(position) }
    }

    /// Reads more into the window; whether there is no more.
    fn read_on(&mut self, feed: &mut Feed<'_>) -> Result<bool> {
        if self.start > 0 {
            self.window.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let bytes = self.window.len();
        if self.end == bytes {
            self.grow(feed)?;
        } else if bytes > self.window_bytes && self.end < self.window_bytes {
            self.window.resize(self.window_bytes)?;
            feed.shrink(bytes - self.window_bytes);
        }
        let read = self.reading.read(&mut self.window[self.end..], feed)?;
        self.end += read;
        Ok(read == 0)
    }

    /// Makes the window longer, by as much as it was at first or as there is.
    fn grow(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        let bytes = self.window.len();
        let more = self.window_bytes.min(feed.spare_bytes()).min(self.window_max - bytes);
        if more == 0 {
            return Err(too_long(self.reading.name(), self.number + 1, self.offset, bytes));
        }
        self.window.resize(bytes + more)?;
        feed.grow(more);
        Ok(())
    }

    /// Returns the number of bytes of the last record, now that nothing follows: a line that lacks
    /// its end gets one.
    fn last_length(&mut self, feed: &mut Feed<'_>) -> Result<usize> {
        let left = self.end - self.start;
        match self.framing {
            _ if left == 0 => Ok(0),
            Framing::Fixed(length) => Err(Error::Malformed {
                path: self.reading.name().to_owned(),
                message: message!(
                    "ends in the middle of record {}, which begins at offset {}: {} bytes are \
                     left, and the record length is {}",
                    self.number + 1,
                    self.offset,
                    left,
                    length,
                )
                .at(RecordPosition::new(self.number + 1, self.offset)),
            }),
            framing => {
                let mut tracker = Tracker::new(framing);
                let rest = &self.window[self.start..self.end];
                let passed = tracker.pass(rest).map_err(|fault| fault.message);
                let lacks_end = passed.and_then(|_| tracker.pass_end());
                let lacks_end = lacks_end.map_err(|message| self.malformed(&message))?;
                let Some(end) = framing.terminator().filter(|_| lacks_end) else { return Ok(left) };
                if self.end == self.window.len() {
                    self.grow(feed)?;
                }
                self.window[self.end] = end;
                self.end += 1;
                Ok(left + 1)
            }
        }
    }
}

impl Watch {
    /// Looks at a record: counts it, if nothing is wrong with it.
    fn look<K: KeyEncoder>(
        &mut self,
        key: &K,
        framing: Framing,
        record: &[u8],
    ) -> std::result::Result<Passed, RecordFault> {
        let passed = self.gate.each(key, framing, record, |_, _, _| {})?;
        self.lines += memchr_iter(framing.line_end(), record).count() as u64;
        Ok(passed)
    }
}

fn too_long(path: &Path, number: u64, offset: u64, length: usize) -> Error {
    Error::BudgetExceeded {
        least: None,
        path: path.to_owned(),
        message: message!(
            "record {} at offset {} has {} or more, too many for the memory budget; give more \
             with {}",
            number,
            offset,
            ByteSize(length as u64),
            Setting::Memory,
        )
        .at(RecordPosition::new(number, offset)),
    }
}
