//! Number of a record in its input, counted when an error message needs it.
//!
//! Whoever deals a block does not know how many records lie before it, and counting them all would
//! cost every sort what only a failing one needs. So files are read once more, up to the record;
//! of streams, which are read once, what has passed is counted load by load where records may turn
//! out to be wrong.

use std::fmt::{self, Display};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use crate::error::{Error, RecordPosition, Result};
use crate::format::csv::Gap;
use crate::format::{Framing, PREFIX_MAX, Tracker};
use crate::io::{Cursor, File};

/// Position of a record in its input: what lies before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrecedingCounts {
    /// Records, without those of a header; `None` where they were not counted.
    pub records: Option<u64>,
    /// Ends of lines.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

impl PrecedingCounts {
    /// The beginning of an input.
    pub const NOTHING: Self = Self { records: Some(0), lines: 0, bytes: 0 };
}

/// A record's place, as a person counts.
#[derive(Clone, Copy, Debug)]
pub struct RecordPlace {
    /// Position of the record: what lies before it.
    pub before: PrecedingCounts,
    /// Framing that separates records.
    pub framing: Framing,
}

impl RecordPlace {
    /// Returns the place in numbers.
    pub fn position(&self) -> RecordPosition {
        let record = self.before.records.map(|records| records + 1);
        RecordPosition { record, offset: Some(self.before.bytes) }
    }
}

impl Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrecedingCounts { records, lines, bytes } = self.before;
        match (self.framing, records) {
            (Framing::Terminated(b'\n'), _) => write!(f, "line {}", lines + 1),
            (Framing::Quoted(_), Some(rows)) => write!(f, "row {}, line {}", rows + 1, lines + 1),
            (Framing::Quoted(_), None) => write!(f, "line {}", lines + 1),
            (Framing::Grouped(_), Some(records)) => {
                write!(f, "record {}, line {}, at byte {bytes}", records + 1, lines + 1)
            }
            (_, Some(records)) => write!(f, "record {}, at byte {bytes}", records + 1),
            (_, None) => write!(f, "the record at byte {bytes}"),
        }
    }
}

/// Counts what lies before byte `offset` of a file whose records begin at byte `start`.
///
/// # Errors
///
/// Those of reading it.
pub fn count_before(
    file: &Arc<File>,
    framing: Framing,
    start: u64,
    offset: u64,
) -> Result<PrecedingCounts> {
    let failed = |e| Error::io("read", file.path(), e);
    let mut reader = buffered(Cursor::new(file, 0));
    let header = counted(&mut reader.by_ref().take(start), Framing::Terminated(framing.line_end()));
    let above = header.map_err(failed)?.0;
    let length = offset.saturating_sub(start);
    let (records, more) = match framing {
        Framing::Fixed(record) => (length / record as u64, 0),
        Framing::Terminated(_) | Framing::Quoted(_) | Framing::Grouped(_) => {
            counted(&mut reader.take(length), framing).map_err(failed)?
        }
        Framing::Prefixed(prefix) => {
            let (mut records, mut passed) = (0, 0);
            while passed < length {
                let mut begun = [0; PREFIX_MAX];
                let begun = &mut begun[..prefix.bytes()];
                reader.read_exact(begun).map_err(failed)?;
                let Some(record) = prefix.record_length(begun) else { break };
                pass(&mut reader, (record - prefix.bytes()) as u64);
                (records, passed) = (records + 1, passed + record as u64);
            }
            (records, 0)
        }
    };
    Ok(PrecedingCounts { records: Some(records), lines: above + more, bytes: offset })
}

/// Returns the number of bytes of the record that begins at byte `offset` of a file, with the end
/// that it may lack; `None` where it has more than `most`.
///
/// # Errors
///
/// Those of reading it.
pub fn length_at(
    file: &Arc<File>,
    framing: Framing,
    offset: u64,
    most: u64,
) -> io::Result<Option<u64>> {
    let mut reader = buffered(Cursor::new(file, offset).take(most));
    if let Framing::Prefixed(prefix) = framing {
        let mut begun = [0; PREFIX_MAX];
        let begun = &mut begun[..prefix.bytes()];
        reader.read_exact(begun)?;
        return Ok(prefix.record_length(begun).map(|length| length as u64));
    }
    let (mut passed, mut tracker) = (0, Tracker::new(framing));
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok((passed < most).then_some(passed + 1));
        }
        if let Ok(Some((first, _))) = tracker.pass(bytes) {
            return Ok(Some(passed + first as u64));
        }
        let length = bytes.len();
        passed += length as u64;
        reader.consume(length);
    }
}

fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(1 << 20, reader)
}

/// Passes over `bytes` bytes, and reads none of them that are not in memory.
fn pass(reader: &mut BufReader<Cursor>, bytes: u64) {
    let there = bytes.min(reader.buffer().len() as u64);
    reader.consume(there as usize);
    reader.get_mut().skip(bytes - there);
}

/// Returns the records that end in what `reader` brings, and the lines.
fn counted(reader: &mut impl BufRead, framing: Framing) -> io::Result<(u64, u64)> {
    let quoting = match framing {
        Framing::Quoted(quoting) => Some(quoting),
        _ => None,
    };
    let (record_end, line_end) = (framing.terminator(), framing.line_end());
    let (mut records, mut lines, mut at) = (0, 0, Gap::Start);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok((records / framing.lines_of(1).unwrap_or(1), lines));
        }
        for &byte in bytes {
            at = quoting.map_or(Gap::Text, |quoting| quoting.after(at, byte));
            lines += u64::from(byte == line_end);
            records += u64::from(Some(byte) == record_end && at != Gap::Quoted);
        }
        let length = bytes.len();
        reader.consume(length);
    }
}

#[cfg(test)]
mod tests;
