//! Standard input as a source of records: in order, of a length nobody knows beforehand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::heading::{Heading, Top, TopSize};
use super::names::Names;
use super::record_place::PrecedingCounts;
use crate::error::{Error, Message, RecordPosition, Result, message};
use crate::format::{Ends, Framing, RecordFault, Tracker};
use crate::io::{Extent, pipe};
use crate::stats::{Progress, SourceShare};

/// One or more streams, read one after the other as if they were one.
#[derive(Debug)]
pub struct InputStream {
    /// The stream being read, and those after it.
    readers: VecDeque<pipe::PipeReader>,
    /// Names of all streams; those that were open from the beginning come first.
    names: Names,
    /// Number of streams that were begun or are open; those after them are opened one by one.
    opened: usize,
    /// Bytes of all streams, where each reports them and they are of use.
    extent: Option<Extent>,
    /// The source that all streams are made from, if its length is known.
    source: Option<SourceShare>,
    /// True if a caller supplies one.
    has_supplied: bool,
    framing: Framing,
    /// Kind of heading at the top of each stream.
    heading: Heading,
    /// Heading of the first stream.
    top: Option<Top>,
    /// The sizes of what stood there, where all of it has been read already, the next one first.
    known_tops: VecDeque<TopSize>,
    /// Bytes that were read after it and not yet passed on.
    pending: VecDeque<u8>,
    /// True if the stream being read is past its top.
    is_past_top: bool,
    /// Tracker of how far its records have come.
    tracker: Tracker,
    /// Bytes passed on of the record that has begun and not ended.
    unfinished: usize,
    /// True if the fault of a record was reported. No end of a record is reported after it.
    has_fault: bool,
    /// The stream read last, and how many of its bytes were passed on.
    ended: (PathBuf, u64),
    /// Bytes passed on of all streams, with the ends that some lacked.
    passed: u64,
    /// The streams that bytes were asked of so far.
    begun: Vec<Begun>,
    /// The number of the stream being read.
    number: usize,
    /// Bytes and records passed over of the stream being read, until it is in `begun`.
    next_begins: Option<PrecedingCounts>,
    /// Error of the last record passed on, which ends too soon. Nothing follows it.
    cut_off: Option<Message>,
    /// Time at which bytes that came alone were judged last.
    judged: Option<Instant>,
}

/// Bytes that were read into a buffer.
#[derive(Debug)]
pub struct StreamPiece {
    /// Number of bytes.
    pub bytes: usize,
    /// Time that reading took.
    pub waited: Duration,
    /// Bytes before the buffer of the record that has begun there.
    pub unfinished: usize,
    /// The ends of the first and of the last record that end in the buffer. Or the first fault of a
    /// record: at byte 0, it is that of the record that began before the buffer, if one has.
    pub ends: std::result::Result<Ends, RecordFault>,
}

impl StreamPiece {
    /// Adds the end of a record.
    fn end_at(&mut self, at: usize) {
        if let Ok(ends) = &mut self.ends {
            *ends = Some((ends.map_or(at, |(first, _)| first), at));
        }
    }

    /// Adds bytes in which records end at `ends`.
    fn add(&mut self, bytes: usize, ends: std::result::Result<Ends, RecordFault>) {
        let at = self.bytes;
        self.bytes += bytes;
        match ends {
            Ok(None) => {}
            Ok(Some((first, last))) => {
                self.end_at(at + first);
                self.end_at(at + last);
            }
            Err(fault) => {
                let Ok(known) = self.ends else { return };
                let begun = known.map_or(0, |(_, last)| last);
                let at = if fault.at == 0 { begun } else { at + fault.at };
                self.ends = Err(RecordFault { at, ..fault });
            }
        }
    }
}

/// Judgement on the bytes that a stream brought before it stood still, and on the ends of records
/// in them: whether nothing more is worth reading.
pub type Judgement<'a> = &'a mut dyn FnMut(&[u8], Ends) -> Result<bool>;

/// Place where a stream begins in the bytes passed on of all streams. There may be millions.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// The number of the stream.
    number: usize,
    /// Bytes passed on of those before it.
    pub at: u64,
    /// Top of the stream, which was passed over.
    pub top: PrecedingCounts,
}

impl InputStream {
    /// Streams at their beginnings.
    pub fn new(
        readers: impl IntoIterator<Item = pipe::PipeReader>,
        framing: Framing,
        heading: Heading,
    ) -> Self {
        let readers: VecDeque<pipe::PipeReader> = readers.into_iter().collect();
        let none = Extent { bytes: 0, records: 0 };
        let is_past_top = heading == Heading::Nothing;
        let extent = readers.iter().try_fold(none, |sum, reader| {
            let Extent { bytes, records } = reader.as_supplied()?.extent()?;
            Some(Extent { bytes: sum.bytes + bytes, records: sum.records + records })
        });
        // A load of records of fixed length is full with the last of them, before the end is seen.
        let extent = extent.filter(|_| framing.fixed_length().is_none());
        let sources = readers.iter().map(|reader| reader.as_supplied()?.source());
        let source = SourceShare::common(sources);
        let has_supplied = readers.iter().any(|reader| reader.as_supplied().is_some());
        let mut names = Names::default();
        readers.iter().for_each(|reader| names.push(reader.name()));
        Self {
            opened: readers.len(),
            readers,
            names,
            extent,
            source,
            has_supplied,
            framing,
            heading,
            top: None,
            known_tops: VecDeque::new(),
            pending: VecDeque::new(),
            is_past_top,
            tracker: Tracker::new(framing),
            unfinished: 0,
            has_fault: false,
            ended: (PathBuf::new(), 0),
            passed: 0,
            begun: Vec::new(),
            number: 0,
            next_begins: Some(PrecedingCounts::NOTHING),
            cut_off: None,
            judged: None,
        }
    }

