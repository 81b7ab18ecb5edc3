//! `sortwell calibrate`: what this machine's disks, memory and processors can do.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use sortbench::calibrate;
use sortbench::calibrate::{MemoryChoices, StripeUse};
use sortwell::Progress;
use sortwell::unstable::profile::Profile;
use sortwell::unstable::stripe::{Definition, Stride};
use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, ConfigErrorKind, Error, Result};

use super::options::values;
use super::options::watching::Watching;
use super::stripe::define;
use crate::calibration;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::standard;
use crate::statistics::counted;
use crate::wording;

/// Measure disks, memory and processors
///
/// calibrate prints its results and keeps them in the machine profile. With a profile, sortwell
/// predicts how long sorts take ('sortwell explain', --stats), and fits the size and the number of
/// its requests to the disks. Without a profile, it uses values that suit most machines.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct CalibrateArguments {
    #[command(subcommand)]
    action: CalibrateAction,
}

const EXAMPLES: &str = "\
Examples:
  All measurements, in about a minute:
    sortwell calibrate disk /data /scratch
    sortwell calibrate memory
    sortwell calibrate cpu

  A striped file over two disks, with less on the slower one:
    sortwell calibrate disk /mnt/a /mnt/b --stripe data.str";

#[derive(Debug, Subcommand)]
enum CalibrateAction {
    /// Measure the disks of directories, alone and all together
    ///
    /// In each directory, calibrate writes, reads and removes a file of up to 2 GiB, but at most a
    /// quarter of the free space. It measures sequential requests, several sizes, and several
    /// requests in flight. It bypasses the page cache if the file system allows that.
    ///
    /// Then it reads all directories at the same time, and writes them. From the speeds of each, it
    /// proposes strides for reading, for writing and for both. Directories on one disk share its
    /// speed, so they have equal strides.
    Disk {
        /// Directories, ideally one on each disk
        #[arg(value_name = "DIRECTORY", required = true, value_hint = ValueHint::DirPath)]
        directories: Vec<PathBuf>,

        /// Define a striped file with a member in each directory, and strides by their speeds
        #[arg(long, value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        stripe: Option<PathBuf>,

        /// Choose the use of the striped file, which determines its strides
        #[arg(long, value_name = "USE", default_value = "both", requires = "stripe")]
        stripe_for: StripeUseWord,

        #[command(flatten)]
        how: CalibrationOptions,
    },
    /// Measure how much memory is available, and how fast the system provides it
    ///
    /// calibrate touches memory twice and measures how busy the processor is: below 85%, memory is
    /// paged. A binary search finds the most memory that is not. It leaves a margin, and gives the
    /// memory back.
    Memory {
        /// Set the memory that is not touched; default: a tenth of what is available, at least
        /// 256MiB
        ///
        /// With less, the search comes closer to the point where the system pages. Without swap
        /// space, the system may end calibrate or another process there. Example: --margin 64MiB.
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        margin: Option<ByteSize>,

        /// Measure again with memory that is filled from FILE, through memory mappings
        ///
        /// The system may keep pages of mapped files, so that less memory can be used. A file that
        /// is shorter than the memory is copied several times. Example: --copy-from big.dat.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        copy_from: Option<PathBuf>,

        #[command(flatten)]
        how: CalibrationOptions,
    },
    /// Measure the processor time of sorting
    ///
    /// calibrate sorts 128 MiB of short records and of long ones several times, in memory and in
    /// two passes.
    Cpu {
        /// Directory for the temporary files of the measurement
        #[arg(value_name = "DIRECTORY", default_value = ".", value_hint = ValueHint::DirPath)]
        directory: PathBuf,

        #[command(flatten)]
        how: CalibrationOptions,
    },
}

/// Use of a striped file, as a word.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum StripeUseWord {
    /// It is only read, such as an input
    Read,
    /// It is only written, such as an output
    Write,
    /// As much is read as is written
    Both,
}

/// The time of a measurement, and the target of its result.
#[derive(Args, Debug)]
struct CalibrationOptions {
    /// Set the approximate time of the measurement, in seconds
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,

    /// Set the machine profile; default: sortwell/machine.toml in the configuration directory
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    profile: Option<PathBuf>,

    #[command(flatten)]
    watching: Watching,
}

