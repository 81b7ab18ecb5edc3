//! Sorting a split into a run: a file of sorted records, and its index.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sortwell_engine::codec::Decompress;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{ConsumeTask, Consumer, Supplied};
use sortwell_engine::job::{Input, Output, RowKeys, SortJob};
use sortwell_engine::proof::Sum;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};
use xxhash_rust::xxh3::Xxh3;

use crate::run_index::{IndexEntry, RunIndex};
use crate::split::{InputSplit, SplitBytes, header_bytes, read_full, row_keys};

/// Bytes of records between two entries of the index, at most, and entries of a small run.
const SPACING: u64 = 64 << 10;
const ENTRIES: u64 = 1024;

/// Bytes of a key from which on its length decides the distance to the next entry.
const LONG_KEY: usize = 1024;

/// Bytes of records for each byte of a long key in the index.
const SPACING_OF_LONG_KEY: u64 = 64;

/// Bytes of records that are looked through and written at once, if they come in small blocks.
const PIECE: usize = 1 << 20;

/// Least bytes of a block that is written from where it is.
const LARGE: usize = 64 << 10;

/// Bytes that are added at first to the beginning of a record.
const FIRST_JOINED: usize = 4 << 10;

/// Bytes that are read at once for a checksum: they stay in the caches of the processor.
const CHECKED: usize = 128 << 10;

/// Returns the path of the index of a run.
pub fn index_path(run: &Path) -> PathBuf {
    let mut name = run.as_os_str().to_owned();
    name.push(".index");
    name.into()
}

/// Returns the XXH3 of a range of a run.
///
/// # Errors
///
/// [`Error::Io`], and [`Error::Malformed`] for a run that ends before the range.
pub fn range_checksum(run: &Path, start: u64, end: u64) -> Result<u64> {
    let file = File::open(run).map_err(|error| Error::io("open", run, error))?;
    let (mut hasher, mut buffer, mut at) = (Xxh3::new(), vec![0; CHECKED], start);
    while at < end {
        let wanted = (end - at).min(CHECKED as u64) as usize;
        let read = read_full(&file, run, &mut buffer[..wanted], at)?;
        hasher.update(&buffer[..read]);
        at += read as u64;
        if read < wanted {
            let message = format!("the run ends at byte {at}");
            return Err(Error::Malformed { path: run.to_owned(), message: message.into() });
        }
    }
    Ok(hasher.digest())
}

/// The sort of one split into one run.
#[derive(Debug)]
pub struct RunJob<'a> {
    /// Format, keys, conditions and resources. Its inputs and output are not used.
    pub job: &'a SortJob,
    /// Format and keys by which the run will be cut: the first keys of the job, or all.
    pub cut_by: &'a SortJob,
    /// The records.
    pub split: InputSplit,
    /// The lines at the top of the file, with their ends.
    pub header: Vec<u8>,
    /// The file to write.
    pub run: PathBuf,
}

/// The result.
#[derive(Debug)]
pub struct MadeRun {
    /// Bytes of the run.
    pub bytes: u64,
    /// The index of the run.
    pub index: RunIndex,
    /// The sum of the records that were written: fewer than were read if equal ones became one.
    pub written: Sum,
    /// Statistics of the sort.
    pub statistics: Statistics,
}

impl RunJob<'_> {
    /// Sorts. After an error, neither the run nor its index exists.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that input, disks or options can cause.
    pub fn run(&self, progress: &Progress) -> Result<MadeRun> {
        let made = self.carry_out(progress);
        if made.is_err() {
            for path in [self.run.clone(), index_path(&self.run)] {
                // There may be none, and the error matters more.
                std::fs::remove_file(path).ok();
            }
        }
        made
    }

    fn carry_out(&self, progress: &Progress) -> Result<MadeRun> {
        let rows = row_keys(self.cut_by, &self.header)?;
        // The run begins after the header of the output.
        let found = header_bytes(self.job, &self.header)?;
        assert_eq!(found, self.header.len(), "a header that records follow");
        let file = File::create(&self.run);
        let file = file.map_err(|error| Error::io("create", &self.run, error))?;
        let (path, header) = (self.run.clone(), self.header.len() as u64);
        let spacing = ((self.split.end - self.split.start) / ENTRIES).min(SPACING);
        let noted = Mutex::default();
        let writer = IndexedRunWriter { file, path, header, spacing, rows, noted };
        let writer = Arc::new(writer);
        let mut job = self.job.clone();
        job.inputs = vec![if self.split.is_compressed {
            job.decompress = Decompress::Auto;
            Input::File(self.split.path.clone())
        } else {
            let bytes = SplitBytes::open(&self.split, &self.header)?;
            Input::Supplied(Supplied::new(&self.split.path, bytes))
        }];
        job.output = Output::Pipe(Outlet::consumer(Arc::<IndexedRunWriter>::clone(&writer)));
        let statistics = job.run(progress)?;
        let length = writer.file.metadata();
        let bytes = length.map_err(|error| Error::io("read", &self.run, error))?.len();
        let NotedRecords { entries, written } = std::mem::take(&mut *writer.noted());
        let index = RunIndex::new(entries, bytes);
        index.write(&index_path(&self.run))?;
        Ok(MadeRun { bytes, index, written, statistics })
    }
}

