//! Measurements of a machine: a text (TOML) that `sortwell calibrate` writes and plans use. Its
//! format is described in `docs/machine-profile.md`.
//!
//! Nothing depends on it: without one, plans are made of what is true of most machines, and no time
//! is predicted.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{ConfigErrorKind, Error, Message, Operation, Result, config, message};
use crate::io::{Direct, TempFile, directory_of};
use crate::sys::space;

/// The version of the form.
const VERSION: u32 = 1;

/// Greatest cost in nanoseconds, factor or time in seconds that a machine can have.
const FIGURE_MAX: f64 = 1e9;

/// Most bytes of a request, and most requests in flight.
const REQUEST_MAX: u64 = 1 << 30;
const DEPTH_MAX: u64 = 65_536;

/// Longest text.
const TEXT_MAX: u64 = 1 << 20;

/// Measurements of a machine. Rates are in bytes per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The version of the form, 1.
    pub version: u32,
    /// Size and speed of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryProfile>,
    /// Costs of sorting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<ProcessorProfile>,
    /// Speeds of disks.
    #[serde(default, rename = "disk", skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<DiskProfile>,
}

/// Memory, as `sortwell calibrate memory` finds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryProfile {
    /// When it was measured, in UTC.
    pub measured: String,
    /// Most bytes that were touched again without paging, or 95% of that where more was paged.
    pub usable_bytes: u64,
    /// True if the machine was short of memory then; if not, there may be more.
    pub is_limit: bool,
    /// Bytes that the system said there were.
    pub claimed_bytes: u64,
    /// Speed of memory that was never touched, in pages of 4 KiB to one thread,
    pub small_pages_one: f64,
    /// to all threads,
    pub small_pages_all: f64,
    /// in huge pages to one thread,
    pub huge_pages_one: f64,
    /// to all;
    pub huge_pages_all: f64,
    /// and how fast it comes to all in huge pages if it was in use shortly before. A virtual
    /// machine's host takes back what is in no use for long.
    pub reused_pages_all: f64,
}

/// Processors, as `sortwell calibrate cpu` finds them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorProfile {
    /// When it was measured, in UTC.
    pub measured: String,
    /// Threads at work meanwhile.
    pub threads: usize,
    /// Costs of records of fixed length.
    pub fixed: Costs,
    /// Costs of lines.
    pub lines: Costs,
}

/// Processor time that records cost in each phase, with any disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Reading a load that holds everything.
    pub reading: Cost,
    /// Writing it in order.
    pub writing: Cost,
    /// Reading loads and writing them as runs.
    pub run_generation: Cost,
    /// Merging runs.
    pub merging: Cost,
}

/// Nanoseconds of processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Cost of each record, of any length.
    pub record: f64,
    /// Cost of each byte, in addition.
    pub byte: f64,
}

/// A disk, as `sortwell calibrate disk` finds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskProfile {
    /// When it was measured, in UTC.
    pub measured: String,
    /// A directory on it; what holds for it holds for all directories of its file system.
    pub directory: PathBuf,
    /// Speed of reading in order,
    pub read: f64,
    /// written in order,
    pub write: f64,
    /// and both at once, reads and writes together.
    pub both: f64,
    /// Largest spread of the measurements of any of these, as a part of their median.
    pub spread: f64,
    /// Seconds until what was written last is durable.
    pub sync_seconds: f64,
    /// Bytes per second of removing a file: some disks are notified of each free block.
    pub remove: f64,
    /// Bytes of the smallest request with which it is nearly as fast as it gets,
    pub request_bytes: u64,
    /// with this many requests in flight.
    pub queue_depth: usize,
    /// Time to read a block of 4 KiB, divided by the time that each further block of the same read
    /// takes: Oracle 7's `SORT_READ_FAC`.
    pub read_factor: f64,
    /// True if requests went past the page cache.
    pub is_direct: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self { version: VERSION, memory: None, processor: None, disks: Vec::new() }
    }
}

impl Profile {
    /// Returns the path of this user's machine profile: `sortwell/machine.toml` below
    /// `$XDG_CONFIG_HOME`, or below `~/.config`. `None` without a home.
    pub fn usual_path() -> Option<PathBuf> {
        let absolute = |name: &str| {
            let path = PathBuf::from(std::env::var_os(name)?);
            path.is_absolute().then_some(path)
        };
        let config = absolute("XDG_CONFIG_HOME");
        let config = config.or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
        Some(config.join("sortwell").join("machine.toml"))
    }

    /// Reads a profile.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Malformed`] with what is wrong.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |e| Error::io("read", path, e);
        let wrong = |message: Message| Error::malformed(path, message);
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(failed)?;
        file.take(TEXT_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > TEXT_MAX {
            return Err(wrong(no_profile("it is too large")));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong(no_profile("it is not UTF-8")))?;
        Self::of_text(&text).map_err(wrong)
    }

