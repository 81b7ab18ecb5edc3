//! An output in several files: all of them appear, each whole, or none does.
//!
//! They are written in a directory of our own beside their names, and get these one after the other
//! when all are complete. A file is open only while it is written.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::granule;
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::io::{
    Direct, DirectoryIdentity, File, SpillDirectory, check_replaceable, directory_of, rename_target,
};
use crate::operator::PartFiles;
use crate::sink::{FileSink, Sink};
use crate::sys::limits;

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
    /// The errors of the system; then none of the files is there.
    pub fn finish(&self, sync: bool) -> Result<()> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for part in made.iter() {
            let failed = |e| Error::io("write", &part.path, e);
            let file = OpenOptions::new().write(true).open(&part.temporary).map_err(failed)?;
            file.set_len(part.bytes).map_err(failed)?;
            // Until now it was for nobody else to see.
            let mode = Permissions::from_mode(0o666 & !limits::umask());
            file.set_permissions(mode).map_err(failed)?;
            if sync {
                file.sync_data().map_err(failed)?;
            }
            if part.path.is_dir() {
                return Err(Error::io("replace", &part.path, rustix::io::Errno::ISDIR));
            }
            if !self.force {
                check_replaceable(&part.path)?;
            }
        }
        let targets: Vec<PathBuf> =
            made.iter().map(|part| rename_target(&part.path)).collect::<Result<_>>()?;
        for (number, (part, target)) in made.iter().zip(&targets).enumerate() {
            let Err(e) = fs::rename(&part.temporary, target) else { continue };
            for named in &targets[..number] {
                // What cannot be removed either is named by the error that led here.
                let _ = fs::remove_file(named);
            }
            return Err(Error::io("replace", &part.path, e));
        }
        let directory = directory_of(&self.path);
        if sync {
            let synced = fs::File::open(directory).and_then(|directory| directory.sync_all());
            synced.map_err(|e| Error::io("make durable", directory, e))?;
        }
        Ok(())
    }
}

impl PartFiles for OutputParts {
    fn open(&self, name: &str) -> Result<Sink> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let temporary = self.directory.path().join(format!("part-{:06}", made.len()));
        let path = named(&self.path, name);
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
