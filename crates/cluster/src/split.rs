//! Splits: parts of the input files, which different tasks sort.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sortwell_engine::codec::{CONTENT_BYTES, ContentKind, Decompress, Foreign};
use sortwell_engine::error::{ConfigErrorKind, Message, Reference, Setting};
use sortwell_engine::format::csv::BYTE_ORDER_MARK;
use sortwell_engine::format::{CsvFormat, Format, Framing, Ragged};
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{ConsumeTask, Consumer, Supply};
use sortwell_engine::job::{Input, MergeJob, Output, RowKeys, SortJob};
use sortwell_engine::key::ListMemory;
use sortwell_engine::pipeline::{Heading, Top};
use sortwell_engine::stats::Progress;
use sortwell_engine::stripe::Definition;
use sortwell_engine::{ByteSize, Error, Result};

/// Bytes that are read at once.
const STEP: usize = 1 << 20;

/// Bytes that are read to find the end of a record, the first time.
const FIRST_LOOK: usize = 64 << 10;

/// Name of the lines at the top of all inputs.
const THE_HEADER: &str = "the header";

/// The top of an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputTop {
    /// Bytes of the file.
    pub bytes: u64,
    /// The lines at its top that are not records.
    pub header: Vec<u8>,
    /// True if it is compressed, so that one task has to read all of it.
    pub is_compressed: bool,
    /// Number of cells of the first row of a table without a header; 0 if it does not tell. `None`
    /// without a row, and for other formats.
    pub first_row_cells: Option<usize>,
}

/// A part of an input file, from the beginning of a record to the beginning of another, or to the
/// end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSplit {
    /// The file.
    pub path: PathBuf,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// True if it is all of a compressed file.
    pub is_compressed: bool,
}

fn open(path: &Path) -> Result<(File, u64)> {
    let failed = |error| Error::io("open", path, error);
    let file = File::open(path).map_err(failed)?;
    let data = file.metadata().map_err(failed)?;
    if !data.is_file() {
        let message = format!(
            "{} is no regular file, and a cluster reads parts of files; write the records to a \
             file first",
            path.display()
        );
        return Err(Error::config(ConfigErrorKind::InvalidPath, message));
    }
    Ok((file, data.len()))
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes.
pub fn read_full(file: &File, path: &Path, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = offset + filled as u64;
        match file.read_at(&mut buffer[filled..], at) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io_at("read", path, at, error)),
        }
    }
    Ok(filled)
}

/// Reads the top of an input file.
///
/// # Errors
///
/// [`Error::Io`], [`Error::Config`] for a file that is not a regular one, and [`Error::Malformed`]
/// for one that another program compressed.
pub fn read_top(job: &SortJob, path: &Path, progress: &Progress) -> Result<InputTop> {
    if Definition::is_at(path) {
        let message = format!(
            "{} defines a striped file, and a cluster reads parts of plain files; copy its \
             records to a plain file first, with 'sortwell stripe copy'",
            path.display()
        );
        return Err(Error::config(ConfigErrorKind::InvalidPath, message));
    }
    let (file, bytes) = open(path)?;
    let mut start = [0; CONTENT_BYTES];
    let read = read_full(&file, path, &mut start, 0)?;
    let is_compressed = is_compressed(job.format, path, ContentKind::of(&start[..read]));
    let (heading, top, header) = if is_compressed {
        let expanded = expanded_top(job, path, progress)?;
        let (heading, top) = heading_in(job, path, &expanded)?;
        // The first row may follow the header.
        let header = expanded[..expanded.len().min(top.bytes.len())].to_vec();
        (heading, top, header)
    } else {
        let (heading, top) = top_of(job, &file, path)?;
        let mut header = vec![0; top.size.bytes as usize];
        let read = read_full(&file, path, &mut header, 0)?;
        header.truncate(read);
        (heading, top, header)
    };
    let has_first_row = has_no_header(job.format) && !top.is_nothing(&heading);
    let cells = || top.columns(&heading).map_or(0, |columns| columns.cells.len());
    let first_row_cells = has_first_row.then(cells);
    Ok(InputTop { bytes, header, is_compressed, first_row_cells })
}

/// Returns whether the first row of a table is a record.
const fn has_no_header(format: Format) -> bool {
    matches!(format, Format::Csv(CsvFormat { has_header: false, .. }))
}

/// Returns whether a file with this content is not read as it is: because of its name, as in
/// [`Decompress::Auto`], or because it is not text.
fn is_compressed(format: Format, path: &Path, content: ContentKind) -> bool {
    let is_text = !matches!(format, Format::Fixed { .. } | Format::Prefixed(_));
    Decompress::Auto.of_file(path).is_some()
        || match content {
            ContentKind::Plain => false,
            ContentKind::Foreign(_) => is_text || Foreign::of_path(path).is_some(),
            ContentKind::Packed(_) | ContentKind::Skippable => is_text,
        }
}

