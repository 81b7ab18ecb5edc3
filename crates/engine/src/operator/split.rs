//! An output in several files: a given number, or one for each value of a field.
//!
//! Whoever has its turn writes to the file that is open; it is closed when the next one begins, so
//! that there may be any number of them. Where they lie and when they get their names is for
//! [`PartFiles`] to see to.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::excerpt::excerpt;
use super::place::{BadPlace, FoundPlace, Place, RecordForm, RowColumns};
use crate::error::{ConfigErrorKind, Error, ParseError, Result, Setting, message};
use crate::sink::{Lane, Sink};

/// Bytes of a value that are part of a name.
const NAME_MAX: usize = 100;

/// Into which files an output is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// Number of files, with as equal numbers of records as possible. The first files have one more
    /// where the records do not divide evenly, and the last files are empty where there are more
    /// files than records.
    Count(u64),
    /// One for each value that records have here. They must be sorted by it before anything else.
    By(Place),
}

impl FromStr for Split {
    type Err = ParseError;

    /// Reads a number of files.
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        match text.parse::<u64>() {
            Ok(count) if count > 0 => Ok(Self::Count(count)),
            _ => {
                let message = message!("'{}' is not a number of files; write 1 or more", text);
                Err(ParseError::new("number of files", text, message))
            }
        }
    }
}

/// Split whose place has been found. The default is one file.
#[derive(Clone, Debug, Default)]
pub enum Splitting {
    /// One output.
    #[default]
    None,
    /// Number of files.
    Count(u64),
    /// By a cell or some bytes.
    By(RecordForm, FoundPlace),
}

/// Makes the files.
pub trait PartFiles: std::fmt::Debug + Send + Sync {
    /// Makes the next file, whose name ends in `name`.
    ///
    /// # Errors
    ///
    /// Those of making it.
    fn open(&self, name: &str) -> Result<Sink>;

    /// Ends the file that was opened last, at `bytes` bytes.
    fn close(&self, bytes: u64);
}

impl Splitting {
    /// Returns what `split` asks for, of records of this layout.
    ///
    /// # Errors
    ///
    /// Why these have no such place, in words.
    pub fn new(
        split: Option<&Split>,
        layout: RecordForm,
        columns: Option<RowColumns<'_>>,
    ) -> std::result::Result<Self, BadPlace> {
        match split {
            None => Ok(Self::None),
            Some(Split::Count(count)) => Ok(Self::Count(*count)),
            Some(Split::By(place)) => {
                let found = layout.find(place, columns, Setting::SplitBy)?;
                Ok(Self::By(layout, found))
            }
        }
    }

    /// Writes the value by which a record is split into `out`.
    pub fn value(&self, record: &[u8], out: &mut Vec<u8>) {
        let Self::By(layout, place) = self else { return };
        out.clear();
        match place {
            FoundPlace::Cell(number) => {
                let cell = layout.cells(record).and_then(|mut cells| cells.nth(*number));
                out.extend_from_slice(&layout.text(cell.unwrap_or_default()));
            }
            FoundPlace::Bytes(..) => out.extend_from_slice(place.bytes(layout.body(record))),
        }
    }
}

/// The files of one output.
#[derive(Debug)]
pub struct Splitter {
    files: Arc<dyn PartFiles>,
    /// Header of each file.
    header: Vec<u8>,
    /// Number of files, and of records in all of them; `None` where each value has a file.
    counts: Option<(u64, u64)>,
    state: Mutex<SplitState>,
}

#[derive(Debug, Default)]
struct SplitState {
    open: Option<SplitPart>,
    /// Files begun, and records written to all of them.
    parts: u64,
    records: u64,
    /// Values by the hashes of the names they gave to files: a hash of each, and what messages show
    /// of it, unless that is the name. There may be a hundred thousand.
    names: HashMap<u128, (u128, Option<Box<str>>)>,
}

#[derive(Debug)]
struct SplitPart {
    sink: Sink,
    value: Vec<u8>,
    bytes: u64,
}