impl CalibrationOptions {
    fn path(&self) -> Result<PathBuf> {
        let usual = || {
            let message = "there is no configuration directory; name a file with --profile";
            Profile::usual_path().ok_or_else(|| usage_error(message))
        };
        self.profile.clone().map_or_else(usual, Ok)
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Makes sure that a profile can be written, before anything is measured.
    fn check_profile(&self) -> Result<()> {
        let path = self.path()?;
        if path.exists() {
            valid_or_new(&path)?;
        }
        Profile::begin(&path).map(drop)
    }

    /// Notes what was found in the profile.
    fn note(&self, change: impl FnOnce(&mut Profile)) -> Result<()> {
        let path = self.path()?;
        let mut profile = if path.exists() { valid_or_new(&path)? } else { Profile::default() };
        change(&mut profile);
        profile.write(&path)
    }

    /// Shows what was found, and where it is kept.
    fn show(&self, words: &str) -> CommandOutcome {
        let words = format!("{words}profile  {}\n", self.path()?.display());
        standard::print(words.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a profile. If it is not valid, says so, gives its file another name, and returns a new
/// profile.
fn valid_or_new(path: &Path) -> Result<Profile> {
    let error = match Profile::read(path) {
        Err(error @ Error::Malformed { .. }) => error,
        result => return result,
    };
    let named = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".old-{number}"));
        PathBuf::from(name)
    };
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    let old = named(number);
    fs::rename(path, &old).map_err(|e| Error::io("rename", path, e))?;
    let (words, old) = (wording::chain(&error), old.display());
    standard::tell(format!(
        "sortwell: {words}; starting a new profile, the old file is now {old}\n"
    ));
    Ok(Profile::default())
}

/// Measures.
pub fn run(arguments: &CalibrateArguments) -> CommandOutcome {
    match &arguments.action {
        CalibrateAction::Disk { directories, stripe, stripe_for, how } => {
            let usage = match stripe_for {
                StripeUseWord::Read => StripeUse::Read,
                StripeUseWord::Write => StripeUse::Write,
                StripeUseWord::Both => StripeUse::Both,
            };
            let stripe = stripe.as_deref().map(|path| (path, usage));
            disk(directories, stripe, how)
        }
        CalibrateAction::Memory { margin, copy_from, how } => {
            memory(&MemoryChoices { margin: *margin, copied_from: copy_from.as_deref() }, how)
        }
        CalibrateAction::Cpu { directory, how } => cpu(directory, how),
    }
}

fn disk(
    directories: &[PathBuf],
    stripe: Option<(&Path, StripeUse)>,
    how: &CalibrationOptions,
) -> CommandOutcome {
    how.check_profile()?;
    let absolute = |path: &PathBuf| {
        let path = path.canonicalize().map_err(|e| Error::io("measure the disk of", path, e))?;
        match path.to_str() {
            Some(_) => Ok(path),
            None => Err(Error::config(
                ConfigErrorKind::InvalidPath,
                format!(
                    "the name of {} is not UTF-8, so a profile cannot have it; name a directory \
                     of the same disk whose name is",
                    path.display()
                ),
            )),
        }
    };
    let mut found = HashSet::new();
    let mut directories: Vec<PathBuf> = directories.iter().map(absolute).collect::<Result<_>>()?;
    directories.retain(|directory| found.insert(directory.clone()));
    let report =
        how.watching.run(false, |progress| calibrate::disks(&directories, how.time(), progress))?;
    how.note(|profile| {
        for disk in &report.disks {
            profile.add_disk(disk.clone());
        }
    })?;
    let mut words = calibration::disks(&report);
    if let Some((path, usage)) = stripe {
        let strides = calibrate::strides(&report.speeds(usage));
        let strides: Vec<Stride> = strides.iter().map(|times| Stride::Times(*times)).collect();
        define(path, &directories, &strides, ByteSize::mib(1))?;
        let members = counted(Definition::read(path)?.members.len() as u64, "member");
        words.push_str(&format!("stripe   {}: {members}\n", path.display()));
    }
    how.show(&words)
}

fn memory(choices: &MemoryChoices<'_>, how: &CalibrationOptions) -> CommandOutcome {
    how.check_profile()?;
    let threads = limits::cores();
    let measure = |progress: &Progress| calibrate::memory(choices, how.time(), threads, progress);
    let report = how.watching.run(false, measure)?;
    how.note(|profile| profile.memory = Some(report.profile.clone()))?;
    how.show(&calibration::memory(&report))
}

fn cpu(directory: &Path, how: &CalibrationOptions) -> CommandOutcome {
    how.check_profile()?;
    let threads = limits::cores();
    let measure =
        |progress: &Progress| calibrate::processor(directory, how.time(), threads, progress);
    let (found, spread) = how.watching.run(false, measure)?;
    how.note(|profile| profile.processor = Some(found.clone()))?;
    how.show(&calibration::processor(&found, spread))
}
