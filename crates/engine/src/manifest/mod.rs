//! The manifest: what a job has done so far, so that another can continue it.
//!
//! A file of lines in a job's first spill directory, to which entries are appended and made durable
//! once what they speak of is durable itself. Each line is a checksum, over the checksum before it
//! and its own text, a space, and an [`LogEntry`] in JSON:
//!
//! ```text
//!     5c9e… {"job":{"output":"…","inputs":[…],…}}     first
//!     01bf… {"run":{…,"next":{"source":0,"offset":536870912}}}
//!     9a30… {"merged":{"range":[0,16],"run":{…}}}
//!     77d1… {"slab":{"bound":[0,4096],"ends":[…],"offset":…}}
//! ```
//!
//! A last line that is not whole was being written when its writer died; it is as if it were not
//! there. Anything else that is not as it was written is an error. `docs/manifest.md` has the form.

mod entry;
mod past;

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use memchr::memmem;
use rustix::fs::OFlags;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{ConfigErrorKind, Error, Operation, Result, Setting, config, message};
use crate::io::{KEPT_NAME, directory_of};
use crate::units::ByteSize;
use crate::units::text::AsText;

pub use entry::{
    GroupText, InputEntry, JobEntry, LogEntry, MergedEntry, PartEntry, RunEntry, SelectedEntry,
    SlabEntry, StreamsEntry, ValueText,
};
pub use past::{Past, PastMerge};

/// Digits of a checksum.
const DIGITS: usize = 16;

/// Longest line: a slab says a number for each run.
const LINE_MAX: u64 = 64 << 20;

/// A manifest, open for more.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    file: File,
    /// The checksum of the last line.
    chain: u64,
}

impl Manifest {
    /// Creates the manifest of a job in a directory of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where it has too many inputs to be read again.
    pub fn create(directory: &Path, job: &JobEntry) -> Result<Self> {
        let path = directory.join(KEPT_NAME);
        let first = PendingLine::of(&path, 0, &LogEntry::Job(job.clone()))?.checked()?;
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(|e| Error::io("create", &path, e))?;
        let mut manifest = Self { path, file, chain: 0 };
        manifest.add(first)?;
        Ok(manifest)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the manifest in a directory: what it says, and the means to continue it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where an entry is not as it was written.
    pub fn open(directory: &Path) -> Result<(Self, Vec<LogEntry>)> {
        let path = directory.join(KEPT_NAME);
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().read(true).append(true).custom_flags(flags).open(&path);
        let file = file.map_err(|e| Error::io("open", &path, e))?;
        let (entries, length, chain) = read(&path, &file, usize::MAX)?;
        // What is left of a line that was never finished goes.
        file.set_len(length).map_err(|e| Error::io("shorten", &path, e))?;
        Ok((Self { path, file, chain }, entries))
    }

    /// Reads the entries of the manifest in a directory, without changing it.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn look(directory: &Path) -> Result<Vec<LogEntry>> {
        let (path, file) = opened(directory)?;
        read(&path, &file, usize::MAX).map(|(entries, ..)| entries)
    }

    /// Reads the first entry of the manifest in a directory.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn first(directory: &Path) -> Result<Option<LogEntry>> {
        let (path, file) = opened(directory)?;
        read(&path, &file, 1).map(|(entries, ..)| entries.into_iter().next())
    }

    /// Returns whether the first line of the manifest in a directory, damaged or not, says that the
    /// output has this path.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn has_output(directory: &Path, output: &Path) -> Result<bool> {
        let (path, file) = opened(directory)?;
        let mut line = Vec::new();
        let read = BufReader::new(file).take(LINE_MAX).read_until(b'\n', &mut line);
        read.map_err(|e| Error::io("read", &path, e))?;
        let name = serde_json::to_string(&AsText(output.to_owned()))
            .map_err(|e| Error::io("read", &path, std::io::Error::from(e)))?;
        Ok(memmem::find(&line, format!("\"output\":{name}").as_bytes()).is_some())
    }

    /// Appends an entry and waits until it is durable.
    pub fn append(&mut self, entry: &LogEntry) -> Result<()> {
        self.add(PendingLine::of(&self.path, self.chain, entry)?.checked()?)
    }

    /// Appends an optional entry, and returns whether it was written. An entry that is too long to
    /// be read again is left out: its open group may have a long record.
    pub fn append_if_short(&mut self, entry: &LogEntry) -> Result<bool> {
        let line = PendingLine::of(&self.path, self.chain, entry)?;
        if line.is_too_long() {
            return Ok(false);
        }
        self.add(line).map(|()| true)
    }

    fn add(&mut self, PendingLine { text, sum }: PendingLine) -> Result<()> {
        let failed = |e: std::io::Error| Error::io("write", &self.path, e);
        self.file.write_all(text.as_bytes()).map_err(failed)?;
        self.file.sync_data().map_err(failed)?;
        self.chain = sum;
        Ok(())
    }
}

