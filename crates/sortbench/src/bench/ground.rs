//! The ground a bench stands on: a directory of its own that is removed after it, the files that it
//! sorts, and the means to make them cold.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise};
use sortwell::unstable::io::{Direct, File, SpillDirectory};
use sortwell::unstable::sys::{limits, space};
use sortwell::{ByteSize, ConfigErrorKind, Progress};
use sortwell::{Error, Result};

use super::confinement::Confinement;
use super::finding::FindingSetting;
use super::program::{Program, Trial};
use crate::place::measurement_directory;
use crate::{
    GeneratorDestination, MachineProperties, RECORD_LENGTH, RecordGeneration, SalesGeneration,
    generate, generate_sales,
};

/// Returns the error that sorts of at most `largest`, where there is `room`, are too small for
/// `what`.
pub fn too_small(what: &str, largest: Option<ByteSize>, room: u64) -> Error {
    match largest.filter(|largest| largest.0 < room) {
        Some(largest) => Error::config(
            ConfigErrorKind::InvalidValue,
            format!("--largest {largest} is too small for {what}; give a larger size"),
        ),
        None => Error::config(
            ConfigErrorKind::InvalidPath,
            format!("there is not enough space for {what}; name a directory on another disk"),
        ),
    }
}

/// Room that is left free on the disk, even if a bench could use it.
const MARGIN: u64 = 1 << 30;

/// Number of copies of the data that a sort has on the disk: input, runs and output.
pub const COPIES: u64 = 3;

/// Environment of every bench.
#[derive(Debug)]
pub struct Ground<'p> {
    directory: SpillDirectory,
    program: Program,
    /// Number of times that each measurement is repeated.
    pub runs: usize,
    /// Worker threads of every sort; its own choice if not given.
    pub threads: Option<usize>,
    /// Progress of the bench, and the request to stop it.
    pub progress: &'p Progress,
    command: String,
    /// True if an input stayed in the page cache against the bench's wish.
    is_warm: Cell<bool>,
}

/// Kind of the records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRecords {
    /// Binary, of 100 bytes: the fixed path (Indy).
    Binary,
    /// Printable lines of 100 bytes: the general path (Daytona).
    Lines,
    /// Rows of the sales table in CSV, of which an index is built.
    Sales,
}

impl FileRecords {
    /// Returns the words of the subcommand that is measured.
    pub fn subcommand(self) -> &'static [&'static str] {
        match self {
            Self::Binary | Self::Lines => &["sort"],
            Self::Sales => &["index", "build"],
        }
    }

    /// Returns its arguments: the format, and the keys. Those of records are the first ten bytes.
    pub fn arguments(self) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Binary => &["--format", "fixed:100", "--key", "0..10"],
            Self::Lines => &["--format", "lines", "--key", "0..10"],
            Self::Sales => &["--format", "csv", "--key", "store_id:int", "--key", "prod_id:int"],
        };
        words.iter().copied().map(str::to_owned).collect()
    }
}

impl<'p> Ground<'p> {
    /// Creates a directory of its own in `directory`, for `runs` of each measurement with
    /// `program`; `command` is what the bench was asked with.
    ///
    /// # Errors
    ///
    /// Those of the directory.
    pub fn new(
        directory: &Path,
        program: Program,
        runs: usize,
        threads: Option<usize>,
        progress: &'p Progress,
        command: String,
    ) -> Result<Self> {
        let directory = measurement_directory(directory)?;
        Ok(Self {
            directory,
            program,
            runs: runs.max(1),
            threads,
            progress,
            command,
            is_warm: Cell::new(false),
        })
    }

    /// Returns a path in its directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the number of bytes that may be written yet.
    ///
    /// # Errors
    ///
    /// That the system does not say.
    pub fn room(&self) -> Result<u64> {
        Ok(space::free(self.directory.path())?.0.saturating_sub(MARGIN))
    }

