//! Names of files, one after the other: a list of millions takes little more than their bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names in order, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    /// End of each name.
    ends: Vec<usize>,
}

impl Names {
    /// Adds one.
    pub fn push(&mut self, name: &Path) {
        self.bytes.extend_from_slice(name.as_os_str().as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Returns the number of names.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the name with this number, which must exist.
    pub fn get(&self, number: usize) -> &Path {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Path::new(OsStr::from_bytes(&self.bytes[start..self.ends[number]]))
    }
}

#[cfg(test)]
mod tests;