    /// Files of `bytes` bytes to be opened one after the other, as there are too many to be open
    /// at once, or they are too small to be read apart.
    ///
    /// # Errors
    ///
    /// What the system says of the first.
    pub fn of_files(names: Names, bytes: u64, framing: Framing, heading: Heading) -> Result<Self> {
        let mut stream = Self::new([], framing, heading);
        (stream.extent, stream.source) = (None, Some(SourceShare::Plain(bytes)));
        stream.names = names;
        stream.open_next()?;
        Ok(stream)
    }

    /// Returns these streams, set to begin after their tops. The tops had these `sizes`, and `top`
    /// stands for all of them.
    #[must_use]
    pub fn behind_tops(self, top: Top, sizes: Vec<TopSize>) -> Self {
        Self { top: Some(top), known_tops: sizes.into(), ..self }
    }

    /// Returns how much all of them bring, where each says so and it is of use: for lines.
    pub fn extent(&self) -> Option<Extent> {
        self.extent
    }

    /// Returns what all of them are made from, if the length of that is known.
    pub fn source(&self) -> Option<SourceShare> {
        self.source.clone()
    }

    /// Returns whether a caller supplies one of them.
    pub fn has_supplied(&self) -> bool {
        self.has_supplied
    }

    /// Returns whether the end of the last one has been seen.
    pub fn is_at_end(&self) -> bool {
        self.readers.is_empty()
    }

    /// Returns what stays on top, once the first one's has been read.
    pub fn header(&self) -> &[u8] {
        self.top.as_ref().map_or(&[], |top| &top.bytes)
    }

    /// Returns the stream being read, or the last if all have ended, and how many of its bytes were
    /// passed on, its header included.
    pub fn place(&self) -> (PathBuf, u64) {
        match self.readers.front() {
            Some(reader) => (reader.name().to_owned(), reader.bytes() - self.pending.len() as u64),
            None => self.ended.clone(),
        }
    }

    /// Returns the stream of the byte after `passed` others, and where that stream begins.
    pub fn begun(&self, passed: u64) -> Option<&Begun> {
        self.begun.iter().rev().find(|begun| begun.at <= passed)
    }

    /// Returns the name of a stream.
    pub fn name(&self, begun: &Begun) -> PathBuf {
        self.names.get(begun.number).to_owned()
    }

    /// Returns the common name of all streams.
    pub fn common_name(&self) -> PathBuf {
        let only = (self.names.count() == 1).then(|| self.names.get(0));
        only.unwrap_or_else(|| Path::new("the inputs, taken together")).to_owned()
    }

    /// Returns the fault of the last record passed on, if it ends too soon. It is reported when all
    /// records before it have been checked.
    pub fn cut_off(&self) -> Option<&Message> {
        self.cut_off.as_ref()
    }

    /// Reads until `buffer` is full, the last stream ends, or one is [cut off](Self::cut_off). A
    /// stream that lacks its last terminator gets it.
    ///
    /// # Errors
    ///
    /// What the system says, [`Error::Malformed`] for a stream that ends within a record of fixed
    /// length, or [`Error::Interrupted`] when asked to stop through `progress`.
    pub fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<StreamPiece> {
        self.fill_unless(buffer, progress, None)
    }

