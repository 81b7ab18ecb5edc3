//! Tables on their way into a union: each is a stream of rows in the order of the union's columns.
//!
//! ```text
//!     input --skip its top--> window |..taken..|row being written|whole rows|begun| --> buffer
//! ```
//!
//! A row is looked at where it was read and written to the reader's buffer piece by piece, so that
//! nothing but the window holds it. A row that fills the window makes it grow, out of memory that
//! all tables share, until it is gone. An input is opened when it is read first and closed at its
//! end: there may be more than can be open at once.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sorted::SortedPlace;
use crate::error::{Error, Result, Setting, message};
use crate::format::csv::union::{ColumnOrder, RowWriter, UnionTable};
use crate::format::csv::{Dialect, ROW_END, Rows};
use crate::format::{CsvFormat, Ragged};
use crate::io::{Cursor, Direct, ElasticRegion, Supplied, Supply, pipe};
use crate::stats::Progress;
use crate::units::ByteSize;

/// Bytes that are read at a time to pass over what stands at the top.
const STEP: usize = 4096;

/// Most bytes of a row: ends of cells are numbers of 32 bits.
const ROW_MAX: usize = u32::MAX as usize;

/// An input after its top, opened when it is read.
pub enum AfterTop {
    /// A file that was not opened.
    File(SortedPlace),
    /// A stream, and the number of bytes to skip.
    Stream(pipe::PipeReader, u64),
    /// An input that is being read.
    Open(Box<dyn Supply>),
    /// An input at its end.
    Ended,
}

impl Supply for AfterTop {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let supply = match std::mem::replace(self, Self::Ended) {
            Self::Ended => return Ok(0),
            Self::Open(supply) => supply,
            Self::File(place) => {
                Box::new(Cursor::new(&place.open_file(Direct::Off)?, place.first().offset))
            }
            Self::Stream(mut reader, skipped) => {
                pass(&mut reader, skipped, progress)?;
                Box::new(reader)
            }
        };
        let Self::Open(supply) = self.insert(supply) else { unreachable!("it was opened") };
        let read = supply.fill(buffer, progress)?;
        if read < buffer.len() {
            *self = Self::Ended;
        }
        Ok(read)
    }
}

impl AfterTop {
    fn insert(&mut self, supply: Box<dyn Supply>) -> &mut Self {
        *self = Self::Open(supply);
        self
    }
}

/// Passes over `bytes` bytes of a stream.
fn pass(reader: &mut pipe::PipeReader, mut bytes: u64, progress: &Progress) -> Result<()> {
    let mut step = [0; STEP];
    while bytes > 0 {
        let wanted = bytes.min(STEP as u64) as usize;
        let read = reader.fill(&mut step[..wanted], progress)?;
        if read < wanted {
            break; // it was shortened meanwhile, and nothing is left
        }
        bytes -= read as u64;
    }
    Ok(())
}

/// Memory for rows that are longer than windows, shared by all tables of a job.
#[derive(Debug)]
pub struct RowMemory {
    /// Bytes of a window while no row is too long for it.
    window_bytes: usize,
    /// Bytes that windows may have beyond that, all together.
    spare_bytes: AtomicUsize,
    /// Divisor of the budget that gives the part for all of it.
    share: u64,
}

impl RowMemory {
    /// Returns memory for windows of `window_bytes`, which share `spare_bytes` for longer rows.
    pub fn new(window_bytes: usize, spare_bytes: usize, share: u64) -> Self {
        Self { window_bytes, spare_bytes: AtomicUsize::new(spare_bytes), share }
    }

    /// Takes up to `bytes` of what is spare; returns how many.
    fn take(&self, bytes: usize) -> usize {
        let less = |spare: usize| Some(spare - bytes.min(spare));
        let before = self.spare_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.unwrap_or_default().min(bytes)
    }

