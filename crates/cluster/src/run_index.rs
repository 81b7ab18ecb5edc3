//! The index of a run: keys of records at distances of about 64 KiB, and searches for a key.
//!
//! A cut between two parts of the output is the place of one record among all: its key, the number
//! of its split, its offset in the run. Every run is cut there, exactly:
//!
//! ```text
//!   runs of earlier splits   after the last record with the key
//!   the run of the split     before the record
//!   runs of later splits     before the first record with the key
//! ```

use std::fs::File;
use std::path::{Path, PathBuf};

use sortwell_engine::job::RowKeys;
use sortwell_engine::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::split::read_full;

/// First bytes of an index.
const MAGIC: &[u8; 8] = b"SWRIDX01";

/// A record of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Offset of the record in the run.
    pub offset: u64,
    /// Its normalized key.
    pub key: Vec<u8>,
}

/// Some of the records of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunIndex {
    entries: Vec<IndexEntry>,
    /// Bytes of the run.
    bytes: u64,
}

impl RunIndex {
    /// Returns the index of a run with these entries, which come in any order.
    pub fn new(mut entries: Vec<IndexEntry>, bytes: u64) -> Self {
        entries.sort_unstable_by_key(|entry| entry.offset);
        Self { entries, bytes }
    }

    /// Returns up to about `most` entries at even distances, each with the bytes up to the next
    /// one.
    pub fn some(&self, most: usize) -> Vec<(&IndexEntry, u64)> {
        let step = self.entries.len().div_ceil(most.max(1)).max(1);
        let some: Vec<_> = self.entries.iter().step_by(step).collect();
        let ends = some.iter().skip(1).map(|entry| entry.offset).chain([self.bytes]);
        some.iter().zip(ends).map(|(entry, end)| (*entry, end - entry.offset)).collect()
    }

    /// Writes the index to a file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.bytes.to_le_bytes());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.offset.to_le_bytes());
            bytes.extend_from_slice(&(entry.key.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&entry.key);
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        std::fs::write(path, &bytes).map_err(|error| Error::io("write", path, error))
    }

    /// Reads an index.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a file that is damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
        Self::parse(&bytes).ok_or_else(|| {
            let message = "the index of the run is damaged".into();
            Error::Malformed { path: path.to_owned(), message }
        })
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<8>()?;
        if xxh3_64(content) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut rest = content.strip_prefix(MAGIC)?;
        let bytes = number(&mut rest)?;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let (offset, length) = (number(&mut rest)?, number(&mut rest)?);
            let (key, others) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            entries.push(IndexEntry { offset, key: key.to_vec() });
            rest = others;
        }
        let is_ordered = entries.is_sorted_by(|a, b| a.offset < b.offset);
        (is_ordered && entries.last().is_none_or(|last| last.offset < bytes))
            .then_some(Self { entries, bytes })
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*first))
}

/// The side of the records with a key on which a run is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutSide {
    /// Before the first of them.
    Before,
    /// After the last of them.
    After,
}

/// A place in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCut {
    /// Normalized key.
    pub key: Vec<u8>,
    /// CutSide of the records with the key.
    pub side: CutSide,
}

impl RunCut {
    /// Returns whether records with a key come before the cut.
    fn is_after(&self, key: &[u8]) -> bool {
        key < self.key.as_slice() || (self.side == CutSide::After && key == self.key)
    }
}

/// A run that is searched.
#[derive(Debug)]
pub struct SearchedRun {
    file: File,
    path: PathBuf,
    index: RunIndex,
}

impl SearchedRun {
    /// Opens a run and reads its index.
    ///
    /// # Errors
    ///
    /// Those of [`RunIndex::read`], and [`Error::Malformed`] for a run of another length.
    pub fn open(run: &Path) -> Result<Self> {
        let index = RunIndex::read(&crate::index_path(run))?;
        let failed = |error| Error::io("open", run, error);
        let file = File::open(run).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        if bytes != index.bytes {
            let message = format!("the run has {bytes} bytes, and had {}", index.bytes);
            return Err(Error::Malformed { path: run.to_owned(), message: message.into() });
        }
        Ok(Self { file, path: run.to_owned(), index })
    }

    /// Returns the keys of the last record before an offset and of the first one after it, where
    /// there are such records.
    ///
    /// # Errors
    ///
    /// Those of [`offset`](Self::offset), and [`Error::Malformed`] for an offset at which no record
    /// begins.
    pub fn neighbours(&self, rows: &RowKeys, offset: u64) -> Result<[Option<Vec<u8>>; 2]> {
        let entries = &self.index.entries;
        let next = entries.partition_point(|entry| entry.offset < offset);
        let start = next.checked_sub(1).map_or(0, |before| entries[before].offset);
        let last = entries.partition_point(|entry| entry.offset <= offset);
        let end = entries.get(last).map_or(self.index.bytes, |entry| entry.offset);
        let (mut before, mut after, mut is_found) = (None, None, offset == self.index.bytes);
        self.each(rows, start, end, |at, append| {
            let mut key = Vec::new();
            if at < offset {
                append(&mut key);
                before = Some(key);
            } else if after.is_none() {
                append(&mut key);
                (after, is_found) = (Some(key), at == offset);
            }
        })?;
        if is_found {
            return Ok([before, after]);
        }
        let message = format!("no record of the run begins at byte {offset}");
        Err(Error::Malformed { path: self.path.clone(), message: message.into() })
    }

    /// Calls `see` with the offset of each record from `start` to `end`, and with what appends its
    /// key.
    fn each(
        &self,
        rows: &RowKeys,
        start: u64,
        end: u64,
        mut see: impl FnMut(u64, &mut dyn FnMut(&mut Vec<u8>)),
    ) -> Result<()> {
        let mut records = vec![0; (end - start) as usize];
        let read = read_full(&self.file, &self.path, &mut records, start)?;
        records.truncate(read);
        let passed =
            rows.each(&records, |row| see(start + row.at as u64, &mut |key| row.append_key(key)));
        match passed {
            Ok(_) => Ok(()),
            Err(fault) => Err(Error::Malformed { path: self.path.clone(), message: fault.message }),
        }
    }

    /// Returns the offset of the first record after a cut.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for damaged records.
    pub fn offset(&self, rows: &RowKeys, cut: &RunCut) -> Result<u64> {
        let entries = &self.index.entries;
        let next = entries.partition_point(|entry| cut.is_after(&entry.key));
        let Some(before) = next.checked_sub(1) else { return Ok(0) };
        let start = entries[before].offset;
        let end = entries.get(next).map_or(self.index.bytes, |entry| entry.offset);
        let (mut found, mut key) = (None, Vec::new());
        self.each(rows, start, end, |at, append| {
            if found.is_none() {
                key.clear();
                append(&mut key);
                found = (!cut.is_after(&key)).then_some(at);
            }
        })?;
        Ok(found.unwrap_or(end))
    }
}
