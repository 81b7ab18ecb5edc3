//! Tracking of the place within a record, after any number of bytes that came in pieces.
//!
//! Lines tell by themselves where they end. Rows with quotes, records with prefixes and groups of
//! lines do not: it takes all bytes since the last place that is known. What a piece adds to that
//! is little, and a [`Tracker`] keeps it.

use std::path::PathBuf;

use super::csv::{self, Gap, Quoting};
use super::framing::{Framing, Passage};
use super::group::LineGroup;
use super::prefix::{PREFIX_MAX, Prefix};
use crate::error::{Error, Message, RecordPosition, Setting, message};
use crate::units::ByteSize;

/// Knows how far the record is that the last byte passed belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Tracker(TrackerState);

#[derive(Clone, Copy, Debug)]
enum TrackerState {
    /// Records of this length, and the bytes that have passed of the one begun.
    Fixed { length: usize, passed: usize },
    /// Records that end with this byte, and whether one has begun.
    Terminated { end: u8, has_begun: bool },
    /// Rows; whether one has begun, and the place in it.
    Quoted { quoting: Quoting, has_begun: bool, at: Gap },
    /// The prefix begun, and its bytes; then bytes of the record still to come.
    Prefixed { prefix: Prefix, begun: [u8; PREFIX_MAX], filled: usize, left: usize },
    /// Groups of lines; how many lines have ended of the one begun, and whether another has begun.
    Grouped { group: LineGroup, passed: usize, has_begun: bool },
}

/// Ends of records in a piece: after the first and after the last.
pub type Ends = Option<(usize, usize)>;

/// Fault of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFault {
    /// Offset in the piece where the record begins; 0 if the record began before the piece.
    pub at: usize,
    /// The fault of the record, and the remedy.
    pub message: Message,
    /// The least budget that has room for the record, where it lacks room.
    pub least: Option<ByteSize>,
}

impl RecordFault {
    /// Returns a fault of the form of a record that begins at byte `at`.
    pub fn new(at: usize, message: impl Into<Message>) -> Self {
        Self { at, message: message.into(), least: None }
    }

    /// Returns the error of the input at `path` whose record at `place`, in words and in numbers,
    /// this is.
    pub fn error(
        &self,
        path: PathBuf,
        place: &impl std::fmt::Display,
        position: RecordPosition,
    ) -> Error {
        let message = message!("{}: {}", place.to_string(), self.message).at(position);
        match self.least {
            Some(least) => Error::BudgetExceeded { path, message, least: Some(least) },
            None => Error::Malformed { path, message },
        }
    }
}

impl Tracker {
    /// Creates a tracker between records.
    pub fn new(framing: Framing) -> Self {
        Self(match framing {
            Framing::Fixed(length) => TrackerState::Fixed { length, passed: 0 },
            Framing::Terminated(end) => TrackerState::Terminated { end, has_begun: false },
            Framing::Quoted(quoting) => {
                TrackerState::Quoted { quoting, has_begun: false, at: Gap::Start }
            }
            Framing::Prefixed(prefix) => {
                TrackerState::Prefixed { prefix, begun: [0; PREFIX_MAX], filled: 0, left: 0 }
            }
            Framing::Grouped(group) => TrackerState::Grouped { group, passed: 0, has_begun: false },
        })
    }

    /// Passes a piece; where records end in it.
    ///
    /// # Errors
    ///
    /// A prefix that cannot be one.
    pub fn pass(&mut self, bytes: &[u8]) -> Result<Ends, RecordFault> {
        let framing = match self.0 {
            TrackerState::Quoted { quoting, .. } => Framing::Quoted(quoting),
            TrackerState::Grouped { group, .. } => Framing::Grouped(group),
            _ => return self.pass_known(bytes, &Passage::Any),
        };
        self.pass_known(bytes, &framing.passage(bytes))
    }