/// Returns the top of a compressed file: what a merge of it writes that keeps no record, or the
/// first row if that is no header.
fn expanded_top(job: &SortJob, path: &Path, progress: &Progress) -> Result<Vec<u8>> {
    let top = Arc::new(TopWriter::default());
    let output = Output::Pipe(Outlet::consumer(Arc::<TopWriter>::clone(&top)));
    let mut format = job.format;
    if let Format::Csv(csv) = &mut format {
        // Rows after these may be read, and are not judged here.
        csv.ragged = Ragged::Keep;
    }
    let mut merge = MergeJob::new(vec![Input::File(path.to_owned())], output, format);
    merge.decompress = Decompress::Auto;
    // Without rows, there may be no columns for keys.
    merge.header = job.header.clone();
    // A second row shows where the first one ends.
    let rows = 2 * u64::from(has_no_header(job.format));
    (merge.select.limit, merge.verify, merge.threads) = (Some(rows), false, Some(1));
    merge.memory = job.memory;
    merge.run(progress)?;
    let bytes = std::mem::take(&mut *top.bytes());
    Ok(bytes)
}

/// Keeps what is written.
#[derive(Default)]
struct TopWriter(Mutex<Vec<u8>>);

impl TopWriter {
    fn bytes(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer for TopWriter {
    fn begin(&self, _: u64) -> Box<dyn ConsumeTask + '_> {
        Box::new(self)
    }
}

impl ConsumeTask for &TopWriter {
    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes().extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

fn top_of(job: &SortJob, file: &File, path: &Path) -> Result<(Heading, Top)> {
    let mut offset = 0;
    let heading = Heading::of(job.format, &job.header)?;
    let (top, _) = heading.read(path, |buffer| {
        let read = read_full(file, path, buffer, offset)?;
        offset += read as u64;
        Ok(read)
    })?;
    Ok((heading, top))
}

/// Returns the keys of the records of a job whose inputs begin with this header.
///
/// # Errors
///
/// [`Error::Config`] for keys that contradict each other, or that name a missing column.
pub fn row_keys(job: &SortJob, header: &[u8]) -> Result<RowKeys> {
    let (heading, top) = heading_in(job, Path::new(THE_HEADER), header)?;
    let mut order = job.order.bind(&job.keys, job.format, ListMemory::UNBOUNDED)?;
    // Only the keys that make records equal place an invalid one.
    order.placing_keys = job.select.unique_by.unwrap_or(order.placing_keys);
    RowKeys::new(job.format, &order, top.columns(&heading).as_ref())
}

/// Returns whether two headers name the same columns.
///
/// # Errors
///
/// [`Error::Malformed`] for a header that the format does not have.
pub fn same_columns(job: &SortJob, header: &[u8], other: &[u8]) -> Result<bool> {
    let columns = |header| {
        let (heading, top) = heading_in(job, Path::new(THE_HEADER), header)?;
        Ok::<_, Error>(top.columns(&heading))
    };
    Ok(columns(header)? == columns(other)?)
}

/// Returns the bytes that a job writes before its records if its input is this header alone.
///
/// # Errors
///
/// [`Error::Config`] for a header that the format does not have.
pub fn header_bytes(job: &SortJob, header: &[u8]) -> Result<usize> {
    Ok(heading_in(job, Path::new(THE_HEADER), header)?.1.bytes.len())
}

/// Returns the heading of a job, and what it is in the first lines of an input.
fn heading_in(job: &SortJob, name: &Path, lines: &[u8]) -> Result<(Heading, Top)> {
    let heading = Heading::of(job.format, &job.header)?;
    let has_names = matches!(job.format, Format::Csv(CsvFormat { has_header: true, .. }));
    // Rows follow a header, or it would be taken for all of an input with other ends of rows.
    let is_followed = has_names && !lines.is_empty() && lines != BYTE_ORDER_MARK;
    let mut rest = lines.chain(if is_followed { b"\n".as_slice() } else { b"" });
    let (top, _) = heading
        .read(name, |buffer| rest.read(buffer).map_err(|error| Error::io("read", name, error)))?;
    Ok((heading, top))
}

/// Cuts a file into splits.
#[derive(Debug)]
pub struct SplitCutter {
    file: File,
    path: PathBuf,
    framing: Framing,
    end: u64,
    /// Bytes of a record that are read at most to find its end.
    record_bytes_max: usize,
}

impl SplitCutter {
    /// Returns the cutter of a file with records of this framing. No record has more than
    /// `record_bytes_max` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Config`].
    pub fn new(path: &Path, framing: Framing, record_bytes_max: usize) -> Result<Self> {
        let (file, end) = open(path)?;
        Ok(Self { file, path: path.to_owned(), framing, end, record_bytes_max })
    }