    /// Returns the profile of this user's machine, if there is one.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read).
    pub fn usual() -> Result<Option<Self>> {
        match Self::usual_path() {
            Some(path) if path.exists() => Self::read(&path).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a text; what is wrong with it, in words.
    pub fn of_text(text: &str) -> std::result::Result<Self, Message> {
        let profile: Self = toml::from_str(text).map_err(|e| no_profile(e.message()))?;
        let advice = |fault: String| {
            message!("{}; correct it, or make a new profile with {}", fault, Operation::Calibrate)
        };
        profile.check().map_err(advice)?;
        Ok(profile)
    }

    /// Checks the version, and that plans can use the figures. A profile is checked when it is read
    /// and before it is written.
    fn check(&self) -> std::result::Result<(), String> {
        let version = self.version;
        if version != VERSION {
            let fault =
                format!("it has version {version}, and this program needs version {VERSION}");
            return Err(fault);
        }
        // Some have hundreds of digits otherwise.
        let shown = |figure: f64| match figure.abs() {
            1e-9..1e15 | 0.0 => figure.to_string(),
            _ => format!("{figure:e}"),
        };
        let rate = |what: &str, rate: f64| match rate.is_finite() && rate >= 1.0 {
            true => Ok(()),
            false => Err(format!("{what}: {} is not a rate of bytes per second", shown(rate))),
        };
        let figure = |what: &str, figure: f64| match (0.0..=FIGURE_MAX).contains(&figure) {
            true => Ok(()),
            false => Err(format!("{what}: {} is not possible", shown(figure))),
        };
        let at_least_one = |what: &str, count: u64| match count {
            0 => Err(format!("{what}: 0 is not possible")),
            _ => Ok(()),
        };
        let at_most = |what: &str, count: u64, most: u64| match count > most {
            true => Err(format!("{what}: {count} is not possible; it is at most {most}")),
            false => at_least_one(what, count),
        };
        if let Some(memory) = &self.memory {
            let &MemoryProfile { small_pages_one, small_pages_all, .. } = memory;
            for all in [small_pages_one, small_pages_all] {
                rate("small pages", all)?;
            }
            for all in [memory.huge_pages_one, memory.huge_pages_all] {
                rate("huge pages", all)?;
            }
            rate("reused pages", memory.reused_pages_all)?;
            at_least_one("usable_bytes", memory.usable_bytes)?;
        }
        if let Some(ProcessorProfile { threads, fixed, lines, .. }) = &self.processor {
            at_least_one("threads", *threads as u64)?;
            for Costs { reading, writing, run_generation, merging } in [fixed, lines] {
                for cost in [reading, writing, run_generation, merging] {
                    figure("cost of a record", cost.record)?;
                    figure("cost of a byte", cost.byte)?;
                }
            }
        }
        for disk in &self.disks {
            for (what, speed) in [("read", disk.read), ("write", disk.write), ("both", disk.both)] {
                rate(what, speed)?;
            }
            rate("remove", disk.remove)?;
            figure("sync_seconds", disk.sync_seconds)?;
            figure("read_factor", disk.read_factor)?;
            at_most("request_bytes", disk.request_bytes, REQUEST_MAX)?;
            at_most("queue_depth", disk.queue_depth as u64, DEPTH_MAX)?;
        }
        Ok(())
    }

    /// Puts the profile at `path`, in place of what is there; the directory is made.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a profile that could not be read again; the errors of writing.
    pub fn write(&self, path: &Path) -> Result<()> {
        let unusable = |fault: String| {
            let kind = ConfigErrorKind::Other;
            config!(kind, "the profile cannot be written: {}; measure again", fault)
        };
        self.check().map_err(unusable)?;
        let body = toml::to_string(self).map_err(|e| unusable(e.to_string()))?;
        let text = format!("# Measured rates of this machine, as sortwell reads them.\n{body}");
        let temporary = Self::begin(path)?;
        temporary.file().write_at(text.as_bytes(), 0)?;
        temporary.persist(path, true)
    }

    /// Begins a profile at `path`, whose directory is made. It appears there when it is written.
    ///
    /// # Errors
    ///
    /// The errors of making a directory and a file.
    pub fn begin(path: &Path) -> Result<TempFile> {
        let directory = directory_of(path);
        fs::create_dir_all(directory).map_err(|e| Error::io("make", directory, e))?;
        TempFile::create(path, Direct::Off)
    }

    /// Takes in what was measured of a disk, in place of what was known of its file system.
    pub fn add_disk(&mut self, disk: DiskProfile) {
        let device = space::device(&disk.directory).ok();
        self.disks.retain(|other| {
            other.directory != disk.directory && space::device(&other.directory).ok() != device
        });
        self.disks.push(disk);
    }

    /// Returns the disk that `path` lies on, as far as it was measured.
    pub fn disk_of(&self, path: &Path) -> Option<&DiskProfile> {
        let device = space::device(path).ok()?;
        self.disks.iter().find(|disk| space::device(&disk.directory).ok() == Some(device))
    }
}

/// Returns the message of a file that is no profile, for this reason.
fn no_profile(why: &str) -> Message {
    message!("no machine profile ({}); make one with {}", why, Operation::Calibrate)
}

#[cfg(test)]
mod tests;