    fn give_back(&self, bytes: usize) {
        self.spare_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A table whose rows are rewritten to the columns of a union while they are read.
pub struct Rewritten {
    rest: AfterTop,
    name: PathBuf,
    dialect: Dialect,
    ragged: Ragged,
    order: Arc<ColumnOrder>,
    /// Columns of the union.
    width: usize,
    memory: Arc<RowMemory>,
    /// The bytes that were read; `None` before the first byte and after the last.
    window: Option<ElasticRegion>,
    /// The part of the window that was read and is not written.
    held: Range<usize>,
    /// The row of which a part was written.
    begun: Option<Range<usize>>,
    writer: RowWriter,
    is_at_end: bool,
    /// Offset in the input where the held bytes begin.
    offset: u64,
}

impl Rewritten {
    /// Returns the rows of `rest`, whose top has `top_bytes`, in the order that a union of `width`
    /// columns has.
    pub fn new(
        rest: AfterTop,
        name: PathBuf,
        top_bytes: u64,
        csv: CsvFormat,
        order: Arc<ColumnOrder>,
        width: usize,
        memory: Arc<RowMemory>,
    ) -> Self {
        Self {
            rest,
            name,
            dialect: csv.dialect,
            ragged: csv.ragged,
            order,
            width,
            memory,
            window: None,
            held: 0..0,
            begun: None,
            writer: RowWriter::default(),
            is_at_end: false,
            offset: top_bytes,
        }
    }

    /// Returns it as a stream of its name.
    pub fn supplied(self) -> Supplied {
        let name = self.name.clone();
        Supplied::new(&name, self)
    }

    /// Writes whole rows of the window into `out`; returns the bytes written. One that does not fit
    /// is begun.
    fn write_rows(&mut self, out: &mut [u8]) -> Result<usize> {
        let Self { dialect, ragged, width, .. } = *self;
        let table = UnionTable { dialect, order: &self.order, width, ragged };
        let Some(window) = &self.window else { return Ok(0) };
        let (mut filled, mut at) = (0, self.held.start);
        if let Some(row) = self.begun.take() {
            let (written, is_whole) = self.writer.write(&table, &window[row.clone()], out);
            filled = written;
            if !is_whole {
                self.begun = Some(row);
                return Ok(filled);
            }
            at = row.end;
        }
        let mut rows = Rows::new(dialect, &window[at..self.held.end]).noting(self.order.columns());
        while let Some(row) = rows.next() {
            let end = at + row.bytes.len();
            let is_whole = row.bytes.ends_with(&[ROW_END]) && row.stray_quote.is_none();
            if end == self.held.end && !is_whole && !self.is_at_end {
                break;
            }
            self.writer.begin(&table, &row, rows.cell_ends()).map_err(|fault| {
                let offset = self.offset + (at - self.held.start) as u64;
                Error::malformed(&self.name, message!("the row at byte {}: {}", offset, fault))
            })?;
            let (written, is_whole) = self.writer.write(&table, row.bytes, &mut out[filled..]);
            filled += written;
            if !is_whole {
                self.begun = Some(at..end);
                break;
            }
            at = end;
        }
        self.offset += (at - self.held.start) as u64;
        self.held.start = at;
        Ok(filled)
    }

    /// Reads more into the window; returns whether there may be more rows.
    fn read_on(&mut self, progress: &Progress) -> Result<bool> {
        if self.is_at_end {
            self.close();
            return Ok(false);
        }
        let usual = self.memory.window_bytes;
        let window = match &mut self.window {
            Some(window) => window,
            None => self.window.insert(ElasticRegion::new(usual)?),
        };
        window.copy_within(self.held.clone(), 0);
        self.held = 0..self.held.len();
        let bytes = window.len();
        if self.held.end == bytes {
            let more = self.memory.take(bytes.min(ROW_MAX.saturating_sub(bytes)));
            if more == 0 {
                return Err(self.too_long());
            }
            window.resize(bytes + more)?;
        } else if bytes > usual && self.held.end < usual / 2 {
            window.resize(usual)?;
            self.memory.give_back(bytes - usual);
        }
        // One byte is left for the end that the last row may lack.
        let room = self.held.end..window.len() - 1;
        let room = if room.is_empty() { self.held.end..window.len() } else { room };
        let wanted = room.len();
        let read = self.rest.fill(&mut window[room], progress)?;
        self.held.end += read;
        self.is_at_end = read < wanted;
        if self.is_at_end && !self.held.is_empty() && window[self.held.end - 1] != ROW_END {
            window[self.held.end] = ROW_END;
            self.held.end += 1;
        }
        Ok(true)
    }

    /// Gives back the memory, now that all was read and written.
    fn close(&mut self) {
        if let Some(window) = self.window.take() {
            self.memory.give_back(window.len() - self.memory.window_bytes);
        }
        self.held = 0..0;
    }

    fn too_long(&self) -> Error {
        let held = self.held.len() as u64;
        let least = (2 * held * self.memory.share).div_ceil(1 << 20);
        Error::BudgetExceeded {
            least: Some(ByteSize::mib(least)),
            path: self.name.clone(),
            message: message!(
                "the row at byte {} has more than {}, the most that {} can hold within the memory \
                 budget; give at least {} MiB with {}, or look for an unclosed quote there",
                self.offset,
                ByteSize(held),
                Setting::UnionByName,
                least,
                Setting::Memory,
            ),
        }
    }
}

impl Supply for Rewritten {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        loop {
            filled += self.write_rows(&mut buffer[filled..])?;
            if filled == buffer.len() || !self.read_on(progress)? {
                return Ok(filled);
            }
        }
    }
}

#[cfg(test)]
mod tests;
