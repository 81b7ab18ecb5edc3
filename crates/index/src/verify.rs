//! Checking every entry of an index against its data, and writing the data in its order.

use std::os::fd::AsFd;

use rustix::fs::{Access, access};
use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::HeaderLines;
use sortwell_engine::io::{File, Supplied, directory_of};
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::stats::{Phase, Progress, Statistics};
use sortwell_engine::{Error, Result};

use crate::build::{BuildJob, OpenData, SortSettings};
use crate::description::{Description, ENTRIES};
use crate::entry::Parsed;
use crate::index::Index;
use crate::lmdb::pages::Pages;
use crate::lmdb::reader::TreeCursor;
use crate::matches::parsed;
use crate::scanned::ExpandedBytes;
use crate::source::allow_open_files;
use crate::store::IndexTarget;

/// Resources of a long operation on an index.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Directories for temporary files; the first also gets the index that is built to compare.
    /// Empty means that of the index if it can be written to, otherwise that of the system; and in
    /// an export the default of a sort.
    pub temp: Vec<std::path::PathBuf>,
}

/// The first bytes of the last key that was cut, and its ordinal.
#[derive(Debug, Default)]
struct CutKey {
    key: Vec<u8>,
    ordinal: u64,
}

impl CutKey {
    /// Passes an entry. Returns false if its key begins as the one before, and its ordinal is not
    /// greater: a search needs that.
    fn pass(&mut self, entry: &Parsed<'_>) -> bool {
        let Some(ordinal) = entry.ordinal else { return true };
        let grows = self.key != entry.key || ordinal > self.ordinal;
        self.key.clear();
        self.key.extend_from_slice(entry.key);
        self.ordinal = ordinal;
        grows
    }
}

/// The first difference between an index and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongEntry {
    /// Number of the entry in the order of the index, from 1.
    pub entry: u64,
    /// The difference, in words.
    pub words: String,
}

impl Index {
    /// Compares all entries with those of an index that is built again from the data. Returns the
    /// first difference, if there is one.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause.
    pub fn verify(&self, effort: &Effort, progress: &Progress) -> Result<Option<WrongEntry>> {
        let Description { format, keys, order, unique, include, data, .. } = self.description();
        let own = directory_of(self.path());
        let temp = match effort.temp.as_slice() {
            [] if access(own, Access::WRITE_OK).is_ok() => vec![own.to_owned()],
            [] => vec![std::env::temp_dir()],
            temp => temp.to_vec(),
        };
        let job = BuildJob {
            data: Vec::new(),
            output: temp[0].join("sortwell-verify"),
            format: *format,
            keys: keys.clone(),
            order: order.clone(),
            header: HeaderLines::NONE,
            include: include.clone(),
            target: IndexTarget::Lmdb,
            unique: *unique,
            memory: effort.memory,
            threads: effort.threads,
            temp,
            sort: SortSettings::default(),
            force: true,
            sync: false,
            resume: false,
        };
        allow_open_files(data.len())?;
        let mut open = OpenData { data: data.clone(), files: Vec::new(), columns: None };
        for (number, data) in data.iter().enumerate() {
            let is_last = number + 1 == open.data.len();
            open.files.push(data.scanned(number, data.reopen(is_last)?));
        }
        open.columns = self.description().columns_in(data)?;
        let (temporary, _) = job.build(open, None, false, progress)?;
        progress.enter(Phase::Validating);
        self.compare(temporary.file(), progress)
    }

    /// Compares the entries with those of another index of the same data.
    fn compare(&self, other: &File, progress: &Progress) -> Result<Option<WrongEntry>> {
        let path = other.path();
        let copy = other.as_fd().try_clone_to_owned();
        let copy = copy.map_err(|error| Error::io("use", path, error))?;
        let (pages, names) = Pages::of(copy.into(), path)?;
        let mut wanted = TreeCursor::new(&pages, pages.tree(names, ENTRIES)?);
        let mut found = TreeCursor::new(self.pages(), self.tree());
        wanted.seek_first()?;
        found.seek_first()?;
        let mut before = CutKey::default();
        for entry in 1.. {
            if entry % 65_536 == 0 && progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let words = match (parsed(self, &mut found)?, parsed(self, &mut wanted)?) {
                (None, None) => break,
                (Some(found), Some(wanted)) => {
                    let missed = || {
                        format!(
                            "a search may miss {}: its ordinal does not grow",
                            self.record(&found)
                        )
                    };
                    let words = self.difference(&found, &wanted);
                    words.or_else(|| (!before.pass(&found)).then(missed))
                }
                (Some(found), None) => Some(format!("{} is not in the data", self.record(&found))),
                (None, Some(wanted)) => Some(format!("{} has no entry", self.record(&wanted))),
            };
            if let Some(words) = words {
                return Ok(Some(WrongEntry { entry, words }));
            }
            found.step()?;
            wanted.step()?;
        }
        Ok(None)
    }

    /// Returns how an entry differs from the one that is wanted. The ordinals of cut keys do not
    /// count: those of a build are not those of an append.
    fn difference(&self, found: &Parsed<'_>, wanted: &Parsed<'_>) -> Option<String> {
        let why = if found.position != wanted.position {
            let (is, should) = (self.record(found), self.record(wanted));
            return Some(format!("it is of {is}, and should be of {should}"));
        } else if (found.key, found.rest) != (wanted.key, wanted.rest) {
            "it does not have the key"
        } else if found.length != wanted.length {
            "it does not have the length"
        } else if found.columns != wanted.columns {
            "it does not have the included parts"
        } else {
            return None;
        };
        Some(format!("{why} of {}", self.record(found)))
    }

    /// Returns the place of the record of an entry, in words.
    fn record(&self, entry: &Parsed<'_>) -> String {
        let (file, offset) = self.place(entry.position);
        format!("the record at offset {offset} of {}", self.data_path(file).display())
    }

    /// Writes the records in the order of the index: a sort of the data by its keys. With
    /// `force`, an output that has no write permission is replaced too.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause.
    pub fn export(
        &self,
        output: Output,
        force: bool,
        effort: &Effort,
        progress: &Progress,
    ) -> Result<Statistics> {
        let Description { format, keys, order, header, unique, data, .. } = self.description();
        if let Output::File(path) = &output
            && self.pages().is_at(path)
        {
            let message = format!("{} is the index; give the output another name", path.display());
            return Err(Error::config(ConfigErrorKind::InvalidPath, message));
        }
        allow_open_files(data.len())?;
        let inputs = data.iter().map(|data| {
            let file = data.reopen_stale()?;
            let found = file.metadata().map_err(|error| Error::io("open", &data.path, error))?;
            // What was added to a file since then is not in the index.
            if !data.is_bgzf && found.len() == data.bytes {
                return Ok(Input::File(data.path.clone()));
            }
            let bytes = ExpandedBytes::new(data.scanned(0, file));
            Ok(Input::Supplied(Supplied::new(&data.path, bytes)))
        });
        let mut job = SortJob::new(inputs.collect::<Result<_>>()?, output, *format);
        job.header = header.clone();
        (job.keys, job.order) = (keys.clone(), order.clone());
        (job.select.unique, job.force) = (*unique, force);
        (job.memory, job.threads, job.temp) = (effort.memory, effort.threads, effort.temp.clone());
        job.run(progress)
    }
}
