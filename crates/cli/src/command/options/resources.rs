//! What of the machine a job may use.

use clap::Args;
use sortwell::io::{Direct, Engine};
use sortwell::job::Budget;

use super::values;

/// Memory, and the way to the disks.
#[derive(Args, Debug)]
pub struct Resources {
    /// Ceiling of the memory of the whole process, as a size (512MiB, 4GiB, 2GB) or a share (50%)
    ///
    /// A share is one of what the machine or the container really offers; the default is 60%. It
    /// is taken, and that is said, where a size is more than there is at all.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<Budget>)]
    memory: Option<Budget>,

    /// How bytes are moved
    ///
    /// auto takes io_uring where the system allows it and a pool of threads where not.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&["auto", "uring", "threads", "mmap", "sync"]))]
    pub engine: Engine,

    /// Whether bytes are moved past the page cache
    ///
    /// auto does so where the file system takes it, unless the input is in the cache already.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::one_of::<Direct>(&["auto", "on", "off"]))]
    pub direct: Direct,
}

impl Resources {
    /// The ceiling of memory.
    pub fn memory(&self) -> Budget {
        self.memory.unwrap_or_default()
    }

    /// Says on standard error where a ceiling is higher than memory ever reaches.
    pub fn warn(&self) {
        if let (Budget::Bytes(said), Some(most)) = (self.memory(), self.memory().excess()) {
            eprintln!(
                "sortwell: --memory {said} is more than the {most} that this process may have at \
                 most; it goes on with a share of what is free, as without --memory"
            );
        }
    }
}
