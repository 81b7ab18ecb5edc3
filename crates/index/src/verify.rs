//! Checking every entry of an index against its data, and writing the data in its order.

use std::os::fd::AsFd;

use sortwell_engine::format::HeaderLines;
use sortwell_engine::io::{File, Supplied};
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

use crate::build::{BuildJob, OpenData, SortSettings};
use crate::description::{Description, ENTRIES};
use crate::index::Index;
use crate::lmdb::pages::Pages;
use crate::lmdb::reader::TreeCursor;
use crate::matches::place_of;
use crate::scanned::ExpandedBytes;

/// Resources of a long operation on an index.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Directories for temporary files; the first also gets the index that is built to compare.
    pub temp: Vec<std::path::PathBuf>,
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
        let temp = effort.temp.first().cloned().unwrap_or_else(std::env::temp_dir);
        let job = BuildJob {
            data: Vec::new(),
            output: temp.join("sortwell-verify"),
            format: *format,
            keys: keys.clone(),
            order: order.clone(),
            header: HeaderLines::NONE,
            include: include.clone(),
            unique: *unique,
            memory: effort.memory,
            threads: effort.threads,
            temp: vec![temp],
            sort: SortSettings::default(),
            force: true,
            sync: false,
            resume: false,
        };
        let mut open = OpenData { data: data.clone(), files: Vec::new(), columns: None };
        for (number, data) in data.iter().enumerate() {
            open.files.push(data.scanned(number, data.reopen(false)?));
        }
        open.columns = self.description().columns_in(data)?;
        let (temporary, _) = job.build(open, None, progress)?;
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
        for entry in 1.. {
            if entry % 65_536 == 0 && progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let words = match (found.entry()?, wanted.entry()?) {
                (None, None) => break,
                (Some(found), Some(wanted)) if found == wanted => None,
                (Some((key, value)), None) => {
                    Some(format!("{} is not in the data", place_of(self, key, value)))
                }
                (None, Some((key, value))) => {
                    Some(format!("{} has no entry", place_of(self, key, value)))
                }
                (Some((key, value)), Some((other, rest))) => {
                    let (is, should) = (place_of(self, key, value), place_of(self, other, rest));
                    Some(match is == should {
                        true => format!("it does not have the key of {is}"),
                        false => format!("it is of {is}, and should be of {should}"),
                    })
                }
            };
            if let Some(words) = words {
                return Ok(Some(WrongEntry { entry, words }));
            }
            found.step()?;
            wanted.step()?;
        }
        Ok(None)
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
        let inputs = data.iter().map(|data| {
            Ok(match data.is_bgzf {
                false => Input::File(data.path.clone()),
                true => {
                    let bytes = ExpandedBytes::new(data.scanned(0, data.reopen(true)?));
                    Input::Supplied(Supplied::new(&data.path, bytes))
                }
            })
        });
        let mut job = SortJob::new(inputs.collect::<Result<_>>()?, output, *format);
        job.header = header.clone();
        (job.keys, job.order) = (keys.clone(), order.clone());
        (job.select.unique, job.force) = (*unique, force);
        (job.memory, job.threads, job.temp) = (effort.memory, effort.threads, effort.temp.clone());
        job.run(progress)
    }
}