    /// Passes a piece whose effect is known: its [`passage`](Framing::passage).
    ///
    /// # Errors
    ///
    /// Those of [`pass`](Self::pass).
    pub fn pass_known(&mut self, bytes: &[u8], passage: &Passage) -> Result<Ends, RecordFault> {
        let Some(&last) = bytes.last() else { return Ok(None) };
        match &mut self.0 {
            TrackerState::Fixed { length, passed } => {
                let (first, before) = (*length - *passed, *passed + bytes.len());
                *passed = before % *length;
                Ok((first <= bytes.len()).then(|| (first, bytes.len() - *passed)))
            }
            TrackerState::Terminated { end, has_begun } => {
                *has_begun = last != *end;
                Ok(memchr::memchr(*end, bytes).map(|first| {
                    let last = memchr::memrchr(*end, bytes).unwrap_or(first);
                    (first + 1, last + 1)
                }))
            }
            TrackerState::Quoted { quoting, has_begun, at } => {
                let ends;
                (*at, ends) = match passage {
                    Passage::Rows(passage) => quoting.pass(bytes, *at, passage),
                    _ => quoting.pass(bytes, *at, &quoting.passage(bytes)),
                };
                *has_begun = *at == Gap::Quoted || last != csv::ROW_END;
                Ok(ends)
            }
            TrackerState::Prefixed { .. } => self.pass_prefixed(bytes),
            TrackerState::Grouped { group, passed, has_begun } => {
                let (lines, before) = (group.lines as usize, *passed);
                let ended = match passage {
                    Passage::Lines(ended) => *ended,
                    _ => group.count_lines(bytes),
                };
                *has_begun = last != group.end;
                *passed = (before + ended) % lines;
                if before + ended < lines {
                    return Ok(None);
                }
                let first = csv::nth_end(group.end, bytes, lines - before);
                Ok(first.map(|first| (first, group.last_end(bytes, *passed))))
            }
        }
    }

    fn pass_prefixed(&mut self, bytes: &[u8]) -> Result<Ends, RecordFault> {
        let TrackerState::Prefixed { prefix, begun, filled, left } = &mut self.0 else {
            return Ok(None);
        };
        let (mut at, mut ends) = (0, None);
        loop {
            if *left > 0 || *filled == prefix.bytes() {
                let taken = (*left).min(bytes.len() - at);
                (at, *left) = (at + taken, *left - taken);
                if *left > 0 {
                    return Ok(ends);
                }
                *filled = 0;
                ends = Some((ends.map_or(at, |(first, _)| first), at));
            }
            // Whole records are passed by their prefixes where these lie.
            while *filled == 0
                && let Some(length) = prefix.record_length(&bytes[at..])
                && length <= bytes.len() - at
            {
                at += length;
                ends = Some((ends.map_or(at, |(first, _)| first), at));
            }
            let taken = (prefix.bytes() - *filled).min(bytes.len() - at);
            begun[*filled..*filled + taken].copy_from_slice(&bytes[at..at + taken]);
            (at, *filled) = (at + taken, *filled + taken);
            if *filled < prefix.bytes() {
                return Ok(ends);
            }
            match prefix.record_length(&begun[..*filled]) {
                Some(length) => *left = length - prefix.bytes(),
                None => {
                    let message = prefix.fault(&begun[..*filled]).unwrap_or_default();
                    return Err(RecordFault::new(at - taken, message));
                }
            }
        }
    }

    /// Passes the end of an input, which the next one follows. Returns whether the last record
    /// lacks its end byte.
    ///
    /// # Errors
    ///
    /// A record that is cut off.
    pub fn pass_end(&mut self) -> Result<bool, Message> {
        let lacks_end = match &mut self.0 {
            TrackerState::Fixed { length, passed } => match std::mem::take(passed) {
                0 => false,
                passed => {
                    let left = format!("{passed} of {length} bytes");
                    return Err(format!("the last record is incomplete: there are {left}").into());
                }
            },
            TrackerState::Terminated { has_begun, .. } => std::mem::take(has_begun),
            TrackerState::Quoted { at: Gap::Quoted, quoting, .. } => {
                let is_lenient = matches!(quoting, Quoting::Lenient { .. });
                return Err(message!("the last row {}", csv::open_quote(is_lenient)));
            }
            TrackerState::Quoted { has_begun, .. } => std::mem::take(has_begun),
            TrackerState::Grouped { group, passed, has_begun } => {
                let lacks_end = std::mem::take(has_begun);
                let lines = std::mem::take(passed) + usize::from(lacks_end);
                if lines % group.lines as usize > 0 {
                    let of = group.lines;
                    return Err(message!(
                        "the last record is incomplete: it has {} of {} lines; check the number \
                         of lines in {}",
                        lines,
                        of,
                        Setting::Format,
                    ));
                }
                lacks_end
            }
            TrackerState::Prefixed { prefix, filled, left, .. } => match (*filled, *left) {
                (0, _) => false,
                (filled, _) if filled < prefix.bytes() => {
                    let of = prefix.bytes();
                    return Err(format!(
                        "the input ends within a length field: {filled} of {of} bytes"
                    )
                    .into());
                }
                (_, left) => {
                    return Err(
                        format!("the last record is incomplete: {left} bytes are missing").into()
                    );
                }
            },
        };
        Ok(lacks_end)
    }
}

#[cfg(test)]
mod tests;
