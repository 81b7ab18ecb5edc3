//! Where runs go: one directory of our own in each place the user named, made when first needed.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::io::{SpillDirectory, space};
use crate::units::ByteSize;

/// The spill directories of one job; removed, with what is in them, when dropped.
#[derive(Debug)]
pub struct Spill {
    places: Vec<PathBuf>,
    directories: Vec<SpillDirectory>,
    /// Runs named so far.
    runs: usize,
}

impl Spill {
    /// Spill space in `places`. Nothing is made yet.
    pub fn new(places: Vec<PathBuf>) -> Self {
        assert!(!places.is_empty());
        Self { places, directories: Vec::new(), runs: 0 }
    }

    /// Checks that `bytes` will fit, an even share in each place.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`] with the numbers.
    pub fn check_space(&self, bytes: u64) -> Result<()> {
        let needed = ByteSize(bytes / self.places.len() as u64);
        for place in &self.places {
            let available = space::free(place)?;
            if available < needed {
                let path = place.clone();
                return Err(Error::NoSpace { path, needed, available, option: "--temp" });
            }
        }
        Ok(())
    }

    /// A name for the next run, in each place in turn.
    pub fn next_path(&mut self) -> Result<PathBuf> {
        if self.directories.is_empty() {
            for place in &self.places {
                self.directories.push(SpillDirectory::create(place)?);
            }
        }
        let directory = &self.directories[self.runs % self.directories.len()];
        self.runs += 1;
        Ok(directory.path().join(format!("run-{:06}", self.runs - 1)))
    }
}
