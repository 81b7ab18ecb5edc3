//! An output in several files: all of them appear, each whole, or none does.
//!
//! They are written in a directory of our own beside their names, and get these one after the other
//! when all are complete. A file is open only while it is written. The first rename may replace a
//! file, so whatever would stop a later one is looked for before it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Access, access};

use super::granule;
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::io::{
    Direct, DirectoryIdentity, File, NameIdentity, SpillDirectory, check_name, check_replaceable,
    directory_of, distinct, rename_target, sync_directory,
};
use crate::operator::PartFiles;
use crate::sink::{FileSink, Sink};
use crate::sys::limits;

/// Name that no file has in the directory of the parts.
const MISSING: &str = "missing";

/// The files of one output.
#[derive(Debug)]
pub struct OutputParts {
    /// Path that the files' names are made of.
    path: PathBuf,
    directory: SpillDirectory,
    direct: Direct,
    /// Replaces files that have no write permission, too.
    force: bool,
    made: Mutex<Vec<OutputPart>>,
}

#[derive(Debug)]
struct OutputPart {
    temporary: PathBuf,
    path: PathBuf,
    bytes: u64,
}

impl OutputParts {
    /// Returns an output in files that will appear beside `path`, under names made of it.
    pub fn new(path: &Path, direct: Direct, force: bool) -> Result<Self> {
        if path.file_name().is_none() {
            return Err(config!(ConfigErrorKind::InvalidPath, "{} names no file", path.display()));
        }
        let directory = SpillDirectory::create(directory_of(path))?;
        Ok(Self { path: path.to_owned(), directory, direct, force, made: Mutex::default() })
    }

    /// Returns a sink that takes nothing, for callers that need one.
    pub fn no_sink(&self) -> Result<Sink> {
        let file = File::create(&self.directory.path().join("none"), self.direct)?;
        let granule = granule(&file);
        Ok(Sink::File(FileSink::growing(file, granule)))
    }

    /// Gives all files their names.
    ///
    /// # Errors
    ///
    /// The errors of the system, and those of names that the files cannot get together. Then none
    /// of the files is there, unless only the last sync failed.
    pub fn finish(&self, sync: bool) -> Result<()> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let targets = targets_of(&made)?;
        let directories = directories_of(&made, &targets);
        directories.iter().try_for_each(|(part, target)| self.check_reachable(part, target))?;
        made.iter().try_for_each(|part| part.complete(sync, self.force))?;
        for (number, (part, target)) in made.iter().zip(&targets).enumerate() {
            let Err(e) = fs::rename(&part.temporary, target) else { continue };
            for named in &targets[..number] {
                // What cannot be removed either is named by the error that led here.
                let _ = fs::remove_file(named);
            }
            return Err(Error::io("replace", &part.path, e));
        }
        if sync {
            directories.iter().try_for_each(|(_, target)| sync_directory(directory_of(target)))?;
        }
        Ok(())
    }

    /// Checks that a part can be renamed to its target: both are on one mount of one file system,
    /// and the directory of the target may be written to.
    fn check_reachable(&self, part: &OutputPart, target: &Path) -> Result<()> {
        let failed = |e| Error::io("write", &part.path, e);
        let (own, other) = (self.directory.path(), directory_of(target));
        access(other, Access::WRITE_OK | Access::EXEC_OK).map_err(|e| failed(e.into()))?;
        let device = |path: &Path| fs::metadata(path).map(|data| data.dev()).map_err(failed);
        let is_one_device = device(own)? == device(other)?;
        // The system compares the mounts before it looks for the file, which is missing.
        let renamed = fs::rename(own.join(MISSING), other.join(MISSING));
        let is_one_mount = !renamed.is_err_and(|e| e.kind() == ErrorKind::CrossesDevices);
        if is_one_device && is_one_mount {
            return Ok(());
        }
        Err(config!(
            ConfigErrorKind::InvalidPath,
            "{} leads to another file system than that of {}; an output that is split needs one \
             for all of its files",
            part.path.display(),
            self.path.display(),
        ))
    }
}

impl OutputPart {
    /// Gives the file its length and its permissions, and checks that it may have its name.
    fn complete(&self, sync: bool, force: bool) -> Result<()> {
        let failed = |e| Error::io("write", &self.path, e);
        let file = OpenOptions::new().write(true).open(&self.temporary).map_err(failed)?;
        file.set_len(self.bytes).map_err(failed)?;
        // Until now it was for nobody else to see.
        let mode = Permissions::from_mode(0o666 & !limits::umask());
        file.set_permissions(mode).map_err(failed)?;
        if sync {
            file.sync_data().map_err(failed)?;
        }
        if self.path.is_dir() {
            return Err(Error::io("replace", &self.path, rustix::io::Errno::ISDIR));
        }
        if force { Ok(()) } else { check_replaceable(&self.path) }
    }
}

/// Returns the path that each part is renamed to, with symbolic links followed.
///
/// # Errors
///
/// [`Error::Config`] for two parts with one target.
fn targets_of(made: &[OutputPart]) -> Result<Vec<PathBuf>> {
    let (mut targets, mut known) = (Vec::with_capacity(made.len()), HashMap::new());
    for OutputPart { path, .. } in made {
        let target = rename_target(path)?;
        if let Some(other) = known.insert(NameIdentity::of(&target), path) {
            return Err(config!(
                ConfigErrorKind::InvalidPath,
                "{} and {} lead to one file; remove the symbolic link",
                other.display(),
                path.display(),
            ));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Returns the first part in each directory of `targets`, and its target.
fn directories_of<'a>(
    made: &'a [OutputPart],
    targets: &'a [PathBuf],
) -> Vec<(&'a OutputPart, &'a PathBuf)> {
    let directory = |(_, target): &(_, &PathBuf)| DirectoryIdentity::of(directory_of(target));
    distinct(made.iter().zip(targets), directory)
}

impl PartFiles for OutputParts {
    fn open(&self, name: &str) -> Result<Sink> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let temporary = self.directory.path().join(format!("part-{:06}", made.len()));
        let path = named(&self.path, name);
        check_name(&path)?;
        let file = File::create(&temporary, self.direct)?.called(&path);
        let granule = granule(&file);
        made.push(OutputPart { temporary, path, bytes: 0 });
        Ok(Sink::File(FileSink::growing(file, granule)))
    }

    fn close(&self, bytes: u64) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = made.last_mut() {
            last.bytes = bytes;
        }
    }
}

/// Returns the path of a part: `out.csv` and `Berlin` give `out-Berlin.csv`.
fn named(path: &Path, name: &str) -> PathBuf {
    let [start, end] = around_name(path);
    path.with_file_name([&start, OsStr::new(name), &end].into_iter().collect::<OsString>())
}

/// Returns whether the output at `path`, if it is split, may have a file at `other`.
pub fn may_be_part(path: &Path, other: &Path) -> bool {
    let directory = |path: &Path| DirectoryIdentity::of(directory_of(path));
    let [start, end] = around_name(path);
    let name = other.file_name().unwrap_or_default().as_bytes();
    let rest = name.strip_prefix(start.as_bytes());
    rest.is_some_and(|rest| rest.ends_with(end.as_bytes())) && directory(path) == directory(other)
}

/// Returns the text before and after the part's own name in the name of its file.
fn around_name(path: &Path) -> [OsString; 2] {
    let mut start = path.file_stem().unwrap_or_default().to_owned();
    start.push("-");
    let mut end = OsString::new();
    if let Some(extension) = path.extension() {
        end.push(".");
        end.push(extension);
    }
    [start, end]
}

#[cfg(test)]
mod tests;
