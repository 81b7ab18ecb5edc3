//! An output in several files: all of them appear, each whole, or none does.
//!
//! They are written in a directory of our own beside their names, and get these one after the other
//! when all are complete. A file is open only while it is written. The first rename may replace a
//! file, so whatever would stop a later one is looked for before it.

use std::collections::{HashMap, HashSet};
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
    directory_of, rename_target, sync_directory,
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

/// A file of one output. There may be a hundred thousand, so paths are made when they are needed.
#[derive(Debug)]
struct OutputPart {
    /// The part of its name that is its own.
    name: Box<str>,
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
        self.check_targets(&made)?;
        let directories = self.directories(&made)?;
        directories.iter().try_for_each(|(path, target)| self.check_reachable(path, target))?;
        for (number, part) in made.iter().enumerate() {
            self.complete(number, part, sync)?;
        }
        for (number, part) in made.iter().enumerate() {
            let path = self.path_of(part);
            let renamed = target_of(&path).and_then(|target| {
                let renamed = fs::rename(self.temporary(number), target);
                renamed.map_err(|e| Error::io("replace", &path, e))
            });
            let Err(e) = renamed else { continue };
            for named in &made[..number] {
                // What cannot be removed either is named by the error that led here.
                let _ = target_of(&self.path_of(named)).map(fs::remove_file);
            }
            return Err(e);
        }
        if sync {
            directories.iter().try_for_each(|(_, target)| sync_directory(directory_of(target)))?;
        }
        Ok(())
    }

    /// Returns the path of the file number `number`, from 0, on its way.
    fn temporary(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("part-{number:06}"))
    }

    /// Returns the path that a part gets.
    fn path_of(&self, part: &OutputPart) -> PathBuf {
        named(&self.path, &part.name)
    }

    /// Checks that no two parts have one target.
    fn check_targets(&self, made: &[OutputPart]) -> Result<()> {
        let mut targets = HashMap::new();
        let links = made.iter().map(|part| self.path_of(part)).filter(|path| path.is_symlink());
        for path in links {
            let identity = NameIdentity::of(&rename_target(&path)?);
            if let Some(other) = targets.insert(identity, path.clone()) {
                return Err(one_target(&other, &path));
            }
        }
        if targets.is_empty() {
            return Ok(()); // names differ
        }
        for path in made.iter().map(|part| self.path_of(part)).filter(|path| !path.is_symlink()) {
            if let Some(link) = targets.get(&NameIdentity::of(&path)) {
                return Err(one_target(&path, link));
            }
        }
        Ok(())
    }

    /// Returns the path and the target of the first part in each directory of targets.
    fn directories(&self, made: &[OutputPart]) -> Result<Vec<(PathBuf, PathBuf)>> {
        let (mut directories, mut known) = (Vec::new(), HashSet::new());
        for part in made {
            let path = self.path_of(part);
            let target = target_of(&path)?;
            if known.insert(DirectoryIdentity::of(directory_of(&target))) {
                directories.push((path, target));
            }
        }
        Ok(directories)
    }

    /// Checks that a part can be renamed to its target: both are on one mount of one file system,
    /// and the directory of the target may be written to.
    fn check_reachable(&self, path: &Path, target: &Path) -> Result<()> {
        let failed = |e| Error::io("write", path, e);
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
            path.display(),
            self.path.display(),
        ))
    }

    /// Gives a file its length and its permissions, and checks that it may have its name.
    fn complete(&self, number: usize, part: &OutputPart, sync: bool) -> Result<()> {
        let path = self.path_of(part);
        let failed = |e| Error::io("write", &path, e);
        let file = OpenOptions::new().write(true).open(self.temporary(number)).map_err(failed)?;
        file.set_len(part.bytes).map_err(failed)?;
        // Until now it was for nobody else to see.
        let mode = Permissions::from_mode(0o666 & !limits::umask());
        file.set_permissions(mode).map_err(failed)?;
        if sync {
            file.sync_data().map_err(failed)?;
        }
        if path.is_dir() {
            return Err(Error::io("replace", &path, rustix::io::Errno::ISDIR));
        }
        if self.force { Ok(()) } else { check_replaceable(&path) }
    }
}

/// Returns the path that a part with this path is renamed to, with symbolic links followed.
fn target_of(path: &Path) -> Result<PathBuf> {
    if path.is_symlink() { rename_target(path) } else { Ok(path.to_owned()) }
}

/// Returns the error for two parts with one target.
fn one_target(path: &Path, other: &Path) -> Error {
    config!(
        ConfigErrorKind::InvalidPath,
        "{} and {} lead to one file; remove the symbolic link",
        path.display(),
        other.display(),
    )
}

impl PartFiles for OutputParts {
    fn open(&self, name: &str) -> Result<Sink> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let path = named(&self.path, name);
        check_name(&path)?;
        let file = File::create(&self.temporary(made.len()), self.direct)?.called(&path);
        let granule = granule(&file);
        made.push(OutputPart { name: name.into(), bytes: 0 });
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