    /// Returns the splits of about `length` bytes from the record at `start` on.
    ///
    /// Records of one length and lines are found from anywhere. Of other formats, records show only
    /// from their beginning on, so all of the file is read once.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::BudgetExceeded`] for a record that is too long, and
    /// [`Error::Interrupted`] after a stop.
    pub fn splits(&self, start: u64, length: u64, progress: &Progress) -> Result<Vec<InputSplit>> {
        let mut starts = vec![start];
        let (mut at, length) = (start, length.max(1));
        while self.end.saturating_sub(at) > length + length / 4 {
            let next = match self.framing {
                Framing::Fixed(bytes) => Some(at + (length / bytes as u64).max(1) * bytes as u64),
                Framing::Terminated(_) => self.after_line(at + length)?,
                _ => self.after_records(at, length, progress)?,
            };
            match next.filter(|next| *next < self.end) {
                Some(next) => starts.push(next),
                None => break,
            }
            at = starts[starts.len() - 1];
        }
        let ends = starts.iter().skip(1).copied().chain([self.end]);
        let split =
            |(start, end)| InputSplit { path: self.path.clone(), start, end, is_compressed: false };
        Ok(starts.iter().copied().zip(ends).map(split).collect())
    }

    /// Returns the beginning of the first line at or after an offset that is not the first one.
    fn after_line(&self, offset: u64) -> Result<Option<u64>> {
        let (mut at, mut look) = (offset - 1, FIRST_LOOK);
        loop {
            let mut bytes = vec![0; look];
            let read = read_full(&self.file, &self.path, &mut bytes, at)?;
            // One byte before the offset may end a line. Then the line begins at the offset.
            if let Some(end) =
                bytes[..read].iter().position(|byte| *byte == self.framing.line_end())
            {
                return Ok(Some(at + end as u64 + 1));
            }
            if read < look {
                return Ok(None);
            }
            (at, look) = (at + read as u64, STEP);
        }
    }

    /// Returns the beginning of the first record that begins `length` bytes after the record at
    /// `start`, or later.
    fn after_records(&self, start: u64, length: u64, progress: &Progress) -> Result<Option<u64>> {
        let (mut at, mut held) = (start, Vec::new());
        loop {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let before = held.len();
            let room = self.record_bytes_max.saturating_sub(before);
            if room == 0 {
                return Err(self.too_long(at));
            }
            held.resize(before + STEP.max(before).min(room), 0);
            let offset = at + before as u64;
            let read = read_full(&self.file, &self.path, &mut held[before..], offset)?;
            let is_end = before + read < held.len();
            held.truncate(before + read);
            let whole = self.framing.whole_bytes(&held);
            let boundary = (start + length).saturating_sub(at) as usize;
            if let Some(found) = self.framing.first_from(&held[..whole], boundary) {
                return Ok(Some(at + found as u64));
            }
            if is_end {
                // The rest is no whole record; the sort reports it.
                return Ok((at + whole as u64 >= start + length).then_some(at + whole as u64));
            }
            held.drain(..whole);
            at += whole as u64;
        }
    }

    /// Returns the error for a record that has more bytes than a task can hold.
    fn too_long(&self, offset: u64) -> Error {
        let what = if matches!(self.framing, Framing::Quoted(_)) { "row" } else { "record" };
        let most = ByteSize(self.record_bytes_max as u64);
        let text = format!(
            "the {what} at byte {offset} has more than {most}, the most that fits in the memory \
             budget; give more with "
        );
        let message = Message::from(text);
        let memory = Reference::Setting(Setting::Memory, None);
        let message = if what == "row" {
            message.and(memory, ", or look for an unclosed quote there")
        } else {
            message.and(memory, ", or check ").and(Reference::Setting(Setting::Format, None), "")
        };
        Error::BudgetExceeded { path: self.path.clone(), message, least: None }
    }
}

/// Bytes of a split: the header, then the records.
#[derive(Debug)]
pub struct SplitBytes {
    file: File,
    path: PathBuf,
    header: Vec<u8>,
    /// Bytes of the header that were read.
    begun: usize,
    next: u64,
    end: u64,
}

impl SplitBytes {
    /// Opens a split of records under this header.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Config`].
    pub fn open(split: &InputSplit, header: &[u8]) -> Result<Self> {
        let (file, path) = (open(&split.path)?.0, split.path.clone());
        let (next, end) = (split.start, split.end);
        Ok(Self { file, path, header: header.to_vec(), begun: 0, next, end })
    }
}

impl Supply for SplitBytes {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let header = &self.header[self.begun..];
        let begun = header.len().min(buffer.len());
        buffer[..begun].copy_from_slice(&header[..begun]);
        self.begun += begun;
        let mut filled = begun;
        while filled < buffer.len() && self.next < self.end {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let left = (self.end - self.next).min(STEP as u64) as usize;
            let wanted = left.min(buffer.len() - filled);
            let piece = &mut buffer[filled..filled + wanted];
            let read = read_full(&self.file, &self.path, piece, self.next)?;
            (self.next, filled) = (self.next + read as u64, filled + read);
            if read < wanted {
                let message = format!("the file ends at byte {}, before its split", self.next);
                return Err(Error::Malformed { path: self.path.clone(), message: message.into() });
            }
        }
        Ok(filled)
    }
}
