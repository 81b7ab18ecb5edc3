//! What of the machine a job may use.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use sortwell::unstable::io::{DirectStreams, Engine};
use sortwell::unstable::profile::Profile;
use sortwell::{Budget, Result};

use super::{EXPERT, RESOURCES, values};
use crate::standard;

/// Names of engines.
const ENGINES: [&str; 6] = ["auto", "uring", "threads", "mmap", "mmap-plain", "sync"];

/// Memory, and the way to the disks.
#[derive(Args, Debug)]
#[command(next_help_heading = RESOURCES)]
pub struct Resources {
    /// Most memory of the process: a size (512M, 4GiB, 2GB) or a share (50%)
    ///
    /// Sizes are binary (512MiB, 4GiB; short 512M, 4G) or decimal (2GB). A share is one of what the
    /// machine or the container really offers; the default is 60%. It is taken, and that is said,
    /// where a size is more than there is at all.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<Budget>)]
    memory: Option<Budget>,

    /// How bytes are moved
    ///
    /// auto takes io_uring where the system allows it and a pool of threads where not. mmap asks
    /// for the pages of its mappings ahead, mmap-plain does not: that is to be measured against.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&ENGINES), help_heading = EXPERT,
          hide_short_help = true)]
    pub engine: Engine,

    /// Whether bytes are moved past the page cache: auto, on or off, or of each stream its own as
    /// in input=off,spill=on
    ///
    /// auto does so where the file system takes it, unless the input is in the cache already, or
    /// buffers for writing runs as --write-buffers and --write-buffer-size have them take more than
    /// a tenth of the memory. Streams are input, spill and output; those that are not named are
    /// auto.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::parse::<DirectStreams>, help_heading = EXPERT,
          hide_short_help = true)]
    pub direct: DirectStreams,

    /// The machine profile that 'sortwell calibrate' has made
    ///
    /// Plans are made with it, and times foretold. The default is sortwell/machine.toml in the
    /// directory for configurations, if it is there.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = EXPERT,
          hide_short_help = true)]
    profile: Option<PathBuf>,
}

impl Resources {
    /// The ceiling of memory.
    pub fn memory(&self) -> Budget {
        self.memory.unwrap_or_default()
    }

    /// What was measured of the machine. A usual profile that cannot be read is none: that is said,
    /// and the sort goes on without it.
    pub fn profile(&self) -> Result<Option<Arc<Profile>>> {
        let profile = match &self.profile {
            Some(path) => Profile::read(path).map(Some)?,
            None => Profile::usual().unwrap_or_else(|error| {
                let words = format!("sortwell: {error}; it goes on without the machine profile\n");
                standard::tell(words);
                None
            }),
        };
        Ok(profile.map(Arc::new))
    }

    /// Says on standard error where a ceiling is higher than memory ever reaches.
    pub fn warn(&self) {
        if let (Budget::Bytes(said), Some(most)) = (self.memory(), self.memory().excess()) {
            standard::tell(format!(
                "sortwell: --memory {said} is more than the {most} that this process may have at \
                 most; a share of free memory is used, as without --memory\n"
            ));
        }
    }
}