/// A line that is not written yet.
struct PendingLine {
    text: String,
    sum: u64,
}

impl PendingLine {
    /// Returns the line of `entry` after the one of checksum `before`.
    fn of(path: &Path, before: u64, entry: &LogEntry) -> Result<Self> {
        let text = serde_json::to_string(entry)
            .map_err(|e| Error::io("write", path, std::io::Error::from(e)))?;
        let sum = chained(before, text.as_bytes());
        Ok(Self { text: format!("{sum:0DIGITS$x} {text}\n"), sum })
    }

    /// Returns whether the line is too long to be read again.
    fn is_too_long(&self) -> bool {
        self.text.len() as u64 > LINE_MAX
    }

    /// Returns the line, unless it is too long to be read again.
    fn checked(self) -> Result<Self> {
        if self.is_too_long() {
            return Err(config!(
                ConfigErrorKind::Unsupported,
                "the saved state of this sort has {}, more than the limit of {}; join some of its \
                 inputs, or leave {} out",
                ByteSize(self.text.len() as u64),
                ByteSize(LINE_MAX),
                Setting::Resume,
            ));
        }
        Ok(self)
    }
}

/// Returns the checksum of a line after the one of checksum `before`.
fn chained(before: u64, text: &[u8]) -> u64 {
    xxh3_64(&[&before.to_le_bytes(), text].concat())
}

/// Returns the manifest in a directory, for reading alone.
fn opened(directory: &Path) -> Result<(PathBuf, File)> {
    let path = directory.join(KEPT_NAME);
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
        Ok(file) => Ok((path, file)),
        Err(e) => Err(Error::io("open", &path, e)),
    }
}

/// Returns the first `most` entries of a manifest, the bytes they take, and the last checksum. Of
/// slabs that follow each other, the last one alone is kept: a long sort notes thousands.
fn read(path: &Path, mut file: &File, most: usize) -> Result<(Vec<LogEntry>, u64, u64)> {
    let failed = |e: std::io::Error| Error::io("read", path, e);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut reader = BufReader::new(file);
    let (mut entries, mut lines, mut length, mut chain) = (Vec::new(), 0, 0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        if entries.len() == most {
            return Ok((entries, length, chain));
        }
        let bytes = (&mut reader).take(LINE_MAX).read_until(b'\n', &mut line).map_err(failed)?;
        if bytes == 0 {
            return Ok((entries, length, chain));
        }
        let Some((entry, sum)) = parsed(&line, chain) else {
            let is_last = reader.fill_buf().map_err(failed)?.is_empty();
            if is_last && line.last() != Some(&b'\n') {
                return Ok((entries, length, chain));
            }
            return Err(damaged(path, lines));
        };
        match (entries.last_mut(), &entry) {
            (Some(before @ LogEntry::Slab(_)), LogEntry::Slab(_)) => *before = entry,
            _ => entries.push(entry),
        }
        (lines, length, chain) = (lines + 1, length + bytes as u64, sum);
    }
}

/// Returns the directory that the spill directory of a manifest lies in.
fn place_of(manifest: &Path) -> &Path {
    directory_of(directory_of(manifest))
}

/// Returns the entry of a line, and its checksum.
fn parsed(line: &[u8], before: u64) -> Option<(LogEntry, u64)> {
    let (digits, rest) = line.split_at_checked(DIGITS)?;
    let text = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let sum = chained(before, text);
    let is_sealed = format!("{sum:0DIGITS$x}").as_bytes() == digits;
    let entry = is_sealed.then(|| serde_json::from_slice(text))?;
    entry.ok().map(|entry| (entry, sum))
}

fn damaged(path: &Path, number: u64) -> Error {
    // The first line says what job it was.
    let clean = if number == 0 { Operation::CleanAnySpill } else { Operation::CleanSpill };
    let message = message!(
        "the line of that number, from 0, is not as it was written; remove the saved work with {}",
        clean.on(place_of(path).display()),
    );
    Error::corrupt(path, number, message)
}

#[cfg(test)]
mod tests;