impl Splitter {
    /// Returns the files of `splitting`, which get `records` records.
    pub fn new(
        splitting: &Splitting,
        files: Arc<dyn PartFiles>,
        header: Vec<u8>,
        records: u64,
    ) -> Self {
        let counts = match splitting {
            Splitting::Count(count) => Some((*count, records)),
            _ => None,
        };
        Self { files, header, counts, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, SplitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many records belong to the file of the next one, as far as that depends on their
    /// number.
    pub fn left(&self) -> u64 {
        let Some((count, total)) = self.counts else { return u64::MAX };
        let state = self.state();
        let part = part_of(state.records, count, total);
        end_of(part, count, total) - state.records
    }

    /// Writes records that belong into one file, of the order's next.
    ///
    /// # Errors
    ///
    /// Those of writing; [`Error::Config`] where files cannot be named by their values.
    pub fn write(
        &self,
        lane: &mut Lane<'_>,
        value: &[u8],
        bytes: &[&[u8]],
        records: u64,
    ) -> Result<()> {
        let mut state = self.state();
        match self.counts {
            Some((count, total)) => {
                let part = part_of(state.records, count, total);
                self.open_up_to(&mut state, lane, part + 1)?;
            }
            None if state.open.as_ref().is_some_and(|part| part.value == value) => {}
            None => {
                let name = state.name(value)?;
                self.open_next(&mut state, lane, &name)?;
            }
        }
        let Some(part) = &mut state.open else { unreachable!("a file is open") };
        value.clone_into(&mut part.value);
        let length: usize = bytes.iter().map(|bytes| bytes.len()).sum();
        part.sink.write(lane, part.bytes, length as u64, |writer| {
            bytes.iter().try_for_each(|bytes| writer.put(bytes))
        })?;
        part.bytes += length as u64;
        state.records += records;
        Ok(())
    }

    /// Ends the last file, and makes the missing files of a number of files, with headers alone.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(&self, lane: &mut Lane<'_>) -> Result<()> {
        let mut state = self.state();
        if let Some((count, _)) = self.counts {
            self.open_up_to(&mut state, lane, count)?;
        }
        self.close(&mut state, lane)
    }

    /// Opens further files until there are `parts`.
    fn open_up_to(&self, state: &mut SplitState, lane: &mut Lane<'_>, parts: u64) -> Result<()> {
        while state.parts < parts {
            if lane.progress().is_stopping() {
                return Err(Error::Interrupted);
            }
            let name = (state.parts + 1).to_string();
            self.open_next(state, lane, &name)?;
        }
        Ok(())
    }

    fn open_next(&self, state: &mut SplitState, lane: &mut Lane<'_>, name: &str) -> Result<()> {
        self.close(state, lane)?;
        let (sink, bytes) = (self.files.open(name)?, self.header.len() as u64);
        if bytes > 0 {
            sink.write(lane, 0, bytes, |writer| writer.put(&self.header))?;
        }
        state.open = Some(SplitPart { sink, value: Vec::new(), bytes });
        state.parts += 1;
        Ok(())
    }

    fn close(&self, state: &mut SplitState, lane: &mut Lane<'_>) -> Result<()> {
        let Some(SplitPart { sink, bytes, .. }) = state.open.take() else { return Ok(()) };
        if let Sink::File(file) = &sink {
            file.seal(lane, bytes)?;
        }
        self.files.close(bytes);
        Ok(())
    }
}

impl SplitState {
    /// Returns the name that a value gives to its file.
    fn name(&mut self, value: &[u8]) -> Result<String> {
        let name = name_of(value);
        let (hash, value) = (xxh3_128(value), excerpt(value));
        let shown = (value != name).then(|| value.as_str().into());
        let Some((known, other)) = self.names.insert(xxh3_128(name.as_bytes()), (hash, shown))
        else {
            return Ok(name);
        };
        let (is_one, other) = (hash == known, other.as_deref().unwrap_or(&name).to_owned());
        let kind = ConfigErrorKind::NotApplicable(Setting::SplitBy);
        Err(Error::config(
            kind,
            if is_one {
                message!(
                    "records with '{}' occur again after others, so they cannot form one file; {} \
                     must name the place of the first key of the sort, as bytes",
                    value,
                    Setting::SplitBy
                )
            } else {
                message!(
                    "'{}' and '{}' would both go to a file named '{}'; {} needs values that \
                     differ in letters, digits, - _ or . within {} bytes",
                    other,
                    value,
                    name,
                    Setting::SplitBy,
                    NAME_MAX
                )
            },
        ))
    }
}

/// Returns what a value looks like in a name: letters, digits and a few signs, others as `_`.
fn name_of(value: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(value) else {
        return value.iter().take(NAME_MAX / 2).map(|byte| format!("{byte:02x}")).collect();
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let mut name = String::new();
    for letter in text.trim().chars() {
        if name.len() + letter.len_utf8() > NAME_MAX {
            break;
        }
        name.push(if is_plain(letter) { letter } else { '_' });
    }
    if name.is_empty() { "empty".to_owned() } else { name }
}

/// Returns the part, from 0, of record number `record` of `total` in `count` parts.
///
/// # Panics
///
/// If there are no more than `record` records.
fn part_of(record: u64, count: u64, total: u64) -> u64 {
    assert!(record < total, "record {record} of {total}");
    let (each, longer) = (total / count, total % count);
    // The first parts have a record more.
    match record.checked_sub(longer * (each + 1)) {
        None => record / (each + 1),
        Some(record) => longer + record / each,
    }
}

/// Returns the first record that is not in part number `part` or one before.
fn end_of(part: u64, count: u64, total: u64) -> u64 {
    (part + 1) * (total / count) + (part + 1).min(total % count)
}

#[cfg(test)]
mod tests;
