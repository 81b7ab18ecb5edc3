//! Options for the machine's resources that a job may use.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use sortwell::unstable::io::{DirectStreams, Engine};
use sortwell::unstable::profile::Profile;
use sortwell::{Budget, Result};

use super::{EXPERT, RESOURCES, values};
use crate::{standard, wording};

/// Names of engines.
pub const ENGINES: [&str; 6] = ["auto", "uring", "threads", "mmap", "mmap-plain", "sync"];

/// Memory, and the way to the disks.
#[derive(Args, Debug)]
#[command(next_help_heading = RESOURCES)]
pub struct Resources {
    /// Limit the memory of the process: a size (512M, 4GiB, 2GB) or a share (50%)
    ///
    /// Default: 60%. A share is part of the memory that the machine or the container really offers.
    /// Sizes are binary (512MiB, 4GiB; short 512M, 4G) or decimal (2GB). If a size exceeds all the
    /// memory there is, sortwell warns and uses the default share. Example: -M 4GiB.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<Budget>)]
    memory: Option<Budget>,

    /// Choose how to read and write files
    ///
    /// uring: io_uring. threads: a pool of threads. mmap: memory mappings, with their pages
    /// requested ahead. mmap-plain: memory mappings without that, for comparison. sync: one request
    /// after the other. auto: uring if the system allows it, otherwise threads. Example: --io
    /// threads.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&ENGINES), help_heading = EXPERT,
          hide_short_help = true)]
    pub engine: Engine,

    /// Bypass the page cache: auto, on, off, or a value per stream (input=off,spill=on)
    ///
    /// auto bypasses the cache if the file system supports that, with two exceptions. One is an
    /// input that is already in the cache. The other is runs if the memory for loads is less than
    /// 640 KiB per thread, which a small --run-size can cause: two buffers of 32 KiB per thread
    /// are then more than a tenth of it. The streams are input, spill and output; a stream that is
    /// not named is auto. Example: --direct input=off.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::parse::<DirectStreams>, help_heading = EXPERT,
          hide_short_help = true)]
    pub direct: DirectStreams,
}

/// The description of the machine that sorts are planned with.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct ProfileOptions {
    /// Use the machine profile FILE, which 'sortwell calibrate' makes
    ///
    /// sortwell plans sorts and predicts times with it. Default: sortwell/machine.toml in the
    /// directory for configurations, if that file exists.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    profile: Option<PathBuf>,
}

impl Resources {
    /// Returns the ceiling of memory.
    pub fn memory(&self) -> Budget {
        self.memory.unwrap_or_default()
    }

    /// Says on standard error where a ceiling is higher than memory ever reaches.
    pub fn warn(&self) {
        warn_of_excess(self.memory());
    }
}

/// Says on standard error where a ceiling is higher than memory ever reaches.
pub fn warn_of_excess(memory: Budget) {
    if let (Budget::Bytes(said), Some(most)) = (memory, memory.excess()) {
        standard::tell(format!(
            "sortwell: --memory {said} is more than the {most} that this process can have; using \
             the default share of free memory\n"
        ));
    }
}

impl ProfileOptions {
    /// Returns the machine profile. If the default profile cannot be read, the sort continues
    /// without it; [`warn`](Self::warn) says so.
    pub fn chosen(&self) -> Result<Option<Arc<Profile>>> {
        let profile = match &self.profile {
            Some(path) => Profile::read(path).map(Some)?,
            None => Profile::usual().unwrap_or_default(),
        };
        Ok(profile.map(Arc::new))
    }

    /// Says on standard error that the default profile cannot be read, if that is so.
    pub fn warn(&self) {
        if let (None, Err(error)) = (&self.profile, Profile::usual()) {
            let error = wording::chain(&error);
            let words = format!("sortwell: {error}; continuing without the machine profile\n");
            standard::tell(words);
        }
    }
}