    /// Makes a file of records or rows in place of what has its name.
    ///
    /// # Errors
    ///
    /// Those of making it.
    pub fn generate(&self, name: &str, records: u64, kind: FileRecords) -> Result<PathBuf> {
        let path = self.path(name);
        let threads = limits::cores();
        let to = GeneratorDestination::File(path.clone());
        if kind == FileRecords::Sales {
            let made = SalesGeneration { threads, ..SalesGeneration::new(records) };
            generate_sales(&made, &to, self.progress)?;
            return Ok(path);
        }
        let ascii = kind == FileRecords::Lines;
        let made = RecordGeneration { ascii, threads, ..RecordGeneration::new(records) };
        generate(&made, &to, self.progress)?;
        Ok(path)
    }

    /// Sorts a file that the page cache does not hold, durably, with these further arguments; the
    /// output is gone when it has been measured.
    ///
    /// # Errors
    ///
    /// Those of the sort.
    pub fn sort(&self, input: &Path, kind: FileRecords, further: &[String]) -> Result<Trial> {
        self.sort_within(input, kind, further, None)
    }

    /// Sorts a file that the page cache does not hold, within a memory limit if one is given.
    ///
    /// # Errors
    ///
    /// Those of the sort.
    pub fn sort_within(
        &self,
        input: &Path,
        kind: FileRecords,
        further: &[String],
        within: Option<&Confinement>,
    ) -> Result<Trial> {
        if !chill(input)? {
            self.is_warm.set(true);
        }
        let output = self.path("output");
        let mut arguments = kind.arguments();
        let paths = [("--temp", self.directory.path()), ("--output", output.as_path())];
        for (option, path) in paths {
            arguments.extend([option.to_owned(), path.display().to_string()]);
        }
        let is_free = !further.iter().any(|word| word == "--threads");
        if let Some(threads) = self.threads.filter(|_| is_free) {
            arguments.extend(["--threads".to_owned(), threads.to_string()]);
        }
        arguments.extend_from_slice(further);
        arguments.push(input.display().to_string());
        let words = kind.subcommand();
        let mut trial = self.program.run(words, &arguments, within, self.progress)?;
        let written =
            fs::metadata(&output).map_err(|error| Error::io("look at", &output, error))?;
        trial.output_bytes = written.len();
        fs::remove_file(&output).map_err(|error| Error::io("remove", &output, error))?;
        Ok(trial)
    }

    /// Returns whether the file system of a file allows requests past the page cache.
    pub fn allows_direct(&self, input: &Path) -> bool {
        File::open_read(input, Direct::On).is_ok_and(|file| file.is_direct())
    }

    /// Returns the setting of the measurements: machine, disk and command.
    pub fn setting(&self) -> FindingSetting {
        FindingSetting {
            machine: MachineProperties::here(),
            disk: disk(self.directory.path()),
            cold: match self.is_warm.get() {
                true => "warm: the kernel kept it in its cache",
                false => "cold: dropped from the page cache before each sort",
            },
            command: self.command.clone(),
        }
    }
}

/// Returns the number of records in `bytes` bytes.
pub fn records_of(bytes: u64) -> u64 {
    bytes / RECORD_LENGTH as u64
}

/// Removes one file from the page cache. Returns whether that was done.
fn chill(path: &Path) -> Result<bool> {
    let file = fs::File::open(path).map_err(|error| Error::io("open", path, error))?;
    file.sync_data().map_err(|error| Error::io("make durable", path, error))?;
    // Pages that are in use or dirty stay, and the file that was just made durable has none such.
    let _ = fadvise(&file, 0, None, Advice::DontNeed);
    Ok(!File::open_read(path, Direct::Off)?.is_cached())
}

/// Returns the file system that holds a path: its kind, its device, and what is free.
fn disk(path: &Path) -> String {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let holds = |line: &&str| line.split(' ').nth(1).is_some_and(|at| whole.starts_with(at));
    let depth = |line: &&str| line.split(' ').nth(1).map_or(0, str::len);
    let mount = mounts.lines().filter(holds).max_by_key(depth).unwrap_or_default();
    let mut parts = mount.split(' ');
    let (device, kind) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
    let free = space::free(path).map_or_else(|_| String::new(), |free| format!(", {free} free"));
    format!("{kind} on {device}{free}")
}

/// Returns a size in bytes as gigabytes, as papers print them.
pub fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

#[cfg(test)]
mod tests;
