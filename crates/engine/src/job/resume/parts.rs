//! Sorted parts of the input of a larger job, kept until that job is done.
//!
//! The build of an index sorts its entries in parts, each by a sort job of its own, and merges
//! them. A part is a file in a spill directory, whole and durable when the manifest notes it.

use std::fs;
use std::path::{Path, PathBuf};

use super::wanted::Wanted;
use super::{bytes_of, job_in, parent_of, real, running};
use crate::error::{ConfigErrorKind, Error, Operation, Result, config};
use crate::io::{KEPT_NAME, SpillDirectory, TempFile, spill_directories};
use crate::load::InputPlace;
use crate::manifest::{LogEntry, Manifest, PartEntry, Past};

/// The sorted parts of a job.
#[derive(Debug)]
pub struct KeptParts {
    directory: SpillDirectory,
    manifest: Manifest,
    parts: Vec<PartEntry>,
}

impl KeptParts {
    /// Returns what a job that makes `output` of `inputs` has left in `place`, or begins there.
    /// `settings` are the names and values of all that the output depends on.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where the output was begun by a job with other settings, or by one that is
    /// still running; [`Error::Malformed`] where an input has changed since.
    pub fn open(
        output: &Path,
        inputs: &[PathBuf],
        settings: &[(&'static str, String)],
        place: &Path,
    ) -> Result<Self> {
        let wanted = Wanted::parts(output, inputs, settings)?;
        for directory in spill_directories(&real(place)?)? {
            if let Some(kept) = Self::of_directory(&wanted, &directory)? {
                return Ok(kept);
            }
        }
        let mut directory = SpillDirectory::create(place)?;
        let path = real(directory.path())?;
        let part = TempFile::part_path(&wanted.output)?;
        let entry = wanted.entry(&part, [path.as_path()].into_iter());
        let manifest = Manifest::create(directory.path(), &entry)?;
        directory.keep(true);
        Ok(Self { directory, manifest, parts: Vec::new() })
    }

    fn of_directory(wanted: &Wanted, path: &Path) -> Result<Option<Self>> {
        let Some(entry) = job_in(path, &wanted.output)? else { return Ok(None) };
        let Some(mut directory) = SpillDirectory::adopt(path)? else {
            return Err(running(&wanted.output, path));
        };
        let (manifest, entries) = Manifest::open(path)?;
        let (_, past) = Past::of(&path.join(KEPT_NAME), entries)?;
        match wanted.check_same(&entry, parent_of(path)) {
            Err(_) if past.parts.is_empty() => {
                directory.keep(false);
                return Ok(None);
            }
            same => same?,
        }
        let kept = Self { directory, manifest, parts: past.parts };
        for (part, number) in kept.parts.iter().zip(0..) {
            let path = kept.path_of(number);
            if bytes_of(&path)? != Some(part.bytes) {
                return Err(config!(
                    ConfigErrorKind::ResumeMismatch,
                    "{}, a file of the saved work, is missing or has another length; remove the \
                     rest with {}",
                    path.display(),
                    Operation::CleanSpill.on(parent_of(kept.directory.path()).display()),
                ));
            }
        }
        Ok(Some(kept))
    }

    fn path_of(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("part-{number}"))
    }

    /// Returns the files of the parts, in the order of the input.
    pub fn paths(&self) -> Vec<PathBuf> {
        (0..self.parts.len()).map(|number| self.path_of(number)).collect()
    }

    /// Returns the number of records in all parts.
    pub fn records(&self) -> u64 {
        self.parts.iter().map(|part| part.records).sum()
    }

    /// Returns the place at which the next part begins, or `None` before the first one.
    pub fn next(&self) -> Option<InputPlace> {
        self.parts.last().map(|part| part.next)
    }

    /// Returns the path for the next part, which a job makes whole and durable.
    pub fn next_path(&self) -> PathBuf {
        self.path_of(self.parts.len())
    }

    /// Notes that the next part is whole. It has this number of records, and the part after it
    /// begins at `next`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn note(&mut self, records: u64, next: InputPlace) -> Result<()> {
        let path = self.next_path();
        let bytes = fs::metadata(&path).map_err(|e| Error::io("look at", &path, e))?.len();
        let part = PartEntry { records, bytes, next };
        self.manifest.append(&LogEntry::Part(part.clone()))?;
        self.parts.push(part);
        Ok(())
    }

    /// Removes the parts of a job that is done.
    pub fn finish(mut self) {
        self.directory.keep(false);
    }

    /// Gives up on `error`. The parts stay if the same job can continue with them later.
    pub fn abandon(mut self, error: Error) -> Error {
        if self.parts.is_empty() || error.is_damage() {
            self.directory.keep(false);
            return error;
        }
        let directory = self.directory.path().to_owned();
        Error::Kept { is_in_place: false, directory, error: Box::new(error) }
    }
}