    /// Reads as [`fill`](Self::fill) does. When the stream stands still, it asks whether to stop
    /// reading, and stops at a fault of a record.
    ///
    /// # Errors
    ///
    /// As of [`fill`](Self::fill), and those of `judge`.
    pub fn fill_unless(
        &mut self,
        buffer: &mut [u8],
        progress: &Progress,
        mut judge: Option<Judgement<'_>>,
    ) -> Result<StreamPiece> {
        let (begun, unfinished) = (Instant::now(), self.unfinished);
        let mut piece =
            StreamPiece { bytes: 0, waited: Duration::ZERO, unfinished, ends: Ok(None) };
        while piece.bytes < buffer.len() && !self.readers.is_empty() && self.cut_off.is_none() {
            if !self.is_past_top {
                self.pass_top(progress)?;
            }
            if let Some(top) = self.next_begins.take() {
                self.begun.push(Begun { number: self.number, at: self.passed, top });
            }
            let rest = &mut buffer[piece.bytes..];
            let pending = self.pending.len().min(rest.len());
            for (to, byte) in rest.iter_mut().zip(self.pending.drain(..pending)) {
                *to = byte;
            }
            let Some(reader) = self.readers.front_mut() else { break };
            let read = match pending {
                0 => reader.fill_some(rest, progress)?,
                _ => pending,
            };
            self.passed += read as u64;
            let ends = self.tracker.pass(&rest[..read]);
            // What follows the first fault is not to be trusted.
            piece.add(read, if self.has_fault { Ok(None) } else { ends });
            self.has_fault |= piece.ends.is_err();
            if piece.bytes == buffer.len() {
                break;
            }
            if read > 0 {
                match &mut judge {
                    Some(judge) if self.is_judged_now() => match piece.ends {
                        Ok(ends) if !judge(&buffer[..piece.bytes], ends)? => continue,
                        _ => break,
                    },
                    _ => continue,
                }
            }
            if let Framing::Fixed(length) = self.framing {
                check_end(reader, length as u64)?;
            }
            let lacks_end = match self.tracker.pass_end() {
                Ok(lacks_end) => lacks_end,
                Err(message) => {
                    self.cut_off = Some(message);
                    break;
                }
            };
            if let Some(end) = self.framing.terminator().filter(|_| lacks_end) {
                buffer[piece.bytes] = end;
                self.passed += 1;
                piece.bytes += 1;
                piece.end_at(piece.bytes);
            }
            self.end_reader()?;
        }
        self.unfinished = match piece.ends {
            Ok(Some((_, last))) => piece.bytes - last,
            _ => unfinished + piece.bytes,
        };
        piece.waited = begun.elapsed();
        Ok(piece)
    }

    /// Returns whether bytes that came alone are judged now: the first ones, and others if there
    /// was time to wait for more. A supplied stream may bring many small pieces.
    fn is_judged_now(&mut self) -> bool {
        let is_now = self.judged.is_none_or(|judged| judged.elapsed() >= pipe::STANDSTILL);
        if is_now {
            self.judged = Some(Instant::now());
        }
        is_now
    }

    /// Reads the top of the stream that is being read; of the first one that is not empty, it is
    /// kept.
    fn pass_top(&mut self, progress: &Progress) -> Result<()> {
        self.is_past_top = true;
        let Some(reader) = self.readers.front_mut() else { return Ok(()) };
        if let Some(TopSize { bytes, lines }) = self.known_tops.pop_front() {
            self.next_begins = Some(PrecedingCounts { lines, bytes, ..PrecedingCounts::NOTHING });
            return Ok(());
        }
        let name = reader.name().to_owned();
        let (top, rest) = self.heading.read(&name, |buffer| reader.fill_some(buffer, progress))?;
        self.pending.extend(rest);
        let TopSize { bytes, lines } = top.size;
        self.next_begins = Some(PrecedingCounts { lines, bytes, ..PrecedingCounts::NOTHING });
        match &self.top {
            Some(first) => first.check_same(&top, &self.heading),
            None => {
                self.top = (!top.is_nothing(&self.heading)).then_some(top);
                Ok(())
            }
        }
    }

    /// Reads on until the top of a stream has been found, and shows it; `None` where all are empty.
    ///
    /// # Errors
    ///
    /// Those of reading it.
    pub fn open_top(&mut self, progress: &Progress) -> Result<Option<&Top>> {
        while self.top.is_none() && self.heading != Heading::Nothing && !self.readers.is_empty() {
            if !self.is_past_top {
                self.pass_top(progress)?;
            }
            if self.top.is_some() || !self.pending.is_empty() {
                break;
            }
            self.end_reader()?;
        }
        Ok(self.top.as_ref())
    }

    /// Opens the next file, where none is open.
    fn open_next(&mut self) -> Result<()> {
        if self.readers.is_empty() && self.opened < self.names.count() {
            self.readers.push_back(pipe::PipeReader::open(self.names.get(self.opened))?);
            self.opened += 1;
        }
        Ok(())
    }

    /// Leaves a stream that has ended.
    fn end_reader(&mut self) -> Result<()> {
        if let Some(reader) = self.readers.pop_front() {
            self.ended = (reader.name().to_owned(), reader.bytes());
            self.number += 1;
        }
        self.is_past_top = self.heading == Heading::Nothing;
        self.next_begins = Some(PrecedingCounts::NOTHING);
        self.tracker = Tracker::new(self.framing);
        self.open_next()
    }
}

/// Checks that a stream ended where a record does.
fn check_end(reader: &pipe::PipeReader, record_length: u64) -> Result<()> {
    let bytes = reader.bytes();
    let excess = bytes % record_length;
    if excess == 0 {
        return Ok(());
    }
    Err(Error::Malformed {
        path: reader.name().to_owned(),
        message: message!(
            "ends in the middle of record {}: {} bytes are not a multiple of the record length {} \
             ({} left over)",
            bytes / record_length + 1,
            bytes,
            record_length,
            excess,
        )
        .at(RecordPosition::new(bytes / record_length + 1, bytes - excess)),
    })
}