/// Writes sorted records to a file, and notes keys of some of them.
struct IndexedRunWriter {
    file: File,
    path: PathBuf,
    /// Bytes before the first record, which are not written.
    header: u64,
    /// Least bytes of records between two entries of the index.
    spacing: u64,
    rows: RowKeys,
    noted: Mutex<NotedRecords>,
}

/// Entries of the index, and the sum of the records that were written.
#[derive(Default)]
struct NotedRecords {
    entries: Vec<IndexEntry>,
    written: Sum,
}

impl IndexedRunWriter {
    fn noted(&self) -> std::sync::MutexGuard<'_, NotedRecords> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer for IndexedRunWriter {
    fn begin(&self, offset: u64) -> Box<dyn ConsumeTask + '_> {
        let next = offset.checked_sub(self.header);
        let (offset, wanted) = (next.unwrap_or_default(), next.unwrap_or_default());
        let is_header = next.is_none();
        let (unfinished, noted) = (Vec::new(), NotedRecords::default());
        Box::new(RunTask { writer: self, is_header, offset, wanted, unfinished, noted })
    }
}

/// One task of records.
struct RunTask<'a> {
    writer: &'a IndexedRunWriter,
    is_header: bool,
    /// Offset in the run of the first byte that is not written yet.
    offset: u64,
    /// The least offset of the next record to note.
    wanted: u64,
    /// Bytes that are not written yet.
    unfinished: Vec<u8>,
    noted: NotedRecords,
}

impl RunTask<'_> {
    /// Notes and writes the whole records of `bytes`. Returns how many bytes that are.
    fn pass(&mut self, bytes: &[u8]) -> Result<usize> {
        let framing = self.writer.rows.framing();
        let whole = framing.whole_bytes(bytes);
        let (offset, bytes) = (self.offset, &bytes[..whole]);
        self.noted.written.add_all(framing, bytes);
        self.note_entries(bytes)?;
        let written = self.writer.file.write_all_at(bytes, offset);
        written.map_err(|error| self.failed(error))?;
        self.offset += whole as u64;
        Ok(whole)
    }

    /// Notes the keys of some of these whole records.
    fn note_entries(&mut self, bytes: &[u8]) -> Result<()> {
        let IndexedRunWriter { rows, spacing, .. } = self.writer;
        let (framing, mut next) = (rows.framing(), 0);
        loop {
            let boundary = self.wanted.saturating_sub(self.offset + next as u64) as usize;
            let Some(skipped) = framing.first_from(&bytes[next..], boundary) else { return Ok(()) };
            let start = next + skipped;
            let left = &bytes[start..];
            let record = &left[..framing.whole_length(left).unwrap_or(left.len())];
            let offset = self.offset + start as u64;
            let noted = rows.each(record, |row| {
                let mut key = Vec::new();
                row.append_key(&mut key);
                let is_long = key.len() > LONG_KEY;
                let least = if is_long { key.len() as u64 * SPACING_OF_LONG_KEY } else { 0 };
                self.wanted = offset + least.max(*spacing);
                self.noted.entries.push(IndexEntry { offset, key });
            });
            if let Err(fault) = noted {
                let path = self.writer.path.clone();
                return Err(Error::Malformed { path, message: fault.message });
            }
            next = start + record.len();
        }
    }

    /// Passes what is left, with the end of its last record, which `bytes` begin with. Returns how
    /// many of `bytes` were taken for it: all if the record has no end there.
    fn complete(&mut self, joined: &mut Vec<u8>, bytes: &[u8]) -> Result<usize> {
        let (before, mut taken) = (joined.len(), 0);
        while taken < bytes.len() {
            let count = joined.len().max(FIRST_JOINED).min(bytes.len() - taken);
            joined.extend_from_slice(&bytes[taken..taken + count]);
            taken += count;
            let whole = self.writer.rows.framing().whole_bytes(joined);
            if whole >= before {
                self.pass(&joined[..whole])?;
                joined.clear();
                return Ok(whole - before);
            }
        }
        Ok(taken)
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::io_at("write", &self.writer.path, self.offset, error)
    }
}

impl ConsumeTask for RunTask<'_> {
    fn take(&mut self, mut bytes: &[u8]) -> Result<()> {
        if self.is_header {
            return Ok(());
        }
        let mut joined = std::mem::take(&mut self.unfinished);
        if bytes.len() >= LARGE {
            if !joined.is_empty() {
                bytes = &bytes[self.complete(&mut joined, bytes)?..];
            }
            bytes = &bytes[self.pass(bytes)?..];
        }
        joined.extend_from_slice(bytes);
        if joined.len() >= PIECE {
            let whole = self.pass(&joined)?;
            joined.drain(..whole);
        }
        self.unfinished = joined;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let last = std::mem::take(&mut self.unfinished);
        let whole = self.pass(&last)?;
        if whole < last.len() {
            return Err(Error::Changed { expected: whole as u64, found: last.len() as u64 });
        }
        let Self { writer, noted, .. } = *self;
        let mut all = writer.noted();
        all.entries.extend(noted.entries);
        all.written.add(noted.written);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
